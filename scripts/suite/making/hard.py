"""Cases in which a solver's own stiffness and damping show: oscillators on belts, and what lies still."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from .parts import G, contact, described, ground, sphere
from .rows import falls, row

CART, SHOE, STIFFNESS, FRICTION = 0.5, 0.5, 50.0, 0.4
HOLD = FRICTION * SHOE * G  # the most that friction holds [N]
REACH = HOLD / STIFFNESS
RATE = math.sqrt(STIFFNESS / (CART + SHOE))  # [rad/s]
PERIOD = 2 * math.pi / RATE


def _rider(n: int, place: float, speed: float, belt: dict) -> tuple[list, list, dict]:
    """Return a cart on a spring with a shoe on a belt: bodies, joints and the contact. The spring rests at x = 0."""
    y, cart, shoe = 1.0 * n, f"cart_{n}", f"shoe_{n}"
    state = {"velocity": [speed, 0.0, 0.0]}
    bodies = [
        sphere(cart, CART, 0.05, position=[place, y, 0.3], **state),
        {"name": shoe, "mass": SHOE, "inertia": [1e-3] * 3, "position": [place, y, 0.05], **state,
         "shapes": [{"name": "foot", "type": "point", "position": [0.0, 0.0, -0.05]}]},
        {"name": f"belt_{n}", "position": [0.0, y, -0.05], "motion": {"axis": [1, 0, 0], **belt},
         "shapes": [{"name": "box", "type": "box", "size": [2.0, 0.2, 0.05]}]},
    ]  # fmt: skip
    spring = {"type": "slide", "parent": "world", "child": cart, "axis": [1, 0, 0], "stiffness": STIFFNESS}
    guide = {"type": "slide", "parent": cart, "child": shoe, "axis": [0, 0, 1]}
    joints = [{"name": f"spring_{n}", **spring, "rest": -place}, {"name": f"guide_{n}", **guide}]
    return bodies, joints, contact(shoe, f"belt_{n}", FRICTION, f"contact_{n}")


@described(
    number=27,
    title="Oscillator on a belt",
    phenomenon="hard",
    what="Two masses on springs ride a belt of .2 m/s. One slides all the time: Coulomb friction is a constant force, "
    "so it swings for ever by 20 mm. The other sticks until the spring overcomes friction, then swings. Friction that "
    "is smoothed or integrated implicitly damps or drives them.",
    provenance={
        "kind": "closed form",
        "derivation": "Sliding behind the belt: m x'' = mu N - k x, a harmonic motion about mu N / k, whatever its "
        "amplitude below v / w. Stuck: x = v t until k x = mu N; then the same motion with amplitude v / w. The load "
        "is the shoe's weight: its guide is vertical.",
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def belt_oscillator() -> dict:
    """Return a mass on a spring and a belt: one slides to and fro for ever, one is carried first."""
    belt, swing = 0.2, 0.02
    steady = {"times": [0.0], "velocities": [belt]}
    first, second = _rider(1, REACH + swing, 0.0, steady), _rider(2, 0.0, belt, steady)
    released, cycles = REACH / belt, 5
    extent = belt / RATE
    end = cycles * PERIOD
    turns, last = released + PERIOD / 4, released + 0.95 * PERIOD
    last_cycle, weight = [end - PERIOD, end], SHOE * G
    return {
        "duration": end,
        "bodies": [*first[0], *second[0]],
        "joints": [*first[1], *second[1]],
        "contacts": [first[2], second[2]],
        "measurements": [
            row("period of the sliding one", "cart_1", "place x", PERIOD, 0.005, period=[0.0, end]),
            row("its greatest x at last", "cart_1", "place x", REACH + swing, 0.03, swing, greatest=last_cycle),
            row("its least x at last", "cart_1", "place x", REACH - swing, 0.03, swing, least=last_cycle),
            row("its friction", "contact_1", "force x", HOLD, 0.003, weight, mean=[0.0, end]),
            row("place while stuck", "cart_2", "place x", 0.5 * REACH, 0.005, REACH, at=0.5 * released),
            row("friction while stuck", "contact_2", "force x", 0.5 * HOLD, 0.01, HOLD, mean=[0.0, released]),
            row("turning point", "cart_2", "speed x", turns, 0.005, PERIOD, crossing=falls(after=0.05)),
            row("greatest x", "cart_2", "place x", REACH + extent, 0.01, extent, greatest=[0.0, last]),
            row("least x after it", "cart_2", "place x", REACH - extent, 0.02, extent, least=[turns, last]),
        ],
    }


def stick_slip_phases(times: list[float], speeds: list[float], end: float) -> list[tuple]:
    """Return the phases of the mass that starts at rest at x = 0, on a belt of changing speed, in closed form.

    Each is (start, end, None or the middle of the swing, x and speed at the start).
    """
    t, x, v, phases = 0.0, 0.0, 0.0, []
    while t < end - 1e-12:
        index = max(i for i, time in enumerate(times) if time <= t + 1e-12)
        belt, until = speeds[index], times[index + 1] if index + 1 < len(times) else end
        until = min(until, end)
        if abs(v - belt) < 1e-12 and abs(x) < REACH - 1e-12:
            leaves = t + (math.copysign(REACH, belt) - x) / belt
            stop = min(until, leaves)
            phases.append((t, stop, None, x, v))
            x, t = x + belt * (stop - t), stop
            continue
        ahead = math.copysign(1.0, v - belt) if abs(v - belt) > 1e-12 else -math.copysign(1.0, x)
        middle = -ahead * REACH
        swing = (t, middle, x, v)
        grid = [t + (until - t) * (0.001 + k / 1000) for k in range(1000)]
        over = next((n for n, s in enumerate(grid) if (swing_at(swing, s)[1] - belt) * ahead < 0), None)
        stop = until
        if over is not None:
            low = grid[over - 1] if over else t + 1e-9
            stop = brentq(lambda s, w=swing, b=belt: swing_at(w, s)[1] - b, low, grid[over], xtol=1e-15)
        phases.append((t, stop, middle, x, v))
        (x, v), t = swing_at(swing, stop), stop
        if over is not None:
            v = belt
    return phases


def swing_at(swing: tuple, t: float) -> tuple[float, float]:
    """Return x and speed of a swing (start, middle, x and speed at the start)."""
    start, middle, x, v = swing
    c, s = math.cos(RATE * (t - start)), math.sin(RATE * (t - start))
    return middle + (x - middle) * c + v / RATE * s, v * c - (x - middle) * RATE * s


@described(
    number=27,
    title="Stick and slip on a belt that turns round",
    phenomenon="hard",
    what="A mass on a spring stands on a belt that goes .25 m/s to and fro, turning every half second. It slides, "
    "sticks, slides again. A time that is missed, or friction that creeps, shows in all that follows.",
)
def stick_slip() -> dict:
    """Return a mass on a spring, shaken by a belt that turns round: it sticks and slides in every half cycle."""
    speed, half, turns = 0.25, 0.5, 6
    times, speeds = [n * half for n in range(turns)], [speed * (-1) ** n for n in range(turns)]
    end = turns * half
    phases = stick_slip_phases(times, speeds, end)
    bodies, joints, touch = _rider(1, 0.0, 0.0, {"times": times, "velocities": speeds})

    def place(t: float) -> float:
        start, _, middle, x, v = next(p for p in reversed(phases) if p[0] <= t + 1e-12)
        return x + v * (t - start) if middle is None else swing_at((start, middle, x, v), t)[0]

    probes = [(n + 0.5) * half for n in range(turns)]
    return {
        "duration": end,
        "bodies": bodies,
        "joints": joints,
        "contacts": [touch],
        "measurements": [row(f"place at {t:g} s", "cart_1", "place x", place(t), 0.01, REACH, at=t) for t in probes],
        "provenance": {
            "kind": "closed form",
            "derivation": "Phases of closed form, one after the other: stuck, x moves with the belt until k |x| "
            "= mu N; sliding, harmonic motion about +-mu N / k "
            "until the speeds agree, or the belt turns. Times of agreement by bisection to 1e-15. Phases (end, s): "
            + ", ".join(f"{'stuck' if middle is None else 'sliding'} {stop:.6f}" for _, stop, middle, _, _ in phases)
            + ".",
            "checked": "Our exact engine's oscillator, and an independent event-driven integration from the data "
            "of the case.",
        },
    }


@described(
    number=30,
    title="Resting spheres of a gram, a kilogram and a tonne",
    phenomenon="hard",
    what="Three balls of one size lie on the ground. Rigid ones do not sink in, whatever they weigh. Penalty contacts "
    "sink as they weigh, by millimetres or metres; others by a depth that the time step sets.",
    provenance={
        "kind": "closed form",
        "derivation": "Rest: height r, load m g. The depth of a penalty contact is m g / k, a millionfold from the "
        "first ball to the last.",
        "checked": "An independent event-driven integration from the data of the case.",
    },
)
def resting_spheres() -> dict:
    """Return spheres of a gram to a tonne that lie still."""
    radius, measurements, bodies, contacts = 0.1, [], [], []
    for n, mass in enumerate((1e-3, 1.0, 1e3)):
        name = f"ball_{n + 1}"
        bodies.append(sphere(name, mass, radius, position=[0.5 * n, 0.0, radius]))
        contacts.append(contact(name, "ground", 0.5, f"contact_{n + 1}"))
        what = f"of {mass:g} kg"
        measurements += [
            row(f"depth {what}", name, "place z", 0.0, 2e-3, radius, change=[0.0, 2.0]),
            row(f"greatest depth {what}", name, "place z", radius, 5e-3, radius, least=[0.0, 2.0]),
            row(f"load {what}", f"contact_{n + 1}", "force z", mass * G, 0.001, mean=[1.0, 2.0]),
        ]
    return {"duration": 2.0, "bodies": [*bodies, ground()], "contacts": contacts, "measurements": measurements}


MAKERS = (belt_oscillator, stick_slip, resting_spheres)
