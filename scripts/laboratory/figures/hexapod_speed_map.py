"""Forward speed over cycle time and sweep angle, in both engines, for two duty factors.

After figure 6 of the hexapod report.
Runtime: about 90 s of processor time (60 runs of at least 6 s), with --fineness 2 four times as long.
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, LABELS, Case, Fineness, PresetName, Verdict
from tarsus.scripts.laboratory.studies.study_plots import grid_map
from tarsus.scripts.library.base.stamp import markdown_table

GOLDEN = dict(jobs=1, cycle_times=(0.5, 1.0), sweep_angles=(0.75,), duties=(0.6, 1.2), seconds=5.0)
ROBOT_SPEED = 0.53  # of the first RHex (Saranli, Buehler and Koditschek 2000) [m/s]


def compute(
    fineness: Fineness = 1,
    preset: PresetName = "reference",
    jobs: Jobs = -1,
    *,
    cycle_times=(0.4, 0.5, 0.75, 1.0, 1.5),  # t_c [s]
    sweep_angles=(np.pi / 10, 0.75, 1.1),  # phi_s [rad]
    duties=(0.5, 0.6),  # t_s / t_c: the report shares the cycle equally; the manual's default gait has 0.6
    seconds: float = 6.0,
) -> dict[str, np.ndarray]:
    """Return speeds [m/s] and verdicts, shape (n_duties, n_cycle_times, n_sweep_angles, 2 engines)."""
    t_c, phi_s = study.refine(cycle_times, fineness), study.refine(sweep_angles, fineness)

    def case(duty, period, angle):
        gait = dict(cycle_time=period, slow_time=duty * period, sweep_angle=angle)
        return Case(gait, seconds=max(seconds, 6 * period))

    data = {"cycle_time": t_c, "sweep_angle": phi_s, "duty": np.array(duties)}
    grid = case, (duties, t_c, phi_s), (EXACT, preset), jobs, "speed map"
    return data | study.grid(*grid, "speed", "verdict", "ended")


def draw(data, figure):
    """Draw both maps and their difference, a row per duty factor."""
    n = len(data["duty"])
    figure.set_size_inches(13, 3.6 * n)
    axes = figure.subplots(n, 3, squeeze=False)
    places, most = (data["cycle_time"], data["sweep_angle"]), np.nanmax(np.abs(data["speed"]))
    for row, speed, verdict, duty in zip(axes, data["speed"], data["verdict"], data["duty"], strict=True):
        for engine, label in enumerate(LABELS):
            image = grid_map(row[engine], speed[..., engine], verdict[..., engine], *places, vmin=0, vmax=most)
            row[engine].set(title=f"{label}, duty {duty:g}: speed [m/s]")
        off = 100 * (speed[..., 1] / speed[..., 0] - 1)
        other = grid_map(row[2], off, verdict.max(-1), *places, "{:+.1f}", vmin=-1, vmax=1, cmap="PuOr")
        row[2].set(title="MuJoCo against exact [%]")
        figure.colorbar(image, ax=row[:2])
        figure.colorbar(other, ax=row[2], extend="both")
    for axis in axes.ravel():
        axis.set(xlabel="sweep angle phi_s [rad]", ylabel="cycle time t_c [s]")


def table(data) -> str:
    """Return the maps in words, Markdown."""
    rows = []
    for k, duty in enumerate(data["duty"]):
        speed, verdict = data["speed"][k], data["verdict"][k]
        walks = (verdict == Verdict.WALKS).all(-1)
        same = np.mean((verdict[..., 0] == Verdict.WALKS) == (verdict[..., 1] == Verdict.WALKS))
        lines = [(f"cells, {label}", study.count(verdict[..., engine])) for engine, label in enumerate(LABELS)]
        lines.append(("walks in both or in neither", f"{100 * same:.0f} % of {walks.size} cells"))
        if walks.any():
            lines += _of_walks(np.where(walks[..., None], speed, np.nan), data["cycle_time"], data["sweep_angle"])
        rows += [(f"{duty:g}", *line) for line in lines]
    return markdown_table(("duty", "", ""), rows)


def _of_walks(speed: np.ndarray, cycle_time: np.ndarray, sweep_angle: np.ndarray) -> list[tuple[str, str]]:
    """Return lines about the speeds of one duty factor, NaN where an engine does not walk."""
    off = 100 * np.abs(speed[..., 1] / speed[..., 0] - 1)
    period, angle = np.unravel_index(np.nanargmax(speed[..., 0]), speed.shape[:2])
    fastest = " / ".join(f"{value:.3f}" for value in speed[period, angle])
    return [
        ("difference of speeds", f"median {np.nanmedian(off):.2f} %, most {np.nanmax(off):.1f} %"),
        (
            "fastest, exact / MuJoCo [m/s]",
            f"{fastest} at t_c {cycle_time[period]:g} s, phi_s {sweep_angle[angle]:.3g} rad",
        ),
    ]
