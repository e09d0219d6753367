"""Speed against the slope of the ground, in both engines, walking up the y axis and down it.

After figure 9 of the hexapod report. Runtime: about 1 min of processor time (54 runs of 6 s).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tarsus.analytic.terrain import Slope
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, Case, Fineness, PresetName
from tarsus.scripts.laboratory.studies.study_plots import curves
from tarsus.scripts.library.base.stamp import markdown_table

SWEEP_ANGLE = np.pi / 10  # figure 9's, at t_c = 1 s [rad]
GOLDEN = dict(jobs=1, slopes=(0.1,), duties=(0.6,), seconds=5.0)
RTOL = 5e-5  # another processor, or a jiggle by rounding before every step, moves speeds by 4e-8


def compute(
    fineness: Fineness = 1,
    preset: PresetName = "reference",
    jobs: Jobs = -1,
    *,
    slopes=(-0.25, -0.2, -0.15, -0.1, -0.05, 0.0, 0.05, 0.1, 0.15),  # dz/dy
    duties=(0.5, 0.6),
    seconds: float = 6.0,
) -> dict[str, np.ndarray]:
    """Return speeds along the ground [m/s], shape (n_duties, n_slopes, 2 engines); backward only in the exact engine.

    `stance_rate` is the mean speed asked of a hip, weighted by the load on its foot [rad/s].
    """
    slope = study.refine(slopes, fineness)

    def case(heading, duty, rise):
        gait = dict(slow_time=duty, sweep_angle=SWEEP_ANGLE, heading=heading)
        return Case(gait, Slope(0.0, float(rise)), seconds, row_period=study.FINE_ROW_PERIOD)

    axes = duties, slope
    forward = partial(case, "forward"), axes, (EXACT, preset), jobs, "slope"
    backward = partial(case, "backward"), axes, (EXACT,), jobs, "slope, walking towards -y"
    data = {"slope": slope, "duty": np.array(duties)}
    data |= study.grid(*forward, "speed", "stance_rate", "verdict", "ended")
    found = study.grid(*backward, "speed", "verdict")
    return data | {f"backward_{name}": values[..., 0] for name, values in found.items()}


def draw(data, figure):
    """Draw speed against slope, and what the hips do in stance."""
    figure.set_size_inches(11, 4.2)
    left, right = figure.subplots(1, 2)
    for k, duty in enumerate(data["duty"]):
        walks = data["backward_verdict"][k] == 0
        curves(left, data["slope"], data["speed"][k], data["verdict"][k], f"C{k}", f"duty {duty:g}, ")
        speed = np.abs(data["backward_speed"][k][walks])
        left.plot(data["slope"][walks], speed, ":", color=f"C{k}", label=f"duty {duty:g}, towards -y, exact")
        curves(right, data["slope"], data["stance_rate"][k], data["verdict"][k], f"C{k}", f"duty {duty:g}, ")
    left.set(ylabel="speed along the ground [m/s]", title="t_c = 1 s, phi_s = pi/10; a cross does not walk")
    right.set(ylabel="hip speed asked for, weighted by load [rad/s]", title="how much of the fast swing is in stance")
    left.set_ylim(bottom=0)
    for axis in (left, right):
        axis.set(xlabel="slope dz/dy (for a walk towards +y, positive is uphill)")
    left.legend(fontsize=7, ncols=2, loc="lower right")


def table(data) -> str:
    """Return speeds by slope, Markdown: those of both engines in a cell."""
    head = ["slope dz/dy"]
    for duty in data["duty"]:
        head += [f"duty {duty:g}: exact, MuJoCo [m/s]", "towards -y, exact", "hips in stance, exact [rad/s]"]
    rows = []
    for i, slope in enumerate(data["slope"]):
        row = [f"{slope:+.2f}"]
        for k in range(len(data["duty"])):
            row.append(", ".join(study.numbers(data["speed"][k, i], data["verdict"][k, i], "{:.3f}")))
            row += [study.number(data["backward_speed"][k, i], data["backward_verdict"][k, i], "{:.3f}")]
            row += [study.number(data["stance_rate"][k, i, 0], data["verdict"][k, i, 0], "{:.2f}")]
        rows.append(row)
    return markdown_table(head, rows)
