"""A ball that bounces on the floor and comes to rest in finite time after infinitely many bounces (Zeno).

State x = (height [m], velocity [m/s]); memory d = (bounces,). Charts: flight, rest. Event: impact.
Invariant: `energy` is constant in flight and falls by the factor e^2 at every impact.
"""

from dataclasses import dataclass

import numpy as np

from ..hybrid import Model, indices

FLIGHT, REST = range(2)


@dataclass(frozen=True)
class BouncingBall:
    """Parameters of the bouncing ball.

    Raises:
        ValueError: If gravity is not positive, or restitution not in [0, 1].
    """

    gravity: float = 9.81  # [m/s^2], positive
    restitution: float = 0.5  # speed after an impact over speed before

    def __post_init__(self) -> None:
        if not self.gravity > 0:
            raise ValueError(f"gravity must be positive, got {self.gravity} m/s^2")
        if not 0 <= self.restitution <= 1:
            raise ValueError(f"restitution must lie in [0, 1], got {self.restitution}")


P = indices(BouncingBall)


def build(params: BouncingBall | None = None, rests: bool = True) -> Model:
    """Return the bouncing ball.

    Args:
        params: Defaults of the parameters.
        rests: Whether the run continues in chart "rest" after the limit of the impacts; else it ends there (ZENO).
    """
    state, charts, params = {"height": 1.0, "velocity": 0.0}, ("flight", "rest"), params or BouncingBall()
    model = Model("bouncing_ball", state=state, memory={"bounces": 0.0}, params=params, charts=charts)

    @model.field("flight")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -p[P.gravity]

    @model.field("rest")
    def rest(t, x, d, p, dx):
        dx[0] = 0.0
        dx[1] = 0.0

    @model.guard("flight", to="flight")
    def impact(t, x, d, p):
        return x[0]

    @model.reset("impact")
    def bounce(t, x, d, p):
        x[0] = 0.0
        x[1] = -p[P.restitution] * x[1]
        d[0] += 1.0

    if rests:

        @model.after_zeno
        def lie_down(t, x, d, p, chart):
            x[0] = 0.0
            x[1] = 0.0
            return REST

    return model


def energy(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the energy per mass [J/kg] of states (m, 2), shape (m,)."""
    x = np.atleast_2d(x)
    return 0.5 * x[:, 1] ** 2 + p[P.gravity] * x[:, 0]


def impact_times(height: float, p: np.ndarray, n: int) -> np.ndarray:
    """Return the exact times of the first `n` impacts of a ball dropped from rest [s], shape (n,)."""
    fall = np.sqrt(2.0 * height / p[P.gravity])
    return fall * (1.0 + 2.0 * np.cumsum(np.append(0.0, p[P.restitution] ** np.arange(1, n))))


def rest_time(height: float, p: np.ndarray) -> float:
    """Return the time of infinitely many bounces of a ball dropped from rest [s]; p has shape (n_params,), e < 1."""
    e = p[P.restitution]
    return float(np.sqrt(2.0 * height / p[P.gravity]) * (1.0 + e) / (1.0 - e))
