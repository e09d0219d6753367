"""The spring-loaded inverted pendulum (SLIP) of the SimSect manual, section 4: a point mass on a massless springy leg.

State x = (x, y, xdot, ydot) of the body [m, m/s]; memory d = (footx, footy, touchdown_angle).
Charts: ascent, descent (flight); compression, decompression (stance).
Events: apex, touchdown, bottom (the leg is shortest), liftoff; body_fall (the body reaches the ground: not valid).

Angles are positive with the foot ahead of the body: foot = (x + q sin(theta), y - q cos(theta)).

Invariant: `energy` is constant along every trajectory, events included, if the spring is unloaded at touchdown and at
liftoff (q_rt = q_rl = q_0) and g_stance = g_flight. With the neutral rule and q_rt = q_rl the apex map is its own
inverse (`apex_map_is_involution` in the tests): orbits alternate between two apex states.

Source: SimSect manual, section 4, with errors of its text and code corrected (the current leg angle in the stance
equations, time as the engine's variable, foot exactly on the ground, compression decided by the second derivative).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..finite import check_signs
from ..hybrid import Model, indices

CHARTS = ("ascent", "descent", "compression", "decompression")
ASCENT, DESCENT, COMPRESSION, DECOMPRESSION = range(4)


@dataclass(frozen=True)
class Slip:
    """Parameters, with the manual's names and defaults (section 4.3.4).

    Raises:
        ValueError: If a value is out of its range, or an exponent of the spring is zero.
    """

    body_mass: float = 50.48  # [kg]
    q_rt: float = 1.0  # leg length at touchdown [m]
    q_rl: float = 1.0  # leg length at liftoff [m]
    g_stance: float = 10.0  # gravity in stance [m/s^2], positive
    g_flight: float = 10.0  # gravity in flight [m/s^2], positive
    framerate: float = 120.0  # pictures per second of simulated time
    q_0: float = 1.0  # rest length of the spring [m]
    spri: float = 1.0  # exponent i of the spring law
    sprj: float = -2.0  # exponent j of the spring law
    k: float = 1000.0  # its stiffness [N m^(1 - i j)]

    def __post_init__(self) -> None:
        check_signs(self, ("body_mass", "q_rt", "q_rl", "q_0", "k", "framerate"), ("g_stance", "g_flight"))
        if self.spri == 0 or self.sprj == 0:
            raise ValueError(f"the spring's exponents must not be zero, got i = {self.spri}, j = {self.sprj}")


P = indices(Slip)


def power(base: float, exponent: float) -> float:
    """Return base^exponent, fast for the exponents of common springs."""
    if exponent == 0.0:
        return 1.0
    if exponent == 1.0:
        return base
    if exponent == -2.0:
        return 1.0 / (base * base)
    if exponent == -3.0:
        return 1.0 / (base * base * base)
    return base**exponent


def spring_potential(p: np.ndarray, q: float) -> float:
    """Return U(q) = k / |i j| * (-sgn(j) (q^j - q_0^j))^i [J] (manual, section 4.3.2); p has shape (n_params,)."""
    i, j = p[P.spri], p[P.sprj]
    travel = -math.copysign(1.0, j) * (power(q, j) - power(p[P.q_0], j))
    return p[P.k] / abs(i * j) * power(travel, i)


def spring_force(p: np.ndarray, q: float) -> float:
    """Return -dU/dq = k sgn(i) (-sgn(j) (q^j - q_0^j))^(i - 1) q^(j - 1) [N], positive in compression; p as above."""
    i, j = p[P.spri], p[P.sprj]
    force = math.copysign(p[P.k], i) * power(q, j - 1.0)
    if i != 1.0:
        travel = -math.copysign(1.0, j) * (power(q, j) - power(p[P.q_0], j))
        force *= power(travel, i - 1.0)
    return force


def flight(t, x, d, p, dx):
    """Ballistic flight."""
    dx[0], dx[1], dx[2], dx[3] = x[2], x[3], 0.0, -p[P.g_flight]


def stance(t, x, d, p, dx):
    """The spring pushes along the leg, from the foot to the body."""
    legx, legy = x[0] - d[0], x[1] - d[1]
    q2 = legx * legx + legy * legy
    if p[P.spri] == 1.0:  # without the root, for which every stage of a step would wait
        push = p[P.k] / p[P.body_mass] * power(q2, 0.5 * p[P.sprj] - 1.0)
    else:
        q = math.sqrt(q2)
        push = spring_force(p, q) / (p[P.body_mass] * q)
    dx[0], dx[1] = x[2], x[3]
    dx[2], dx[3] = push * legx, push * legy - p[P.g_stance]


def push(x, d, p, factor, dx):
    """Write the rates of the state in stance, with a factor of the spring's force."""
    flight(0.0, x, d, p, dx)
    q = leg_length(x, d)
    share = factor * spring_force(p, q) / (p[P.body_mass] * q)
    dx[2] = share * (x[0] - d[0])
    dx[3] = share * (x[1] - d[1]) - p[P.g_stance]


