"""The hopping leg on its boom: parameters and leg kinematics.

Coordinates q = (th1, th2, th3, th4) [rad]: yaw of the boom, its pitch, hip and knee; yaw and pitch are passive. World:
origin on the ground on the boom's axis, z up. Positive pitch lowers the tip; positive yaw moves the hip along +y at
yaw 0. The hip turns about the boom's radial direction. Link frames sit at the proximal joint.

The knee angle is measured to the line from knee to foot, not to the shank, which runs beside it: the angle of an
encoder on the shank differs by atan(DK / LK). Leg coordinates are the foot's (y, z) in the frame before the hip.

Source: Ding & Ramos, Hopping Leg Simulator Instructions, for the model and the parameters' names. They give no numbers:
those here are chosen to resemble a leg of the MIT Mini Cheetah (gear 6:1, knee with a further 1.5:1 belt, 24 V) on a
boom of one metre; they are not measured. Together they give an effective mass of 3.08 kg at the boom's tip.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..finite import check_finite, check_signs
from ..spelling import listed

MOTOR_MODES = ("ideal", "current", "voltage")
UNLIMITED = 1e9  # a torque no controller asks for [N m]
START_PITCH = -0.12  # of the boom, the tip up [rad]
START_LEG = (0.0, -0.28)  # foot in the hip's frame (y, z) [m]
_ARRAYS = {"mass": (4,), "com": (4, 3), "inertia": (4, 6), "gear": (2,)}
_POSITIVE = (
    *("g", "LB", "LH", "LK", "mass", "gear", "rotor_inertia", "motor_constant", "resistance", "voltage"),
    *("max_shaft_torque", "liftoff_force", "fall_height"),
)


def _array(*values) -> np.ndarray:
    return field(default_factory=lambda: np.array(values, float))


@dataclass(frozen=True, eq=False)
class HoppingLegParams:
    """Parameters by the names of the instructions' section 2.1; arrays hold links 1 to 4: yaw, boom, thigh, shank.

    The motor mode is one of `ideal`: the commanded torque; `current`: with rotor inertia, and the torque limited by the
    current and by a voltage line that falls with speed; `voltage`: with rotor inertia and back-EMF damping, and the
    command limited to the stall torque. (Damping and falling line together would count the back-EMF twice.)
    """

    g: float = 9.81  # gravity, along -z [m/s^2]
    HB: float = 0.28  # height of the boom's pivot [m]
    LB: float = 1.00  # boom from pivot to hip, also the instructions' Rboom [m]
    DB: float = 0.06  # hip beside the boom's axis, along +y at yaw 0 [m]
    LH: float = 0.20  # hip to knee [m]
    LK: float = 0.20  # knee to foot, along the shank [m]
    DK: float = 0.03  # knee to foot, across the shank [m]
    mass: np.ndarray = _array(0.60, 2.80, 0.70, 0.13)  # [kg]
    com: np.ndarray = _array(  # mass centres, in the links' frames, shape (4, 3) [m]
        (0.010, 0.0, -0.080), (0.861, 0.015, 0.004), (0.030, 0.002, -0.045), (0.001, 0.006, -0.080)
    )
    inertia: np.ndarray = _array(  # about the mass centres, matrix entries xx, yy, zz, xy, xz, yz, (4, 6) [kg m^2]
        (0.0025, 0.0024, 0.0008, 0.0, 0.0001, 0.0),
        (0.0060, 0.1250, 0.1260, -0.0035, 0.0006, -0.0002),
        (0.0022, 0.0026, 0.0014, 3e-5, -2.5e-4, 2e-5),
        (7e-4, 6.8e-4, 5e-5, 0.0, 1e-5, 3e-5),
    )
    motor_mode: str = "ideal"
    gear: np.ndarray = _array(6.0, 9.0)  # N of hip and knee
    rotor_inertia: float = 6e-5  # I_r, before the gear [kg m^2]
    motor_constant: float = 0.05  # kT = kv [N m/A] = [V s/rad]
    resistance: float = 0.17  # R [ohm]
    voltage: float = 24.0  # V [V]
    max_shaft_torque: float = 3.0  # of the current limit, before the gear [N m]
    liftoff_force: float = 1.0  # vertical ground force at which the foot leaves [N]; 0.1 to 5 changes the apex 0.05 mm
    fall_height: float = 0.08  # of the hip, below which the leg has fallen [m]

    def __post_init__(self) -> None:
        check_finite(self)
        for name, shape in _ARRAYS.items():
            value = np.array(getattr(self, name), float)
            if value.shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {value.shape}")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        check_signs(self, _POSITIVE)
        if self.motor_mode not in MOTOR_MODES:
            raise ValueError(f"unknown motor_mode {self.motor_mode!r}; known: {listed(self.motor_mode, MOTOR_MODES)}")

    @property
    def shank(self) -> float:
        """Distance from knee to foot [m]."""
        return float(np.hypot(self.LK, self.DK))

    @property
    def stall_torque(self) -> np.ndarray:
        """Torque of hip and knee at rest and full voltage, N kT V / R, shape (2,) [N m]."""
        return self.gear * self.motor_constant * self.voltage / self.resistance

    @property
    def back_emf(self) -> np.ndarray:
        """Torque that hip and knee lose per joint speed at a fixed voltage, N^2 kT kv / R, shape (2,) [N m s/rad]."""
        return self.gear**2 * self.motor_constant**2 / self.resistance

    @property
    def armature(self) -> np.ndarray:
        """Rotor inertia seen at hip and knee, N^2 I_r, or zero in the mode `ideal`, shape (2,) [kg m^2]."""
        return self.gear**2 * self.rotor_inertia * (self.motor_mode != "ideal")

    @property
    def damping(self) -> np.ndarray:
        """Back-EMF damping of hip and knee, in the mode `voltage` only, shape (2,) [N m s/rad]."""
        return self.back_emf * (self.motor_mode == "voltage")

    @property
    def rated_torque(self) -> np.ndarray:
        """Torque of hip and knee at the motors' largest current, shape (2,) [N m]."""
        return self.gear * self.max_shaft_torque

    @property
    def torque_limits(self) -> np.ndarray:
        """Largest torque asked for, and torque at rest and slope of the voltage line, (3, 2) [N m], [N m s/rad]."""
        unlimited, none = np.full(2, UNLIMITED), np.zeros(2)
        if self.motor_mode == "current":
            return np.stack([self.rated_torque, self.stall_torque, self.back_emf])
        return np.stack([self.stall_torque if self.motor_mode == "voltage" else unlimited, unlimited, none])


