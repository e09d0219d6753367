"""The compass gait: two straight legs with masses, hinged at a heavy hip, walk down a slope without motors.

State x = (stance, swing, and their rates): angles of the legs from the vertical, positive where the hip is ahead of the
leg's foot [rad, rad/s]; the walker goes downhill, along x. Memory d = (steps,). One chart, swing. Event: heelstrike;
then the legs change roles. With hip and leg directions e(angle) = (sin, cos), the stance foot at the origin,

    leg masses at a e(stance) and l e(stance) - b e(swing),    hip at l e(stance),    l = a + b,

Lagrange's equations are, with s, n the two angles and A = m a^2 + (m_H + m) l^2,

    A s'' - m l b cos(s - n) n'' = m l b sin(s - n) n'^2 + g (m a + (m_H + m) l) sin(s)
    m b^2 n'' - m l b cos(s - n) s'' = -m l b sin(s - n) s'^2 - g m b sin(n).

The swing foot is on the slope where s + n = 2 gamma. It strikes without sliding or rebound and the stance foot leaves:
the angular momentum of the whole about the new foot is kept, and that of the old stance leg about the hip. Straight
legs scuff in mid-stance, where s = n; as in the source this is ignored, and the foot strikes only where it comes down
ahead.

Invariant: `energy` is constant between heelstrikes.

Source: Goswami, Thuilot & Espiau, A study of the passive gait of a compass-like biped robot: symmetry and chaos,
IJRR 17 (1998); their report INRIA RR-2996 (1996) has the derivation.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..finite import check_angle, check_signs
from ..hybrid import DECLINE, Model, indices

SWING = 0
START = (-0.2187, 1.092, 0.377)  # near the gait at a slope of 3 degrees: see `lift`


@dataclass(frozen=True)
class CompassGait:
    """Parameters of the compass gait, with the source's values.

    Raises:
        ValueError: If a value is not positive, or the slope not between -pi/2 and pi/2.
    """

    gravity: float = 9.81  # [m/s^2], positive
    hip_mass: float = 10.0  # m_H [kg]
    leg_mass: float = 5.0  # m, of each leg [kg]
    below: float = 0.5  # a, from the foot to the leg's mass [m]
    above: float = 0.5  # b, from the leg's mass to the hip [m]
    slope: float = math.radians(3.0)  # gamma, positive downhill [rad]

    def __post_init__(self) -> None:
        check_signs(self, ("gravity", "hip_mass", "leg_mass", "below", "above"))
        check_angle("slope", self.slope, -math.pi / 2, math.pi / 2)


P = indices(CompassGait)


def swing(t, x, d, p, dx):
    """Both legs swing about the stance foot."""
    m, a, b, g = p[P.leg_mass], p[P.below], p[P.above], p[P.gravity]
    both, bend = m + p[P.hip_mass], m * (a + b) * b
    c, s = math.cos(x[0] - x[1]), math.sin(x[0] - x[1])
    about_foot = m * a * a + both * (a + b) * (a + b)
    on_stance = bend * s * x[3] * x[3] + g * (m * a + both * (a + b)) * math.sin(x[0])
    on_swing = -bend * s * x[2] * x[2] - g * m * b * math.sin(x[1])
    determinant = about_foot * m * b * b - bend * c * bend * c
    dx[0], dx[1] = x[2], x[3]
    dx[2] = (m * b * b * on_stance + bend * c * on_swing) / determinant
    dx[3] = (bend * c * on_stance + about_foot * on_swing) / determinant


def change_legs(t, x, d, p):
    """Heelstrike: the angular momenta about the new foot, and of the old stance leg about the hip, are kept."""
    m, m_hip, a, b = p[P.leg_mass], p[P.hip_mass], p[P.below], p[P.above]
    length, c = a + b, math.cos(x[0] - x[1])
    about_foot = ((m_hip * length + 2.0 * m * a) * length * c - m * a * b) * x[2] - m * a * b * x[3]
    # The old stance leg's rate is (l c new - a old) / b, which leaves one equation for the new stance leg's rate.
    arm = m * (b - length * c)
    inertia = m * length * (length - b * c) + m * a * a + m_hip * length * length + arm * length * c
    new = (about_foot + arm * a * x[2]) / inertia
    x[3] = (length * c * new - a * x[2]) / b
    x[2] = new
    x[0], x[1] = x[1], x[0]
    d[0] += 1.0


def build(params: CompassGait | None = None) -> Model:
    """Return the compass gait, which starts near the gait at a slope of 3 degrees, just after a heelstrike."""
    params = params or CompassGait()
    x, _ = lift(np.array(START), params.slope)
    state = dict(zip(("stance", "swing", "stance_rate", "swing_rate"), x, strict=True))
    model = Model("compass_gait", state=state, memory={"steps": 0.0}, params=params, charts=("swing",))
    model.field("swing")(swing)

    # Positive while the swing leg is ahead of where it would touch; in the first half of a step it is behind.
    @model.guard("swing", on_entry="ignore")
    def heelstrike(t, x, d, p):
        return 2.0 * p[P.slope] - x[0] - x[1]

    @model.on("heelstrike")
    def strike(t, x, d, p):
        if x[0] <= p[P.slope]:
            return DECLINE  # the foot comes up behind, out of the ground it has scuffed
        change_legs(t, x, d, p)
        return SWING

    @model.guard("swing", invalid=True)
    def fall(t, x, d, p):
        return math.cos(x[0])

    return model


def lift(z: np.ndarray, slope: float) -> tuple[np.ndarray, np.ndarray]:
    """Return state (4,) and memory (1,) just after a heelstrike, from z = (stance angle, stance rate, swing rate)."""
    return np.array([z[0], 2.0 * slope - z[0], z[1], z[2]]), np.zeros(1)


def project(x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return z of a state just after a heelstrike, shape (3,): the inverse of `lift`."""
    return np.array([x[0], x[2], x[3]])


def energy(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the energy above the stance foot [J] of states (m, 4), shape (m,)."""
    x = np.atleast_2d(x)
    m, a, b, length = p[P.leg_mass], p[P.below], p[P.above], p[P.below] + p[P.above]
    both = m + p[P.hip_mass]
    kinetic = 0.5 * (m * a * a + both * length**2) * x[:, 2] ** 2 + 0.5 * m * b * b * x[:, 3] ** 2
    kinetic -= m * length * b * np.cos(x[:, 0] - x[:, 1]) * x[:, 2] * x[:, 3]
    return kinetic + p[P.gravity] * ((m * a + both * length) * np.cos(x[:, 0]) - m * b * np.cos(x[:, 1]))
