"""Frames of 4 to 50 feet that all slide, each on a belt of its own, as the feet of a robot whose legs move."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np
from scipy.integrate import quad

from .frames import FOOT, FOOT_MOMENT, SlidingFrame, spread
from .parts import belt, contact, described
from .rows import row

STIFFNESS, DAMPING = 500.0, 10.0  # of a foot's spring, soft, so that loads feel no tenths of millimetres [N/m], [N s/m]
BOUND = 1e-9
SHARE = 0.01  # tolerance of the trunk's motion and of a load, over their scale
SOURCE = "Wu, Zhao and Revzen, Modeling multi-legged robot locomotion with slipping, arXiv:2310.20669."
WHAT = (
    "Each foot of a frame slides on a belt of its own, and Coulomb friction of all of them decides how the frame moves "
    "and turns: what a robot does whose feet slip. "
)
DERIVATION = (
    "The springs carry the loads that their lengths at rest give; the centre of mass lies at the height of the "
    "contacts, so friction does not change them. The frame moves in the plane under friction mu N against each foot's "
    "slip; it starts where friction balances, and turning changes the balance slowly. Newton's and Euler's equations, "
    "integrated to 1e-12. The balance is the least dissipation, whose dual, forces within the cones, certifies it."
)
CHECKED = (
    "An independent integration, of trunk and feet from the data of the case, to 1e-9; and our contact solver, which "
    "certifies the velocities at t = 0 by a duality gap."
)


def _foot(n: int, place, load: float, velocity, rate: float) -> tuple[dict, dict]:
    """Return a foot, and its vertical slide on the trunk, whose spring presses it down."""
    foot = {
        "name": f"foot_{n}",
        "mass": FOOT,
        "inertia": [FOOT_MOMENT] * 3,
        "position": [*place, 0.0],
        "velocity": [*velocity, 0.0],
        "angular_velocity": [0.0, 0.0, rate],
        "shapes": [{"name": "tip", "type": "point"}],
    }
    slide = {
        "name": f"leg_{n}",
        "type": "slide",
        "parent": "trunk",
        "child": f"foot_{n}",
        "axis": [0, 0, 1],
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "rest": -load / STIFFNESS,
    }
    return foot, slide


def _bodies(frame: SlidingFrame) -> dict:
    """Return bodies, joints and contacts of a frame in the balance of its friction."""
    x, y, rate = frame.balance()
    about = frame.whole[1]

    def velocity(place):
        return [float(x - rate * (place[1] - about[1])), float(y + rate * (place[0] - about[0]))]

    places = frame.places.tolist()
    size = np.abs(frame.places).max(axis=0)
    trunk = {
        "name": "trunk",
        "mass": frame.mass,
        "inertia": [0.6 * frame.moment, 0.6 * frame.moment, frame.moment],
        "velocity": [*velocity([0.0, 0.0]), 0.0],
        "angular_velocity": [0.0, 0.0, float(rate)],
        "shapes": [{"name": "box", "type": "box", "size": [*size.tolist(), 0.01], "position": [0.0, 0.0, 0.1]}],
    }
    pairs = [
        _foot(n, p, f, velocity(p), float(rate))
        for n, (p, f) in enumerate(zip(places, frame.springs.tolist(), strict=True), 1)
    ]
    belts = [belt(n, p, b) for n, (p, b) in enumerate(zip(places, frame.belts.tolist(), strict=True), 1)]
    mu = frame.friction.tolist()
    return {
        "bodies": [trunk, *(foot for foot, _ in pairs), *belts],
        "joints": [slide for _, slide in pairs],
        "contacts": [contact(f"foot_{n}", f"belt_{n}", m, f"contact_{n}") for n, m in enumerate(mu, 1)],
    }


def _measurements(frame: SlidingFrame, duration: float, feet: list[int]) -> list[dict]:
    """Return velocity, turn rate and way of the trunk, and the forces on some feet over the second half."""
    motion = frame.motion(duration)
    return _of_trunk(frame, motion, duration) + [one for n in feet for one in _of_foot(frame, motion, duration, n)]


def _of_trunk(frame: SlidingFrame, motion: Callable, duration: float) -> list[dict]:
    """Return velocity, turn rate and way of the trunk."""
    about, size, fast = frame.whole[1], np.abs(frame.places).max(), np.abs(frame.belts).max()
    *place, turn, u, v, rate = motion(duration)
    arm = -_turned(about, turn)
    (x, y), (u, v) = np.array(place) + arm, np.array([u, v]) + rate * np.array([-arm[1], arm[0]])
    end, over = {"at": duration, "bound": BOUND}, {"change": [0.0, duration], "bound": BOUND}
    return [
        row("speed x of the trunk", "trunk", "speed x", u, SHARE, fast, **end),
        row("speed y of the trunk", "trunk", "speed y", v, SHARE, fast, **end),
        row("spin z of the trunk", "trunk", "spin z", rate, SHARE, fast / size, **end),
        row("way along x", "trunk", "place x", x, SHARE, fast * duration, **over),
        row("way along y", "trunk", "place y", y, SHARE, fast * duration, **over),
        row("turn", "trunk", "turn z", turn, SHARE, fast / size * duration, **over),
    ]


def _of_foot(frame: SlidingFrame, motion: Callable, duration: float, n: int) -> list[dict]:
    """Return the mean forces on a foot over the second half."""
    load, window = frame.loads[n - 1], [duration / 2, duration]
    found = []
    for k, axis in enumerate("xy"):
        impulse = quad(lambda t, k=k: frame.all_forces(motion(t))[n - 1, k], *window, epsabs=1e-13)[0]
        how = {"mean": window, "bound": BOUND}
        of, what, mean = f"contact_{n}", f"friction along {axis} on foot {n}", impulse / (duration / 2)
        found.append(row(what, of, f"force {axis}", mean, 2 * SHARE, frame.friction[n - 1] * load, **how))
    return [*found, row(f"load of foot {n}", f"contact_{n}", "force z", load, SHARE, mean=window)]


def _turned(vector, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def _ring(n: int, length: float, width: float) -> np.ndarray:
    """Return feet in two rows (n, 2), from the rear; an odd one is in front."""
    along = np.linspace(-length, length, n // 2) if n > 3 else [-length]
    pairs = [[x, side * width] for x in along for side in (-1, 1)]
    return np.array(pairs + [[length, 0.0]] * (n % 2))


def _random(seed: int, n: int, length: float, width: float, mass: float) -> SlidingFrame:
    """Return a frame on two rows of feet; every belt has a velocity of its own about a common drift and turn.

    The cases' seeds are of frames whose feet all slip well, all but the one that sticks.
    """
    rng = np.random.default_rng(seed)
    places = _ring(n, length, width) + rng.uniform(-0.02, 0.02, (n, 2))
    common = np.array([0.08, 0.02]) + 0.25 * np.stack([-places[:, 1], places[:, 0]], axis=1)
    angle = rng.uniform(0, 2 * np.pi, n)
    belts = common + rng.uniform(0.06, 0.12, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    loads = spread(rng, places, mass * 9.81)
    return SlidingFrame(mass, mass * (length**2 + width**2) / 3, places, rng.uniform(0.3, 0.7, n), loads, belts)


def sliding_feet(n: int) -> dict:
    """Return bodies, joints and contacts of a frame of n feet, as far apart whatever their number.

    Raises:
        RuntimeError: If no frame of a hundred has feet that all slide.
    """
    for seed in range(100):
        with contextlib.suppress(RuntimeError):
            return _bodies(_random(seed, n, 0.06 * n, 0.2, 1.0 * n))
    raise RuntimeError(f"no frame of {n} feet was found whose feet all slide")


def _case(frame: SlidingFrame, duration: float, feet: list[int]) -> dict:
    return {"duration": duration, **_bodies(frame), "measurements": _measurements(frame, duration, feet)}


def _described(number: int, title: str, what: str) -> Callable:
    provenance = {"kind": "certified", "derivation": DERIVATION, "sources": [SOURCE], "checked": CHECKED}
    return described(number=number, title=title, phenomenon="legged", what=WHAT + what, provenance=provenance)


@_described(31, "Four sliding feet", "With four feet of a springy frame the loads are those of the springs.")
def four_feet_slide() -> dict:
    """Return a frame of four feet."""
    return _case(_random(101, 4, 0.2, 0.15, 4.0), 1.0, [1, 2, 3, 4])


@_described(32, "Six sliding feet", "Six feet, as a hexapod with all feet down.")
def six_feet_slide() -> dict:
    """Return a frame of six feet."""
    return _case(_random(73, 6, 0.25, 0.15, 6.0), 1.0, [1, 2, 3, 4, 5, 6])


@_described(33, "Twelve sliding feet", "Twelve feet, as a long multipod.")
def twelve_feet_slide() -> dict:
    """Return a frame of twelve feet."""
    return _case(_random(72, 12, 0.5, 0.15, 8.0), 1.0, [1, 4, 7, 12])


@_described(34, "Fifty sliding feet", "Fifty feet: errors average out, the cost does not.")
def fifty_feet_slide() -> dict:
    """Return a frame of fifty feet."""
    return _case(_random(5, 50, 1.5, 0.2, 20.0), 0.5, [1, 17, 34, 50])


@_described(
    35,
    "Six feet of which one sticks",
    "Foot 3 has more friction and sticks to its belt; five slide. Solvers that smooth friction let it creep.",
)
def one_foot_sticks() -> dict:
    """Return a frame of six feet, of which one sticks to its belt."""
    frame = _random(10, 6, 0.25, 0.15, 6.0)
    friction = frame.friction.copy()
    friction[2] = 1.5
    stuck = SlidingFrame(frame.mass, frame.moment, frame.places, friction, frame.springs, frame.belts, stuck=2)
    motion = stuck.motion(1.0)
    worst = max(np.hypot(*stuck.all_forces(motion(t))[2]) for t in np.linspace(0, 1, 50)) / (1.5 * stuck.loads[2])
    if worst > 0.9:
        raise RuntimeError(f"the foot nearly slides: {worst}")
    return _case(stuck, 1.0, [1, 3, 6])


MAKERS = (four_feet_slide, six_feet_slide, twelve_feet_slide, fifty_feet_slide, one_foot_sticks)
