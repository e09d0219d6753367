r"""A rigid cube thrown onto flat ground, by time stepping with complementarity.

State x = (position [m], quaternion w first, velocity [m/s], angular velocity [rad/s]), shape (13,), of the world. The
corners are spheres, of radius zero for a sharp cube. A step of length h makes of the velocities without contact those
that the impulses of the touching corners leave (Stewart and Trinkle 1996; Anitescu and Potra 1997):

.. math:: 0 \le P_n \perp h v_n + \mathrm{gap} \ge 0, \qquad |P_t| \le \mu P_n, \quad P_t \text{ against } v_t,

where a corner that meets the ground faster than gravity makes it in two steps parts e times as fast. The conditions are
solved by projected Gauss-Seidel sweeps over the four lowest corners. A cube has the same inertia about all axes, so
that its spin is constant in flight.

It is not event-driven: where corners meet the ground together, the laws of impact at one point do not say what happens,
and a cube that falls flat does nothing else.
"""

import math
from dataclasses import astuple, dataclass

import numpy as np

from ..compilation import jit
from ..finite import check_signs

LOWEST = 4  # corners that may touch flat ground together
SWEEPS = 50
SETTLED = 1e-10  # largest change of an impulse in a sweep, over mass times one m/s, at which sweeps end


@dataclass(frozen=True)
class RigidCube:
    """Parameters of the cube and the ground."""

    half_width: float = 0.0524  # [m]
    mass: float = 0.37  # [kg]
    inertia: float = 1.1e-3  # about any axis [kg m^2]
    corner_radius: float = 0.0  # [m]
    mu: float = 0.18
    restitution: float = 0.0
    gravity: float = 9.81  # [m/s^2], positive

    def __post_init__(self) -> None:
        check_signs(self, ("half_width", "mass", "inertia", "gravity"), ("mu",))
        if not 0 <= self.corner_radius <= self.half_width:
            raise ValueError(f"corner_radius must lie from 0 to half_width, got {self.corner_radius} m")
        if not 0 <= self.restitution <= 1:
            raise ValueError(f"restitution must lie from 0 to 1, got {self.restitution}")


def energy(params: RigidCube, x: np.ndarray) -> float:
    """Return the mechanical energy, zero at rest with the centre at z = 0 [J]."""
    moving = params.mass * x[7:10] @ x[7:10] + params.inertia * x[10:13] @ x[10:13]
    return float(moving / 2 + params.mass * params.gravity * x[2])


def simulate(params: RigidCube, start: np.ndarray, n_frames: int, span: float, n_steps: int) -> np.ndarray:
    """Return the states at frames, the start first, shape (n_frames, 13).

    Args:
        params: Of cube and ground.
        start: State, shape (13,).
        n_frames: How many.
        span: Time between frames [s].
        n_steps: Steps between frames: the error is of first order in their length.

    Raises:
        ValueError: If the start is no state, or there is nothing to simulate.
    """
    x = np.array(start, float)
    if x.shape != (13,) or not np.isfinite(x).all() or not abs(np.linalg.norm(x[3:7]) - 1.0) < 1e-6:
        raise ValueError("a start must be 13 finite numbers, with a quaternion of norm 1")
    if n_frames < 1 or n_steps < 1 or not span > 0:
        raise ValueError(f"n_frames, n_steps and span must be positive, got {n_frames}, {n_steps} and {span}")
    out = np.empty((n_frames, 13))
    _simulate(np.array(astuple(params)), x, span / n_steps, n_steps, out)
    return out


