"""When two episodes of the same seed diverge, and which quantity differs first.

The trajectories of a running machine always diverge in the end, because small errors grow with every step. So their
divergence is no evidence against a policy. The quantity that differs first shows in which part of the contact the two
simulations differ. Lengths are relative to the height of the machine's body at the start, 0.2 m for the hexapod.
"""

from dataclasses import dataclass

import numpy as np

from tarsus.scripts.library.certificates.replay import Track
from tarsus.scripts.library.records import stances

DISTANCE = 0.2  # between the bodies, at which the trajectories have diverged [height of the body]
ANGLE = 0.2  # between their orientations, likewise [rad]
DEPTH = 0.005  # by which the feet's depth in the ground, mean since the start, differs [height of the body]
LANDED = 0.2  # a mean depth is over at least that long: a landing toe goes deep for an instant [s]
CREEP = DISTANCE / 4  # by which standing feet slid farther in one [height of the body]
FLICKER = 0.05  # share of the feet's time on the ground so far for which one lost more of it, of whole stances
FLICKERS = 3  # and periods of one foot at least
CAUSES = {
    "plate": "something other than a foot touches the ground in one of the two",
    "missed touchdown": "a foot touches down or lifts off more than a control period apart",
    "flicker": "feet that stand lose contact for a moment, more often in one of the two",
    "penetration": "standing feet are on average deeper in the ground in one of the two",
    "creep": "standing feet slide, though within their cones of friction, farther in one of the two",
}
NONE = "none of these"


@dataclass(frozen=True)
class Divergence:
    """Where an episode leaves that of the same seed in the base preset."""

    time: float  # when [s]; infinite if never
    cause: str  # one of `CAUSES` that came first, `NONE`, or "" if they did not diverge
    first: dict[str, float]  # when each of `CAUSES` first held until then [s]; infinite if it did not


def between(base: Track, other: Track) -> Divergence:
    """Return the time at which two episodes diverge, and the cause."""
    n, height = min(len(base.down), len(other.down)), float(base.position[0, 2])
    apart = np.linalg.norm(base.position[:n] - other.position[:n], axis=-1) > DISTANCE * height
    turned = 2 * np.arccos(np.clip(np.abs(np.vecdot(base.quat[:n], other.quat[:n])), 0.0, 1.0)) > ANGLE
    over = len(base.down) != len(other.down)  # one of them fell
    last = _first(apart | turned)
    last = n - 1 if last is None and over else last
    if last is None:
        return Divergence(np.inf, "", dict.fromkeys(CAUSES, np.inf))
    first = {}
    for cause, holds in _symptoms(base, other, n, height).items():
        at = _first(holds[: last + 1])
        first[cause] = np.inf if at is None else (at + 1) * base.ctrl_dt
    earliest = min(first.values())
    cause = next((cause for cause, time in first.items() if time == earliest < np.inf), NONE)
    return Divergence((last + 1) * base.ctrl_dt, cause, first)


def _symptoms(base: Track, other: Track, n: int, height: float) -> dict[str, np.ndarray]:
    """Return the mask of steps in which each of `CAUSES` holds, shape (n,)."""
    (stood, lost), (other_stood, other_lost) = whole_stances(base), whole_stances(other)
    differ = stood[:n] != other_stood[:n]
    longer = differ & np.concatenate([differ[:1] & False, differ[:-1]])  # for more than one control period
    missing = np.abs(np.cumsum(lost[:n].sum(-1)) - np.cumsum(other_lost[:n].sum(-1)))
    standing = np.cumsum(stood[:n].sum(-1))
    crept = np.linalg.norm(base.creep[:n] - other.creep[:n], axis=-1)
    return {
        "plate": base.body_down[:n] | other.body_down[:n],
        "missed touchdown": longer.any(-1),
        "flicker": missing >= np.maximum(FLICKERS, FLICKER * standing),
        "penetration": np.abs(mean_depth(base)[:n] - mean_depth(other)[:n]) > DEPTH * height,
        "creep": crept > CREEP * height,
    }


def mean_depth(track: Track) -> np.ndarray:
    """Return the mean depth since the start of feet that touch, shape (n,) [m]."""
    return np.cumsum(track.depth) / np.maximum(np.cumsum(track.down.any(-1)), LANDED / track.ctrl_dt)


def whole_stances(track: Track) -> tuple[np.ndarray, np.ndarray]:
    """Return the masks of feet that stand, without flicker, and of contacts that flicker takes, shape (n, n_feet) both.

    A gap of one control period, or of less than `stances.DEBOUNCE`, is flicker.
    """
    time = np.arange(len(track.down)) * track.ctrl_dt
    shortest = max(stances.DEBOUNCE, 1.5 * track.ctrl_dt)
    stood = np.zeros_like(track.down)
    for foot in range(track.down.shape[1]):
        for begin, end in stances.debounce(stances.from_flags(time, track.down[:, foot]), shortest):
            stood[:, foot] |= (time >= begin) & (time < end)
    return stood, stood & ~track.down


def _first(holds: np.ndarray) -> int | None:
    return int(np.argmax(holds)) if holds.any() else None
