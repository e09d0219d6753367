"""Loads that friction changes, a tripod on belts; and feet that are swept sideways on a slope."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import fsolve

from .parts import G, belt, box, contact, described, tilted
from .rows import row

BOUND = 1e-9
MASS, HEIGHT = 3.0, 0.12
MOMENTS = [0.03, 0.04, 0.05]
PLACES = np.array([[0.25, 0.0], [-0.15, 0.2], [-0.12, -0.18]])
FRICTION = np.array([0.5, 0.35, 0.6])
PULL = np.array([6.0, -3.0])  # on the centre [N]
BELTS = np.array([[-0.09, 0.01], [-0.05, -0.04], [0.09, 0.13]])


def tripod_forces(turn: float, twist: np.ndarray) -> np.ndarray:
    """Return the forces on the three feet (3, 3), loads last: friction pitches and rolls the body onto other feet."""
    c, s = math.cos(turn), math.sin(turn)
    feet = PLACES @ np.array([[c, s], [-s, c]])
    slips = twist[:2] + twist[2] * np.stack([-feet[:, 1], feet[:, 0]], axis=1) - BELTS
    along = -FRICTION[:, None] * slips / np.linalg.norm(slips, axis=1)[:, None]  # friction over load
    # No acceleration up, about x and about y: moments of (f_x, f_y, 1) N at (x, y, -h).
    rows = [np.ones(3), feet[:, 1] + HEIGHT * along[:, 1], -HEIGHT * along[:, 0] - feet[:, 0]]
    loads = np.linalg.solve(rows, [MASS * G, 0.0, 0.0])
    return np.column_stack([along * loads[:, None], loads])


def _tripod_slopes(t, state):
    forces = tripod_forces(state[2], state[3:])
    c, s = math.cos(state[2]), math.sin(state[2])
    feet = PLACES @ np.array([[c, s], [-s, c]])
    moment = (feet[:, 0] * forces[:, 1] - feet[:, 1] * forces[:, 0]).sum()
    return [*state[3:], *((forces[:, :2].sum(axis=0) + PULL) / MASS), moment / MOMENTS[2]]


def _slowest(t, state):
    c, s = math.cos(state[2]), math.sin(state[2])
    feet = PLACES @ np.array([[c, s], [-s, c]])
    slips = state[3:5] + state[5] * np.stack([-feet[:, 1], feet[:, 0]], axis=1) - BELTS
    return np.linalg.norm(slips, axis=1).min() - 0.02


_slowest.terminal = True


def tripod_motion(start: np.ndarray, duration: float):
    """Return the motion of the tripod from a twist on, which ends where a foot nearly sticks."""
    options = {"rtol": 1e-12, "atol": 1e-14, "dense_output": True, "events": _slowest}
    return solve_ivp(_tripod_slopes, (0.0, duration), [0.0, 0.0, 0.0, *start], "DOP853", **options)


def _tripod_rows(motion, end: float) -> list[dict]:
    """Return the measurements of the tripod: mean forces while it slides, and its motion until the end [s]."""
    window, fast, size = [0.5, end], 0.15, 0.25

    def mean(foot: int, axis: int) -> float:
        integral = quad(lambda t: tripod_forces(motion(t)[2], motion(t)[3:])[foot, axis], *window, epsabs=1e-13)[0]
        return integral / (window[1] - window[0])

    of_forces = {"mean": window, "bound": BOUND}
    made = [
        row(f"force along {axis} on foot {n}", f"contact_{n}", f"force {axis}", mean(n - 1, k), 0.01, MASS * G / 3,
            **of_forces)
        for n in (1, 2, 3)
        for k, axis in enumerate("xyz")
    ]  # fmt: skip
    last, scales = motion(end), (fast, fast, fast / size)
    for what, value, scale in zip(("speed x", "speed y", "spin z"), last[3:], scales, strict=True):
        made.append(row(f"{what} at the end", "body", what, value, 0.01, scale, at=end, bound=BOUND))
    for what, value, scale in zip(("place x", "place y", "turn z"), last[:3], scales, strict=True):
        made.append(row(f"change of {what}", "body", what, value, 0.01, scale, change=[0.0, end], bound=BOUND))
    return made


@described(
    number=36,
    title="Pulled tripod whose friction shifts its loads",
    phenomenon="legged",
    what="A rigid tripod is pulled, and slides with each foot on a belt of its own, 12 cm below its centre of mass. "
    "Friction pitches and rolls the body, which loads some feet and relieves others, and so changes friction itself. "
    "A solver that couples load and friction loosely misses the forces.",
    provenance={
        "kind": "integrated",
        "derivation": "Three loads follow from the weight and from two moments, in which friction is mu times the "
        "load against the slip: a linear system at every instant. Then Newton's and Euler's equations in the plane, "
        "integrated to 1e-12, from the velocities at which friction balances the pull.",
        "sources": ["Wu, Zhao and Revzen, Modeling multi-legged robot locomotion with slipping, arXiv:2310.20669."],
        "checked": "An independent integration of the free body from the data of the case, with accelerations and "
        "loads from one system, to 1e-9.",
    },
)
def tripod_slides() -> dict:
    """Return a rigid tripod, its centre of mass above the ground, whose three feet slide."""
    duration = 1.0
    start = fsolve(
        lambda twist: _tripod_slopes(0.0, [0.0, 0.0, 0.0, *twist])[3:], [*BELTS.mean(axis=0), 0.0], xtol=1e-12
    )
    feet = [{"name": f"foot_{n}", "type": "point", "position": [*p, -HEIGHT]} for n, p in enumerate(PLACES.tolist(), 1)]
    body = {
        "name": "body",
        "mass": MASS,
        "inertia": MOMENTS,
        "position": [0.0, 0.0, HEIGHT],
        "velocity": [*start[:2].tolist(), 0.0],
        "angular_velocity": [0.0, 0.0, float(start[2])],
        "shapes": feet,
    }
    grounds = list(enumerate(zip(PLACES.tolist(), BELTS.tolist(), FRICTION.tolist(), strict=True), 1))
    contacts = [contact(f"body.foot_{n}", f"belt_{n}", friction, f"contact_{n}") for n, (*_, friction) in grounds]
    return {
        "duration": duration,
        "bodies": [body, *(belt(n, place, velocity) for n, (place, velocity, _) in grounds)],
        "contacts": contacts,
        "forces": [{"body": "body", "force": [*PULL.tolist(), 0.0]}],
        "measurements": _tripod_rows(tripod_motion(start, duration).sol, duration),
    }


SLOPE, FOOT, HALF, BELT = 0.2, 1.0, 0.05, 0.1  # angle; mass [kg] and half extent [m] of a foot, of a belt's depth [m]
SWEEP, END = 0.1, 1.0  # speed of the belts [m/s], duration [s]
NORMAL = [math.sin(SLOPE), 0.0, math.cos(SLOPE)]
DOWN = [math.cos(SLOPE), 0.0, -math.sin(SLOPE)]
LOAD = FOOT * G * math.cos(SLOPE)


def _slide(friction: float, rest: bool):
    """Return the way and the speed of a foot down the slope, at rest first or as fast as it stays."""
    share = math.tan(SLOPE) / friction  # of friction that carries the weight down the slope
    start = 0.0 if rest else SWEEP * share / math.sqrt(1 - share**2)

    def slopes(t, state):
        speed = math.hypot(SWEEP, state[1])
        return [state[1], FOOT * G * math.sin(SLOPE) / FOOT - friction * LOAD / FOOT * state[1] / speed]

    return solve_ivp(slopes, (0.0, END), [0.0, start], "DOP853", rtol=1e-13, atol=1e-15, dense_output=True)


def _swept_rows(n: int, friction: float, rest: bool, solved) -> list[dict]:
    """Return the measurements of a foot."""
    window = [0.0, 0.2] if rest else [0.5, END]

    def mean(k: int) -> float:
        def force(t):
            slip = np.array([-SWEEP, solved.sol(t)[1]])
            return -friction * LOAD * slip[k] / np.linalg.norm(slip)

        return quad(force, *window, epsabs=1e-13)[0] / (window[1] - window[0])

    foot, (way, speed), what = f"foot_{n}", solved.y[:, -1], f"mu = {friction}" + (", from rest" if rest else "")
    down, of_force = {"along": DOWN, "bound": BOUND}, {"mean": window, "bound": BOUND}
    pull, under = friction * LOAD, f"contact_{n}"
    return [
        row(f"way down the slope, {what}", foot, "place", way, 0.01, change=[0.0, END], **down),
        row(f"speed at the end, {what}", foot, "speed", speed, 0.01, at=END, **down),
        row(f"friction across the slope, {what}", under, "force y", mean(0), 0.01, pull, **of_force),
        row(f"friction down the slope, {what}", under, "force", mean(1), 0.01, pull, along=DOWN, **of_force),
    ]


def _swept_bodies(n: int, speed: float) -> list[dict]:
    """Return a foot, with its speed down the slope, and the belt under it."""
    velocity, side = [speed * d for d in DOWN], 1.0 * n
    centre, place = ([depth * NORMAL[0], side, depth * NORMAL[2]] for depth in (HALF, -BELT))
    shape = {"name": "box", "type": "box", "size": [0.5, 0.3, BELT]}
    motion = {"axis": [0, 1, 0], "times": [0.0], "velocities": [SWEEP]}
    return [
        box(f"foot_{n}", FOOT, (HALF,) * 3, position=centre, quaternion=tilted(SLOPE), velocity=velocity),
        {"name": f"belt_{n}", "position": place, "quaternion": tilted(SLOPE), "motion": motion, "shapes": [shape]},
    ]


@described(
    number=40,
    title="Loaded foot, swept sideways on a slope",
    phenomenon="legged",
    what="Feet stand on slopes below the friction angle, held against sideways motion, while the ground moves sideways "
    "under them at .1 m/s. Friction points against the slip, so that little is left to hold the weight: they slide "
    "down steadily. A pyramid instead of a cone, or creep, changes the speed.",
    provenance={
        "kind": "integrated",
        "derivation": "Friction mu N against the slip (-w, v): dv/dt = g sin(a) - mu g cos(a) v / sqrt(v^2 + w^2). "
        "Steady: v = w s / sqrt(1 - s^2), s = tan(a) / mu. From rest integrated to 1e-13.",
        "checked": "Steady feet: their forces balance and lie on the cone against the slip, from the data of the "
        "case; from rest: the integral of dt over dv in the parameter of the slip's direction.",
    },
)
def swept_foot() -> dict:
    """Return loaded feet on slopes whose ground is swept across: they slide down, below the friction angle."""
    bodies, joints, contacts, measurements = [], [], [], []
    for n, (friction, rest) in enumerate(((0.5, False), (0.3, False), (0.5, True)), 1):
        solved = _slide(friction, rest)
        bodies += _swept_bodies(n, solved.y[1, 0])
        joints.append(
            {"name": f"leg_{n}", "type": "planar", "parent": "world", "child": f"foot_{n}", "axis": [0, 1, 0]}
        )
        contacts.append(contact(f"foot_{n}", f"belt_{n}", friction, f"contact_{n}"))
        measurements += _swept_rows(n, friction, rest, solved)
    return {
        "duration": END,
        "bodies": bodies,
        "joints": joints,
        "contacts": contacts,
        "measurements": measurements,
    }


MAKERS = (tripod_slides, swept_foot)
