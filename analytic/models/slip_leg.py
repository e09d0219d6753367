"""The articulated leg that runs like a SLIP: a base that only translates, thigh, shank, point foot, two motors.

State x = (q, v) with q = (x, z, hip, knee) and v its rate: base position in the world [m], z up, joint angles [rad].
Links hang along -z at zero and turn counter-clockwise seen with x to the right and z up: a link at angle a points along
(sin a, -cos a), so that a positive hip angle swings the leg forward; knee < 0 bends it backward as a human's.

The base does not rotate: an unmodelled moment keeps it upright, so angular momentum is not conserved in flight.

This module holds parameters and kinematics; `slip_leg_motion` the equations of motion, `slip_leg_hybrid` the model with
its events.

Source: Hauter, Leitner, Freisinger, Dynamic Locomotion of Simplified Hopping Robots (TUM 2021), II-B; numbers, which
the report does not give, and corrections of its equations: docs/slip_leg.md.
"""

import math
from dataclasses import dataclass, fields, replace

import numpy as np

from ..finite import check_finite, check_signs
from ..hybrid import indices, vector

X, Z, HIP, KNEE = range(4)
NQ = 4


@dataclass(frozen=True)
class SlipLegParams:
    """The leg. The report gives no complete set: these describe a robot of ten kilograms that runs at 2.5 m/s."""

    base_mass: float = 6.0  # [kg]
    thigh_mass: float = 2.4  # [kg]
    shank_mass: float = 1.5  # [kg]
    foot_mass: float = 0.1  # a point [kg]
    thigh_length: float = 0.4  # hip to knee [m]
    shank_length: float = 0.4  # knee to foot [m]
    thigh_com: float = 0.18  # centre of mass below the hip [m]
    shank_com: float = 0.18  # below the knee [m]
    thigh_gyration: float = 0.4 / 12**0.5  # radius of gyration about the centre of mass: a thin rod's [m]
    shank_gyration: float = 0.4 / 12**0.5  # [m]
    g: float = 9.81  # gravity along -z [m/s^2]
    straight: float = 0.03  # bend of the knee below which the leg counts as straight [rad]
    friction: float = (
        1.5  # Coulomb, of the foot in MuJoCo; the gait needs 0.34, and the hybrid model's foot never slides
    )

    def __post_init__(self) -> None:
        check_finite(self)
        check_signs(self, (entry.name for entry in fields(self)))

    @property
    def total_mass(self) -> float:
        """Mass of all parts [kg]."""
        return self.base_mass + self.thigh_mass + self.shank_mass + self.foot_mass

    def scaled(self, factor: float) -> "SlipLegParams":
        """Return the leg with all masses multiplied."""
        masses = ("base_mass", "thigh_mass", "shank_mass", "foot_mass")
        return replace(self, **{name: factor * getattr(self, name) for name in masses})


P = indices(SlipLegParams)


def mass_of(p: np.ndarray) -> float:
    """Return the mass of all parts [kg]."""
    return p[P.base_mass] + p[P.thigh_mass] + p[P.shank_mass] + p[P.foot_mass]


def com_levers(p: np.ndarray) -> tuple[float, float]:
    """Return (a, b): the centre of mass lies at base + a d(hip) + b d(hip + knee), d(angle) = (sin, -cos) [m]."""
    thigh = p[P.thigh_mass] * p[P.thigh_com] + (p[P.shank_mass] + p[P.foot_mass]) * p[P.thigh_length]
    shank = p[P.shank_mass] * p[P.shank_com] + p[P.foot_mass] * p[P.shank_length]
    return thigh / mass_of(p), shank / mass_of(p)


def _point(x: np.ndarray, a: float, b: float, out: np.ndarray) -> None:
    """Write position and velocity (x, z, vx, vz) of base + a d(hip) + b d(hip + knee)."""
    s1, c1 = math.sin(x[HIP]), math.cos(x[HIP])
    s2, c2 = math.sin(x[HIP] + x[KNEE]), math.cos(x[HIP] + x[KNEE])
    w1, w2 = x[NQ + HIP], x[NQ + HIP] + x[NQ + KNEE]
    out[0] = x[X] + a * s1 + b * s2
    out[1] = x[Z] - a * c1 - b * c2
    out[2] = x[NQ + X] + a * c1 * w1 + b * c2 * w2
    out[3] = x[NQ + Z] + a * s1 * w1 + b * s2 * w2


