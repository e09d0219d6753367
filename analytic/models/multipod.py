"""The multipod: a chain of segments on leaf-spring legs; its parameters and the kinematics of its feet.

Body frame: origin in the middle of the spine, x forward, y left, z up. Segments are counted from the front; segment k
carries the legs 2 k (left) and 2 k + 1 (right). The two legs of a segment sit rigidly on one axle, which the segment
turns by the two angles of the paper: yaw psi about the body's z and, after it, roll rho about the axle's own forward
axis. So an axle has q = R_z(psi) R_x(rho), and a positive roll lifts the left foot and lowers the right one.

Angles and their rates have the shape (..., n_segments, 2), yaw before roll. All lengths in metres, angles in radians.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.2.1 (two degrees of freedom for each contralateral pair, leaf-spring
legs, mass linear in the number of legs). The paper prints no dimensions; those here are choices, with their reasons.
"""

from dataclasses import dataclass

import numpy as np

from ..finite import check_finite, check_signs
from ..motor import MX_64, Motor

MIN_LEGS, MAX_LEGS = 4, 50
SIDES = np.array([1.0, -1.0])  # the left leg of an axle, the right one
PIVOT = (
    0.15  # of a leaf spring's length, from its root: where a hinge bends as the leaf does (Howell's rigid-body model)
)
POSITIVE = (
    *("segment_length", "root_width", "reach", "height", "segment_mass", "axle_mass", "leg_mass", "leaf_k", "g"),
    *("yaw_range", "roll_range"),
)
NON_NEGATIVE = ("root_drop", "leaf_d", "friction_coeff", "KP", "KD", "armature")


@dataclass(frozen=True)
class MultipodParams:
    """Every parameter of a multipod; masses are per segment or leg, so that the whole is linear in the number of legs.

    The servos are Robotis MX-64, of the family that the paper names for BigANT.

    Raises:
        ValueError: If the legs are too many or an odd number, a value is out of its range, or neighbours can touch.
    """

    n_legs: int = 6  # even, 4 to 50; the paper's robots have 6, 8, 10 and 12
    # Geometry
    segment_length: float = 0.16  # between axles [m]; room for two servos and for the legs' swing
    root_width: float = 0.04  # of a leaf's root from the axle's middle, sideways [m]; half a servo's width
    root_drop: float = 0.03  # of a leaf's root below the axle [m]; makes the leaf nearly level, so that it bends upward
    reach: float = 0.20  # of a foot from the axle's middle, sideways [m]
    height: float = 0.06  # of the axle above its unloaded feet at zero roll [m]
    yaw_range: float = 0.4  # largest yaw either way [rad]; less than would make neighbouring legs touch
    roll_range: float = 0.5  # largest roll either way [rad]
    # Masses
    segment_mass: float = 0.40  # of a piece of spine with the yaw servo (0.126 kg) and its share of electronics [kg]
    axle_mass: float = 0.20  # of an axle with the roll servo (0.126 kg) and brackets [kg]
    leg_mass: float = 0.03  # of each leaf spring with its foot [kg]
    # Legs and ground
    leaf_k: float = 1000.0  # vertical stiffness at a foot [N/m]; half the legs carry the robot on 6 mm of sag
    leaf_d: float = 10.0  # vertical damping at a foot [N s/m]; the body bounces on half its legs at a ratio near 0.2
    friction_coeff: float = 1.0  # Coulomb, foot on ground (paper, 3.2.1: mu = 1)
    g: float = 9.81  # gravity, along -z [m/s^2]
    # Servos, the same for yaw and roll
    KP: float = 40.0  # stiffness [N m/rad]; holds a foot's load within 2 degrees
    KD: float = 2.0  # damping [N m s/rad]; critical for KP on the armature
    armature: float = 0.025  # rotor inertia seen from the joint [kg m^2]; assumed: 6e-7 kg m^2 times the gear squared
    motor: Motor = MX_64

    def __post_init__(self) -> None:
        check_finite(self)
        _check_legs(self.n_legs)
        check_signs(self, POSITIVE, NON_NEGATIVE, " of a multipod")
        if not (self.root_width < self.reach and self.root_drop < self.height):
            raise ValueError(
                "a leaf spring must go outward and down from its root: root_width < reach and root_drop < height, got "
                f"root_width {self.root_width}, reach {self.reach}, root_drop {self.root_drop}, height {self.height}"
            )
        swing = self.reach * np.sin(min(self.yaw_range, np.pi / 2))
        if 2 * swing >= self.segment_length:
            raise ValueError(
                f"legs overlap: feet that reach {self.reach} m and yaw by {self.yaw_range} rad swing {swing:.3f} m, "
                f"and neighbours {self.segment_length} m apart can touch; the yaw_range must be under "
                f"{np.arcsin(min(1.0, 0.5 * self.segment_length / self.reach)):.3f} rad or the segments longer"
            )

    @property
    def n_segments(self) -> int:
        """Number of segments, each with one pair of legs."""
        return self.n_legs // 2

    @property
    def total_mass(self) -> float:
        """Mass of the robot [kg]."""
        return self.n_segments * (self.segment_mass + self.axle_mass + 2 * self.leg_mass)

    @property
    def axle_x(self) -> np.ndarray:
        """Where the axles are along the body, front first, shape (n_segments,) [m]."""
        return self.segment_length * (0.5 * (self.n_segments - 1) - np.arange(self.n_segments))

    @property
    def side(self) -> np.ndarray:
        """+1 for a left leg, -1 for a right one, shape (n_legs,)."""
        return np.tile(SIDES, self.n_segments)

    @property
    def pivot(self) -> tuple[float, float]:
        """Where a left leaf spring bends, in its axle's frame: y and z [m]."""
        return (
            self.root_width + PIVOT * (self.reach - self.root_width),
            -self.root_drop - PIVOT * (self.height - self.root_drop),
        )

    @property
    def lever(self) -> float:
        """Sideways distance from a leaf's pivot to its foot [m]; turns angles of the leaf into heights of the foot."""
        return self.reach - self.pivot[0]

    def leg_names(self) -> list[str]:
        """Return the name of every leg: `left_0`, `right_0`, `left_1`, ... from the front."""
        return [f"{side}_{k}" for k in range(self.n_segments) for side in ("left", "right")]


