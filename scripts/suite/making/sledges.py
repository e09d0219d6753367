"""Cases of sledges that slide and turn on the plane: number 13 and 16.

Their centre of mass is at the height of the feet, so that friction does not shift the loads. Points of the plane are
complex numbers.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

from .parts import G, contact, described, feet, ground, measured

FINE = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
X, Y, UP = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
MU, MASS = 0.3, 2.0
INERTIA = (
    0.12  # of the tripod about the vertical: at 1.5 times mass times radius squared most of the time all feet slide
)
PINNED = 1e-6  # slip of a foot, relative to the body's motion, below which it has come to rest
RADIUS, SPEED, SPIN = 0.2, 1.0, 12.0


@described(
    number=13,
    title="Sliding and spinning tripod",
    phenomenon="sliding",
    what="A sledge on three feet is thrown with spin. Friction at every foot opposes that foot's slip: sliding and "
    "spin brake each other less than either alone, the body slides further than a block, and both end at the same "
    "instant. Simulators that replace the patch by a point, or a cone by axes, stop one before the other.",
    provenance={
        "kind": "integrated",
        "derivation": "Three feet around the centre carry a third each. m dv/dt and I dw/dt are sum and moment of "
        "-mu N u_i / |u_i| with the feet's slip u_i = v + w x r_i, integrated to 1e-12 in a time stretched by 1 / "
        "|(v, r w)|. Shortly before the end a foot comes to rest; the body turns about it, at a constant deceleration.",
        "sources": ["Farkas, Bartels, Unger & Wolf (2003), Frictional coupling between sliding and spinning motion"],
        "checked": "Newton-Euler equations in space with Coulomb friction at every foot, integrated to 1e-12.",
    },
)
def spinning_tripod() -> dict:
    """Return a sledge on three feet that slides and spins."""
    early, last, near = 0.6, 1.6, 0.15
    points = RADIUS * np.exp(2j * np.pi * np.arange(3) / 3 + 0.3j)
    path = _spinning(points)
    state = {"position": [0.0] * 3, "velocity": [SPEED, 0.0, 0.0], "angular_velocity": [0.0, 0.0, SPIN]}
    inertia = [INERTIA / 2, INERTIA / 2, INERTIA]
    return {
        "duration": last,
        "bodies": [feet("tripod", MASS, inertia, _listed(points), **state), ground()],
        "contacts": [contact("tripod", "ground", MU)],
        "measurements": [*_on_path(path, early), *_ends(path, points, near, last)],
    }


@described(
    number=16,
    title="Sledges pushed off centre",
    phenomenon="sliding",
    what="A sledge on three unequally loaded feet is pushed sideways, .08 m beside its centre of mass. At 4.8 N it "
    "stays; at 5.7 N it slides and turns, although friction would hold 5.9 N through the centre. When and where it "
    "moves follows from the limit surface; simulators that replace the patch by a point hold it, or turn it wrongly.",
    provenance={
        "kind": "integrated",
        "derivation": "Three feet have determined loads. At the start velocity and acceleration have one direction, "
        "which is solved for; then the equations of motion with friction -mu N_i u_i / |u_i| are integrated to 1e-12 "
        "for the velocity over time. Held: friction within the cones balances the push and its moment.",
        "sources": ["Goyal, Ruina & Papadopoulos (1991), Planar sliding with dry friction"],
        "checked": "Gauss's principle for the start; Newton-Euler equations in space, integrated to 1e-12.",
    },
)
def off_centre_push() -> dict:
    """Return sledges pushed beside their centre of mass, one held and one set in motion."""
    push, held, arm, last = 5.7, 4.8, 0.08, 0.5
    points, spin_inertia = np.array([0.2 + 0.1j, 0.05 - 0.2j, -0.15 + 0.1j]), 0.04
    loads = np.linalg.solve([[1.0, 1.0, 1.0], points.real, points.imag], [MASS * G, 0.0, 0.0])
    # Half a second: at .66 s the third foot comes to rest.
    place, angle, velocity, turn = _pushed(points, loads, spin_inertia, push * 1j, complex(arm), last)
    bodies, contacts, forces = [ground()], [], []
    for n, (name, force) in enumerate((("moved", push), ("held", held))):
        inertia = [spin_inertia / 2, spin_inertia / 2, spin_inertia]
        bodies.append(feet(name, MASS, inertia, _listed(points), position=[0.0, float(n), 0.0]))
        contacts.append(contact(name, "ground", MU, f"under_{name}"))
        forces.append({"body": name, "force": [0.0, force, 0.0], "point": [arm, 0.0, 0.0]})
    fixed, end = {"bound": 1e-9}, {"change": [0.0, last]}
    return {
        "duration": last,
        "bodies": bodies,
        "contacts": contacts,
        "forces": forces,
        "measurements": [
            measured("x", "moved", "position", "m", place.real, 0.001, 0.04, along=X, **end, **fixed),
            measured("y", "moved", "position", "m", place.imag, 0.001, 0.04, along=Y, **end, **fixed),
            measured("angle", "moved", "angle", "rad", angle, 0.005, 1.0, along=UP, at=last, **fixed),
            measured("vx", "moved", "velocity", "m/s", velocity.real, 0.004, 0.2, along=X, at=last, **fixed),
            measured("vy", "moved", "velocity", "m/s", velocity.imag, 0.004, 0.2, along=Y, at=last, **fixed),
            measured("spin", "moved", "angular_velocity", "rad/s", turn, 0.02, 3.0, along=UP, at=last, **fixed),
            measured("drift, held", "held", "position", "m", 0.0, 1e-4, 0.1, across=UP, **end),
            measured("turn, held", "held", "angle", "rad", 0.0, 1e-3, 0.1, along=UP, at=last),
        ],
    }


def _listed(points: np.ndarray) -> list[list[float]]:
    return [[float(p.real), float(p.imag), 0.0] for p in points]


def _spinning(points: np.ndarray):
    """Return time, place, angle, velocity and spin over the stretched time, until a foot comes to rest."""

    def flow(_, state):
        time, x, y, angle, vx, vy, spin = state
        arms, v = points * cmath.exp(1j * angle), complex(vx, vy)
        slips = v + 1j * spin * arms
        frictions = -MU * MASS * G / len(points) * slips / abs(slips)
        force, moment = frictions.sum(), (arms.conj() * frictions).imag.sum()
        stretch = math.hypot(abs(v), RADIUS * spin)
        rates = [1.0, vx, vy, spin, force.real / MASS, force.imag / MASS, moment / INERTIA]
        return [stretch * rate for rate in rates]

    def pinned(_, state) -> float:
        slips = complex(state[4], state[5]) + 1j * state[6] * points * cmath.exp(1j * state[3])
        return abs(slips).min() - PINNED * math.hypot(state[4], state[5], RADIUS * state[6])

    pinned.terminal = True
    start = [0.0, 0.0, 0.0, 0.0, SPEED, 0.0, SPIN]
    return solve_ivp(flow, (0.0, 8.0), start, events=pinned, dense_output=True, **FINE)


def _when(path, event) -> np.ndarray:
    """Return the state of a path where a function of the state crosses zero."""
    values = [event(y) for y in path.y.T]
    first = next(n for n in range(len(values)) if values[n] < 0)
    instant = brentq(lambda s: event(path.sol(s)), path.t[first - 1], path.t[first], xtol=1e-15)
    return path.sol(instant)


def _on_path(path, when: float) -> list[dict]:
    """Return the measurements of the tripod while all of it slides."""
    _, x, _, angle, vx, _, spin = (float(value) for value in _when(path, lambda s: when - s[0]))
    at = {"at": when, "bound": 1e-9}
    return [
        measured("x, early", "tripod", "position", "m", x, 0.003, 1.0, along=X, **at),
        measured("angle, early", "tripod", "angle", "rad", angle, 0.02, 5.0, along=UP, **at),
        measured("vx, early", "tripod", "velocity", "m/s", vx, 0.003, SPEED, along=X, **at),
        measured("spin, early", "tripod", "angular_velocity", "rad/s", spin, 0.03, SPIN, along=UP, **at),
    ]


def _ends(path, points, near: float, last: float) -> list[dict]:
    """Return the measurements of how the tripod comes to rest; near: of the first speed and spin."""
    slow = _when(path, lambda s: math.hypot(s[4], s[5]) - near * SPEED)
    turning = _when(path, lambda s: s[6] - near * SPIN)
    x, angle = _rest(path.y[:, -1], points)
    late = {"tolerance": 0.004, "scale": 1.0, "bound": 1e-9}
    down, at = {"direction": "down"}, {"at": last, "bound": 1e-7}
    speed, spin = {"level": near * SPEED, **down}, {"level": near * SPIN, **down}
    return [
        measured("slow", "tripod", "velocity", "s", float(slow[0]), crossing=speed, **late),
        measured(
            "turning slowly", "tripod", "angular_velocity", "s", float(turning[0]), along=UP, crossing=spin, **late
        ),
        measured("x at rest", "tripod", "position", "m", x, 0.003, 1.0, along=X, **at),
        measured("angle at rest", "tripod", "angle", "rad", angle, 0.02, 5.0, along=UP, **at),
        measured("speed at rest", "tripod", "velocity", "m/s", 0.0, 1e-4, SPEED, at=last),
        measured("spin at rest", "tripod", "angular_velocity", "rad/s", 0.0, 1e-3, SPIN, at=last),
    ]


def _rest(state, points) -> tuple[float, float]:
    """Return x and angle at which the tripod comes to rest that turns about a foot: moments about it are constant."""
    _, x, y, angle, vx, vy, spin = state
    arms = points * cmath.exp(1j * angle)
    foot = arms[abs(complex(vx, vy) + 1j * spin * arms).argmin()]
    moment = MU * MASS * G / len(points) * abs(arms - foot).sum()
    turn = spin**2 * (INERTIA + MASS * abs(foot) ** 2) / (2 * moment)
    return float((x + foot - foot * cmath.exp(1j * turn)).real), float(angle + turn)


def _pushed(points, loads, inertia: float, push: complex, arm: complex, last: float):
    """Return place, angle, velocity and spin of a sledge pushed from rest by a force that is constant in the world."""

    def rates(angle: float, motion) -> np.ndarray:
        turned = cmath.exp(1j * angle)
        slips = complex(*motion[:2]) + 1j * motion[2] * points * turned
        frictions = -MU * loads * slips / abs(slips)
        force = push + frictions.sum()
        moment = ((points * turned).conj() * frictions).imag.sum() + ((arm * turned).conjugate() * push).imag
        return np.array([force.real / MASS, force.imag / MASS, moment / inertia])

    first = root(lambda a: rates(0.0, a) - a, [0.05, 0.27, 1.1], tol=1e-15).x

    def flow(log_time, state):  # of place, angle and velocity over time, which begin as the acceleration
        t, mean = math.exp(log_time), np.array(state[3:])
        return [*(t**2 * mean), *(rates(state[2], mean) - mean)]

    start = 1e-6
    logs = math.log(start), math.log(last)
    end = solve_ivp(flow, logs, [*(first * start**2 / 2), *first], **FINE).y[:, -1]
    velocity = end[3:] * last
    return complex(*end[:2]), float(end[2]), complex(*velocity[:2]), float(velocity[2])


MAKERS = (spinning_tripod, off_centre_push)
