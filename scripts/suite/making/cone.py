"""Cases of the shape of the friction cone: number 8 and 15."""

from __future__ import annotations

import math

from scipy.integrate import quad

from .parts import G, contact, described, feet, ground, measured

UP = [0.0, 0.0, 1.0]
CORNERS = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.1, 0.1)]


@described(
    number=8,
    title="Cone or pyramid of friction",
    phenomenon="statics",
    what="Sledges are pushed by 110 % of what friction holds, at 0, 22.5 and 45 degrees to the x axis, and one slides "
    "freely at 22.5 degrees. Friction is mu N opposite to the motion, in all directions alike. A pyramid in place of "
    "the cone holds too much or too little at 45 degrees, and bends the path at 22.5.",
    provenance={
        "kind": "closed form",
        "derivation": "Force and motion have one direction, so that the acceleration is that of a block on a line: "
        ".1 mu g where pushed, -mu g where thrown. The centre of mass is at the height of the feet, whose loads stay "
        "equal.",
        "sources": ["https://github.com/newton-physics/newton/pull/4010 (friction 4 to 100 times outside the cone)"],
        "checked": "Newton-Euler equations in space with Coulomb friction at every foot, integrated to 1e-12.",
    },
)
def cone_or_pyramid() -> dict:
    """Return sledges pushed and sliding at 0, 22.5 and 45 degrees to the axes."""
    friction, mass, push, speed, last = 0.4, 3.0, 1.1, 2.0, 0.5
    limit = friction * mass * G
    rows = {"pushed_0": 0.0, "pushed_22": math.pi / 8, "pushed_45": math.pi / 4, "thrown_22": math.pi / 8}
    bodies, contacts, forces, measurements = [], [], [], []
    for n, (name, angle) in enumerate(rows.items()):
        along, across = [math.cos(angle), math.sin(angle), 0.0], [-math.sin(angle), math.cos(angle), 0.0]
        thrown = name.startswith("thrown")
        velocity = [speed * x for x in along] if thrown else [0.0] * 3
        bodies.append(_sledge(name, mass, n, velocity))
        contacts.append(contact(name, "ground", friction, f"under_{name}"))
        if not thrown:
            forces.append({"body": name, "force": [push * limit * x for x in along]})
        after = speed - friction * G * last if thrown else (push - 1) * friction * G * last
        moved = {"quantity": "velocity", "unit": "m/s", "tolerance": 0.006, "scale": friction * G * last, "at": last}
        force = {"tolerance": 0.003 * limit, "scale": limit, "mean": [0.2, last]}
        measurements += [
            measured(f"speed along, {name}", name, answer=after, along=along, **moved),
            measured(f"speed across, {name}", name, answer=0.0, along=across, **moved),
            measured(f"friction, {name}", f"under_{name}", "force", "N", limit, across=UP, **force),
        ]
    return {
        "duration": last,
        "bodies": [*bodies, ground()],
        "contacts": contacts,
        "forces": forces,
        "measurements": measurements,
    }


@described(
    number=15,
    title="Sledge on anisotropic ground",
    phenomenon="sliding",
    what="A sledge slides at 2 m/s, at 45 degrees between the axes of a ground whose friction is .2 along x and .5 "
    "along y. Its path bends towards x and ends where both speeds vanish at once. Simulators scale the axes of "
    "friction without its direction, or know one coefficient only.",
    convention="The elliptic cone whose friction dissipates most: force -N (m1^2 vx, m2^2 vy) / |(m1 vx, m2 vy)|.",
    provenance={
        "kind": "closed form",
        "derivation": "d vy / d vx = (m2 / m1)^2 vy / vx, so that vy = c vx^((m2 / m1)^2); time and place are "
        "integrals of d vx / ax and vx d vx / ax, by quadrature.",
        "checked": "Newton-Euler equations in space with Coulomb friction at every foot, integrated to 1e-12.",
    },
)
def anisotropic() -> dict:
    """Return a sledge on ground that is more slippery along x than along y."""
    along, across, speed, angle, mass = 0.2, 0.5, 2.0, math.pi / 4, 3.0
    path = _Anisotropic(along, across, speed * math.cos(angle), speed * math.sin(angle))
    half = path.time(0.5)
    last = 1.5
    velocity, place = path.velocity(0.5), path.place(0.0)
    axes = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    measurements = []
    for name, axis, index in (("x", axes[0], 0), ("y", axes[1], 1)):
        moved = {"along": axis, "bound": 1e-9}
        measurements += [
            measured(f"v{name}", "sledge", "velocity", "m/s", velocity[index], 0.006, speed, at=half, **moved),
            measured(f"{name} at rest", "sledge", "position", "m", place[index], 0.003, 1.0, at=last, **moved),
        ]
    measurements.append(measured("speed at rest", "sledge", "velocity", "m/s", 0.0, 1e-4, speed, at=last))
    return {
        "duration": last,
        "bodies": [_sledge("sledge", mass, 0, [*path.start, 0.0]), ground()],
        "contacts": [contact("sledge", "ground", [along, across], direction=[1.0, 0.0, 0.0])],
        "measurements": measurements,
    }


class _Anisotropic:
    """The path of a body with elliptic friction, over the share of its first speed along x."""

    def __init__(self, along: float, across: float, vx: float, vy: float) -> None:
        self.mu, self.start = (along, across), (vx, vy)

    def velocity(self, share: float) -> tuple[float, float]:
        along, across = self.mu
        return self.start[0] * share, self.start[1] * share ** (across / along) ** 2

    def time(self, share: float) -> float:
        """Return the time at which the speed along x has fallen to a share [s]."""
        return self._integral(share, lambda v: 1.0)

    def place(self, share: float) -> tuple[float, float]:
        return self._integral(share, lambda v: v[0]), self._integral(share, lambda v: v[1])

    def _integral(self, share: float, what) -> float:
        """Return the integral over time of a function of the velocity."""

        def slowness(s: float) -> float:
            vx, vy = self.velocity(s)
            along, across = self.mu
            return what((vx, vy)) * math.hypot(along * vx, across * vy) / (G * along**2 * vx) * self.start[0]

        return quad(slowness, share, 1.0, epsabs=1e-13, epsrel=1e-13)[0]


def _sledge(name: str, mass: float, row: int, velocity: list[float]) -> dict:
    """Return a body on four feet with its centre of mass at their height."""
    return feet(name, mass, [0.02, 0.02, 0.03], CORNERS, position=[0.0, 2.0 * row, 0.0], velocity=velocity)


MAKERS = (cone_or_pyramid, anisotropic)
