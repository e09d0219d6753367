"""Rigid and soft contact of spheres on a level plane by fixed steps: M, h and J are MuJoCo's, contact is not.

Two ways to the motion of a robot under Coulomb friction that share no code with an event-driven one:

* `Rigid`: Moreau's time stepping (Jean, The non-smooth contact dynamics method, 1999), plastic, contact in impulses.
* `Soft`: a spring and a damper at each contact, MuJoCo's reference acceleration -2 v / tc - gap / (zeta tc)^2.

Both solve w = A p + b, K* contains w + s e_n, K contains p, p (w + s e_n) = 0, with the cone K of friction. `coulomb`
and `convex` say what s is: mu |w_t| makes it Coulomb's law (de Saxce and Feng, 1991), and zero MuJoCo's convex problem,
in which what slides has to open. Nothing else differs.
"""

import math
from dataclasses import dataclass

import mujoco
import numba
import numpy as np

SWEEPS, TOLERANCE = 3000, 1e-10  # of Gauss-Seidel; the residual relative to the largest impulse
NOTHING = 1e-6  # an impulse so small beside that which would stop a row counts as this one
ACCEPTED = 1e-7  # a residual above this is an error


@numba.njit
def coulomb(slip, mu):
    return mu * slip


@numba.njit
def convex(slip, mu):
    return 0.0


@numba.njit
def solve(A, b, mu, law, p):
    """Improve the impulses p, blocks of normal and two tangents, by Gauss-Seidel; return the last sweep's residual.

    A block repeats p = P(p - rho (w + s e_n)), P the projection on the cone: its fixed points are the solutions.
    """
    worst, most, top = 1.0, 1.0, 1e-300
    for i in range(len(b)):
        top = max(top, abs(b[i]) / A[i, i])
    for _ in range(SWEEPS):
        worst, most = 0.0, NOTHING * top
        for i in range(0, len(b), 3):
            rho = 1.0 / (A[i, i] + A[i + 1, i + 1] + A[i + 2, i + 2])
            w, x = np.zeros(3), np.zeros(3)
            for k in range(3):
                w[k] = b[i + k]
                for j in range(len(b)):
                    w[k] += A[i + k, j] * p[j]
            for repeat in range(50):
                change = _cone_step(w, mu, law, rho, p[i : i + 3], x)
                for k in range(3):
                    for j in range(3):
                        w[k] += A[i + k, i + j] * (x[j] - p[i + j])
                p[i : i + 3] = x
                worst = max(worst, change if repeat == 0 else 0.0)
                if change <= 0.1 * TOLERANCE * abs(x[0]):
                    break
            most = max(most, abs(p[i]))
        if worst <= TOLERANCE * most:
            break
    return worst / most


@numba.njit
def _cone_step(w, mu, law, rho, p, x):
    """Write P(p - rho (w + s e_n)) and return the largest change."""
    n = p[0] - rho * (w[0] + law(math.hypot(w[1], w[2]), mu))
    t1, t2 = p[1] - rho * w[1], p[2] - rho * w[2]
    size = math.hypot(t1, t2)
    if mu * size <= -n:
        n = t1 = t2 = 0.0
    elif size > mu * n:
        n = (n + mu * size) / (1.0 + mu * mu)
        t1, t2 = mu * n * t1 / size, mu * n * t2 / size
    change = max(abs(n - p[0]), abs(t1 - p[1]), abs(t2 - p[2]))
    x[0], x[1], x[2] = n, t1, t2
    return change


