"""A robot of the user's own: its rollouts as labelled records, their numbers and figure, and the contact solver.

Its modules are imported when they are first asked for.
"""

from importlib import import_module
from types import ModuleType

MODULES = ("legs", "measures", "rollout", "sliding", "stance")


def __getattr__(name: str) -> ModuleType:
    """Return a module of the folder."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
