"""Cases of loads that must be shared and passed on: number 4, 7 and 9."""

from __future__ import annotations

import math

from .parts import G, box, contact, described, feet, ground, measured, tilted

UP = [0.0, 0.0, 1.0]


@described(
    number=4,
    title="Four feet of a rigid body",
    phenomenon="statics",
    what="Two rigid bodies stand on four point feet, their centres of mass off the middle; one stands on a front and a "
    "rear plate, the other on a left and a right one. What a plate carries is determined, what a foot carries is not. "
    "Simulators must not let the indeterminacy leak into the sums, nor wander.",
    provenance={
        "kind": "closed form",
        "derivation": "Moments about the other side: with feet at distances a and b from the centre of mass, the "
        "side at a carries m g b / (a + b).",
        "checked": "The least and the greatest load in equilibrium, by linear programming over all feet, agree.",
    },
)
def four_feet_rigid() -> dict:
    """Return rigid bodies on four feet, of whose loads only the sums over a side are determined."""
    mass, (front, rear), (left, right), height = 8.0, (0.2, -0.4), (0.25, -0.15), 0.1
    points = [[x, y, -height] for x in (front, rear) for y in (left, right)]
    sides = {
        "front": ("lengthwise", [1.0, 0.0, -0.05], -rear / (front - rear)),
        "rear": ("lengthwise", [-1.0, 0.0, -0.05], front / (front - rear)),
        "left": ("crosswise", [0.0, 4.0, -0.05], -right / (left - right)),
        "right": ("crosswise", [0.0, 2.0, -0.05], left / (left - right)),
    }
    bodies = [
        feet(name, mass, [0.2, 0.3, 0.4], points, position=[0.0, y, height])
        for name, y in (("lengthwise", 0.0), ("crosswise", 3.0))
    ]
    contacts, measurements = [], []
    for side, (name, place, share) in sides.items():
        size = [1.0, 1.0, 0.05]
        bodies.append({"name": side, "position": place, "shapes": [{"name": "plate", "type": "box", "size": size}]})
        contacts.append(contact(name, side, 0.5, f"on_{side}"))
        load = {"answer": share * mass * G, "tolerance": 0.2, "scale": mass * G}
        measurements.append(measured(side, f"on_{side}", "force", "N", along=UP, mean=[0.5, 1.0], **load))
    for name in ("lengthwise", "crosswise"):
        drift = {"answer": 0.0, "tolerance": 1e-4, "scale": 0.1}
        measurements.append(measured(f"drift of {name}", name, "position", "m", across=UP, change=[0.0, 1.0], **drift))
    return {"duration": 1.0, "bodies": bodies, "contacts": contacts, "measurements": measurements}


@described(
    number=4,
    title="Four feet on springs",
    phenomenon="statics",
    what="A body stands level on four sprung feet; two on a diagonal carry three times what the others do. A push of "
    "40 N from .5 s on sinks it level, shared as the stiffnesses. The springs decide all loads: a contact that "
    "yields, or a foot that is counted twice, changes them.",
    provenance={
        "kind": "closed form",
        "derivation": "A foot's load is its weight and its spring's force. Feet opposite through the centre are "
        "equal, so that the body stays level and is an oscillator of total stiffness and damping under a step of "
        "force: damping ratio .2, overshoot exp(-pi .2 / sqrt(1 - .2^2)).",
        "checked": "Newton-Euler equations of the body in space with its springs, integrated to 1e-12.",
    },
)
def four_feet_springy() -> dict:
    """Return a body on four springs, whose loads are all determined, and a push that sinks it level."""
    mass, foot_mass, height, push, start, last = 8.0, 0.1, 0.3, 40.0, 0.5, 2.0
    corners = [(0.3, 0.2, 1.5, 3000.0), (0.3, -0.2, 0.5, 1500.0), (-0.3, 0.2, 0.5, 1500.0), (-0.3, -0.2, 1.5, 3000.0)]
    total, ratio = sum(k for *_, k in corners), 0.2
    damping, slow = 2 * ratio * math.sqrt(total * mass), math.sqrt(1 - ratio**2)
    swing, settled = _Swing(push, total, mass, ratio), 1.5
    gained = swing.speed(last - start) - swing.speed(settled - start)
    bodies = [{"name": "body", "mass": mass, "inertia": [0.2, 0.3, 0.4], "position": [0.0, 0.0, height], "shapes": []}]
    contacts, joints, measurements = [], [], []
    for n, (x, y, share, stiffness) in enumerate(corners, 1):
        name, compression = f"foot_{n}", share * mass * G / 4
        bodies.append(feet(name, foot_mass, [1e-4] * 3, [[0.0, 0.0, 0.0]], position=[x, y, 0.0]))
        spring = {"stiffness": stiffness, "damping": damping * stiffness / total, "rest": -compression / stiffness}
        leg = {"name": f"leg_{n}", "type": "slide", "parent": "body", "child": name, "axis": UP}
        joints.append(leg | spring)
        contacts.append(contact(name, "ground", 0.5, f"under_{n}"))
        before, more = compression + foot_mass * G, (push - mass * gained / (last - settled)) * stiffness / total
        load = {"tolerance": 0.1, "scale": mass * G, "along": UP}
        measurements += [
            measured(f"load {n}", f"under_{n}", "force", "N", before, mean=[0.25, 0.5], **load),
            measured(f"load {n} pushed", f"under_{n}", "force", "N", before + more, mean=[settled, last], **load),
        ]
    sink, place = push / total, {"tolerance": 3e-5, "scale": push / total, "along": UP}
    deepest = height - sink * (1 + math.exp(-math.pi * ratio / slow))
    measurements += [
        measured("lowest", "body", "position", "m", deepest, least=[start, last], **place),
        measured("pushed down", "body", "position", "m", height - swing.sink(last - start), at=last, **place),
    ]
    return {
        "duration": last,
        "bodies": [*bodies, ground()],
        "joints": joints,
        "contacts": contacts,
        "forces": [{"body": "body", "force": [0.0, 0.0, -push], "during": [start, last]}],
        "measurements": measurements,
    }


