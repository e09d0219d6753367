"""Run what an init file describes, and write SimSect's files; the manual's root finder."""

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import hybrid as hy
from ..saving import write_text, writing
from .init_file import Setup

ENDINGS = ("initial", "param", "data")  # of the files that a run leaves


def check_outputs(run: Setup) -> None:
    """Refuse a `dataBaseName` whose files cannot be written: asked before the run."""
    for path in (Path(f"{run.base}.{ending}") for ending in ENDINGS):
        what = f"dataBaseName {run.base!r} cannot be written to"
        try:
            if path.is_dir():
                raise ValueError(f"{what}: {path} is a folder")
            if not path.parent.is_dir():
                raise ValueError(f"{what}: there is no folder {path.parent}")
            if not os.access(path if path.exists() else path.parent, os.W_OK):
                raise ValueError(f"{what}: {path} is protected")
        except OSError as error:
            raise ValueError(f"{what}: {error.strerror}") from None


def write_inputs(run: Setup, sim: hy.Simulator) -> tuple[Path, Path]:
    """Write `<base>.initial` and `<base>.param`, which reproduce the run together with its integrator symbols."""
    model = sim.model
    state = dict(zip(model.state_names, model.x0, strict=True)) | run.state
    state |= dict(zip(model.memory_names, model.d0, strict=True)) | run.memory
    params = dict(zip(model.param_names, model.p0, strict=True)) | run.params | run.words
    paths = Path(f"{run.base}.initial"), Path(f"{run.base}.param")
    for path, table in zip(paths, (state, params), strict=True):
        write_text(path, "".join(f"{name} = {_quoted(value)};\n" for name, value in table.items()))
    return paths


def _quoted(value: float | str) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(float(value))


def write_data(run: Setup, result: hy.Result) -> Path:
    """Write `<base>.data`: a row of auxiliary functions per recorded point (time, states, memory if there are none)."""
    rows = result.aux if result.names.aux else np.column_stack([result.t, result.x, result.d])
    path = Path(f"{run.base}.data")
    with writing(path) as part:
        np.savetxt(part, rows, fmt="%.17g")
    return path


def integrate(run: Setup, sim: hy.Simulator, **callbacks: Any) -> hy.Result:
    """Run it; `on_measure` and `on_frame` (by default at the view's frame rate) are called on the way."""
    more = {"frame_period": 1.0 / run.view["framerate"]} if "on_frame" in callbacks else {}
    return sim.run(run.state, run.memory, run.params, **run.settings | more | callbacks)


def find_root(function: Callable[[float], float], start: float, tol: float = 1e-12, max_iter: int = 50) -> float:
    """Return a zero of a scalar function near `start` by Newton's method with a difference quotient (3.4.4)."""
    x = float(start)
    for _ in range(max_iter):
        value = function(x)
        if not math.isfinite(value):
            break
        h = 1e-6 * max(1.0, abs(x))
        slope = (function(x + h) - function(x - h)) / (2.0 * h)
        if slope == 0.0:
            break
        step = value / slope
        x -= step
        if abs(step) <= tol * max(1.0, abs(x)):
            return x
    raise ValueError(f"no zero found near {start} in {max_iter} steps; start nearer to one")
