"""The compliant hexapod in MuJoCo, from the parameters of `tarsus.analytic.models.hexapod`.

A body `torso` on the free joint `root`; for leg i a body `toe_i` with the joints `hip_i` (phi, about +x), `splay_i`
(theta, about -y) and `leg_i` (rho, along -z), which together are the spherical kinematics of the documents exactly.
Hips are driven by `dcmotor` actuators with the inputs position, velocity and torque, in this order for each leg.

A leg has no inertia except its toe's point mass. Its visible parts have no mass and no contact.
"""

from dataclasses import replace

import mujoco
import numpy as np

from ..analytic.models.hexapod import N_LEGS, HexapodParams
from ..analytic.terrain import Terrain, make
from . import half_circle
from .hexapod_state import START, start_state
from .kinds import BOX, HINGE, SLIDE
from .look import HIDDEN, PARTS, add_cameras, add_nose, draw_box, draw_rod
from .parts import SERVO_INPUTS, add_foot, add_foot_sensors, add_imu, add_servo, make_point_mass, new_spec
from .presets import PRESETS, Preset, find
from .strut import draw_foot, draw_strut
from .terrain import add_ground

STIFF = 5.0  # rate of the hips' damping, in timesteps of the preset `rl`, from which it is too coarse
TORSO_SIZE = (0.075, 0.25, 0.03)  # half extents of the plate [m]; drawn, and what hits the ground in a fall
# Parameters that `take_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("body_mass", "leg_mass", "friction_coeff", "g", "max_torque", "max_speed"),
    *("rho_k", "rho_d", "rho_r0", "theta_k", "theta_d", "theta_r0", "J", "KP", "KD"),
)


def build(
    params: HexapodParams | None = None,
    terrain: str | Terrain | None = None,
    preset: str | Preset = "reference",
    legs: str = "toes",
) -> mujoco.MjSpec:
    """Return the hexapod on its terrain as a spec, to be changed and compiled.

    Compile it with `compile_model` of this package instead of `spec.compile()`: Table 2's inertia violates the triangle
    inequality that MuJoCo checks, so it is stored in the numeric `torso_inertia` and set after compilation.

    Args:
        params: The robot.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`; by default the parameters' own.
        preset: Settings or a name from `presets.PRESETS`.
        legs: One of `half_circle.LEGS`: legs that end in toes, or that roll along an arc, on planes and stairs.

    Raises:
        ValueError: If a name is unknown, the timestep is too long for the leg springs (omega h < 2), or the ground is
            not for these legs.
    """
    params = HexapodParams() if params is None else params
    ground = params.terrain if terrain is None else make(terrain)
    preset = find(preset)
    _check_timestep(params, preset)
    half_circle.check(legs)
    rolls = legs != "toes"
    spec = new_spec("hexapod", preset, params.g)
    under, stands_on = _add_ground(spec, ground, preset, params.friction_coeff, rolls)
    torso = _add_torso(spec, params)
    for leg in range(N_LEGS):
        _add_leg(spec, torso, params, leg, preset.toe_radius, under, rolls)
        add_servo(spec, f"hip_{leg}", params.motor, params.KP, params.KD)
    add_foot_sensors(spec, stands_on, "body" if rolls else "geom")
    add_imu(spec, torso)
    _add_start(spec, params, ground, legs)
    return spec


def _add_ground(spec, ground: Terrain, preset: Preset, friction: float, rolls: bool) -> tuple[Terrain, list[str]]:
    """Add the ground; return the terrain that the feet's contact bits are for, and what each stands on."""
    if not rolls:
        return ground, add_ground(spec, ground, preset, friction, N_LEGS)
    under = half_circle.plane_under(ground)
    add_ground(spec, under, preset, friction, N_LEGS)
    if under is not ground:
        half_circle.add_stairs(spec, ground, preset, friction)
    return under, ["world"] * N_LEGS  # all that does not move


def presets_of(params: HexapodParams) -> dict[str, Preset]:
    """Return the presets by name, `rl` in half the steps where hips damp the toes faster than it can follow.

    Of RHex, at 4700 1/s, the swinging hips' torques would come out half as large again, and their power five times;
    of Table 2's robot the rate is 1250 1/s.
    """
    fastest = np.max(params.KD / (params.leg_mass * params.rho_r0**2))
    if fastest * PRESETS["rl"].timestep <= STIFF:
        return PRESETS
    return PRESETS | {"rl": replace(PRESETS["rl"], timestep=0.5 * PRESETS["rl"].timestep)}


def _check_timestep(params: HexapodParams, preset: Preset) -> None:
    """Refuse a timestep at which an explicitly integrated leg spring is unstable."""
    inertia = params.leg_mass * params.rho_r0**2  # of the toe about the hip
    frequency = np.sqrt(np.max([params.rho_k / params.leg_mass, params.theta_k / inertia, params.KP / inertia]))
    preset.check_timestep(frequency, "the stiffest leg spring")


