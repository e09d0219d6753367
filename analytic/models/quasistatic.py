"""Batched steps of quasi-static multipods: kinematics, contact solver and motion of the body in one compiled loop.

A step moves the joints at constant speeds for a period, solves the contact model once, at the posture and speeds of
its end, and moves the body with the resulting twist, held for the period. There is no inertia.

Unlike the solver it is compiled without rearranging arithmetic: vectorised, the remainder of a batch could round
differently, and a robot's last digit would depend on the other robots.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, section 2.
"""

import math

import numpy as np

from ..compilation import jit
from ..contact.connection import law_with_kernel
from ..contact.kernels import HEIGHT, NO_EQUILIBRIUM, OMEGA, OUT_COLUMNS, PITCH, ROLL, SCRATCH_ROWS, STATUS_MASK, UX
from ..contact.kernels import frames as solve_frames
from ..contact.support import foot_table
from .multipod import SIDES, MultipodParams, foot_position, foot_velocity

# What a robot keeps from step to step.
KEPT = ("angle", "rate", "pose", "posture", "posture_rate", "velocity", "force", "out", "code")
X, Y, HEADING = range(3)  # columns of `pose`
POSTURE = (HEIGHT, ROLL, PITCH)  # columns of the solver that `posture` keeps, in this order


_position, _velocity = jit(foot_position), jit(foot_velocity)


@jit
def _turn(action, speed, limits, dt, angle, rate):
    """Turn the joints of one robot; `rate` becomes what they really did, which limits may have cut short."""
    for k in range(angle.shape[0]):
        for d in range(2):
            asked = angle[k, d] + action[2 * k + d] * speed * dt
            new = min(max(asked, -limits[d]), limits[d])
            rate[k, d] = (new - angle[k, d]) / dt
            angle[k, d] = new


@jit
def place_feet(axle_x, reach, height, angle, rate, pos, vel):
    """Write positions and velocities of the unloaded feet of one robot, body frame."""
    for k in range(angle.shape[0]):
        yaw, roll = angle[k, 0], angle[k, 1]
        for side in range(2):
            y, j = reach * SIDES[side], 2 * k + side
            pos[j, 0], pos[j, 1], pos[j, 2] = _position(axle_x[k], y, -height, yaw, roll)
            vel[j, 0], vel[j, 1], vel[j, 2] = _velocity(y, -height, yaw, roll, rate[k, 0], rate[k, 1])


@jit
def move(twist, dt, pose):
    """Move one body by a twist (u, v, omega) held for dt, exactly; return its mean velocity in the world."""
    half = 0.5 * twist[2] * dt
    chord = dt * (math.sin(half) / half if abs(half) > 1e-8 else 1.0)
    cos, sin = chord * math.cos(pose[HEADING] + half), chord * math.sin(pose[HEADING] + half)
    dx, dy = cos * twist[0] - sin * twist[1], sin * twist[0] + cos * twist[1]
    pose[X] += dx
    pose[Y] += dy
    pose[HEADING] += 2.0 * half
    return dx / dt, dy / dt


@jit
def _step(action, hold, robot, law, dt, state, solver):
    """Advance every robot except those to `hold`, which are only solved in place; see `Robots` for the arrays."""
    speed, limits, axle_x, reach, height, table, weight = robot
    angle, rate, pose, posture, posture_rate, velocity = state
    pos, vel, s, out, force, code = solver
    for i in range(len(angle)):
        if hold[i]:
            rate[i] = 0.0
        else:
            _turn(action[i], speed, limits, dt, angle[i], rate[i])
        place_feet(axle_x, reach, height, angle[i], rate[i], pos[i], vel[i])
    solve_frames(0, len(angle), pos, vel, table, weight, law[0], law[1], False, s, out, force, code)
    for i in range(len(angle)):
        velocity[i] = 0.0
        if not hold[i] and code[i] & STATUS_MASK != NO_EQUILIBRIUM:
            velocity[i, 0], velocity[i, 1] = move(out[i, UX : OMEGA + 1], dt, pose[i])
        for k in range(len(POSTURE)):
            posture_rate[i, k] = 0.0 if hold[i] else (out[i, POSTURE[k]] - posture[i, k]) / dt
            posture[i, k] = out[i, POSTURE[k]]


class Robots:
    """Multipods, all alike, on flat ground; the first dimension of every array counts them.

    Attributes:
        angle: Yaw and roll of each segment, shape (n, n_segments, 2) [rad].
        rate: Their rates in the last step [rad/s].
        pose: x, y and heading of the centre of mass in the world, shape (n, 3) [m, m, rad].
        posture: Height, roll and pitch, shape (n, 3) [m, rad, rad]; NaN without equilibrium.
        posture_rate: How fast they changed in the last step.
        velocity: Mean of the last step in the world, shape (n, 2) [m/s].
        force: On each foot, frame of the heading, shape (n, n_legs, 3) [N]; NaN without equilibrium.
        code, out: The solver's, as in `contact.kernels`.
    """

    def __init__(self, n: int, params: MultipodParams, law, dt: float):
        """Take so many robots, a law with a kernel or its name, and the length of a step [s]."""
        self.params, self.law, self.dt = params, law_with_kernel(law), float(dt)
        shape, legs = (n, params.n_segments, 2), params.n_legs
        self.angle, self.rate = np.zeros(shape), np.zeros(shape)
        self.pose, self.posture, self.posture_rate = np.zeros((3, n, 3))
        self.velocity = np.zeros((n, 2))
        self._pos, self._vel, self.force = np.zeros((3, n, legs, 3))
        self._scratch, self.out = np.empty((SCRATCH_ROWS, legs)), np.zeros((n, OUT_COLUMNS))
        self.code = np.zeros(n, np.int64)
        self._robot = (
            float(params.motor.no_load_speed),
            np.array([params.yaw_range, params.roll_range]),
            params.axle_x,
            float(params.reach),
            float(params.height),
            foot_table(legs, params.leaf_k, params.friction_coeff, None, 0.0)[None],
            np.array([params.total_mass * params.g]),
        )

    @property
    def twist(self) -> np.ndarray:
        """Velocity of the body in the frame of its heading: u, v [m/s] and omega [rad/s], shape (n, 3)."""
        return self.out[:, UX : OMEGA + 1]

    @property
    def broken(self) -> np.ndarray:
        """Which robots find no equilibrium: their centre of mass is not over their feet, shape (n,)."""
        return self.code & STATUS_MASK == NO_EQUILIBRIUM

    def start(self, robots: np.ndarray, angle: np.ndarray) -> None:
        """Put some robots, by their indices, at the origin, at rest with these joint angles (count, n_segments, 2)."""
        limits = self._robot[1]
        few = Robots(len(robots), self.params, self.law, self.dt)
        few.angle[:] = np.clip(angle, -limits, limits)
        few.step(np.zeros((len(robots), 2 * self.params.n_segments)), np.ones(len(robots), bool))
        for name in KEPT:
            getattr(self, name)[robots] = getattr(few, name)

    def step(self, action: np.ndarray, hold: np.ndarray) -> None:
        """Advance by one period, in place.

        Args:
            action: Speeds of the joints as shares of the servos' no-load speed, shape (n, 2 n_segments) of float64.
            hold: Robots that do not move, shape (n,) of bool.
        """
        state = (self.angle, self.rate, self.pose, self.posture, self.posture_rate, self.velocity)
        solver = (self._pos, self._vel, self._scratch, self.out, self.force, self.code)
        _step(action, hold, self._robot, self.law.kernel_code, self.dt, state, solver)
