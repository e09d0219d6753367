"""A block on a spring, dragged by a belt through dry friction: it sticks, slides, and sticks again.

State x = (position [m], velocity [m/s]). Charts: ahead (faster than the belt), behind (slower), stuck (with it).
The surface is velocity = belt speed; sticking is Filippov's sliding on it, which ends when the spring (and the force
that shakes the block) exceed the friction limit.

Invariants: stuck, the velocity is the belt's; sliding without shaking, `sliding_energy` is constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.hybrid import Model, indices

AHEAD, BEHIND, STUCK = range(3)


@dataclass(frozen=True)
class DryFriction:
    """Parameters of the block, the belt and the force that shakes the block.

    Raises:
        ValueError: If mass, stiffness or friction is not positive.
    """

    mass: float = 1.0  # [kg]
    stiffness: float = 1.0  # [N/m]
    friction: float = 0.5  # limit and sliding force, mu times load [N]
    belt_speed: float = 0.3  # [m/s]
    amplitude: float = 0.0  # of the shaking force [N]
    frequency: float = 1.0  # of the shaking force [rad/s]

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "friction"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


P = indices(DryFriction)


def load(t, x, p):
    """Return the force on the block without friction [N]."""
    return -p[P.stiffness] * x[0] + p[P.amplitude] * math.cos(p[P.frequency] * t)


def first_chart(t, x, d, p):
    """Return the chart of the initial state."""
    excess = x[1] - p[P.belt_speed]
    if excess == 0.0:
        force = load(t, x, p)
        if abs(force) < p[P.friction]:
            return STUCK
        return AHEAD if force > 0.0 else BEHIND
    return AHEAD if excess > 0.0 else BEHIND


def build(params: DryFriction | None = None) -> Model:
    """Return the dry-friction oscillator."""
    model = Model(
        "dry_friction",
        state={"position": 0.0, "velocity": 0.0},
        params=params or DryFriction(),
        charts=("ahead", "behind", "stuck"),
    )

    @model.field("ahead")
    def held_back(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = (load(t, x, p) - p[P.friction]) / p[P.mass]

    @model.field("behind")
    def dragged(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = (load(t, x, p) + p[P.friction]) / p[P.mass]

    @model.surface("ahead", "behind", slide="stuck")
    def excess(t, x, d, p):
        return x[1] - p[P.belt_speed]

    model.initial(first_chart)
    return model


def sliding_energy(p: np.ndarray, x: np.ndarray, chart: np.ndarray) -> np.ndarray:
    """Return the energy about the equilibrium shifted by friction [J]: states (m, 2), charts (m,) to shape (m,)."""
    x, chart = np.atleast_2d(x), np.atleast_1d(chart)
    shift = np.where(chart == AHEAD, -1.0, 1.0) * p[P.friction] / p[P.stiffness]
    return 0.5 * p[P.mass] * x[:, 1] ** 2 + 0.5 * p[P.stiffness] * (x[:, 0] - shift) ** 2
