"""The multipod in MuJoCo, from the parameters of `tarsus.analytic.models.multipod`.

A body `torso`, the whole rigid spine, on the free joint `root`; for segment k a body `axle_k` with the driven hinges
`yaw_k` (about +z) and, after it, `roll_k` (about +x); on it for each of its legs i a body `leg_i` with the sprung hinge
`leaf_i`, positive when the foot gives way upward. So `qpos` after the root is yaw, roll, left and right leaf of every
segment. Servos are `dcmotor` actuators with the inputs position, velocity and torque, in this order for each hinge.

The leaf bends in one plane and is rigid in yaw: a hinge placed by Howell's pseudo-rigid-body model of a cantilever,
with the parameters' stiffness at the foot.
"""

import mujoco
import numpy as np

from ..analytic.models.multipod import MultipodParams, foot_positions
from ..analytic.terrain import Flat, Terrain, make
from .kinds import BOX, HINGE, LIMITED
from .look import add_cameras, add_nose, draw_box
from .parts import SERVO_INPUTS, add_foot, add_foot_sensors, add_imu, add_servo, make_box, make_point_mass, new_spec
from .presets import Preset, find
from .terrain import add_ground, stand

JOINTS = ("yaw", "roll")  # the driven joints of a segment, in the order of `qpos` and of the actuators
SPINE = (0.035, 0.02)  # half width and half height of the spine [m]; drawn, and what hits the ground in a fall
AXLE = (0.03, 0.02)  # half length and half height of an axle [m]; its half width is the leaf's root
START = "start"  # keyframe: at rest, all joints at zero
# Parameters that `take_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("segment_mass", "axle_mass", "leg_mass", "leaf_k", "leaf_d", "friction_coeff", "g", "KP", "KD", "armature"),
)


def build(
    params: MultipodParams | None = None, terrain: str | Terrain = "flat", preset: str | Preset = "reference"
) -> mujoco.MjSpec:
    """Return the multipod on its terrain as a spec, to be changed and compiled.

    Args:
        params: The robot.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`.
        preset: Settings or a name from `presets.PRESETS`.

    Raises:
        ValueError: If a name is unknown, or the timestep is too long for the leaf springs (omega h < 2).
    """
    params = MultipodParams() if params is None else params
    ground, preset = make(terrain), find(preset)
    preset.check_timestep(np.sqrt(params.leaf_k / params.leg_mass), "the leaf springs")
    spec = new_spec(f"multipod_{params.n_legs}", preset, params.g)
    stands_on = add_ground(spec, ground, preset, params.friction_coeff, params.n_legs)
    torso = _add_torso(spec, params)
    for segment in range(params.n_segments):
        axle = _add_axle(spec, torso, params, segment)
        for leg in (2 * segment, 2 * segment + 1):
            _add_leg(axle, params, leg, preset.toe_radius, ground)
    add_foot_sensors(spec, stands_on)
    add_imu(spec, torso)
    ctrl = np.zeros((params.n_segments, len(JOINTS), len(SERVO_INPUTS)))
    spec.add_key(name=START, qpos=start_state(params, ground), ctrl=ctrl.ravel())
    return spec


def start_state(params: MultipodParams, ground: Terrain | None = None, angles: np.ndarray | None = None) -> np.ndarray:
    """Return the start `qpos`, shape (7 + 2 n_legs,), leaf springs at rest and the lowest foot just touching.

    Args:
        params: The robot.
        ground: The terrain; flat by default.
        angles: Yaw and roll, shape (n_segments, 2) [rad]; zero by default.
    """
    angles = np.zeros((params.n_segments, len(JOINTS))) if angles is None else np.asarray(angles, float)
    joints = np.zeros((params.n_segments, 4))
    joints[:, :2] = angles
    pose = stand(foot_positions(params, angles), Flat() if ground is None else ground)
    return np.concatenate([pose, joints.ravel()])


def _add_torso(spec: mujoco.MjSpec, params: MultipodParams):
    half = np.array([0.5 * params.segment_length * params.n_segments, *SPINE])
    torso = spec.worldbody.add_body(name="torso", pos=(0, 0, params.height))
    make_box(torso, params.segment_mass * params.n_segments, half)
    torso.add_freejoint(name="root")
    for segment, x in enumerate(params.axle_x):
        torso.add_geom(
            name=f"segment_{segment}",
            type=BOX,
            size=(0.47 * params.segment_length, *SPINE),
            pos=(x, 0, 0),
            material="plate",
            contype=1,
            conaffinity=0,
        )
    add_nose(torso, (0.012, 0.02, 0.008), (half[0] + 0.01, 0, 0.008))
    far = 0.42 + 0.95 * half[0]
    add_cameras(torso, follow=(0.8 * far, -1.1 * far, 0.7 * far), side=(0.0, -1.6 * far, 0.15))
    return torso


def _add_axle(spec: mujoco.MjSpec, torso, params: MultipodParams, segment: int):
    half = np.array([AXLE[0], params.root_width, AXLE[1]])
    axle = torso.add_body(name=f"axle_{segment}", pos=(params.axle_x[segment], 0, 0))
    make_box(axle, params.axle_mass, half)
    for joint, axis, limit in zip(JOINTS, ((0, 0, 1), (1, 0, 0)), (params.yaw_range, params.roll_range), strict=True):
        name = f"{joint}_{segment}"
        axle.add_joint(
            name=name, type=HINGE, axis=axis, range=(-limit, limit), limited=LIMITED, armature=params.armature
        )
        add_servo(spec, name, params.motor, params.KP, params.KD)
    draw_box(axle, f"axle_{segment}", half, (0, 0, 0), "dark")
    return axle


def _add_leg(axle, params: MultipodParams, leg: int, radius: float, ground: Terrain) -> None:
    side = params.side[leg]
    y, z = params.pivot
    foot = np.array([0.0, side * params.lever, -params.height - z])  # from the pivot
    body = axle.add_body(name=f"leg_{leg}", pos=(0, side * y, z))
    make_point_mass(body, params.leg_mass, foot)
    body.add_joint(
        name=f"leaf_{leg}",
        type=HINGE,
        axis=(side, 0, 0),
        stiffness=(params.leaf_k * params.lever**2, 0, 0),
        damping=(params.leaf_d * params.lever**2, 0, 0),
    )
    add_foot(body, leg, radius, ground, foot)
    root = (0, side * params.root_width, -params.root_drop)
    material = "tripod_a" if (leg + leg // 2) % 2 == 0 else "tripod_b"
    _draw_leaf(axle, f"root_{leg}", np.array(root), np.array([0, side * y, z]), material)
    _draw_leaf(body, f"leaf_{leg}", np.zeros(3), foot, material)


def _draw_leaf(body, name: str, start: np.ndarray, end: np.ndarray, material: str) -> None:
    """Draw a flat strip between two points of the body's plane x = 0."""
    _, y, z = end - start
    slope = np.arctan2(z, y)
    half, quat = (0.013, 0.5 * np.hypot(y, z), 0.002), (np.cos(0.5 * slope), np.sin(0.5 * slope), 0, 0)
    draw_box(body, name, half, 0.5 * (start + end), material, quat)
