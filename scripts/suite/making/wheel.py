"""A rimless wheel that rolls down a slope."""

from __future__ import annotations

import math

from scipy.integrate import quad

from .parts import G, contact, feet, ground
from .rows import plane, rises, row

SPOKES, RADIUS, MASS, INERTIA, SLOPE = 8, 0.5, 1.0, 0.01, 0.1  # of the wheel
HALF = math.pi / SPOKES  # between a spoke at an impact and the slope's normal
ABOUT_FOOT = INERTIA + MASS * RADIUS**2
LOSS = (INERTIA + MASS * RADIUS**2 * math.cos(2 * HALF)) / ABOUT_FOOT  # spin after an impact over that before


def wheel_speed(upright: float, angle: float) -> float:
    """Return the wheel's spin at an angle of its spoke, from that upright [rad/s]."""
    gained = math.cos(SLOPE) - math.cos(angle + SLOPE)
    return math.sqrt(upright**2 + 2 * MASS * G * RADIUS / ABOUT_FOOT * gained)


def wheel_time(upright: float, first: float, last: float) -> float:
    """Return the time between two angles of the spoke [s]."""
    return quad(lambda angle: 1 / wheel_speed(upright, angle), first, last, epsabs=1e-14, epsrel=1e-13)[0]


def fixed_upright() -> float:
    """Return the spin with an upright spoke that repeats from step to step [rad/s]."""
    rise = 2 * MASS * G * RADIUS / ABOUT_FOOT
    before = rise * (math.cos(HALF - SLOPE) - math.cos(HALF + SLOPE)) / (1 - LOSS**2)  # squared
    return math.sqrt(before - rise * (math.cos(SLOPE) - math.cos(HALF + SLOPE)))


def _wheel(name: str, number: int, upright: float, duration: float) -> dict:
    turns = [2 * HALF * n for n in range(SPOKES)]
    points = [[RADIUS * math.sin(turn), 0.0, -RADIUS * math.cos(turn)] for turn in turns]
    points[0] = [0.0, 0.0, -RADIUS]
    moments = [INERTIA / 2, INERTIA, INERTIA / 2]
    state = {"velocity": [RADIUS * upright, 0.0, 0.0], "angular_velocity": [0.0, upright, 0.0]}
    body = feet("wheel", MASS, moments, points, position=[0.0, 0.0, RADIUS], **state)
    return {
        "id": name,
        "version": 1,
        "number": number,
        "phenomenon": "impact",
        "gravity": [G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE)],
        "duration": duration,
        "bodies": [body, ground()],
        "joints": plane("wheel"),
        "contacts": [contact("wheel", "ground", 1.0)],
    }


def rimless_wheel() -> dict:
    """Return a rimless wheel that rolls at its fixed point."""
    upright = fixed_upright()
    half, step = wheel_time(upright, 0.0, HALF), wheel_time(upright, -HALF, HALF)
    before, weight = wheel_speed(upright, HALF), MASS * G
    slowest = wheel_speed(upright, -SLOPE)
    steps = 4
    long = [0.0, steps * step]
    return _wheel("rimless_wheel", 24, upright, (steps + 0.5) * step) | {
        "title": "Rimless wheel at its fixed point",
        "what": "A wheel of eight spokes rolls down a slope of .1 at the speed that repeats: every impact of a spoke "
        "takes what the slope has given. Soft contacts lose less or more than the impact does, and roll at another "
        "speed.",
        "measurements": [
            row("time of a step", "wheel", "spin y", step, 0.005, period=long),
            row("first impact", "wheel", "speed z", half, 0.01, step, crossing=rises(after=0.1)),
            row("spin before impacts", "wheel", "spin y", before, 0.005, greatest=long),
            row("least spin", "wheel", "spin y", slowest, 0.005, before, least=long),
            row("turn in four steps", "wheel", "turn y", 8 * HALF, 0.01, change=long),
            row("load", "contact", "force z", weight * math.cos(SLOPE), 0.005, weight, mean=[step, 3 * step]),
            row("friction", "contact", "force x", -weight * math.sin(SLOPE), 0.005, weight, mean=[step, 3 * step]),
        ],
        "provenance": {
            "kind": "closed form",
            "derivation": "Between impacts the stance spoke is a pendulum, energy is kept. An impact keeps the "
            "angular momentum about the new foot: spin "
            "times (I + m l^2 cos 2a) / (I + m l^2), a half the angle between spokes. The fixed point balances "
            "both; times are integrals of angle over spin. "
            "Over a period the mean force, impulses included, carries the weight.",
            "sources": ["McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990)."],
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }


def rimless_wheel_settles() -> dict:
    """Return a rimless wheel that comes back to its fixed point."""
    fixed = fixed_upright()
    rise = 2 * MASS * G * RADIUS / ABOUT_FOOT
    upright, start, steps = 1.5 * fixed, 0.0, 4
    measurements = []
    first = upright
    for n in range(1, steps + 1):
        before = wheel_speed(upright, HALF)
        follows = math.sqrt((LOSS * before) ** 2 - rise * (math.cos(SLOPE) - math.cos(SLOPE - HALF)))
        half = wheel_time(upright, 0.0, HALF)
        rest = wheel_time(follows, -HALF, 0.0)
        end = start + half + rest
        measurements.append(row(f"spin before impact {n}", "wheel", "spin y", before, 0.005, greatest=[start, end]))
        upright, start = follows, end
    return _wheel("rimless_wheel_settles", 24, first, start + 0.05) | {
        "title": "Rimless wheel that returns to its fixed point",
        "what": "The wheel of the case before starts with half as much spin again. What is left of the surplus is "
        "multiplied by the same number in every step (.53, that of a massless rim would be cos^2 2a = .5), as the "
        "spins before the impacts show.",
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "With the case before: the square of the spin before impact n + 1 is h^2 times that "
            "before impact n plus a constant, "
            "h = (I + m l^2 cos 2a) / (I + m l^2). So h^2 is the multiplier.",
            "sources": ["McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990)."],
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }


MAKERS = (rimless_wheel, rimless_wheel_settles)
