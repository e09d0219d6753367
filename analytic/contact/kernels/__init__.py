"""The solver of one frame and its loops over frames, compiled: support, viscous friction, Coulomb friction.

The functions here are what compiled code outside may call; every name of `layout`, which says where they read and
write, is a name of this package too. An edit of any file in this folder makes `jit.py` start a new cache on disk, as
numba itself does not notice that a function called from another file was edited.
"""

from .entries import frames, frames_parallel, frames_serial, single, slides
from .layout import *  # noqa: F403

__all__ = ["frames", "frames_parallel", "frames_serial", "single", "slides"]