class Stepper:
    """A robot that is stepped: `start`, then `advance` to times that are whole steps away, with controls held.

    Joint limits are not stepped: to come to one is an error.
    """

    def __init__(self, model, feet, mu, dt, law=coulomb, height=0.0):
        self.model, self.mu, self.dt, self.law, self.height = model, mu, dt, law, height
        off = mujoco.mjtDisableBit
        model.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_CONSTRAINT)
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER  # others may put dampers into M
        self.data, self.time = mujoco.MjData(model), 0.0
        self.geoms = [model.geom(name).id for name in feet]
        self.radii, self.limited = model.geom_size[self.geoms, 0], np.flatnonzero(model.jnt_limited)
        self.last, self.jacobian = np.zeros((len(feet), 3)), np.zeros((3, model.nv))

    def start(self, qpos, qvel, ctrl=()):
        """Begin at a state, with nothing known of its contact."""
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = qpos, qvel, ctrl
        self.time, self.last[:] = 0.0, 0.0
        return self

    def advance(self, ctrl, time):
        """Step to a time with these controls and return the state, qpos and qvel."""
        steps = round((time - self.time) / self.dt)
        if abs(self.time + steps * self.dt - time) > 1e-9:
            raise ValueError(f"{time:g} s is no whole number of steps of {self.dt:g} s away")
        self.data.ctrl[:], self.time = ctrl, time
        for _ in range(steps):
            self.step()
        angle = self.data.qpos[self.model.jnt_qposadr[self.limited]]
        low, high = self.model.jnt_range[self.limited].T
        if np.any((angle < low) | (angle > high)):
            raise RuntimeError(f"a joint came to its limit at {time:g} s")
        return np.concatenate([self.data.qpos, self.data.qvel])

    def gaps(self):
        return self.data.geom_xpos[self.geoms, 2] - self.radii - self.height

    def _closed(self, right):
        """Return J^T f / M of the feet below the ground, f by the law of w = A f + right(J, feet)."""
        gaps = self.gaps()
        feet = np.flatnonzero(gaps <= 0.0)
        if not len(feet):
            self.last[:] = 0.0
            return 0.0
        model, data, rows = self.model, self.data, np.empty((3 * len(feet), self.model.nv))
        for k, foot in enumerate(feet):
            point = data.geom_xpos[self.geoms[foot]] - [0.0, 0.0, self.radii[foot]]
            mujoco.mj_jac(model, data, self.jacobian, None, point, model.geom_bodyid[self.geoms[foot]])
            rows[3 * k : 3 * k + 3] = self.jacobian[[2, 0, 1]]
        back, p = np.empty_like(rows), self.last[feet].ravel()
        mujoco.mj_solveM(model, data, back, rows)
        residual = solve(rows @ back.T, right(rows, gaps[feet]), self.mu, self.law, p)
        if not residual <= ACCEPTED:
            raise RuntimeError(f"contact was not solved at {data.time:g} s: a residual of {residual:.1e}")
        self.last[:] = 0.0
        self.last[feet] = p.reshape(-1, 3)
        return back.T @ p


class Rigid(Stepper):
    """Moreau's midpoint rule: v+ = v + dt M^-1 (tau - h) + M^-1 J^T p, all of it at the place half a step later.

    Of first order in dt: an impact is late by up to a step.
    """

    def step(self):
        model, data, dt = self.model, self.data, self.dt
        mujoco.mj_integratePos(model, data.qpos, data.qvel, 0.5 * dt)
        mujoco.mj_forward(model, data)
        free = data.qvel + dt * data.qacc_smooth
        data.qvel[:] = free + self._closed(lambda rows, gaps: rows @ free)
        mujoco.mj_integratePos(model, data.qpos, data.qvel, 0.5 * dt)


@dataclass
class Spring:
    """MuJoCo's `solref`: time constant [s] and damping ratio."""

    time_constant: float
    damping_ratio: float = 1.0


class Soft(Stepper):
    """Springs and dampers in series with nothing: w = J a - a_ref; semi-implicit Euler. Of first order in tc."""

    def __init__(self, model, feet, mu, dt, law, spring, height=0.0):
        super().__init__(model, feet, mu, dt, law, height)
        self.spring = spring

    def step(self):
        model, data, tc = self.model, self.data, self.spring.time_constant
        mujoco.mj_forward(model, data)
        smooth = data.qacc_smooth.copy()

        def right(rows, gaps):
            w = rows @ (smooth + 2.0 / tc * data.qvel)  # dJ/dt v is left out, as by MuJoCo
            w[::3] += gaps / (self.spring.damping_ratio * tc) ** 2
            return w

        data.qvel[:] += self.dt * (smooth + self._closed(right))
        mujoco.mj_integratePos(model, data.qpos, data.qvel, self.dt)
