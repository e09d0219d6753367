"""Newton and Euler for a case of the contact suite in the plane of x and z, read from its JSON: forces and impulses.

Every body has three coordinates (x, z, turn about +y); joints are constraints with multipliers. Nothing is shared with
the makers of the cases, whose answers are closed forms or use the fewest coordinates.
"""

import itertools

import numpy as np


def turned(angle, vector):
    """Turn (x, z) about +y: x goes towards -z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]])


def quarter(vector):
    """Derivative of `turned` by the angle, as a function of the turned vector."""
    return np.array([vector[1], -vector[0]])


def pitch(quaternion):
    w, x, y, z = quaternion
    assert x == 0 and z == 0
    return 2 * np.arctan2(y, w)


def carry(motion, t):
    """Return how far a motion has come, and its velocity, shape (2,) each."""
    times, speeds = np.array(motion["times"]), np.array(motion["velocities"])
    axis = flat(motion["axis"]) / np.linalg.norm(motion["axis"])
    spans = np.clip(t - times, 0.0, [*np.diff(times), np.inf])
    return (spans @ speeds) * axis, speeds[np.searchsorted(times, t + 1e-12, side="right") - 1] * axis


def flat(vector):
    return np.array([vector[0], vector[2]], float)


class System:
    """One group of moving bodies that act on one another, with all that holds or touches them."""

    def __init__(self, case, names):
        self.case, self.names = case, names
        every = {body["name"]: body for body in case["bodies"]}
        bodies = [every[name] for name in names]
        self.n = 3 * len(bodies)
        self.mass = np.array([m for b in bodies for m in (b["mass"], b["mass"], b["inertia"][1])])
        self.weight = self.mass * np.tile([case["gravity"][0], case["gravity"][2], 0.0], len(bodies))
        self.q0 = np.array([c for b in bodies for c in (*flat(b["position"]), pitch(b["quaternion"]))])
        self.v0 = np.array([c for b in bodies for c in (*flat(b["velocity"]), b["angular_velocity"][1])])
        self.joints = [self._joint(j) for j in case["joints"] if j["child"] in names and j["type"] != "planar"]
        self.contacts = [
            made
            for contact in case["contacts"]
            for pair in contact["pairs"]
            if any(end.split(".")[0] in names for end in pair)
            for made in self._contacts(contact, pair, every)
        ]

    def place(self, name):
        return 3 * self.names.index(name) if name in self.names else None

    def _joint(self, joint):
        parent, child = self.place(joint["parent"]), self.place(joint["child"])
        assert joint["parent"] == "world" or parent is not None
        turn = self.q0[parent + 2] if parent is not None else 0.0
        origin = self.q0[parent : parent + 2] if parent is not None else np.zeros(2)
        made = {"type": joint["type"], "parent": parent, "child": child, "joint": joint}
        centre = self.q0[child : child + 2]
        if joint["type"] == "hinge":
            anchor = flat(joint["anchor"])
            made["arms"] = turned(-turn, anchor - origin), turned(-self.q0[child + 2], anchor - centre)
            made["sign"] = np.sign(joint["axis"][1])
        else:
            axis = turned(-turn, flat(joint["axis"]) / np.linalg.norm(joint["axis"]))
            local = turned(-turn, centre - origin)
            made |= {"axis": axis, "across": quarter(axis), "offset": local}
        made["turn"] = self.q0[child + 2] - turn
        return made

    def _contacts(self, contact, pair, every):
        """Points (with the radius of their sphere) against a face, or two spheres side by side."""
        bodies = [every[end.split(".")[0]] for end in pair]
        shapes = [
            next(s for s in b["shapes"] if f"{b['name']}.{s['name']}" == e) for b, e in zip(bodies, pair, strict=True)
        ]
        first, second = self.place(bodies[0]["name"]), self.place(bodies[1]["name"])
        made = {"name": contact["name"], "mu": contact["friction"], "e": contact["restitution"], "first": first}
        radius, place = shapes[0]["size"][0] if shapes[0]["type"] == "sphere" else 0.0, flat(shapes[0]["position"])
        made |= {"second": second, "radius": radius, "point": place, "within": None, "motion": None}
        if second is not None and shapes[1]["type"] == "sphere":
            apart = self.q0[first : first + 2] - self.q0[second : second + 2]
            assert made["mu"] == 0
            yield made | {"normal": apart / np.linalg.norm(apart), "reach": radius + shapes[1]["size"][0]}
            return
        made |= self._face(bodies[1], shapes[1], second is not None)
        if shapes[0]["type"] != "box":
            yield made
            return
        x, _, z = shapes[0]["size"]
        corners = [made | {"point": place + corner} for corner in ([-x, -z], [x, -z], [-x, z], [x, z])]
        gaps = [self.contact_rows(one, self.q0, self.v0, 0.0)[2] for one in corners]
        yield from (
            one for one, gap in zip(corners, gaps, strict=True) if gap < min(gaps) + 1e-7
        )  # it is not turned over

    @staticmethod
    def _face(body, shape, moves):
        """The upper face of a shape; of one that moves, from the centre of its body, as it does not turn."""
        angle = pitch(body["quaternion"])
        normal = turned(angle, [0.0, 1.0])
        height = shape["size"][2] if shape["type"] == "box" else 0.0
        point = turned(angle, flat(shape["position"])) + height * normal
        if moves:
            return {"normal": normal, "origin": point}
        point = flat(body["position"]) + point
        made = {"normal": normal, "origin": point, "motion": body.get("motion")}
        if shape["type"] == "box":
            made["within"] = point[0] - shape["size"][0], point[0] + shape["size"][0]
        return made

    def constraints(self, q, v):
        """Jacobian of the joints and what their acceleration is without that of the coordinates."""
        rows, bias = [], []
        for joint in self.joints:
            parent, child = joint["parent"], joint["child"]
            if joint["type"] == "hinge":
                row, extra = np.zeros((2, self.n)), np.zeros(2)
                for body, arm, sign in zip((parent, child), joint["arms"], (-1.0, 1.0), strict=True):
                    if body is not None:
                        arm = turned(q[body + 2], arm)
                        row[:, body : body + 2] += sign * np.eye(2)
                        row[:, body + 2] += sign * quarter(arm)
                        extra -= sign * v[body + 2] ** 2 * arm
                rows.append(row)
                bias.extend(extra)
            else:
                row, extra, _, _ = self.along(joint, joint["across"], q, v)
                turn = np.zeros(self.n)
                turn[child + 2] = 1.0
                if parent is not None:
                    turn[parent + 2] = -1.0
                rows.append(np.array([row, turn]))
                bias.extend([extra, 0.0])
        return (np.vstack(rows) if rows else np.zeros((0, self.n))), np.array(bias)

    def along(self, joint, local, q, v):
        """Row, bias, value and rate of the child's place along a direction fixed in the parent."""
        parent, child, row = joint["parent"], joint["child"], np.zeros(self.n)
        turn, spin = (q[parent + 2], v[parent + 2]) if parent is not None else (0.0, 0.0)
        away, rate = q[child : child + 2].copy(), v[child : child + 2].copy()
        direction = turned(turn, local)
        row[child : child + 2] = direction
        if parent is not None:
            away, rate = away - q[parent : parent + 2], rate - v[parent : parent + 2]
            row[parent : parent + 2] = -direction
            row[parent + 2] = quarter(direction) @ away
        bias = 2 * spin * quarter(direction) @ rate - spin**2 * direction @ away
        return row, bias, direction @ away - local @ joint["offset"], row @ v

    def forces(self, q, v, t):
        """Weight, springs and what pushes the bodies, shape (n,)."""
        total = self.weight.copy()
        for joint in self.joints:
            data = joint["joint"]
            if joint["type"] == "slide":
                row, _, value, rate = self.along(joint, joint["axis"], q, v)
            else:
                row, parent, child = np.zeros(self.n), joint["parent"], joint["child"]
                row[child + 2] = joint["sign"]
                if parent is not None:
                    row[parent + 2] = -joint["sign"]
                value, rate = row @ q - joint["sign"] * joint["turn"], row @ v
            total += row * (data["stiffness"] * (data["rest"] - value) - data["damping"] * rate)
        for push in self.case["forces"]:
            first, last = push.get("during", (0.0, np.inf))
            if push["body"] in self.names and first <= t + 1e-12 < last:
                k, force = self.place(push["body"]), flat(push["force"])
                total[k : k + 3] += [*force, force @ quarter(turned(q[k + 2], flat(push["point"])))]
        return total

    def contact_rows(self, contact, q, v, t):
        """Normal and tangential Jacobian, their biases, gap, and the slip velocity that the ground's motion makes."""
        rows, bias, normal = np.zeros((2, self.n)), np.zeros(2), contact["normal"]
        directions = np.array([normal, -quarter(normal)])
        directions[1] *= np.sign(directions[1, 0]) or 1.0  # tangent towards +x
        body = contact["first"]
        arm = turned(q[body + 2], contact["point"])
        place = q[body : body + 2] + arm
        rows[:, body : body + 2] = directions
        rows[:, body + 2] = directions @ quarter(arm) + [0.0, -contact["radius"] * (directions[1] @ quarter(normal))]
        bias -= v[body + 2] ** 2 * directions @ arm
        if contact["second"] is not None:
            other = contact["second"]
            rows[:, other : other + 2] -= directions
            away = place - q[other : other + 2]
            if "reach" in contact:
                return rows, bias, normal @ away - contact["reach"], 0.0
            assert abs(q[other + 2] - self.q0[other + 2]) < 1e-9, "a face turns"
            rows[:, other + 2] -= directions @ quarter(away - contact["radius"] * normal)
            return rows, bias, normal @ (away - contact["origin"]) - contact["radius"], 0.0
        carried = 0.0
        if contact["motion"]:
            _, velocity = carry(contact["motion"], t)
            assert abs(velocity @ normal) < 1e-15
            carried = -directions[1] @ velocity
        return rows, bias, normal @ (place - contact["origin"]) - contact["radius"], carried

    def equations(self, matrix, right, modes, rows, constraint):
        """Balance, joints and contact modes as A x = b for the change of velocity (or acceleration), then the forces.

        `right` holds what the balance, the joints and the contacts (normal, tangential) are to reach.
        """
        k, m = len(constraint), len(modes)
        size = self.n + k + 2 * m
        A, b = np.zeros((size, size)), np.zeros(size)
        A[: self.n, : self.n] = matrix
        A[: self.n, self.n : self.n + k] = -constraint.T
        A[self.n : self.n + k, : self.n] = constraint
        b[: self.n], b[self.n : self.n + k] = right[0], right[1]
        for i, (mode, row) in enumerate(zip(modes, rows, strict=True)):
            normal, tangent = self.n + k + 2 * i, self.n + k + 2 * i + 1
            A[: self.n, normal], A[: self.n, tangent] = -row[0], -row[1]
            if mode[0] == "open":
                A[normal, normal] = A[tangent, tangent] = 1.0
                continue
            A[normal, : self.n], b[normal] = row[0], right[2][i][0]
            if mode[0] == "stick":
                A[tangent, : self.n], b[tangent] = row[1], right[2][i][1]
            else:
                A[tangent, tangent], A[tangent, normal] = 1.0, mode[1] * mode[2]
        return A, b

    def solve(self, A, b, m):
        """The change of velocity (or acceleration) and the forces of m contacts, the least where they are free."""
        x = np.linalg.lstsq(A, b, rcond=1e-13)[0]
        return x[: self.n], x[len(x) - 2 * m :].reshape(m, 2)


def choices(contacts, slips, excluded=()):
    """All modes that contacts may have together, sticking first; a sliding one that moves has its direction."""
    options = []
    for i, (contact, slip) in enumerate(zip(contacts, slips, strict=True)):
        if contact["mu"] == 0.0:
            one = [("slip", 1.0, 0.0)]
        elif abs(slip) > 1e-9:
            one = [("slip", np.sign(slip), contact["mu"])]
        else:
            one = [("stick",), ("slip", 1.0, contact["mu"]), ("slip", -1.0, contact["mu"])]
        options.append([mode for mode in (*one, ("open",)) if (i, mode[0]) not in excluded])
    return itertools.product(*options)
