"""An undulating multipod on the contact solver, steered by three numbers: where strides take it, and the derivatives.

The controls are the yaw amplitude a, the crab c, a yaw held by all pairs, and the steering s, a yaw held from +s at the
front to -s at the rear: pair k has yaw = c + s l_k + a sin(u_k) and roll = -r cos(u_k), u_k = phase - k offset, with
l_k from 1 to -1. Frames are solved at the middle of equal steps of phase, and the twist is held for a step.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.2.1, for the undulation; crab, steering and derivatives are ours.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..clock import TURN
from ..compilation import jit
from ..contact import Coulomb, Viscous, arrays
from ..contact.connection import law_with_kernel
from ..contact.kernels import NO_EQUILIBRIUM, OUT_COLUMNS, SCRATCH_ROWS, STATUS_MASK, UX, derivative
from ..contact.kernels import OMEGA as YAW_RATE
from ..contact.kernels import frames as solve_frames
from ..contact.support import foot_table
from ..undulation import undulation_angles
from .multipod import MultipodParams
from .quasistatic import HEADING, X, Y, move, place_feet

AMPLITUDE, CRAB, STEERING = range(3)
N_CONTROLS = 3
FELL = -1  # answer of the kernel where the feet do not carry the body


@jit
def _gait(robot, phase, speed, controls, angle, rate, swing):
    """Write angles and rates of the pairs (n, 2), and what a and its rate add to a yaw and its rate, (n, 2)."""
    offset, roll, lean = robot[:3]
    for k in range(angle.shape[0]):
        sine, cosine = math.sin(phase - k * offset), math.cos(phase - k * offset)
        swing[k, 0], swing[k, 1] = sine, speed * cosine
        angle[k, 0] = controls[CRAB] + controls[STEERING] * lean[k] + controls[AMPLITUDE] * sine
        rate[k, 0] = controls[AMPLITUDE] * speed * cosine
        angle[k, 1], rate[k, 1] = -roll * cosine, speed * roll * sine


@jit
def _by_controls(axle_x, lean, pos, vel, by_foot, swing, by):
    """Write the derivatives of the twist by the controls, (3, 3), from those by the feet, which turn with their axle.

    The derivative of a foot's place by its axle's yaw is (-y, x - axle), and likewise that of its velocity.
    """
    for i in range(3):
        amplitude = crab = steering = 0.0
        for j in range(pos.shape[0]):
            x, y, k = pos[j, 0] - axle_x[j // 2], pos[j, 1], j // 2
            rate = x * by_foot[i, j, derivative.BY_VY] - y * by_foot[i, j, derivative.BY_VX]
            turn = x * by_foot[i, j, derivative.BY_Y] - y * by_foot[i, j, derivative.BY_X]
            turn += vel[j, 0] * by_foot[i, j, derivative.BY_VY] - vel[j, 1] * by_foot[i, j, derivative.BY_VX]
            amplitude += turn * swing[k, 0] + rate * swing[k, 1]
            crab += turn
            steering += turn * lean[k]
        by[i, AMPLITUDE], by[i, CRAB], by[i, STEERING] = amplitude, crab, steering


@jit
def _carry(twist, dt, before, pose, by, knot, by_pose):
    """Carry the derivatives of the pose (3, knots, 3) over a step from `before` to `pose` with a twist held for dt."""
    dx, dy, half = pose[X] - before[X], pose[Y] - before[Y], 0.5 * dt * twist[2]
    for k in range(knot + 1):
        for c in range(N_CONTROLS):
            by_pose[X, k, c] -= dy * by_pose[HEADING, k, c]
            by_pose[Y, k, c] += dx * by_pose[HEADING, k, c]
    chord = dt * (math.sin(half) / half if abs(half) > 1e-8 else 1.0)
    less = -half / 3.0 if abs(half) < 1e-3 else (half * math.cos(half) - math.sin(half)) / (half * half)
    cos, sin = math.cos(before[HEADING] + half), math.sin(before[HEADING] + half)
    shrink = 0.5 * dt * dt * less
    x_by = -0.5 * dt * dy + shrink * (cos * twist[0] - sin * twist[1])
    y_by = 0.5 * dt * dx + shrink * (sin * twist[0] + cos * twist[1])
    for c in range(N_CONTROLS):
        by_pose[X, knot, c] += chord * (cos * by[0, c] - sin * by[1, c]) + x_by * by[2, c]
        by_pose[Y, knot, c] += chord * (sin * by[0, c] + cos * by[1, c]) + y_by * by[2, c]
        by_pose[HEADING, knot, c] += dt * by[2, c]


@jit
def _walk(robot, law, phase, turn, dt, controls, per, pose, by_pose, work):
    """Walk from `pose`, with each of the controls (knots, 3) for `per` frames of `turn` [rad] and dt [s] each.

    `by_pose` (3, knots, 3), zero, takes the derivatives of the last pose by the controls; without knots there are none.
    Returns in how many frames there were none, which count as zero, or FELL.
    """
    axle_x, reach, height, table, weight = robot[3:]
    angle, rate, swing, before, by, pos, vel, s, out, force, code, maps, slopes, by_foot, by_weight = work
    without = 0
    for t in range(len(controls) * per):
        knot = t // per
        _gait(robot, phase + (t + 0.5) * turn, turn / dt, controls[knot], angle, rate, swing)
        place_feet(axle_x, reach, height, angle, rate, pos[0], vel[0])
        solve_frames(0, 1, pos, vel, table, weight, law[0], law[1], False, s, out, force, code)
        if code[0] & STATUS_MASK == NO_EQUILIBRIUM:
            return FELL
        before[:] = pose
        move(out[0, UX : YAW_RATE + 1], dt, pose)
        if by_pose.shape[1] == 0:
            continue
        stuck = derivative.twist_jacobian(
            pos[0], vel[0], table[0], law[0], law[1], out[0], force[0], code[0], maps, slopes, by_foot, by_weight
        )
        by[:] = 0.0
        if stuck == derivative.NO_DERIVATIVE:
            without += 1
        else:
            _by_controls(axle_x, robot[2], pos[0], vel[0], by_foot, swing, by)
        _carry(out[0, UX : YAW_RATE + 1], dt, before, pose, by, knot, by_pose)
    return without


class SlidingStride(NamedTuple):
    """The displacement of the body by controls, in the frame it starts in."""

    pose: np.ndarray  # (3,) x, y and heading [m, m, rad]; NaN if it fell
    by_controls: np.ndarray  # (3, knots, 3) the derivatives by the controls
    without: int  # frames without a derivative, which count as zero in it
    fell: bool  # whether the feet did not carry the body in some frame


@dataclass(frozen=True)
class SlidingWalk:
    """A multipod that undulates, on the contact solver.

    Raises:
        ValueError: If a number is not positive, the law has no kernel, or there is no such leg.
    """

    params: MultipodParams = field(default_factory=MultipodParams)
    frequency: float = 0.3  # of the undulation [Hz]
    phase_offset: float = 1.35 * np.pi  # by which a pair is behind the one in front of it [rad]
    roll: float = 0.15  # amplitude [rad]; negative walks backward
    law: Viscous | Coulomb = Coulomb(1e-6)  # the derivatives' error is then 1e-7 in the median
    mu: tuple[float, ...] | float | None = None  # of each foot; by default the robot's
    lost: tuple[int, ...] = ()  # legs that are gone: they neither carry nor slide
    frames: int = 40  # solved in a stride; with 40 its end is within 1 mm and 1 mrad of that with many

    def __post_init__(self) -> None:
        arrays.number("frequency", arrays.positive("frequency", self.frequency))
        arrays.number("phase_offset", self.phase_offset)
        arrays.number("roll", self.roll)
        arrays.count("frames", self.frames)
        object.__setattr__(self, "law", law_with_kernel(self.law))
        params, n = self.params, self.params.n_legs
        if not all(0 <= leg < n for leg in self.lost):
            raise ValueError(f"lost legs are numbers from 0 to {n - 1}, got {self.lost}")
        robot = (
            float(self.phase_offset),
            float(self.roll),
            np.linspace(1.0, -1.0, params.n_segments),
            params.axle_x,
            float(params.reach),
            float(params.height),
            foot_table(n, self.stiffness, self.friction, None, 0.0)[None].copy(),
            np.array([params.total_mass * params.g]),
        )
        object.__setattr__(self, "_robot", robot)

    @property
    def friction(self) -> np.ndarray:
        """Of each foot, shape (n_legs,)."""
        return np.broadcast_to(self.params.friction_coeff if self.mu is None else self.mu, self.params.n_legs)

    @property
    def stiffness(self) -> np.ndarray:
        """Of each leg, 0 of a lost one, shape (n_legs,) [N/m]."""
        return np.where(np.isin(np.arange(self.params.n_legs), self.lost), 0.0, self.params.leaf_k)

    @property
    def period(self) -> float:
        """Duration of a stride [s]."""
        return 1.0 / self.frequency

    def joints(self, controls, phase: float) -> tuple[np.ndarray, np.ndarray]:
        """Return yaw and roll of the pairs [rad] and their rates [rad/s], (n_pairs, 2) both, for controls (3,)."""
        yaw, crab, steering = controls
        cycles = phase / TURN
        gait = self.frequency, self.phase_offset, yaw, self.roll, steering
        return undulation_angles(cycles, *gait, n_pairs=self.params.n_segments, crab=crab)

    def _work(self) -> tuple[np.ndarray, ...]:
        pairs, n = self.params.n_segments, self.params.n_legs
        joints = np.empty((pairs, 2)), np.empty((pairs, 2)), np.empty((pairs, 2)), np.empty(3), np.empty((3, 3))
        solver = np.empty((1, n, 3)), np.empty((1, n, 3)), np.empty((SCRATCH_ROWS, n)), np.empty((1, OUT_COLUMNS))
        slopes = np.empty((3, 8)), np.empty((derivative.DERIVATIVE_ROWS, n))
        by = np.empty((3, n, derivative.FOOT_DERIVATIVES)), np.empty(3)
        return *joints, *solver, np.empty((1, n, 3)), np.empty(1, np.int64), *slopes, *by

    def stride(self, controls, phase: float = 0.0, strides: float = 1.0, derivatives: bool = True) -> SlidingStride:
        """Return the displacement of the body over a number of strides.

        Args:
            controls: Amplitude, crab and steering [rad], shape (3,), or (knots, 3), each for the same time.
            phase: Of the undulation at the start [rad].
            strides: All together.
            derivatives: Whether to compute those by the controls.

        Raises:
            ValueError: If the controls have another shape or are not finite.
        """
        values = np.atleast_2d(arrays.finite("controls", controls))
        if values.ndim != 2 or values.shape[1] != N_CONTROLS or not len(values):
            raise ValueError(f"controls must have shape (3,) or (knots, 3), got {np.shape(controls)}")
        per = max(1, math.ceil(self.frames * strides / len(values) - 1e-9))
        turn = TURN * strides / (per * len(values))
        pose, by_pose = np.zeros(3), np.zeros((3, len(values) if derivatives else 0, N_CONTROLS))
        arguments = self._robot, self.law.kernel_code, float(phase), turn, turn / (TURN * self.frequency)
        without = _walk(*arguments, np.ascontiguousarray(values), per, pose, by_pose, self._work())
        if without == FELL:
            pose[:], by_pose[:] = np.nan, np.nan
        return SlidingStride(pose, by_pose, max(0, without), without == FELL)
