"""Run a case of the contact suite in the plane, event by event: between events one set of contact modes, integrated to
1e-12; at events an impulse, where velocities must jump, and the modes that balance without tension or penetration.

Where no modes balance (Painleve), an impulse without collision stops the foot. Feet that share their loads in many ways
(both corners of a box that sticks) hold if any share does, which a linear program finds.
"""

import numpy as np
from planar_system import System, choices
from scipy.integrate import solve_ivp
from scipy.linalg import null_space
from scipy.optimize import linprog

TINY = 1e-9
FREE = 1e-12  # of the largest singular value: forces that change no equation by more are free
SOFT = 1e-4  # of an impact that ends a series of bounces [m/s]


class Piece:
    """The motion between two events."""

    def __init__(self, start, end, solution, run, modes):
        self.start, self.end, self.solution, self.run, self.modes = start, end, solution, run, modes

    def state(self, t):
        y = self.solution(t)
        return y[: self.run.system.n], y[self.run.system.n :]

    def force(self, name, t, axes):
        """Components along axes (k, 2) of a contact's force on its first body; fails where they are left free."""
        A, b, rows = self.run.equations(self.start, *self.state(t), self.modes)
        pull, first = np.zeros((len(axes), len(b))), len(b) - 2 * len(rows)
        for k, (i, row) in enumerate(zip(self.modes, rows, strict=True)):
            contact = self.run.system.contacts[i]
            if contact["name"] == name:
                pull[:, first + 2 * k : first + 2 * k + 2] = axes @ row[:, contact["first"] : contact["first"] + 2].T
        assert np.abs(pull @ null_space(A, FREE)).max(initial=0.0) < 1e-9, "the force is not determined"
        return pull @ np.linalg.lstsq(A, b, rcond=1e-13)[0]


