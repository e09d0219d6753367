"""Cases in which spheres and rods hit the ground."""

from __future__ import annotations

import math

from .parts import G, contact, described, feet, ground, sphere
from .rows import falls, plane, rises, row

ROUTH = "Routh, Dynamics of a System of Rigid Bodies (1860): friction acts while the normal impulse grows."


@described(
    number=19,
    title="Ball that bounces to rest in finite time",
    phenomenon="impact",
    what="Three balls fall from .1 m and bounce with restitution .3, .5 and .8, infinitely often until a finite time; "
    "then they rest. Simulators miss the height where they know no restitution, or go on trembling after the end.",
    provenance={
        "kind": "closed form",
        "derivation": "With t1 = sqrt(2 h / g) impact n is at t1 (1 + 2 e + ... + 2 e^(n - 1)), the apex after it at "
        "e^(2 n) h, and the end of the bounces at t1 (1 + e) / (1 - e).",
        "checked": "Our exact engine, and an independent event-driven integration from the data of the case.",
    },
)
def ball_bounces() -> dict:
    """Return balls that bounce ever lower and come to rest in finite time."""
    radius, height = 0.05, 0.1
    fall = math.sqrt(2 * height / G)
    bodies, contacts, measurements = [], [], []
    for n, e in enumerate((0.3, 0.5, 0.8)):
        name = f"ball_{n + 1}"
        bodies.append(sphere(name, 1.0, radius, position=[0.0, 0.3 * n, radius + height]))
        contacts.append(contact(name, "ground", 0.3, f"contact_{n + 1}", restitution=e))
        first, second, end = fall, fall * (1 + 2 * e), fall * (1 + e) / (1 - e)
        third = fall * (1 + 2 * e + 2 * e**2)
        apex = {"greatest": [first + 0.3 * e * fall, second]}
        measurements += [
            row(f"apex at e = {e}", name, "place z", radius + e**2 * height, 0.01, height, **apex),
            row(f"third impact at e = {e}", name, "speed z", third, 0.01, end, crossing=rises(3)),
            row(f"speed after the end at e = {e}", name, "speed", 0.0, 0.005, G * fall, greatest=[end + 0.05, 1.5]),
        ]
    return {"duration": 1.5, "bodies": [*bodies, ground()], "contacts": contacts, "measurements": measurements}


