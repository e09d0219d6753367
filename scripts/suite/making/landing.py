"""Cases in which feet slip as they land, where convex contact is not Coulomb's, and one in which they slip on.

In convex simulators a contact that slides at |v_t| has to open at mu |v_t| or more (Anitescu, 2006): after an impact
velocities are those nearest to the ones before, by the kinetic energy of the change, of all that obey this.
"""

from __future__ import annotations

import math

from .parts import G, box, contact, described, feet, ground, tilted
from .rows import light_foot, plane, row

ANITESCU = "Anitescu, Optimization-based simulation of nonsmooth rigid multibody dynamics, Math. Program. 105 (2006)."
CONVENTION = "Without restitution. `convex` is the answer of the convex law; a simulator of that law gives it."
BY_ENERGY = "the convex law's by minimising the kinetic energy of the change."
CHECKED = f"An independent event-driven integration and Routh's increments of the impulse; {BY_ENERGY}"
GAP, AT = 0.01, 0.1  # under a foot at the start [m]; when velocities are measured [s]


def landing(inverse: tuple[float, float, float], mu: float, slip: float, fall: float) -> tuple:
    """Return the impulses (tangential, normal) of a plastic landing that slides by Coulomb's and by the convex law.

    Args:
        inverse: Inverse masses at the foot: along the ground, across (mixed), up [1/kg].
        mu: Friction.
        slip: Velocity of the foot along the ground, not zero [m/s].
        fall: Downward [m/s].

    Raises:
        ValueError: If the foot stops by one of the laws.
    """
    along, across, up = inverse
    against = -math.copysign(mu, slip)
    coulomb = fall / (up + against * across)
    convex = (fall - against * slip) / (up + 2 * against * across + mu**2 * along)
    for normal in (coulomb, convex):
        if normal < 0 or (slip + (across + against * along) * normal) * slip <= 0:
            raise ValueError(f"the foot stops: mu = {mu}, slip {slip} m/s")
    return (against * coulomb, coulomb), (against * convex, convex)


def _speeds(name: str, mu: float, slide: float, what: str) -> list[dict]:
    """Return the rows of the speeds of a unit mass that landed at 1 m/s, sliding, its contact below its centre."""
    (braked, _), (more, thrown) = landing((1.0, 0.0, 1.0), mu, slide, 1.0)
    return [
        row(f"speed x {what}", name, "speed x", slide + braked, 0.01, slide, at=AT, convex=slide + more),
        row(f"speed z {what}", name, "speed z", 0.0, 0.01, 1.0, at=AT, convex=thrown - 1.0),
    ]


@described(
    number=41,
    title="Points that land sliding",
    phenomenon="impact",
    what="Point masses land at 1 m/s, sliding. Friction takes mu times the normal impulse, and they slide on along the "
    "ground. Convex simulators make them jump, at mu times the speed that is left, and brake them more.",
    convention=CONVENTION,
    provenance={
        "kind": "closed form",
        "derivation": "Normal impulse m v_z, friction mu m v_z: v_x - mu v_z and 0. Convex: the point of v_z >= mu v_x "
        "nearest to the velocity before: v_x = (v_x - mu v_z) / (1 + mu^2), v_z = mu v_x.",
        "sources": [ANITESCU],
        "checked": CHECKED,
    },
)
def point_lands_sliding() -> dict:
    """Return point masses that slide through their landing."""
    bodies, contacts, measurements = [], [], []
    for n, (mu, slide) in enumerate(((0.5, 1.0), (0.2, 2.0), (1.0, 1.5)), 1):
        name = f"point_{n}"
        state = {"position": [0.0, 0.5 * n, GAP], "velocity": [slide, 0.0, -1.0]}
        bodies.append(light_foot(name, 1.0, 0.01, **state))
        contacts.append(contact(name, "ground", mu, f"contact_{n}"))
        measurements += _speeds(name, mu, slide, f"after, mu = {mu}, {slide:g} m/s")
    return _case(bodies, contacts, measurements)