def motor_mode(isMotorDynamics: bool, isControlSaturate: bool) -> str:
    """Return the motor mode for the original's two options.

    Raises:
        ValueError: If the limit is requested without the motor it belongs to.
    """
    if isControlSaturate and not isMotorDynamics:
        raise ValueError("isControlSaturate needs isMotorDynamics: the limit is the motor's current and voltage")
    if not isMotorDynamics:
        return "ideal"
    return "current" if isControlSaturate else "voltage"


def limited_torque(limits: np.ndarray, torque: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return the torque that the motors deliver for a commanded `torque`, both shape (..., 2) [N m].

    Beyond the no-load speed the back-EMF brakes, with the peak torque at most.

    Args:
        limits: `torque_limits` of the parameters, shape (3, ..., 2).
        torque: Commanded, of hip and knee.
        speed: Of hip and knee, shape (..., 2) [rad/s].
    """
    peak, stall, slope = limits
    lost = slope * speed
    within = np.minimum(np.maximum(torque, -stall - lost), stall - lost)
    return np.minimum(np.maximum(within, -peak), peak)


def leg_angles(params: HoppingLegParams, foot: np.ndarray) -> np.ndarray:
    """Return hip and knee angles (..., 2) [rad] that put the foot at (y, z) in the hip's frame; the knee is negative.

    Raises:
        ValueError: If the foot is out of reach, or the leg would be at full stretch.
    """
    y, z = np.moveaxis(np.asarray(foot, float), -1, 0)
    a, b = params.LH, params.shank
    cosine = (y * y + z * z - a * a - b * b) / (2 * a * b)
    if not np.all(np.abs(cosine) < 1):
        raise ValueError(f"a foot must be between {abs(a - b):.4g} and {a + b:.4g} m from the hip, got {foot} m")
    knee = -np.arccos(cosine)
    hip = np.arctan2(y, -z) - np.arctan2(b * np.sin(knee), a + b * np.cos(knee))
    return np.stack([hip, knee], axis=-1)


def hip_height(params: HoppingLegParams, pitch: np.ndarray) -> np.ndarray:
    """Return the height of the hip [m] at a boom pitch [rad]."""
    return params.HB - params.LB * np.sin(pitch)


class Places(NamedTuple):
    """Positions of leg, hip and foot in states q of shape (..., 4)."""

    sine: np.ndarray  # (..., 4) of yaw, pitch, hip, knee
    cosine: np.ndarray  # (..., 4)
    leg: np.ndarray  # (..., 2) the foot (y, z) in the frame before the hip [m]
    hip: np.ndarray  # (..., 3) the hip, world frame [m]
    foot: np.ndarray  # (..., 3) the foot, world frame [m]


def places(params: HoppingLegParams, qpos: np.ndarray) -> Places:
    """Return the positions of leg, hip and foot in states `qpos`, shape (..., 4) [rad]."""
    sine, cosine = np.sin(qpos), np.cos(qpos)
    (s1, s2, s3, s4), (c1, c2, c3, c4) = sine.T, cosine.T
    y = params.LH * s3 + params.shank * (s3 * c4 + c3 * s4)
    z = -params.LH * c3 - params.shank * (c3 * c4 - s3 * s4)
    leg, hip, foot = np.empty((*qpos.shape[:-1], 2)), np.empty((*qpos.shape[:-1], 3)), np.empty((*qpos.shape[:-1], 3))
    leg.T[0], leg.T[1] = y, z
    for point, beside, below in ((hip.T, params.DB, 0.0), (foot.T, params.DB + y, z)):
        radius = params.LB * c2 + below * s2
        point[0] = radius * c1 - beside * s1
        point[1] = radius * s1 + beside * c1
        point[2] = params.HB - params.LB * s2 + below * c2
    return Places(sine, cosine, leg, hip, foot)


def start_angles(params: HoppingLegParams, pitch: float = START_PITCH, leg: tuple = START_LEG) -> np.ndarray:
    """Return the start q, shape (4,): the boom tilted up and the foot at `leg` (y, z) below the hip, at yaw 0."""
    return np.array([0.0, pitch, *leg_angles(params, np.array(leg))])
