"""Mechanics of any articulated robot with feet over a plane, compiled once for all robots: the robot is an argument.

`tarsus.mjcf.articulated.convert` makes a `Robot` of an MJCF file; nothing here needs MuJoCo.
"""

from .mechanics import Mechanics, mechanics
from .robot import Robot

__all__ = ["Mechanics", "Robot", "mechanics"]
