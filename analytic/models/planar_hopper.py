"""The planar hopper of nosnoc's example: a body that turns, a leg that slides in it, a foot that does not slip.

State x = (x, y, th, r, and their rates, cost): the hip's place [m], the lean of body and leg [rad], the leg's length
[m], and the running cost so far. The foot is at (x + r sin th, y - r cos th). Inertia is M = diag(m_b + m_l, m_b + m_l,
I_b + I_l, m_l), as there. A moment u turns the body [N m], a force w lengthens the leg [N]; both are held over n
intervals of a horizon: parameters u_0, u_1, ..., w_0, ...

Charts: 2 j + 1 in stance and 2 j in flight, in piece j between nodes, of which an interval has several.
Events: node (the end of a piece), touchdown (a plastic impact, after which the foot sticks), liftoff (the ground would
have to pull).
Invariant: in flight with no control, energy; in stance, the foot's place (`foot`).

The cost is |x - x_ref|_Q^2 + R (u^2 + w^2), integrated, with x_ref a spline over jumps of equal length.

Source: Nurkanovic, Sartor, Albrecht & Diehl, A time-freezing approach for numerical optimal control of nonsmooth
differential equations with state jumps, IEEE Control Systems Letters 5 (2021); the numbers are those of nosnoc's
examples/hopper_robot/hopper_ocp.py (github.com/FreyJo/nosnoc_py).
"""

import math
from dataclasses import dataclass

import numpy as np

from ..finite import check_signs
from ..hybrid import Guard, Model
from ..hybrid.control import Bound, ControlProblem

