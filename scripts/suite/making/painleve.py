"""Painleve's rod: a leaning rod that is pushed over the ground, point ahead, as chalk on a board."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from .parts import G, contact, feet, ground
from .rows import plane, row

MASS, HALF, MOMENT, ANGLE = 1.0, 0.3, 0.0075, -0.35  # half length [m]; angle of the rod from the vertical at the start
RATIO = MASS * HALF**2 / MOMENT
BOUND = 1e-10
SOURCES = [
    "Painleve, Sur les lois du frottement de glissement, Comptes Rendus 121 (1895).",
    "Genot and Brogliato, New results on Painleve paradoxes, European J. Mechanics A 18 (1999).",
]


def critical(angle: float) -> float:
    """Return the friction above which sliding point ahead has no or two solutions."""
    return (1 + RATIO * math.sin(angle) ** 2) / (RATIO * abs(math.sin(angle)) * math.cos(angle))


def load(angle: float, spin: float, friction: float) -> float:
    """Return the normal force on the sliding end; the end slides towards +x [N]."""
    lever = math.sin(angle) + friction * math.cos(angle)
    return MASS * (G - HALF * math.cos(angle) * spin**2) / (1 + RATIO * math.sin(angle) * lever)


def sliding(t, state, friction):
    """Return the slopes of the end's place and speed, the rod's angle and spin, while the end slides."""
    _, speed, angle, spin = state
    normal = load(angle, spin, friction)
    turn = HALF * normal * (math.sin(angle) + friction * math.cos(angle)) / MOMENT
    centre = -friction * normal / MASS  # acceleration of the centre along x
    return [speed, centre - HALF * (math.cos(angle) * turn - math.sin(angle) * spin**2), spin, turn]


def pivoting(t, state):
    """Return the slopes of the rod's angle and spin about an end at rest."""
    return [state[1], MASS * G * HALF * math.sin(state[0]) / (MASS * HALF**2 + MOMENT)]


def _solve(slopes, start, end, *args, event=None):
    if event:
        event.terminal = True
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14, "dense_output": True}
    return solve_ivp(slopes, (0.0, end), start, args=args, events=event, **options)


def _rod(speed: float) -> dict:
    """Return the rod with its end on the ground at the origin, sliding along x."""
    centre = [HALF * math.sin(ANGLE), 0.0, HALF * math.cos(ANGLE)]
    foot = [[-centre[0], 0.0, -centre[2]]]
    state = {"position": centre, "velocity": [speed, 0.0, 0.0], "angular_velocity": [0.0, 0.0, 0.0]}
    return feet("rod", MASS, [MOMENT, MOMENT, 1e-4], foot, **state)


def _case(name: str, speed: float, friction: float, duration: float) -> dict:
    return {
        "id": name,
        "version": 1,
        "number": 26,
        "phenomenon": "hard",
        "duration": duration,
        "bodies": [_rod(speed), ground()],
        "joints": plane("rod"),
        "contacts": [contact("rod", "ground", friction)],
    }


