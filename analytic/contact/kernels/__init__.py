"""The solver of one frame and its loops over frames, compiled: support, viscous friction, Coulomb friction.

The functions here are what compiled code outside may call; every name of `layout`, which says where they read and
write, is a name of this package too.
"""

from .entries import frames, frames_parallel, frames_serial, single, slides
from .layout import *  # noqa: F403

__all__ = ["frames", "frames_parallel", "frames_serial", "single", "slides"]
