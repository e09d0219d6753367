"""The contact solver: loads, pose, body velocity and foot forces of a robot whose feet slide.

`solve` computes all of this for one frame or a batch, `Solver` for single frames in microseconds; `LAWS` lists the
friction laws.
Compiled code calls `kernels.frames` directly.
"""

from .connection import LAWS, Feet, Solver, force_scale, lag_filter, solve
from .epsilon import Epsilon
from .friction import connection_matrix, slide
from .laws import Coulomb, SlidingLaw, Viscous
from .results import Motion, SolverStatus, Support
from .support import load_derivatives, support

__all__ = [
    "LAWS",
    "Coulomb",
    "Epsilon",
    "Feet",
    "Motion",
    "SlidingLaw",
    "Solver",
    "SolverStatus",
    "Support",
    "Viscous",
    "connection_matrix",
    "force_scale",
    "lag_filter",
    "load_derivatives",
    "slide",
    "solve",
    "support",
]
