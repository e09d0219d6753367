"""A pendulum that swings against a wall: impacts accumulate where gravity holds it there.

State x = (angle from straight down [rad], rate [rad/s]). Charts: free (angle > wall), leaning. Event: impact.
Invariant: without damping `energy` is constant between impacts and its kinetic part falls by e^2 at each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.hybrid import Model, indices

FREE, LEANING = range(2)


@dataclass(frozen=True)
class PendulumWall:
    """Parameters of the pendulum and the wall.

    Raises:
        ValueError: If a value is out of its range.
    """

    gravity: float = 9.81  # [m/s^2], positive
    length: float = 1.0  # [m]
    damping: float = 0.0  # [1/s]
    wall_angle: float = 0.2  # the wall lies at this angle [rad]; above 0 gravity presses the pendulum against it
    restitution: float = 0.6  # rate after an impact over rate before

    def __post_init__(self) -> None:
        for name in ("gravity", "length"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not self.damping >= 0:
            raise ValueError(f"damping must not be negative, got {self.damping}")
        if not 0 <= self.restitution <= 1:
            raise ValueError(f"restitution must lie in [0, 1], got {self.restitution}")


P = indices(PendulumWall)


def build(params: PendulumWall | None = None) -> Model:
    """Return the pendulum; behind the limit of the impacts it leans on the wall, if gravity holds it there."""
    model = Model(
        "pendulum_wall",
        state={"angle": 1.0, "rate": 0.0},
        params=params or PendulumWall(),
        charts=("free", "leaning"),
    )

    @model.field("free")
    def swing(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -p[P.gravity] / p[P.length] * math.sin(x[0]) - p[P.damping] * x[1]

    @model.field("leaning")
    def lean(t, x, d, p, dx):
        dx[0] = 0.0
        dx[1] = 0.0

    @model.guard("free", to="free", target="wall_angle")
    def impact(t, x, d, p):
        return x[0]

    @model.reset("impact")
    def bounce(t, x, d, p):
        x[0] = p[P.wall_angle]
        x[1] = -p[P.restitution] * x[1]

    @model.after_zeno
    def come_to_lean(t, x, d, p, chart):
        x[0] = p[P.wall_angle]
        x[1] = 0.0
        return LEANING

    return model


def energy(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the energy per moment of inertia [1/s^2] of states (m, 2), shape (m,)."""
    x = np.atleast_2d(x)
    return 0.5 * x[:, 1] ** 2 - p[P.gravity] / p[P.length] * np.cos(x[:, 0])
