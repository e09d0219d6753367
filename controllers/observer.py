"""What a robot can know of itself by how it slides: its payload, here; a lost leg and slippery feet in modules beside.

There are no force sensors: joints say where the feet are and how they move, and what is measured is the twist of the
body and its tilt. Not everything can be known from that, and `UNKNOWABLE` says what and why.

The sliding model lies on the ground, and a body sways above it: twists are compared at the ground below the body's
origin, `Seen.of`. Source: the identifiability of the model of Wu, Zhao and Revzen, arXiv:2310.20669, is ours.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tarsus.analytic.spelling import listed

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
MODEL_ERROR = {6: (0.9e-3, 2.2e-3), 50: (0.9e-3, 0.3e-3)}  # of a payload, up to so many legs, as MuJoCo shows it [m]
LEAST_SPREAD = 1e-3  # of payloads over which a frame is linearised [m]
TIPPING = 2.0  # of tilt by payload [rad/m]: standing feet make up to 1.2, a body that tips onto others ten times that
OUTLIER = 3.0  # standard deviations of a whole frame, beyond which it counts for less


def refuse(what: str) -> None:
    """Refuse to estimate what cannot be known.

    Raises:
        ValueError: With the reason, or that there is no such quantity.
    """
    if what in UNKNOWABLE:
        raise ValueError(f"{what} cannot be known from how the robot slides: {UNKNOWABLE[what]}")
    raise ValueError(f"unknown quantity {what!r}; those that sliding does not show are {listed(what, UNKNOWABLE)}")


class Seen(NamedTuple):
    """A frame as it is measured; body frame of the heading, x forward, y left."""

    pos: np.ndarray  # (n, 3) unloaded feet from the body's origin, by the joints [m]
    vel: np.ndarray  # (n, 2) their velocities relative to the body [m/s]
    measured: np.ndarray  # (5,) velocity on the ground below the origin, yaw rate, pitch, roll; NaN: not measured

    @classmethod
    def of(cls, params: MultipodParams, angle, rate, velocity, angular, height: float, tilt) -> "Seen":
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
    """The error of the model on a sound robot, by the phase of the stride: it repeats from stride to stride."""

    mean: np.ndarray  # (BINS, 5) measured less expected
    deviation: np.ndarray  # (BINS, 5) of that from its mean, `FLOOR` at least
    count: np.ndarray  # (BINS,) frames: what the mean itself is off by does not average out afterwards

    @classmethod
    def of(cls, measured, expected, phases) -> "Tare":
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
        return cls(mean, np.maximum(deviation, FLOOR), np.bincount(bins[usable], minlength=BINS))


def bin_of(phase) -> np.ndarray:
    """Return the part of the stride in which a phase [rad] lies, 0 to `BINS` - 1."""
    return (np.asarray(phase) % TURN / TURN * BINS).astype(int) % BINS


class PayloadObserver:
    """Where a payload moves the centre of mass, from tilt and twist: an unscented Kalman filter.

    Beside the payload it keeps the errors of the tare's means, which repeat with every stride and do not average out.

    Args:
        params: The robot; its weight is taken to be known, payload included.
        drift: By which the centre of mass may move in the root of a second [m/s^0.5]; with 0 it stays where it is,
            and one that moves is found late or not at all: then give 3e-3.
        first: How far off it may be at first [m].
        model_error: Standard deviations of what the model errs by itself, x and y (2,) [m]; by default `MODEL_ERROR`.

    Attributes:
        skipped: Frames that said nothing: not wholly measured, or a payload that may be would tip the body.
    """

    def __init__(self, params: MultipodParams, drift: float = 0.0, first: float = 0.02, model_error=None) -> None:
        self._model, self._drift, self._tare, self.skipped = SlidingObservation(params), drift, None, 0
        if model_error is None:
            model_error = next(error for most, error in MODEL_ERROR.items() if params.n_legs <= most)
        self._model_error = np.diag(np.square(model_error))
        self._state = np.zeros(2 + BINS * N_MEASURED)  # payload, and the tare's errors by part of the stride
        self._covariance = np.zeros(2 * self._state.shape)
        self._covariance[:2, :2] = first**2 * np.eye(2)

    def tare(self, frames: list[Seen], phases) -> None:
        """Learn what the model misses, from a walk of the unloaded robot; without it the estimate is 8 mm off.

        Raises:
            ValueError: If the walk is too short; see `Tare.of`.
        """
        expected = [self._expected(seen, np.zeros(2)) for seen in frames]
        self._tare = Tare.of([seen.measured for seen in frames], expected, phases)
        errors = self._tare.deviation**2 / self._tare.count[:, None]
        self._covariance[2:, 2:] = np.diag(errors.ravel())

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
        self._covariance[:2, :2] += self._drift**2 * dt * np.eye(2)
        expected, by, bent = self._linearised(seen)
        if not np.isfinite(seen.measured).all() or not np.abs(by[3:]).max() < TIPPING:
            self.skipped += 1
            return self.payload
        part = bin_of(phase)
        here = slice(2 + N_MEASURED * part, 2 + N_MEASURED * (part + 1))
        slopes = np.zeros((N_MEASURED, len(self._state)))
        slopes[:, :2], slopes[:, here] = by, np.eye(N_MEASURED)
        innovation = seen.measured - self._tare.mean[part] - expected - self._state[here]
        noise = np.diag(self._tare.deviation[part] ** 2) + bent
        self._state, self._covariance = filtered(self._state, self._covariance, innovation, slopes, noise)
        return self.payload

    def _linearised(self, seen: Seen) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return measurement (5,) and slopes (5, 2) over what the payload may be, and the covariance of the rest."""
        root = np.sqrt(2.0) * np.linalg.cholesky(self._covariance[:2, :2] + LEAST_SPREAD**2 * np.eye(2))
        answers = np.array([
            self._expected(seen, self._state[:2] + sign * root[:, axis]) for axis in range(2) for sign in (1, -1)
        ])  # fmt: skip
        by = 0.5 * (answers[::2] - answers[1::2]).T @ np.linalg.inv(root)
        middle = answers.mean(axis=0)
        bent = answers - middle - 0.5 * np.array([[1], [-1]] * 2) * np.repeat(answers[::2] - answers[1::2], 2, axis=0)
        return middle, by, bent.T @ bent / len(answers)

    def _expected(self, seen: Seen, d: np.ndarray) -> np.ndarray:
        return self._model.hypotheses(seen.pos, seen.vel, self._model.table[None], d)[0]

    @property
    def payload(self) -> Estimate:
        """By how much the payload moves the centre of mass, x and y (2,) [m]; with the model's own error."""
        return Estimate(self._state[:2].copy(), self._covariance[:2, :2] + self._model_error)


def filtered(value, covariance, innovation, by, noise) -> tuple[np.ndarray, np.ndarray]:
    """Return state and covariance after a measurement; one that is an outlier as a whole counts for less."""
    spread = by @ covariance @ by.T + noise
    far = innovation @ np.linalg.solve(spread, innovation)
    spread = spread * max(1.0, far / OUTLIER**2)
    gain = np.linalg.solve(spread, by @ covariance).T
    left = covariance - gain @ (by @ covariance)
    return value + gain @ innovation, 0.5 * (left + left.T)
