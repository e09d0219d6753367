"""Cases of slopes: what should stay where it is, and what should slide off, number 1 to 3."""

from __future__ import annotations

import math

from .parts import G, box, contact, described, ground, measured, tilted

STEEP = ((0.1, 0.11), (0.3, 0.32), (0.4, 0.5), (0.6, 0.72))  # angle of a slope [rad] and a coefficient that holds
SLIPPERY = ((0.2, 0.1), (0.3, 0.3), (0.5, 0.3), (0.7, 0.7))  # and one that does not
MASS, HALF = 2.0, 0.1  # of the box [kg], [m]


@described(
    number=1,
    title="Boxes on slopes, below the friction angle",
    phenomenon="statics",
    what="Four boxes rest on slopes of .1, .3, .4 and .6 rad whose tangents are 3 to 18 % below the coefficients of "
    "friction. They stay. Simulators with soft or smoothed friction let them creep, or drop them at once where the "
    "margin is small.",
    provenance={
        "kind": "closed form",
        "derivation": "At rest friction is -m g sin(a) along the slope and the load m g cos(a); tan(a) < mu allows "
        "it. The load's centre lies half tan(a) before the box's, inside its face.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners.",
    },
)
def slope_sticks() -> dict:
    """Return boxes below the friction angle."""
    bodies, contacts, measurements = _slopes(STEEP)
    for n, (angle, _) in enumerate(STEEP, 1):
        down, up = _axes(angle)
        friction, load = -MASS * G * math.sin(angle), MASS * G * math.cos(angle)
        held = {"scale": MASS * G, "tolerance": 0.05, "mean": [1.0, 2.0]}
        measurements += [
            measured(f"creep {n}", f"box_{n}", "position", "m", 0.0, 1e-4, HALF, along=down, change=[0.0, 2.0]),
            measured(f"friction {n}", f"contact_{n}", "force", "N", friction, along=down, **held),
            measured(f"load {n}", f"contact_{n}", "force", "N", load, along=up, **held),
        ]
    return {"duration": 2.0, "bodies": bodies, "contacts": contacts, "measurements": measurements}


@described(
    number=2,
    title="Boxes on slopes, above the friction angle",
    phenomenon="statics",
    what="Four boxes start from rest on slopes steeper than the friction angle; the second by no more than 3 %. They "
    "slide with g (sin a - mu cos a) and stay on the slope. Simulators lift the slider, or their friction is off the "
    "cone.",
    provenance={
        "kind": "closed form",
        "derivation": "Friction is mu m g cos(a), so that the acceleration is g (sin(a) - mu cos(a)). The boxes stay "
        "flat as mu half height < half length.",
        "sources": [
            "https://github.com/genesis-embodied-ai/Genesis/pull/3126 (a sliding cube lifted by 318 mm)",
            "https://github.com/newton-physics/newton/pull/4010 (friction 4 to 100 times outside the cone)",
        ],
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners.",
    },
)
def slope_slides() -> dict:
    """Return boxes above the friction angle."""
    bodies, contacts, measurements = _slopes(SLIPPERY)
    for n, (angle, friction) in enumerate(SLIPPERY, 1):
        down, up = _axes(angle)
        speed = G * (math.sin(angle) - friction * math.cos(angle))
        drag, name = -friction * MASS * G * math.cos(angle), f"box_{n}"
        measurements += [
            measured(f"speed {n}", name, "velocity", "m/s", speed, 0.02, G, along=down, at=1.0),
            measured(f"distance {n}", name, "position", "m", speed / 2, 0.01, G / 2, along=down, change=[0.0, 1.0]),
            measured(f"lift {n}", name, "position", "m", HALF, 5e-4, HALF, along=up, greatest=[0.0, 1.0]),
            measured(f"friction {n}", f"contact_{n}", "force", "N", drag, 0.05, MASS * G, along=down, mean=[0.5, 1.0]),
        ]
    return {"duration": 1.0, "bodies": bodies, "contacts": contacts, "measurements": measurements}


@described(
    number=3,
    title="Creep in a minute",
    phenomenon="statics",
    what="Boxes of 1 and 100 kg rest for a minute on a slope whose tangent, .45, is 10 % below the coefficient of "
    "friction. Coulomb friction holds them for ever; regularised friction lets them creep, most simulators by "
    "millimetres to metres.",
)
def slope_creep() -> dict:
    """Return a light and a heavy box a minute below the friction angle."""
    angle, friction, last = math.atan(0.45), 0.5, 60.0
    (down, _), side, masses = _axes(angle), [0.0, 1.0, 0.0], {"light": 1.0, "heavy": 100.0}
    bodies, measurements = [], []
    for name, mass in masses.items():
        bodies.append(_on_slope(name, mass, angle, y=0.0 if name == "light" else 1.0))
        creep = {"answer": 0.0, "tolerance": 1e-4, "scale": 0.1, "change": [1.0, last]}
        measurements += [
            measured(f"creep of the {name} box", name, "position", "m", along=down, **creep),
            measured(f"drift of the {name} box", name, "position", "m", along=side, **creep),
        ]
    return {
        "duration": last,
        "bodies": [*bodies, ground(quaternion=tilted(angle))],
        "contacts": [contact(name, "ground", friction, f"under_{name}") for name in masses],
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "tan(a) < mu: the state of rest is a solution, and as the loads of a box that does not turn "
            "are determined by friction at rest and weight, the only one.",
            "sources": [f"https://github.com/google-deepmind/mujoco/issues/{n} (creep)" for n in (2630, 1743, 3328)],
            "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners.",
        },
    }


def _axes(angle: float) -> tuple[list[float], list[float]]:
    """Return the unit vectors down a slope and out of it."""
    return [math.cos(angle), 0.0, -math.sin(angle)], [math.sin(angle), 0.0, math.cos(angle)]


def _on_slope(name: str, mass: float, angle: float, y: float) -> dict:
    _, up = _axes(angle)
    place = [HALF * up[0], y, HALF * up[2]]
    return box(name, mass, (HALF, HALF, HALF), position=place, quaternion=tilted(angle))


def _slopes(rows) -> tuple[list[dict], list[dict], list[dict]]:
    """Return a box on a slope of its own for every angle and coefficient: bodies, contacts, no measurements yet."""
    bodies, contacts = [], []
    for n, (angle, friction) in enumerate(rows, 1):
        bodies += [_on_slope(f"box_{n}", MASS, angle, y=float(n)), ground(f"slope_{n}", quaternion=tilted(angle))]
        contacts.append(contact(f"box_{n}", f"slope_{n}", friction, f"contact_{n}"))
    return bodies, contacts, []


MAKERS = (slope_sticks, slope_slides, slope_creep)
