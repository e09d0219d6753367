r"""BigANT: a hexapod with one motor per leg; a four-bar linkage turns the shaft's rotation into the path of the foot.

Body frame: origin in the middle of the chassis at the height of the shafts, x forward, y left, z up. Legs 0, 1, 2 are
right rear, middle, front; 3, 4, 5 the same on the left, as for the compliant hexapod. A leg moves in its plane
y = const. With the origin on its shaft and (x, z) in that plane, at shaft angle s, crank pin and foot are at

.. math::

    \begin{aligned}
    A &= a\, (\sin(s + s_0),\ \cos(s + s_0)), \\
    P &= A + p_1 e + p_2 d, \qquad e = (B - A) / c,
    \end{aligned}

with a = `crank`, s_0 = `mid_stance`, p_1 = `foot_along`, p_2 = `foot_down` and d = e turned from +x towards -z. The
rocker pin B is at c = `coupler` from A and at `rocker` from the fixed pivot O: the one in front of the line from A to
O. So s = 0 is mid-stance, and a rising shaft angle moves the foot backward on the ground: the robot walks forward.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.1.1 (one Dynamixel MX-106 per leg, four-bar linkage for clearance and
gearing). The paper prints no dimensions. Those here were searched for a foot path that is level and even over a quarter
of the turn and lifts by a third of its length, with no transmission angle under 30 degrees.
"""

from dataclasses import dataclass

import numpy as np

from ..finite import check_finite, check_signs
from ..motor import MX_106, Motor

N_LEGS = 6
POSITIVE = (
    *("crank", "coupler", "rocker", "leg_spacing", "half_width", "body_mass", "mount_mass", "crank_mass"),
    *("coupler_mass", "rocker_mass", "leg_k", "g"),
)
NON_NEGATIVE = ("leg_d", "friction_coeff", "KP", "KD", "armature")
MIN_TRANSMISSION = np.deg2rad(15.0)  # between coupler and rocker; closer to the dead points the linkage jams


@dataclass(frozen=True)
class BigAntParams:
    """Every parameter of BigANT; the servos are Robotis MX-106.

    Raises:
        ValueError: If a value is out of its range, the crank cannot turn, or feet overlap.
    """

    # The linkage of a leg, in its plane, the origin on the shaft; lengths to the millimetre
    crank: float = 0.040  # from shaft to crank pin [m]; sets the size of the path: 129 mm long, 41 mm high
    pivot_x: float = 0.050  # of the rocker's fixed pivot before the shaft [m]
    pivot_z: float = 0.088  # and above it [m]
    coupler: float = 0.087  # from crank pin to rocker pin [m]
    rocker: float = 0.059  # from the fixed pivot to the rocker pin [m]
    foot_along: float = 0.007  # of the foot from the crank pin, along the coupler [m]
    foot_down: float = 0.089  # and square to it [m]
    mid_stance: float = -2.62  # s_0, direction of the crank in the middle of the level stretch [rad]
    # Chassis
    shaft_x: float = -0.048  # of the middle shafts [m]; puts the level stretch of the paths under the chassis' middle
    leg_spacing: float = 0.20  # between neighbouring shafts of a side [m]; the paths must not overlap
    half_width: float = 0.15  # from the middle to the planes of the feet [m]
    body_mass: float = 2.9  # six servos of 0.153 kg, an ABS plate of 1.2 kg, battery and electronics [kg]
    mount_mass: float = 0.06  # of what a leg's flexures carry [kg]
    crank_mass: float = 0.02  # [kg]
    coupler_mass: float = 0.03  # of the coupler with the foot, foam board and tape [kg]
    rocker_mass: float = 0.01  # [kg]
    # Legs and ground
    leg_k: float = 4000.0  # vertical stiffness of a leg's mount [N/m]; a tripod carries the robot on 3 mm of sag
    leg_d: float = 40.0  # its damping [N s/m]; the body bounces on a tripod at a ratio near 0.3
    friction_coeff: float = 1.0  # Coulomb, foot on ground (paper, 3.1.4: the naive mu = 1)
    g: float = 9.81  # gravity, along -z [m/s^2]
    # Servos
    KP: float = 60.0  # stiffness [N m/rad]
    KD: float = 3.0  # damping [N m s/rad]; near critical for KP on the armature
    armature: float = 0.030  # rotor inertia seen from the joint [kg m^2]; assumed: 6e-7 kg m^2 times the gear squared
    motor: Motor = MX_106

    def __post_init__(self) -> None:
        check_finite(self)
        check_signs(self, POSITIVE, NON_NEGATIVE, " of BigANT")
        _check_linkage(self)
        _check_overlap(self)

    @property
    def total_mass(self) -> float:
        """Mass of the robot [kg]."""
        return self.body_mass + N_LEGS * (self.mount_mass + self.crank_mass + self.coupler_mass + self.rocker_mass)

    @property
    def shafts(self) -> np.ndarray:
        """Where the shafts are, each in the plane of its foot, body frame, shape (6, 3) [m]."""
        x = self.shaft_x + self.leg_spacing * np.array([-1.0, 0.0, 1.0])
        return np.array([[x[k], side * self.half_width, 0.0] for side in (-1, 1) for k in range(3)])


