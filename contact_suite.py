"""The contact suite: its cases, a run of them in an engine, and the scores.

`mujoco_engine` is the adapter of MuJoCo, whose `Simulation` an engine's file of your own may take.
"""

from .scripts.suite.case import ids
from .scripts.suite.case import load as load_case
from .scripts.suite.engines import mujoco as mujoco_engine
from .scripts.suite.running import engines, run
from .scripts.suite.score import error, passed, rows, summary

__all__ = ["engines", "error", "ids", "load_case", "mujoco_engine", "passed", "rows", "run", "summary"]