def corners(params: RigidCube, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gaps, shape (4,) [m], and arms from the centre, shape (4, 3) [m], of the corners that may touch."""
    gap, arms = np.empty(LOWEST), np.empty((LOWEST, 3))
    _corners(np.array(astuple(params)), x, gap, arms)
    return gap, arms


@jit
def _corners(p, x, gap, arms):
    """Write gaps and arms of the four lowest corners, lowest first."""
    half, radius = p[0] - p[3], p[3]
    w, i, j, k = x[3], x[4], x[5], x[6]
    R = np.empty((3, 3))
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)
    # From the lowest one, along the two flattest edges; then across their face, or along the third if that is lower.
    rise = np.abs(R[2])
    order = np.argsort(rise)
    is_across = rise[order[0]] + rise[order[1]] < rise[order[2]]
    for corner in range(LOWEST):
        for axis in range(3):
            arms[corner, axis] = 0.0
        for side in range(3):
            sign = -half if R[2, side] > 0 else half
            if corner == 3 and is_across:
                sign = sign if side == order[2] else -sign
            elif corner > 0 and side == order[corner - 1]:
                sign = -sign
            for axis in range(3):
                arms[corner, axis] += sign * R[axis, side]
        arms[corner, 2] -= radius
        gap[corner] = x[2] + arms[corner, 2]


@jit
def _choose(p, x, h, gap, arms, wanted, touching):
    """Choose which corners touch in this step, and how fast they must rise at least."""
    fall = p[6] * h
    for c in range(LOWEST):
        before = x[9] + x[10] * arms[c, 1] - x[11] * arms[c, 0]
        touching[c] = gap[c] + h * (before - fall) < 0.0
        wanted[c] = -max(gap[c], 0.0) / h
        if p[5] > 0.0 and before < -2.0 * fall:
            wanted[c] = -p[5] * before


@jit
def _push(x, a, px, py, pz, mass, inertia):
    """Add an impulse at the arm a to the velocities."""
    x[7] += px / mass
    x[8] += py / mass
    x[9] += pz / mass
    x[10] += (a[1] * pz - a[2] * py) / inertia
    x[11] += (a[2] * px - a[0] * pz) / inertia
    x[12] += (a[0] * py - a[1] * px) / inertia


@jit
def _solve(p, x, arms, wanted, touching, impulse):
    """Add the impulses of the touching corners to the velocities, by sweeps until they change no more."""
    mass, inertia, mu = p[1], p[2], p[4]
    impulse[:] = 0.0
    for _ in range(SWEEPS):
        change = 0.0
        for c in range(LOWEST):
            if not touching[c]:
                continue
            a, old = arms[c], impulse[c]
            square = a[0] * a[0] + a[1] * a[1]
            rise = x[9] + x[10] * a[1] - x[11] * a[0]
            normal = max(old[2] - (rise - wanted[c]) / (1.0 / mass + square / inertia), 0.0)
            change = max(change, abs(normal - old[2]))
            _push(x, a, 0.0, 0.0, normal - old[2], mass, inertia)
            # An upper bound of the tangential mobility, with which the iteration contracts.
            mobility = 1.0 / mass + (square + a[2] * a[2]) / inertia
            along = old[0] - (x[7] + x[11] * a[2] - x[12] * a[1]) / mobility
            across = old[1] - (x[8] + x[12] * a[0] - x[10] * a[2]) / mobility
            size = math.hypot(along, across)
            if size > mu * normal:
                along, across = along * mu * normal / size, across * mu * normal / size
            change = max(change, abs(along - old[0]), abs(across - old[1]))
            _push(x, a, along - old[0], across - old[1], 0.0, mass, inertia)
            old[0], old[1], old[2] = along, across, normal
        if change < SETTLED * mass:
            break


@jit
def _move(x, h):
    """Move position and rotation by the velocities held for h, exactly."""
    for axis in range(3):
        x[axis] += h * x[7 + axis]
    angle = h * math.sqrt(x[10] * x[10] + x[11] * x[11] + x[12] * x[12])
    share = 0.5 * h * (math.sin(angle / 2) / (angle / 2) if angle > 1e-12 else 1.0)
    c, i, j, k = math.cos(angle / 2), share * x[10], share * x[11], share * x[12]
    w, u, v, z = x[3], x[4], x[5], x[6]
    x[3] = c * w - i * u - j * v - k * z
    x[4] = c * u + i * w + j * z - k * v
    x[5] = c * v - i * z + j * w + k * u
    x[6] = c * z + i * v - j * u + k * w
    norm = math.sqrt(x[3] ** 2 + x[4] ** 2 + x[5] ** 2 + x[6] ** 2)
    for n in range(3, 7):
        x[n] /= norm


@jit
def _simulate(p, x, h, n_steps, out):
    """Write the states at frames that lie n_steps steps of h apart."""
    gap, arms, impulse = np.empty(LOWEST), np.empty((LOWEST, 3)), np.empty((LOWEST, 3))
    wanted, touching = np.empty(LOWEST), np.empty(LOWEST, np.bool_)
    for frame in range(len(out)):
        if frame:
            for _ in range(n_steps):
                _corners(p, x, gap, arms)
                _choose(p, x, h, gap, arms, wanted, touching)
                x[9] -= p[6] * h
                if touching.any():
                    _solve(p, x, arms, wanted, touching, impulse)
                _move(x, h)
        out[frame] = x
