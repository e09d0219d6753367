"""The simplest walker: two straight legs, a heavy hip, light feet."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root

from .parts import G, contact, described
from .rows import Y, plane, rises, row

HIP = 5.0  # its mass [kg]


class WalkerStep:
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
        fine = {"rtol": 1e-13, "atol": 1e-14, "max_step": end / 80}
        found = solve_ivp(self.slopes, (0.0, end), start, "DOP853", events=closed, dense_output=True, **fine)
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


def _bodies(walker: WalkerStep, angle: float, rate: float, swing: float) -> list[dict]:
    """Return hip and legs just after a heel strike; the foot in front stands at the origin."""
    hub = [math.sin(-angle), 0.0, math.cos(angle)]
    speed = [math.cos(angle) * rate, 0.0, math.sin(angle) * rate]
    away = [speed[0] - math.cos(angle) * swing, 0.0, speed[2] + math.sin(angle) * swing]
    moments, point = [walker.spin * HIP] * 3, {"name": "foot", "type": "point"}
    foot_of = {"mass": walker.foot * HIP, "inertia": moments, "shapes": [point]}
    return [
        {
            "name": "hip",
            "mass": HIP,
            "inertia": [0.01] * 3,
            "position": hub,
            "velocity": speed,
            "shapes": [{"name": "ball", "type": "sphere", "size": [0.05]}],
        },
        {"name": "leg_1", "position": [0.0, 0.0, 0.0], "angular_velocity": [0.0, rate, 0.0], **foot_of},
        {
            "name": "leg_2",
            "position": [-2 * math.sin(angle), 0.0, 0.0],
            "velocity": away,
            "angular_velocity": [0.0, swing, 0.0],
            **foot_of,
        },
    ]


def _rows(angle: float, step: float, upright: np.ndarray) -> list[dict]:
    """Return the measurements in two steps, from the state in the middle of one."""
    stride, strike, two = 2 * math.sin(angle), partial(rises, after=0.3), [0.1, 0.1 + 2 * step]
    swung, precise = upright[1] - angle, {"bound": 1e-10}
    return [
        row("first heel strike", "hip", "speed z", step, 0.005, step, crossing=strike(1), **precise),
        row("second heel strike", "hip", "speed z", 2 * step, 0.01, step, crossing=strike(2), **precise),
        row("way in two steps", "hip", "place x", 2 * stride, 0.01, stride, change=two, **precise),
        row("swing leg in mid-step", "leg_2", "turn y", swung, 0.005, 2 * angle, at=step / 2, **precise),
        row("speed in mid-step", "hip", "speed", upright[2], 0.005, at=step / 2, **precise),
        row("and a step later", "hip", "speed", upright[2], 0.01, at=1.5 * step, **precise),
    ]


@described(
    number=25,
    title="The simplest walker",
    phenomenon="impact",
    what="Two straight legs, a heavy hip and light feet walk down a slope of .009 without a motor, from their fixed "
    "point, for two steps. The swing foot would scuff at mid-stance, which the model ignores; here there are stepping "
    "stones, and nothing in between. Errors of the heel strike show in the time of the second step.",
    provenance={
        "kind": "integrated",
        "derivation": "Lagrange's equations of the two angles, integrated to 1e-13; a heel strike keeps the angular "
        "momentum of all about the new foot, and of the old stance leg about the hip; the state that repeats is found "
        "by Newton's method. For feet without mass it is, in units of leg length and gravity, the stance angle "
        ".2003109 at a rate of -.1998325, with multipliers -.19010 +- .55760 i. Here a foot has a hundredth of the "
        "hip's mass.",
        "sources": ["Garcia, Chatterjee, Ruina and Coleman, The simplest walking model, J. Biomech. Eng. 120 (1998)."],
        "checked": "An independent event-driven integration from the data of the case; the limit of light feet "
        "against the published fixed point.",
    },
)
def simplest_walker() -> dict:
    """Return the simplest walker on stepping stones, which spare its swing foot the ground."""
    walker = WalkerStep(foot=0.01, spin=1e-6)
    angle, rate, swing = walker.fixed_point()
    _, step, motion = walker.step(np.array([-angle, angle, rate, swing]))
    bodies, stride = _bodies(walker, angle, rate, swing), 2 * math.sin(angle)
    stone = {"name": "box", "type": "box", "size": [0.1, 0.1, 0.05]}
    stones = [{"name": f"stone_{n}", "position": [n * stride, 0.0, -0.05], "shapes": [stone]} for n in range(4)]
    at_hip = {"parent": "hip", "anchor": bodies[0]["position"], "axis": Y}
    hinges = [{"name": f"hinge_{n}", "type": "hinge", "child": f"leg_{n}", **at_hip} for n in (1, 2)]
    return {
        "gravity": [G * math.sin(walker.slope), 0.0, -G * math.cos(walker.slope)],
        "duration": 2.2 * step,
        "bodies": [*bodies, *stones],
        "joints": [*plane("hip"), *hinges],
        "contacts": [contact(f"leg_{1 + n % 2}", f"stone_{n}", 1.0, f"stone_{n}") for n in range(4)],
        "measurements": _rows(angle, step, motion(step / 2)),
    }


MAKERS = (simplest_walker,)
