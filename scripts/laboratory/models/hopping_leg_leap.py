"""The hopping leg leaps over a ditch, from rest to rest: joints follow angles that are planned at knots in time.

State x = (th1, th2, th3, th4) and their rates [rad, rad/s], and the cost so far; memory d = the unit vector (x, y) of
the foothold's radial direction. Parameters p: the leg's numbers, then hip_0, hip_1, ..., knee_0, ..., the angles asked
for [rad], straight between knots; torques are stiffness times what is missing, less damping times the joint's speed.
Charts: 2 j + 1 in stance and 2 j in flight, in piece j between nodes, of which an interval between knots has several.
Events: node (the end of a piece), touchdown (an inelastic impact), liftoff (the ground would have to pull).

The cost is the integral of the squares of both torques over the largest that the motors' current allows: their heat.
The foot begins at one bank and comes down behind the other, and the leg stands there as it stood before.
Invariants and equations: those of `hopping_leg_hybrid`, whose machine this is, with liftoff at a force of zero.

Source: Ding & Ramos, section 2.2, for the leg; the leap is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from tarsus.analytic.hybrid import Guard, Model, vector
from tarsus.analytic.hybrid.control import Bound, ControlProblem
from tarsus.analytic.models.hopping_leg import HoppingLegParams, leg_angles
from tarsus.analytic.models.hopping_leg_hybrid import STATE, fly, stand, strike
from tarsus.analytic.models.hopping_leg_mechanics import P, impact, numbers, toe_position
from tarsus.analytic.models.planar_hopper import in_stance

RUNNING = ("heat_hip", "heat_knee")
MOTORS = ("hip_forward", "hip_backward", "knee_forward", "knee_backward")
CONTACT = ("cone_ahead", "cone_behind", "impulse_ahead", "impulse_behind", "pressure")
PUSH, TUCK = (0.2, -0.9), (0.9, -1.5)  # angles of hip and knee to begin a descent with [rad]
LATER = 0.03  # behind the interval of the push the foot leaves [s]
MOTORS_OF = HoppingLegParams(motor_mode="current")


@dataclass(frozen=True)
class Leap:
    """What the leg is asked for, in how much time, with so many knots."""

    width: float = 0.6  # of the ditch, along the circle of the foot that comes down [m]
    final_time: float = 1.0  # [s]
    n: int = 20  # intervals between knots
    nodes: int = 5  # in each of them, where bounds are read
    height: float = 0.25  # of the hip, at rest [m]
    friction_coeff: float = 0.8
    stiffness: float = 40.0  # of both joints about what the plan asks of them [N m/rad]
    damping: float = 1.0  # [N m s/rad]

    def __post_init__(self) -> None:
        for name in ("n", "nodes"):
            if getattr(self, name) < 1 or int(getattr(self, name)) != getattr(self, name):
                raise ValueError(f"{name} must be a whole number, at least 1, got {getattr(self, name)!r}")
        for name in ("width", "final_time", "height", "friction_coeff", "stiffness", "damping"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")

    @property
    def knot_time(self) -> float:
        """Time between knots [s]."""
        return self.final_time / self.n

    @property
    def node_time(self) -> float:
        """Time between nodes [s]."""
        return self.final_time / (self.n * self.nodes)


def rest(leap: Leap, params: HoppingLegParams = MOTORS_OF) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return angles (4,) [rad] and torques (2,) [N m] at rest, the hip above the foot, and the foot's place (3,) [m].

    Raises:
        ValueError: If the leg does not reach from that height.
    """
    p, q, pitch = vector(numbers(params)), np.empty(4), math.asin((params.HB - leap.height) / params.LB)

    def foot(z: float) -> np.ndarray:
        q[:], toe = (0.0, pitch, *leg_angles(params, np.array([0.0, z]))), np.empty(3)
        toe_position(q, p, toe)
        return toe

    place = foot(brentq(lambda z: foot(z)[2], -1.2 * leap.height, -0.8 * leap.height, xtol=1e-15))

    def acceleration(torque: np.ndarray) -> np.ndarray:
        rates = np.empty(8)
        stand(np.concatenate([q, np.zeros(4)]), place[:2] / math.hypot(*place[:2]), p, torque, rates, np.empty(2))
        return rates[5:7]  # of boom and hip: the knee follows

    still = acceleration(np.zeros(2))
    by_torque = np.column_stack([acceleration(one) - still for one in np.eye(2)])
    return q, np.linalg.solve(by_torque, -still), place