START = np.array([0.1, 0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
N_STATES = 8  # without the cost
Q = (100.0, 100.0, 20.0, 50.0, 0.1, 0.1, 0.1, 0.1)  # of the running cost
Q_END = (300.0, 300.0, 300.0, 300.0, 0.1, 0.1, 0.1, 0.1)  # of the final state
R = 0.01  # of both controls
RUNNING = (*(f"error_{i}" for i in range(N_STATES)), "effort_u", "effort_w")
TERMINAL = tuple(f"end_{i}" for i in range(N_STATES))
CONTACT = ("cone_ahead", "cone_behind", "slide", "impulse_ahead", "impulse_behind")
STATE_NAMES = ("x", "y", "th", "r", "vx", "vy", "vth", "vr")


@dataclass(frozen=True)
class Hopper:
    """Masses, inertias and friction, by nosnoc's example."""

    body_mass: float = 1.0  # [kg]
    leg_mass: float = 0.1  # [kg]
    body_inertia: float = 0.25  # [kg m^2]
    leg_inertia: float = 0.025  # [kg m^2]
    friction_coeff: float = 0.45
    g: float = 9.81  # [m/s^2]

    def __post_init__(self) -> None:
        check_signs(self, ("body_mass", "leg_mass", "body_inertia", "leg_inertia", "g"), ("friction_coeff",))

    @property
    def mass(self) -> np.ndarray:
        """The diagonal of the inertia matrix, shape (4,)."""
        both = self.body_mass + self.leg_mass
        return np.array([both, both, self.body_inertia + self.leg_inertia, self.leg_mass])


@dataclass(frozen=True)
class Course:
    """What the hopper is asked for: jumps of equal length to a goal, in a time, with so many control intervals."""

    final_time: float = 1.0  # [s]
    n: int = 20  # control intervals
    nodes: int = 2  # in each of them, where constraints are read
    jumps: int = 1
    goal: float = 1.0  # where the hip ends [m]
    height: float = 1.0  # of the hip in the middle of a jump [m]

    def __post_init__(self) -> None:
        for name in ("n", "nodes", "jumps"):
            if getattr(self, name) < 1 or int(getattr(self, name)) != getattr(self, name):
                raise ValueError(f"{name} must be a whole number, at least 1, got {getattr(self, name)!r}")
        if self.n % self.jumps:
            raise ValueError(f"n must be a multiple of jumps, got {self.n} and {self.jumps}")
        if not self.final_time > 0:
            raise ValueError(f"final_time must be positive, got {self.final_time} s")

    @property
    def node_time(self) -> float:
        """Time between nodes [s]."""
        return self.final_time / (self.n * self.nodes)

    @property
    def reference(self) -> np.ndarray:
        """The state asked for at the end of each interval, and of the start, shape (n + 1, 8)."""
        from scipy.interpolate import CubicSpline

        length, share = (self.goal - START[0]) / self.jumps, self.n // self.jumps
        rows = [START[None]]
        for jump in range(self.jumps):
            knots = np.tile(START, (3, 1))
            knots[:, 0] += length * (jump + np.array([0.0, 0.5, 1.0]))
            knots[1, 1], knots[1, 3] = self.height, 0.1
            rows.append(CubicSpline([0.0, 0.5, 1.0], knots)(np.linspace(0.0, 1.0, share + 1))[1:])
        return np.vstack(rows)


def foot(x: np.ndarray) -> np.ndarray:
    """Return the foot's place [m], shape (2, ...), of states (8 or 9, ...)."""
    return np.array([x[0] + x[3] * np.sin(x[2]), x[1] - x[3] * np.cos(x[2])])


def build(course: Course | None = None, params: Hopper | None = None) -> Model:
    """Return the model; start it with `chart=1` to begin in stance.

    Args:
        course: What it is asked for.
        params: Masses and friction.
    """
    course, params = course or Course(), params or Hopper()
    n, nodes, h = course.n, course.nodes, course.node_time
    ref, end = course.reference[1:].copy(), course.reference[-1].copy()
    last = n * nodes - 1
    m0, _, m2, m3 = params.mass.tolist()
    g, mu, root_r = params.g, params.friction_coeff, math.sqrt(R)
    q, root, root_end = np.array(Q), np.sqrt(Q), np.sqrt(Q_END)

    def interval(chart):
        return min(chart // 2, last) // nodes

    def share(x, normal, tangential):
        """Return the solution of the foot's 2 x 2 inertia (Delassus) for normal and tangential numbers."""
        s, c, r = math.sin(x[2]), math.cos(x[2]), x[3]
        nn = 1.0 / m0 + r * r * s * s / m2 + c * c / m3
        tt = 1.0 / m0 + r * r * c * c / m2 + s * s / m3
        nt = r * r * s * c / m2 - s * c / m3
        det = nn * tt - nt * nt
        return (tt * normal - nt * tangential) / det, (nn * tangential - nt * normal) / det

    def loads(x, u, w):
        """Return normal and tangential force of the ground on a foot that sticks [N]."""
        s, c, r = math.sin(x[2]), math.cos(x[2]), x[3]
        turn, slide = u / m2, w / m3
        normal = w * c / m0 - g + r * s * turn - c * slide + 2.0 * s * x[6] * x[7] + r * c * x[6] * x[6]
        tangential = -w * s / m0 + r * c * turn + s * slide + 2.0 * c * x[6] * x[7] - r * s * x[6] * x[6]
        return share(x, -normal, -tangential)

    def foot_velocity(x):
        s, c, r = math.sin(x[2]), math.cos(x[2]), x[3]
        return x[5] + r * s * x[6] - c * x[7], x[4] + r * c * x[6] + s * x[7]

    def field(t, x, d, p, chart, dx):
        j = interval(chart)
        u, w = p[j], p[n + j]
        s, c, r = math.sin(x[2]), math.cos(x[2]), x[3]
        f0, f1, f2, f3 = -w * s, w * c, u, w
        if chart % 2 == 1:
            normal, tangential = loads(x, u, w)
            f0 += tangential
            f1 += normal
            f2 += r * (s * normal + c * tangential)
            f3 += s * tangential - c * normal
        dx[0], dx[1], dx[2], dx[3] = x[4], x[5], x[6], x[7]
        dx[4], dx[5], dx[6], dx[7] = f0 / m0, f1 / m0 - g, f2 / m2, f3 / m3
        rate = R * (u * u + w * w)
        for i in range(N_STATES):
            rate += q[i] * (x[i] - ref[j, i]) * (x[i] - ref[j, i])
        dx[8] = rate

    def guards(t, x, d, p, chart, out):
        out[0] = h * (chart // 2 + 1) - t
        if chart % 2 == 0:
            out[1] = x[1] - x[3] * math.cos(x[2])
        else:
            j = interval(chart)
            normal, _ = loads(x, p[j], p[n + j])
            out[2] = normal
        return 3

    def transition(t, x, d, p, chart, fired):
        piece, stance = chart // 2, chart % 2
        if fired[1]:
            s, c, r = math.sin(x[2]), math.cos(x[2]), x[3]
            vn, vt = foot_velocity(x)
            normal, tangential = share(x, -vn, -vt)
            x[4] += tangential / m0
            x[5] += normal / m0
            x[6] += r * (s * normal + c * tangential) / m2
            x[7] += (s * tangential - c * normal) / m3
            stance = 1
        if fired[2]:
            stance = 0
        return 2 * (piece + fired[0]) + stance

    def outputs(t, x, d, p, chart, out):
        j = interval(chart)
        u, w = p[j], p[n + j]
        for i in range(N_STATES):
            out[i] = root[i] * (x[i] - ref[j, i])
            out[10 + i] = root_end[i] * (x[i] - end[i])
        out[8], out[9] = root_r * u, root_r * w
        normal, tangential = loads(x, u, w)
        out[18], out[19] = mu * normal - tangential, mu * normal + tangential
        vn, vt = foot_velocity(x)
        normal, tangential = share(x, -vn, -vt)
        out[20], out[21], out[22] = vt, mu * normal - tangential, mu * normal + tangential

    model = Model(
        "planar hopper",
        state=dict(zip(STATE_NAMES, START.tolist(), strict=True)) | {"cost": 0.0},
        params={"u": np.zeros(n), "w": np.zeros(n)},
        aux=(*RUNNING, *TERMINAL, *CONTACT),
    )
    table = [Guard("node"), Guard("touchdown", on_entry="ignore"), Guard("liftoff", on_entry="fire")]
    model.functions(field=field, guards=guards, transition=transition, table=table)
    model.aux(outputs)
    return model


def in_stance(chart: int) -> bool:
    """Return whether the foot is on the ground in a chart."""
    return chart % 2 == 1


def problem(course: Course | None = None, params: Hopper | None = None, *, clearance: float = 1e-5) -> ControlProblem:
    """Return nosnoc's optimal control problem: cost, bounds, friction cone, a foot that comes straight down.

    Args:
        course: What is asked for.
        params: Masses and friction.
        clearance: Of the foot in flight, at nodes [m]: above zero, so that the free model does not meet the ground.
    """
    course, force = course or Course(), (-50.0, 50.0)
    bounds = [Bound(cone, 0.0, charts=in_stance, scale=10.0) for cone in CONTACT[:2]]
    bounds += [Bound(name, -most, most, scale=2.0 * most) for name, most in (("vr", 5.0), ("vth", 5.0), ("vy", 10.0))]
    bounds += [Bound("r", 0.1, 0.5, scale=0.4), Bound("slide", 0.0, 0.0, at="touchdown", side="minus")]
    bounds += [Bound(impulse, 0.0, at="touchdown", side="minus") for impulse in CONTACT[3:]]
    return ControlProblem(
        build(course, params), {f"{name}_{i}": force for name in "uw" for i in range(course.n)}, cost="cost",
        running=RUNNING, terminal=TERMINAL, bounds=bounds, node="node", ramp=course.node_time,
        settings={"chart": 1, "stop_count": course.n * course.nodes, "final_time": 2.0 * course.final_time},
        margins={"touchdown": clearance}, scales={"liftoff": 10.0},
    )  # fmt: skip


def order_and_guess(course: Course, first: int, second: int) -> tuple[tuple[str, ...], dict[str, float]]:
    """Return an order of two hops, from the start and from where the foot comes down, and forces to begin with.

    Args:
        course: What is asked for, in one jump.
        first: The interval with which the first flight begins.
        second: The interval with which the second begins.

    Raises:
        ValueError: If there is no room for the forces of the second stance.
    """
    if not 0 < first or not first + 4 <= second < course.n - 1:
        raise ValueError(f"intervals must be at least 4 apart and within {course.n}, got {first} and {second}")
    w = np.full(course.n, 0.5)
    w[:first], w[first : first + 2], w[first + 2 : second - 2] = 5.4, -2.0, 10.0
    w[second - 2 : second], w[second], w[second + 1] = 35.0, -15.0, 5.0
    order = f"liftoff@{first * course.nodes}", "touchdown", f"liftoff@{second * course.nodes}"
    return order, {f"w_{i}": float(force) for i, force in enumerate(w)}