@described(
    number=20,
    title="Drop without a bounce",
    phenomenon="impact",
    what="A ball, and a table on four point feet, fall from .2 m on ground without restitution. They neither bounce "
    "nor sink in. Soft contacts dip by millimetres and throw the body back.",
    provenance={
        "kind": "closed form",
        "derivation": "Free fall, t = sqrt(2 (h - 1 cm) / g) to a height of 1 cm; the impact leaves no velocity. The "
        "table's four feet touch at once.",
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def drop_without_bounce() -> dict:
    """Return a sphere and a quadruped of point feet that fall and stay down."""
    radius, height, half = 0.1, 0.2, 0.1
    ball = sphere("ball", 1.0, radius, position=[0.0, 0.0, radius + height])
    corners = [[x, y, -half] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    table = feet("table", 2.0, [0.02, 0.04, 0.04], corners, position=[0.0, 1.0, half + height])
    fall = math.sqrt(2 * height / G)
    measurements = []
    for name, low in (("ball", radius), ("table", half)):
        later = [fall + 0.1, 1.0]
        reach = math.sqrt(2 * (height - 0.01) / G)
        measurements += [
            row(f"{name} 1 cm high", name, "place z", reach, 0.01, fall, crossing=falls(level=low + 0.01)),
            row(f"bounce of the {name}", name, "place z", low, 0.01, height, greatest=[fall + 0.02, 1.0]),
            row(f"depth of the {name}", name, "place z", low, 0.01, height, least=[0.0, 1.0]),
            row(f"speed of the {name} after", name, "speed", 0.0, 0.005, G * fall, greatest=later),
        ]
    return {
        "duration": 1.0,
        "bodies": [ball, table, ground()],
        "contacts": [contact("ball", "ground", 0.5, "ball"), contact("table", "ground", 0.5, "table")],
        "measurements": measurements,
    }


@described(
    number=21,
    title="Sphere thrown obliquely",
    phenomenon="impact",
    what="Balls with 2 m/s along the ground and different spin fall on it and bounce with restitution .5. Two slide "
    "through the whole impact, two leave it rolling. Simulators lose friction's impulse, or take more than mu times "
    "the normal one.",
    provenance={
        "kind": "closed form",
        "derivation": "Normal impulse per mass (1 + e) v_n; friction's is the smaller of mu times that and 2/7 of "
        "the slip, v - r w, which ends the slip; it opposes the slip. Velocity and spin change by it and by 5 / (2 r) "
        "of it. Slip does not turn a ball's normal impulse.",
        "sources": [ROUTH],
        "checked": "An independent event-driven integration from the data of the case, and Routh's increments of the "
        "impulse.",
    },
)
def sphere_impact() -> dict:
    """Return spheres thrown obliquely at the ground: the foot sticks or slides through the impact."""
    radius, mass, speed, height = 0.1, 1.0, 2.0, 0.1
    fall = math.sqrt(2 * height / G)
    normal = G * fall
    later = 0.1  # after the impact, in flight
    bodies, contacts, measurements = [], [], []
    # Restitution, friction, spin about y: positive rolls forward.
    for n, (e, friction, spin) in enumerate(((0.5, 0.1, 0.0), (0.5, 0.5, 0.0), (0.5, 0.5, -60.0), (0.5, 0.8, 60.0)), 1):
        name = f"ball_{n}"
        state = {"velocity": [speed, 0.0, 0.0], "angular_velocity": [0.0, spin, 0.0]}
        bodies.append(sphere(name, mass, radius, position=[0.0, 0.5 * n, radius + height], **state))
        contacts.append(contact(name, "ground", friction, f"contact_{n}", restitution=e))
        slip = speed - radius * spin
        change = -math.copysign(min(abs(slip) * 2 / 7, friction * (1 + e) * normal), slip)
        what = f"mu = {friction}, spin {spin:g}"
        turn = spin - change * 5 / (2 * radius)
        measurements.append(row(f"speed after, {what}", name, "speed x", speed + change, 0.005, speed, at=fall + later))
        measurements.append(row(f"spin after, {what}", name, "spin y", turn, 0.005, 60.0, at=fall + later))
    return {"duration": 0.3, "bodies": [*bodies, ground()], "contacts": contacts, "measurements": measurements}


@described(
    number=23,
    title="Rod that lands on its end",
    phenomenon="impact",
    what="Rods, tilted by 60 degrees, hit the ground with one end at 2 m/s. The end slides through the impact at mu = "
    ".2, sticks at .6, and at .8 with .4 m/s along the ground slides until it sticks. No gravity: the turning rod "
    "lifts its end at once, and moves freely.",
    convention="Without restitution. Friction along the impulse (Routh) and friction on the whole impulse (Moreau) "
    "give the same here.",
    provenance={
        "kind": "closed form",
        "derivation": "The velocity of the end changes by K p, K = [[1/m + z^2/I, -x z/I], [-x z/I, 1/m + x^2/I]]. "
        "It sticks with p = -v / K if |p_x| <= mu p_z; else p_x = +-mu p_z and the normal velocity vanishes. Then the "
        "body's own velocities change by p/m and the moment of p over I.",
        "sources": [ROUTH],
        "checked": "Routh's increments of the impulse, and an independent event-driven integration from the data of "
        "the case.",
    },
)
def rod_lands() -> dict:
    """Return rods that hit the ground with one end: it sticks, slides, or slides until it sticks."""
    mass, half, tilt, speed = 1.0, 0.5, math.pi / 3, 2.0  # tilt from the ground
    moment = mass * half**2 / 3
    x, z = -half * math.cos(tilt), -half * math.sin(tilt)  # of the foot from the centre
    # Inverse masses at the foot.
    along, across, up = 1 / mass + z**2 / moment, -x * z / moment, 1 / mass + x**2 / moment
    gap, at = 0.1, 0.1
    bodies, contacts, measurements = [], [], []
    for n, (friction, slide) in enumerate(((0.2, 0.0), (0.6, 0.0), (0.8, 0.4)), 1):
        name = f"rod_{n}"
        state = {"position": [0.0, 0.5 * n, gap - z], "velocity": [slide, 0.0, -speed]}
        bodies.append(feet(name, mass, [moment, moment, 1e-3], [[x, 0.0, z]], **state))
        contacts.append(contact(name, "ground", friction, f"contact_{n}"))
        determinant = along * up - across**2
        impulse = ((-up * slide - across * speed) / determinant, (across * slide + along * speed) / determinant)
        how = "sticks"
        if abs(impulse[0]) > friction * impulse[1]:
            sign, how = math.copysign(1.0, impulse[0]), "slides"
            normal = speed / (up + sign * friction * across)
            impulse = (sign * friction * normal, normal)
        turn = (z * impulse[0] - x * impulse[1]) / moment
        measurements += [
            row(f"spin, {name} {how}", name, "spin y", turn, 0.005, speed / half, at=at),
            row(f"speed along x, {name} {how}", name, "speed x", slide + impulse[0] / mass, 0.005, speed, at=at),
            row(f"speed along z, {name} {how}", name, "speed z", -speed + impulse[1] / mass, 0.005, speed, at=at),
        ]
    return {
        "gravity": [0, 0, 0],
        "duration": 0.15,
        "bodies": [*bodies, ground()],
        "joints": plane("rod_1", "rod_2", "rod_3"),
        "contacts": contacts,
        "measurements": measurements,
    }


MAKERS = (ball_bounces, drop_without_bounce, sphere_impact, rod_lands)
