"""The run of a SimSect init file: where its files go, how it is watched, and what it says of its progress."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic import saving, simsect
from tarsus.analytic.hybrid.names import overlay
from tarsus.scripts.command import output


def free_base(base: Path, force: bool) -> Path:
    """Return the output files' name without endings, numbered if they exist; ValueError if it cannot be written."""
    endings = ("data", "initial", "param")
    if not force:
        base = next(b for b in saving.numbers(base) if not any(Path(f"{b}.{end}").exists() for end in endings))
    for ending in endings:
        output.check(Path(f"{base}.{ending}"))
    return base


def open_view(run: simsect.Setup, video: Path | None):
    """Return the view that the init file or the command line asks for, or None; no display disables the view."""
    if not (run.use_view or video):
        return None
    from tarsus.scripts.library.views.animation import View

    params = overlay("parameter", run.model.param_names, run.model.p0, run.params)
    try:
        return View(run.model, params, run.view, run.ground, simsect.SYSTEMS[run.system].half_width, video)
    except (RuntimeError, ValueError) as error:
        print(f"tarsus simsect: no view: {error}", file=sys.stderr)
        return None


def progress(model: hy.Model):
    """Return the callback that reports the run's progress."""

    def report(t: float, x: np.ndarray, d: np.ndarray, chart: int) -> None:
        print(f"t = {t:.6g} in chart {model.charts[chart] if model.charts else chart}", flush=True)

    return report
