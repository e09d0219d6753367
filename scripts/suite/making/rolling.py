"""Cases of round bodies that slide, roll and spin: number 11, 12 and 14."""

from __future__ import annotations

from .parts import G, contact, described, ground, measured, sphere

FORWARD, SIDE, UP = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


@described(
    number=11,
    title="Sphere from sliding to rolling",
    phenomenon="sliding",
    what="A sphere is thrown along the ground without spin. Friction slows it and spins it up until it rolls, with 5/7 "
    "of its first speed; from then on nothing changes. Simulators miss the time of the change, or brake the rolling "
    "sphere.",
    provenance={
        "kind": "closed form",
        "derivation": "v = v0 - mu g t, r w = 5/2 mu g t; they meet at 2 v0 / (7 mu g).",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions at the contact, from event to event.",
    },
)
def sphere_rolls() -> dict:
    """Return a sphere that is thrown without spin."""
    friction, speed, radius, last = 0.2, 3.0, 0.1, 1.0
    time, rolling = 2 * speed / (7 * friction * G), 5 / 7 * speed
    place = speed * time - friction * G * time**2 / 2 + rolling * (last - time)
    half, along, spin = {"at": time / 2}, {"along": FORWARD}, {"along": SIDE}
    body = sphere("sphere", 1.0, radius, position=[0.0, 0.0, radius], velocity=[speed, 0.0, 0.0])
    return {
        "duration": last,
        "bodies": [body, ground()],
        "contacts": [contact("sphere", "ground", friction)],
        "measurements": [
            measured(
                "speed, sliding",
                "sphere",
                "velocity",
                "m/s",
                speed - friction * G * time / 2,
                0.009,
                speed,
                **half,
                **along,
            ),
            measured(
                "spin, sliding", "sphere", "angular_velocity", "rad/s", rolling / radius / 2, 0.09, 30.0, **half, **spin
            ),
            measured("speed, rolling", "sphere", "velocity", "m/s", rolling, 0.006, speed, at=last, **along),
            measured(
                "spin, rolling", "sphere", "angular_velocity", "rad/s", rolling / radius, 0.06, 30.0, at=last, **spin
            ),
            measured("place", "sphere", "position", "m", place, 0.006, speed, at=last, **along),
            measured(
                "friction, rolling", "contact", "force", "N", 0.0, 0.01, friction * G, mean=[time + 0.05, last], **along
            ),
        ],
    }


@described(
    number=12,
    title="Hoop and disc with backspin",
    phenomenon="sliding",
    what="A hoop and a disc are thrown with a backspin of 1.5 times their speed. The hoop comes back, the disc rolls "
    "on: they return if the backspin exceeds 1 and 2 times the speed. The last speed does not depend on the "
    "coefficient of friction, time and place do.",
    convention="Both are spheres in outline, in a plane, with the moments of inertia of a hoop and a disc.",
    provenance={
        "kind": "closed form",
        "derivation": "The angular momentum about a point of the ground is constant: with I = b m r^2 and a backspin "
        "of k v0 / r the last speed is v0 (1 - b k) / (1 + b), reached at the deceleration mu g.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions at the contact, from event to event.",
    },
)
def hoop_and_disc() -> dict:
    """Return a hoop and a disc that are thrown with backspin."""
    friction, speed, radius, backspin, last = 0.25, 1.5, 0.15, 1.5, 1.5
    bodies, contacts, joints, measurements = [ground()], [], [], []
    for n, (name, share) in enumerate((("hoop", 1.0), ("disc", 0.5))):
        body = sphere(name, 1.0, radius, position=[0.0, float(n), radius], velocity=[speed, 0.0, 0.0])
        turning = [0.0, -backspin * speed / radius, 0.0]
        bodies.append({**body, "inertia": [share * radius**2] * 3, "angular_velocity": turning})
        joints.append({"name": f"plane_{name}", "type": "planar", "parent": "world", "child": name, "axis": SIDE})
        contacts.append(contact(name, "ground", friction, f"under_{name}"))
        rolling = speed * (1 - share * backspin) / (1 + share)
        time = (speed - rolling) / (friction * G)
        place = (speed + rolling) / 2 * time + rolling * (last - time)
        turn = turning[1] + friction * G / (share * radius) * time / 2
        moved, halfway = (
            {"along": FORWARD, "at": last, "scale": speed},
            {"along": SIDE, "at": time / 2, "scale": 10.0},
        )
        measurements += [
            measured(f"speed of the {name}", name, "velocity", "m/s", rolling, 0.005, **moved),
            measured(f"place of the {name}", name, "position", "m", place, 0.005, **moved),
            measured(f"spin of the {name} halfway", name, "angular_velocity", "rad/s", turn, 0.06, **halfway),
        ]
    back = {"along": FORWARD, "crossing": {"level": 0.0, "direction": "down"}}
    measurements.append(measured("turning back", "hoop", "velocity", "s", speed / (friction * G), 0.003, 1.0, **back))
    return {
        "duration": last,
        "bodies": bodies,
        "joints": joints,
        "contacts": contacts,
        "measurements": measurements,
    }


@described(
    number=14,
    title="Spheres that spin on a point",
    phenomenon="sliding",
    what="Two spheres spin about the vertical, one in place, one thrown. A point of contact transmits no moment: both "
    "keep their spin, and the thrown one rolls straight on as if it had none. Simulators with torsional friction or "
    "with a patch of contact points brake the spin.",
    convention="Contact in a point, without torsional or rolling friction.",
    provenance={
        "kind": "closed form",
        "derivation": "The vertical line through the contact meets the centre, so that no force has a moment about "
        "it. The slip does not depend on the spin about it: 5/7 of the first speed after 2 v0 / (7 mu g).",
        "checked": "Newton-Euler equations in space with Coulomb friction at the contact, integrated to 1e-12.",
    },
)
def spinning_spheres() -> dict:
    """Return spheres that spin about the vertical, one in place and one thrown."""
    friction, speed, radius, spin, last = 0.3, 2.0, 0.1, 20.0, 1.0
    time, rolling = 2 * speed / (7 * friction * G), 5 / 7 * speed
    place = (speed + rolling) / 2 * time + rolling * (last - time)
    turning = {"angular_velocity": [0.0, 0.0, spin]}
    bodies = [
        sphere("standing", 1.0, radius, position=[0.0, 0.0, radius], **turning),
        sphere("thrown", 1.0, radius, position=[0.0, 1.0, radius], velocity=[speed, 0.0, 0.0], **turning),
    ]
    measurements = []
    for name, end in (("standing", 0.0), ("thrown", place)):
        moved = {"tolerance": 0.005, "scale": speed, "change": [0.0, last]}
        upright = {"along": UP, "at": last, "tolerance": 0.02, "scale": spin}
        measurements += [
            measured(f"spin, {name}", name, "angular_velocity", "rad/s", spin, **upright),
            measured(f"place along, {name}", name, "position", "m", end, along=FORWARD, **moved),
            measured(f"place across, {name}", name, "position", "m", 0.0, along=SIDE, **moved),
        ]
    return {
        "duration": last,
        "bodies": [*bodies, ground()],
        "contacts": [contact(name, "ground", friction, f"under_{name}") for name in ("standing", "thrown")],
        "measurements": measurements,
    }


MAKERS = (sphere_rolls, hoop_and_disc, spinning_spheres)
