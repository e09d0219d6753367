"""Mechanics and contact of any articulated robot, compiled once for all robots: the robot is an argument.

`tarsus.mjcf.articulated.convert` makes a `Robot` of an MJCF file, and nothing here needs MuJoCo. `mechanics` is what
does not depend on contact; `contact` solves the problem of contacts, joint limits and dry friction at one instant.
"""

from .mechanics import Mechanics, mechanics
from .robot import Robot

__all__ = ["Mechanics", "Robot", "mechanics"]
