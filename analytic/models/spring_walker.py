"""The bipedal spring-mass model: a point mass on two massless springs, which walks and runs.

State x = (x, y, xdot, ydot) of the mass [m, m/s]; memory d = (foot, behind, steps): the x of the foot on the ground, or
of the one ahead if both are; of the one behind; and how many feet were set down. Charts: flight, single, double.
Events: landing (flight to single), touchdown (single to double), liftoff (single to flight), rear_liftoff and
front_liftoff (double to single), upright (in single: the mass passes over its foot; a section); fall.

A leg pushes with k (l_0 - l) along itself. The leg in the air points down ahead at the angle of attack alpha from the
ground: its foot touches where y falls through l_0 sin(alpha), l_0 cos(alpha) ahead of the mass. A leg lifts off when
it has its rest length again. There is no foot to swing: nothing is lost, and nothing controlled but the angle.

Invariant: `energy` is constant along every trajectory, events included.

Source: Geyer, Seyfarth & Blickhan, Compliant leg behaviour explains basic dynamics of walking and running, Proc. Royal
Society B 273 (2006). The section upright: Rummel, Blum & Seyfarth, Robust and efficient walking with spring-like legs,
Bioinspiration & Biomimetics 5 (2010).
"""

import math
from dataclasses import dataclass

import numpy as np

from ..finite import check_angle, check_signs
from ..hybrid import Model, indices

CHARTS = ("flight", "single", "double")
FLIGHT, SINGLE, DOUBLE = range(3)
WALKING_ENERGY = 816.0  # of the source's example of walking, with the default parameters [J]


@dataclass(frozen=True)
class SpringWalker:
    """Parameters of the bipedal spring-mass model, with the source's example of walking.

    Raises:
        ValueError: If a value is not positive, or the angle of attack not between 0 and pi/2.
    """

    mass: float = 80.0  # [kg]
    gravity: float = 9.81  # [m/s^2], positive
    rest_length: float = 1.0  # of a leg, l_0 [m]
    stiffness: float = 14e3  # of a leg [N/m]
    attack_angle: float = math.radians(69.0)  # alpha, of the leg in the air from the ground [rad]

    def __post_init__(self) -> None:
        check_signs(self, ("mass", "gravity", "rest_length", "stiffness"))
        check_angle("attack_angle", self.attack_angle, 0.0, math.pi / 2)


P = indices(SpringWalker)


def leg_length(x, foot):
    """Return the distance of the mass from a foot [m]."""
    return math.sqrt((x[0] - foot) * (x[0] - foot) + x[1] * x[1])


def push(x, foot, p, dx):
    """Add a leg's acceleration of the mass."""
    length = leg_length(x, foot)
    share = p[P.stiffness] / p[P.mass] * (p[P.rest_length] - length) / length
    dx[2] += share * (x[0] - foot)
    dx[3] += share * x[1]


def flight(t, x, d, p, dx):
    """Ballistic flight."""
    dx[0], dx[1], dx[2], dx[3] = x[2], x[3], 0.0, -p[P.gravity]


def single(t, x, d, p, dx):
    """One leg pushes."""
    flight(t, x, d, p, dx)
    push(x, d[0], p, dx)


def double(t, x, d, p, dx):
    """Both legs push."""
    single(t, x, d, p, dx)
    push(x, d[1], p, dx)


def clearance(t, x, d, p):
    """Return the height of the foot in the air [m]."""
    return x[1] - p[P.rest_length] * math.sin(p[P.attack_angle])


def set_down(t, x, d, p):
    """The foot in the air is set down ahead; the one on the ground, if any, is the one behind."""
    d[1] = d[0]
    d[0] = x[0] + p[P.rest_length] * math.cos(p[P.attack_angle])
    d[2] += 1.0


