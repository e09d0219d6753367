"""The simplest walker: two straight massless legs, a mass at the hip and infinitely light feet, on a slope.

State x = (theta, phi, and their rates): the stance leg's angle from the normal of the slope, positive before it has
passed it (it falls from theta > 0 to -theta), and the angle from the stance leg back to the swing leg. The swing foot
is at the height cos(theta) - cos(phi - theta) of the ground. Units: leg length, hip mass, gravity are 1. One chart,
swing. Event: heelstrike; then the legs change roles.

Lagrange's equations of hip M and feet m, in the limit m / M = 0: the swing leg does not move the hip, and swings as a
pendulum whose pivot is accelerated,

    theta'' = sin(theta - gamma),
    phi'' = theta'' + theta'^2 sin(phi) - cos(theta - gamma) sin(phi).

At heelstrike phi = 2 theta. An impulse along the new stance leg, none along the old one's normal: the angular momentum
of the whole about the new foot and that of the old stance leg about the hip are kept, so that

    theta+ = -theta,  phi+ = -2 theta,  theta'+ = cos(2 theta) theta',  phi'+ = cos(2 theta) (1 - cos(2 theta)) theta'.

Straight legs scuff in mid-stance, where the swing leg passes the stance leg; as in the source this is ignored, and the
foot strikes only where it comes down ahead, theta < 0. Just after heelstrike theta and its rate give the rest: `lift`.

Invariant: `energy`, the hip's, is constant between heelstrikes.

Source: Garcia, Chatterjee, Ruina & Coleman, The simplest walking model: stability, complexity, and scaling,
J. Biomechanical Engineering 120 (1998), equations 1 to 4; its numbers to more digits: Bhounsule, Numerical accuracy of
two benchmark models of walking, Dynamics of Continuous, Discrete and Impulsive Systems B 21 (2014).
"""

import math
from dataclasses import dataclass

import numpy as np

from ..finite import check_angle
from ..hybrid import DECLINE, Model, indices

SWING = 0
# Fixed points (theta, its rate) at the slope .009, from the sources' tables.
LONG = 0.2003109, -0.19983247
SHORT = 0.19393737, -0.20386693


@dataclass(frozen=True)
class SimplestWalker:
    """The one parameter of the simplest walker.

    Raises:
        ValueError: If the slope is not between -pi/2 and pi/2.
    """

    slope: float = 0.009  # gamma, positive downhill [rad]

    def __post_init__(self) -> None:
        check_angle("slope", self.slope, -math.pi / 2, math.pi / 2)


P = indices(SimplestWalker)


def swing(t, x, d, p, dx):
    """The stance leg falls, the swing leg follows."""
    fall = math.sin(x[0] - p[P.slope])
    dx[0] = x[2]
    dx[1] = x[3]
    dx[2] = fall
    dx[3] = fall + math.sin(x[1]) * (x[2] * x[2] - math.cos(x[0] - p[P.slope]))


def change_legs(t, x, d, p):
    """Heelstrike: the swing leg becomes the stance leg."""
    c = math.cos(2.0 * x[0])
    x[0] = -x[0]
    x[1] = 2.0 * x[0]
    x[2] = c * x[2]
    x[3] = (1.0 - c) * x[2]
    d[0] += 1.0


def build(params: SimplestWalker | None = None) -> Model:
    """Return the simplest walker, which starts with the longer of its two gaits at the slope .009."""
    x, _ = lift(np.array(LONG))
    state, params = dict(zip(("theta", "phi", "theta_rate", "phi_rate"), x, strict=True)), params or SimplestWalker()
    model = Model("simplest_walker", state=state, memory={"steps": 0.0}, params=params, charts=("swing",))
    model.field("swing")(swing)

    # Positive while the swing leg is ahead of where it would touch; in the first half of a step it is behind.
    @model.guard("swing", on_entry="ignore")
    def heelstrike(t, x, d, p):
        return 2.0 * x[0] - x[1]

    @model.on("heelstrike")
    def strike(t, x, d, p):
        if x[0] >= 0.0:
            return DECLINE  # the foot comes up behind, out of the ground it has scuffed
        change_legs(t, x, d, p)
        return SWING

    @model.guard("swing", invalid=True)
    def fall(t, x, d, p):
        return math.cos(x[0] - p[P.slope])

    return model


def lift(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return state (4,) and memory (1,) just after a heelstrike, from z = (theta, its rate)."""
    return np.array([z[0], 2.0 * z[0], z[1], (1.0 - math.cos(2.0 * z[0])) * z[1]]), np.zeros(1)


def project(x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return z = (theta, its rate) of a state just after a heelstrike, shape (2,): the inverse of `lift`."""
    return np.array([x[0], x[2]])


def energy(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the hip's energy above the foot, in units of M g l, of states (m, 4), shape (m,)."""
    x = np.atleast_2d(x)
    return 0.5 * x[:, 2] ** 2 + np.cos(x[:, 0] - p[P.slope])
