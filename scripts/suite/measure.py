"""What a run of a case shows: the recorded motion, and the numbers that the case asks for.

Needs numpy alone, as `case.py` needs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .case import REDUCTIONS, Case


class Reading(NamedTuple):
    """What a simulation says of one instant; bodies and contacts are in the order of the case."""

    time: float  # [s]
    positions: np.ndarray  # of the centres of mass, shape (bodies, 3), world [m]
    quaternions: np.ndarray  # from body to world, shape (bodies, 4), w first
    velocities: np.ndarray  # of the centres of mass, shape (bodies, 3), world [m/s]
    angular_velocities: np.ndarray  # shape (bodies, 3), world [rad/s]
    forces: np.ndarray  # of contacts on their first body in the step that ended now, shape (contacts, 3), world [N]


class Recording(NamedTuple):
    """The readings of a run, stacked: every field of `Reading` with the instants in front."""

    time: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    angular_velocities: np.ndarray
    forces: np.ndarray

    @classmethod
    def stack(cls, readings: list[Reading]) -> Recording:
        return cls(*(np.asarray(field, float) for field in zip(*readings, strict=True)))

    @property
    def is_finite(self) -> bool:
        """Whether all that is shown is finite and nothing flew further than a thousand kilometres."""
        shown = self[:-1] if np.isnan(self.forces).all() else self
        return all(np.isfinite(field).all() for field in shown) and bool(np.abs(self.positions).max(initial=0.0) < 1e6)


def value(case: Case, recording: Recording, measurement: dict) -> float:
    """Return a measured number, NaN where the run does not show it (a crossing that never comes)."""
    signal = series(case, recording, measurement)
    reduction = next(name for name in REDUCTIONS if name in measurement)
    return float(_REDUCE[reduction](recording.time, signal, measurement[reduction], measurement["quantity"] == "force"))


def series(case: Case, recording: Recording, measurement: dict) -> np.ndarray:
    """Return the quantity that a measurement is of at all recorded instants, shape (instants,)."""
    quantity = measurement["quantity"]
    if quantity == "force":
        index = [contact["name"] for contact in case["contacts"]].index(measurement["of"])
        return _component(recording.forces[:, index], measurement)
    bodies = [body["name"] for body in case["bodies"]]
    index = bodies.index(measurement["of"])
    other = bodies.index(measurement["relative_to"]) if "relative_to" in measurement else None
    if quantity == "angle":
        angle = _angle(recording.quaternions[:, index], measurement["along"])
        return angle if other is None else angle - _angle(recording.quaternions[:, other], measurement["along"])
    values = _of_point(recording, index, quantity, np.asarray(measurement["point"], float))
    if other is not None:
        values = values - _of_point(recording, other, quantity, np.zeros(3))
    return _component(values, measurement)


def _of_point(recording: Recording, body: int, quantity: str, point: np.ndarray) -> np.ndarray:
    """Return position or velocity of a body's point, or its angular velocity, shape (instants, 3)."""
    if quantity == "angular_velocity":
        return recording.angular_velocities[:, body]
    arm = rotate(recording.quaternions[:, body], point)
    if quantity == "position":
        return recording.positions[:, body] + arm
    return recording.velocities[:, body] + np.cross(recording.angular_velocities[:, body], arm)


def _component(values: np.ndarray, measurement: dict) -> np.ndarray:
    if "along" in measurement:
        return values @ unit(measurement["along"])
    if "across" in measurement:
        axis = unit(measurement["across"])
        values = values - np.outer(values @ axis, axis)
    return np.linalg.norm(values, axis=1)


def unit(vector) -> np.ndarray:
    return np.asarray(vector, float) / np.linalg.norm(vector)


def rotate(quaternions: np.ndarray, vector) -> np.ndarray:
    """Return a vector turned by unit quaternions (..., 4), w first, shape (..., 3)."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    twice = 2 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


def _angle(quaternions: np.ndarray, axis) -> np.ndarray:
    """Return the turn about an axis since the first instant, counted over turns, shape (instants,) [rad].

    That of the rotation's twist about the axis; all of the rotation where the body turns about no other.
    """
    w, x, y, z = quaternions[0]
    inverse = np.array([w, -x, -y, -z])
    real = quaternions[:, 0] * inverse[0] - quaternions[:, 1:] @ inverse[1:]
    imaginary = (
        quaternions[:, :1] * inverse[1:]
        + inverse[0] * quaternions[:, 1:]
        + np.cross(quaternions[:, 1:], np.broadcast_to(inverse[1:], quaternions[:, 1:].shape))
    )
    return np.unwrap(2 * np.arctan2(imaginary @ unit(axis), real))


def _at(time: np.ndarray, signal: np.ndarray, when: float, is_force: bool) -> float:
    if is_force:  # a step's mean: of the step that the instant lies in
        return signal[min(np.searchsorted(time, when - 1e-12), len(time) - 1)]
    return np.interp(when, time, signal)


def _mean(time: np.ndarray, signal: np.ndarray, window, is_force: bool) -> float:
    inside = np.unique(np.clip(np.concatenate([time, window]), *window))
    middles, lengths = (inside[1:] + inside[:-1]) / 2, np.diff(inside)
    if is_force:
        values = signal[np.minimum(np.searchsorted(time, middles), len(time) - 1)]
    else:
        values = np.interp(middles, time, signal)
    return values @ lengths / lengths.sum()


def _inside(time: np.ndarray, window) -> np.ndarray:
    return (time >= window[0] - 1e-9) & (time <= window[1] + 1e-9)


def _extreme(values: np.ndarray, which) -> float:
    return which(values) if len(values) else np.nan  # steps longer than the window show nothing of it


def _change(time: np.ndarray, signal: np.ndarray, window, is_force: bool) -> float:
    return _at(time, signal, window[1], is_force) - _at(time, signal, window[0], is_force)


def _crossings(time: np.ndarray, above: np.ndarray, direction: str) -> np.ndarray:
    """Return the times at which a signal, measured from its level, crosses it [s]."""
    before, after = above[:-1], above[1:]
    up, down = (before < 0) & (after >= 0), (before > 0) & (after <= 0)
    found = np.flatnonzero({"up": up, "down": down, "either": up | down}[direction])
    share = before[found] / (before[found] - after[found])
    return time[found] + share * (time[found + 1] - time[found])


def _crossing(time: np.ndarray, signal: np.ndarray, wanted: dict, is_force: bool) -> float:
    times = _crossings(time, signal - wanted["level"], wanted["direction"])
    times = times[times >= wanted["after"]]
    return times[wanted["count"] - 1] if len(times) >= wanted["count"] else np.nan


def _period(time: np.ndarray, signal: np.ndarray, window, is_force: bool) -> float:
    inside = _inside(time, window)
    if not inside.any():
        return np.nan
    times = _crossings(time[inside], signal[inside] - signal[inside].mean(), "up")
    return (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else np.nan


_REDUCE = {
    "at": _at,
    "mean": _mean,
    "greatest": lambda time, signal, window, is_force: _extreme(signal[_inside(time, window)], np.max),
    "least": lambda time, signal, window, is_force: _extreme(signal[_inside(time, window)], np.min),
    "change": _change,
    "crossing": _crossing,
    "period": _period,
}
