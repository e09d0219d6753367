"""How far tosses are from themselves when they start with the tracking's noise: no model can be known to be nearer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.scripts.laboratory.reality import rotations
from tarsus.scripts.library.reality import cube, tosses
from tarsus.scripts.library.reality.tosses import RATE, Convention, Toss

NOISE = np.array([5e-5, 5e-5, 2e-5])  # of a tracked position in flight, standard deviation [m]
TURN_NOISE = 4e-4  # of a tracked rotation about any axis [rad]


def shaken(toss: Toss, rng: np.random.Generator) -> Toss:
    """Return a toss whose start is off by what the tracking's noise may have made of it.

    At the last of n frames a fitted line is off by 2 / sqrt(n) times their noise, its slope by sqrt(12 / n^3) times
    their noise and rate; a difference of two frames by sqrt(2) times noise and rate.
    """
    n = toss.seen
    place, slope = (2.0 / np.sqrt(n), RATE * np.sqrt(12.0 / n**3)) if n > 1 else (1.0, RATE * np.sqrt(2.0))
    start, draw = toss.start.copy(), rng.standard_normal((4, 3))
    start[:3] += place * NOISE * draw[0]
    turn = rotations.exponential(place * TURN_NOISE * draw[1])
    start[3:7] = rotations.product(turn, start[3:7])
    start[7:10] += slope * NOISE * draw[2]
    start[10:13] += slope * TURN_NOISE * draw[3]
    return replace(toss, start=start)


def floor(convention: Convention, simulate: cube.Simulate, seed: int = 0) -> cube.Scores:
    """Return the error of one model against itself, from starts perturbed by the tracking's noise."""
    rng = np.random.default_rng(seed)
    held_out = tosses.half(tosses.read(convention), True)
    itself = [
        replace(shaken(toss, rng), position=made.position, quaternion=made.quaternion)
        for toss, made in zip(held_out, simulate(held_out, convention, cube.UNTUNED), strict=True)
    ]
    return cube.score(simulate, itself, convention, cube.UNTUNED)
