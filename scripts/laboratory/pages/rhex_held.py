"""The table of docs/robot.md of pronks held by feedback from nine numbers of the body, pushed in both engines.

Multipliers have the digits on which derivatives by steps from a quarter to four times the usual one agree, two at most.

Usage: tarsus page rhex_held [--pushes 20] [--write]. Runtime: seven minutes of one core.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.analytic.hybrid import feedback
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.models import held
from tarsus.scripts.laboratory.studies import rhex_held
from tarsus.scripts.library.records import record

PLACE = Place("robot.md", "held")
PACKAGES = record.PACKAGES
STRIDES = 15
STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of differences, in the usual one
HEAD = (
    *("pronk", "speed, exact; MuJoCo [m/s]", "specific resistance with the drive", "largest multiplier, alone; held"),
    *("pushes to", "survived, exact", "in MuJoCo", "farthest from the gait, exact; MuJoCo"),
)


def tables(pushes: Count = 20) -> Page:
    """Return the page's table.

    Args:
        pushes: How many are drawn.
    """
    return Page(Table(HEAD, [row(name, case, pushes) for name, case in rhex_held.CASES.items()]))


def row(name: str, case: rhex_held.HeldGaitCase, n: int) -> tuple[str, ...]:
    """Return the row of a gait and n pushes."""
    rhex, drawn = rhex_held.HeldRhex.of(name), rhex_held.pushes(n, share=case.push)
    numbers = zip(rhex.exact_numbers, rhex.mujoco_numbers(), strict=True)
    speed, resistance = ("{:.3f}; {:.3f}".format(*pair) for pair in numbers)
    strongest = case.push * rhex_held.PUSH
    exact = [held.after_push(rhex.stride, rhex.law, push, STRIDES) for push in drawn]
    stepped = [rhex.in_mujoco(push, STRIDES) for push in drawn]
    return (
        name, speed, resistance, "; ".join(agreed(largest) for largest in multipliers(rhex)),
        f"{strongest[0]:.3g} m/s, {strongest[3]:.3g} rad/s", survived(exact), survived(stepped),
        f"{farthest(exact):.1e}; {farthest(stepped):.1e}",
    )  # fmt: skip


def multipliers(rhex: rhex_held.HeldRhex) -> np.ndarray:
    """Return the largest modulus of a multiplier, alone and held, by derivatives of several steps, shape (2, n)."""
    law = rhex.law
    models = [held.differences(rhex.stride, law.model.z, factor * held.STEP) for factor in STEPS]
    laws = [replace(law, model=model) for model in models]
    return np.array([[abs(model.multipliers[0]) for model in models], [largest(law) for law in laws]])


def agreed(values: np.ndarray) -> str:
    """Return numbers as one, with two digits behind the point if all have the same; else as a range, with one.

    Where feet land within a step of one another a map has kinks, and its derivative depends on the step.
    """
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{min(values):.1f} to {max(values):.1f}"


def largest(law: feedback.Feedback) -> float:
    """Return the modulus of the largest multiplier with feedback."""
    return float(np.abs(law.multipliers[0]))


def survived(walks: list[held.PushedWalk]) -> str:
    """Return how many walks did not fall."""
    return f"{sum(not walk.fell for walk in walks)} of {len(walks)}"


def farthest(walks: list[held.PushedWalk]) -> float:
    """Return the largest distance from the gait at the end of a walk that did not fall."""
    return max((float(walk.distance[-1]) for walk in walks if not walk.fell), default=float("nan"))
