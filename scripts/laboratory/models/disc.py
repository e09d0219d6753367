r"""The disc on which the contact model is timed: legs equally spaced on a rim; its parameters and its feet.

Body frame: origin in the disc's middle at the height of the hips, x forward, y left, z up. Leg k hangs at the angle
2 pi k / n_legs from +x, on a vertical slide `lift` and after it the hinges `swing` a (about +y) and `sway` b (about the
leg's own x), so its foot is

.. math:: p_\mathrm{hip} + (0, 0, \mathrm{lift}) + R_y(a)\, R_x(b)\, (0, 0, -l), \qquad l = \mathrm{leg\_length}.

Joints have the shape (..., n_legs, 3), in this order. Ranges of the two angles shrink with the number of legs, so that
the feet's workspaces never overlap.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.3 and figure 8 (3 to 50 legs, two rotations and a vertical translation
each, workspaces that do not overlap). The paper prints no dimensions; those here are choices.
"""

from dataclasses import dataclass

import numpy as np

from tarsus.analytic.finite import check_signs
from tarsus.analytic.motor import MX_64, Motor

MIN_LEGS, MAX_LEGS = 3, 50
MOST_SWING = 0.4  # range of the angles where there is room [rad]
ROOM = 0.9  # of half the way to the neighbour that a foot's workspace takes
POSITIVE = (
    *("radius", "leg_length", "lift_range", "leg_share", "foot_mass", "hip_mass", "lift_k", "g", "KP"),
    "armature",
)
NON_NEGATIVE = ("lift_d", "friction_coeff", "KD")


@dataclass(frozen=True)
class DiscParams:
    """Every parameter of the disc; its mass is linear in the number of legs.

    Raises:
        ValueError: If the legs are too few or too many, a value is out of its range, or a slide is longer than a leg.
    """

    n_legs: int = 6  # 3 to 50, odd numbers too
    radius: float = 0.25  # of the rim with the hips [m]
    leg_length: float = 0.10  # from hip to foot [m]
    lift_range: float = 0.05  # of the vertical slide either way [m]
    leg_share: float = 0.18  # of the disc, for each leg [kg]
    hip_mass: float = 0.01  # of each slide and its hip [kg]
    foot_mass: float = 0.02  # of each leg, at the foot [kg]
    lift_k: float = 500.0  # of the slide's servo [N/m]; all feet down it sags by 4 mm
    lift_d: float = 10.0  # its damping [N s/m]
    friction_coeff: float = 1.0  # Coulomb, foot on ground (paper: mu = 1)
    g: float = 9.81  # gravity, along -z [m/s^2]
    KP: float = 20.0  # of the hinges' servos [N m/rad]
    KD: float = 0.6  # [N m s/rad]; near critical for KP on the armature
    armature: float = 0.005  # of each hinge [kg m^2]
    motor: Motor = MX_64  # of each hinge

    def __post_init__(self) -> None:
        if self.n_legs != int(self.n_legs) or not MIN_LEGS <= self.n_legs <= MAX_LEGS:
            raise ValueError(f"a disc has from {MIN_LEGS} to {MAX_LEGS} legs, got {self.n_legs}")
        check_signs(self, POSITIVE, NON_NEGATIVE, " of a disc")
        if not self.lift_range < self.leg_length:
            raise ValueError(f"lift_range must be less than leg_length, {self.leg_length} m, got {self.lift_range} m")

    @property
    def total_mass(self) -> float:
        """Mass of the robot [kg]."""
        return self.n_legs * (self.leg_share + self.hip_mass + self.foot_mass)

    @property
    def hips(self) -> np.ndarray:
        """Positions of the hips, body frame, shape (n_legs, 3) [m]."""
        angle = 2 * np.pi * np.arange(self.n_legs) / self.n_legs
        return self.radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(self.n_legs)], axis=-1)

    @property
    def angle_range(self) -> float:
        """Largest swing and sway either way [rad]: two neighbouring feet at their limits still do not meet."""
        half_way = self.radius * np.sin(np.pi / self.n_legs)
        return float(min(MOST_SWING, np.arcsin(min(1.0, ROOM * half_way / (np.sqrt(2) * self.leg_length)))))

    @property
    def ranges(self) -> np.ndarray:
        """Largest lift, swing and sway either way, shape (3,) [m, rad, rad]."""
        return np.array([self.lift_range, self.angle_range, self.angle_range])


def foot_positions(params: DiscParams, joints) -> np.ndarray:
    """Return the feet in the body frame, shape (..., n_legs, 3) [m]."""
    lift, swing, sway = np.moveaxis(_checked(params, joints), -1, 0)
    length = params.leg_length
    down = -length * np.cos(sway)
    return params.hips + np.stack([down * np.sin(swing), length * np.sin(sway), lift + down * np.cos(swing)], axis=-1)


def foot_velocities(params: DiscParams, joints, rates) -> np.ndarray:
    """Return the velocities of the feet relative to the body, body frame, shape (..., n_legs, 3) [m/s].

    Args:
        params: The robot.
        joints: Lift, swing and sway, shape (..., n_legs, 3) [m, rad, rad].
        rates: Their rates, same shape.
    """
    _, swing, sway = np.moveaxis(_checked(params, joints), -1, 0)
    lift_rate, swing_rate, sway_rate = np.moveaxis(_checked(params, rates), -1, 0)
    length = params.leg_length
    down, down_rate = -length * np.cos(sway), length * np.sin(sway) * sway_rate
    sine, cosine = np.sin(swing), np.cos(swing)
    x = down_rate * sine + down * cosine * swing_rate
    return np.stack(
        [x, length * np.cos(sway) * sway_rate, lift_rate + down_rate * cosine - down * sine * swing_rate], axis=-1
    )


def _checked(params: DiscParams, joints) -> np.ndarray:
    joints = np.asarray(joints, float)
    if joints.shape[-2:] != (params.n_legs, 3):
        raise ValueError(f"joints of {params.n_legs} legs have shape (..., {params.n_legs}, 3), got {joints.shape}")
    return joints
