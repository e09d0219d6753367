"""Cases in which spheres and rods collide."""

from __future__ import annotations

import math

from .parts import G, contact, feet, ground, measured, sphere

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
ROUTH = "Routh, Dynamics of a System of Rigid Bodies (1860): friction acts while the normal impulse grows."


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
        measurements += [
            measured(
                f"apex at e = {e}",
                name,
                "position",
                "m",
                radius + e**2 * height,
                0.001,
                height,
                along=Z,
                greatest=[first + 0.3 * e * fall, second],
            ),
            measured(
                f"third impact at e = {e}",
                name,
                "velocity",
                "s",
                fall * (1 + 2 * e + 2 * e**2),
                0.003,
                end,
                along=Z,
                crossing={"level": 0.0, "direction": "up", "count": 3},
            ),
            measured(
                f"speed after the end at e = {e}",
                name,
                "velocity",
                "m/s",
                0.0,
                0.005,
                G * fall,
                greatest=[end + 0.05, 1.5],
            ),
        ]
    return {
        "id": "ball_bounces",
        "version": 1,
        "number": 19,
        "title": "Ball that bounces to rest in finite time",
        "phenomenon": "impact",
        "what": "Three balls fall from .1 m and bounce with restitution .3, .5 and .8, infinitely often until a "
        "finite time; then they rest. "
        "Simulators miss the height where they know no restitution, or go on trembling after the end.",
        "duration": 1.5,
        "bodies": [*bodies, ground()],
        "contacts": contacts,
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "With t1 = sqrt(2 h / g) impact n is at t1 (1 + 2 e + ... + 2 e^(n - 1)), the apex "
            "after it at e^(2 n) h, and the end "
            "of the bounces at t1 (1 + e) / (1 - e).",
            "checked": "Our exact engine, and an independent event-driven integration from the data of the case.",
        },
    }


def drop_without_bounce() -> dict:
    """Return a sphere and a quadruped of point feet that fall and stay down."""
    radius, height, half = 0.1, 0.2, 0.1
    ball = sphere("ball", 1.0, radius, position=[0.0, 0.0, radius + height])
    corners = [[x, y, -half] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    table = feet("table", 2.0, [0.02, 0.04, 0.04], corners, position=[0.0, 1.0, half + height])
    fall = math.sqrt(2 * height / G)
    measurements = []
    for name, low in (("ball", radius), ("table", half)):
        measurements += [
            measured(
                f"time of the {name}'s impact",
                name,
                "position",
                "s",
                math.sqrt(2 * (height - 0.01) / G),
                0.001,
                fall,
                along=Z,
                crossing={"level": low + 0.01, "direction": "down"},
            ),
            measured(
                f"{name}'s height after",
                name,
                "position",
                "m",
                low,
                0.002,
                height,
                along=Z,
                greatest=[fall + 0.02, 1.0],
            ),
            measured(f"{name}'s depth", name, "position", "m", low, 0.002, height, along=Z, least=[0.0, 1.0]),
            measured(
                f"{name}'s speed after", name, "velocity", "m/s", 0.0, 0.005, G * fall, greatest=[fall + 0.1, 1.0]
            ),
        ]
    return {
        "id": "drop_without_bounce",
        "version": 1,
        "number": 20,
        "title": "Drop without a bounce",
        "phenomenon": "impact",
        "what": "A ball, and a table on four point feet, fall from .2 m on ground without restitution. They "
        "neither bounce nor sink in. "
        "Soft contacts dip by millimetres and throw the body back.",
        "duration": 1.0,
        "bodies": [ball, table, ground()],
        "contacts": [contact("ball", "ground", 0.5, "ball"), contact("table", "ground", 0.5, "table")],
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "Free fall, t = sqrt(2 (h - 1 cm) / g) to a height of 1 cm; the impact leaves no "
            "velocity. The table's four feet touch at once.",
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }


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
        numbers = {"velocity": speed + change, "angular_velocity": spin - change * 5 / (2 * radius)}
        for quantity, axis, unit, scale in (("velocity", X, "m/s", speed), ("angular_velocity", Y, "rad/s", 60.0)):
            measurements.append(
                measured(
                    f"{quantity.replace('_', ' ')} after, {what}",
                    name,
                    quantity,
                    unit,
                    numbers[quantity],
                    0.005 * scale,
                    scale,
                    along=axis,
                    at=fall + later,
                )
            )
    return {
        "id": "sphere_impact",
        "version": 1,
        "number": 21,
        "title": "Sphere thrown obliquely",
        "phenomenon": "impact",
        "what": "Balls with 2 m/s along the ground and different spin fall on it and bounce with restitution .5. "
        "Two slide through the whole impact, two leave it rolling. Simulators lose "
        "friction's impulse, or take more than mu times the normal one.",
        "duration": 0.3,
        "bodies": [*bodies, ground()],
        "contacts": contacts,
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "Normal impulse per mass (1 + e) v_n; friction's is the smaller of mu times that and "
            "2/7 of the slip, v - r w, "
            "which ends the slip; it opposes the slip. Velocity and spin change by it and by 5 / (2 r) of it. "
            "Slip does not turn a ball's normal impulse.",
            "sources": [ROUTH],
            "checked": "An independent event-driven integration from the data of the case, and Routh's "
            "increments of the impulse.",
        },
    }


