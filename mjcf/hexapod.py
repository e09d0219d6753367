"""The compliant hexapod in MuJoCo, from the parameters of `tarsus.analytic.models.hexapod`.

A body `torso` on the free joint `root`; for leg i a body `toe_i` with the joints `hip_i` (phi, about +x), `splay_i`
(theta, about -y) and `leg_i` (rho, along -z), which together are the spherical kinematics of the documents exactly.
Hips are driven by `dcmotor` actuators with the inputs position, velocity and torque, in this order for each leg.

A leg has no inertia but its toe's point mass. Its parts drawn here weigh nothing and touch nothing.
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from ..analytic.models.hexapod import N_LEGS, HexapodParams, leg_vector, start_height
from ..analytic.terrain import Flat, Terrain, make
from .compile import compile_model
from .presets import Preset, find
from .terrain import FOOT_BIT, GROUND, add_ground, is_plane

TORSO_SIZE = (0.075, 0.25, 0.03)  # half extents of the plate [m]; drawn, and what hits the ground in a fall
TOE_INERTIA = 1e-9  # MuJoCo wants some [kg m^2]; a point toe has none
HIP_INPUTS = ("pos", "vel", "ff")  # the controls of each hip: angle [rad], speed [rad/s], torque [N m]
START = "start"  # keyframe: level, at rest, one tripod straight down and the other straight up


def build(
    params: HexapodParams | None = None, terrain: str | Terrain | None = None, preset: str | Preset = "reference"
) -> mujoco.MjSpec:
    """Return the hexapod on its terrain as a spec, to be changed and compiled.

    Compile it with `compile_model` of this package rather than with `spec.compile()`: Table 2's inertia breaks the
    triangle inequality that MuJoCo checks, so it is carried in the numeric `torso_inertia` and put in afterwards.

    Args:
        params: The robot.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`; by default the parameters' own.
        preset: Settings or a name from `presets.PRESETS`.

    Raises:
        ValueError: If a name is unknown, or the timestep is too long for the leg springs (omega h < 2).
    """
    params = HexapodParams() if params is None else params
    ground = params.terrain if terrain is None else make(terrain)
    preset = find(preset)
    _check_timestep(params, preset)
    spec = mujoco.MjSpec()
    spec.modelname = "hexapod"
    spec.compiler.degree = False
    preset.apply(spec.option)
    spec.option.gravity = (0, 0, -params.g)
    _add_look(spec)
    stands_on = add_ground(spec, ground, preset, params.friction_coeff, N_LEGS)
    torso = _add_torso(spec, params)
    for leg in range(N_LEGS):
        contype = 1 if is_plane(ground) else 1 << (FOOT_BIT + leg)
        _add_leg(spec, torso, params, leg, preset.toe_radius, contype)
        _add_hip_motor(spec, params, leg)
    _add_sensors(spec, stands_on)
    _add_start(spec, params, ground)
    return spec


def _check_timestep(params: HexapodParams, preset: Preset) -> None:
    """Refuse a timestep at which an explicitly integrated leg spring blows up."""
    inertia = params.leg_mass * params.rho_r0**2  # of the toe about the hip
    frequency = np.sqrt(np.max([params.rho_k / params.leg_mass, params.theta_k / inertia, params.KP / inertia]))
    largest = preset.largest_timestep(frequency)
    if not preset.timestep < largest:
        raise ValueError(
            f"timestep {preset.timestep:g} s is too long for the stiffest leg spring ({frequency:.0f} rad/s) with the "
            f"integrator {preset.integrator!r}: it must be under {largest:.3g} s, or the integrator 'discrete'"
        )


def _add_look(spec: mujoco.MjSpec) -> None:
    spec.visual.quality.shadowsize = 1024  # the default of 4096 and multisampling cost ten times the frame rate
    spec.visual.quality.offsamples = 0
    spec.visual.headlight.ambient = (0.35, 0.35, 0.35)
    spec.visual.headlight.diffuse = (0.45, 0.45, 0.45)
    spec.visual.global_.offwidth = 1280
    spec.visual.global_.offheight = 960
    spec.visual.map.znear = 0.01
    spec.visual.map.force = 0.005  # length of a drawn contact force [m/N]
    spec.stat.extent = 1.0
    spec.stat.center = (0, 0, 0.15)
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.75, 0.82, 0.88),
        rgb2=(0.95, 0.96, 0.97),
        width=128,
        height=768,
    )
    spec.add_material(name="plate", rgba=(0.82, 0.33, 0.16, 1), specular=0.4, shininess=0.5)
    spec.add_material(name="tripod_a", rgba=(0.93, 0.78, 0.35, 1))
    spec.add_material(name="tripod_b", rgba=(0.36, 0.62, 0.78, 1))
    spec.add_material(name="dark", rgba=(0.13, 0.14, 0.15, 1))
    vertices, faces = _c_leg()
    spec.add_mesh(
        name="c_leg",
        uservert=vertices.ravel(),
        userface=faces.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )


def _c_leg(length: float = 0.2, width: float = 0.02, thickness: float = 0.005, n: int = 12):
    """Return vertices and triangles of a curved strip: half a circle from toe (the origin) to hip (0, 0, length)."""
    arc = np.linspace(0.0, np.pi, n + 1)
    radial = np.stack([np.zeros(n + 1), np.sin(arc), -np.cos(arc)], axis=-1)  # (n + 1, 3)
    rims = [
        (0.5 * length + side_r * 0.5 * thickness) * radial + (side_x * 0.5 * width, 0, 0.5 * length)
        for side_x, side_r in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    vertices = np.stack(rims, axis=1).reshape(-1, 3)
    faces = []
    for k in range(n):
        for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
            a, b, c, d = 4 * k + a, 4 * k + b, 4 * k + 4 + b, 4 * k + 4 + a
            faces += [(a, c, b), (a, d, c)]
    end = 4 * n
    faces += [(0, 1, 2), (0, 2, 3), (end, end + 2, end + 1), (end, end + 3, end + 2)]
    return vertices.round(6), np.array(faces)


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
    torso.inertia = np.minimum(moments, moments.sum() - moments)  # the nearest that a real body can have
    torso.iquat = quat
    torso.add_freejoint(name="root")
    torso.add_geom(
        name="torso",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=TORSO_SIZE,
        material="plate",
        contype=1,
        conaffinity=0,
    )
    torso.add_geom(
        name="nose",  # shows which way is forward
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=(0.03, 0.012, 0.008),
        pos=(0, TORSO_SIZE[1] + 0.012, 0.012),
        material="dark",
        contype=0,
        conaffinity=0,
    )
    torso.add_site(name="imu", size=(0.01, 0.01, 0.01), rgba=(0, 0, 0, 0))
    torso.add_camera(
        name="follow", mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK, pos=(1.15, -0.7, 0.55), **_look_at((1.15, -0.7, 0.55))
    )
    torso.add_camera(
        name="side", mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK, pos=(1.3, 0.0, 0.1), **_look_at((1.3, 0.0, 0.15))
    )
    torso.add_light(
        name="lamp",
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK,
        pos=(0.6, -0.6, 2.5),
        dir=(-0.25, 0.25, -1),
        diffuse=(0.6, 0.6, 0.6),
        castshadow=True,
    )
    return torso


def _look_at(position) -> dict[str, np.ndarray]:
    """Return the orientation of a camera at `position` that looks at the origin with z up."""
    back = np.asarray(position) / np.linalg.norm(position)
    right = np.cross((0, 0, 1), back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    return {"quat": quat}


def _add_leg(spec: mujoco.MjSpec, torso, params: HexapodParams, leg: int, radius: float, contype: int) -> None:
    attach, length = params.attach[leg], params.rho_r0[leg]
    tripod = "tripod_a" if leg % 2 == 0 else "tripod_b"
    visual = dict(contype=0, conaffinity=0, group=1)
    torso.add_geom(
        name=f"hip_{leg}",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=(0.022, 0, 0),
        pos=attach,
        material="dark",
        **visual,
    )
    toe = torso.add_body(name=f"toe_{leg}", pos=attach - (0, 0, length))
    toe.explicitinertial = True
    toe.mass = params.leg_mass
    toe.ipos = (0, 0, 0)  # without it the compiler takes the geoms' centre
    toe.inertia = (TOE_INERTIA,) * 3
    hinge = dict(type=mujoco.mjtJoint.mjJNT_HINGE, pos=(0, 0, length))
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
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(0, 0, -1),
        ref=length,
        springref=length,
        stiffness=(params.rho_k[leg], 0, 0),
        damping=(params.rho_d[leg], 0, 0),
    )
    toe.add_geom(
        name=f"toe_{leg}",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=(radius, 0, 0),
        contype=contype,
        conaffinity=0,
        condim=3,
    )
    toe.add_geom(name=f"leg_{leg}", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="c_leg", material=tripod, **visual)
    toe.add_site(name=f"foot_{leg}", size=(0.012, 0.012, 0.012), rgba=(0.1, 0.1, 0.1, 1))


def _add_hip_motor(spec: mujoco.MjSpec, params: HexapodParams, leg: int) -> None:
    """Add the PD hip and its torque-speed limit, both inside the physics step.

    MuJoCo's motor drives the voltage that gives the torque asked for, back-EMF compensated, clamps it at the voltage
    whose no-load speed is the documents' and the torque at the documents' maximum. That is `Motor.limit` exactly.
    The voltage and resistance here are those of the limit line (erratum 21), not of the 12 V battery.
    """
    motor, inputs = params.motor, mujoco.mjtCtrlInput
    voltage = motor.voltage(0.0, motor.no_load_speed)
    hip = spec.add_actuator(name=f"hip_{leg}", target=f"hip_{leg}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    hip.set_to_dcmotor(
        motorconst=(0, 0),
        resistance=0,
        nominal=(voltage, motor.max_torque, motor.no_load_speed),
        saturation=(motor.max_torque, 0, 0),
        controller=(params.KP, 0, params.KD, 0, 0, voltage),
        ctrlspec=int(inputs.mjINPUT_POS) | int(inputs.mjINPUT_VEL) | int(inputs.mjINPUT_FF),
    )


def _add_sensors(spec: mujoco.MjSpec, stands_on: list[str]) -> None:
    """Add, per foot, whether it touches and the net force on it in the world frame; and the body's IMU."""
    data = mujoco.mjtConDataField
    fields = (1 << int(data.mjCONDATA_FOUND)) | (1 << int(data.mjCONDATA_FORCE))
    netforce, n_slots = 3, 1
    for leg in range(N_LEGS):
        spec.add_sensor(
            name=f"foot_{leg}",
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_GEOM,
            objname=stands_on[leg],
            reftype=mujoco.mjtObj.mjOBJ_GEOM,
            refname=f"toe_{leg}",
            intprm=[fields, netforce, n_slots],
        )
    kinds = {"gyro": mujoco.mjtSensor.mjSENS_GYRO, "accelerometer": mujoco.mjtSensor.mjSENS_ACCELEROMETER}
    for name, kind in kinds.items():
        spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="imu")


def _add_start(spec: mujoco.MjSpec, params: HexapodParams, ground: Terrain) -> None:
    """Add the keyframe that `start_state` describes."""
    qpos = start_state(params, ground)
    ctrl = np.zeros((N_LEGS, len(HIP_INPUTS)))
    ctrl[:, 0] = qpos[7::3]
    spec.add_key(name=START, qpos=qpos, ctrl=ctrl.ravel())


def start_state(params: HexapodParams, ground: Terrain | None = None) -> np.ndarray:
    """Return the start position `qpos`, shape (25,): level, legs where the clock wants them at t = 0, springs at rest.

    Order: body position (3) [m], quaternion (4), then hip angle, splay [rad] and length [m] of each leg.
    """
    angle, _ = params.gait.clock()(0.0)
    qpos = np.zeros(7 + 3 * N_LEGS)
    qpos[2] = start_height(params, ground or Flat(), angle)
    qpos[3] = 1.0
    qpos[7::3], qpos[8::3], qpos[9::3] = angle, params.theta_r0, params.rho_r0
    return qpos


def toe_positions(params: HexapodParams, qpos: np.ndarray) -> np.ndarray:
    """Return the toes' world positions in the state `qpos`, shape (6, 3) [m], without a simulator."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, qpos[3:7])
    toes_b = params.attach + leg_vector(qpos[8::3], qpos[7::3], qpos[9::3])
    return qpos[:3] + toes_b @ rotation.reshape(3, 3).T


# Parameters that `set_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = (
    *("body_mass", "leg_mass", "friction_coeff", "g", "max_torque", "max_speed"),
    *("rho_k", "rho_d", "rho_r0", "theta_k", "theta_d", "theta_r0", "J", "KP", "KD"),
)
_BODY_FIELDS = ("mass", "inertia", "pos", "iquat")
_ARRAYS = (
    *("qpos0", "qpos_spring", "jnt_pos", "jnt_stiffness", "jnt_stiffnesspoly", "dof_damping", "dof_dampingpoly"),
    *("actuator_gainprm", "actuator_biasprm", "actuator_dynprm", "actuator_forcerange"),
)


def set_parameters(model: mujoco.MjModel, params: HexapodParams, preset: str | Preset) -> None:
    """Give a compiled hexapod, on whatever terrain, other parameters, in place.

    They are copied from a hexapod built anew on flat ground, so that nothing is written down twice.
    """
    donor = compile_model(build(params, Flat(), preset))
    for body in range(1, donor.nbody):
        source = donor.body(body)
        for name in _BODY_FIELDS:
            getattr(model.body(source.name), name)[:] = getattr(source, name)
    for name in _ARRAYS:
        getattr(model, name)[:] = getattr(donor, name)
    model.opt.gravity[:] = donor.opt.gravity
    for geom in (model.geom(k) for k in range(model.ngeom)):
        if geom.name == GROUND or geom.name.startswith("patch_"):
            geom.friction[:] = donor.geom(GROUND).friction
    mujoco.mj_setConst(model, mujoco.MjData(model))


def xml() -> str:
    """Return the XML of the default hexapod, as `assets/hexapod.xml` keeps it."""
    spec = build()
    spec.compile()
    return spec.to_xml()


if __name__ == "__main__":
    (Path(__file__).parent / "assets" / "hexapod.xml").write_text(xml())
