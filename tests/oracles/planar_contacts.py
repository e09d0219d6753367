"""Planar rigid bodies with Coulomb contact, from event to event: a second way to the answers of the contact suite.

Reads a case whose motion is parallel to the plane y = 0 and writes Newton-Euler equations for the corners, points and
spheres that touch faces. Which contacts stick, slide or open is found by trying all combinations for one whose
accelerations and forces fulfil Coulomb's conditions (a linear program, as feet may share their loads in many ways).
Coordinates of a body are x, z and the angle about y. Faces do not turn: bodies that carry one must not rotate.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

CLOSED, AT_REST = 1e-9, 1e-8  # gap [m] and slip [m/s] below which a contact touches, and may stick


@dataclass
class Touch:
    """A point of one body (of a sphere: its centre and radius) at a face of another."""

    index: int  # of the case's contact
    sign: float  # +1 if the point belongs to the first body of the contact
    body: str
    face: str
    point: np.ndarray  # in the body's frame: x and z
    radius: float
    origin: np.ndarray  # of the face, from the centre of its body
    normal: np.ndarray
    mu: float

    @property
    def tangent(self):
        return np.array([self.normal[1], -self.normal[0]])


def turned(angle, vector):
    """Rotate about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] + s * vector[1], -s * vector[0] + c * vector[1]])


def tilt(quaternion):
    assert quaternion[1] == quaternion[3] == 0, "not in the plane"
    return 2 * np.arctan2(quaternion[2], quaternion[0])


