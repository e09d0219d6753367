"""A hexapod's springy leg, dropped on its foot."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from .parts import G, contact, described, ground, sphere
from .rows import falls, light_foot, rises, row


class Drop:
    """A mass on a damped leg with a foot, falling on the ground: linear between its events, so known exactly.

    State (body's height over its place at rest length above ground, foot's height, their speeds, 1).
    """

    def __init__(self, mass: float, foot: float, stiffness: float, damping: float, height: float) -> None:
        k, d = stiffness, damping
        self.flight = np.zeros((5, 5))
        self.flight[0, 2] = self.flight[1, 3] = 1.0
        for index, m, sign in ((2, mass, 1.0), (3, foot, -1.0)):
            self.flight[index] = [-sign * k / m, sign * k / m, -sign * d / m, sign * d / m, -G]
        self.stance = self.flight.copy()
        self.stance[[1, 3]] = 0.0
        self.load = np.array([-k, 0.0, -d, 0.0, foot * G])  # in stance
        self.touchdown = math.sqrt(2 * height / G)
        self.landed = np.array([0.0, 0.0, -G * self.touchdown, 0.0, 1.0])
        self.standing = brentq(lambda t: self.load @ self.during_stance(t), 0.1, 0.3, xtol=1e-15)
        self.liftoff = self.touchdown + self.standing
        self.left = self.during_stance(self.standing)

    def during_stance(self, since: float) -> np.ndarray:
        """Return the state a time after touchdown."""
        return expm(self.stance * since) @ self.landed

    def during_flight(self, since: float) -> np.ndarray:
        """Return the state a time after lift-off."""
        return expm(self.flight * since) @ self.left


@described(
    number=28,
    title="Springy leg dropped on its foot",
    phenomenon="hard",
    what="A body on a damped springy leg with a light foot falls from .2 m, is compressed, and lifts off. The foot, "
    "two hundred times lighter than the body, is what a simulator gets wrong: it bounces, sinks, or leaves at another "
    "time.",
    provenance={
        "kind": "closed form",
        "derivation": "At rest length both fall freely; the foot stops at touchdown, the body does not. In stance "
        "and in flight the motion is linear (matrix exponential); lift-off is where the ground would have to pull: "
        "spring and damper pull as much as the foot weighs.",
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def foot_drop() -> dict:
    """Return two legs' worth of the hexapod, dropped on a foot."""
    mass, foot, stiffness, damping, height, rest = 2.0, 0.01, 500.0, 10.0, 0.2, 0.2
    drop = Drop(mass, foot, stiffness, damping, height)
    lowest = brentq(lambda t: drop.during_stance(t)[2], 1e-3, 0.2, xtol=1e-15)
    top = brentq(lambda t: drop.during_flight(t)[2], 1e-3, 0.2, xtol=1e-15)
    highest = drop.during_flight(top)[0]
    window = [drop.touchdown + 0.02, drop.liftoff - 0.02]
    change = drop.during_stance(window[1] - drop.touchdown)[2] - drop.during_stance(window[0] - drop.touchdown)[2]
    load = mass * change / (window[1] - window[0]) + (mass + foot) * G
    level = 0.01
    high = brentq(lambda t: drop.during_flight(t)[1] - level, 1e-3, 0.1, xtol=1e-15)
    spring = {"stiffness": stiffness, "damping": damping}
    joints = [
        {"name": "guide", "type": "slide", "parent": "world", "child": "body", "axis": [0, 0, 1]},
        {"name": "leg", "type": "slide", "parent": "body", "child": "foot", "axis": [0, 0, 1], **spring},
    ]
    end = drop.liftoff + top + 0.02
    return {
        "duration": end,
        "bodies": [
            sphere("body", mass, 0.05, position=[0.0, 0.0, rest + height]),
            light_foot("foot", foot, 1e-6, position=[0.0, 0.0, height]),
            ground(),
        ],
        "joints": joints,
        "contacts": [contact("foot", "ground", 0.5)],
        "measurements": [
            row("lowest point", "body", "place z", rest + drop.during_stance(lowest)[0], 0.005, 0.1, least=[0.0, end]),
            row("time of it", "body", "speed z", drop.touchdown + lowest, 0.01, 0.1, crossing=rises(after=0.05)),
            row("load in stance", "contact", "force z", load, 0.005, mean=window),
            row("foot 1 cm high", "foot", "place z", drop.liftoff + high, 0.02, 0.1, crossing=rises(1, level, 0.3)),
            row("top of the jump", "body", "place z", rest + highest, 0.01, 0.1, greatest=[drop.liftoff, end]),
            row("time of the top", "body", "speed z", drop.liftoff + top, 0.02, 0.1, crossing=falls(after=0.4)),
        ],
    }


MAKERS = (foot_drop,)
