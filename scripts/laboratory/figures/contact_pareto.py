"""The cost of contact accuracy: error against the exact engine and simulation speed of MuJoCo's settings.

Runtime: about 15 minutes on one core; `tarsus page contact` writes the same numbers into docs/crossvalidation.md.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from tarsus.mjcf.presets import CONES, INTEGRATORS, PRESETS
from tarsus.scripts.laboratory.studies import contact_sweep
from tarsus.scripts.laboratory.studies.contact_sweep import DEFAULTS, front
from tarsus.scripts.laboratory.studies.study_plots import plain_log

MARKED = (DEFAULTS, *PRESETS)
# What the golden test computes: the marked settings at the coarse end, one of them off the front, and one that falls.
SAMPLE = (DEFAULTS, "rl", "2.5 ms RK4 elliptic 10")
GOLDEN = {"names": SAMPLE}
MEASURED = ("real_time",)  # depends on the machine
# With the preset `rl` one landing goes either way when the state is jiggled by rounding before every step: it moves
# errors of forces by 1.2 and 2 %, that of the height by 0.5 % and that of the speed by 0.26 % of the speed.
RTOL = 0.1
TOLERANCES = {"speed_error": {"atol": 0.01}}


def compute(*, names: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """Return every setting with its errors and its speed; NaN where a setting failed."""
    known = contact_sweep.settings()
    chosen = known if names is None else {name: known[name] for name in names}
    n_jobs = -1 if names is None else 1
    return arrays(contact_sweep.frame(chosen, contact_sweep.compute(chosen, n_jobs, progress=names is None)))


def arrays(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return a sweep's table as arrays: `mark` is a place in `MARKED` or -1, integrators and cones are places too."""
    places = {name: k for k, name in enumerate(MARKED)}
    return {
        "mark": np.array([places.get(name, -1) for name in rows["setting"]]),
        "integrator": np.array([list(INTEGRATORS).index(name) for name in rows["integrator"]]),
        "cone": np.array([list(CONES).index(name) for name in rows["cone"]]),
        **{
            name: rows[name].to_numpy(float)
            for name in ("timestep", "force_error", "raw_force_error", "speed_error", "height_error", "real_time")
        },
    }


PANELS = {
    "force_error": "error of 20 ms mean foot forces [%]",
    "raw_force_error": "error of raw foot forces [%]",
    "speed_error": "error of the mean speed [%]",
}


def draw(data, figure):
    """Draw error against speed, a panel for each error, one above the other, with the front."""
    figure.set_size_inches(8.5, 11)
    axes = figure.subplots(len(PANELS), 1, sharex=True)
    for axis, (name, label) in zip(axes, PANELS.items(), strict=True):
        error = 100 * data[name]
        for k, integrator in enumerate(INTEGRATORS):
            for cone, shape in ((1, "o"), (0, "^")):
                chosen = (data["integrator"] == k) & (data["cone"] == cone)
                words = f"{integrator}, {list(CONES)[cone]}" if chosen.any() else None
                axis.plot(data["real_time"][chosen], error[chosen], shape, color=f"C{k}", ms=5, alpha=0.6, label=words)
        on = np.flatnonzero(front(data["real_time"], error))
        on = on[np.argsort(data["real_time"][on])]
        axis.step(data["real_time"][on], error[on], where="pre", color="0.3", lw=1, label="front")
        _mark(axis, data, error)
        axis.set(xscale="log", yscale="log", ylabel=label)
        axis.grid(which="both", lw=0.3, alpha=0.5)
        plain_log(axis.xaxis)
        plain_log(axis.yaxis)
    axes[-1].set_xlabel("simulated over processor time, one core")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=10)
    figure.suptitle("MuJoCo against the exact engine: hexapod, walk and run on flat ground", fontsize=12)


def _mark(axis, data: dict[str, np.ndarray], error: np.ndarray) -> None:
    for k, name in enumerate(MARKED):
        for i in np.flatnonzero(data["mark"] == k):
            axis.plot(data["real_time"][i], error[i], "*", color="black", ms=13, zorder=5)
            right = data["real_time"][i] < 100.0  # where there is room for a word
            place = dict(xytext=(10 if right else -10, -4), textcoords="offset points", ha="left" if right else "right")
            paper = dict(facecolor="white", alpha=0.85, edgecolor="none", pad=1.0)
            axis.annotate(name, (data["real_time"][i], error[i]), fontweight="bold", bbox=paper, zorder=6, **place)
