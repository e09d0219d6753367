"""A ball on a table that moves as a sine: the simplest chaotic impacts.

Units of time and gravity are 1 / omega and g: with the table's height amplitude sin(phase), amplitude = A omega^2 / g.
State x = (height, velocity, phase); chart: flight; event: impact, after which the velocity relative to the table is
-restitution times what it was. The phase is a state, so that derivatives move it.

Invariant: an impact changes volumes of (height, velocity, phase) by restitution^2, flight does not: the sum of the
Lyapunov exponents is 2 ln(restitution) per impact.

Source: Guckenheimer & Holmes, Nonlinear Oscillations (1983), section 2.4, there with a table whose height is neglected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.hybrid import Model, indices


@dataclass(frozen=True)
class TableBall:
    """Parameters.

    Raises:
        ValueError: If the restitution is not in (0, 1], or the amplitude is negative.
    """

    restitution: float = 0.8
    amplitude: float = 10.0  # of the table's acceleration, over gravity

    def __post_init__(self) -> None:
        if not 0 < self.restitution <= 1:
            raise ValueError(f"restitution must lie in (0, 1], got {self.restitution}")
        if not self.amplitude >= 0:
            raise ValueError(f"amplitude must not be negative, got {self.amplitude} m")


P = indices(TableBall)


def start(phase: float, velocity: float, params: TableBall | None = None) -> np.ndarray:
    """Return the state of a ball that leaves the table at a phase [rad], shape (3,)."""
    return np.array([(params or TableBall()).amplitude * math.sin(phase), velocity, phase])


def wrap(x: np.ndarray) -> np.ndarray:
    """Return the state with its phase between 0 and 2 pi."""
    return np.array([x[0], x[1], x[2] % (2.0 * math.pi)])


def build(params: TableBall | None = None) -> Model:
    """Return the model."""
    model = Model(
        "table_ball",
        state={"height": 0.0, "velocity": 5.0, "phase": 0.0},
        params=params or TableBall(),
        charts=["flight"],
    )

    @model.field("flight")
    def fall(t, x, d, p, dx):
        dx[0], dx[1], dx[2] = x[1], -1.0, 1.0

    @model.guard("flight", to="flight")
    def impact(t, x, d, p):
        return x[0] - p[P.amplitude] * math.sin(x[2])

    @model.reset("impact")
    def bounce(t, x, d, p):
        table = p[P.amplitude] * math.cos(x[2])
        x[1] = table - p[P.restitution] * (x[1] - table)

    return model
