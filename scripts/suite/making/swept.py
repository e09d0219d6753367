"""Loads that friction changes, a tripod on belts; and feet that are swept sideways on a slope."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import fsolve

from .parts import G, belt, box, contact, tilted
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


def tripod_slides() -> dict:
    """Return a rigid tripod, its centre of mass above the ground, whose three feet slide."""
    duration = 1.0
    start = fsolve(
        lambda twist: _tripod_slopes(0.0, [0.0, 0.0, 0.0, *twist])[3:], [*BELTS.mean(axis=0), 0.0], xtol=1e-12
    )
    solved = tripod_motion(start, duration)
    motion, window, fast = solved.sol, [0.5, duration], 0.15
    last, size = motion(duration), 0.25
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
    belts, contacts, measurements = [], [], []
    for n, (place, velocity, friction) in enumerate(
        zip(PLACES.tolist(), BELTS.tolist(), FRICTION.tolist(), strict=True), 1
    ):
        belts.append(belt(n, place, velocity))
        contacts.append(contact(f"body.foot_{n}", f"belt_{n}", friction, f"contact_{n}"))
        for k, axis in enumerate("xyz"):
            mean = (
                quad(lambda t, n=n, k=k: tripod_forces(motion(t)[2], motion(t)[3:])[n - 1, k], *window, epsabs=1e-13)[0]
                / 0.5
            )
            measurements.append(
                row(
                    f"force along {axis} on foot {n}",
                    f"contact_{n}",
                    f"force {axis}",
                    mean,
                    0.01,
                    MASS * G / 3,
                    mean=window,
                    bound=BOUND,
                )
            )
    ways = [("speed x", last[3], fast), ("speed y", last[4], fast), ("spin z", last[5], fast / size)]
    measurements += [
        row(f"{what} at the end", "body", what, value, 0.01, scale, at=duration, bound=BOUND)
        for what, value, scale in ways
    ]
    ways = [("place x", last[0], fast), ("place y", last[1], fast), ("turn z", last[2], fast / size)]
    measurements += [
        row(f"change of {what}", "body", what, value, 0.01, scale, change=[0.0, duration], bound=BOUND)
        for what, value, scale in ways
    ]
    return {
        "id": "tripod_slides",
        "version": 1,
        "number": 36,
        "title": "Pulled tripod whose friction shifts its loads",
        "phenomenon": "legged",
        "what": "A rigid tripod is pulled, and slides with each foot on a belt of its own, 12 cm below its "
        "centre of mass. Friction pitches and rolls the body, "
        "which loads some feet and relieves others, and so changes friction itself. A solver that couples load "
        "and friction loosely misses the forces.",
        "duration": duration,
        "bodies": [body, *belts],
        "contacts": contacts,
        "forces": [{"body": "body", "force": [*PULL.tolist(), 0.0]}],
        "measurements": measurements,
        "provenance": {
            "kind": "integrated",
            "derivation": "Three loads follow from the weight and from two moments, in which friction is mu "
            "times the load against the slip: a linear system at every instant. "
            "Then Newton's and Euler's equations in the plane, integrated to 1e-12, from the velocities at which "
            "friction balances the pull.",
            "sources": ["Wu, Zhao and Revzen, Modeling multi-legged robot locomotion with slipping, arXiv:2310.20669."],
            "checked": "An independent integration of the free body from the data of the case, with "
            "accelerations and loads from one system, to 1e-9.",
        },
    }


def swept_foot() -> dict:
    """Return loaded feet on slopes whose ground is swept across: they slide down, below the friction angle."""
    slope, mass, half, end = 0.2, 1.0, 0.05, 1.0
    normal = [math.sin(slope), 0.0, math.cos(slope)]
    down = [math.cos(slope), 0.0, -math.sin(slope)]
    belt_half, pull, load = 0.1, mass * G * math.sin(slope), mass * G * math.cos(slope)
    bodies, joints, contacts, measurements = [], [], [], []
    for n, (friction, sweep, rest) in enumerate(((0.5, 0.1, False), (0.3, 0.1, False), (0.5, 0.1, True)), 1):
        share = math.tan(slope) / friction  # of friction that carries the weight down the slope
        steady = sweep * share / math.sqrt(1 - share**2)

        def slopes(t, state, friction=friction, sweep=sweep):
            speed = math.hypot(sweep, state[1])
            return [state[1], pull / mass - friction * load / mass * state[1] / speed]

        solved = solve_ivp(
            slopes, (0.0, end), [0.0, 0.0 if rest else steady], "DOP853", rtol=1e-13, atol=1e-15, dense_output=True
        )
        way, speed = solved.y[:, -1]
        side = 1.0 * n
        name, foot = f"belt_{n}", f"foot_{n}"
        centre = [half * normal[0], side, half * normal[2]]
        velocity = [solved.y[1, 0] * d for d in down]
        bodies.append(box(foot, mass, (half, half, half), position=centre, quaternion=tilted(slope), velocity=velocity))
        shape = {"name": "box", "type": "box", "size": [0.5, 0.3, belt_half]}
        motion = {"axis": [0, 1, 0], "times": [0.0], "velocities": [sweep]}
        place = [-belt_half * normal[0], side, -belt_half * normal[2]]
        bodies.append(
            {"name": name, "position": place, "quaternion": tilted(slope), "motion": motion, "shapes": [shape]}
        )
        joints.append({"name": f"leg_{n}", "type": "planar", "parent": "world", "child": foot, "axis": [0, 1, 0]})
        contacts.append(contact(foot, name, friction, f"contact_{n}"))
        what = f"mu = {friction}" + (", from rest" if rest else "")
        window = [0.0, 0.2] if rest else [0.5, end]

        def mean(k, friction=friction, sweep=sweep, solved=solved, window=window):
            def force(t):
                slip = np.array([-sweep, solved.sol(t)[1]])
                return -friction * load * slip[k] / np.linalg.norm(slip)

            return quad(force, *window, epsabs=1e-13)[0] / (window[1] - window[0])

        measurements += [
            row(f"way down the slope, {what}", foot, "place", way, 0.01, along=down, change=[0.0, end], bound=BOUND),
            row(f"speed at the end, {what}", foot, "speed", speed, 0.01, along=down, at=end, bound=BOUND),
            row(
                f"friction across the slope, {what}",
                f"contact_{n}",
                "force y",
                mean(0),
                0.01,
                friction * load,
                mean=window,
                bound=BOUND,
            ),
            row(
                f"friction down the slope, {what}",
                f"contact_{n}",
                "force",
                mean(1),
                0.01,
                friction * load,
                along=down,
                mean=window,
                bound=BOUND,
            ),
        ]
    return {
        "id": "swept_foot",
        "version": 1,
        "number": 40,
        "title": "Loaded foot, swept sideways on a slope",
        "phenomenon": "legged",
        "what": "Feet stand on slopes below the friction angle, held against sideways motion, while the ground "
        "moves sideways under them at .1 m/s. "
        "Friction points against the slip, so that little is left to hold the weight: they slide down steadily. "
        "A pyramid instead of a cone, or creep, changes the speed.",
        "duration": end,
        "bodies": bodies,
        "joints": joints,
        "contacts": contacts,
        "measurements": measurements,
        "provenance": {
            "kind": "integrated",
            "derivation": "Friction mu N against the slip (-w, v): dv/dt = g sin(a) - mu g cos(a) v / sqrt(v^2 + "
            "w^2). Steady: v = w s / sqrt(1 - s^2), s = tan(a) / mu. From rest integrated to 1e-13.",
            "checked": "Steady feet: their forces balance and lie on the cone against the slip, from the data of "
            "the case; from rest: the integral of dt over dv in the parameter of the slip's direction.",
        },
    }


MAKERS = (tripod_slides, swept_foot)
