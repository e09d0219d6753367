"""SLIP whose spring may be another in decompression than in compression: it can change its energy within a stride.

State x = (x, y, xdot, ydot) as in `slip`; memory d = (footx, footy, touchdown_angle, compression, decompression), the
last two being factors of the stiffness k. Charts and events are those of `slip`. Whoever controls it sets the last
three entries of the memory before touchdown: `deadbeat.py` does so to reach the next apex in one stride.

At the bottom, leg length q, the factor of the spring's potential changes: with U the potential of `slip`, unloaded at
touchdown and liftoff, a stride adds (decompression - compression) U(q) to the energy.

Source: Saranli, Schwind & Koditschek, Toward the control of a multi-jointed, monoped runner, Proc. IEEE Int. Conf.
Robotics and Automation (1998), which controls angle and two stiffnesses, for height, speed and duty factor.
"""

import math

import numpy as np

from tarsus.analytic.hybrid import Model
from tarsus.analytic.models import slip
from tarsus.analytic.models.slip import CHARTS, COMPRESSION, DECOMPRESSION, P, Slip

ANGLE, BEFORE, AFTER = 2, 3, 4  # entries of the memory: touchdown angle [rad], factors of the stiffness


def compression(t, x, d, p, dx):
    """The spring before the bottom."""
    slip.push(x, d, p, d[BEFORE], dx)


def decompression(t, x, d, p, dx):
    """The spring after the bottom."""
    slip.push(x, d, p, d[AFTER], dx)


def build(params: Slip | None = None) -> Model:
    """Return SLIP with two springs; it starts at an apex of running, with equal springs."""
    params = params or Slip()
    if not params.q_rt == params.q_rl == params.q_0 or params.g_stance != params.g_flight:
        raise ValueError(
            "q_rt and q_rl must be q_0, and g_stance be g_flight, got "
            f"{params.q_rt}, {params.q_rl}, {params.q_0}, {params.g_stance} and {params.g_flight}"
        )
    state = {"x": 0.0, "y": 1.05 * params.q_0, "xdot": 2.0, "ydot": 0.0}
    memory = {"footx": 0.0, "footy": 0.0, "touchdown_angle": 0.2, "compression": 1.0, "decompression": 1.0}
    made = dict(charts=CHARTS, start="descent", angles={"touchdown_angle": math.pi})
    model = Model("deadbeat_slip", state=state, memory=memory, params=params, **made)
    model.field("ascent", "descent")(slip.flight)
    model.field("compression")(compression)
    model.field("decompression")(decompression)
    slip.add_events(model)
    return model


def energy(p: np.ndarray, x: np.ndarray, d: np.ndarray, chart: np.ndarray) -> np.ndarray:
    """Return the total mechanical energy [J] of states (m, 4) with memory (m, 5) and charts (m,), shape (m,).

    It is constant but for the jump at the bottom, `gain`.
    """
    x, d, chart = np.atleast_2d(x), np.atleast_2d(d), np.atleast_1d(chart)
    factor = np.select([chart == COMPRESSION, chart == DECOMPRESSION], [d[:, BEFORE], d[:, AFTER]])
    q = np.hypot(x[:, 0] - d[:, 0], x[:, 1] - d[:, 1])
    stored = [f * slip.spring_potential(p, qi) if f else 0.0 for f, qi in zip(factor, q, strict=True)]
    kinetic = 0.5 * p[P.body_mass] * (x[:, 2] ** 2 + x[:, 3] ** 2)
    return kinetic + p[P.body_mass] * p[P.g_flight] * x[:, 1] + np.array(stored)


def gain(p: np.ndarray, x: np.ndarray, d: np.ndarray) -> float:
    """Return the energy that the change of springs adds at a bottom (n,), (5,) [J]."""
    return (d[AFTER] - d[BEFORE]) * slip.spring_potential(p, math.hypot(x[0] - d[0], x[1] - d[1]))
