"""Cases of blocks that slide along a line: number 10, 17 and 18."""

from __future__ import annotations

from .parts import G, box, contact, described, ground, measured

FORWARD = [1.0, 0.0, 0.0]
HELD = {
    "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners, integrated from event to event."
}


@described(
    number=10,
    title="Block that friction stops",
    phenomenon="sliding",
    what="A flat block slides at 2.5 m/s, stops after 1.06 m, and stays stopped. Simulators stop it too early or too "
    "late, lift it, or let it creep on; a loose tolerance takes a moving block for a stopped one.",
    provenance={
        "kind": "closed form",
        "derivation": "Deceleration mu g: rest after v / (mu g), v^2 / (2 mu g) further on. No corner lifts: the "
        "block is flat, mu times its half height < half its length.",
        "sources": [
            "https://github.com/newton-physics/newton/pull/2549",
            "https://github.com/newton-physics/newton/issues/2581 (a box at 2.5 m/s passed as stopped)",
            "https://github.com/genesis-embodied-ai/Genesis/pull/3126 (a sliding cube lifted by 318 mm)",
        ],
        **HELD,
    },
)
def block_stops() -> dict:
    """Return a block that friction brings to rest."""
    friction, speed, half, last = 0.3, 2.5, 0.05, 2.0
    body = box("block", 1.0, (0.2, 0.2, half), position=[0.0, 0.0, half], velocity=[speed, 0.0, 0.0])
    time, distance = speed / (friction * G), speed**2 / (2 * friction * G)
    after, along = [time + 0.05, last], {"along": FORWARD}
    return {
        "duration": last,
        "bodies": [body, ground()],
        "contacts": [contact("block", "ground", friction)],
        "measurements": [
            measured("distance", "block", "position", "m", distance, 0.003, distance, at=last, **along),
            measured("speed halfway", "block", "velocity", "m/s", speed / 2, 0.01, speed, at=time / 2, **along),
            measured("speed at rest", "block", "velocity", "m/s", 0.0, 1e-4, speed, greatest=after),
            measured("creep", "block", "position", "m", 0.0, 1e-4, half, change=after, **along),
            measured("lift", "block", "position", "m", half, 5e-4, half, along=[0, 0, 1], greatest=[0.0, last]),
        ],
    }


@described(
    number=10,
    title="Block that a push sets in motion",
    phenomenon="sliding",
    what="A block at rest is pushed for a second by 95 % of what friction holds, then by 105 %. It stays, then slides. "
    "Without stiction it drifts in the first second; with friction beyond the cone it never starts.",
    provenance={
        "kind": "closed form",
        "derivation": "Below mu m g friction balances the push; above it the acceleration is the excess over m. The "
        "push acts at the height of the contact, so that the load does not shift.",
        "sources": [
            "https://github.com/newton-physics/newton/issues/3943 (no stiction)",
            "https://github.com/genesis-embodied-ai/Genesis/pull/2872 (rejected for lack of stiction)",
            "https://github.com/newton-physics/newton/pull/4010 (friction 4 to 100 times outside the cone)",
        ],
        **HELD,
    },
)
def push_breaks_away() -> dict:
    """Return a block that is pushed by less, then by more than friction holds."""
    friction, mass, half, share = 0.3, 2.0, 0.05, 0.05
    limit = friction * mass * G
    speed, along = share * friction * G, {"along": FORWARD}
    pushes = [
        {"body": "block", "force": [(1 + sign * share) * limit, 0.0, 0.0], "point": [0.0, 0.0, -half], "during": window}
        for sign, window in ((-1, [0.0, 1.0]), (1, [1.0, 2.0]))
    ]
    return {
        "duration": 2.0,
        "bodies": [box("block", mass, (0.2, 0.2, half), position=[0.0, 0.0, half]), ground()],
        "contacts": [contact("block", "ground", friction)],
        "forces": pushes,
        "measurements": [
            measured("drift", "block", "position", "m", 0.0, 1e-4, half, change=[0.0, 1.0], **along),
            measured("holding", "contact", "force", "N", -(1 - share) * limit, 0.015, limit, mean=[0.5, 1.0], **along),
            measured("speed", "block", "velocity", "m/s", speed, 0.009, friction * G, at=2.0, **along),
            measured("distance", "block", "position", "m", speed / 2, 0.005, friction * G / 2, at=2.0, **along),
            measured("sliding", "contact", "force", "N", -limit, 0.015, limit, mean=[1.5, 2.0], **along),
        ],
    }


