"""The solver of one frame and its loops over frames, compiled: support, viscous friction, Coulomb friction.

Other compiled code may call the functions exported here; so are all names of `layout`, which defines where they read
and write.
"""

from .entries import frames, frames_parallel, frames_serial, single, slides, with_coulomb
from .layout import *  # noqa: F403

__all__ = ["frames", "frames_parallel", "frames_serial", "single", "slides", "with_coulomb"]
