"""Event-driven simulation of hybrid systems: compiled or interpreted from one source, no event missed, nothing lost."""

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
