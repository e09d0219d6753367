"""Battery life against the slope of the ground, in both engines, by the three bookkeepings of the documents.

After figure 10 of the hexapod report. Runtime: about 1 min of processor time (30 runs of 6 s).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.battery import BOOKKEEPINGS
from tarsus.analytic.terrain import Slope
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, Case, Fineness, PresetName, Verdict
from tarsus.scripts.laboratory.studies.study_plots import curves
from tarsus.scripts.library.base.stamp import markdown_table

GAITS = {  # arguments of TripodGait
    "t_c 1 s, phi_s pi/10, duty 0.5": dict(slow_time=0.5, sweep_angle=np.pi / 10),  # figure 9's
    "t_c 1 s, phi_s 0.75, duty 0.6": dict(),  # the manual's default
    "t_c 0.5 s, phi_s 0.75, duty 0.6": dict(cycle_time=0.5, slow_time=0.3),  # as fast as the first RHex
}
REPORTED = 45.0  # "up to" in the report [min]
ROBOT = 15.0  # of the first RHex, running at about 0.53 m/s (Saranli, Buehler and Koditschek 2000) [min]
GOLDEN = dict(jobs=1, slopes=(0.1,), gaits=dict(default={}), seconds=5.0)
RTOL = 1e-3  # another processor moves currents, which are read every millisecond, by 1e-6


def compute(
    fineness: Fineness = 1,
    preset: PresetName = "reference",
    jobs: Jobs = -1,
    *,
    slopes=(-0.2, -0.1, 0.0, 0.1, 0.2),  # dz/dy
    gaits=GAITS,
    seconds: float = 6.0,
) -> dict[str, np.ndarray]:
    """Return battery lives [min] by bookkeeping, and speeds [m/s], shape (n_gaits, n_slopes, 2 engines)."""
    slope = study.refine(slopes, fineness)

    def case(gait, rise):
        return Case(gait, Slope(0.0, float(rise)), seconds, row_period=study.FINE_ROW_PERIOD)

    grid = case, (gaits.values(), slope), (EXACT, preset), jobs, "battery"
    found = study.grid(*grid, *BOOKKEEPINGS, "speed", "cot", "verdict", "ended")
    return {"slope": slope} | found | {name: found[name] / 60 for name in BOOKKEEPINGS}


def draw(data, figure):
    """Draw battery life against slope, a panel per gait."""
    n = data["speed"].shape[0]
    figure.set_size_inches(4.6 * n, 4.4)
    axes = figure.subplots(1, n, sharey=True, squeeze=False)
    for k, (axis, name) in enumerate(zip(axes[0], GAITS, strict=False)):
        for colour, bookkeeping in enumerate(BOOKKEEPINGS):
            curves(axis, data["slope"], data[bookkeeping][k], data["verdict"][k], f"C{colour}", f"{bookkeeping}, ")
        axis.axhline(REPORTED, color="0.5", lw=1, ls="-.", label="report: up to 45 min")
        axis.set(title=name, xlabel="slope dz/dy, uphill is positive", yscale="log", ylim=(2, 300))
        axis.set_yticks([2, 5, 10, 15, 20, 45, 100, 200], ["2", "5", "10", "15", "20", "45", "100", "200"])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0, -1].plot(0.0, ROBOT, "k*", ms=12, label="RHex: about 15 min")
    axes[0, -1].plot([], [], "kx", label="does not walk")
    axes[0, 0].set(ylabel="battery life, 2.2 A h [min]")
    axes[0, -1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))


def table(data) -> str:
    """Return battery lives by slope in the exact engine, and how far MuJoCo's are from them, Markdown."""
    head = ["gait", "slope", "speed [m/s]", *(f"{name} [min]" for name in BOOKKEEPINGS)]
    rows, forms = [], {"speed": "{:.3f}"} | dict.fromkeys(BOOKKEEPINGS, "{:.1f}")
    for k, gait in enumerate(list(GAITS)[: len(data["speed"])]):
        for i, slope in enumerate(data["slope"]):
            cells = [study.number(data[name][k, i, 0], data["verdict"][k, i, 0], form) for name, form in forms.items()]
            rows.append((gait, f"{slope:+.2f}", *cells))
    walks = (data["verdict"] == Verdict.WALKS).all(-1)
    off = [100 * np.abs(data[name][walks][:, 1] / data[name][walks][:, 0] - 1).max() for name in forms]
    said = f"MuJoCo differs by {off[0]:.1f} % in speed and {max(off[1:]):.1f} % in battery life at most."
    return f"{markdown_table(head, rows)}\n\n{said}"
