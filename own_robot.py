"""A robot of the user's own: its rollouts as labelled records, their numbers and figure, and the contact solver.

The robot itself is an `OwnRobot` of `tarsus.mjcf.own_robot`, and `register` of `tarsus.envs.own_robot` makes an
environment of it.
"""

from .scripts.library.own_robot.exact import exact_rollout
from .scripts.library.own_robot.measures import Measures, draw, lines, measures
from .scripts.library.own_robot.rollout import rollout, rollout_of
from .scripts.library.own_robot.sliding import OwnWalk, walk
from .scripts.library.own_robot.stance import Stance, stance
from .scripts.library.own_robot.strides import clock, stride_map

__all__ = [
    "Measures", "OwnWalk", "Stance", "clock", "draw", "exact_rollout", "lines", "measures", "rollout", "rollout_of",
    "stance", "stride_map", "walk",
]  # fmt: skip