def along(foot, bank):
    """Return the arc of a foot (3,) along its circle, behind the ray through `bank` (x, y) [m]."""
    turned = math.atan2(bank[0] * foot[1] - bank[1] * foot[0], bank[0] * foot[0] + bank[1] * foot[1])
    return math.sqrt(foot[0] * foot[0] + foot[1] * foot[1]) * turned


def knots(leap: Leap, decisions: Mapping[str, float], params: HoppingLegParams = MOTORS_OF) -> np.ndarray:
    """Return the angles of hip and knee that a plan asks for at its knots, shape (n, 2) [rad]; at rest by default."""
    angles, torque, _ = rest(leap, params)
    plan = np.tile(angles[2:] + torque / leap.stiffness, (leap.n, 1))
    for name, angle in decisions.items():
        joint, _, k = name.partition("_")
        plan[int(k), ("hip", "knee").index(joint)] = angle
    return plan


def torque_asked(leap: Leap, plan: np.ndarray, t: float, angle: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return the torques of hip and knee (2,) [N m] at a time, for their angles and speeds (2,)."""
    last = leap.n - 1
    j = min(int(t / leap.knot_time + 1e-9), last)
    share = t / leap.knot_time - j
    asked = plan[j] + share * (plan[min(j + 1, last)] - plan[j])
    return leap.stiffness * (asked - angle) - leap.damping * speed


def build(leap: Leap | None = None, params: HoppingLegParams = MOTORS_OF) -> Model:
    """Return the model, which stands still by default; start it with `chart=1` to begin in stance.

    Args:
        leap: What it is asked for.
        params: The leg.
    """
    leap = leap or Leap()
    given, n, nodes, h = numbers(params), leap.n, leap.nodes, leap.node_time
    last, hip = n * nodes - 1, vector(given).size
    stiffness, damping = leap.stiffness, leap.damping
    knee, mu, rated = hip + n, leap.friction_coeff, np.array(params.rated_torque)
    angles, _, toe = rest(leap, params)
    plan = knots(leap, {}, params)
    bank = tuple((toe[:2] / math.hypot(toe[0], toe[1])).tolist())

    def torques(t, x, p, chart, u):
        j = min(chart // 2, last) // nodes
        ahead, share = min(j + 1, n - 1), (t - j * nodes * h) / (nodes * h)
        u[0] = stiffness * (p[hip + j] + share * (p[hip + ahead] - p[hip + j]) - x[2]) - damping * x[6]
        u[1] = stiffness * (p[knee + j] + share * (p[knee + ahead] - p[knee + j]) - x[3]) - damping * x[7]

    def field(t, x, d, p, chart, dx):
        u, F = np.empty(2), np.empty(2)
        torques(t, x, p, chart, u)
        if chart % 2 == 1:
            stand(x, d, p, u, dx, F)
        else:
            fly(x, d, p, u, dx)
        dx[8] = u[0] * u[0] / (rated[0] * rated[0]) + u[1] * u[1] / (rated[1] * rated[1])

    def ground_force(t, x, d, p, chart, F):
        u, dx = np.empty(2), np.empty(9)
        torques(t, x, p, chart, u)
        stand(x, d, p, u, dx, F)

    def guards(t, x, d, p, chart, out):
        out[0] = h * (chart // 2 + 1) - t
        toe, F = np.empty(3), np.empty(2)
        if chart % 2 == 0:
            toe_position(x[:4], p, toe)
            out[1] = toe[2]
        else:
            ground_force(t, x, d, p, chart, F)
            out[2] = F[1]
        return 3

    def transition(t, x, d, p, chart, fired):
        piece, stance = chart // 2, chart % 2
        if fired[1]:
            strike(x, d, p)
            stance = 1
        if fired[2]:
            stance = 0
        return 2 * (piece + fired[0]) + stance

    def outputs(t, x, d, p, chart, out):
        u, F, toe, after = np.empty(2), np.empty(2), np.empty(3), np.empty(4)
        torques(t, x, p, chart, u)
        for i in range(2):
            out[i] = u[i] / rated[i]
            stall, lost = p[P.torque_limits + 2 + i], p[P.torque_limits + 4 + i] * x[6 + i]
            out[2 + 2 * i], out[3 + 2 * i] = stall - lost - u[i], stall + lost + u[i]
        ground_force(t, x, d, p, chart, F)
        out[6], out[7] = mu * F[1] - F[0], mu * F[1] + F[0]
        toe_position(x[:4], p, toe)
        out[10] = F[1]
        reach = math.sqrt(toe[0] * toe[0] + toe[1] * toe[1])
        radial, push = np.empty(2), np.empty(2)
        radial[0], radial[1] = toe[0] / reach, toe[1] / reach
        for i in range(4):
            after[i] = x[4 + i]
        impact(x[:4], after, p, radial, push)
        out[8], out[9] = mu * push[1] - push[0], mu * push[1] + push[0]
        out[11] = along(toe, bank)

    start = np.concatenate([angles, np.zeros(4)])
    model = Model(
        "hopping leg's leap",
        state=dict(zip(STATE, start.tolist(), strict=True)) | {"cost": 0.0},
        memory={"radial_x": bank[0], "radial_y": bank[1]},
        params=given | {"hip": plan[:, 0], "knee": plan[:, 1]},
        aux=(*RUNNING, *MOTORS, *CONTACT, "along"),
    )
    table = [Guard("node"), Guard("touchdown", on_entry="ignore"), Guard("liftoff", on_entry="fire")]
    model.functions(field=field, guards=guards, transition=transition, table=table)
    model.aux(outputs)
    return model


def problem(leap: Leap | None = None, params: HoppingLegParams = MOTORS_OF) -> ControlProblem:
    """Return `build`'s problem: least heat; motors, friction, joints within limits; over the ditch; at rest again."""
    leap = leap or Leap()
    ranges = {"hip": (-1.5, 2.5), "knee": (-3.0, 0.5)}
    bounds = [Bound(name, -1.0, 1.0, scale=2.0) for name in RUNNING] + [Bound(name, 0.0, scale=10.0) for name in MOTORS]
    bounds += [Bound(name, 0.0, charts=in_stance, scale=10.0) for name in CONTACT[:2]]
    bounds += [Bound(name, 0.0, at="touchdown", side="minus") for name in CONTACT[2:4]]
    bounds += [Bound("pressure", 0.0, 0.0, at="liftoff", side="minus", scale=10.0)]
    bounds += [Bound("th2", -0.3, 0.15), Bound("th4", -2.6, -0.3)]  # far from a fall, from a straight knee
    bounds += [Bound("along", leap.width, at="touchdown", scale=0.1)]
    at_rest = dict(zip(STATE[1:4], rest(leap, params)[0][1:], strict=True)) | dict.fromkeys(STATE[4:], 0.0)
    bounds += [Bound(name, value, value, at="end") for name, value in at_rest.items()]
    moved = range(2, leap.n - 1)  # first and last knots stay: it begins and ends at rest for an interval
    return ControlProblem(
        build(leap, params), {f"{name}_{i}": ranges[name] for name in ranges for i in moved}, cost="cost",
        running=RUNNING, bounds=bounds, node="node", ramp=leap.node_time,
        settings={"chart": 1, "stop_count": leap.n * leap.nodes, "final_time": 2.0 * leap.final_time},
        margins={"touchdown": 1e-5}, scales={"liftoff": 10.0},
    )  # fmt: skip


def order_and_guess(leap: Leap, first: int) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return an order of events and angles to begin with: a push, then the leg drawn in.

    Args:
        leap: What is asked for.
        first: The knot at which the leg has pushed; the foot leaves the ground 30 ms later.

    Raises:
        ValueError: If there is no room for both between the knots that stay.
    """
    if not 2 <= first <= leap.n - 7:
        raise ValueError(f"first must be a knot from 2 to {leap.n - 7}, got {first}")
    angles = dict.fromkeys(range(first, first + 3), PUSH) | dict.fromkeys(range(first + 3, first + 6), TUCK)
    guess = {f"{joint}_{k}": pair[i] for k, pair in angles.items() for i, joint in enumerate(("hip", "knee"))}
    return (f"liftoff@{first * leap.nodes + round(LATER / leap.node_time)}", "touchdown"), guess
