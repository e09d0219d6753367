"""Cases at the limit of what friction and the base of support hold: number 5 and 6."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from .parts import G, box, contact, described, ground, measured, tilted

FINE = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
SIDE = [0.0, 1.0, 0.0]


@described(
    number=5,
    title="Tall boxes that tip or slide",
    phenomenon="statics",
    what="Three boxes, .8 m tall on a base of .2 m, are pushed .7 m above the ground. At 95 % of the tipping force one "
    "stays; at 120 % the second tips about its edge, which friction holds; the third, on slippery ground, slides "
    "before it tips. Contact that gives way under the edge tips too early.",
    provenance={
        "kind": "integrated",
        "derivation": "Moments about the front edge: F (.7 cos a + .1 sin a) - m g (.1 cos a - .4 sin a) = I a'', I "
        "about the edge, from a = 0 at rest, integrated to 1e-12; the edge needs friction below .6 of its load. The "
        "third has the excess of its push over mu m g, and its load stays inside its base.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners.",
    },
)
def box_tips() -> dict:
    """Return tall boxes that are pushed near the top: one stays, one tips, one slides."""
    mass, half, above, last = 5.0, (0.1, 0.1, 0.4), 0.3, 0.7
    tipping = mass * G * half[0] / (half[2] + above)
    rows = {"stays": (0.95 * tipping, 0.6), "tips": (1.2 * tipping, 0.6), "slides": (6.0, 0.1)}
    angle, rate = _tipped(mass, half, above, rows["tips"][0], last)
    excess = rows["slides"][0] / mass - rows["slides"][1] * G
    bodies = [box(name, mass, half, position=[0.0, float(n), half[2]]) for n, name in enumerate(rows)]
    turned = {"unit": "rad", "quantity": "angle", "along": SIDE, "at": last}
    turning = turned | {"unit": "rad/s", "quantity": "angular_velocity"}
    moved = {"unit": "m", "quantity": "position", "along": [1.0, 0.0, 0.0], "change": [0.0, last]}
    measurements = [
        measured("angle, stays", "stays", answer=0.0, tolerance=1e-3, scale=0.1, **turned),
        measured("place, stays", "stays", answer=0.0, tolerance=5e-4, scale=0.1, **moved),
        measured("angle, tips", "tips", answer=angle, tolerance=0.006, scale=0.5, bound=1e-9, **turned),
        measured("rate, tips", "tips", answer=rate, tolerance=0.015, scale=1.0, bound=1e-9, **turning),
        measured("angle, slides", "slides", answer=0.0, tolerance=1e-3, scale=0.1, **turned),
        measured("place, slides", "slides", answer=excess * last**2 / 2, tolerance=6e-4, scale=0.1, **moved),
    ]
    return {
        "duration": last,
        "bodies": [*bodies, ground()],
        "joints": [
            {"name": f"plane_{name}", "type": "planar", "parent": "world", "child": name, "axis": SIDE} for name in rows
        ],
        "contacts": [contact(name, "ground", friction, f"under_{name}") for name, (_, friction) in rows.items()],
        "forces": [
            {"body": name, "force": [push, 0.0, 0.0], "point": [0.0, 0.0, above]} for name, (push, _) in rows.items()
        ],
        "measurements": measurements,
    }


def _tipped(mass: float, half: tuple, above: float, push: float, last: float) -> tuple[float, float]:
    """Return angle and rate of a box that turns about its front edge, from rest."""
    width, _, height = half
    inertia = mass * (width**2 + height**2) * 4 / 3

    def flow(_, state):
        c, s = math.cos(state[0]), math.sin(state[0])
        moment = push * ((height + above) * c + width * s) - mass * G * (width * c - height * s)
        return [state[1], moment / inertia]

    return tuple(float(x) for x in solve_ivp(flow, (0.0, last), [0.0, 0.0], **FINE).y[:, -1])


LADDER, LENGTH, ROUND = 10.0, 2.0, 0.02  # mass [kg], length between the centres of its ends, their radius [m]


@described(
    number=6,
    title="Ladders that hold",
    phenomenon="statics",
    what="A ladder leans at .9 rad on a wall without friction, another, with friction .4 below and .3 at the wall, .02 "
    "rad above the angle at which it would slip. Both stay. Creep at either end lets them slide down.",
    provenance={
        "kind": "closed form",
        "derivation": "Moments about the lower end: the smooth wall pushes with m g cos(a) / 2 / (sin(a) + r / L), r "
        "the ends' radius and L = 2 m between their centres. The limit angle has both forces on their cones: (1 - m1 "
        "m2) cos(a) L / 2 = m1 sin(a) L + m1 (1 + m2) r, solved for a.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the ends.",
    },
)
def ladder_holds() -> dict:
    """Return ladders above the limit angle, one at a wall without friction."""
    smooth, rough = 0.9, _limit(0.4, 0.3) + 0.02
    push = LADDER * G * math.cos(smooth) / 2 / (math.sin(smooth) + ROUND / LENGTH)
    parts = [_ladder("smooth", smooth, 0.5, 0.0, 0.0), _ladder("rough", rough, 0.4, 0.3, 1.0)]
    turned = {"quantity": "angle", "unit": "rad", "along": SIDE, "change": [0.0, 1.0], "scale": 0.1, "tolerance": 5e-4}
    force = {"quantity": "force", "unit": "N", "along": [1.0, 0.0, 0.0], "mean": [0.5, 1.0], "scale": LADDER * G}
    measurements = [
        measured("slip, smooth wall", "smooth", answer=0.0, **turned),
        measured("slip, rough wall", "rough", answer=0.0, **turned),
        measured("push of the smooth wall", "wall_smooth", answer=push, tolerance=0.15, **force),
        measured("friction of its floor", "floor_smooth", answer=-push, tolerance=0.15, **force),
    ]
    return {"duration": 1.0, **_ladders(parts), "measurements": measurements}


@described(
    number=6,
    title="Ladder that slips",
    phenomenon="statics",
    what="A ladder leans .05 rad below the angle at which friction, .4 on the floor and .3 at the wall, would hold it. "
    "It slides down, both ends on their supports. A simulator without the right cone holds it, or lets it go faster.",
    provenance={
        "kind": "integrated",
        "derivation": "One degree of freedom while both ends touch: the centre is at (r + L cos(a) / 2, r + L sin(a) "
        "/ 2); three equations for a'' and the two normal forces, friction opposite to slip, integrated to 1e-12.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the ends.",
    },
)
def ladder_slips() -> dict:
    """Return a ladder below the limit angle, that slides down with both ends on their supports."""
    floor, wall, last = 0.4, 0.3, 0.6
    angle = _limit(floor, wall) - 0.05
    sample = solve_ivp(_slipping, (0.0, last), [angle, 0.0], args=(floor, wall), dense_output=True, **FINE).sol
    about, measurements = {"bound": 1e-9, "along": SIDE}, []
    for when, tolerance in ((0.3, 0.001), (last, 0.004)):
        turn = float(sample(when)[0]) - angle
        measurements.append(
            measured(f"angle at {when} s", "ladder", "angle", "rad", turn, tolerance, 0.5, **about, at=when)
        )
    rate = float(sample(last)[1])
    measurements.append(measured("rate", "ladder", "angular_velocity", "rad/s", rate, 0.01, 1.0, **about, at=last))
    return {"duration": last, **_ladders([_ladder("ladder", angle, floor, wall, 0.0)]), "measurements": measurements}


def _moments(angle: float, floor: float, wall: float) -> np.ndarray:
    """Return the moments about the centre, with the fall, of unit normal forces of floor and wall that slide."""
    c, s = LENGTH / 2 * math.cos(angle), LENGTH / 2 * math.sin(angle)
    return np.array([c - floor * (s + ROUND), -s - wall * (c + ROUND)])


def _limit(floor: float, wall: float) -> float:
    """Return the angle at which both ends are on their cones and the ladder in balance."""
    return brentq(lambda a: _moments(a, floor, wall) @ [1.0, floor], 0.1, 1.5, xtol=1e-15)


def _slipping(_, state, floor: float, wall: float) -> list[float]:
    """Return rate and acceleration of the angle; unknowns are the acceleration and both normal forces."""
    angle, rate = state
    c, s = LENGTH / 2 * math.cos(angle), LENGTH / 2 * math.sin(angle)
    lower, upper = _moments(angle, floor, wall)
    rows = [[LADDER * s, -floor, 1.0], [LADDER * c, -1.0, -wall], [LADDER * LENGTH**2 / 12, lower, upper]]
    return [rate, np.linalg.solve(rows, [-LADDER * c * rate**2, LADDER * s * rate**2 - LADDER * G, 0.0])[0]]


def _ladder(name: str, angle: float, floor: float, wall: float, y: float) -> tuple[dict, list[dict]]:
    """Return a ladder at an angle from the floor, and its contacts; the wall is the plane x = 0."""
    place = [ROUND + LENGTH / 2 * math.cos(angle), y, ROUND + LENGTH / 2 * math.sin(angle)]
    ends = [
        {"name": end, "type": "sphere", "size": [ROUND], "position": [sign * LENGTH / 2, 0.0, 0.0]}
        for end, sign in (("foot", 1), ("top", -1))
    ]
    across = LADDER * LENGTH**2 / 12
    body = {"name": name, "mass": LADDER, "inertia": [0.01, across, across], "position": place}
    contacts = [
        contact(f"{name}.foot", "ground", floor, f"floor_{name}"),
        contact(f"{name}.top", "wall", wall, f"wall_{name}"),
    ]
    return {**body, "quaternion": tilted(angle), "shapes": ends}, contacts


def _ladders(parts) -> dict:
    """Return the parts of a case that ladders have in common."""
    bodies = [body for body, _ in parts]
    joint = {"type": "planar", "parent": "world", "axis": SIDE}
    return {
        "bodies": [*bodies, ground(), ground("wall", quaternion=tilted(math.pi / 2))],
        "joints": [{"name": f"plane_{body['name']}", **joint, "child": body["name"]} for body in bodies],
        "contacts": [row for _, contacts in parts for row in contacts],
    }


MAKERS = (box_tips, ladder_holds, ladder_slips)