def painleve_below() -> dict:
    """Return the rod with less friction than the paradox needs: it slides, pressed down by its own friction."""
    friction, speed = 0.4, 2.0
    found = _solve(sliding, [0.0, speed, ANGLE, 0.0], 0.2, friction, event=lambda t, state, friction: state[1])
    stop, (way, _, angle, spin) = found.t[-1], found.y[:, -1]
    first, half, end = load(ANGLE, 0.0, friction), stop / 2, stop + 0.05
    window, middle = [0.0, half], found.sol(half)
    point = {"point": _rod(speed)["shapes"][0]["position"], "bound": BOUND}
    centre = [state[1] + HALF * math.cos(state[2]) * state[3] for state in (found.sol(0.0), middle)]
    mean = -MASS * (centre[1] - centre[0]) / half / friction
    rest = _solve(pivoting, [angle, spin], 0.05).sol(0.05)
    return _case("painleve_below", speed, friction, end) | {
        "title": "Painleve's rod, below the paradox",
        "what": f"A light-ended rod leans back and slides point ahead, mu = {friction}, where the paradox begins "
        f"at {critical(ANGLE):.3f}. "
        f"Friction presses it down with {first / MASS / G:.2f} of its weight at first, and stops the point. "
        f"Compliant contacts find another load, or hop.",
        "measurements": [
            row("mean load", "contact", "force z", mean, 0.01, mean=window, bound=1e-8),
            row("mean friction", "contact", "force x", -friction * mean, 0.01, mean=window, bound=1e-8),
            row("speed of the point halfway", "rod", "speed x", middle[1], 0.005, speed, at=half, **point),
            row("spin halfway", "rod", "spin y", middle[3], 0.01, at=half, bound=BOUND),
            row("way of the point", "rod", "place x", way, 0.01, change=[0.0, end], **point),
            row("speed of the point at rest", "rod", "speed x", 0.0, 0.005, speed, at=end, **point),
            row("spin at the end", "rod", "spin y", rest[1], 0.01, at=end, bound=BOUND),
            row("height of the point", "rod", "place z", 0.0, 0.005, HALF, greatest=[0.0, end], **point),
        ],
        "provenance": {
            "kind": "integrated",
            "derivation": "With the angle a of the rod, r = m l^2 / I: N = m (g - l cos(a) w^2) / (1 + r sin a "
            "(sin a + mu cos a)), I dw/dt = l N (sin a + mu cos a), "
            "until the point rests; then a pendulum about it. Integrated to 1e-13. The denominator vanishes at "
            "the paradox.",
            "sources": SOURCES,
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }


def painleve_jam() -> dict:
    """Return the rod with more friction than the paradox needs: no force balances, so it jams at once."""
    friction, speed, duration = 0.8, 1.0, 0.1
    spin = MASS * HALF * math.cos(ANGLE) * speed / (MASS * HALF**2 + MOMENT)  # angular momentum about the point is kept
    point = {"point": _rod(speed)["shapes"][0]["position"], "bound": BOUND}
    motion = _solve(pivoting, [ANGLE, spin], duration).sol
    angle, late = motion(duration)
    centre = HALF * late * np.array([math.cos(angle), -math.sin(angle)])
    whole = [0.01, duration]
    return _case("painleve_jam", speed, friction, duration) | {
        "title": "Painleve's rod, in the paradox: it jams",
        "what": f"The rod slides point ahead with mu = {friction}, above {critical(ANGLE):.3f}: no finite force "
        "balances. An impulse stops the point at once, without a collision, and the rod swings over it. Simulators "
        "hop, sink, or slide on.",
        "convention": "Without restitution, an impulse that ends the paradox ends with the point at rest; then angular "
        "momentum decides, whatever the law of friction during the impulse. Where two solutions exist (contact or "
        "lift-off at once) rigid contact does not decide, and nothing is asked here.",
        "measurements": [
            row("spin soon after", "rod", "spin y", motion(0.01)[1], 0.01, spin, at=0.01, bound=BOUND),
            row("spin at the end", "rod", "spin y", late, 0.01, spin, at=duration, bound=BOUND),
            row("speed along x at the end", "rod", "speed x", centre[0], 0.01, speed, at=duration, bound=BOUND),
            row("speed along z at the end", "rod", "speed z", centre[1], 0.01, speed, at=duration, bound=BOUND),
            row("way of the point", "rod", "place x", 0.0, 0.01, HALF, change=[0.0, duration], **point),
            row("speed of the point", "rod", "speed", 0.0, 0.01, speed, mean=whole, **point),
            row("height of the point", "rod", "place z", 0.0, 0.005, HALF, greatest=[0.0, duration], **point),
        ],
        "provenance": {
            "kind": "integrated",
            "derivation": "The impulse acts at the point: m l cos(a) v = (I + m l^2) w. Then a pendulum about the "
            "point, integrated to 1e-13. The impulse lies in the cone: its tangent is (1 + r sin^2 a) / (r |sin a| "
            "cos a), the critical friction; and the load of the pendulum stays positive.",
            "sources": SOURCES,
            "checked": "An independent event-driven integration from the data of the case, which finds no modes "
            "that balance at the start.",
        },
    }


MAKERS = (painleve_below, painleve_jam)
