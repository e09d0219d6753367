"""Cases that walk down a slope, step by step: the rimless wheel and the simplest walker."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import root

from .parts import G, contact, feet, ground, measured

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
SPOKES, RADIUS, MASS, INERTIA, SLOPE = 8, 0.5, 1.0, 0.01, 0.1  # of the wheel
HALF = math.pi / SPOKES  # between a spoke at an impact and the slope's normal
ABOUT_FOOT = INERTIA + MASS * RADIUS**2
LOSS = (INERTIA + MASS * RADIUS**2 * math.cos(2 * HALF)) / ABOUT_FOOT  # spin after an impact over that before


def wheel_speed(upright: float, angle: float) -> float:
    """Return the wheel's spin at an angle of its spoke, from that upright [rad/s]."""
    gained = math.cos(SLOPE) - math.cos(angle + SLOPE)
    return math.sqrt(upright**2 + 2 * MASS * G * RADIUS / ABOUT_FOOT * gained)


def wheel_time(upright: float, first: float, last: float) -> float:
    """Return the time between two angles of the spoke [s]."""
    return quad(lambda angle: 1 / wheel_speed(upright, angle), first, last, epsabs=1e-14, epsrel=1e-13)[0]


def fixed_upright() -> float:
    """Return the spin with an upright spoke that repeats from step to step [rad/s]."""
    rise = 2 * MASS * G * RADIUS / ABOUT_FOOT
    before = rise * (math.cos(HALF - SLOPE) - math.cos(HALF + SLOPE)) / (1 - LOSS**2)  # squared
    return math.sqrt(before - rise * (math.cos(SLOPE) - math.cos(HALF + SLOPE)))


def _wheel(name: str, number: int, upright: float, duration: float) -> dict:
    turns = [2 * HALF * n for n in range(SPOKES)]
    points = [[RADIUS * math.sin(turn), 0.0, -RADIUS * math.cos(turn)] for turn in turns]
    points[0] = [0.0, 0.0, -RADIUS]
    moments = [INERTIA / 2, INERTIA, INERTIA / 2]
    state = {"velocity": [RADIUS * upright, 0.0, 0.0], "angular_velocity": [0.0, upright, 0.0]}
    body = feet("wheel", MASS, moments, points, position=[0.0, 0.0, RADIUS], **state)
    return {
        "id": name,
        "version": 1,
        "number": number,
        "phenomenon": "impact",
        "gravity": [G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE)],
        "duration": duration,
        "bodies": [body, ground()],
        "joints": [{"name": "plane", "type": "planar", "parent": "world", "child": "wheel", "axis": Y}],
        "contacts": [contact("wheel", "ground", 1.0)],
    }


