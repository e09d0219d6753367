"""Recovery from pushes: which velocities the robot survives, at its start and during its walk, in both engines.

After section 5.2 of the hexapod report.
Runtime: about 2 min of processor time (96 runs of up to 3 s); --fineness 2 refines the headings only.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod.state import toes_of
from tarsus.analytic.terrain import Flat
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, LABELS, Case, Fineness, PresetName, Verdict
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment

SITUATIONS = ("at the start, at rest", "in steady walk")  # both at mid-stance of tripod A, default gait
STRIDES = 6  # walked before the push
GOLDEN = dict(jobs=1, n_headings=1, speeds=(0.5,), seconds=2.0)
SUNK = 1e-7  # a sliding toe's height is integrated, and rounding moves it off the ground by less [m]


def walking() -> np.ndarray:
    """Return the state of the default walk at the end of a stride, shape (52,)."""
    x = exact.run(HexapodExperiment(study.PARAMS, TripodGait(), Flat()), STRIDES * TripodGait().cycle_time).x[-1].copy()
    heights = toes_of(x)[0][:, 2]  # a view of x
    heights[np.abs(heights) < SUNK] = 0.0
    return x


def push(heading: float, speed: float) -> tuple[float, float]:
    """Return the velocity along x (right) and y (forward) of a push, whose heading counts from forward to the left."""
    return -speed * np.sin(heading), speed * np.cos(heading)


def compute(
    fineness: Fineness = 1,
    preset: PresetName = "reference",
    jobs: Jobs = -1,
    *,
    n_headings: int = 12,
    speeds=(0.7, 1.0),  # given to the body [m/s]
    seconds: float = 3.0,  # a robot that falls has fallen within two
) -> dict[str, np.ndarray]:
    """Return verdicts of shape (2 situations, n_headings, n_speeds, 2 engines); heading 0 is forward, pi/2 left."""
    headings = np.arange(n_headings * fineness) * 2 * np.pi / (n_headings * fineness)

    def case(x0, heading, speed):
        return Case(seconds=seconds, push=push(heading, speed), x0=x0)

    axes = (None, walking()), headings, speeds
    found = study.grid(case, axes, (EXACT, preset), jobs, "pushes", "verdict", "ended")
    return {"heading": headings, "speed": np.array(speeds)} | found


COLOURS = dict(zip(Verdict, ("C2", "C8", "C3", "C5", "C4", "k", "0.6"), strict=True))


def draw(data, figure):
    """Draw a polar map of verdicts per situation and engine; up is forward."""
    from matplotlib.lines import Line2D

    figure.set_size_inches(8.5, 8.5)
    axes = figure.subplots(2, 2, subplot_kw={"projection": "polar", "theta_offset": np.pi / 2})
    seen = sorted({Verdict(int(v)) for v in data["verdict"].ravel()})
    for i, situation in enumerate(SITUATIONS):
        for j, label in enumerate(LABELS):
            axis, verdicts = axes[i, j], data["verdict"][i, ..., j]
            for (h, s), verdict in np.ndenumerate(verdicts):
                colour = COLOURS[Verdict(int(verdict))]
                axis.plot(data["heading"][h], data["speed"][s], "o", color=colour, ms=9)
            axis.set(title=f"pushed {situation}, {label}", rlim=(0, 1.15 * data["speed"].max()))
            axis.set_rgrids(data["speed"], [f"{speed:g} m/s" for speed in data["speed"]], angle=105)
            axis.set_thetagrids([0, 90, 180, 270], ["forward", "left", "backward", "right"])
            axis.tick_params(labelsize=8)
    marks = [Line2D([], [], ls="", marker="o", ms=9, color=COLOURS[v]) for v in seen]
    figure.legend(marks, [v.name.lower() for v in seen], loc="outside lower center", ncols=len(seen))


def table(data) -> str:
    """Return the number of headings that are survived by speed, Markdown."""
    head, rows = ["push", "speed [m/s]", *(f"{label}: survives" for label in LABELS), "same in both"], []
    for i, situation in enumerate(SITUATIONS):
        for s, speed in enumerate(data["speed"]):
            verdicts = data["verdict"][i, :, s]
            row = [
                f"{np.sum(verdicts[:, j] == Verdict.WALKS)} of {len(verdicts)} ({study.count(verdicts[:, j])})"
                for j in (0, 1)
            ]
            same = np.sum((verdicts[:, 0] == Verdict.WALKS) == (verdicts[:, 1] == Verdict.WALKS))
            rows.append((situation, f"{speed:g}", *row, f"{same} of {len(verdicts)}"))
    return markdown_table(head, rows)