def leg_rate(x, d):
    """Return the rate of the leg length times the leg length [m^2/s]: negative in compression."""
    return (x[0] - d[0]) * x[2] + (x[1] - d[1]) * x[3]


def leg_length(x, d):
    """Return the distance from foot to body [m]."""
    return math.sqrt((x[0] - d[0]) * (x[0] - d[0]) + (x[1] - d[1]) * (x[1] - d[1]))


def plant_foot(t, x, d, p):
    """Touchdown: the foot is planted on the ground, where the leg points."""
    d[0] = x[0] + p[P.q_rt] * math.sin(d[2])
    d[1] = 0.0


def mirror_leg(t, x, d, p):
    """Liftoff, neutral rule: the next touchdown angle is minus the present leg angle."""
    d[2] = math.atan2(x[0] - d[0], x[1] - d[1])


def first_chart(t, x, d, p):
    """Stance if the leg, of length q_rt, reaches below the ground: the foot is then on the ground along the leg."""
    if x[1] - p[P.q_rt] * math.cos(d[2]) >= 0.0:
        return ASCENT if x[3] > 0.0 else DESCENT
    d[0] = x[0] + x[1] * math.tan(d[2])
    d[1] = 0.0
    rate = leg_rate(x, d)
    if rate == 0.0:
        # At a standstill of the leg its acceleration decides; it starts to lengthen where the spring wins.
        dx = np.zeros(4)
        stance(t, x, d, p, dx)
        rate = x[2] * x[2] + x[3] * x[3] + (x[0] - d[0]) * dx[2] + (x[1] - d[1]) * dx[3]
    return COMPRESSION if rate < 0.0 else DECOMPRESSION


def build(policy: str | Callable = "neutral", params: Slip | None = None) -> Model:
    """Return the SLIP model.

    Args:
        policy: How the touchdown angle is chosen: "neutral" (the manual's: at liftoff, minus the leg angle); "fixed"
            (it stays as given); or a function `angle(t, x, d, p)`, called at every apex [rad].
        params: Defaults of the parameters.

    Raises:
        ValueError: If the policy is unknown.
    """
    if not callable(policy) and policy not in ("neutral", "fixed"):
        raise ValueError(f"unknown touchdown policy {policy!r}; known: neutral, fixed, or a function angle(t, x, d, p)")
    model = Model(
        "slip",
        state={"x": 0.0, "y": 0.9, "xdot": 1.0, "ydot": 0.0},
        memory={"footx": 0.0, "footy": 0.0, "touchdown_angle": 0.0},
        params=params or Slip(),
        charts=CHARTS,
        aux=("t", "x", "y", "xdot", "ydot"),
        angles={"touchdown_angle": math.pi},
    )
    model.field("ascent", "descent")(flight)
    model.field("compression", "decompression")(stance)
    model.initial(first_chart)
    add_events(model)
    if policy == "neutral":
        model.reset("liftoff")(mirror_leg)
    elif policy != "fixed":

        @model.reset("apex")
        def choose_angle(t, x, d, p):
            d[2] = policy(t, x, d, p)

    model.aux(_outputs)
    model.lines(lines)
    return model


