"""Steering of a many-legged robot whose feet slide: the controls whose strides take it where it should be.

A stride takes the body by a displacement that the sliding model knows, with its derivatives by amplitude, crab and
steering (`analytic.models.sliding_walk`); where it starts does not matter. So the poses at whole strides are a product
of displacements, and the controls follow from them by Gauss-Newton. `Steering` takes one damped Newton step on the
coming stride, `ConnectionMPC` looks several strides ahead. Averages over strides hold in MuJoCo too; what happens
within one does not with six legs, which is why there are no knots in between.

Amplitude, crab and steering share the range of yaw. A robot beside its path comes back a little every stride, facing as
the path does: asked to be there at once, it would crab with the yaw that its turn needs, and leave a bend for good.

A measured pose that is missing, not finite or too late changes nothing: the last command is held, and the decision says
so. Source: after the outlook of Wu, Zhao and Revzen, arXiv:2310.20669, section 4; the controllers are ours.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..analytic.clock import TURN
from ..analytic.contact import se2
from ..analytic.models.sliding_walk import N_CONTROLS, SlidingWalk
from .bounded_step import least_squares_within
from .path import rejoined, relative
from .stride_bias import StrideBias

WEIGHTS = np.array([0.5, 1.0, 2.0])  # of errors along, across [m] and of heading [rad]: at limits, lateness gives way
CORRECTED = np.array([0.03, 0.02, 0.03])  # of an error, in a stride, likewise: more would take the turn's share of yaw
DAMPING = 1e-4  # of a Newton step, beside squared derivatives of about 1 m^2/rad^2
SMOOTHING = 4e-4  # of changes from knot to knot, likewise
FIRST = np.array([0.2, 0.0, 0.0])  # the controls before the first decision: straight on


@dataclass(frozen=True)
class Limits:
    """What controls may be: the yaw of every pair stays within `yaw_range`.

    Raises:
        ValueError: If a limit is not positive, or the largest amplitude leaves no room.
    """

    least_amplitude: float = 0.02  # [rad]
    amplitude: float = 0.3  # [rad]
    crab: float = 0.15  # either way [rad]
    steering: float = 0.2  # either way [rad]
    yaw_range: float = 0.4  # of amplitude, crab and steering together [rad]

    def __post_init__(self) -> None:
        if not 0 < self.least_amplitude <= self.amplitude <= self.yaw_range:
            raise ValueError(
                "limits must have 0 < least_amplitude <= amplitude <= yaw_range, got "
                f"{self.least_amplitude}, {self.amplitude} and {self.yaw_range} rad"
            )
        if not (self.crab >= 0 and self.steering >= 0):
            raise ValueError(f"crab and steering must not be negative, got {self.crab} and {self.steering} rad")

    @property
    def inequalities(self) -> tuple[np.ndarray, np.ndarray]:
        """A (10, 3) and b (10,) [rad]: controls u are within the limits where A u <= b."""
        box = np.concatenate([np.eye(N_CONTROLS), -np.eye(N_CONTROLS)])
        shared = np.array([[1.0, crab, steering] for crab in (1, -1) for steering in (1, -1)])
        most = [self.amplitude, self.crab, self.steering, -self.least_amplitude, self.crab, self.steering]
        return np.concatenate([box, shared]), np.array(most + 4 * [self.yaw_range])

    def clip(self, controls: np.ndarray) -> np.ndarray:
        """Return controls (..., 3) within the limits; the amplitude has precedence over crab and steering."""
        amplitude = np.clip(controls[..., :1], self.least_amplitude, self.amplitude)
        held = np.clip(controls[..., 1:], [-self.crab, -self.steering], [self.crab, self.steering])
        asked = np.abs(held).sum(axis=-1, keepdims=True)
        return np.concatenate([amplitude, held * np.minimum(1.0, (self.yaw_range - amplitude) / (asked + 1e-300))], -1)


class DecisionStatus(Enum):
    """What became of a decision; the value is a sentence."""

    STEERED = "steered by the measured pose"
    UNKNOWN = "the pose is missing or not finite: the last command is held"
    LATE = "the pose is older than allowed: the last command is held"
    FELL = "the model finds no equilibrium on the way: the last command is held"


class Decision(NamedTuple):
    """Controls, and why."""

    controls: np.ndarray  # (3,) amplitude, crab and steering [rad]
    status: DecisionStatus


class Steerer(ABC):
    """What decides on controls from a measured pose.

    Args:
        walk: The model of the robot.
        reference: The pose (..., 3) it should have at times t, such as a `Path`.
        limits: Of the controls; by default those of the robot's `yaw_range`.
        adapt: Whether to learn by what strides differ from the model's; by default with more than six legs, where it
            helps. With six the timing within a stride, which the model does not know, would be learned with it.
        latest: Age of a pose beyond which it is not used [s].

    Attributes:
        controls: The last decision.
        bias: What is learned, or None.
    """

    def __init__(
        self,
        walk: SlidingWalk,
        reference: Callable[[np.ndarray], np.ndarray],
        limits: Limits | None = None,
        adapt: bool | None = None,
        latest: float = 0.5,
    ) -> None:
        self.walk, self.reference, self.latest = walk, reference, latest
        self.limits = limits or Limits(yaw_range=walk.params.yaw_range)
        learns = walk.params.n_legs > 6 if adapt is None else adapt
        self.bias = StrideBias(walk) if learns else None
        self.controls = self.limits.clip(FIRST)

    def __call__(self, t: float, pose, phase: float, measured: float | None = None) -> Decision:
        """Return the controls from now on.

        Args:
            t: Time on the reference [s].
            pose: Measured x, y and heading in the reference's frame (3,) [m, m, rad]; None if there is none.
            phase: Of the undulation [rad].
            measured: When it was measured [s]; by default now.
        """
        if pose is None or not np.isfinite(pose).all():
            return Decision(self.controls, DecisionStatus.UNKNOWN)
        if measured is not None and t - measured > self.latest:
            return Decision(self.controls, DecisionStatus.LATE)
        pose = np.asarray(pose, float)
        found = self._controls(t, pose, phase)
        if found is None:
            return Decision(self.controls, DecisionStatus.FELL)
        self.controls = found
        if self.bias is not None:
            self.bias.add(pose, self.controls, phase)
        return Decision(self.controls, DecisionStatus.STEERED)

    def _stride(self, controls: np.ndarray, phase: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the displacement of a stride, with what was learned, and its derivatives (3, 3); NaN if it falls."""
        made = self.walk.stride(controls, phase)
        return made.pose + (0.0 if self.bias is None else self.bias.value), made.by_controls[:, 0]

    def _wanted(self, t: float, pose: np.ndarray, strides: int) -> np.ndarray:
        """Return the poses (strides, 3) wanted after each of the coming strides: on the way back to the reference."""
        return rejoined(self.reference(t + self.walk.period * np.arange(strides + 1)), pose, CORRECTED)

    @abstractmethod
    def _controls(self, t: float, pose: np.ndarray, phase: float) -> np.ndarray | None:
        """Return new controls, or None if the model falls."""


