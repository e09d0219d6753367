"""Policies and their training: the environments as other libraries take them, and policies by their names.

What needs an extra is imported when it is first asked for: `StableVectorEnv` of Stable-Baselines3 (extra `rl`),
`TensorVectorEnv` of PyTorch, `onnx_model` of ONNX (extra `onnx`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .scripts.library.learning.evaluation import run_episode
from .scripts.library.learning.hand_made import POLICIES, Policy
from .scripts.library.learning.loading import Candidate
from .scripts.library.learning.loading import load as load_policy
from .scripts.library.learning.planning import Asked

if TYPE_CHECKING:
    from .scripts.library.learning.onnx_policy import model_of as onnx_model
    from .scripts.library.learning.stable import StableVectorEnv
    from .scripts.library.learning.tensors import TensorVectorEnv

__all__ = [
    "POLICIES", "Asked", "Candidate", "Policy", "StableVectorEnv", "TensorVectorEnv", "load_policy",
    "onnx_model", "run_episode",
]  # fmt: skip
_EXTRAS = {
    "StableVectorEnv": ("stable", "StableVectorEnv"),
    "TensorVectorEnv": ("tensors", "TensorVectorEnv"),
    "onnx_model": ("onnx_policy", "model_of"),
}


def __getattr__(name: str) -> Any:
    """Return a name whose module needs an extra."""
    if name not in _EXTRAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, within = _EXTRAS[name]
    return getattr(import_module(f"{__package__}.scripts.library.learning.{module}"), within)
