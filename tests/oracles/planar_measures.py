"""What a case of the contact suite measures, read off its motion in pieces, as exactly as the motion is known."""

import numpy as np
from planar_events import Run, groups
from planar_system import carry, flat, turned
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

SAMPLES = 60  # in every piece, in which a signal has few extremes


class Motion:
    """The motion of a case, one run for every group of bodies."""

    def __init__(self, case):
        self.case, self.runs = case, [Run(case, names) for names in groups(case)]

    def value(self, measurement):
        """Return the number that a measurement asks for."""
        for kind in ("at", "mean", "greatest", "least", "change", "crossing", "period"):
            if kind in measurement:
                value = globals()[kind](self.signal(measurement), measurement[kind])
                if kind == "mean" and measurement["quantity"] == "force":
                    value += self._impulse(measurement) / (measurement["mean"][1] - measurement["mean"][0])
                return value
        raise KeyError(measurement)

    def _impulse(self, measurement):
        """The impulses of a contact within the window, along the measured direction."""
        first, last = measurement["mean"]
        axis = flat(measurement["along"]) / np.linalg.norm(measurement["along"])
        impacts = [impact for run in self.runs for impact in run.impacts if impact[1] == measurement["of"]]
        return sum(impulse @ axis for t, _, impulse in impacts if first < t < last)

    def signal(self, measurement):
        """Return the measured quantity in pieces: start, end, and a function of time."""
        if measurement["quantity"] == "force":
            run = next(r for r in self.runs if any(c["name"] == measurement["of"] for c in r.system.contacts))
        else:
            run = next(r for r in self.runs if measurement["of"] in r.system.names)
        return [(p.start, p.end, lambda t, p=p: self._component(p, t, measurement)) for p in run.pieces]

    def _component(self, piece, t, m):
        if m["quantity"] == "force":
            axis = flat(m["along"]) / np.linalg.norm(m["along"]) if "along" in m else None
            force = piece.force(m["of"], t, np.eye(2) if axis is None else axis[None])
            return np.linalg.norm(force) if axis is None else force[0]
        vector = self._of_body(piece, t, m["of"], m["quantity"], flat(m["point"]))
        if "relative_to" in m:
            vector = vector - self._of_body(piece, t, m["relative_to"], m["quantity"], np.zeros(2))
        if np.ndim(vector) == 0:
            return vector * np.sign(m["along"][1]) if "along" in m else abs(vector)
        return vector @ (flat(m["along"]) / np.linalg.norm(m["along"])) if "along" in m else np.linalg.norm(vector)

    def _of_body(self, piece, t, name, quantity, point):
        system = piece.run.system
        if name not in system.names:
            body = next(b for b in self.case["bodies"] if b["name"] == name)
            motion = body.get("motion", {"axis": [1, 0, 0], "times": [0], "velocities": [0]})
            way, velocity = carry(motion, min(t, np.nextafter(piece.end, 0)))  # before a belt turns
            return flat(body["position"]) + way if quantity == "position" else velocity
        place, (q, v) = system.place(name), piece.state(t)
        if quantity in ("angle", "angular_velocity"):
            return q[place + 2] - system.q0[place + 2] if quantity == "angle" else v[place + 2]
        arm = turned(q[place + 2], point)
        if quantity == "position":
            return q[place : place + 2] + arm
        return v[place : place + 2] + v[place + 2] * np.array([arm[1], -arm[0]])


def at(pieces, when):
    """Return the value at an instant, after what happens there."""
    return next(f(when) for start, end, f in reversed(pieces) if start <= when + 1e-12)


def change(pieces, window):
    """Return the value at the end minus that at the start."""
    return at(pieces, window[1]) - at(pieces, window[0])


def _cut(pieces, window):
    for start, end, f in pieces:
        low, high = max(start, window[0]), min(end, window[1])
        if high > low:
            yield low, high, f


def mean(pieces, window):
    """Return the mean over a window."""
    parts = (quad(f, low, high, epsabs=1e-12, epsrel=1e-11, limit=200)[0] for low, high, f in _cut(pieces, window))
    return sum(parts) / (window[1] - window[0])


def greatest(pieces, window):
    """Return the greatest value in a window."""
    best = -np.inf
    for low, high, f in _cut(pieces, window):
        times = np.linspace(low, high, SAMPLES)
        values = [f(t) for t in times]
        k = int(np.argmax(values))
        around = times[max(k - 1, 0)], times[min(k + 1, SAMPLES - 1)]
        inner = minimize_scalar(lambda t, f=f: -f(t), bounds=around, method="bounded", options={"xatol": 1e-10})
        best = max(best, max(values), -inner.fun)
    return best


def least(pieces, window):
    """Return the least value in a window."""
    return -greatest([(start, end, lambda t, f=f: -f(t)) for start, end, f in pieces], window)


def _crossings(pieces, level, direction):
    last = None
    for start, end, f in pieces:
        times = np.linspace(start, end, SAMPLES)
        values = [f(t) - level for t in times]
        if last is not None and _crosses(last, values[0], direction):
            yield start
        for k in range(SAMPLES - 1):
            if _crosses(values[k], values[k + 1], direction):
                yield brentq(lambda t, f=f: f(t) - level, times[k], times[k + 1], xtol=1e-14)
        last = values[-1]


def _crosses(before, after, direction):
    up, down = before < 0 <= after, before > 0 >= after
    return {"up": up, "down": down, "either": up or down}[direction]


def crossing(pieces, wanted):
    """Return when a level is crossed."""
    times = _crossings(pieces, wanted["level"], wanted["direction"])
    times = [t for t in times if t >= wanted["after"]]
    return times[wanted["count"] - 1]


def period(pieces, window):
    """Return the mean time between upward crossings of the mean."""
    inside = list(_cut(pieces, window))
    times = list(_crossings(inside, mean(inside, window), "up"))
    return (times[-1] - times[0]) / (len(times) - 1)
