"""Pictures of a comparison: the body in both engines with the error below, and every foot's force over its stances."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from tarsus.scripts.library.comparison.compare import BODY, ENGINES, Comparison, forces, smoothed
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import stances, summary
from tarsus.scripts.library.records.record import layout_of

STYLES = {"exact": dict(lw=4.0), "mujoco": dict(lw=1.1)}  # where they agree the one is a line inside the other
COLORS = {"exact": "#9ecae1", "mujoco": "#d95f02"}
LABELS = {"exact": "exact", "mujoco": "MuJoCo"}
SCALES = {"m": (1e3, "mm"), "rad": (1e3, "mrad"), "m/s": (1.0, "m/s")}


def draw_body(exact: Run, mujoco: Run, comparison: Comparison) -> Figure:
    """Return the figure of what the body does, a row a quantity: both engines left, their difference right."""
    names = layout_of(exact.record.attrs["robot"]).shown
    figure = Figure(figsize=(13, 2.2 * len(names)), layout="constrained")
    axes = figure.subplots(len(names), 2, sharex="col")
    n = min(trial.record.sizes["time"] for trial in (exact, mujoco))
    records = {"exact": exact.record.isel(time=slice(n)), "mujoco": mujoco.record.isel(time=slice(n))}
    time = records["exact"]["time"].values
    for (left, right), name in zip(axes, names, strict=True):
        unit, read = BODY[name]
        scale, shown = SCALES[unit]
        values = {engine: scale * read(record) for engine, record in records.items()}
        for engine in ENGINES:
            left.plot(time, values[engine], color=COLORS[engine], label=LABELS[engine], **STYLES[engine])
        right.plot(time, values["mujoco"] - values["exact"], color="0.2", lw=0.8)
        right.axvspan(comparison.window.start, comparison.window.stop, color="0.93", lw=0)
        left.set(ylabel=f"{name} [{shown}]", xlim=(time[0], time[-1]))
        right.set(xlim=(time[0], time[-1]))
    axes[0, 0].legend(loc="upper right", fontsize=8)
    axes[0, 1].set_title("MuJoCo minus exact; grey: where errors are taken", fontsize=10)
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    return figure


def draw_feet(exact: Run, mujoco: Run, comparison: Comparison) -> Figure:
    """Return the figure of the last stride: each foot's normal force, raw and smoothed, above its stances."""
    over = comparison.window
    start, stop = over.stop - over.period, over.stop
    n_legs = len(exact.stances)
    figure = Figure(figsize=(13, 1.0 + 1.7 * n_legs), layout="constrained")
    axes = np.atleast_1d(figure.subplots(n_legs, 1, sharex=True, sharey=True))
    top = max(
        1.15
        * max(
            np.percentile(forces(trial.record, trial.record["foot_force"].values)[0], 99.5) for trial in (exact, mujoco)
        ),
        1.0,
    )
    for engine, trial in zip(ENGINES, (exact, mujoco), strict=True):
        time = trial.record["time"].values
        rows = (time >= start) & (time <= stop)
        normal = forces(trial.record, trial.record["foot_force"].values)[0]
        smooth = smoothed(forces(trial.record, summary.foot_force(trial.record))[0], time[1] - time[0])
        base = -0.05 * top if engine == "exact" else -0.1 * top
        for leg, axis in enumerate(axes):
            axis.plot(time[rows], normal[rows, leg], color=COLORS[engine], lw=0.5, alpha=0.5)
            axis.plot(time[rows], smooth[rows, leg], color=COLORS[engine], label=LABELS[engine], **STYLES[engine])
            for begin, end in np.clip(stances.debounce(trial.stances[leg]), start, stop):
                axis.plot([begin, end], [base, base], color=COLORS[engine], lw=4, solid_capstyle="butt")
    for leg, axis in enumerate(axes):
        axis.set(ylabel=f"foot {comparison.feet[leg]} [N]", xlim=(start, stop), ylim=(-0.15 * top, top))
    axes[0].legend(loc="upper right", fontsize=8)
    axes[0].set_title("normal force on each foot, thin: raw, thick: 20 ms mean; bars: stances", fontsize=10)
    axes[-1].set_xlabel("time [s]")
    return figure
