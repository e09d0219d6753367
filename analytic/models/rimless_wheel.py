"""The rimless wheel: spokes without a rim, all mass at the hub; down a slope it falls from spoke to spoke.

State x = (angle of the stance spoke from the vertical, positive downhill [rad], its rate [rad/s]); memory d = (steps,),
downhill ones less uphill ones. Charts: stance, double_support (at rest on two spokes,
where rocking from one to the other has died out). Events: step_down, step_up.

With spokes 2 alpha apart on a slope gamma, a spoke stands from gamma - alpha to gamma + alpha and swings as an inverted
pendulum, theta'' = (g / l) sin(theta). The next spoke strikes without sliding or rebound, and the last one leaves: the
angular momentum about the new foot is kept, hence rate+ = rate- cos(2 alpha). Between two impacts downhill the energy
gives rate-^2 = rate+^2 + 4 (g / l) sin(alpha) sin(gamma), and the return map of the squared rate is linear:

    w' = cos^2(2 alpha) (w + 4 (g / l) sin(alpha) sin(gamma)),    w = rate+^2.

Its multiplier is cos^2(2 alpha), at any slope. Invariant: `energy` is constant between impacts.

Source: McGeer, Passive dynamic walking, IJRR 9 (1990), section 2; Coleman, Dynamics and Stability of a Rimless Spoked
Wheel, Dynamical Systems 25 (2010).
"""

import math
from dataclasses import dataclass

import numpy as np

from ..finite import check_angle, check_signs
from ..hybrid import Model, indices

STANCE, DOUBLE_SUPPORT = range(2)
# Rocking between two spokes dies out in infinitely many impacts (Zeno), of which each guard sees every other one. It
# is over where the squared rate is below this share of g / l: 3e-6 of the rate at which the wheel falls.
REST_ENERGY = 1e-11


@dataclass(frozen=True)
class RimlessWheel:
    """Parameters of the rimless wheel.

    Raises:
        ValueError: If a value is out of its range, or there are fewer than five spokes.
    """

    gravity: float = 9.81  # [m/s^2], positive
    length: float = 1.0  # of a spoke [m]
    spokes: float = 8.0  # how many; half the angle between two is alpha = pi / spokes
    slope: float = 0.08  # gamma, positive downhill [rad]

    def __post_init__(self) -> None:
        check_signs(self, ("gravity", "length"))
        if self.spokes != int(self.spokes) or self.spokes < 5:
            raise ValueError(f"spokes must be a whole number, 5 or more, got {self.spokes}: with four the wheel stops")
        check_angle("slope", self.slope, -math.pi / 2, math.pi / 2)


P = indices(RimlessWheel)


def half_angle(p: np.ndarray) -> float:
    """Return alpha, half the angle between two spokes [rad]; p, here and below, has shape (n_params,)."""
    return math.pi / p[P.spokes]


def stance(t, x, d, p, dx):
    """An inverted pendulum."""
    dx[0] = x[1]
    dx[1] = p[P.gravity] / p[P.length] * math.sin(x[0])


def change_spokes(x, d, p, side):
    """Impact: write the state on the new spoke, on the `side` of the slope's normal, and return the next chart."""
    x[0] = p[P.slope] + side * half_angle(p)
    x[1] *= math.cos(2.0 * half_angle(p))
    d[0] -= side
    slow = x[1] * x[1] < REST_ENERGY * p[P.gravity] / p[P.length]
    if slow and abs(p[P.slope]) < half_angle(p):
        x[1] = 0.0
        return DOUBLE_SUPPORT
    return STANCE


def build(params: RimlessWheel | None = None) -> Model:
    """Return the rimless wheel, which starts near its rolling motion, just after an impact downhill."""
    params = params or RimlessWheel()
    alpha = math.pi / params.spokes
    state, charts = {"angle": params.slope - alpha, "rate": 1.1}, ("stance", "double_support")
    model = Model("rimless_wheel", state=state, memory={"steps": 0.0}, params=params, charts=charts)
    model.field("stance")(stance)

    @model.field("double_support")
    def rest(t, x, d, p, dx):
        dx[0] = 0.0
        dx[1] = 0.0

    @model.guard("stance")
    def step_down(t, x, d, p):
        return p[P.slope] + half_angle(p) - x[0]

    @model.guard("stance")
    def step_up(t, x, d, p):
        return x[0] - p[P.slope] + half_angle(p)

    @model.on("step_down")
    def onto_the_next(t, x, d, p):
        return change_spokes(x, d, p, -1.0)

    @model.on("step_up")
    def back_onto_the_last(t, x, d, p):
        return change_spokes(x, d, p, 1.0)

    return model


def energy(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the energy per mass above the foot [J/kg] of states (m, 2), shape (m,)."""
    x = np.atleast_2d(x)
    return 0.5 * (p[P.length] * x[:, 1]) ** 2 + p[P.gravity] * p[P.length] * np.cos(x[:, 0])


def multiplier(p: np.ndarray) -> float:
    """Return the multiplier of rolling, cos^2(2 alpha), for parameters of shape (n_params,)."""
    return math.cos(2.0 * half_angle(p)) ** 2


def rolling_rate(p: np.ndarray) -> float:
    """Return the rate just after an impact when rolling downhill steadily [rad/s]; NaN where the wheel cannot roll on.

    It can if the hub passes over the foot: rate^2 > 2 (g / l) (1 - cos(gamma - alpha)) where gamma < alpha.
    """
    alpha, slope, g_l = half_angle(p), p[P.slope], p[P.gravity] / p[P.length]
    w = 4.0 * g_l * math.sin(alpha) * math.sin(slope) * multiplier(p) / (1.0 - multiplier(p))
    top = 2.0 * g_l * (1.0 - math.cos(slope - alpha)) if slope < alpha else 0.0
    return math.sqrt(w) if w > top else math.nan
