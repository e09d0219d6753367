"""The contact solver: loads, pose, body velocity and foot forces of a robot whose feet slide.

It is `tarsus.analytic.contact` under a short name: the same objects, and those of its modules that are public.
"""

import sys

from .analytic.contact import *  # noqa: F403
from .analytic.contact import __all__ as _names
from .analytic.contact import fit, geometry, impact, se2

_MODULES = (fit, geometry, impact, se2)
_public = {module.__name__.rpartition(".")[2]: module for module in _MODULES}
__all__ = [*_names, *_public]
__path__: list[str] = []  # a package of these modules alone: others would be loaded a second time under this name
sys.modules.update({f"{__name__}.{name}": module for name, module in _public.items()})