@described(
    number=41,
    title="Rods that land sliding",
    phenomenon="impact",
    what="Rods, tilted by 60 degrees, hit the ground with one end at 2 m/s while they move at 3 m/s along it, forward "
    "and backward. The end slides through the impact and on; convex simulators make it jump. No gravity.",
    convention=CONVENTION,
    provenance={
        "kind": "closed form",
        "derivation": "As in `rod_lands`, with the slip that is there: p_x = -+mu p_z, and the end's normal velocity "
        "vanishes; in the convex law it is mu times the slip that is left.",
        "sources": [ANITESCU],
        "checked": CHECKED,
    },
)
def rod_lands_sliding() -> dict:
    """Return rods whose end slides through its landing, forward and backward."""
    mass, half, tilt, fall, mu = 1.0, 0.5, math.pi / 3, 2.0, 0.3
    moment = mass * half**2 / 3
    x, z = -half * math.cos(tilt), -half * math.sin(tilt)  # of the foot from the centre
    inverse = 1 / mass + z**2 / moment, -x * z / moment, 1 / mass + x**2 / moment
    bodies, contacts, measurements = [], [], []
    for n, (slide, which) in enumerate(((3.0, "forward"), (-3.0, "backward")), 1):
        name = f"rod_{n}"
        state = {"position": [0.0, 0.5 * n, GAP - z], "velocity": [slide, 0.0, -fall]}
        bodies.append(feet(name, mass, [moment, moment, 1e-3], [[x, 0.0, z]], **state))
        contacts.append(contact(name, "ground", mu, f"contact_{n}"))
        right, convex = (
            {"x": slide + p / mass, "z": -fall + q / mass, "y": (z * p - x * q) / moment}
            for p, q in landing(inverse, mu, slide, fall)
        )
        for what, axis, scale in (("speed", "x", 3.0), ("speed", "z", fall), ("spin", "y", fall / half)):
            title = f"{what} {axis}, {which}"
            how = {"at": AT, "convex": convex[axis]}
            measurements.append(row(title, name, f"{what} {axis}", right[axis], 0.005, scale, **how))
    return _case(bodies, contacts, measurements) | {"joints": plane("rod_1", "rod_2")}


@described(
    number=41,
    title="Boxes that land sliding",
    phenomenon="impact",
    what="Flat boxes land at 1 m/s on their whole faces, sliding. They slide on, turn not, and stay down; convex "
    "simulators make them jump, at mu times the speed that is left.",
    convention=CONVENTION,
    provenance={
        "kind": "closed form",
        "derivation": "As the point, as long as the normal impulse stays within the face: mu h < a, with the centre's "
        "height h and half the length a. Its shares at the corners are not determined, the velocities are.",
        "sources": [ANITESCU],
        "checked": f"The certified contact solver on all four corners; {BY_ENERGY}",
    },
)
def box_lands_sliding() -> dict:
    """Return boxes that land flat, and slide."""
    half, bodies, contacts, measurements = (0.2, 0.1, 0.05), [], [], []
    for n, (mu, slide) in enumerate(((0.5, 1.0), (0.2, 2.0)), 1):
        name = f"box_{n}"
        state = {"position": [0.0, 0.5 * n, half[2] + GAP], "velocity": [slide, 0.0, -1.0]}
        bodies.append(box(name, 1.0, half, **state))
        contacts.append(contact(name, "ground", mu, f"contact_{n}"))
        what = f"after, mu = {mu}"
        measurements += _speeds(name, mu, slide, what)
        measurements.append(row(f"spin {what}", name, "spin y", 0.0, 0.01, 1.0 / half[0], at=AT, convex=0.0))
    return _case(bodies, contacts, measurements)


