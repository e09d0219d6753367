"""Event-driven simulation of hybrid systems: compiled or interpreted from one source, no event missed, nothing lost."""

from .batch import Batch
from .continued import Continued
from .guard import Guard
from .kernel.codes import DECLINE
from .model import Model
from .names import indices, vector
from .options import Options
from .result import Events, Result, Status
from .simulator import Simulator, compile

__all__ = [
    "DECLINE", "Batch", "Continued", "Events", "Guard", "Model", "Options", "Result", "Simulator", "Status", "compile",
    "indices", "vector",
]  # fmt: skip
