"""The table of docs/robot.md of what RHex could do: gaits that a search found, in both engines.

Usage: tarsus page rhex_found [--jobs 1] [--write]. Runtime: a minute of one core.
"""

from __future__ import annotations

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.controllers.clock_gaits import RHEX_FOUND, RHEX_NOT_FROM_REST
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place
from tarsus.scripts.laboratory.pages.robot import walks_table
from tarsus.scripts.laboratory.studies.rhex_walks import ENGINES, RhexWalk, after_run_up, measure
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.records import record

PLACE = Place("robot.md", "found")
PACKAGES = record.PACKAGES
ROBOT = HexapodParams.rhex("drive")  # what the real robot's motors and drives could give


def tables(jobs: Jobs = -1) -> Page:
    """Return the page's table."""
    walks = {name: RhexWalk(gait, ROBOT) for name, gait in RHEX_FOUND.items()}
    walks["rhex-sprint"] = after_run_up(RHEX_NOT_FROM_REST["rhex-sprint"], ROBOT)
    keys = [("found", name, engine) for name in walks for engine in ENGINES]
    cases = [(walks[name], engine) for _, name, engine in keys]
    made = dict(zip(keys, parallel.each(measure, cases, jobs, unit="run"), strict=True))
    return Page(walks_table(made, "found", "gait", ""))
