"""The table of docs/multipods.md: multipods and BigANT walk, and their feet carry the weight.

Usage: tarsus page walkers [--legs 4 6 ... 50] [--presets rl] [--seconds 30] [--robot multipod].
Runtime: CPU seconds grow from 1 to 33 with the legs in the preset rl, ten times as many in reference.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from tqdm import tqdm

from tarsus.mjcf.presets import find
from tarsus.scripts.command.signature import Count, Seconds
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.library.machines.multipod_mujoco import ROBOTS, Walking, walk

PACKAGES = ("tarsus", "mujoco", "numpy")
SETTLE = 2.0  # [s]; speeds and loads are those of the whole strides after it
HEAD = ("robot", "legs", "preset", "time [s]", "speed [m/s]", "largest tilt [degrees]", "load [%]", "end")


def walking_of(robot: str, n_legs: int | None, preset: str) -> Walking:
    """Return a robot of so many legs, or of its own number, under its own gait."""
    machine = ROBOTS[robot]
    params = machine.params(n_legs=n_legs) if n_legs else machine.params()
    return Walking(robot, params, machine.gait(params), preset=preset)


def check(robot: str, legs: tuple[int, ...], presets: tuple[str, ...], seconds: float) -> None:
    """Refuse walks that cannot be begun, or are too short for a speed.

    Raises:
        ValueError: The sentence says why.
    """
    for preset in presets:
        find(preset)
        for n_legs in sizes(robot, legs):
            period = walking_of(robot, n_legs, preset).gait.period
            if seconds < SETTLE + period:
                raise ValueError(f"a speed needs a whole stride of {period:.3g} s after the first {SETTLE:g} s")


def sizes(robot: str, legs: tuple[int, ...]) -> tuple[int | None, ...]:
    """Return the numbers of legs that a robot walks with; None is its own."""
    return (None,) if robot == "bigant" else legs


def row(robot: str, n_legs: int | None, preset: str, seconds: float) -> tuple:
    """Return a row of the table: one walk. `load` is by how much a stride's mean of the foot forces is off, at most."""
    walking = walking_of(robot, n_legs, preset)
    found = walk(walking, seconds)
    whole = found.time[-1] >= SETTLE + walking.gait.period  # not if it toppled before
    speed = found.velocity(SETTLE)[0] if whole else np.nan
    end = "MuJoCo warned" if found.warnings else "walks" if found.completed else "toppled"
    load = 100 * np.abs(found.load_of_strides(SETTLE) - 1).max() if whole else np.nan
    tilt = np.rad2deg(found.tilt.max())
    return robot, walking.n_legs, f"`{preset}`", f"{seconds:g}", f"{speed:.3f}", f"{tilt:.1f}", f"{load:.3f}", end


def tables(
    robot: Literal[tuple(ROBOTS)] = "multipod",
    legs: tuple[Count, ...] = tuple(range(4, 51, 2)),
    presets: tuple[str, ...] = ("rl",),
    seconds: Seconds = 30.0,
) -> Page:
    """Return the table of a robot's walks.

    Args:
        robot: Which.
        legs: How many; BigANT has six.
        presets: MuJoCo's settings.
        seconds: Of each walk.
    """
    cases = [(robot, n_legs, preset, seconds) for preset in presets for n_legs in sizes(robot, legs)]
    return Page(Table(HEAD, [row(*case) for case in tqdm(cases)]))
