"""Event-driven simulation of hybrid systems: compiled or interpreted from one source, no event missed, nothing lost.

A name is imported when it is first asked for: what has no model to run needs no engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .automaton import Automaton
    from .batch import Batch
    from .closing import Plant, close
    from .continued import Continued
    from .guard import Guard
    from .kernel.codes import DECLINE
    from .known_times import at, every
    from .model import Model
    from .names import indices, vector
    from .options import Options
    from .result import Events, Result, Status
    from .sampled import Sampled
    from .simulator import Simulator, compile

__all__ = [
    "DECLINE", "Automaton", "Batch", "Continued", "Events", "Guard", "Model", "Options", "Plant", "Result", "Sampled",
    "Simulator", "Status", "at", "close", "compile", "every", "indices", "vector",
]  # fmt: skip
# Where names are that are not in the module of their own name.
_PLACES = {
    "DECLINE": "kernel.codes", "Events": "result", "Plant": "closing", "Status": "result", "at": "known_times",
    "close": "closing", "compile": "simulator", "every": "known_times", "indices": "names", "vector": "names",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return a public name, imported now."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_PLACES.get(name, name.lower())}"), name)
    return globals()[name]
