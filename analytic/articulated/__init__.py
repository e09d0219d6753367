"""Any tree of rigid bodies on a plane, as arrays: its mechanics are compiled once, and the robot is an argument.

`Robot` holds the arrays, `evaluate` returns the mechanics of one state. `mjcf.articulated.convert` makes a robot of a
MuJoCo model.
"""

from .mechanics import Mechanics, evaluate
from .robot import Robot

__all__ = ["Mechanics", "Robot", "evaluate"]