def touchdown(t, x, d, p):
    """Return the height of the foot, which points ahead by the angle in the memory [m]."""
    return x[1] - p[P.q_rt] * math.cos(d[2])


def add_events(model: Model, touchdown: Callable = touchdown, plant: Callable = plant_foot) -> None:
    """Add the events of SLIP: apex, touchdown, which plants the foot, bottom, liftoff, body_fall."""

    # A leg that is already lengthening at touchdown passes through compression at once, as a body that lifts off
    # falling does through ascent.
    @model.guard("ascent", to="descent", on_entry="fire")
    def apex(t, x, d, p):
        return x[3]

    model.guard("descent", to="compression", name="touchdown")(touchdown)

    @model.guard("compression", to="decompression", on_entry="fire")
    def bottom(t, x, d, p):
        return -leg_rate(x, d)

    @model.guard("decompression", to="ascent")
    def liftoff(t, x, d, p):
        return p[P.q_rl] - leg_length(x, d)

    @model.guard(*CHARTS, invalid=True)
    def body_fall(t, x, d, p):
        return x[1]

    model.reset("touchdown")(plant)


def _outputs(t, x, d, p, chart, out):
    out[0] = t
    for i in range(4):
        out[1 + i] = x[i]


def energy(p: np.ndarray, x: np.ndarray, d: np.ndarray, chart: np.ndarray) -> np.ndarray:
    """Return the total mechanical energy [J] of states (m, 4) with memory (m, 3) and charts (m,), shape (m,)."""
    x, d, chart = np.atleast_2d(x), np.atleast_2d(d), np.atleast_1d(chart)
    in_stance = chart >= COMPRESSION
    gravity = np.where(in_stance, p[P.g_stance], p[P.g_flight])
    q = np.hypot(x[:, 0] - d[:, 0], x[:, 1] - d[:, 1])
    stored = np.array([spring_potential(p, qi) if s else 0.0 for qi, s in zip(q, in_stance, strict=True)])
    return 0.5 * p[P.body_mass] * (x[:, 2] ** 2 + x[:, 3] ** 2) + p[P.body_mass] * gravity * x[:, 1] + stored


def angular_momentum(p: np.ndarray, x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the angular momentum about the foot [kg m^2/s], shape (m,): constant in stance if g_stance = 0."""
    x, d = np.atleast_2d(x), np.atleast_2d(d)
    return p[P.body_mass] * ((x[:, 0] - d[:, 0]) * x[:, 3] - (x[:, 1] - d[:, 1]) * x[:, 2])


def lines(t, x, d, p, chart) -> dict[str, np.ndarray]:
    """Return the leg (a spring drawn as a zigzag) and the body as polylines in the world, each (k, 3) [m]."""
    if chart >= COMPRESSION:
        foot = np.array([d[0], d[1]])
    else:
        foot = np.array([x[0] + p[P.q_rt] * math.sin(d[2]), x[1] - p[P.q_rt] * math.cos(d[2])])
    body = np.array(x[:2])
    along = body - foot
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    s = np.linspace(0.0, 1.0, 15)
    wave = np.where((s > 0.15) & (s < 0.85), 0.04 * (-1.0) ** np.arange(s.size), 0.0)
    leg = foot + s[:, None] * along + wave[:, None] * across  # (15, 2)
    turn = np.linspace(0.0, 2.0 * np.pi, 25)
    disc = body + 0.1 * np.stack([np.cos(turn), np.sin(turn)], axis=1)  # (25, 2)
    return {
        name: np.stack([part[:, 0], np.zeros(len(part)), part[:, 1]], axis=1)
        for name, part in (("leg", leg), ("body", disc))
    }
