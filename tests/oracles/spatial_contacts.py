"""A rigid body in space on the level plane, on point feet or as a sphere: Newton-Euler equations with Coulomb friction.

A second way to answers of the contact suite. Loads follow from the feet's staying on the plane, and are the smallest in
the sum of squares where that does not determine them. The end of sliding is extrapolated from where motion is slow.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

SLOW = 1e-5  # speed below which the body is taken to come to rest at the deceleration it has [m/s, rad/s]
START = 1e-6  # how long a body that is pushed from rest keeps its first acceleration [s]
UP = np.array([0.0, 0.0, 1.0])


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def spin_rate(q, spin):
    w, v = q[0], q[1:]
    return 0.5 * np.concatenate([[-v @ spin], w * spin + np.cross(spin, v)])


class Spatial:
    """The motion of one body of a case; `at(t)` is position, quaternion, velocity and angular velocity, stacked."""

    def __init__(self, case, name):
        self.body = next(body for body in case["bodies"] if body["name"] == name)
        contact = next(contact for contact in case["contacts"] if contact["between"][0] == name)
        self.mu = np.array(contact["friction"] if isinstance(contact["friction"], list) else [contact["friction"]] * 2)
        self.pushes = [push for push in case["forces"] if push["body"] == name]
        self.weight = self.body["mass"] * np.array(case["gravity"])
        self.sphere = self.body["shapes"][0]["type"] == "sphere"
        self.last, self.pieces = case["duration"], []
        self._run()

    def _arms(self, turn):
        if self.sphere:
            return np.array([[0.0, 0.0, -self.body["shapes"][0]["size"][0]]])
        return np.array([shape["position"] for shape in self.body["shapes"]]) @ turn.T

    def slips(self, state):
        return state[7:10] + np.cross(state[10:], self._arms(rotation(state[3:7])))

    def accelerations(self, state, rolling=False, pinned=None):
        """Return linear and angular acceleration, and the force on every foot."""
        turn, spin = rotation(state[3:7]), state[10:]
        arms = self._arms(turn)
        inertia = turn @ np.diag(self.body["inertia"]) @ turn.T
        mass = np.block([[self.body["mass"] * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), inertia]])
        load = np.concatenate([self.weight, -np.cross(spin, inertia @ spin)])
        for push in self.pushes:
            load += [*push["force"], *np.cross(turn @ push["point"], push["force"])]
        n = len(arms)
        slips = self.slips(state)
        rows = [np.hstack([np.eye(3), -_cross(arm)]) for arm in arms]  # velocity of a foot
        swing = np.zeros((n, 3)) if self.sphere else np.cross(spin, np.cross(spin, arms))
        if rolling:
            system = np.block([[mass, -rows[0].T], [rows[0], np.zeros((3, 3))]])
            solution = np.linalg.solve(system, np.concatenate([load, np.zeros(3)]))
            return solution[:6], solution[None, 6:]
        scaled = slips[:, :2] * self.mu
        drag = -self.mu * scaled / np.linalg.norm(scaled, axis=1)[:, None]
        direction = np.hstack([drag, np.ones((n, 1))])  # of a foot's force, for a load of 1
        pulls = np.transpose([row.T @ d for row, d in zip(rows, direction, strict=True)])
        closing = np.array([row[2] for row in rows])
        system = np.block([[mass, -pulls], [closing, np.zeros((n, n))]])
        right = np.concatenate([load, -swing[:, 2]])
        if pinned is not None:  # friction of the foot at rest is two more unknowns, for that it stays
            pulls[:, pinned] = rows[pinned][2]
            held = np.vstack([rows[pinned][:2].T, np.zeros((n, 2))])
            stay = np.hstack([rows[pinned][:2], np.zeros((2, n + 2))])
            system = np.vstack([np.hstack([np.block([[mass, -pulls], [closing, np.zeros((n, n))]]), -held]), stay])
            right = np.concatenate([right, -swing[pinned, :2]])
        solution = np.linalg.lstsq(system, right, rcond=1e-12)[0]
        loads = solution[6 : 6 + n]
        assert (loads > 0).all(), "a foot lifts"
        if pinned is not None:
            direction[pinned] = [*(solution[6 + n :] / loads[pinned]), 1.0]
            assert np.linalg.norm(solution[6 + n :] / self.mu) <= loads[pinned], "the foot at rest slips"
        return solution[:6], loads[:, None] * direction

    def first(self):
        """Return the acceleration from rest that makes Gauss's function of the accelerations the least."""
        state = self.at_start()
        arms, mass, spin_inertia = self._arms(np.eye(3)), self.body["mass"], self.body["inertia"][2]
        loads = np.linalg.lstsq([[1] * len(arms), *arms.T[:2]], [-self.weight[2], 0, 0], rcond=None)[0]
        assert (self.mu[0] == self.mu[1]) and not arms[:, 2].any()
        force = sum(np.array(push["force"]) for push in self.pushes)
        moment = sum(np.cross(push["point"], push["force"])[2] for push in self.pushes)

        def gauss(a):
            slips = np.hypot(a[0] - a[2] * arms[:, 1], a[1] + a[2] * arms[:, 0])
            power = force[:2] @ a[:2] + moment * a[2]
            return (mass * (a[0] ** 2 + a[1] ** 2) + spin_inertia * a[2] ** 2) / 2 - power + self.mu[0] * loads @ slips

        exact = {"xatol": 1e-12, "fatol": 1e-17, "maxiter": 10000, "maxfev": 10000}
        a = minimize(gauss, [0.0, 0.1, 0.1], method="Nelder-Mead", options=exact).x
        state[7:9], state[12] = a[:2] * START, a[2] * START
        state[:2] += a[:2] * START**2 / 2
        state[3:7] = [1.0, 0.0, 0.0, a[2] * START**2 / 4]
        return state

    def at_start(self):
        return np.concatenate([self.body[k] for k in ("position", "quaternion", "velocity", "angular_velocity")])

    def _run(self):
        state, t = self.at_start(), 0.0
        if np.abs(state[7:]).max() == 0 and self.pushes:
            state, t = self.first(), START
        rolling, pinned = self.sphere and np.abs(self.slips(state)[:, :2]).max() < 1e-12, None

        def flow(_, y):
            return [*y[7:10], *spin_rate(y[3:7], y[10:]), *self.accelerations(y, rolling, pinned)[0]]

        def slow(_, y):
            return np.linalg.norm([*y[7:10], *y[10:]]) - SLOW

        def stops(_, y):  # the foot that slides least
            if pinned is not None or np.abs(y[7:]).max() < 1e-3:
                return 1.0
            return np.linalg.norm(self.slips(y), axis=1).min() - 1e-9

        slow.terminal = stops.terminal = True
        slow.direction = stops.direction = -1
        limits = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13, "dense_output": True}
        while t < self.last:
            events = [slow] if self.sphere or self.mu[0] != self.mu[1] or not self.body["angular_velocity"][2] else None
            events = [] if rolling else [stops] if self.sphere else events or [slow, stops]
            piece = solve_ivp(flow, (t, self.last), state, events=events, **limits)
            t, state = piece.t[-1], piece.y[:, -1]
            self.pieces.append((t, piece.sol, (rolling, pinned)))
            if t >= self.last:
                break
            if self.sphere:
                rolling = True
            elif np.linalg.norm(state[7:]) > 2 * SLOW:
                pinned = int(np.linalg.norm(self.slips(state), axis=1).argmin())
            else:  # the rest of the way at constant deceleration
                rate = self.accelerations(state, False, pinned)[0]
                left = np.linalg.norm(state[7:]) / np.linalg.norm(rate)
                still = state.copy()
                still[:3] += state[7:10] * left / 2
                still[7:] = 0.0
                self.pieces.append((self.last, lambda t, still=still: still, None))
                break

    def at(self, t):
        return next(sol for end, sol, _ in self.pieces if t <= end + 1e-12)(t)

    def force(self, t):
        """Return the sum of the forces on the feet."""
        _, sol, mode = next(piece for piece in self.pieces if t <= piece[0] + 1e-12)
        return self.accelerations(sol(t), *mode)[1].sum(axis=0)


def _cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
