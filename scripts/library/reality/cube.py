"""The cube's tosses in one engine: contact fitted on one half of them, scored on the other."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product

import numpy as np

from . import tosses as measured
from .rollouts import CubeContact, Rollout
from .tosses import METRICS, Convention, Toss

Simulate = Callable[[Sequence[Toss], Convention, CubeContact], Sequence[Rollout]]

UNTUNED = CubeContact(friction=0.18)  # as published with the data
# The grid: friction first, then restitution, then the radius of the corners, each with the best of those before.
FRICTIONS = (0.12, 0.15, 0.18, 0.21, 0.24)
RESTITUTIONS = (0.125, 0.25)
CORNER_RADII = (4e-3,)  # [m]
# For a model that is cheap enough, all combinations about what others choose.
ALL = tuple(
    CubeContact(*values) for values in product((0.16, 0.17, 0.18, 0.19, 0.2), (0.0, 0.1, 0.2, 0.3), (0.0, 4e-3))
)
FRAMES = 90  # of the curve of errors over time since contact: most tosses are as long


@dataclass(frozen=True)
class Scores:
    """What tosses came to."""

    contact: CubeContact
    numbers: np.ndarray  # of the tosses, shape (n,)
    errors: np.ndarray  # by `METRICS`, NaN where there is no rollout, shape (n, 5)
    curve: np.ndarray  # mean distance [%] and angle [deg] at the frames since contact, shape (2, FRAMES)
    cost: float  # median of processor time over simulated time
    why: dict[str, int]  # why there is no rollout, and of how many

    @property
    def loss(self) -> float:
        """What a fit makes least: both errors over what engines reach; infinite if a toss has none."""
        position, rotation = self.errors[:, :2].mean(0)
        return float(position / 13 + rotation / 17) if np.isfinite(self.errors).all() else np.inf


def score(simulate: Simulate, tosses: Sequence[Toss], convention: Convention, contact: CubeContact) -> Scores:
    rollouts = simulate(tosses, convention, contact)
    errors = np.full((len(tosses), len(METRICS)), np.nan)
    curves = np.full((len(tosses), 2, FRAMES), np.nan)
    why: dict[str, int] = {}
    for row, lines, toss, rollout in zip(errors, curves, tosses, rollouts, strict=True):
        if rollout.why:
            why[rollout.why] = why.get(rollout.why, 0) + 1
        else:
            row[:] = measured.errors(toss, rollout.position, rollout.quaternion)
            touched = np.array(measured.curves(toss, rollout.position, rollout.quaternion))[:, toss.flight :][
                :, :FRAMES
            ]
            lines[:, : touched.shape[1]] = touched
    costs = [rollout.cost for rollout in rollouts if np.isfinite(rollout.cost)]
    numbers = np.array([toss.number for toss in tosses])
    seen = np.isfinite(curves).any(0)
    curve = np.where(seen, np.nansum(curves, 0) / np.maximum(np.isfinite(curves).sum(0), 1), np.nan)
    return Scores(contact, numbers, errors, curve, float(np.median(costs)) if costs else np.nan, why)


def fit(
    simulate: Simulate, tosses: Sequence[Toss], convention: Convention, grid: Sequence[CubeContact] = ()
) -> list[Scores]:
    """Return the scores of the grid, the best last, of tosses that a fit may see; else ValueError.

    The grid has all contacts to try; by default one number after the other.
    """
    if any(toss.held_out for toss in tosses):
        raise ValueError("a fit must not see tosses that are held out")
    first = grid or [replace(UNTUNED, friction=mu) for mu in FRICTIONS]
    tried = [score(simulate, tosses, convention, contact) for contact in first]
    for name, values in () if grid else (("restitution", RESTITUTIONS), ("corner_radius", CORNER_RADII)):
        best = min(tried, key=lambda one: one.loss).contact
        tried += [score(simulate, tosses, convention, replace(best, **{name: value})) for value in values]
    return sorted(tried, key=lambda one: -one.loss)


def study(
    simulate: Simulate,
    convention: Convention,
    every: int = 1,
    limit: int | None = None,
    grid: Sequence[CubeContact] = (),
) -> dict:
    """Return the results of an engine's setting in a convention, as its file holds them; see `offering.study`."""
    tosses = measured.read(convention)
    held_out = measured.half(tosses, True)[:limit]
    tried = fit(simulate, measured.half(tosses, False)[::every][:limit], convention, grid)
    untuned = score(simulate, held_out, convention, UNTUNED)
    best = tried[-1].contact
    # An engine that runs no toss at all has no best, and its untuned row says why.
    is_known = best == UNTUNED or not np.isfinite(tried[-1].loss)
    tuned = untuned if is_known else score(simulate, held_out, convention, best)
    return {
        "grid": [{**asdict(one.contact), "loss": one.loss if np.isfinite(one.loss) else None} for one in tried],
        "fitted_on": len(tried[-1].numbers),
        "untuned": as_stored(untuned),
        "tuned": as_stored(tuned),
    }


def as_stored(scores: Scores) -> dict:
    """Return scores as a file holds them; there is no number where there is no rollout."""
    return {
        "contact": asdict(scores.contact),
        "cost": None if np.isnan(scores.cost) else scores.cost,
        "why": scores.why,
        "tosses": scores.numbers.tolist(),
        "errors": _rounded(scores.errors),
        "curve": _rounded(scores.curve),
    }


def _rounded(rows: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(x) else round(float(x), 3) for x in row] for row in rows]


def from_stored(stored: dict) -> Scores:
    cost = np.nan if stored["cost"] is None else stored["cost"]
    errors, curve = (np.array(stored[name], float) for name in ("errors", "curve"))
    return Scores(CubeContact(**stored["contact"]), np.array(stored["tosses"]), errors, curve, cost, stored["why"])