def _add_torso(spec: mujoco.MjSpec, params: HexapodParams):
    moments, axes = np.linalg.eigh(params.J)
    axes[:, 0] *= np.sign(np.linalg.det(axes))  # right-handed
    spec.add_numeric(name="torso_inertia", data=moments)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, axes.ravel())
    torso = spec.worldbody.add_body(name="torso", pos=(0, 0, 0.2))
    torso.explicitinertial = True
    torso.mass = params.body_mass
    torso.ipos = (0, 0, 0)
    torso.inertia = np.minimum(moments, (1 - 1e-12) * (moments.sum() - moments))  # the nearest a real body can have
    torso.iquat = quat
    torso.add_freejoint(name="root")
    torso.add_geom(
        name="torso",
        type=BOX,
        size=TORSO_SIZE,
        group=HIDDEN,  # the drawn chassis fills it
        contype=1,
        conaffinity=0,
    )
    _draw_chassis(torso, TORSO_SIZE, params.attach)
    add_nose(torso, (0.03, 0.012, 0.008), (0, TORSO_SIZE[1] + 0.012, 0.012))
    add_cameras(torso)
    return torso


def _add_leg(spec, torso, params: HexapodParams, leg: int, radius: float, ground: Terrain, rolls: bool) -> None:
    attach, length = params.attach[leg], params.rho_r0[leg]
    tripod = "tripod_a" if leg % 2 == 0 else "tripod_b"
    toe = torso.add_body(name=f"toe_{leg}", pos=attach - (0, 0, length))
    make_point_mass(toe, params.leg_mass)
    _add_leg_joints(toe, params, leg)
    add_foot(toe, leg, radius, ground, drawn=0.0)
    if rolls:
        half_circle.add_arc(toe, leg, length, tripod)
        return
    draw_foot(spec, f"foot_{leg}", toe.name)
    draw_strut(spec, f"leg_{leg}", "torso", toe.name, attach, length, tripod)


def _add_leg_joints(toe, params: HexapodParams, leg: int) -> None:
    """Add hip, splay and length of a leg, in this order: the documents' spherical coordinates."""
    length = params.rho_r0[leg]
    hinge = dict(type=HINGE, pos=(0, 0, length))
    toe.add_joint(name=f"hip_{leg}", axis=(1, 0, 0), **hinge)
    toe.add_joint(
        name=f"splay_{leg}",
        axis=(0, -1, 0),
        stiffness=(params.theta_k[leg], 0, 0),
        damping=(params.theta_d[leg], 0, 0),
        springref=params.theta_r0[leg],
        **hinge,
    )
    # The reference configuration has the leg at full length: at rho = 0 the toe's inverse weight would be wrong.
    toe.add_joint(
        name=f"leg_{leg}",
        type=SLIDE,
        axis=(0, 0, -1),
        ref=length,
        springref=length,
        stiffness=(params.rho_k[leg], 0, 0),
        damping=(params.rho_d[leg], 0, 0),
    )


def _add_start(spec: mujoco.MjSpec, params: HexapodParams, ground: Terrain, legs: str) -> None:
    """Add the keyframe that `start_state` describes."""
    qpos = start_state(params, ground, legs=legs)
    ctrl = np.zeros((N_LEGS, len(SERVO_INPUTS)))
    ctrl[:, 0] = qpos[7::3]
    spec.add_key(name=START, qpos=qpos, ctrl=ctrl.ravel())


PLATE, RAIL = 0.003, 0.007  # half thickness of a plate, half width of a rail [m]
MOTOR, SHAFT = 0.024, 0.013  # radii [m]
MOTOR_LENGTH = 0.05  # [m]


def _draw_chassis(torso, half, hips: np.ndarray) -> None:
    """Draw a body of half extents [m], which walks along y, with legs that turn about x at its hips (n, 3) [m]."""
    x, y, z = half
    for name, level in (("top", z - PLATE), ("bottom", PLATE - z)):
        torso.add_geom(
            name=name,
            type=BOX,
            size=(x, y if name == "bottom" else 0.86 * y, PLATE),
            pos=(0, 0, level),
            material="plate",
            contype=0,
            conaffinity=0,
            group=PARTS,
        )
    for side in (-1, 1):
        at = side * (x - RAIL)
        draw_box(torso, f"rail_{(side + 1) // 2}", (RAIL, y, 0.3 * z), (at, 0, 0), "metal")
    for number, at in enumerate((-0.55 * y, 0.4 * y)):
        draw_box(torso, f"battery_{number}", (0.42 * x, 0.22 * y, 0.7 * z), (0, at, 0), "battery")
    draw_box(torso, "computer", (0.5 * x, 0.2 * y, 0.25 * z), (0, 0.3 * y, z + 0.25 * z), "dark")
    draw_rod(torso, "aerial", (-0.6 * x, -0.7 * y, z), (-0.6 * x, -0.75 * y, 3.5 * z), 0.002, "dark")
    for leg, hip in enumerate(hips):
        _motor(torso, leg, hip, x)


def _motor(torso, leg: int, hip: np.ndarray, wall: float) -> None:
    """Draw the motor inside the wall, its flange outside, and the shaft to the hub that carries the leg."""
    out = np.array([np.sign(hip[0]), 0.0, 0.0])
    at = hip * (0, 1, 1) + wall * out
    rods = (
        (f"motor_{leg}", at - MOTOR_LENGTH * out, at + 0.004 * out, MOTOR, "dark"),
        (f"shaft_{leg}", at, hip, SHAFT, "metal"),
        (f"hip_{leg}", hip - 0.014 * out, hip + 0.014 * out, 0.85 * MOTOR, "dark"),
    )
    for name, start, end, radius, material in rods:
        draw_rod(torso, name, start, end, radius, material, flat=True)
