"""BigANT in MuJoCo, from the parameters of `tarsus.analytic.models.bigant`.

A body `torso` on the free joint `root`; for leg i a body `mount_i` on the sprung vertical slide `leg_i` (positive when
the leg gives way upward), which carries the crank on the driven hinge `shaft_i` and the rocker on the hinge `rocker_i`;
on the crank the coupler with the foot, on the hinge `coupler_i`. All hinges turn about +y. The equality `loop_i` holds
coupler and rocker together at their pin. So `qpos` after the root is leg, shaft, coupler and rocker of each leg; only
states with closed loops are valid: `start_state` computes them for any shaft angles.

MuJoCo's loop constraints are soft, like its contacts. A `connect` constrains the pin in all three axes, redundantly in
the one across the plane, which the solver can handle.
"""

import mujoco
import numpy as np

from ..analytic.models.bigant import N_LEGS, BigAntParams, Linkage, foot_positions, linkage
from ..analytic.terrain import Flat, Terrain, make
from .kinds import BOX, HINGE, SITE, SLIDE
from .look import add_cameras, add_nose, draw_box, draw_rod
from .parts import SERVO_INPUTS, add_foot, add_foot_sensors, add_imu, add_servo, make_box, make_point_mass, new_spec
from .presets import Preset, find
from .terrain import add_ground, stand

PLATE = (0.27, 0.11, 0.006)  # half extents of the chassis [m]; drawn, and what hits the ground in a fall
LOOP_SOLIMP = (0.9, 0.999, 1e-4)  # a loop cannot lift off, so it is stiff from the start, as a contact must not be
START = "start"  # keyframe: at rest, all shafts at mid-stance
# Parameters that `take_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("body_mass", "mount_mass", "coupler_mass", "leg_k", "leg_d", "friction_coeff", "g", "KP", "KD", "armature"),
)


def build(
    params: BigAntParams | None = None, terrain: str | Terrain = "flat", preset: str | Preset = "reference"
) -> mujoco.MjSpec:
    """Return BigANT on its terrain as a spec, to be changed and compiled.

    Args:
        params: The robot.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`.
        preset: Settings or a name from `presets.PRESETS`.

    Raises:
        ValueError: If a name is unknown, or the timestep is too long for the mounts' springs (omega h < 2).
    """
    params = BigAntParams() if params is None else params
    ground, preset = make(terrain), find(preset)
    preset.check_timestep(np.sqrt(params.leg_k / params.mount_mass), "the legs' springs")
    spec = new_spec("bigant", preset, params.g)
    stands_on = add_ground(spec, ground, preset, params.friction_coeff, N_LEGS)
    torso = _add_torso(spec, params)
    for leg in range(N_LEGS):
        _add_leg(spec, torso, params, leg, preset, ground)
        add_servo(spec, f"shaft_{leg}", params.motor, params.KP, params.KD)
    add_foot_sensors(spec, stands_on)
    add_imu(spec, torso)
    ctrl = np.zeros((N_LEGS, len(SERVO_INPUTS)))
    spec.add_key(name=START, qpos=start_state(params, ground), ctrl=ctrl.ravel())
    return spec


def start_state(params: BigAntParams, ground: Terrain | None = None, shaft: np.ndarray | None = None) -> np.ndarray:
    """Return the start `qpos`, shape (31,): loops closed, springs at rest, the lowest foot just touching the ground.

    Args:
        params: The robot.
        ground: The terrain; flat by default.
        shaft: Shaft angles, shape (6,) [rad]; mid-stance by default.
    """
    shaft = np.zeros(N_LEGS) if shaft is None else np.asarray(shaft, float)
    pose = stand(foot_positions(params, shaft), Flat() if ground is None else ground)
    return np.concatenate([pose, leg_joints(params, shaft).ravel()])


def leg_joints(params: BigAntParams, shaft: np.ndarray) -> np.ndarray:
    """Return leg, shaft, coupler and rocker joint at shaft angles of any shape, springs at rest, shape (..., 4).

    The coupler's joint is relative to the crank, so it unwinds as the shaft turns.
    """
    coupler, rocker = (
        angle - rest for angle, rest in zip(_directions(params, shaft), _directions(params, 0.0), strict=True)
    )
    wrapped = np.remainder(coupler + np.pi, 2 * np.pi) - np.pi
    return np.stack([np.zeros_like(shaft), shaft, wrapped - shaft, rocker], axis=-1)


