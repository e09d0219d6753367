"""The machines that can be run, each a file and a line here."""

from __future__ import annotations

from tarsus.scripts.library.machines.hexapod import HEXAPOD
from tarsus.scripts.library.machines.hopping_leg import HOPPING_LEG
from tarsus.scripts.library.machines.machine import MachineCommand
from tarsus.scripts.library.machines.multipod import MULTIPOD
from tarsus.scripts.library.machines.slip_leg import SLIP_LEG

MACHINES: dict[str, MachineCommand] = {machine.name: machine for machine in (HEXAPOD, HOPPING_LEG, SLIP_LEG, MULTIPOD)}
