"""Event-driven simulation of hybrid systems: compiled or interpreted from one source, no event missed, nothing lost."""

from .kernel.codes import DECLINE
from .model import Guard, Model
from .names import indices, vector
from .options import Options
from .result import Events, Result, Status
from .simulator import Batch, Simulator, compile

__all__ = [
    "DECLINE", "Batch", "Events", "Guard", "Model", "Options", "Result", "Simulator", "Status", "compile", "indices",
    "vector",
]  # fmt: skip
