"""The table of docs/robot.md of the pronk held by feedback from nine numbers of the body, pushed in both engines.

Usage: tarsus page rhex_held [--pushes 20] [--write]. Runtime: two minutes of one core.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.hybrid import feedback
from tarsus.analytic.models.hexapod import held
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import rhex_held
from tarsus.scripts.library.records import record

PLACE = Place("robot.md", "held")
PACKAGES = record.PACKAGES
STRIDES = 15
RETURNED = 1e-3  # largest of the body's scaled numbers in the exact engine


def tables(pushes: Count = 20) -> Page:
    """Return the page's table.

    Args:
        pushes: How many are drawn.
    """
    rhex = rhex_held.HeldRhex.of()
    drawn = rhex_held.pushes(pushes)
    alone = f"{abs(rhex.law.model.multipliers[0]):.3f}"
    exact = returned(held.after_push(rhex.stride, rhex.law, push, STRIDES) for push in drawn)
    stepped = returned((rhex.in_mujoco(push, STRIDES) for push in drawn), rhex_held.BACK)
    rows = [("by the clock alone", alone, "", ""), ("held by nine numbers", f"{largest(rhex.law):.3f}", exact, stepped)]
    return Page(Table(("pronk", "largest multiplier", "pushes survived, exact", "in MuJoCo"), rows))


def largest(law: feedback.Feedback) -> float:
    """Return the modulus of the largest multiplier with feedback."""
    return float(np.abs(law.multipliers[0]))


def returned(walks, near: float = RETURNED) -> str:
    """Return how many walks are back on the gait at their end, and how many fell."""
    walks = list(walks)
    back = sum(not walk.fell and walk.distance[-1] < near for walk in walks)
    fell = sum(walk.fell for walk in walks)
    return f"{back} of {len(walks)} return, {fell} fall"
