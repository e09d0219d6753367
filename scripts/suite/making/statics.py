"""Cases in which something should stay where it is, and the loads that hold it there."""

from __future__ import annotations

import math

from .parts import G, box, contact, ground, measured, tilted


def slope_sticks() -> dict:
    """Return a box below the friction angle."""
    angle, friction, mass = 0.4, 0.5, 2.0
    up = [math.sin(angle), 0.0, math.cos(angle)]
    down = [math.cos(angle), 0.0, -math.sin(angle)]
    half = 0.1
    body = box("box", mass, (half, half, half), position=[half * x for x in up], quaternion=tilted(angle))
    return {
        "id": "slope_sticks",
        "version": 1,
        "number": 1,
        "title": "Box on a slope, below the friction angle",
        "phenomenon": "statics",
        "what": "A box rests on a slope whose tangent, .42, is below the coefficient of friction, .5. It stays.",
        "duration": 2.0,
        "bodies": [body, ground(quaternion=tilted(angle))],
        "contacts": [contact("box", "ground", friction)],
        "measurements": [
            measured("creep", "box", "position", "m", 0.0, 1e-4, 0.1, along=down, change=[0.0, 2.0]),
            measured(
                "friction",
                "contact",
                "force",
                "N",
                -mass * G * math.sin(angle),
                0.05,
                mass * G,
                along=down,
                mean=[1.0, 2.0],
            ),
            measured(
                "load", "contact", "force", "N", mass * G * math.cos(angle), 0.05, mass * G, along=up, mean=[1.0, 2.0]
            ),
        ],
        "provenance": {
            "kind": "closed form",
            "derivation": "At rest friction is -m g sin(a) along the slope and the load m g cos(a); tan(a) < mu allows it.",
            "checked": "Exact engine: the sticking mode has no exit.",
        },
    }


MAKERS = (slope_sticks,)
