"""The result of a command as JSON: the numbers it printed, its options, and the versions that made it."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import time
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from tarsus.scripts.library.base import stamp

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "scipy", "numba", "torch", "stable-baselines3")
WHERE = ("out", "default_out", "was", "force", "json", "draws")  # of a command line: says nothing about the result


def text(prog: str, args: argparse.Namespace, shown: str, found: Mapping[str, Any], files: list[str]) -> str:
    """Return a result as JSON: of a command's words and options, what it shows and found, and the files beside it."""
    told = {
        "command": prog,
        "inputs": {name: value for name, value in vars(args).items() if name not in WHERE},
        "result": found,
        "text": shown,
        "files": files,
        "made": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "versions": stamp.versions(*PACKAGES),
        "computer": stamp.computer(),
    }
    return json.dumps(plain(told), indent=1, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: dataclasses as objects, arrays as lists, null for what is not finite."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
