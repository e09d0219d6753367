"""Frames and tripods whose feet slide on belts, integrated from the JSON of a case of the contact suite.

Coordinates are those of the trunk's centre, not of the common one; bodies are summed one by one. A foot that stands on
its belt is held by a multiplier; the loads of a rigid tripod are unknowns of the same linear system as its motion.
"""

import numpy as np
from scipy.integrate import solve_ivp

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
J = np.array([[0.0, -1.0], [1.0, 0.0]])


class Frame:
    """The first body of a case, with the bodies that hang on it by vertical slides, if any."""

    def __init__(self, case):
        self.case, self.trunk = case, case["bodies"][0]
        self.gravity = -case["gravity"][2]
        origin = np.array(self.trunk["position"])
        named = {body["name"]: body for body in case["bodies"]}
        self.riders = [named[joint["child"]] for joint in case["joints"]]
        self.masses = np.array([self.trunk["mass"], *(body["mass"] for body in self.riders)])
        self.moments = np.array([self.trunk["inertia"][2], *(body["inertia"][2] for body in self.riders)])
        self.arms = np.array([[0.0, 0.0], *((np.array(body["position"]) - origin)[:2] for body in self.riders)])
        springs = {j["child"]: -j["stiffness"] * j["rest"] for j in case["joints"]}
        self.springs = np.array(list(springs.values()))
        self.feet, self.belts, self.friction, loads = [], [], [], []
        for contact in case["contacts"]:
            name, _, shape = contact["between"][0].partition(".")
            foot = next((s for s in named[name]["shapes"] if s["name"] == shape), {"position": [0, 0, 0]})
            self.feet.append(np.array(named[name]["position"]) + foot["position"] - origin)
            motion = named[contact["between"][1].partition(".")[0]]["motion"]
            self.belts.append(np.array(motion["axis"])[:2] * motion["velocities"][0] / np.linalg.norm(motion["axis"]))
            self.friction.append(contact["friction"])
            loads.append(springs.get(name, np.nan) + named[name]["mass"] * self.gravity)
        self.feet, self.belts, self.friction = np.array(self.feet), np.array(self.belts), np.array(self.friction)
        self.loads = None if np.isnan(loads).any() else np.array(loads)
        self.pull = sum((np.array(push["force"]) for push in case["forces"]), np.zeros(3))
        self.start = np.array([*origin[:2], 0.0, *self.trunk["velocity"][:2], self.trunk["angular_velocity"][2]])
        self.stuck = [n for n, slip in enumerate(self.slips(self.start)) if np.linalg.norm(slip) < 1e-12]

    def turned(self, arms, angle):
        return arms @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])

    def slips(self, state):
        """Slip velocities of the feet (n, 2)."""
        return state[3:5] + state[5] * self.turned(self.feet[:, :2], state[2]) @ J.T - self.belts

    def solve(self, state):
        """Accelerations of the trunk (3,) and forces on the feet (n, 3), from one linear system."""
        n, (arms, feet) = len(self.feet), (self.turned(a, state[2]) for a in (self.arms, self.feet[:, :2]))
        slips, spin = self.slips(state), state[5]
        # Unknown: two accelerations, the turn's, and three forces of every foot.
        A, b = np.zeros((3 + 3 * n, 3 + 3 * n)), np.zeros(3 + 3 * n)
        for mass, moment, arm in zip(self.masses, self.moments, arms, strict=True):
            ahead = J @ arm
            A[:2, :2] += mass * np.eye(2)
            A[:2, 2] += mass * ahead
            A[2, :2] += mass * ahead
            A[2, 2] += moment + mass * arm @ arm
            b[:2] += mass * spin**2 * arm
        b[:2] += self.pull[:2]
        for j in range(n):
            x, y, z = (3 + 3 * j + k for k in range(3))
            A[0, x], A[1, y], A[2, x], A[2, y] = -1.0, -1.0, feet[j, 1], -feet[j, 0]
            if j in self.stuck:
                A[x, 0] = A[y, 1] = 1.0
                A[[x, y], 2] = J @ feet[j]
                b[[x, y]] = spin**2 * feet[j]
            else:
                A[x, x] = A[y, y] = 1.0
                A[[x, y], z] = self.friction[j] * slips[j] / np.linalg.norm(slips[j])
            if self.loads is not None:
                A[z, z], b[z] = 1.0, self.loads[j]
        if self.loads is None:  # of a tripod: weight, and no turn about x and y
            first, second, third = (5 + 3 * j for j in range(3))
            for j in range(3):
                x, y, z = (3 + 3 * j + k for k in range(3))
                A[first, z] = 1.0
                A[second, [z, y]] = feet[j, 1], -self.feet[j, 2]
                A[third, [z, x]] = -feet[j, 0], self.feet[j, 2]
            b[first] = self.masses[0] * self.gravity - self.pull[2]
        found = np.linalg.solve(A, b)
        return found[:3], found[3:].reshape(n, 3)

    def values(self):
        """What the case measures."""
        run = solve_ivp(
            lambda t, y: [*y[3:], *self.solve(y)[0]],
            (0.0, self.case["duration"]),
            self.start,
            "DOP853",
            rtol=1e-12,
            atol=1e-14,
            dense_output=True,
        )
        assert run.success
        return [self._value(measurement, run.sol) for measurement in self.case["measurements"]]

    def _value(self, m, motion):
        axis = np.argmax(m["along"])
        if m["quantity"] == "force":
            index = [contact["name"] for contact in self.case["contacts"]].index(m["of"])
            first, last = m["mean"]
            times = (first + last) / 2 + (last - first) / 2 * NODES
            return sum(w * self.solve(motion(t))[1][index, axis] for t, w in zip(times, WEIGHTS, strict=True)) / 2
        entry = {"position": axis, "angle": 2, "velocity": 3 + axis, "angular_velocity": 5}[m["quantity"]]
        if "change" in m:
            return motion(m["change"][1])[entry] - motion(m["change"][0])[entry]
        return motion(m["at"])[entry]
