"""tarsus: legged machines and their feet on the ground, simulated in MuJoCo and exactly.

Importing the package registers its Gymnasium environments and imports nothing heavy; what it offers is imported when it
is first asked for:

* `run`, `crossvalidate`: a machine in one engine, or in both; `load` reads a record, `compare` compares two runs.
* `train`, `evaluate`, `certify`: policies. `search`: gaits.
* `contact_doctor`: what is wrong with the contacts of a MuJoCo model.
* `machines`, `own_robot`: modules of the machines, and of a robot of the user's own.
* `hybrid`, `contact`: the exact engine, and the solver for feet that slide.
"""

from typing import TYPE_CHECKING, Any

from .envs import register_envs

if TYPE_CHECKING:
    from .analytic import contact, hybrid
    from .scripts.library import machines, own_robot
    from .scripts.library.certificates.certifying import certify
    from .scripts.library.comparison.compare import compare
    from .scripts.library.doctor.examining import examine as contact_doctor
    from .scripts.library.learning.evaluation import evaluate
    from .scripts.library.learning.planning import train
    from .scripts.library.records.record import load
    from .scripts.library.running.run import crossvalidate, run
    from .scripts.library.search.searches import search

__all__ = [
    "certify", "compare", "contact", "contact_doctor", "crossvalidate", "evaluate", "hybrid", "load", "machines",
    "own_robot", "run", "search", "train",
]  # fmt: skip

register_envs()

# Where each name is; a module has no name behind the colon.
_PLACES = {
    "certify": "scripts.library.certificates.certifying:certify",
    "compare": "scripts.library.comparison.compare:compare",
    "contact": "analytic.contact:",
    "contact_doctor": "scripts.library.doctor.examining:examine",
    "crossvalidate": "scripts.library.running.run:crossvalidate",
    "evaluate": "scripts.library.learning.evaluation:evaluate",
    "hybrid": "analytic.hybrid:",
    "load": "scripts.library.records.record:load",
    "machines": "scripts.library.machines:",
    "own_robot": "scripts.library.own_robot:",
    "run": "scripts.library.running.run:run",
    "search": "scripts.library.search.searches:search",
    "train": "scripts.library.learning.planning:train",
}


def __getattr__(name: str) -> Any:
    """Return a name of the package, imported now; and `__version__`, whose look-up takes longer than all else here."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tarsus")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, _, within = _PLACES[name].partition(":")
    found = import_module(f"{__name__}.{module}")
    globals()[name] = getattr(found, within) if within else found
    return globals()[name]


def __dir__() -> list[str]:
    """Return what can be asked for."""
    return sorted({*globals(), *__all__, "__version__"})
