"""The layouts of all robots' records: a robot joins with a line in `LAYOUTS`."""

from dataclasses import dataclass
from typing import Any

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.hexapod import N_LEGS, HexapodParams
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.analytic.motor import Motor
from tarsus.controllers.raibert_laws import RaibertGains
from tarsus.controllers.slip_parameters import SlipControl
from tarsus.scripts.library.records.layouts import LEG, RecordLayout

ROW, PLACE, JOINT, MOTOR, ACTUATOR = ("time",), *(("time", name) for name in ("axis", "joint", "motor", "actuator"))

HEXAPOD = RecordLayout(
    N_LEGS,
    "right rear, middle, front, then left",
    {
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
        "battery_drain": (ROW, "1/s", "share of the battery drawn per second, physical bookkeeping"),
    },
    HexapodParams,
    TripodGait,
)

HOPPING_LEG = RecordLayout(
    1,
    "the leg",
    {
        "joint_angle": (JOINT, "rad", "yaw and pitch of the boom, hip, knee"),
        "joint_speed": (JOINT, "rad/s", "rates of the joint angles"),
        "torque": (MOTOR, "N m", "torques of hip and knee, after the motors' limits"),
    },
    HoppingLegParams,
    RaibertGains,
    {"joint": ["yaw", "pitch", "hip", "knee"], "motor": ["hip", "knee"]},
    shown=("height", "roll", "heading", "velocity x", "velocity y", "velocity z"),
)

SLIP_LEG = RecordLayout(
    1,
    "the leg",
    {
        "joint_angle": (JOINT, "rad", "hip and knee, 0 is straight down"),
        "joint_speed": (JOINT, "rad/s", "rates of the joint angles"),
        "torque": (MOTOR, "N m", "torques of hip and knee"),
        "com_position": (PLACE, "m", "centre of mass, world frame"),
        "com_velocity": (PLACE, "m/s", "velocity of the centre of mass, world frame"),
        "rest_length": (ROW, "m", "rest length of the virtual spring"),
        "compression": (ROW, "m", "of the virtual spring"),
        "phase": (ROW, "1", "of the controller: 0 hold, 1 retract, 2 extend, 3 stance"),
    },
    SlipLegParams,
    SlipControl,
    {"joint": ["hip", "knee"], "motor": ["hip", "knee"]},
    shown=("height", "velocity x", "velocity z"),
)


def _multipod(legs: int, params: type, joints_per_leg: int) -> RecordLayout:
    """Return the layout of a robot whose parameters may have a motor among them."""

    def made(motor: dict | None = None, **numbers) -> Any:
        return params(**numbers) if motor is None else params(motor=Motor(**motor), **numbers)

    variables = {
        "joint_angle": (JOINT, "rad or m", "hinges and slides, in the order of MuJoCo's qpos behind the body's"),
        "joint_speed": (JOINT, "rad/s or m/s", "their rates"),
        "servo_power": (ROW, "W", "absolute power of all servos"),
    }
    return RecordLayout(legs, "as the robot numbers them", variables, made, str, joints_per_leg=joints_per_leg)


@dataclass(frozen=True)
class OwnRobotParams:
    """What a record says of a robot of the user's own."""

    n_legs: int
    feet: list[str]  # their names, in the order of the legs
    joints: list[str]
    actuators: list[str]
    mass: float  # [kg]
    g: float  # [m/s^2]
    forward: str  # axis of the body, "x" or "y"
    foot_radius: float  # of feet that are spheres of one size, else 0 [m]


OWN = RecordLayout(
    0,
    "as the user named the feet",
    {
        "joint_angle": (JOINT, "rad or m", "hinges and slides, in the order of MuJoCo's qpos behind the body's"),
        "joint_speed": (JOINT, "rad/s or m/s", "their rates"),
        "control": (ACTUATOR, "1", "what the actuators were told, in their own units"),
        "servo_power": (("time",), "W", "absolute power of all actuators"),
    },
    OwnRobotParams,
    str,
    listed={"joint": "joints", "actuator": "actuators"},
    shown=("height", "pitch", "roll", "heading", "velocity x", "velocity y"),
)
LAYOUTS = {
    "hexapod": HEXAPOD,
    "hopping_leg": HOPPING_LEG,
    "slip_leg": SLIP_LEG,
    "multipod": _multipod(0, MultipodParams, 2),
    "bigant": _multipod(6, BigAntParams, 4),
    "own": OWN,
}
