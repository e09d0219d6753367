"""The exact engine: hybrid models and their runs, sections, orbits and families, derivatives, control.

It is `tarsus.analytic.hybrid` under a short name: the same objects, and those of its modules that are public, so that
`from tarsus.hybrid import sections` and `from tarsus.hybrid.sections import fixed_point` work, too.
"""

import sys

from .analytic.hybrid import *  # noqa: F403
from .analytic.hybrid import __all__ as _names
from .analytic.hybrid import (
    adjoint,
    automaton,
    basin,
    bifurcations,
    closing,
    control,
    derivatives,
    derived_map,
    directions,
    families,
    feedback,
    lyapunov,
    sampled,
    sections,
)

_MODULES = (
    adjoint, automaton, basin, bifurcations, closing, control, derivatives, derived_map, directions, families,
    feedback, lyapunov, sampled, sections,
)  # fmt: skip
_public = {module.__name__.rpartition(".")[2]: module for module in _MODULES}
__all__ = [*_names, *_public]
__path__: list[str] = []  # a package of these modules alone: others would be loaded a second time under this name
sys.modules.update({f"{__name__}.{name}": module for name, module in _public.items()})
