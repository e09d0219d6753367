"""The table of docs/robot.md of pronks held by feedback from nine numbers of the body, pushed in both engines.

Verdicts, multipliers and pushes are those of `tarsus stability`: of the stride map in the exact engine, alone and held,
and of the held gait in MuJoCo.

Usage: tarsus page rhex_held [--trials 64] [--jobs 2] [--write]. Runtime: a quarter of an hour of one core; parts are
kept in docs/data/rhex_held until the page is whole, and a command that was stopped goes on there.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import rhex_held
from tarsus.scripts.library.base import parallel, stamp
from tarsus.scripts.library.records import record
from tarsus.scripts.library.stability import margins, shown, single
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.survival import Settings

PLACE = Place("robot.md", "held")
PACKAGES = record.PACKAGES
PARTS = Path(__file__).parents[3] / "docs" / "data" / "rhex_held"
COARSE = Settings(n_sizes=4, halvings=2, checks=1)
HEAD = (
    *("pronk", "speed, exact; MuJoCo [m/s]", "specific resistance with the drive", "by the clock alone", "held"),
    *("pushes survived, exact, {} trials [m/s]", "in MuJoCo, {} trials [m/s]"),
)


def tables(trials: Count = 64, stepped: Count = 16, jobs: Jobs = 1) -> Page:
    """Return the page's table.

    Args:
        trials: Of each size of a push in the exact engine, a multiple of 8.
        stepped: The same in MuJoCo.
        jobs: Processes.
    """
    rows = parallel.each(row, [(name, trials, stepped) for name in rhex_held.CASES], jobs, desc="pronks", leave=False)
    shutil.rmtree(PARTS, ignore_errors=True)
    return Page(Table([*HEAD[:-2], HEAD[-2].format(trials), HEAD[-1].format(stepped)], rows))


def row(name: str, trials: int, stepped: int) -> tuple[str, ...]:
    """Return the row of a gait."""
    rhex = rhex_held.HeldRhex.of(name)
    numbers = zip(rhex.exact_numbers, rhex.mujoco_numbers(), strict=True)
    speed, resistance = ("{:.3f}; {:.3f}".format(*pair) for pair in numbers)
    gaits = {"alone": rhex.gait(name, False), "held": rhex.gait(name), "mujoco": rhex.gait(name, engine="mujoco")}
    found = [single.asked(gaits[of], name, store=PARTS / name / f"{of}.jsonl") for of in ("alone", "held")]
    pushes = [survived(gaits[of], n, PARTS / name / of) for of, n in (("held", trials), ("mujoco", stepped))]
    return (name, speed, resistance, *(": ".join([one.verdict, shown.cells(one)[4]]) for one in found), *pushes)


def survived(gait: Gait, trials: int, folder: Path) -> str:
    """Return the threshold of pushes from all directions, with its interval; trials are kept in a folder."""
    about = {"gait": gait.name, "mark": single.mark(gait), "versions": stamp.versions(*PACKAGES)}
    question = margins.Question(lambda: gait, 0, folder, about, n_trials=trials)
    found = margins.pushed(question, margins.PUSHES, 0.0, np.pi, COARSE).threshold
    assert found is not None
    return found.cell