class Run:
    """A group of bodies from the start to the end of the case."""

    def __init__(self, case, names, rtol=1e-12):
        self.system, self.rtol, self.case = System(case, names), rtol, case
        self.pieces, self.impacts = [], []  # impacts: time, contact, impulse on its first body
        self.beside = set()  # contacts whose point is beyond the end of its face, and below it
        self._simulate()

    def equations(self, t, q, v, modes):
        """Accelerations and forces in given modes (a dictionary) as A x = b, and the contact rows.

        `t` is when the modes began: what pushes and what carries does not change before they end.
        """
        system = self.system
        constraint, bias = system.constraints(q, v)
        rows, right = [], []
        for i in modes:
            row, extra, _, _ = system.contact_rows(system.contacts[i], q, v, t)
            rows.append(row)
            right.append(-extra)
        right = system.forces(q, v, t), -bias, right
        return *system.equations(np.diag(system.mass), right, list(modes.values()), rows, constraint), rows

    def accelerations(self, t, q, v, modes):
        """Accelerations and contact forces (normal, tangential) in given modes, and the contact rows."""
        A, b, rows = self.equations(t, q, v, modes)
        return *self.system.solve(A, b, len(rows)), rows

    def _simulate(self):
        system, case = self.system, self.case
        t, q, v = 0.0, system.q0.copy(), system.v0.copy()
        jumps = {time for c in system.contacts if c["motion"] for time in c["motion"]["times"]}
        jumps |= {time for push in case["forces"] for time in push.get("during", ())}
        jumps = sorted(jumps - {0.0})
        v = self._impulse(t, q, v)
        modes = self._modes(t, q, v)
        for _ in range(5000):
            end = next((jump for jump in jumps if jump > t + 1e-12), case["duration"])
            t, q, v, event = self._flow(t, min(end, case["duration"]), q, v, modes)
            if t >= case["duration"] - 1e-12:
                return
            excluded = set()
            if event is None or event[0] == "gap":
                v = self._impulse(t, q, v)
            elif event[0] == "load":
                excluded = {(event[1], "stick"), (event[1], "slip")}
            elif event[0] == "cone":
                excluded = {(event[1], "stick")}
            modes = self._modes(t, q, v, excluded)
        raise RuntimeError("too many events")

    def _closed(self, t, q, v):
        """Contacts whose gap is closed and not opening: index to (rows, slip velocity, normal velocity)."""
        found = {}
        for i, contact in enumerate(self.system.contacts):
            row, _, gap, carried = self.system.contact_rows(contact, q, v, t)
            if abs(gap) < TINY and self._over(contact, q) and row[0] @ v < TINY:
                found[i] = row, row[1] @ v + carried, row[0] @ v, carried
        return found

    def _over(self, contact, q):
        if contact["within"] is None:
            return True
        return contact["within"][0] <= q[contact["first"]] + self._arm(contact, q)[0] <= contact["within"][1]

    def _arm(self, contact, q):
        angle, (x, z) = q[contact["first"] + 2], contact["point"]
        return np.array([np.cos(angle) * x + np.sin(angle) * z, np.cos(angle) * z - np.sin(angle) * x])

    def _impulse(self, t, q, v, forced=False):
        """Velocities after the impulses that closed contacts need, by Newton's restitution and Moreau's friction."""
        closed = self._closed(t, q, v)
        if not closed or (not forced and all(normal > -TINY for _, _, normal, _ in closed.values())):
            return v
        contacts = [self.system.contacts[i] for i in closed]
        constraint, _ = self.system.constraints(q, v)
        rows = [row for row, *_ in closed.values()]
        wanted = [
            (-(c["e"] if normal < -SOFT else 0.0) * normal, -carried)
            for c, (_, _, normal, carried) in zip(contacts, closed.values(), strict=True)
        ]
        mass = np.diag(self.system.mass)
        for modes in choices(contacts, [0.0] * len(contacts)):
            right = self.system.mass * v, np.zeros(len(constraint)), wanted
            A, b = self.system.equations(mass, right, list(modes), rows, constraint)
            after, impulse = self.system.solve(A, b, len(rows))
            slips = [row[1] @ after - w[1] for row, w in zip(rows, wanted, strict=True)]
            normals = [row[0] @ after - w[0] for row, w in zip(rows, wanted, strict=True)]
            if _agree(modes, contacts, impulse, normals, slips) and not (forced and impulse[:, 0].max() < TINY):
                for contact, push, row in zip(contacts, impulse, rows, strict=True):
                    place = contact["first"]
                    self.impacts.append((t, contact["name"], push @ row[:, place : place + 2]))
                return after
        raise RuntimeError(f"no impulse at {t}")

    def _modes(self, t, q, v, excluded=(), forced=False):
        closed = self._closed(t, q, v)
        if not closed:
            return {}
        contacts, slips = [self.system.contacts[i] for i in closed], [slip for _, slip, _, _ in closed.values()]
        order = {i: n for n, i in enumerate(closed)}
        banned = {(order[i], mode) for i, mode in excluded if i in order}
        for some in choices(contacts, slips, banned):
            modes = dict(zip(closed, some, strict=True))
            a, forces, rows = self.accelerations(t, q, v, modes)
            biases = [self.system.contact_rows(c, q, v, t)[1] for c in contacts]
            normals = [row[0] @ a + b[0] for row, b in zip(rows, biases, strict=True)]
            drifts = [row[1] @ a + b[1] for row, b in zip(rows, biases, strict=True)]
            drifts = [s if abs(s) > TINY else drift for s, drift in zip(slips, drifts, strict=True)]
            if _agree(some, contacts, forces, normals, drifts) or self._shared(t, q, v, modes, slips, biases):
                return {i: mode for i, mode in modes.items() if mode[0] != "open"}
        if forced:
            raise RuntimeError(f"no modes at {t}")
        v[:] = self._impulse(t, q, v, forced=True)
        return self._modes(t, q, v, forced=True)

    def _shared(self, t, q, v, modes, slips, biases):
        """Whether forces that the equations leave free can be shared so that the modes hold."""
        A, b, rows = self.equations(t, q, v, modes)
        if not null_space(A, FREE).size:
            return False
        limits = []  # rows and what they must not exceed
        for k, (i, mode) in enumerate(modes.items()):
            normal, tangent = np.eye(len(b))[len(b) - 2 * len(rows) + 2 * k :][:2]
            across, along = (np.pad(row, (0, len(b) - len(row))) for row in rows[k])
            if mode[0] == "open":
                limits.append((-across, biases[k][0]))
                continue
            limits.append((-normal, 0.0))
            if mode[0] == "stick":
                mu = self.system.contacts[i]["mu"]
                limits += [(tangent - mu * normal, 0.0), (-tangent - mu * normal, 0.0)]
            elif mode[2] and abs(slips[k]) <= TINY:
                limits.append((-mode[1] * along, mode[1] * biases[k][1]))
        scale, (bounded, most) = max(1.0, np.abs(b).max()), zip(*limits, strict=True)
        found = linprog(np.zeros(len(b)), bounded, np.array(most) / scale, A, b / scale, bounds=(None, None))
        return found.status == 0

    def _flow(self, t, end, q, v, modes):
        n, system, kept, begin = self.system.n, self.system, {}, t

        def solved(t, y):
            if kept.get("t") != t or not np.array_equal(kept["y"], y):
                kept.update(t=t, y=y.copy(), found=self.accelerations(begin, y[:n], y[n:], modes))
            return kept["found"]

        def slope(t, y):
            return np.concatenate([y[n:], solved(t, y)[0]])

        y = np.concatenate([q, v])
        if max(np.abs(v).max(), np.abs(slope(t, y)).max()) < 1e-10:  # at rest, where round-off would creep
            self.pieces.append(Piece(t, end, lambda _: y, self, modes))
            return end, q, v, None
        while True:
            watches, names = [], []
            for i, contact in enumerate(system.contacts):
                for name, watch in self._watches(i, contact, modes, solved, (t, q, v)):
                    watch.terminal, watch.direction = True, 1 if name == "rise" else -1
                    watches.append(watch)
                    names.append((name, i))
            found = solve_ivp(
                slope,
                (t, end),
                np.concatenate([q, v]),
                "DOP853",
                rtol=self.rtol,
                atol=1e-13,
                events=watches,
                dense_output=True,
            )
            assert found.success, found.message
            self.pieces.append(Piece(t, found.t[-1], found.sol, self, modes))
            assert len(self.pieces) < 500, f"no progress at {t} s"  # an event that fires again where it was met
            t, q, v = found.t[-1], found.y[:n, -1].copy(), found.y[n:, -1].copy()
            if found.status == 0:
                return t, q, v, None
            fired = [name for name, times in zip(names, found.t_events, strict=True) if len(times)]
            met = [name for name in fired if name[0] not in ("gap", "rise")]
            self.beside -= {i for name, i in fired if name == "rise"}
            if met or any(i not in modes for i in self._closed(t, q, v)):
                return t, q, v, met[0] if met else ("gap", None)
            self.beside |= {i for name, i in fired if name == "gap"}

    def _watches(self, i, contact, modes, solved, start):
        n, system = self.system.n, self.system
        if i in self.beside:  # watched again once it is above: at the root that was met it would be met for ever
            yield "rise", lambda t, y: system.contact_rows(contact, y[:n], y[n:], start[0])[2]
            return
        if i not in modes:
            first = system.contact_rows(contact, start[1], start[2], start[0])[2]
            left = first - 1e-15 if abs(first) < TINY else 0.0  # round-off of a contact that has just opened
            yield "gap", lambda t, y: system.contact_rows(contact, y[:n], y[n:], start[0])[2] - left
            return
        place = list(modes).index(i)
        yield "load", lambda t, y: solved(t, y)[1][place, 0]
        if modes[i][0] == "stick":
            A, *_ = self.equations(*start, modes)
            if np.abs(null_space(A, FREE)[len(A) - 2 * len(modes) :][2 * place + 1]).max(initial=0.0) > 1e-9:
                return  # shared in many ways: it holds until another event
            yield "cone", lambda t, y: contact["mu"] * solved(t, y)[1][place, 0] - abs(solved(t, y)[1][place, 1])
        else:
            sign = modes[i][1]

            def slip(t, y):
                row, _, _, carried = system.contact_rows(contact, y[:n], y[n:], start[0])  # before a belt turns
                return sign * (row[1] @ y[n:] + carried)

            if contact["mu"]:
                yield "slip", slip


def _agree(modes, contacts, forces, normals, slips):
    """Whether forces press within the cone, open contacts open, and friction opposes the slip (or what it begins)."""
    for mode, contact, force, normal, slip in zip(modes, contacts, forces, normals, slips, strict=True):
        scale = TINY * max(1.0, abs(force[0]))
        if mode[0] == "open" and normal < -TINY:
            return False
        if mode[0] != "open" and force[0] < -scale:
            return False
        if mode[0] == "stick" and abs(force[1]) > contact["mu"] * force[0] + scale:
            return False
        if mode[0] == "slip" and mode[2] * mode[1] * slip < -mode[2] * TINY:
            return False
    return True


def groups(case):
    """The moving bodies, in groups that joints or contacts tie together."""
    moving = [body["name"] for body in case["bodies"] if "mass" in body]
    group = {name: {name} for name in moving}
    ties = [(j["parent"], j["child"]) for j in case["joints"]]
    ties += [tuple(end.split(".")[0] for end in contact["between"]) for contact in case["contacts"]]
    for one, other in ties:
        if one in group and other in group:
            union = group[one] | group[other]
            for name in union:
                group[name] = union
    return [sorted(g, key=moving.index) for g in {id(g): g for g in group.values()}.values()]