class Steering(Steerer):
    """One damped Newton step a call, on the displacement of the coming stride."""

    def _controls(self, t, pose, phase):
        wanted = relative(self._wanted(t, pose, 1)[0], pose)
        displacement, by = self._stride(self.controls, phase)
        if not np.isfinite(displacement).all():
            return None
        weights = weighing(WEIGHTS, wanted[None])[0]
        slope = weights @ by
        hessian, gradient = (
            slope.T @ slope + DAMPING * np.eye(N_CONTROLS),
            slope.T @ weights @ off(wanted, displacement),
        )
        return stepped(self.controls[None], hessian, gradient, self.limits)[0]


def off(wanted: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return the differences of poses (..., 3), headings within half a turn."""
    d = wanted - found
    d[..., 2] = (d[..., 2] + np.pi) % TURN - np.pi
    return d


class ConnectionMPC(Steerer):
    """Gauss-Newton on the poses after each of the coming strides, over a receding horizon.

    Args:
        walk, reference: As of `Steerer`.
        knots: How many strides, each with controls of its own.
        iterations: Gauss-Newton steps a call, from the last call's controls.
        more: Further arguments of `Steerer`.
    """

    def __init__(self, walk, reference, knots: int = 2, iterations: int = 2, **more) -> None:
        if knots < 1 or iterations < 1:
            raise ValueError(f"knots and iterations must be at least 1, got {knots} and {iterations}")
        super().__init__(walk, reference, **more)
        self.iterations, self.plan = iterations, np.tile(self.controls, (knots, 1))

    def _controls(self, t, pose, phase):
        wanted = self._wanted(t, pose, len(self.plan))
        plan = improved(self._stride, self.limits, self.plan, self.controls, pose, phase, wanted, self.iterations)
        if plan is None:
            return None
        self.plan = plan
        return plan[0].copy()


def improved(stride, limits, plan, last, pose, phase, wanted, iterations, weights=WEIGHTS) -> np.ndarray | None:
    """Return a plan (knots, 3) after some Gauss-Newton steps towards poses wanted after each stride; None if it falls.

    Args:
        stride: `(controls, phase)` returns a displacement and its derivatives.
        limits: Of the controls.
        plan: To start from.
        last: The controls before it, from which the first changes.
        pose: Now.
        phase: Of the undulation, the same after every stride.
        wanted: Poses, (knots, 3).
        iterations: Number of steps.
        weights: Of errors of poses, (3,) or (knots, 3).
    """
    knots = len(plan)
    change = np.eye(N_CONTROLS * knots) - np.eye(N_CONTROLS * knots, k=-N_CONTROLS)
    smooth = SMOOTHING * change.T @ change + 1e-6 * np.eye(N_CONTROLS * knots)
    along = weighing(weights, wanted)
    for _ in range(iterations):
        poses, slopes = poses_of(stride, plan, pose, phase)
        if not np.isfinite(poses).all():
            return None
        error = (along @ off(wanted, poses)[..., None]).ravel()
        slope = (along @ slopes).reshape(N_CONTROLS * knots, -1)
        rough = change @ plan.ravel()
        rough[:N_CONTROLS] -= last
        gradient = slope.T @ error - SMOOTHING * change.T @ rough
        plan = stepped(plan, slope.T @ slope + smooth, gradient, limits)
    return plan


def weighing(weights, wanted) -> np.ndarray:
    """Return matrices (knots, 3, 3) that weigh errors of poses along and across the poses wanted (knots, 3)."""
    cos, sin, zero = np.cos(wanted[:, 2]), np.sin(wanted[:, 2]), np.zeros(len(wanted))
    turn = np.array([[cos, sin, zero], [-sin, cos, zero], [zero, zero, zero + 1.0]])
    return np.broadcast_to(weights, wanted.shape)[..., None] * turn.transpose(2, 0, 1)


def stepped(plan, hessian, gradient, limits) -> np.ndarray:
    """Return a plan (knots, 3) after the step of least squares that stays within the limits."""
    bounds, most = limits.inequalities
    left = np.maximum(0.0, most - plan @ bounds.T).ravel()
    step = least_squares_within(hessian, gradient, np.kron(np.eye(len(plan)), bounds), left)
    return limits.clip(plan + step.reshape(plan.shape))


def poses_of(stride, plan, pose, phase) -> tuple[np.ndarray, np.ndarray]:
    """Return the poses after each stride (knots, 3), and their derivatives by all controls, (knots, 3, 3 knots)."""
    poses, slopes = np.empty((len(plan), 3)), np.zeros((len(plan), 3, N_CONTROLS * len(plan)))
    slope = np.zeros((3, N_CONTROLS * len(plan)))
    for k, controls in enumerate(plan):
        displacement, by = stride(controls, phase)
        after = se2.compose(pose, displacement) if np.isfinite(displacement).all() else np.full(3, np.nan)
        cos, sin = np.cos(pose[2]), np.sin(pose[2])
        slope = slope + np.outer([pose[1] - after[1], after[0] - pose[0], 0.0], slope[2])
        slope[:, N_CONTROLS * k : N_CONTROLS * (k + 1)] = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ by
        pose, poses[k], slopes[k] = after, after, slope
    return poses, slopes