def cradle_apart() -> dict:
    """Return a row of balls with gaps, and three balls that meet at once in symmetry."""
    radius, speed, gap = 0.05, 1.0, 0.01
    pitch = 2 * radius + gap
    row = [sphere(f"ball_{n + 1}", 1.0, radius, position=[n * pitch, 0.0, 0.0]) for n in range(4)]
    row[0]["velocity"] = [speed, 0.0, 0.0]
    meet = [
        sphere(n, 1.0, radius, position=[x, 0.5, 0.0]) for n, x in (("left", -0.2), ("middle", 0.0), ("right", 0.2))
    ]
    meet[0]["velocity"], meet[2]["velocity"] = [speed, 0.0, 0.0], [-speed, 0.0, 0.0]
    pairs = [(f"ball_{n}", f"ball_{n + 1}") for n in range(1, 4)] + [("left", "middle"), ("middle", "right")]
    after = {
        "ball_1": 0.0,
        "ball_2": 0.0,
        "ball_3": 0.0,
        "ball_4": speed,
        "left": -speed,
        "middle": 0.0,
        "right": speed,
    }
    return {
        "id": "cradle_apart",
        "version": 1,
        "number": 22,
        "title": "Newton's cradle with gaps",
        "phenomenon": "impact",
        "what": "A ball hits the first of three others, which are a centimetre apart, without gravity or loss: "
        "the last flies off, the others stand. "
        "Beside them two balls hit a third from both sides at the same instant, and return. No convention is "
        "needed for either.",
        "gravity": [0, 0, 0],
        "duration": 0.3,
        "bodies": [*row, *meet],
        "contacts": [contact(a, b, 0.0, f"{a}_{b}", restitution=1.0) for a, b in pairs],
        "measurements": [
            *(
                measured(f"speed of {name}", name, "velocity", "m/s", value, 0.01, speed, along=X, at=0.3)
                for name, value in after.items()
            ),
            measured(
                "travel of ball_4",
                "ball_4",
                "position",
                "m",
                0.3 * speed - 3 * gap,
                0.002,
                0.3,
                along=X,
                change=[0, 0.3],
            ),
        ],
        "provenance": {
            "kind": "closed form",
            "derivation": "Equal balls exchange their velocities, one pair after the other; the centre of the "
            "moving pattern jumps by a diameter at each impact, so that the last ball leaves "
            "when the gaps have been crossed. In symmetry momentum keeps the middle ball at rest, and energy the "
            "speed of the others.",
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }


def cradle_touching() -> dict:
    """Return a row of touching balls, whose answer is a convention."""
    radius, speed, gap = 0.05, 1.0, 0.05
    row = [sphere(f"ball_{n + 1}", 1.0, radius, position=[n * 2 * radius, 0.0, 0.0]) for n in range(4)]
    row[0] |= {"position": [-gap, 0.0, 0.0], "velocity": [speed, 0.0, 0.0]}
    return {
        "id": "cradle_touching",
        "version": 1,
        "number": 22,
        "title": "Newton's cradle, touching",
        "phenomenon": "impact",
        "what": "A ball hits a row of three that touch, without gravity or loss. In the toy, and in this answer, "
        "the last flies off and the others stand. "
        "Simulators that solve the impact at once, or with springs, spread the momentum over the row.",
        "convention": "Impacts come one after the other, from the hit ball on, as in the limit of small gaps. "
        "Momentum and energy alone leave a family of answers; a simultaneous impact law chooses another.",
        "gravity": [0, 0, 0],
        "duration": 0.3,
        "bodies": row,
        "contacts": [contact(f"ball_{n}", f"ball_{n + 1}", 0.0, f"pair_{n}", restitution=1.0) for n in range(1, 4)],
        "measurements": [
            measured(f"speed of ball_{n}", f"ball_{n}", "velocity", "m/s", value, 0.02, speed, along=X, at=0.3)
            for n, value in ((1, 0.0), (2, 0.0), (3, 0.0), (4, speed))
        ],
        "provenance": {
            "kind": "closed form",
            "derivation": "Equal balls exchange their velocities, one pair after the other.",
            "checked": "An independent event-driven integration of the row with gaps of a nanometre.",
        },
    }


def rod_lands() -> dict:
    """Return rods that hit the ground with one end: it sticks, slides, or slides until it sticks."""
    mass, half, tilt, speed = 1.0, 0.5, math.pi / 3, 2.0  # tilt from the ground
    moment = mass * half**2 / 3
    x, z = -half * math.cos(tilt), -half * math.sin(tilt)  # of the foot from the centre
    along, across, up = (
        1 / mass + z**2 / moment,
        -x * z / moment,
        1 / mass + x**2 / moment,
    )  # inverse masses at the foot
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
        numbers = (
            ("angular_velocity", Y, "rad/s", turn, speed / half),
            ("velocity", X, "m/s", slide + impulse[0] / mass, speed),
            ("velocity", Z, "m/s", -speed + impulse[1] / mass, speed),
        )
        for quantity, axis, unit, answer, scale in numbers:
            what = "spin" if quantity == "angular_velocity" else f"velocity along {'x' if axis is X else 'z'}"
            measurements.append(
                measured(
                    f"{what}, rod_{n} {how}", name, quantity, unit, answer, 0.005 * scale, scale, along=axis, at=at
                )
            )
    joints = [
        {"name": f"plane_{n}", "type": "planar", "parent": "world", "child": f"rod_{n}", "axis": Y} for n in range(1, 4)
    ]
    return {
        "id": "rod_lands",
        "version": 1,
        "number": 23,
        "title": "Rod that lands on its end",
        "phenomenon": "impact",
        "what": "Rods, tilted by 60 degrees, hit the ground with one end at 2 m/s. The end slides through the "
        "impact at mu = .2, sticks at .6, "
        "and at .8 with .4 m/s along the ground slides until it sticks. No gravity: the turning rod lifts its "
        "end at once, and moves freely.",
        "convention": "Without restitution. Friction along the impulse (Routh) and friction on the whole impulse "
        "(Moreau) give the same here.",
        "gravity": [0, 0, 0],
        "duration": 0.15,
        "bodies": [*bodies, ground()],
        "joints": joints,
        "contacts": contacts,
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "The velocity of the end changes by K p, K = [[1/m + z^2/I, -x z/I], [-x z/I, 1/m + "
            "x^2/I]]. It sticks with p = -v / K if |p_x| <= mu p_z; "
            "else p_x = +-mu p_z and the normal velocity vanishes. Then the body's own velocities change by p/m "
            "and the moment of p over I.",
            "sources": [ROUTH],
            "checked": "Routh's increments of the impulse, and an independent event-driven integration from the "
            "data of the case.",
        },
    }


MAKERS = (ball_bounces, drop_without_bounce, sphere_impact, cradle_apart, cradle_touching, rod_lands)