@described(
    number=42,
    title="Bars whose feet land one after the other",
    phenomenon="impact",
    what="Nearly level bars fall at 1 m/s on two feet without friction, one .5, 2 and 10 mm lower. With their mass "
    "far out, each landing speeds the other foot up: the second throws the first off. In soft simulators both landings "
    "are one, and the bar stops, until they are further apart than about ten times the contact's time constant.",
    convention="Without restitution. Were both to land at once, the bar would stop: the rigid limit is discontinuous.",
    provenance={
        "kind": "closed form",
        "derivation": "Each landing takes its foot's normal velocity by p = v / (1/m + x^2/I), and in between the bar "
        "moves freely; no foot is touched twice. x is the foot's arm along the ground.",
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def feet_land_in_turn() -> dict:
    """Return bars that fall on two feet in short order."""
    mass, arm, low, fall = 1.0, 0.5, 0.1, 1.0
    moment = 2.0 * mass * arm**2  # more than m l^2: a landing on one foot makes the other rise
    bodies, contacts, measurements = [], [], []
    for n, lower in enumerate((5e-4, 2e-3, 1e-2), 1):
        name, tilt = f"bar_{n}", math.asin(lower / (2 * arm))
        front, rear = _feet(arm, low, tilt)
        state = {"position": [0.0, 0.5 * n, GAP - front[1]], "velocity": [0.0, 0.0, -fall], "quaternion": tilted(tilt)}
        points = [[arm, 0.0, -low], [-arm, 0.0, -low]]
        bodies.append(feet(name, mass, [1e-3, moment, moment], points, **state))
        contacts.append(contact(name, "ground", 0.0, f"contact_{n}"))
        rise, spin = in_turn(mass, moment, arm, low, tilt, fall)
        what = f"{1e3 * lower:g} mm apart"
        measurements += [
            row(f"spin, {what}", name, "spin y", spin, 0.01, fall / arm, at=AT, bound=1e-10),
            row(f"speed z, {what}", name, "speed z", rise, 0.01, fall, at=AT, bound=1e-10),
        ]
    return _case(bodies, contacts, measurements) | {"joints": plane(*(body["name"] for body in bodies))}


def _feet(arm: float, low: float, tilt: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the places of both feet from the centre; a positive tilt lowers the front one."""
    c, s = math.cos(tilt), math.sin(tilt)
    return (arm * c - low * s, -arm * s - low * c), (-arm * c - low * s, arm * s - low * c)


def in_turn(mass: float, moment: float, arm: float, low: float, tilt: float, fall: float) -> tuple[float, float]:
    """Return velocity up and spin of a bar that lands on its front foot, then, after free flight, on its rear one."""
    (x, z), _ = _feet(arm, low, tilt)
    impulse = fall / (1 / mass + x**2 / moment)
    rise, spin = impulse / mass - fall, -x * impulse / moment
    start, time = -z, 0.0
    for _ in range(60):  # Newton's method for the time at which the rear foot touches
        _, (x, z) = _feet(arm, low, tilt + spin * time)
        time -= (start + rise * time + z) / (rise - x * spin)
    impulse = (x * spin - rise) / (1 / mass + x**2 / moment)
    return rise + impulse / mass, spin - x * impulse / moment


@described(
    number=43,
    title="Sledge that slides on and on",
    phenomenon="sliding",
    what="A flat sledge slides at 2 m/s, drawn by what friction takes, for a second, at constant speed and flat. "
    "Convex simulators lift what slides: a step of dt by mu v dt, 1 mm in a step of 1 ms; soft ones let it hop.",
    provenance={
        "kind": "closed form",
        "derivation": "The pull mu m g, in the ground's plane, balances friction; nothing turns the sledge.",
        "sources": [ANITESCU],
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def sledge_slides_on() -> dict:
    """Return a sledge that is drawn at a constant speed."""
    mass, mu, speed, half = 2.0, 0.5, 2.0, (0.2, 0.1, 0.05)
    sledge = box("sledge", mass, half, position=[0.0, 0.0, half[2]], velocity=[speed, 0.0, 0.0])
    lift = mu * speed * 1e-3  # of a step of a millisecond
    return {
        "duration": 1.0,
        "bodies": [sledge, ground()],
        "contacts": [contact("sledge", "ground", mu)],
        "forces": [{"body": "sledge", "force": [mu * mass * G, 0.0, 0.0], "point": [0.0, 0.0, -half[2]]}],
        "measurements": [
            row("greatest height", "sledge", "place z", half[2], 0.05, lift, greatest=[0.1, 1.0]),
            row("speed at the end", "sledge", "speed x", speed, 0.005, at=1.0),
        ],
    }


def _case(bodies: list[dict], contacts: list[dict], measurements: list[dict]) -> dict:
    return {
        "gravity": [0, 0, 0],
        "duration": 0.15,
        "bodies": [*bodies, ground()],
        "contacts": contacts,
        "measurements": measurements,
    }


MAKERS = (point_lands_sliding, rod_lands_sliding, box_lands_sliding, feet_land_in_turn, sledge_slides_on)
