"""tarsus: legged machines and their feet on the ground, simulated in MuJoCo and exactly.

Importing the package registers its Gymnasium environments and imports nothing heavy; what it offers is imported when it
is first asked for:

* `run`, `crossvalidate`: a machine in one engine, or in both; `compare` compares two runs.
* `load`: what a command left in its folder.
* `train`, `evaluate`, `certify`, `stability`: policies. `search`: gaits.
* `contact_doctor`: what is wrong with the contacts of a MuJoCo model.
* `hybrid`, `contact`: modules of the exact engine, and of the solver for feet that slide.
* `machines`, `records`, `results`, `views`: of machines that can be run, what a run gives, and pictures of it.
* `learning`, `design`, `own_robot`, `sliding`, `contact_suite`: of policies, gradients, your robot, its sliding, cases.

This is the public surface, with those modules of `analytic`, `mjcf`, `controllers` and `envs` that the API reference
lists. `tests/public.txt` has every name of it and where it is.
"""

from typing import TYPE_CHECKING, Any

from .envs import register_envs

if TYPE_CHECKING:
    from . import (
        contact,
        contact_suite,
        design,
        hybrid,
        learning,
        machines,
        own_robot,
        records,
        results,
        sliding,
        views,
    )
    from .scripts.library.certificates.certifying import certify
    from .scripts.library.comparison.compare import compare
    from .scripts.library.doctor.examining import examine as contact_doctor
    from .scripts.library.learning.evaluation import evaluate
    from .scripts.library.learning.planning import train
    from .scripts.library.records.stored import load
    from .scripts.library.running.run import crossvalidate, run
    from .scripts.library.search.searches import search
    from .scripts.library.stability.asking import stability

__all__ = [
    "certify", "compare", "contact", "contact_doctor", "contact_suite", "crossvalidate", "design", "evaluate", "hybrid",
    "learning", "load", "machines", "own_robot", "records", "results", "run", "search", "sliding", "stability", "train",
    "views",
]  # fmt: skip

register_envs()

# Where each name is that is no module of the package's root.
_PLACES = {
    "certify": "scripts.library.certificates.certifying:certify",
    "compare": "scripts.library.comparison.compare:compare",
    "contact_doctor": "scripts.library.doctor.examining:examine",
    "crossvalidate": "scripts.library.running.run:crossvalidate",
    "evaluate": "scripts.library.learning.evaluation:evaluate",
    "load": "scripts.library.records.stored:load",
    "run": "scripts.library.running.run:run",
    "search": "scripts.library.search.searches:search",
    "stability": "scripts.library.stability.asking:stability",
    "train": "scripts.library.learning.planning:train",
}


def __getattr__(name: str) -> Any:
    """Return a name of the package, imported now; and `__version__`, whose look-up takes longer than all else here."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tarsus")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name not in _PLACES:
        return import_module(f"{__name__}.{name}")
    module, _, within = _PLACES[name].partition(":")
    globals()[name] = getattr(import_module(f"{__name__}.{module}"), within)
    return globals()[name]


def __dir__() -> list[str]:
    """Return the names of this module, lazy ones too."""
    return sorted({*globals(), *__all__, "__version__"})
