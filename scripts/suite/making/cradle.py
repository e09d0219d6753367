"""Newton's cradle: balls that hit one another in a row."""

from __future__ import annotations

from .parts import contact, described, sphere
from .rows import row


@described(
    number=22,
    title="Newton's cradle with gaps",
    phenomenon="impact",
    what="A ball hits the first of three others, which are a centimetre apart, without gravity or loss: the last flies "
    "off, the others stand. Beside them two balls hit a third from both sides at the same instant, and return. No "
    "convention is needed for either.",
    provenance={
        "kind": "closed form",
        "derivation": "Equal balls exchange their velocities, one pair after the other; the centre of the moving "
        "pattern jumps by a diameter at each impact, so that the last ball leaves when the gaps have been crossed. In "
        "symmetry momentum keeps the middle ball at rest, and energy the speed of the others.",
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def cradle_apart() -> dict:
    """Return a row of balls with gaps, and three balls that meet at once in symmetry."""
    radius, speed, gap = 0.05, 1.0, 0.01
    pitch = 2 * radius + gap
    balls = [sphere(f"ball_{n + 1}", 1.0, radius, position=[n * pitch, 0.0, 0.0]) for n in range(4)]
    balls[0]["velocity"] = [speed, 0.0, 0.0]
    places = {"left": -0.2, "middle": 0.0, "right": 0.2}
    meet = [sphere(name, 1.0, radius, position=[x, 0.5, 0.0]) for name, x in places.items()]
    meet[0]["velocity"], meet[2]["velocity"] = [speed, 0.0, 0.0], [-speed, 0.0, 0.0]
    pairs = [(f"ball_{n}", f"ball_{n + 1}") for n in range(1, 4)] + [("left", "middle"), ("middle", "right")]
    after = {f"ball_{n}": 0.0 for n in (1, 2, 3)} | {"ball_4": speed, "left": -speed, "middle": 0.0, "right": speed}
    return {
        "gravity": [0, 0, 0],
        "duration": 0.3,
        "bodies": [*balls, *meet],
        "contacts": [contact(a, b, 0.0, f"{a}_{b}", restitution=1.0) for a, b in pairs],
        "measurements": [
            *(row(f"speed of {name}", name, "speed x", value, 0.01, speed, at=0.3) for name, value in after.items()),
            row("travel of ball_4", "ball_4", "place x", 0.3 * speed - 3 * gap, 0.01, change=[0.0, 0.3]),
        ],
    }


@described(
    number=22,
    title="Newton's cradle, touching",
    phenomenon="impact",
    what="A ball hits a row of three that touch, without gravity or loss. In the toy, and in this answer, the last "
    "flies off and the others stand. Simulators that solve the impact at once, or with springs, spread the momentum "
    "over the row.",
    convention="Impacts come one after the other, from the hit ball on, as in the limit of small gaps. Momentum and "
    "energy alone leave a family of answers; a simultaneous impact law chooses another.",
    provenance={
        "kind": "closed form",
        "derivation": "Equal balls exchange their velocities, one pair after the other.",
        "checked": "An independent event-driven integration of the row with gaps of a micrometre.",
    },
)
def cradle_touching() -> dict:
    """Return a row of touching balls, whose answer is a convention."""
    radius, speed, gap = 0.05, 1.0, 0.05
    balls = [sphere(f"ball_{n + 1}", 1.0, radius, position=[n * 2 * radius, 0.0, 0.0]) for n in range(4)]
    balls[0] |= {"position": [-gap, 0.0, 0.0], "velocity": [speed, 0.0, 0.0]}
    return {
        "gravity": [0, 0, 0],
        "duration": 0.3,
        "bodies": balls,
        "contacts": [contact(f"ball_{n}", f"ball_{n + 1}", 0.0, f"pair_{n}", restitution=1.0) for n in range(1, 4)],
        "measurements": [
            row(f"speed of ball_{n}", f"ball_{n}", "speed x", value, 0.02, speed, at=0.3)
            for n, value in ((1, 0.0), (2, 0.0), (3, 0.0), (4, speed))
        ],
    }


MAKERS = (cradle_apart, cradle_touching)