class _Swing:
    """An oscillator under a step of force, from rest."""

    def __init__(self, push: float, stiffness: float, mass: float, ratio: float) -> None:
        self.push, self.mass, self.rest = push, mass, push / stiffness
        self.decay = ratio * math.sqrt(stiffness / mass)
        self.frequency = math.sqrt(stiffness / mass * (1 - ratio**2))

    def sink(self, t: float) -> float:
        wave = math.cos(self.frequency * t) + self.decay / self.frequency * math.sin(self.frequency * t)
        return self.rest * (1 - math.exp(-self.decay * t) * wave)

    def speed(self, t: float) -> float:
        wave = math.sin(self.frequency * t) / self.frequency
        return self.push / self.mass * math.exp(-self.decay * t) * wave


@described(
    number=7,
    title="Stack of three boxes",
    phenomenon="statics",
    what="Three boxes lie on each other on a slope of .15 rad. Each interface carries what is above it, and nothing "
    "moves. Iterative solvers that stop early leave the stack creeping or pass on the wrong force.",
    provenance={
        "kind": "closed form",
        "derivation": "Below the friction angle (tan .15 = .151 < .4) all rest; the load is M g cos(a) and friction "
        "M g sin(a) with the mass M above. The stack's weight acts .023 m from the middle of its base.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners.",
    },
)
def stack_of_three() -> dict:
    """Return three boxes on each other on a slope."""
    angle, friction, half = 0.15, 0.4, (0.15, 0.15, 0.05)
    names, masses = ["lower", "middle", "upper"], [3.0, 2.0, 1.0]
    down, up = [math.cos(angle), 0.0, -math.sin(angle)], [math.sin(angle), 0.0, math.cos(angle)]
    bodies, contacts, measurements = [], [], []
    for n, (name, mass) in enumerate(zip(names, masses, strict=True)):
        place = [half[2] * (2 * n + 1) * x for x in up]
        bodies.append(box(name, mass, half, position=place, quaternion=tilted(angle)))
        contacts.append(contact(name, names[n - 1] if n else "ground", friction, f"under_{name}"))
        weight = sum(masses[n:]) * G
        for title, axis, force in (("load", up, math.cos(angle)), ("friction", down, -math.sin(angle))):
            held = {"tolerance": 0.05, "scale": sum(masses) * G, "along": axis, "mean": [0.5, 1.0]}
            title = f"{title} under the {name} box"
            measurements.append(measured(title, f"under_{name}", "force", "N", weight * force, **held))
        creep = {"tolerance": 1e-4, "scale": half[2], "along": down, "change": [0.0, 1.0]}
        measurements.append(measured(f"creep of the {name} box", name, "position", "m", 0.0, **creep))
    return {
        "duration": 1.0,
        "bodies": [*bodies, ground(quaternion=tilted(angle))],
        "contacts": contacts,
        "measurements": measurements,
    }


@described(
    number=9,
    title="Heavy box on a light one",
    phenomenon="statics",
    what="A box of 100 kg rests on one of 100 g on a slope of .1 rad. Iterative solvers converge slowly at a mass "
    "ratio of 1000: the light box is squeezed, or the heavy one creeps.",
    provenance={
        "kind": "closed form",
        "derivation": "At rest each interface carries M g cos(a) and M g sin(a) of the mass M above it; tan .1 = "
        ".1003 < .3.",
        "checked": "Planar Newton-Euler equations with Coulomb's conditions on the corners.",
    },
)
def heavy_on_light() -> dict:
    """Return a box of 100 kg on one of 100 g."""
    angle, friction, light, heavy = 0.1, 0.3, 0.1, 100.0
    down, up = [math.cos(angle), 0.0, -math.sin(angle)], [math.sin(angle), 0.0, math.cos(angle)]
    bodies = [
        box("light", light, (0.1, 0.1, 0.05), position=[0.05 * x for x in up], quaternion=tilted(angle)),
        box("heavy", heavy, (0.1, 0.1, 0.1), position=[0.2 * x for x in up], quaternion=tilted(angle)),
        ground(quaternion=tilted(angle)),
    ]
    measurements = []
    for name, carried in (("light", light + heavy), ("heavy", heavy)):
        held = {"tolerance": 2.0, "scale": carried * G, "mean": [0.5, 1.0]}
        load, hold = carried * G * math.cos(angle), -carried * G * math.sin(angle)
        moved = {"tolerance": 1e-4, "scale": 0.1}
        measurements += [
            measured(f"load under the {name} box", f"under_{name}", "force", "N", load, along=up, **held),
            measured(f"friction under the {name} box", f"under_{name}", "force", "N", hold, along=down, **held),
            measured(f"creep of the {name} box", name, "position", "m", 0.0, along=down, change=[0.0, 1.0], **moved),
            measured(f"sinking of the {name} box", name, "position", "m", 0.0, along=up, change=[0.0, 1.0], **moved),
        ]
    return {
        "duration": 1.0,
        "bodies": bodies,
        "contacts": [
            contact("light", "ground", friction, "under_light"),
            contact("heavy", "light", friction, "under_heavy"),
        ],
        "measurements": measurements,
    }


MAKERS = (four_feet_rigid, four_feet_springy, stack_of_three, heavy_on_light)