@described(
    number=17,
    title="Block on a conveyor that reverses",
    phenomenon="sliding",
    what="A conveyor starts at .5 m/s and reverses three times. The block slips until it has the belt's speed, then is "
    "carried; before the last reversal it is still slipping. Smoothed friction shifts the ends of slip and lets a "
    "carried block lag.",
    provenance={
        "kind": "closed form",
        "derivation": "The block's speed approaches the belt's at mu g and then equals it; the answer adds up the "
        "pieces. Slip's end is read where it has fallen to .02 m/s, which smoothed laws reach too.",
        **HELD,
    },
)
def belt_reverses() -> dict:
    """Return a block on a conveyor that changes its direction three times."""
    friction, mass, half = 0.2, 1.0, 0.05
    times, speeds, last = [0.0, 0.6, 1.2, 1.6], [0.5, -0.5, 0.5, -0.3], 2.4
    rate, near = friction * G, 0.02
    speed, place, slowed, starts = 0.0, 0.0, [], []
    for start, end, belt in zip(times, [*times[1:], last], speeds, strict=True):
        starts.append(speed)
        sign = 1.0 if belt > speed else -1.0
        sliding = min(abs(belt - speed) / rate, end - start)
        slowed.append(start + (abs(belt - speed) - near) / rate)  # when the slip has fallen to `near`
        place += speed * sliding + sign * rate * sliding**2 / 2
        speed += sign * rate * sliding
        place += speed * (end - start - sliding)
    slip = {"of": "block", "quantity": "velocity", "unit": "m/s", "along": FORWARD}
    late = {"scale": 1.0, "tolerance": 0.004, "relative_to": "belt", "unit": "s"}
    measurements = []
    for n, level, direction in ((1, -near, "up"), (2, near, "down"), (4, near, "down")):
        crossing = {"level": level, "after": times[n - 1], "direction": direction}
        measurements.append(measured(f"end of slip {n}", **{**slip, **late}, answer=slowed[n - 1], crossing=crossing))
    measurements += [
        measured("speed before the last reversal", **slip, answer=starts[3], tolerance=0.005, scale=1.0, at=1.6),
        measured("place", "block", "position", "m", place, 0.003, 0.5, at=last, along=FORWARD),
        measured("drag", "contact", "force", "N", -rate * mass, 0.01, rate * mass, mean=[0.7, 1.0], along=FORWARD),
        measured("drag carried", "contact", "force", "N", 0.0, 0.01, rate * mass, mean=[2.1, 2.4], along=FORWARD),
    ]
    motion = {"axis": FORWARD, "times": times, "velocities": speeds}
    surface = {"name": "surface", "type": "box", "size": [2.0, 0.5, 0.1]}
    return {
        "duration": last,
        "bodies": [
            box("block", mass, (0.2, 0.2, half), position=[0.0, 0.0, half]),
            {"name": "belt", "position": [0.0, 0.0, -0.1], "motion": motion, "shapes": [surface]},
        ],
        "contacts": [contact("block", "belt", friction)],
        "measurements": measurements,
    }


@described(
    number=18,
    title="Two blocks, one on the other: who slips first",
    phenomenon="sliding",
    what="A block of 1 kg lies on one of 2 kg, mu .3 between them and .15 below. Pulled gently the lower one rests; "
    "pulled harder both go together; harder still the upper one slips; and when the upper one is pulled it slips on a "
    "lower one at rest.",
    provenance={
        "kind": "closed form",
        "derivation": "The floor holds mu_f (m + M) g = 4.41 N. Together both accelerate by (F - 4.41 N) / (m + M), "
        "as long as that is below mu_t g: F < 13.24 N. Beyond, the upper one has mu_t g and the lower one the rest. "
        "The upper one alone slips above mu_t m g = 2.94 N, which is less than the floor holds.",
        **HELD,
    },
)
def two_blocks() -> dict:
    """Return pairs of blocks, one on the other, of which one is pulled."""
    light, heavy, top, floor, last = 1.0, 2.0, 0.3, 0.15, 0.6
    total, grip, drag = light + heavy, top * light * G, floor * (light + heavy) * G
    together, slips, alone = 12.5, 16.0, 3.6
    rows = {  # what is pulled and how hard, and the accelerations of the lower and the upper block
        "rest": ("lower", 4.2, 0.0, 0.0),
        "together": ("lower", together, (together - drag) / total, (together - drag) / total),
        "apart": ("lower", slips, (slips - grip - drag) / heavy, top * G),
        "upper": ("upper", alone, 0.0, (alone - grip) / light),
    }
    bodies, contacts, forces, measurements = [ground()], [], [], []
    for n, (name, (pulled, force, below, above)) in enumerate(rows.items()):
        lower, upper = f"lower_{name}", f"upper_{name}"
        bodies += [
            box(lower, heavy, (0.4, 0.1, 0.05), position=[0.0, float(n), 0.05]),
            box(upper, light, (0.1, 0.08, 0.03), position=[0.0, float(n), 0.13]),
        ]
        contacts += [contact(lower, "ground", floor, f"{name}_floor"), contact(upper, lower, top, f"{name}_top")]
        height = -0.03 if pulled == "upper" else 0.0
        forces.append({"body": f"{pulled}_{name}", "force": [force, 0.0, 0.0], "point": [0.0, 0.0, height]})
        for which, rate in ((lower, below), (upper, above)):
            quantity = {"of": which, "quantity": "velocity", "unit": "m/s", "along": FORWARD, "at": last}
            measurements.append(
                measured(f"speed of {which}", **quantity, answer=rate * last, tolerance=0.006, scale=last * top * G)
            )
        shear = (above - (alone if pulled == "upper" else 0.0) / light) * light
        measurements.append(
            measured(f"{name}_top", f"{name}_top", "force", "N", shear, 0.01, grip, along=FORWARD, mean=[0.3, 0.6])
        )
    return {
        "duration": last,
        "bodies": bodies,
        "contacts": contacts,
        "forces": forces,
        "measurements": measurements,
    }


MAKERS = (block_stops, push_breaks_away, belt_reverses, two_blocks)
