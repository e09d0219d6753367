"""The machines that can be run, in the exact engine and in MuJoCo, and what describes one.

`MACHINES` has those behind `tarsus run`. The hexapod's `HexapodExperiment` goes to `simulate_exact` or
`simulate_mujoco`, a multipod's `Walking` to `walk`, a `PathWalking` to `follow`. Of a `Machine` that is described, as
the legs are, `run_exact` and `run_mujoco` run an `Experiment`.
"""

from .scripts.library.machines import MACHINES
from .scripts.library.machines.connection_walk import FollowedPath, PathWalking, follow
from .scripts.library.machines.description import Experiment, Machine, Rows
from .scripts.library.machines.hexapod_exact import simulate as simulate_exact
from .scripts.library.machines.hexapod_experiment import HexapodExperiment, PlatelessExperiment, Start
from .scripts.library.machines.hexapod_mujoco import simulate as simulate_mujoco
from .scripts.library.machines.machine import MachineCommand
from .scripts.library.machines.multipod_mujoco import MultipodWalk, Walking, walk
from .scripts.library.machines.outcome import Run, RunStatus
from .scripts.library.machines.runners import exact as run_exact
from .scripts.library.machines.runners import in_mujoco as run_mujoco

__all__ = [
    "MACHINES", "Experiment", "FollowedPath", "HexapodExperiment", "Machine", "MachineCommand", "MultipodWalk",
    "PathWalking", "PlatelessExperiment", "Rows", "Run", "RunStatus", "Start", "Walking", "follow", "run_exact",
    "run_mujoco", "simulate_exact", "simulate_mujoco", "walk",
]  # fmt: skip