def rimless_wheel() -> dict:
    """Return a rimless wheel that rolls at its fixed point."""
    upright = fixed_upright()
    half, step = wheel_time(upright, 0.0, HALF), wheel_time(upright, -HALF, HALF)
    before, weight = wheel_speed(upright, HALF), MASS * G
    slowest = wheel_speed(upright, -SLOPE)
    steps = 4
    long = [0.0, steps * step]
    return _wheel("rimless_wheel", 24, upright, (steps + 0.5) * step) | {
        "title": "Rimless wheel at its fixed point",
        "what": "A wheel of eight spokes rolls down a slope of .1 at the speed that repeats: every impact of a "
            "spoke takes "
        "what the slope has given. Soft contacts lose less or more than the impact does, and roll at another speed.",
        "measurements": [
            measured("time of a step", "wheel", "angular_velocity", "s", step, 0.005 * step, step, along=Y, period=long),
            measured("first impact", "wheel", "velocity", "s", half, 0.005, step, along=Z, crossing={"level": 0.0, "direction": "up", "after": 0.1}),
            measured("spin before impacts", "wheel", "angular_velocity", "rad/s", before, 0.005 * before, before, along=Y, greatest=long),
            measured("least spin", "wheel", "angular_velocity", "rad/s", slowest, 0.005 * before, before, along=Y, least=long),
            measured("turn in four steps", "wheel", "angle", "rad", 8 * HALF, 0.01 * 8 * HALF, 8 * HALF, along=Y, change=long),
            measured("load", "contact", "force", "N", weight * math.cos(SLOPE), 0.005 * weight, weight, along=Z, mean=[step, 3 * step]),
            measured("friction", "contact", "force", "N", -weight * math.sin(SLOPE), 0.005 * weight, weight, along=X, mean=[step, 3 * step]),
        ],
        "provenance": {
            "kind": "closed form",
            "derivation": "Between impacts the stance spoke is a pendulum, energy is kept. An impact keeps the "
                "angular momentum about the new foot: spin "
            "times (I + m l^2 cos 2a) / (I + m l^2), a half the angle between spokes. The fixed point balances "
            "both; times are integrals of angle over spin. "
            "Over a period the mean force, impulses included, carries the weight.",
            "sources": ["McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990)."],
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }  # fmt: skip


def rimless_wheel_settles() -> dict:
    """Return a rimless wheel that comes back to its fixed point."""
    fixed = fixed_upright()
    rise = 2 * MASS * G * RADIUS / ABOUT_FOOT
    upright, start, steps = 1.5 * fixed, 0.0, 4
    measurements = []
    first = upright
    for n in range(1, steps + 1):
        before = wheel_speed(upright, HALF)
        follows = math.sqrt((LOSS * before) ** 2 - rise * (math.cos(SLOPE) - math.cos(SLOPE - HALF)))
        half = wheel_time(upright, 0.0, HALF)
        rest = wheel_time(follows, -HALF, 0.0)
        end = start + half + rest
        measurements.append(
            measured(f"spin before impact {n}", "wheel", "angular_velocity", "rad/s", before, 0.005 * before, before, along=Y, greatest=[start, end])
        )  # fmt: skip
        upright, start = follows, end
    return _wheel("rimless_wheel_settles", 24, first, start + 0.05) | {
        "title": "Rimless wheel that returns to its fixed point",
        "what": "The wheel of the case before starts with half as much spin again. What is left of the surplus "
        "is multiplied by the same "
        "number in every step (.53, that of a massless rim would be cos^2 2a = .5), as the spins before the "
        "impacts show.",
        "measurements": measurements,
        "provenance": {
            "kind": "closed form",
            "derivation": "With the case before: the square of the spin before impact n + 1 is h^2 times that "
            "before impact n plus a constant, "
            "h = (I + m l^2 cos 2a) / (I + m l^2). So h^2 is the multiplier.",
            "sources": ["McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990)."],
            "checked": "An independent event-driven integration from the data of the case.",
        },
    }


class Walker:
    """The simplest walker with feet of finite mass: legs of length 1, masses at hip and feet, both legs straight.

    State (a, b, da/dt, db/dt): angles of stance and swing leg from the normal, positive forward.
    """

    def __init__(self, foot: float, spin: float, slope: float = 0.009, gravity: float = G) -> None:
        self.foot, self.spin, self.slope, self.gravity = (
            foot,
            spin,
            slope,
            gravity,
        )  # foot's mass [hip's], leg's inertia

    def slopes(self, t: float, state: np.ndarray) -> np.ndarray:
        """Return the time derivative of the state, from Lagrange's equations."""
        a, b, da, db = state
        m, j, c, s = self.foot, self.spin, math.cos(a - b), math.sin(a - b)
        matrix = np.array([[1 + m + j, -m * c], [-m * c, m + j]])
        pull = self.gravity * np.array([(1 + m) * math.sin(a + self.slope), -m * math.sin(b + self.slope)])
        return np.array([da, db, *np.linalg.solve(matrix, pull + m * s * np.array([db**2, -(da**2)]))])

    def strike(self, state: np.ndarray) -> np.ndarray:
        """Return the state after heel strike, the legs exchanged: two angular momenta are kept."""
        a, b, da, db = state
        m, j, c = self.foot, self.spin, math.cos(a - b)
        # About the hip: the leg that was the stance leg. About the new foot: all.
        own = j * da
        whole = c * da + j * (da + db)
        matrix = np.array([[-m * c, m + j], [1 + m * (1 - c) + j, m * (1 - c) + j]])
        return np.array([b, a, *np.linalg.solve(matrix, [own, whole])])

    def step(self, start: np.ndarray) -> tuple[np.ndarray, float, object]:
        """Return the state before the next heel strike, its time, and the motion to it."""

        def closed(t, state):  # with the swing leg ahead
            return state[0] + state[1] if t > 0.3 / math.sqrt(self.gravity) and state[0] > state[1] + 0.05 else -1.0

        closed.terminal, closed.direction = True, 1
        end = 8 / math.sqrt(self.gravity)
        found = solve_ivp(
            self.slopes,
            (0.0, end),
            start,
            "DOP853",
            events=closed,
            rtol=1e-13,
            atol=1e-14,
            dense_output=True,
            max_step=end / 80,
        )
        return found.y[:, -1], found.t[-1], found.sol

    def map(self, short: np.ndarray) -> np.ndarray:
        """Return stance angle and rates after the next heel strike, from those after this one."""
        after = self.strike(self.step(np.array([-short[0], short[0], short[1], short[2]]))[0])
        return np.array([-after[0], after[2], after[3]])

    def fixed_point(self, guess=(0.2003109, 0.1998325, 0.0158)) -> np.ndarray:
        """Return the stance angle and the rates that repeat; the guess is that of feet without mass."""
        scale = np.array([1.0, math.sqrt(self.gravity), math.sqrt(self.gravity)])
        found = root(lambda y: (self.map(y * scale) / scale) - y, np.asarray(guess), tol=1e-13)
        if np.abs(found.fun).max() > 1e-11:
            raise RuntimeError(f"no fixed point: {found.message}")
        return found.x * scale


def simplest_walker() -> dict:
    """Return the simplest walker on stepping stones, which spare its swing foot the ground."""
    foot, spin, hip = 0.01, 1e-6, 5.0
    walker = Walker(foot, spin)
    angle, rate, swing = walker.fixed_point()
    start = np.array([-angle, angle, rate, swing])
    end, step, motion = walker.step(start)
    stride = 2 * math.sin(angle)
    upright = motion(step / 2)
    hub = [math.sin(-angle), 0.0, math.cos(angle)]
    speed = [math.cos(angle) * rate, 0.0, math.sin(angle) * rate]
    away = [speed[0] - math.cos(angle) * swing, 0.0, speed[2] + math.sin(angle) * swing]
    moments = [spin * hip] * 3
    foot_of = {"mass": foot * hip, "inertia": moments, "shapes": [{"name": "foot", "type": "point"}]}
    bodies = [
        {"name": "hip", "mass": hip, "inertia": [0.01] * 3, "position": hub, "velocity": speed,
         "shapes": [{"name": "ball", "type": "sphere", "size": [0.05]}]},
        {"name": "leg_1", "position": [0.0, 0.0, 0.0], "angular_velocity": [0.0, rate, 0.0], **foot_of},
        {"name": "leg_2", "position": [-stride, 0.0, 0.0], "velocity": away, "angular_velocity": [0.0, swing, 0.0], **foot_of},
    ]  # fmt: skip
    stone = {"name": "box", "type": "box", "size": [0.1, 0.1, 0.05]}
    stones = [{"name": f"stone_{n}", "position": [n * stride, 0.0, -0.05], "shapes": [stone]} for n in range(4)]
    hinges = [{"name": f"hinge_{n}", "type": "hinge", "parent": "hip", "child": f"leg_{n}", "anchor": hub, "axis": Y} for n in (1, 2)]  # fmt: skip
    rises = {"level": 0.0, "direction": "up", "after": 0.3}
    two = [0.1, 0.1 + 2 * step]
    return {
        "id": "simplest_walker",
        "version": 1,
        "number": 25,
        "title": "The simplest walker",
        "phenomenon": "impact",
        "what": "Two straight legs, a heavy hip and light feet walk down a slope of .009 without a motor, from "
            "their fixed point, for two steps. "
        "The swing foot would scuff at mid-stance, which the model ignores; here there are stepping stones, and "
        "nothing in between. "
        "Errors of the heel strike show in the time of the second step.",
        "gravity": [G * math.sin(walker.slope), 0.0, -G * math.cos(walker.slope)],
        "duration": 2.2 * step,
        "bodies": [*bodies, *stones],
        "joints": [{"name": "plane", "type": "planar", "parent": "world", "child": "hip", "axis": Y}, *hinges],
        "contacts": [contact(f"leg_{1 + n % 2}", f"stone_{n}", 1.0, f"stone_{n}") for n in range(4)],
        "measurements": [
            measured("first heel strike", "hip", "velocity", "s", step, 0.005 * step, step, along=Z, crossing=rises, bound=1e-10),
            measured("second heel strike", "hip", "velocity", "s", 2 * step, 0.01 * step, step, along=Z, crossing={**rises, "count": 2}, bound=1e-10),
            measured("way in two steps", "hip", "position", "m", 2 * stride, 0.01 * stride, stride, along=X, change=two, bound=1e-10),
            measured("turn of the swing leg", "leg_2", "angle", "rad", upright[1] - angle, 0.01 * angle, 2 * angle, along=Y, at=step / 2, bound=1e-10),
            measured("speed in mid-step", "hip", "velocity", "m/s", upright[2], 0.005 * upright[2], upright[2], at=step / 2, bound=1e-10),
            measured("and a step later", "hip", "velocity", "m/s", upright[2], 0.01 * upright[2], upright[2], at=1.5 * step, bound=1e-10),
        ],
        "provenance": {
            "kind": "integrated",
            "derivation": "Lagrange's equations of the two angles, integrated to 1e-13; a heel strike keeps the "
                "angular momentum of all about the new foot, "
            "and of the old stance leg about the hip; the state that repeats is found by Newton's method. For "
            "feet without mass it is, in units "
            "of leg length and gravity, the stance angle .2003109 at a rate of -.1998325, with multipliers "
            "-.19010 +- .55760 i. Here a foot has a hundredth of the hip's mass.",
            "sources": ["Garcia, Chatterjee, Ruina and Coleman, The simplest walking model, J. Biomech. Eng. 120 (1998)."],
            "checked": "An independent event-driven integration from the data of the case; the limit of light "
                "feet against the published fixed point.",
        },
    }  # fmt: skip


MAKERS = (rimless_wheel, rimless_wheel_settles, simplest_walker)
