"""The table of docs/robot.md of what RHex could do: gaits that a search found, in both engines.

Usage: tarsus page rhex_found [--jobs 1] [--write]. Runtime: a minute of one core.
"""

from __future__ import annotations

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.controllers.clock_gaits import RHEX_FOUND
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place
from tarsus.scripts.laboratory.pages.robot import walks_table
from tarsus.scripts.laboratory.studies.rhex_walks import ENGINES, RhexWalk, measure
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.records import record

PLACE = Place("robot.md", "found")
PACKAGES = record.PACKAGES
ROBOT = HexapodParams.rhex("drive")  # what the real robot's motors and drives could give


def tables(jobs: Jobs = -1) -> Page:
    """Return the page's table."""
    keys = [("found", name, engine) for name in RHEX_FOUND for engine in ENGINES]
    cases = [(RhexWalk(RHEX_FOUND[name], ROBOT), engine) for _, name, engine in keys]
    made = dict(zip(keys, parallel.each(measure, cases, jobs, unit="run"), strict=True))
    return Page(walks_table(made, "found", "gait", ""))
