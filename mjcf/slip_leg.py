"""The articulated SLIP leg in MuJoCo, from the parameters of `tarsus.analytic.models.slip_leg`.

A body `torso` that only translates, on the joints `x` and `z`; below it `thigh` with the joint `hip` and `shank` with
the joint `knee`, both about -y, so that qpos and qvel are the exact model's state. Torque motors `hip` and `knee`. The
foot is a small sphere `toe_0` at the shank's end; its centre, the site `foot_0`, is the exact model's point foot.
"""

import mujoco
import numpy as np

from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.terrain import Terrain, make
from .kinds import BOX, HINGE, JOINT, SLIDE
from .look import add_cameras, draw_rod
from .parts import add_end_stops, add_foot, add_foot_sensors, add_speed_line, new_spec
from .presets import Preset, find
from .terrain import add_ground

START = "start"  # keyframe: at the apex of the default gait, leg retracted
START_QPOS = (0.0, 0.62 + 0.125, 1.2, -1.72)
TORQUE_LIMITS = (500.0, 150.0)  # of hip and knee [N m]; retracting the leg in time takes 445 and 100, stance 35 and 60
# Torque at rest [N m] and no-load speed [rad/s] of hip and knee: about the least powerful lines that leave the SLIP
# controller what it asks for, up to 9.3 and 3.4 kW to retract the leg in 75 ms, on rough ground too. The report names
# no motors; those of a robot of ten kilograms have a tenth of that at most.
SPEED_LINES = ((850.0, 47.0), (260.0, 55.0))
JOINT_RANGES = ((-1.8, 2.2), (-2.7, 0.0))  # of hip and knee [rad]; the gait stays clear of them
STOP_STIFFNESS = 20e3  # of end stops that are springs: the motors push 0.025 and 0.008 rad into them [N m/rad]
SERVO = (400.0, 12.0)  # stiffness [N m/rad] and damping [N m s/rad] of joints that take set-points
TORSO_SIZE = (0.11, 0.08, 0.06)  # half extents, drawn and what hits the ground in a fall [m]
# Parameters that `take_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("base_mass", "thigh_mass", "shank_mass", "foot_mass", "thigh_com", "shank_com"),
    *("thigh_gyration", "shank_gyration", "g", "friction"),
)

# Contacts start with zero impedance: with MuJoCo's 0.9 the foot loses contact in one of seven steps.
PRESETS = {
    "reference": Preset(
        timestep=5e-5, integrator="implicitfast", solref=(2e-4, 1.0), solimp=(0.0, 0.95, 1e-5), toe_radius=2e-5
    ),
    "rl": Preset(
        timestep=5e-4,
        integrator="implicitfast",
        solref=(0.001, 1.0),
        solimp=(0.0, 0.95, 1e-3),
        tolerance=1e-6,
        toe_radius=0.01,
        follow_period=0.002,
    ),
}


def build(
    params: SlipLegParams | None = None,
    terrain: str | Terrain = "flat",
    preset: str | Preset = "reference",
    servo: bool = False,
    limited: bool = False,
    stops: bool = False,
) -> mujoco.MjSpec:
    """Return the leg on its terrain as a spec, to be changed and compiled.

    Args:
        params: The leg.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`.
        preset: Settings or a name from `PRESETS` of this module.
        servo: Whether the controls are set-points of the joints [rad] instead of torques [N m].
        limited: Whether the torque falls with speed as `SPEED_LINES` say.
        stops: Whether springs end the joints' ranges, of `STOP_STIFFNESS`, instead of MuJoCo's constraint.

    Raises:
        ValueError: If a name is unknown.
    """
    params, ground, preset = params or SlipLegParams(), make(terrain), find(preset, PRESETS)
    spec = new_spec("slip_leg", preset, params.g)
    stands_on = add_ground(spec, ground, preset, params.friction, 1)
    shank = _add_links(spec, params, constrained=not stops)
    if stops:
        add_end_stops(spec, dict(zip(("hip", "knee"), JOINT_RANGES, strict=True)), STOP_STIFFNESS)
    add_foot(shank, 0, preset.toe_radius, ground, (0, 0, -params.shank_length), drawn=0.02)
    _add_motors(spec, servo, limited)
    add_foot_sensors(spec, stands_on)
    spec.add_key(name=START, qpos=START_QPOS, qvel=(2.5, 0, 0, 0))
    return spec


def _add_links(spec: mujoco.MjSpec, params: SlipLegParams, constrained: bool):
    """Add torso, thigh and shank; return the shank."""
    torso = spec.worldbody.add_body(name="torso")
    _give_mass(torso, params.base_mass, 0.0, 1.0)
    torso.add_joint(name="x", type=SLIDE, axis=(1, 0, 0))
    torso.add_joint(name="z", type=SLIDE, axis=(0, 0, 1))
    torso.add_geom(
        name="torso", type=BOX, size=TORSO_SIZE, pos=(0, 0, TORSO_SIZE[2]), material="plate", contype=1, conaffinity=0
    )
    add_cameras(torso, follow=(1.25, -0.75, 0.5), below=0.28)
    thigh = torso.add_body(name="thigh")
    _give_mass(thigh, params.thigh_mass, params.thigh_com, params.thigh_gyration)
    shank = thigh.add_body(name="shank", pos=(0, 0, -params.thigh_length))
    total = params.shank_mass + params.foot_mass  # the foot is a point of the shank
    com = (params.shank_mass * params.shank_com + params.foot_mass * params.shank_length) / total
    about_knee = params.shank_mass * (params.shank_com**2 + params.shank_gyration**2)
    about_knee += params.foot_mass * params.shank_length**2
    _give_mass(shank, total, com, np.sqrt(about_knee / total - com**2))
    links = {"hip": (thigh, params.thigh_length, "tripod_a"), "knee": (shank, params.shank_length, "tripod_b")}
    for (name, (body, length, material)), span in zip(links.items(), JOINT_RANGES, strict=True):
        body.add_joint(name=name, type=HINGE, axis=(0, -1, 0), range=span, limited=constrained)
        end = length if name == "hip" else length - 0.02  # inside the ball that is the foot
        draw_rod(body, body.name, (0, 0, 0), (0, 0, -end), 0.018, material)
    return shank


def _give_mass(body, mass: float, com: float, gyration: float) -> None:
    body.explicitinertial = True
    body.mass, body.ipos = mass, (0, 0, -com)
    body.inertia = (mass * gyration**2,) * 3  # only that about y matters in the plane (report, erratum 18)


def _add_motors(spec: mujoco.MjSpec, servo: bool, limited: bool) -> None:
    for k, (name, limit) in enumerate(zip(("hip", "knee"), TORQUE_LIMITS, strict=True)):
        motor = spec.add_actuator(name=name, target=name, trntype=JOINT)
        motor.ctrlrange, motor.ctrllimited = JOINT_RANGES[k] if servo else (-limit, limit), True
        if limited:
            add_speed_line(motor, limit, *SPEED_LINES[k], SERVO if servo else None)
            continue
        motor.forcerange, motor.forcelimited = (-limit, limit), True
        if servo:
            motor.set_to_position(kp=SERVO[0], kv=SERVO[1])
        else:
            motor.set_to_motor()