def _directions(params: BigAntParams, shaft) -> tuple[np.ndarray, np.ndarray]:
    """Return the directions of coupler and rocker about +y [rad]; neither makes full turns."""
    at = linkage(params, shaft)
    bar, lever = at.rocker_pin - at.crank_pin, at.rocker_pin - (params.pivot_x, params.pivot_z)
    return np.arctan2(bar[..., 0], bar[..., 1]), np.arctan2(lever[..., 0], lever[..., 1])


def _add_torso(spec: mujoco.MjSpec, params: BigAntParams):
    torso = spec.worldbody.add_body(name="torso", pos=(0, 0, 0.1))
    make_box(torso, params.body_mass, np.array(PLATE))
    torso.add_freejoint(name="root")
    torso.add_geom(name="torso", type=BOX, size=PLATE, material="plate", contype=1, conaffinity=0)
    add_nose(torso, (0.012, 0.03, 0.008), (PLATE[0] + 0.012, 0, 0.008))
    for leg, (x, y, _) in enumerate(params.shafts):
        inward = np.sign(y) * (params.half_width - 0.055)
        draw_box(torso, f"motor_{leg}", (0.033, 0.023, 0.02), (x, inward, 0.01), "dark")
    add_cameras(torso, follow=(0.6, -0.85, 0.35), side=(0.0, -1.2, 0.1))
    return torso


def _add_leg(spec: mujoco.MjSpec, torso, params: BigAntParams, leg: int, preset: Preset, ground: Terrain) -> None:
    at = linkage(params, 0.0)
    mount = torso.add_body(name=f"mount_{leg}", pos=params.shafts[leg])
    make_point_mass(mount, params.mount_mass)
    mount.add_joint(
        name=f"leg_{leg}", type=SLIDE, axis=(0, 0, 1), stiffness=(params.leg_k, 0, 0), damping=(params.leg_d, 0, 0)
    )
    crank = _add_link(mount, f"crank_{leg}", (0, 0), at.crank_pin, params.crank_mass, f"shaft_{leg}")
    crank.joints[0].armature = params.armature
    coupler = _add_link(crank, f"coupler_{leg}", at.crank_pin, at.rocker_pin, params.coupler_mass, f"coupler_{leg}")
    pivot = (params.pivot_x, params.pivot_z)
    rocker = _add_link(mount, f"rocker_{leg}", pivot, at.rocker_pin, params.rocker_mass, f"rocker_{leg}")
    _add_coupler_triangle(coupler, at, leg)
    add_foot(coupler, leg, preset.toe_radius, ground, _xyz(at.foot - at.crank_pin))
    for body, name, origin in ((coupler, "pin", at.crank_pin), (rocker, "socket", pivot)):
        body.add_site(
            name=f"{name}_{leg}", pos=_xyz(at.rocker_pin - origin), size=(0.004,) * 3, rgba=(0.1, 0.1, 0.1, 1)
        )
    spec.add_equality(
        name=f"loop_{leg}",
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=SITE,
        name1=f"pin_{leg}",
        name2=f"socket_{leg}",
        solref=(preset.solref[0], 1.0),
        solimp=(*LOOP_SOLIMP, 0.5, 2),
    )


def _xyz(point) -> tuple[float, float, float]:
    """Return a point (x, z) of a leg's plane in space."""
    return point[0], 0.0, point[1]


def _add_link(parent, name: str, start, end, mass: float, joint: str):
    """Add a slender rod between two points of the leg's plane, given from the shaft, hinged at its start."""
    rod = np.subtract(end, start)
    body = parent.add_body(name=name, pos=_xyz(start))
    length = np.hypot(*rod)
    body.explicitinertial = True
    body.mass, body.ipos = mass, _xyz(0.5 * rod)
    thin = mass * length**2 / 12
    body.inertia = (thin, thin, thin)
    body.add_joint(name=joint, type=HINGE, axis=(0, 1, 0))
    draw_rod(body, name, (0, 0, 0), _xyz(rod), 0.005, "dark")
    return body


def _add_coupler_triangle(coupler, at: Linkage, leg: int) -> None:
    """Draw the two sides of the coupler that go to the foot."""
    foot, pin = at.foot - at.crank_pin + (0, 0.007), at.rocker_pin - at.crank_pin  # inside the ball that is the foot
    for name, start in (("shank", (0.0, 0.0)), ("brace", pin)):
        draw_rod(coupler, f"{name}_{leg}", _xyz(start), _xyz(foot), 0.006, "tripod_a" if leg % 2 == 0 else "tripod_b")