class Planar:
    """The motion of a case; `at(t)` and `forces(t)` evaluate it."""

    def __init__(self, case):
        self.case, self.bodies = case, {b["name"]: b for b in case["bodies"]}
        self.free = [b["name"] for b in case["bodies"] if "mass" in b]
        self.mass = np.concatenate([[b["mass"]] * 2 + [b["inertia"][1]] for b in map(self.bodies.get, self.free)])
        self.touches = [t for n, contact in enumerate(case["contacts"]) for t in self._touches(n, contact)]
        self.pieces = []  # first and last time, solution, mode
        self._run()

    def _touches(self, n, contact):
        for one, other in contact["pairs"]:
            for sign, a, b in ((1.0, one, other), (-1.0, other, one)):
                for point, radius in self._points(a):
                    for origin, normal in self._faces(b):
                        t = Touch(
                            n,
                            sign,
                            a.split(".")[0],
                            b.split(".")[0],
                            point,
                            radius,
                            origin,
                            normal,
                            contact["friction"],
                        )
                        if abs(self._gap(t, self._pose(t.body)[:3], self._pose(t.face)[:3])) < 1e-7 and self._beside(
                            t, b
                        ):
                            yield t

    def _shape(self, name):
        body, shape = name.split(".")
        return next(s for s in self.bodies[body]["shapes"] if s["name"] == shape)

    def _points(self, name):
        shape = self._shape(name)
        place = np.array(shape["position"])[[0, 2]]
        if shape["type"] == "box":
            return [(place + [i * shape["size"][0], k * shape["size"][2]], 0.0) for i in (-1, 1) for k in (-1, 1)]
        return {"sphere": [(place, (shape["size"] or [0])[0])], "point": [(place, 0.0)], "plane": []}[shape["type"]]

    def _faces(self, name):
        shape, angle = self._shape(name), tilt(self.bodies[name.split(".")[0]]["quaternion"])
        up = turned(angle, [0.0, 1.0])
        if shape["type"] == "plane":
            return [(np.zeros(2), up)]
        if shape["type"] == "box":
            return [(k * up * shape["size"][2], k * up) for k in (-1, 1)]
        return []

    def _beside(self, touch, face):
        """Whether a point is over a face, not beyond its end."""
        shape = self._shape(face)
        if shape["type"] == "plane":
            return True
        away = (self._pose(touch.body)[:2] + self._arm(touch, self._pose(touch.body)[2])) - self._pose(touch.face)[:2]
        return abs(away @ touch.tangent) <= shape["size"][0] + 1e-9

    def _pose(self, name):
        body = self.bodies[name]
        angle = tilt(body["quaternion"])
        return np.array([body["position"][0], body["position"][2], angle])

    def _arm(self, touch, angle):
        return turned(angle, touch.point) - touch.radius * touch.normal

    def _gap(self, touch, pose, face):
        return touch.normal @ (pose[:2] + self._arm(touch, pose[2]) - face[:2] - touch.origin)

    def _rail(self, name, t):
        """Return place and velocity along x that a driven body has gained."""
        motion = self.bodies[name].get("motion")
        if not motion:
            return 0.0, 0.0
        assert motion["axis"] == [1, 0, 0]
        ends = np.array([*motion["times"][1:], np.inf])
        spans = np.clip(t - np.array(motion["times"]), 0, ends - motion["times"])
        now = np.searchsorted(motion["times"], t + 1e-12, side="right") - 1
        return spans @ motion["velocities"], motion["velocities"][now]

    def _rows(self, touch, t, state):
        """Return gap, slip speeds, the two rows of the Jacobian and what the velocities add to the accelerations."""
        q, v = np.split(state, 2)
        i, n = 3 * self.free.index(touch.body), len(self.mass)
        arm, rows, bias = self._arm(touch, q[i + 2]), np.zeros((2, n)), np.zeros(2)
        for row, axis in zip(rows, (touch.normal, touch.tangent), strict=True):
            row[i : i + 3] = [*axis, axis @ [arm[1], -arm[0]]]
        swing = -(v[i + 2] ** 2) * turned(q[i + 2], touch.point)  # the lowest point of a sphere does not turn with it
        bias[:] = touch.normal @ swing, touch.tangent @ swing
        carrier = self._pose(touch.face)
        carried = np.zeros(2)
        if touch.face in self.free:
            k = 3 * self.free.index(touch.face)
            carrier = q[k : k + 3]
            assert abs(carrier[2] - self._pose(touch.face)[2]) < 1e-9, "a face turns"
            rows[0, k : k + 2], rows[1, k : k + 2] = -touch.normal, -touch.tangent
            away = q[i : i + 2] + arm - carrier[:2]
            rows[:, k + 2] = -touch.normal @ [away[1], -away[0]], -touch.tangent @ [away[1], -away[0]]
        else:
            shift, speed = self._rail(touch.face, t)
            carrier = carrier + [shift, 0, 0]
            carried = -speed * np.array([touch.normal[0], touch.tangent[0]])
        return self._gap(touch, q[i : i + 3], carrier), rows @ v + carried, rows, bias

    def _load(self, t, state):
        """Return weights and pushes."""
        total = np.zeros(len(self.mass))
        for k, name in enumerate(self.free):
            total[3 * k : 3 * k + 2] = self.bodies[name]["mass"] * np.array(self.case["gravity"])[[0, 2]]
        for push in self.case["forces"]:
            first, last = push.get("during", (0.0, np.inf))
            if first <= t + 1e-12 < last:
                k = 3 * self.free.index(push["body"])
                force = np.array(push["force"])[[0, 2]]
                arm = turned(state[k + 2], np.array(push["point"])[[0, 2]])
                total[k : k + 3] += [*force, arm[1] * force[0] - arm[0] * force[1]]
        return total

    def _system(self, t, state, mode):
        """Return the linear equations of a mode for accelerations and forces (normal and tangential of each touch)."""
        n, m = len(self.mass), len(self.touches)
        matrix, right = [], []
        dynamics = np.hstack([np.diag(self.mass), np.zeros((n, 2 * m))])
        for k, (touch, kind) in enumerate(zip(self.touches, mode, strict=True)):
            _, _, rows, bias = self._rows(touch, t, state)
            dynamics[:, n + 2 * k : n + 2 * k + 2] = -rows.T
            unit = np.eye(n + 2 * m)[n + 2 * k : n + 2 * k + 2]
            if kind == "open":
                matrix += [*unit]
                right += [0.0, 0.0]
                continue
            matrix.append(np.hstack([rows[0], np.zeros(2 * m)]))
            right.append(-bias[0])
            if kind == "stick":
                matrix.append(np.hstack([rows[1], np.zeros(2 * m)]))
                right.append(-bias[1])
            else:
                matrix.append(unit[1] + kind * touch.mu * unit[0])
                right.append(0.0)
        return np.vstack([dynamics, *matrix]), np.concatenate([self._load(t, state), right])

    def _allowed(self, t, state, mode, slips):
        """Return whether accelerations and forces of a mode fulfil the inequalities."""
        n, m = len(self.mass), len(self.touches)
        matrix, right = self._system(t, state, mode)
        bounded, limits = [], []
        for k, (touch, kind) in enumerate(zip(self.touches, mode, strict=True)):
            _, _, rows, bias = self._rows(touch, t, state)
            unit = np.eye(n + 2 * m)[n + 2 * k : n + 2 * k + 2]
            if kind == "open":
                bounded.append(np.hstack([-rows[0], np.zeros(2 * m)]))
                limits.append(bias[0])
                continue
            bounded.append(-unit[0])
            limits.append(0.0)
            if kind == "stick":
                bounded += [unit[1] - touch.mu * unit[0], -unit[1] - touch.mu * unit[0]]
                limits += [0.0, 0.0]
            elif abs(slips[k]) < AT_REST and touch.mu:
                bounded.append(np.hstack([-kind * rows[1], np.zeros(2 * m)]))
                limits.append(kind * bias[1])
        scale = max(1.0, np.abs(right).max())
        found = linprog(
            np.zeros(n + 2 * m), bounded, np.array(limits) / scale, matrix, right / scale, bounds=(None, None)
        )
        return found.status == 0

    def _mode(self, t, state):
        """Return the first mode that Coulomb's conditions allow."""
        options, slips = [], []
        for touch in self.touches:
            gap, (closing, slip), _, _ = self._rows(touch, t, state)
            slips.append(slip)
            if gap > CLOSED or closing > AT_REST:
                options.append(["open"])
            elif touch.mu == 0:
                options.append([1.0, "open"])
            elif abs(slip) < AT_REST:
                options.append(["stick", 1.0, -1.0, "open"])
            else:
                options.append([np.sign(slip), "open"])
        for mode in itertools.product(*options):
            if self._allowed(t, state, mode, slips):
                return mode, slips
        raise AssertionError(f"no mode at {t}")

    def _solve(self, t, state, mode):
        matrix, right = self._system(t, state, mode)
        solution = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
        assert np.abs(matrix @ solution - right).max() < 1e-8 * max(1.0, np.abs(right).max())
        return solution

    def _run(self):
        poses = np.concatenate([self._pose(name) for name in self.free])
        rates = [
            [b["velocity"][0], b["velocity"][2], b["angular_velocity"][1]] for b in map(self.bodies.get, self.free)
        ]
        state, t, last, n = np.concatenate([poses, *rates]), 0.0, self.case["duration"], len(self.mass)
        breaks = {x for push in self.case["forces"] for x in push.get("during", ())}
        breaks |= {x for body in self.case["bodies"] for x in body.get("motion", {"times": ()})["times"]}
        breaks = sorted({x for x in breaks if 0 < x < last} | {last})
        while t < last - 1e-12:
            end = next(x for x in breaks if x > t + 1e-12)
            mode, slips = self._mode(t, state)

            if max(np.abs(state[n:]).max(), np.abs(self._solve(t, state, mode)[:n]).max()) < 1e-10:
                self.pieces.append((t, end, lambda _, state=state: state, mode))  # at rest: spares an integration
                t = end
                continue

            def flow(t, y, mode=mode):
                return [*y[n:], *self._solve(t, y, mode)[:n]]

            events = []
            for k, (touch, kind) in enumerate(zip(self.touches, mode, strict=True)):
                if isinstance(kind, float) and touch.mu and abs(slips[k]) >= AT_REST:
                    # Until just before the end: there a belt changes its speed.
                    until = end - 1e-9
                    events.append(lambda t, y, touch=touch, until=until: self._rows(touch, min(t, until), y)[1][1])
                if kind != "open":
                    events.append(lambda t, y, k=k, mode=mode: self._solve(t, y, mode)[n + 2 * k] + 1e-9)
            for event in events:
                event.terminal = True
            limits = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853", "dense_output": True}
            piece = solve_ivp(flow, (t, end), state, events=events, **limits)
            self.pieces.append((t, piece.t[-1], piece.sol, mode))
            assert piece.t[-1] > t + 1e-12 and len(self.pieces) < 50, "no progress"
            t, state = piece.t[-1], piece.y[:, -1].copy()

    def _piece(self, t):
        return next((p for p in self.pieces if t <= p[1] + 1e-12), self.pieces[-1])

    def body(self, name, t):
        """Return place and velocity (x, z, angle) of a body."""
        if name not in self.free:
            shift, speed = self._rail(name, t)
            return self._pose(name) + [shift, 0, 0], np.array([speed, 0.0, 0.0])
        k, state = 3 * self.free.index(name), self._piece(t)[2](t)
        half = len(state) // 2
        return state[k : k + 3], state[half + k : half + k + 3]

    def force(self, name, direction, t):
        """Return a component of a contact's force on its first body; fails if the equations do not determine it."""
        _, _, solution, mode = self._piece(t)
        state, n = solution(t), len(self.mass)
        matrix, right = self._system(t, state, mode)
        functional = np.zeros(matrix.shape[1])
        for k, touch in enumerate(self.touches):
            if self.case["contacts"][touch.index]["name"] == name:
                pull = touch.sign * np.array([touch.normal @ direction, touch.tangent @ direction])
                functional[n + 2 * k : n + 2 * k + 2] += pull
        weights, *_ = np.linalg.lstsq(matrix.T, functional, rcond=1e-12)
        assert np.abs(matrix.T @ weights - functional).max() < 1e-9, "the force is not determined"
        return weights @ right
