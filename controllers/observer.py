"""What a robot can know of itself by how it slides: its payload, here; a lost leg and slippery feet in modules beside.

There are no force sensors: joints say where the feet are and how they move, and what is measured is the twist of the
body and its tilt. Not everything can be known from that, and `UNKNOWABLE` says what and why.

The sliding model lies on the ground, and a body sways above it: twists are compared at the ground below the body's
origin, `Seen.of`. Source: the identifiability of the model of Wu, Zhao and Revzen, arXiv:2310.20669, is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..analytic.clock import TURN
from ..analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from ..analytic.models.sliding_observation import N_MEASURED, SlidingObservation

UNKNOWABLE = {
    "mu": "a common factor of all friction changes no velocity; ratios to the mean can be known, mu itself by forces",
    "mass": "mass and stiffness enter only as stiffness over weight, and with three loaded feet not at all",
    "stiffness": "mass and stiffness enter only as stiffness over weight, and with three loaded feet not at all",
    "mu of a sticking foot": "a foot that sticks pins the body whatever its friction is; wait until it slides",
    "friction of every foot": "with more than six legs the model errs by as much as the friction of a foot changes",
}
BINS = 40  # of the phase, in which what the model misses is averaged
LEAST_STRIDES = 3  # that a tare takes
FLOOR = np.array([2e-3, 2e-3, 1e-2, 2e-3, 2e-3])  # of standard deviations [m/s, m/s, rad/s, rad, rad]
OUTLIER = 3.0  # standard deviations of a whole frame, beyond which it counts for less


def refuse(what: str) -> None:
    """Refuse to estimate what cannot be known.

    Raises:
        ValueError: With the reason, or that there is no such quantity.
    """
    if what in UNKNOWABLE:
        raise ValueError(f"{what} cannot be known from how the robot slides: {UNKNOWABLE[what]}")
    raise ValueError(f"there is nothing called {what!r} to estimate; what cannot be known: {', '.join(UNKNOWABLE)}")


class Seen(NamedTuple):
    """A frame as it is measured; body frame of the heading, x forward, y left."""

    pos: np.ndarray  # (n, 3) unloaded feet from the body's origin, by the joints [m]
    vel: np.ndarray  # (n, 2) their velocities relative to the body [m/s]
    measured: np.ndarray  # (5,) velocity on the ground below the origin, yaw rate, pitch, roll; NaN: not measured

    @classmethod
    def of(cls, params: MultipodParams, angle, rate, velocity, angular, height: float, tilt) -> Seen:
        """Return a frame from joints and body.

        Args:
            params: The robot.
            angle: Yaw and roll of the pairs (n_segments, 2) [rad].
            rate: Their rates [rad/s].
            velocity: Of the body's origin, forward and left (2,) [m/s].
            angular: Of the body, about its own axes (3,) [rad/s].
            height: Of the origin above the ground [m].
            tilt: Pitch, positive nose down, and roll, positive left side up (2,) [rad].
        """
        at_ground = np.asarray(velocity, float) + height * np.array([-angular[1], angular[0]])
        measured = np.array([*at_ground, angular[2], *tilt], float)
        return cls(foot_positions(params, angle), foot_velocities(params, angle, rate)[:, :2].copy(), measured)


@dataclass(frozen=True)
class Estimate:
    """An estimate with its covariance."""

    value: np.ndarray  # (k,)
    covariance: np.ndarray  # (k, k)


class Tare(NamedTuple):
    """What the model misses on a sound robot, by the phase of the stride: it repeats from stride to stride."""

    mean: np.ndarray  # (BINS, 5) measured less expected
    deviation: np.ndarray  # (BINS, 5) of that from its mean, `FLOOR` at least

    @classmethod
    def of(cls, measured, expected, phases) -> Tare:
        """Return the tare of a walk.

        Args:
            measured: Of every frame (m, 5).
            expected: By the model, likewise; NaN where it has no answer.
            phases: Of the undulation (m,) [rad].

        Raises:
            ValueError: If the walk is shorter than three strides, or part of the stride has no usable frame.
        """
        strides = np.ptp(phases) / TURN
        if strides < LEAST_STRIDES:
            raise ValueError(f"a tare takes {LEAST_STRIDES} strides of a sound robot or more, got {strides:.2f}")
        residual, bins = np.asarray(measured, float) - expected, bin_of(phases)
        usable = np.isfinite(residual).all(axis=1)
        mean, deviation = np.zeros((BINS, N_MEASURED)), np.zeros((BINS, N_MEASURED))
        for b in range(BINS):
            if not (usable & (bins == b)).any():
                raise ValueError(f"the tare has no usable frame in part {b + 1} of {BINS} of the stride")
            mean[b] = residual[usable & (bins == b)].mean(axis=0)
            deviation[b] = residual[usable & (bins == b)].std(axis=0)
        return cls(mean, np.maximum(deviation, FLOOR))


def bin_of(phase) -> np.ndarray:
    """Return which part of the stride a phase [rad] lies in, 0 to `BINS` - 1."""
    return (np.asarray(phase) % TURN / TURN * BINS).astype(int) % BINS


class PayloadObserver:
    """Where a payload moves the centre of mass, from tilt and twist: a Kalman filter that linearises every frame.

    Args:
        params: The robot; its weight is taken to be known, payload included.
        drift: By which the centre of mass may move in the root of a second [m/s^0.5]; with 0 all frames count alike.
        first: How far off it may be at first [m].

    Attributes:
        skipped: Frames that said nothing: not wholly measured, or without a derivative.
    """

    def __init__(self, params: MultipodParams, drift: float = 0.0, first: float = 0.02) -> None:
        self._model, self._drift, self._tare, self.skipped = SlidingObservation(params), drift, None, 0
        self._value, self._covariance = np.zeros(2), first**2 * np.eye(2)

    def tare(self, frames: list[Seen], phases) -> None:
        """Learn what the model misses, from a walk of the unloaded robot; without it the estimate is 8 mm off.

        Raises:
            ValueError: If the walk is too short; see `Tare.of`.
        """
        expected = [self._expected(seen, np.zeros(2))[0] for seen in frames]
        self._tare = Tare.of([seen.measured for seen in frames], expected, phases)

    def update(self, seen: Seen, phase: float, dt: float) -> Estimate:
        """Take a frame `dt` [s] after the last, at a phase [rad]; return the `payload` as known then.

        Raises:
            RuntimeError: Before a tare.
            ValueError: If the twist is measured and the tilt is not.
        """
        if self._tare is None:
            raise RuntimeError("a payload observer must be tared by a walk of the unloaded robot first")
        if np.isnan(seen.measured[3:]).all() and not np.isnan(seen.measured[:3]).any():
            raise ValueError("the payload needs the tilt: without it the centre of mass is known to centimetres only")
        self._covariance = self._covariance + self._drift**2 * dt * np.eye(2)
        expected, by, exists = self._expected(seen, self._value)
        if not exists or not np.isfinite(seen.measured).all():
            self.skipped += 1
            return self.payload
        part = bin_of(phase)
        innovation = seen.measured - self._tare.mean[part] - expected
        noise = np.diag(self._tare.deviation[part] ** 2)
        self._value, self._covariance = filtered(self._value, self._covariance, innovation, by, noise)
        return self.payload

    def _expected(self, seen: Seen, d: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        answer, slopes, exists = self._model.slopes(seen.pos, seen.vel, self._model.table, d)
        return answer, slopes[:, -2:], exists

    @property
    def payload(self) -> Estimate:
        """By how much the payload moves the centre of mass, x and y (2,) [m]."""
        return Estimate(self._value, self._covariance)


def filtered(value, covariance, innovation, by, noise) -> tuple[np.ndarray, np.ndarray]:
    """Return state and covariance after a measurement; one that is an outlier as a whole counts for less."""
    spread = by @ covariance @ by.T + noise
    far = innovation @ np.linalg.solve(spread, innovation)
    spread = spread * max(1.0, far / OUTLIER**2)
    gain = np.linalg.solve(spread, by @ covariance).T
    left = covariance - gain @ by @ covariance
    return value + gain @ innovation, 0.5 * (left + left.T)
