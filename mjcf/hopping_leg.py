"""The hopping leg on its boom in MuJoCo, from the parameters of `tarsus.analytic.models.hopping_leg`.

Bodies `post`, `boom`, `thigh`, `shank`, each on its hinge `yaw`, `pitch`, `hip`, `knee`; the site `foot_0` is the foot.
Controls are the torques of hip and knee [N m].

The foot slides freely along the boom's radius and sticks tangentially. It is a capsule along the radius: MuJoCo's
contact between plane and capsule has its first tangent along the capsule, so that a contact pair with different
friction for each tangent turns with the boom. (An isotropic foot slips 16 to 24 mm where this one slides as it should,
and the leg hops 5 % too low and half as fast again.)

The capsule has practically no length: MuJoCo gives it a contact at each end, and two sticking points block the boom's
yaw. Ends 0.2 mm apart already do, with opposing forces of 7 kN: the foot then creeps 2.4 mm tangentially in a stance at
1.5 m/s, which lasts 0.15 % longer than with ends that coincide.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams, start_angles
from ..analytic.terrain import Terrain, make
from .kinds import CAPSULE, HINGE, JOINT, TRACK
from .look import add_lamp, draw_foot, draw_rod, look_at
from .parts import add_end_stops, add_foot_sensors, add_speed_line, new_spec
from .presets import Preset, find
from .terrain import add_ground

START = "start"  # keyframe: at rest, foot in the air
# Of hip and knee [rad]: the thigh does not rise above the boom's tip, and the knee bends one way, from folded on.
JOINT_RANGES = ((-0.5 * np.pi, 0.5 * np.pi), (-2.9, 0.0))
STOP_STIFFNESS = 1000.0  # of their end stops: the motors push 0.03 rad into them [N m/rad]
HALF_LENGTH = 1e-8  # of the foot's capsule, which must have a direction [m]
# Parameters that `take_parameters` can change in a compiled model and an environment may draw at random.
RANDOMISABLE = ("g", "mass", "com", "inertia", "rotor_inertia", "motor_constant", "resistance", "voltage")
RANDOMISABLE += ("max_shaft_torque",)


@dataclass(frozen=True)
class HoppingPreset(Preset):
    """Settings of this machine; `toe_radius` is the capsule's.

    The first entry of `solimp`, the impedance at the onset of contact, is small. With MuJoCo's default 0.9 a foot that
    rises by a micrometre loses its whole force from one step to the next, falls, and is thrown up again: the contact
    chatters, and a sampled controller detects false liftoffs.
    """

    impratio: float = 1.0
    friction: tuple[float, float] = (1e-5, 100.0)  # radial, tangential


PRESETS: dict[str, Preset] = {
    "reference": HoppingPreset(
        timestep=2e-5, integrator="implicitfast", solref=(0.0005, 1.0), solimp=(0.0, 0.95, 1e-5), toe_radius=2e-4
    ),
    "rl": HoppingPreset(
        timestep=1e-3,
        integrator="implicitfast",
        solref=(0.004, 1.0),
        solimp=(0.2, 0.95, 0.001),
        toe_radius=0.01,
        friction=(0.02, 1.5),
        tolerance=1e-8,
        follow_period=0.005,
    ),
}


def build(
    params: HoppingLegParams | None = None,
    terrain: str | Terrain = "flat",
    preset: str | Preset = "reference",
    stops: bool = False,
) -> mujoco.MjSpec:
    """Return the leg on its boom on a terrain as a spec, to be changed and compiled.

    Args:
        params: The leg. In the motor mode `current` the torque-speed limit is inside the physics step.
        terrain: A terrain or a name from `analytic.terrain.TERRAINS`.
        preset: Settings or a name from `PRESETS` of this module.
        stops: Whether hip and knee have end stops, see `JOINT_RANGES`.

    Raises:
        ValueError: If a name is unknown.
    """
    params = HoppingLegParams() if params is None else params
    ground, preset = make(terrain), find(preset, PRESETS)
    spec = new_spec("hopping_leg", preset, params.g)
    stands_on = add_ground(spec, ground, preset, 1.0, 1)
    shank = _add_links(spec, params)
    _add_foot(spec, shank, params, preset, stands_on[0])
    _add_motors(spec, params)
    if stops:
        add_end_stops(spec, dict(zip(("hip", "knee"), JOINT_RANGES, strict=True)), STOP_STIFFNESS)
    add_foot_sensors(spec, stands_on)
    spec.add_key(name=START, qpos=start_angles(params))
    return spec


def _add_links(spec: mujoco.MjSpec, params: HoppingLegParams):
    """Add the chain of four hinged links; return the last."""
    joints = (
        ("post", "yaw", (0, 0, 1), (0, 0, params.HB)),
        ("boom", "pitch", (0, 1, 0), (0, 0, 0)),
        ("thigh", "hip", (1, 0, 0), (params.LB, params.DB, 0)),
        ("shank", "knee", (1, 0, 0), (0, 0, -params.LH)),
    )
    body = spec.worldbody
    for k, (name, joint, axis, pos) in enumerate(joints):
        body = body.add_body(name=name, pos=pos)
        body.explicitinertial = True
        body.mass, body.ipos, body.fullinertia = params.mass[k], params.com[k], params.inertia[k]
        hinge = body.add_joint(name=joint, type=HINGE, axis=axis)
        if k >= 2:
            hinge.armature, hinge.damping = params.armature[k - 2], (params.damping[k - 2], 0, 0)
        _draw_link(body, params)
        if name == "thigh":
            _add_views(spec, body)
    return body


def _draw_link(body, params: HoppingLegParams) -> None:
    """Draw post, boom, thigh or shank, whichever the body's name is; the boom with what stands out to the hip."""
    origin, tip, hip = (0, 0, 0), (params.LB, 0, 0), (params.LB, params.DB, 0)
    rods = {
        "post": [("post", (0, 0, -params.HB), origin, 0.02, "dark")],
        "boom": [("boom", origin, tip, 0.012, "tripod_b"), ("bracket", tip, hip, 0.02, "dark")],
        "thigh": [("thigh", origin, (0, 0, -params.LH), 0.018, "plate")],
        "shank": [("shank", origin, (0, 0, 0.012 - params.shank), 0.011, "plate")],
    }
    for rod in rods[body.name]:
        draw_rod(body, *rod)