def foot_state(x: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    """Write position [m] and velocity [m/s] of the foot (x, z, vx, vz)."""
    _point(x, p[P.thigh_length], p[P.shank_length], out)


def com_state(x: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    """Write position [m] and velocity [m/s] of the centre of mass (x, z, vx, vz)."""
    a, b = com_levers(p)
    _point(x, a, b, out)


def foot_x(x: np.ndarray, p: np.ndarray) -> float:
    """Return the world's x of the foot [m]."""
    return x[X] + p[P.thigh_length] * math.sin(x[HIP]) + p[P.shank_length] * math.sin(x[HIP] + x[KNEE])


def foot_z(x: np.ndarray, p: np.ndarray) -> float:
    """Return the height of the foot in the world [m]."""
    return x[Z] - p[P.thigh_length] * math.cos(x[HIP]) - p[P.shank_length] * math.cos(x[HIP] + x[KNEE])


def two_link_angles(a: float, b: float, rx: float, rz: float, out: np.ndarray) -> float:
    """Solve a d(hip) + b d(hip + knee) = (rx, rz) with the knee bent backward; write (hip, knee) [rad].

    Returns:
        The cosine of the knee's angle. Beyond +-1 the target is out of reach, and what is written points towards it.
    """
    cosine = (rx * rx + rz * rz - a * a - b * b) / (2.0 * a * b)
    knee = -math.acos(min(max(cosine, -1.0), 1.0))
    out[0] = math.atan2(rx, -rz) - math.atan2(b * math.sin(knee), a + b * math.cos(knee))
    out[1] = knee
    return cosine


def leg_angles(p: np.ndarray, length: float, angle_of_attack: float, out: np.ndarray) -> float:
    """Write the joint angles (hip, knee) [rad] that put the foot at `length` from the centre of mass.

    The foot is then ahead of the centre of mass by length cos(angle) and below it by length sin(angle). Moving the leg
    moves the centre of mass (report, erratum 9): foot and centre of mass differ by a two-link leg of shorter links.

    Returns:
        How far the target is from being out of reach, positive inside: the leg would be straight, or folded.
    """
    a, b = com_levers(p)
    rx, rz = length * math.cos(angle_of_attack), -length * math.sin(angle_of_attack)
    cosine = two_link_angles(p[P.thigh_length] - a, p[P.shank_length] - b, rx, rz, out)
    return reach_margin(p, cosine)


def reach_margin(p: np.ndarray, cosine: float) -> float:
    """Return the margin of a knee's cosine within the knee's range, between straight and folded."""
    return min(math.cos(p[P.straight]) - cosine, 1.0 + cosine)


def apex_state(
    params: SlipLegParams, height: float, speed: float, length: float, angle_of_attack: float, x: float = 0.0
) -> np.ndarray:
    """Return the state at an apex, joints at rest and the foot as `leg_angles` puts it, shape (8,).

    Args:
        params: The leg.
        height: Of the centre of mass [m].
        speed: Of the centre of mass along x [m/s].
        length: From the centre of mass to the foot [m].
        angle_of_attack: Of that line from the ground [rad].
        x: Where the centre of mass is [m].

    Raises:
        ValueError: If the leg cannot be that long or short.
    """
    p, state, joints, com = vector(params), np.zeros(2 * NQ), np.empty(2), np.empty(4)
    if leg_angles(p, length, angle_of_attack, joints) <= 0.0:
        raise ValueError(f"the leg cannot put its foot {length:g} m from its centre of mass; change length")
    state[HIP], state[KNEE], state[NQ + X] = *joints, speed
    com_state(state, p, com)
    state[X], state[Z] = x - com[0], height - com[1]
    return state