def _check_legs(n_legs: int) -> None:
    if n_legs != int(n_legs) or not MIN_LEGS <= n_legs <= MAX_LEGS or n_legs % 2:
        raise ValueError(
            f"a multipod has an even number of legs from {MIN_LEGS} to {MAX_LEGS}, since each segment carries a pair; "
            f"got {n_legs}"
        )


def foot_position(x, y, z, yaw, roll):
    """Return the foot R_z(yaw) R_x(roll) (0, y, z) + (x, 0, 0) as its three coordinates [m].

    Plain arithmetic on numbers or on arrays that broadcast, which numba compiles as it is.

    Args:
        x: Of the axle, along the body [m].
        y: Of the foot in the axle's frame, positive for a left leg [m].
        z: Of the foot in the axle's frame, negative [m].
        yaw: Of the axle [rad].
        roll: Of the axle [rad].
    """
    across = y * np.cos(roll) - z * np.sin(roll)
    return x - across * np.sin(yaw), across * np.cos(yaw), y * np.sin(roll) + z * np.cos(roll)


def foot_velocity(y, z, yaw, roll, yaw_rate, roll_rate):
    """Return the velocity of `foot_position` relative to the body as its three coordinates [m/s]."""
    across, up = y * np.cos(roll) - z * np.sin(roll), y * np.sin(roll) + z * np.cos(roll)
    inward = -up * roll_rate  # rate of `across`
    sin, cos = np.sin(yaw), np.cos(yaw)
    return -inward * sin - across * cos * yaw_rate, inward * cos - across * sin * yaw_rate, across * roll_rate


def foot_positions(params: MultipodParams, angles) -> np.ndarray:
    """Return the unloaded feet in the body frame, shape (..., n_legs, 3) [m], for `angles` (..., n_segments, 2)."""
    yaw, roll = _per_axle(params, angles, "angles")
    feet = foot_position(params.axle_x[:, None], params.reach * SIDES, -params.height, yaw, roll)
    return _per_leg(feet)


def foot_velocities(params: MultipodParams, angles, rates) -> np.ndarray:
    """Return the velocities of the unloaded feet relative to the body, body frame, shape (..., n_legs, 3) [m/s].

    Args:
        params: The robot.
        angles: Yaw and roll of every axle, shape (..., n_segments, 2) [rad].
        rates: Their rates, same shape [rad/s].
    """
    turn = *_per_axle(params, angles, "angles"), *_per_axle(params, rates, "rates")
    return _per_leg(foot_velocity(params.reach * SIDES, -params.height, *turn))


def _per_axle(params: MultipodParams, values, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return yaw and roll of each axle, shape (..., n_segments, 1) both, to broadcast against its two legs."""
    values = np.asarray(values, float)
    if values.shape[-2:] != (params.n_segments, 2):
        raise ValueError(f"{name} of {params.n_legs} legs have shape (..., {params.n_segments}, 2), got {values.shape}")
    return values[..., :1], values[..., 1:]


def _per_leg(coordinates) -> np.ndarray:
    """Return three coordinates, each of shape (..., n_segments, 2), as vectors of the legs, (..., n_legs, 3)."""
    vectors = np.empty((*coordinates[0].shape, 3))
    for axis, values in enumerate(coordinates):
        vectors[..., axis] = values
    return vectors.reshape(*vectors.shape[:-3], -1, 3)
