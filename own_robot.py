"""A robot of the user's own: registered as an environment, its model, rollouts, numbers, figure, and contact solver."""

from .envs.own_robot import RobotWarning, register
from .mjcf.own_robot import EXAMPLE, OwnRobot, model, standing
from .scripts.library.own_robot.exact import exact_rollout
from .scripts.library.own_robot.measures import Measures, draw, lines, measures
from .scripts.library.own_robot.rollout import rollout, rollout_of
from .scripts.library.own_robot.sliding import OwnWalk, walk
from .scripts.library.own_robot.stance import Stance, stance
from .scripts.library.own_robot.strides import clock, stride_map

__all__ = [
    "EXAMPLE", "Measures", "OwnRobot", "OwnWalk", "RobotWarning", "Stance", "clock", "draw", "exact_rollout", "lines",
    "measures", "model", "register", "rollout", "rollout_of", "stance", "standing", "stride_map", "walk",
]  # fmt: skip