def _add_views(spec: mujoco.MjSpec, thigh) -> None:
    """Add the cameras `follow` and `side`, which move with the thigh, `overview`, which is fixed, and a light."""
    for camera, pos in (("follow", (1.1, -0.7, 0.35)), ("side", (1.5, 0.0, 0.0))):
        thigh.add_camera(name=camera, mode=TRACK, pos=pos, **look_at(pos))
    add_lamp(thigh)
    above = np.array((0.0, -2.6, 1.9))
    spec.worldbody.add_camera(name="overview", pos=above, **look_at(above))


def _add_foot(spec: mujoco.MjSpec, shank, params: HoppingLegParams, preset: Preset, stands_on: str) -> None:
    foot = (0, 0, -params.shank)
    shank.add_geom(
        name="toe_0",
        type=CAPSULE,
        size=(preset.toe_radius, HALF_LENGTH, 0),
        pos=foot,
        quat=(np.sqrt(0.5), 0, np.sqrt(0.5), 0),  # the capsule's own axis is z
        contype=0,
        conaffinity=0,
    )
    shank.add_site(name="foot_0", pos=foot, size=(preset.toe_radius,) * 3, rgba=(0.1, 0.1, 0.1, 1))
    draw_foot(shank, 0, foot, 0.012)
    radial, tangential = preset.friction
    spec.add_pair(
        name="foot_0",
        geomname1=stands_on,
        geomname2="toe_0",
        condim=3,
        friction=(radial, tangential, 0, 0, 0),
        solref=preset.solref,
        solimp=(*preset.solimp, 0.5, 2),
    )


def _add_motors(spec: mujoco.MjSpec, params: HoppingLegParams) -> None:
    for k, joint in enumerate(("hip", "knee")):
        motor = spec.add_actuator(name=joint, target=joint, trntype=JOINT)
        if params.motor_mode == "current":
            stall = params.stall_torque[k]
            add_speed_line(motor, params.rated_torque[k], stall, stall / params.back_emf[k])
        else:
            peak = params.torque_limits[0, k]
            motor.set_to_motor()
            motor.ctrlrange = (-peak, peak)
            motor.ctrllimited = params.motor_mode == "voltage"


class FootAxis:
    """Keeps the foot's sliding direction radial, as in the exact model: from the boom's axis to the foot.

    Otherwise the capsule turns with the boom, by 0.2 rad in a stance at 1.5 m/s, and the foot slides in its direction:
    5 mm tangentially in that stance, after which the boom turns 1 % too fast. With this class the foot creeps 0.6 mm.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        geom = model.geom("toe_0")
        self._quat, self._body, self._site = geom.quat, int(geom.bodyid[0]), model.site("foot_0").id
        self._local = np.empty(3)

    def follow(self, data: mujoco.MjData) -> None:
        """Align the capsule for the foot position in `data`; call it before every physics step."""
        x, y, _ = data.site_xpos[self._site]
        mujoco.mju_mulMatTVec(self._local, data.xmat[self._body].reshape(3, 3), np.array([x, y, 0.0]))
        mujoco.mju_quatZ2Vec(self._quat, self._local)
