"""SLIP through n planned strides: each has a touchdown angle and a stiffness before and after the bottom.

State x = (x, y, xdot, ydot) as in `slip`; memory d = (footx, footy, stride, compressed_0, ...): how many apexes were
passed, and the energy that each stride's spring held at its bottom, at the stiffness k [J]. Charts and events are those
of `slip`, from apex to apex. The plan is in the parameters: angle_0, ... [rad], before_0, ... and after_0, ... (factors
of k); behind the last stride its controls stay.

Invariant: a stride adds (after - before) times its `compressed` to the energy.
Outputs: effort_0, ...: what each number of the plan differs from the nominal one, angles first, times a root of its
weight.
"""

import math

import numpy as np

from ..hybrid import Model
from ..hybrid.names import items
from . import slip
from .slip import CHARTS, P, Slip

STRIDE, COMPRESSED = 2, 3  # entries of the memory
ANGLE_WEIGHT = 4.0  # of a squared change of an angle [1/rad^2]; 1 for that of a factor
NOMINAL_ANGLE = 0.3  # [rad]


def decisions(n: int) -> list[str]:
    """Return the names of the plan's numbers, in the order of the efforts."""
    return [f"{what}_{i}" for what in ("angle", "before", "after") for i in range(n)]


def build(n: int, params: Slip | None = None, angle: float = NOMINAL_ANGLE) -> Model:
    """Return the model; a run starts at an apex, in chart "descent".

    Args:
        n: Strides.
        params: The runner; its spring is unloaded at touchdown and liftoff.
        angle: The nominal touchdown angle [rad]; nominal factors are 1.

    Raises:
        ValueError: If n is not positive, or the spring is loaded at touchdown or liftoff.
    """
    params = params or Slip()
    if n < 1 or int(n) != n:
        raise ValueError(f"n must be a whole number of strides, at least 1, got {n!r}")
    if not params.q_rt == params.q_rl == params.q_0:
        raise ValueError(f"q_rt and q_rl must be q_0, got {params.q_rt}, {params.q_rl} and {params.q_0}")
    first = len(items(params))
    nominal = np.concatenate([np.full(n, float(angle)), np.ones(2 * n)])
    root = np.concatenate([np.full(n, math.sqrt(ANGLE_WEIGHT)), np.ones(2 * n)])
    state = {"x": 0.0, "y": 1.05 * params.q_0, "xdot": 3.0, "ydot": 0.0}
    memory = {"footx": 0.0, "footy": 0.0, "stride": 0.0, "compressed": np.zeros(n)}
    table = items(params) | {"angle": nominal[:n], "before": np.ones(n), "after": np.ones(n)}
    aux = tuple(f"effort_{i}" for i in range(3 * n))
    model = Model("planned_slip", state=state, memory=memory, params=table, charts=CHARTS, aux=aux, start="descent")

    def control(what, d, p):
        """Return the number of the present stride: its angle (0), its factor before (1) or behind (2) the bottom."""
        place = first + what * n
        value = p[place]
        for i in range(1, n):
            if d[STRIDE] > i - 0.5:
                value = p[place + i]
        return value

    @model.field("compression")
    def compression(t, x, d, p, dx):
        slip.push(x, d, p, control(1, d, p), dx)

    @model.field("decompression")
    def decompression(t, x, d, p, dx):
        slip.push(x, d, p, control(2, d, p), dx)

    model.field("ascent", "descent")(slip.flight)
    _add_events(model, control, n)

    @model.aux
    def efforts(t, x, d, p, chart, out):
        for i in range(3 * n):
            out[i] = root[i] * (p[first + i] - nominal[i])

    return model


def _add_events(model: Model, control, n: int) -> None:
    def touchdown(t, x, d, p):
        return x[1] - p[P.q_rt] * math.cos(control(0, d, p))

    def plant(t, x, d, p):
        d[0], d[1] = x[0] + p[P.q_rt] * math.sin(control(0, d, p)), 0.0

    slip.add_events(model, touchdown, plant)

    @model.reset("apex")
    def count(t, x, d, p):
        d[STRIDE] += 1.0

    @model.reset("bottom")
    def note(t, x, d, p):
        energy = slip.spring_potential(p, slip.leg_length(x, d))
        for i in range(n):
            if abs(d[STRIDE] - i) < 0.5:
                d[COMPRESSED + i] = energy