@dataclass(frozen=True)
class Linkage:
    """The pins and the foot of a leg in its plane, (x, z) from the shaft, shape (..., 2) [m]."""

    crank_pin: np.ndarray  # A
    rocker_pin: np.ndarray  # B
    foot: np.ndarray  # P


def linkage(params: BigAntParams, shaft) -> Linkage:
    """Return the closed four-bar linkage at shaft angles of any shape [rad]."""
    direction = np.asarray(shaft, float) + params.mid_stance
    crank_pin = params.crank * np.stack([np.sin(direction), np.cos(direction)], axis=-1)  # (..., 2)
    to_pivot = (params.pivot_x, params.pivot_z) - crank_pin
    distance_2 = np.vecdot(to_pivot, to_pivot)[..., None]
    along = 0.5 * (distance_2 + params.coupler**2 - params.rocker**2) / distance_2
    aside = np.sqrt(params.coupler**2 / distance_2 - along**2)
    rocker_pin = crank_pin + along * to_pivot + aside * _turned(to_pivot)
    e = (rocker_pin - crank_pin) / params.coupler
    return Linkage(crank_pin, rocker_pin, crank_pin + params.foot_along * e + params.foot_down * _turned(e))


def foot_path_rate(params: BigAntParams, shaft) -> np.ndarray:
    """Return dP/ds, the foot's motion in its plane per radian of the shaft, shape (..., 2) [m/rad]."""
    at = linkage(params, shaft)
    crank_rate = _turned(at.crank_pin)  # of A; s turns +z towards +x, as `_turned` does
    bar, lever = at.rocker_pin - at.crank_pin, _turned(at.rocker_pin - (params.pivot_x, params.pivot_z))
    turn = (np.vecdot(crank_rate, bar) / np.vecdot(lever, bar))[..., None]  # of the rocker; the bar keeps its length
    coupler_turn = np.vecdot(turn * lever - crank_rate, _turned(bar))[..., None] / params.coupler**2
    return crank_rate + coupler_turn * _turned(at.foot - at.crank_pin)


def foot_positions(params: BigAntParams, shaft) -> np.ndarray:
    """Return the unloaded feet in the body frame, shape (..., 6, 3) [m], for shaft angles (..., 6) [rad]."""
    return params.shafts + _in_space(linkage(params, _six(shaft, "shaft angles")).foot)


def foot_velocities(params: BigAntParams, shaft, rate) -> np.ndarray:
    """Return the velocities of the feet relative to the body, body frame, shape (..., 6, 3) [m/s].

    Args:
        params: The robot.
        shaft: Shaft angles, shape (..., 6) [rad].
        rate: Their rates, same shape [rad/s].
    """
    return _in_space(foot_path_rate(params, _six(shaft, "shaft angles")) * _six(rate, "rates")[..., None])


def _turned(v: np.ndarray) -> np.ndarray:
    """Return (x, z) turned a quarter about +y, from +z towards +x: (z, -x)."""
    return np.stack([v[..., 1], -v[..., 0]], axis=-1)


def _in_space(v: np.ndarray) -> np.ndarray:
    return np.stack([v[..., 0], np.zeros(v.shape[:-1]), v[..., 1]], axis=-1)


def _six(values, name: str) -> np.ndarray:
    values = np.asarray(values, float)
    if values.shape[-1:] != (N_LEGS,):
        raise ValueError(f"{name} of BigANT have shape (..., 6), got {values.shape}")
    return values


def _check_linkage(params: BigAntParams) -> None:
    """Refuse a linkage that does not close all the way round, or nearly jams."""
    ground = np.hypot(params.pivot_x, params.pivot_z)
    distance = np.array([abs(ground - params.crank), ground + params.crank])  # extremes between crank pin and pivot
    cosine = (params.coupler**2 + params.rocker**2 - distance**2) / (2 * params.coupler * params.rocker)
    if np.abs(cosine).max() > np.cos(MIN_TRANSMISSION):
        raise ValueError(
            "the four-bar linkage does not turn all the way round with 15 degrees to spare between coupler and rocker: "
            f"crank {params.crank}, ground {ground:.4g}, coupler {params.coupler}, rocker {params.rocker} m"
        )


def _check_overlap(params: BigAntParams) -> None:
    x = linkage(params, np.linspace(0, 2 * np.pi, 360)).foot[:, 0]
    if not np.ptp(x) < params.leg_spacing:
        raise ValueError(
            f"legs overlap: the foot path is {np.ptp(x):.3f} m long and legs are {params.leg_spacing} m apart; "
            "leg_spacing must be more"
        )
