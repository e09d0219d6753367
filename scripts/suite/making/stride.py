"""A stride of SLIP, the spring-loaded inverted pendulum."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from .parts import G, contact, described, ground, sphere
from .rows import light_foot, plane, rises, row

BOUND = 1e-10  # of an integration
SLIPPING = 1e-7  # of what the foot's slip does, in the instant before it lifts, when its load vanishes


class Stride:
    """SLIP with a body's inertia and a foot's mass: stance from touchdown on, and flight, by the fewest coordinates.

    Stance: length and angle of the leg from the vertical, and their rates. Flight: the same, relative, and the centre
    of mass of both.
    """

    def __init__(self, mass, moment, foot, foot_moment, stiffness, rest, angle, speed) -> None:
        self.mass, self.foot, self.turning = mass, foot, moment + foot_moment
        self.stiffness, self.rest = stiffness, rest
        along, across = np.array([math.sin(angle), math.cos(angle)]), np.array([math.cos(angle), -math.sin(angle)])
        self.spin = across @ speed / rest  # the foot is at rest
        start = [rest, angle, along @ speed, self.spin]

        def lifts(t, state):
            return self.load(state)

        lifts.terminal, lifts.direction = True, -1
        options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "dense_output": True}
        found = solve_ivp(self.stance, (0.0, 2.0), start, events=lifts, **options)
        self.standing, self.motion = found.t[-1], found.sol
        self.left = found.y[:, -1]
        self.flying = solve_ivp(self.flight, (0.0, 0.5), self.left, **options).sol

    def stance(self, t, state):
        """Return the slopes with the foot at rest."""
        r, a, dr, da = state
        pull = self.stiffness * (self.rest - r) / self.mass
        turn = (self.mass * G * r * math.sin(a) - 2 * self.mass * r * dr * da) / (self.mass * r**2 + self.turning)
        return [dr, da, r * da**2 - G * math.cos(a) + pull, turn]

    def load(self, state) -> float:
        """Return the normal force on the foot in stance: all that accelerates the body, and the weights."""
        r, a, dr, da = state
        _, _, ddr, dda = self.stance(0.0, state)
        rise = ddr * math.cos(a) - 2 * dr * da * math.sin(a) - r * dda * math.sin(a) - r * da**2 * math.cos(a)
        return self.mass * (rise + G) + self.foot * G

    def flight(self, t, state):
        """Return the slopes of length and angle in free fall."""
        r, a, dr, da = state
        reduced = self.mass * self.foot / (self.mass + self.foot)
        turn = -2 * reduced * r * dr * da / (reduced * r**2 + self.turning)
        return [dr, da, r * da**2 + self.stiffness * (self.rest - r) / reduced, turn]

    def body(self, since: float) -> np.ndarray:
        """Return place (x, z) of the body from the foothold, and its velocity, a time after touchdown."""
        if since <= self.standing:
            return self._polar(self.motion(since))
        share, late = self.mass / (self.mass + self.foot), since - self.standing
        start, apart = self._polar(self.left) * share, self._polar(self.flying(late)) * (1 - share)
        fallen = [start[2] * late, start[3] * late - G * late**2 / 2, 0.0, -G * late]
        return start + fallen + apart

    @staticmethod
    def _polar(state) -> np.ndarray:
        r, a, dr, da = state
        s, c = math.sin(a), math.cos(a)
        return np.array([r * s, r * c, dr * s + r * da * c, dr * c - r * da * s])


def _rows(stride: Stride, forward: float, end: float) -> list[dict]:
    """Return the measurements in stance, at lift-off and at the end [s], of a runner with that first speed [m/s]."""
    lowest = brentq(lambda t: stride.body(t)[3], 1e-3, stride.standing - 1e-3, xtol=1e-15)
    shortest = brentq(lambda t: stride.motion(t)[2], 1e-3, stride.standing - 1e-3, xtol=1e-15)
    deepest, bent = stride.body(lowest)[1], stride.motion(shortest)[0]
    standing = stride.standing
    window, stance = [0.02, standing - 0.02], {"least": [0.0, standing], "bound": BOUND}
    begin, finish, left = stride.body(0.0), stride.body(end), stride.body(standing)
    push = stride.mass * (stride.body(window[1]) - stride.body(window[0]))[2:] / (window[1] - window[0])
    weight = (stride.mass + stride.foot) * G
    lifted, last, mean = ({"bound": SLIPPING} | how for how in ({"at": standing}, {"at": end}, {"mean": window}))
    mean |= {"bound": 1e-8}
    return [
        row("lowest point", "body", "place z", deepest, 0.005, 0.1, **stance),
        row("time of it", "body", "speed z", lowest, 0.01, 0.1, crossing=rises(), bound=BOUND),
        row("shortest leg", "body", "place", bent, 0.005, 0.1, relative_to="foot", **stance),
        row("load in stance", "contact", "force z", push[1] + weight, 0.01, weight, **mean),
        row("friction in stance", "contact", "force x", push[0], 0.01, weight, **mean),
        row("speed along x at lift-off", "body", "speed x", left[2], 0.005, forward, **lifted),
        row("speed along z at lift-off", "body", "speed z", left[3], 0.01, 1.0, **lifted),
        row("spin of the leg in flight", "foot", "spin y", stride.flying(end - standing)[3], 0.01, at=end, bound=1e-4),
        row("way", "body", "place x", finish[0] - begin[0], 0.005, change=[0.0, end], bound=SLIPPING),
        row("height at the end", "body", "place z", finish[1], 0.01, 0.1, **last),
    ]


@described(
    number=29,
    title="Stride of a spring-mass runner",
    phenomenon="hard",
    what="A small heavy body runs over a springy leg (SLIP) with a light foot, which stands at t = 0: compression, "
    "lift-off, flight. The foot must neither slip nor leave early.",
    provenance={
        "kind": "integrated",
        "derivation": "Stance: Lagrange's equations of leg length and angle, with the bodies' moments of inertia; "
        "lift-off is where the load vanishes; flight is that of the common centre of mass and of the two-body problem "
        "about it. Integrated to 1e-13. The foot slips in the instant before lift-off, which is left out; the bounds "
        "say what that may change.",
        "sources": ["Blickhan, The spring-mass model for running and hopping, J. Biomechanics 22 (1989)."],
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def slip_stride() -> dict:
    """Return a stride of a small runner on a springy leg, from touchdown to past the next apex."""
    mass, radius, foot, foot_moment, stiffness, rest = 1.0, 0.03, 0.01, 1e-6, 800.0, 0.3
    angle, forward, down, moment = -0.4, 1.5, -0.6, 0.4 * mass * radius**2
    stride = Stride(mass, moment, foot, foot_moment, stiffness, rest, angle, np.array([forward, down]))
    away = rest * np.array([math.sin(angle), 0.0, math.cos(angle)])
    spin = {"angular_velocity": [0.0, stride.spin, 0.0]}
    end = stride.standing + 0.06
    leg = {"name": "leg", "type": "slide", "parent": "body", "child": "foot", "axis": (-away / rest).tolist()}
    leg["stiffness"] = stiffness
    return {
        "duration": end,
        "bodies": [
            sphere("body", mass, radius, position=away.tolist(), velocity=[forward, 0.0, down], **spin),
            light_foot("foot", foot, foot_moment, position=[0.0, 0.0, 0.0], **spin),
            ground(),
        ],
        "joints": [*plane("body"), leg],
        "contacts": [contact("foot", "ground", 1.0)],
        "measurements": _rows(stride, forward, end),
    }


MAKERS = (slip_stride,)
