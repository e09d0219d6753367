"""What the error of raw foot forces is made of: when it arises, and how much of it is only late.

Every row of every foot belongs to the first of `KINDS` that holds, and the squared error of the force vector is summed
over each. A soft contact stops a landing toe within a millisecond or two; the exact one does so at once, by an impulse
that no force records. So the error at touchdown has a floor: the stiffer the contact, the higher and shorter its spike.
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import summary

NEAR = 5e-3  # after a touchdown a soft contact rings so long; a foot that lands or lifts within it may be late [s]
SLIDES = 0.01  # of a foot on the ground; slower ones stick [m/s]
SHIFTS = np.linspace(-3e-3, 3e-3, 121)  # of MuJoCo's forces in time [s]
KINDS = {
    "late": "only one engine has the foot on the ground, within 5 ms of touchdown or lift-off",
    "touchdown": "both have it down, the first 5 ms",
    "flicker": "MuJoCo loses contact of a standing foot",
    "sliding": "the exact foot slides",
    "sticking": "the rest",
}


def kinds(exact: Run, mujoco: Run) -> np.ndarray:
    """Return the index into `KINDS` of each row of each foot, shape (n, legs); rows of the same times."""
    time = exact.record["time"].values
    down, other = (run.record["foot_contact"].values.astype(bool) for run in (exact, mujoco))
    speed = np.linalg.norm(np.gradient(exact.record["foot_position"].values[..., :2], time, axis=0), axis=-1)
    landed, lifted = (
        np.stack([_nearest(time, feet[:, end], both) for feet in exact.stances], axis=-1)
        for end, both in ((0, False), (1, True))
    )
    event = np.minimum(np.stack([_nearest(time, feet[:, 0], True) for feet in exact.stances], axis=-1), lifted) < NEAR
    holds = [(down != other) & event, down & other & (landed < NEAR), down & ~other, down & (speed > SLIDES)]
    return np.select(holds, range(len(holds)), default=len(holds))


def _nearest(time: np.ndarray, events: np.ndarray, both: bool) -> np.ndarray:
    """Return the distance of each time from the nearest event, shape (n,) [s]; without `both` from the last before."""
    events = np.concatenate([[-np.inf], events[np.isfinite(events)], [np.inf]])
    after = np.searchsorted(events, time, side="right")
    since = time - events[after - 1]
    return np.minimum(since, events[after] - time) if both else since


def shares(exact: Run, mujoco: Run, stride: float) -> dict[str, float]:
    """Return the share of the squared error of raw forces that each of `KINDS` has, over whole steady strides."""
    rows = summary.window(exact.record, period=stride).holds(exact.record)
    square = np.sum(np.square(_error(exact, mujoco, 0.0)), axis=-1)[rows]
    kind = kinds(exact, mujoco)[rows]
    return {name: float(square[kind == k].sum() / square.sum()) for k, name in enumerate(KINDS)}


def shifted(exact: Run, mujoco: Run, stride: float) -> tuple[float, float]:
    """Return by how much MuJoCo's forces are late [s], and the share of the squared error left if they are not."""
    rows = summary.window(exact.record, period=stride).holds(exact.record)
    left = [np.sum(np.square(_error(exact, mujoco, shift))[rows]) for shift in SHIFTS]
    best = int(np.argmin(left))
    return float(SHIFTS[best]), float(left[best] / np.sum(np.square(_error(exact, mujoco, 0.0))[rows]))


def _error(exact: Run, mujoco: Run, shift: float) -> np.ndarray:
    """Return MuJoCo's forces that long later minus the exact ones, shape (n, legs, 3) [N]."""
    time = exact.record["time"].values
    given, right = (run.record["foot_force"].values.reshape(len(time), -1) for run in (mujoco, exact))
    moved = np.stack([np.interp(time + shift, time, column) for column in given.T], axis=-1) if shift else given
    return (moved - right).reshape(len(time), -1, 3)
