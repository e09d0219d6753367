"""What the labelled record of each robot holds: variables common to all, and its own.

A robot joins with a line in `LAYOUTS`: its legs, its variables beside `CORE`, and the classes that give back, from the
record's attributes, the parameters and the gait that ran.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.hopping_leg_laws import RaibertGains
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.controllers.slip_parameters import SlipControl

LEG, FOOT = ("time", "leg"), ("time", "leg", "axis")
Variables = dict[str, tuple[tuple[str, ...], str, str]]  # of each name: dimensions, unit, long name with the frame

# World frame unless a name ends in `_b`: z up.
CORE: Variables = {
    "body_position": (("time", "axis"), "m", "centre of the body, world frame"),
    "body_orientation": (("time", "quat"), "1", "unit quaternion that takes body axes to world axes"),
    "body_velocity": (("time", "axis"), "m/s", "velocity of the centre of the body, world frame"),
    "body_angular_velocity_b": (("time", "axis"), "rad/s", "angular velocity of the body, body frame"),
    "foot_position": (FOOT, "m", "centre of the toe, world frame"),
    "foot_force": (FOOT, "N", "force of the ground on the foot, world frame"),
    "foot_contact": (LEG, "1", "whether the foot touches the ground"),
}
# A record may hold these: what a simulator knows of its energy. Losses are positive; all but `energy` begin at zero.
BUDGET: Variables = {
    "energy": (("time",), "J", "mechanical energy: kinetic, of weight above z = 0, of springs"),
    "motor_work": (("time",), "J", "work of the motors since the start"),
    "damper_loss": (("time",), "J", "energy taken by dampers since the start"),
    "contact_loss": (("time",), "J", "energy taken by the ground since the start: sliding and impacts"),
}
BOOLEAN = {"foot_contact"}


@dataclass(frozen=True)
class Layout:
    """The variables of one robot's record, and what its attributes stand for."""

    legs: int
    leg_names: str  # the legs in order, in words
    variables: Variables  # of its own, beside `CORE`
    params: type  # dataclass of its parameters
    gait: type  # dataclass of its gait
    coords: dict[str, list] = field(default_factory=dict)  # labels of dimensions of its own
    shown: tuple[str, ...] = ("height", "pitch", "roll", "heading", "velocity y")  # of a comparison's quantities

    @property
    def schema(self) -> Variables:
        """Every variable a record of this robot must hold."""
        return CORE | self.variables

    @property
    def labels(self) -> dict[str, list]:
        """The labels along every dimension but time."""
        return {"leg": list(range(self.legs)), "axis": ["x", "y", "z"], "quat": ["w", "x", "y", "z"]} | self.coords


HEXAPOD: Variables = {
    "hip_angle": (LEG, "rad", "hip angle about the body's +x, unwrapped; 0 is straight down"),
    "hip_speed": (LEG, "rad/s", "rate of the hip angle"),
    "hip_reference": (LEG, "rad", "hip angle asked for, the turn nearest to the hip"),
    "hip_reference_rate": (LEG, "rad/s", "rate of the hip angle asked for"),
    "splay": (LEG, "rad", "splay angle of the leg, positive to the right"),
    "leg_length": (LEG, "m", "distance from hip to toe"),
    "hip_torque": (LEG, "N m", "torque of the hip motor on the leg, after the torque-speed limit"),
    "torque_command": (LEG, "N m", "torque the hip controller asks for, before the limit"),
    "motor_current": (LEG, "A", "armature current of the hip motor"),
    "motor_voltage": (LEG, "V", "terminal voltage of the hip motor"),
    "battery_drain": (("time",), "1/s", "share of the battery drawn per second, physical bookkeeping"),
}
JOINT, MOTOR = ("time", "joint"), ("time", "motor")
HOPPING_LEG: Variables = {
    "joint_angle": (JOINT, "rad", "yaw and pitch of the boom, hip, knee"),
    "joint_speed": (JOINT, "rad/s", "rates of the joint angles"),
    "torque": (MOTOR, "N m", "torques of hip and knee, after the motors' limits"),
}
SLIP_LEG: Variables = {
    "joint_angle": (JOINT, "rad", "hip and knee, 0 is straight down"),
    "joint_speed": (JOINT, "rad/s", "rates of the joint angles"),
    "torque": (MOTOR, "N m", "torques of hip and knee"),
    "rest_length": (("time",), "m", "rest length of the virtual spring"),
}
MOTORS = ["hip", "knee"]
LAYOUTS = {
    "hexapod": Layout(6, "right rear, middle, front, then left", HEXAPOD, HexapodParams, TripodGait),
    "hopping_leg": Layout(
        1,
        "the leg",
        HOPPING_LEG,
        HoppingLegParams,
        RaibertGains,
        {"joint": ["yaw", "pitch", *MOTORS], "motor": MOTORS},
        ("height", "roll", "heading", "velocity x", "velocity y", "velocity z"),
    ),
    "slip_leg": Layout(
        1,
        "the leg",
        SLIP_LEG,
        SlipLegParams,
        SlipControl,
        {"joint": MOTORS, "motor": MOTORS},
        ("height", "velocity x", "velocity z"),
    ),
}


def layout_of(robot: str) -> Layout:
    """Return a robot's layout.

    Raises:
        ValueError: If no robot has that name.
    """
    if robot not in LAYOUTS:
        raise ValueError(f"no record is known of a robot {robot!r}; there are {', '.join(LAYOUTS)}")
    return LAYOUTS[robot]