def build(params: SpringWalker | None = None) -> Model:
    """Return the bipedal spring-mass model, which starts upright on one leg, walking as in the source's example."""
    params = params or SpringWalker()
    state, memory = {"x": 0.0, "y": 0.97, "xdot": 1.1, "ydot": 0.0}, {"foot": 0.0, "behind": 0.0, "steps": 0.0}
    model = Model("spring_walker", state=state, memory=memory, params=params, charts=CHARTS, start="single")
    model.field("flight")(flight)
    model.field("single")(single)
    model.field("double")(double)
    _add_contacts(model)

    @model.guard("single", to="single", on_entry="ignore")
    def upright(t, x, d, p):
        return d[0] - x[0]

    @model.guard(*CHARTS, invalid=True)
    def fall(t, x, d, p):
        return x[1]

    return model


def _add_contacts(model: Model) -> None:
    # Below its height of touchdown the leg in the air folds out of the way, as it does in the stance of running.
    model.guard("flight", to="single", on_entry="ignore", name="landing")(clearance)
    model.guard("single", to="double", on_entry="ignore", name="touchdown")(clearance)
    model.reset("landing")(set_down)
    model.reset("touchdown")(set_down)

    @model.guard("single", to="flight")
    def liftoff(t, x, d, p):
        return p[P.rest_length] - leg_length(x, d[0])

    @model.guard("double", to="single")
    def rear_liftoff(t, x, d, p):
        return p[P.rest_length] - leg_length(x, d[1])

    @model.guard("double", to="single")
    def front_liftoff(t, x, d, p):
        return p[P.rest_length] - leg_length(x, d[0])

    @model.reset("front_liftoff")
    def stay_behind(t, x, d, p):
        d[0] = d[1]


def lift(z: np.ndarray, energy: float, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return state (4,) and memory (3,) upright on one leg, NaN where the energy does not suffice for the height.

    Args:
        z: (height [m], angle of the velocity above the horizon [rad]).
        energy: The total [J].
        p: Parameters, shape (n_params,).
    """
    stored = 0.5 * p[P.stiffness] * (p[P.rest_length] - z[0]) ** 2 + p[P.mass] * p[P.gravity] * z[0]
    speed2 = 2.0 * (energy - stored) / p[P.mass]
    speed = math.sqrt(speed2) if speed2 > 0.0 else math.nan
    return np.array([0.0, z[0], speed * math.cos(z[1]), speed * math.sin(z[1])]), np.zeros(3)


def project(x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return z of a state upright on one leg, shape (2,): the inverse of `lift`."""
    return np.array([x[1], math.atan2(x[3], x[2])])


def ground_forces(p: np.ndarray, x: np.ndarray, d: np.ndarray, chart: np.ndarray) -> np.ndarray:
    """Return the forces of the ground on both feet, that of `foot` first, shape (m, 2 feet, 2) [N]."""
    x, d, chart = np.atleast_2d(x), np.atleast_2d(d), np.atleast_1d(chart)
    leg = np.stack([x[:, None, 0] - d[:, :2], np.repeat(x[:, 1:2], 2, axis=1)], axis=-1)  # (m, 2, 2)
    length = np.linalg.norm(leg, axis=-1, keepdims=True)
    loaded = np.stack([chart != FLIGHT, chart == DOUBLE], axis=-1)[..., None]
    return np.where(loaded, p[P.stiffness] * (p[P.rest_length] - length) * leg / length, 0.0)


def energy(p: np.ndarray, x: np.ndarray, d: np.ndarray, chart: np.ndarray) -> np.ndarray:
    """Return the total mechanical energy [J] of states (m, 4) with memory (m, 3) and charts (m,), shape (m,)."""
    x = np.atleast_2d(x)
    force = np.linalg.norm(ground_forces(p, x, d, chart), axis=-1)  # (m, 2)
    stored = 0.5 * np.sum(force**2, axis=-1) / p[P.stiffness]
    return 0.5 * p[P.mass] * (x[:, 2] ** 2 + x[:, 3] ** 2) + p[P.mass] * p[P.gravity] * x[:, 1] + stored
