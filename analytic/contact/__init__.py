"""The contact solver: loads, pose, body velocity and foot forces of a robot whose feet slide.

`solve` computes all of this for one frame or a batch, `Solver` for single frames in microseconds; `LAWS` lists the
friction laws. `twist_derivatives` and `force_derivatives` are what the answers change by.
Compiled code calls `kernels.frames` directly.
"""

from .connection import LAWS, Feet, Solver, force_scale, lag_filter, solve
from .derivative import ForceDerivatives, TwistDerivatives, force_derivatives, twist_derivatives
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
    "ForceDerivatives",
    "Motion",
    "SlidingLaw",
    "Solver",
    "SolverStatus",
    "Support",
    "TwistDerivatives",
    "Viscous",
    "connection_matrix",
    "force_derivatives",
    "force_scale",
    "lag_filter",
    "load_derivatives",
    "slide",
    "solve",
    "support",
    "twist_derivatives",
]
