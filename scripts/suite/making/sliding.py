"""Cases in which something slides."""

from __future__ import annotations

from .parts import G, box, contact, ground, measured


def block_stops() -> dict:
    """Return a block that friction brings to rest."""
    friction, speed, half = 0.3, 2.0, 0.05
    body = box("block", 1.0, (0.2, 0.2, half), position=[0.0, 0.0, half], velocity=[speed, 0.0, 0.0])
    time, distance = speed / (friction * G), speed**2 / (2 * friction * G)
    return {
        "id": "block_stops",
        "version": 1,
        "number": 10,
        "title": "Block that friction stops",
        "phenomenon": "sliding",
        "what": "A flat block slides at 2 m/s, stops, and stays stopped.",
        "duration": 2.0,
        "bodies": [body, ground()],
        "contacts": [contact("block", "ground", friction)],
        "measurements": [
            measured("distance", "block", "position", "m", distance, 0.002, distance, along=[1, 0, 0], at=2.0),
            measured("speed halfway", "block", "velocity", "m/s", speed / 2, 0.01, speed, along=[1, 0, 0], at=time / 2),
            measured("speed at rest", "block", "velocity", "m/s", 0.0, 1e-4, speed, at=2.0),
        ],
        "provenance": {
            "kind": "closed form",
            "derivation": "Deceleration mu g: rest after v / (mu g), v^2 / (2 mu g) further on. No foot lifts: the block is flat, h mu < half its length.",
            "checked": "Exact engine.",
        },
    }


MAKERS = (block_stops,)
