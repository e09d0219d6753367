"""The table of docs/robot.md of stairs: how many of ten steps RHex climbs on straight and on half-circle legs.

Usage: tarsus page rhex_climbs [--starts 8] [--jobs 1] [--write]. Runtime: two minutes of one core.
"""

from __future__ import annotations

import numpy as np

from tarsus.controllers import clock_gaits
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies.rhex_climbs import STEPS, StairClimb, climb
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.records import record

PLACE = Place("robot.md", "climbs")
PACKAGES = record.PACKAGES
CASES = (  # legs, gait, rises [m]
    ("toes", "rhex-stairs", (0.09, 0.11, 0.15)),
    ("half-circle", "rhex-climb", (0.15, 0.16, 0.17, 0.18)),
    ("half-circle", "rhex-climb-18", (0.15, 0.17, 0.18)),
)


def tables(starts: Count = 8, jobs: Jobs = -1) -> Page:
    """Return the page's table.

    Args:
        starts: For each rise.
        jobs: Processes.
    """
    keys = [(legs, gait, rise) for legs, gait, rises in CASES for rise in rises]
    cases = [
        (StairClimb(clock_gaits.find(gait), rise, legs), seed) for legs, gait, rise in keys for seed in range(starts)
    ]
    climbs = parallel.each(climb, cases, jobs, unit="climb")
    rows = []
    for i, (legs, gait, rise) in enumerate(keys):
        made = climbs[i * starts : (i + 1) * starts]
        whole = sum(one.steps >= STEPS for one in made)
        tilt = max(one.tilt for one in made)
        steps = f"{min(one.steps for one in made):.1f} to {max(one.steps for one in made):.1f}"
        rows.append((legs, f"`{gait}`", f"{100 * rise:.0f}", f"{whole} of {starts}", steps, f"{np.degrees(tilt):.0f}"))
    head = ("legs", "gait", "rise [cm]", f"starts that climb all {STEPS} steps", "steps", "largest tilt [degrees]")
    return Page(Table(head, rows))
