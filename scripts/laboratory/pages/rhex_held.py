"""The table of docs/robot.md of pronks held by feedback from nine numbers of the body, pushed in both engines.

Verdicts and multipliers are those of `tarsus stability` for the stride map in the exact engine, alone and held.

Usage: tarsus page rhex_held [--pushes 20] [--write]. Runtime: seven minutes of one core.
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import rhex_held
from tarsus.scripts.library.records import record
from tarsus.scripts.library.stability import shown, single

PLACE = Place("robot.md", "held")
PACKAGES = record.PACKAGES
STRIDES = 15
HEAD = (
    *("pronk", "speed, exact; MuJoCo [m/s]", "specific resistance with the drive", "by the clock alone", "held"),
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
    found = [single.asked(rhex.gait(name, is_held), name) for is_held in (False, True)]
    exact, stepped = (np.array([run(push, STRIDES) for push in drawn]) for run in (rhex.in_exact, rhex.in_mujoco))
    return (
        name, speed, resistance, *(": ".join(shown.cells(one)[2:4]) for one in found),
        f"{strongest[0]:.3g} m/s, {strongest[3]:.3g} rad/s", survived(exact), survived(stepped),
        f"{np.nanmax(exact[:, -1]):.1e}; {np.nanmax(stepped[:, -1]):.1e}",
    )  # fmt: skip


def survived(distances: np.ndarray) -> str:
    """Return the number of walks that did not fall, from distances to the gait (walks, strides)."""
    return f"{np.isfinite(distances[:, -1]).sum()} of {len(distances)}"
