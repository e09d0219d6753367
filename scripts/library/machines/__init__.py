"""The machines that can be run, each a file and a name here: the file `hopper` has the command `HOPPER`."""

from importlib import import_module

from tarsus.scripts.library.machines.machine import MachineCommand

NAMES = (
    "hexapod",
    "hopping_leg",
    "slip_leg",
    "multipod",
    "connection_mpc",
)
MACHINES: dict[str, MachineCommand] = {
    name: getattr(import_module(f"{__name__}.{name}"), name.upper()) for name in NAMES
}
