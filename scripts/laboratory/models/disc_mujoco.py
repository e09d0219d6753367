"""The disc with legs on its rim in MuJoCo, from the parameters of `disc`.

A body `torso` on the free joint `root`; for leg i a body `hip_i` on the slide `lift_i`, and on it `leg_i` on the hinges
`swing_i` (about +y) and, after it, `sway_i` (about +x). So `qpos` after the root is lift, swing, sway of each leg. The
slides have position servos (`ctrl`: the height), which are the legs' springs; the hinges have `dcmotor` servos with the
inputs position, velocity and torque. So `ctrl` has 1 + 3 + 3 entries for each leg.
"""

import mujoco
import numpy as np

from tarsus.analytic.terrain import Flat, Terrain, make
from tarsus.mjcf.kinds import CYLINDER, HINGE, JOINT, LIMITED, SLIDE
from tarsus.mjcf.look import add_cameras, add_nose, draw_rod
from tarsus.mjcf.parts import add_foot, add_foot_sensors, add_imu, add_servo, make_point_mass, new_spec
from tarsus.mjcf.presets import Preset, find
from tarsus.mjcf.terrain import add_ground, stand
from tarsus.scripts.laboratory.models.disc import DiscParams, foot_positions

JOINTS = ("lift", "swing", "sway")  # of a leg, in the order of `qpos` and of the actuators
THICKNESS = 0.01  # half of the disc's [m]
START = "start"  # keyframe: at rest, all joints at zero


def build(
    params: DiscParams | None = None, terrain: str | Terrain = "flat", preset: str | Preset = "reference"
) -> mujoco.MjSpec:
    """Return the disc on its terrain as a spec, to be changed and compiled.

    Args:
        params: The robot.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`.
        preset: Settings or a name from `presets.PRESETS`.

    Raises:
        ValueError: If a name is unknown, or the timestep is too long for the legs' springs (omega h < 2).
    """
    params = DiscParams() if params is None else params
    ground, preset = make(terrain), find(preset)
    preset.check_timestep(np.sqrt(params.lift_k / (params.hip_mass + params.foot_mass)), "the legs' springs")
    spec = new_spec(f"disc_{params.n_legs}", preset, params.g)
    stands_on = add_ground(spec, ground, preset, params.friction_coeff, params.n_legs)
    torso = _add_torso(spec, params)
    for leg in range(params.n_legs):
        _add_leg(spec, torso, params, leg, preset.toe_radius, ground)
    add_foot_sensors(spec, stands_on)
    add_imu(spec, torso)
    spec.add_key(name=START, qpos=start_state(params, ground))
    return spec


def start_state(params: DiscParams, ground: Terrain | None = None, joints: np.ndarray | None = None) -> np.ndarray:
    """Return the start `qpos`, shape (7 + 3 n_legs,), the lowest foot just touching the ground.

    Args:
        params: The robot.
        ground: The terrain; flat by default.
        joints: Lift, swing and sway, shape (n_legs, 3) [m, rad, rad]; zero by default.
    """
    joints = np.zeros((params.n_legs, 3)) if joints is None else np.asarray(joints, float)
    pose = stand(foot_positions(params, joints), Flat() if ground is None else ground)
    return np.concatenate([pose, joints.ravel()])


def _add_torso(spec: mujoco.MjSpec, params: DiscParams):
    mass, radius = params.leg_share * params.n_legs, params.radius
    torso = spec.worldbody.add_body(name="torso", pos=(0, 0, params.leg_length))
    torso.explicitinertial = True
    across = mass * (radius**2 / 4 + THICKNESS**2 / 3)
    torso.mass, torso.ipos, torso.inertia = mass, (0, 0, 0), (across, across, 0.5 * mass * radius**2)
    torso.add_freejoint(name="root")
    torso.add_geom(name="torso", type=CYLINDER, size=(radius, THICKNESS, 0), material="plate", contype=1, conaffinity=0)
    add_nose(torso, (0.03, 0.02, 0.006), (0.7 * radius, 0, THICKNESS + 0.006))
    add_cameras(torso, follow=(0.55, -0.65, 0.4), side=(0.0, -1.1, 0.1))
    return torso


def _add_leg(spec: mujoco.MjSpec, torso, params: DiscParams, leg: int, radius: float, ground: Terrain) -> None:
    hip = torso.add_body(name=f"hip_{leg}", pos=params.hips[leg])
    make_point_mass(hip, params.hip_mass)
    body = hip.add_body(name=f"leg_{leg}")
    foot = (0.0, 0.0, -params.leg_length)
    make_point_mass(body, params.foot_mass, foot)
    kinds = (
        (hip, SLIDE, (0, 0, 1), 0.0),
        (body, HINGE, (0, 1, 0), params.armature),
        (body, HINGE, (1, 0, 0), params.armature),
    )
    for joint, (parent, kind, axis, armature), limit in zip(JOINTS, kinds, params.ranges, strict=True):
        parent.add_joint(
            name=f"{joint}_{leg}", type=kind, axis=axis, range=(-limit, limit), limited=LIMITED, armature=armature
        )
    lift = spec.add_actuator(name=f"lift_{leg}", target=f"lift_{leg}", trntype=JOINT)
    lift.set_to_position(kp=params.lift_k, kv=params.lift_d)
    for joint in JOINTS[1:]:
        add_servo(spec, f"{joint}_{leg}", params.motor, params.KP, params.KD)
    add_foot(body, leg, radius, ground, foot)
    draw_rod(
        body, f"leg_{leg}", (0, 0, 0), np.add(foot, (0, 0, 0.006)), 0.005, "tripod_a" if leg % 2 == 0 else "tripod_b"
    )
