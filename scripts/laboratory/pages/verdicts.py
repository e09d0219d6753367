"""Which gaits walk and which topple, in both engines, over cycle time, sweep angle and duty.

A cell in which an engine cannot go on, or whose gait is impossible, is marked as failed, and the sweep goes on.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarsus.mjcf.presets import find
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, LABELS, Case, Verdict
from tarsus.scripts.library.records import record

PLACE = Place("crossvalidation.md", "verdicts")
PACKAGES = record.PACKAGES
CYCLE_TIMES = (0.5, 0.6, 0.75, 1.0, 1.25, 1.5, 2.0)  # [s]
SWEEP_ANGLES = (0.3, 0.5, 0.75, 1.0, 1.25)  # [rad]
DUTIES = (0.5, 0.6)
SECONDS = 8.0
SIGNS = dict(zip(Verdict, "wwtt!!!", strict=True))  # without a plate nothing holds up a robot that tips: it walks on


def compute(preset: str = "reference", n_jobs: int = -1) -> dict[str, np.ndarray]:
    """Return `verdict`, `ended` [s] and `speed` [m/s] of the gaits, shape (duties, cycle times, sweep angles, 2)."""

    def case(duty: float, cycle_time: float, sweep_angle: float) -> Case:
        gait = {"cycle_time": cycle_time, "slow_time": duty * cycle_time, "sweep_angle": sweep_angle}
        return Case(gait, seconds=SECONDS, plate=False)

    axes, engines = (DUTIES, CYCLE_TIMES, SWEEP_ANGLES), (EXACT, preset)
    return study.grid(case, axes, engines, n_jobs, "verdicts", "verdict", "ended", "speed")


def signs(verdict: np.ndarray) -> np.ndarray:
    """Return the letters of verdicts, of their shape."""
    return np.vectorize(lambda one: SIGNS[Verdict(int(one))])(verdict)


def agreement(verdict: np.ndarray) -> np.ndarray:
    """Return in which cells (..., 2) both engines say the same; a failed cell is no agreement."""
    first, second = np.moveaxis(signs(verdict), -1, 0)
    return (first == second) & (first != "!")


def parts(found: Mapping[str, np.ndarray], preset: str) -> list[Table | str]:
    """Return the grid in letters, and the cells that differ."""
    letters, agrees = signs(found["verdict"]), agreement(found["verdict"])
    made: list[Table | str] = []
    for duty, of_duty, same in zip(DUTIES, letters, agrees, strict=True):
        texts = np.where(same, "{}", "**{}**")
        rows = [
            [f"{t_c:g}", *(form.format("".join(pair)) for form, pair in zip(forms, pairs, strict=True))]
            for t_c, forms, pairs in zip(CYCLE_TIMES, texts, of_duty, strict=True)
        ]
        made.append(Table([f"duty {duty:g}, t_c [s]", *(f"phi_s {angle:g}" for angle in SWEEP_ANGLES)], rows))
    made.append(
        f"Exact, then MuJoCo (preset `{preset}`): w walks for {SECONDS:g} s, t topples, ! failed. The engines agree in "
        f"**{100 * agrees.mean():.1f} %** of {agrees.size} cells."
    )
    if not agrees.all():
        made += ["The others:", "\n".join(_difference(found, cell) for cell in np.argwhere(~agrees))]
    speed = found["speed"][(letters == "w").all(axis=-1)]
    if len(speed):
        off = 100 * np.abs(speed[:, 1] / speed[:, 0] - 1)
        words = f"the mean speeds differ by {np.median(off):.2f} % in the median and {off.max():.2f} % at most."
        made.append(f"Where both walk, {words}")
    return made


def _difference(found: Mapping[str, np.ndarray], cell: np.ndarray) -> str:
    """Return a line for a cell without agreement."""
    duty, t_c, phi_s = (values[k] for values, k in zip((DUTIES, CYCLE_TIMES, SWEEP_ANGLES), cell, strict=True))
    ends = zip(LABELS, *(found[name][tuple(cell)] for name in ("verdict", "ended")), strict=True)
    words = (f"{label} {Verdict(int(verdict)).name.lower()} ({ended:.2f} s)" for label, verdict, ended in ends)
    return f"* t_c {t_c:g} s, phi_s {phi_s:g} rad, duty {duty:g}: " + "; ".join(words)


def check(preset: str, **_) -> None:
    """Refuse a preset that there is not.

    Raises:
        ValueError: The sentence says which there are.
    """
    find(preset)


def tables(preset: str = "reference", jobs: Jobs = -1) -> Page:
    """Return the grid.

    Args:
        preset: MuJoCo's settings.
        jobs: Processes; -1 takes every core.
    """
    return Page(*parts(compute(preset, jobs), preset))
