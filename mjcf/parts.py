"""Parts shared by several machines: masses, a servo with its torque-speed limit, feet, and sensors."""

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np

from ..analytic.terrain import Terrain
from .feet import foot_of, lowering, toe
from .kinds import BODY, CONTACT, GEOM, JOINT, MESH, SITE, SPHERE
from .look import add_look, draw_foot
from .presets import Preset
from .terrain import add_ground, foot_bits

SERVO_INPUTS = ("pos", "vel", "ff")  # the controls of a servo: angle [rad], speed [rad/s], torque [N m]
FOUND, FORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND), 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
NETFORCE = 3  # a reduction: the sum of all forces, in the frame of the world
POINT_INERTIA = 1e-9  # MuJoCo wants some [kg m^2]; a point mass has none


def new_spec(name: str, preset: Preset, g: float) -> mujoco.MjSpec:
    """Return a model without bodies, with the settings of a preset, gravity [m/s^2], sky and materials."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    preset.apply(spec.option)
    spec.option.gravity = (0, 0, -g)
    add_look(spec)
    return spec


def add_servo(spec: mujoco.MjSpec, joint: str, motor, kp: float, kd: float) -> None:
    """Add a PD servo of a joint and its torque-speed limit, both inside the physics step; it has the joint's name.

    MuJoCo's motor applies the voltage that gives the commanded torque, with back-EMF compensation, clamped at the
    voltage of the motor's no-load speed, and clamps the torque at the motor's maximum. That is exactly `Motor.limit`.
    The voltage and resistance here are those of the limit line (erratum 21 of the hexapod), not of a battery.

    Args:
        spec: The model under construction.
        joint: A hinge of it.
        motor: An `analytic.motor.Motor`.
        kp: Stiffness [N m/rad].
        kd: Damping [N m s/rad].
    """
    inputs = mujoco.mjtCtrlInput
    voltage = motor.voltage(0.0, motor.no_load_speed)
    servo = spec.add_actuator(name=joint, target=joint, trntype=JOINT)
    servo.set_to_dcmotor(
        motorconst=(0, 0),
        resistance=0,
        nominal=(voltage, motor.max_torque, motor.no_load_speed),
        saturation=(motor.max_torque, 0, 0),
        controller=(kp, 0, kd, 0, 0, voltage),
        ctrlspec=int(inputs.mjINPUT_POS) | int(inputs.mjINPUT_VEL) | int(inputs.mjINPUT_FF),
    )


def add_speed_line(motor, peak: float, stall: float, no_load_speed: float, gains=None) -> None:
    """Limit an actuator's torque to its `peak`, and to a line that falls from `stall` to zero at the no-load speed.

    Args:
        motor: The actuator; its control is the torque [N m], or with gains the joint's angle [rad].
        peak: [N m].
        stall: [N m].
        no_load_speed: [rad/s].
        gains: Stiffness [N m/rad] and damping [N m s/rad] of the servo.
    """
    inputs, (kp, kd) = mujoco.mjtCtrlInput, gains or (0.0, 0.0)
    motor.set_to_dcmotor(
        motorconst=(0, 0),
        resistance=0,
        nominal=(1.0, stall, no_load_speed),  # the voltage is a unit of its own
        saturation=(peak, 0, 0),
        controller=(kp, 0, kd, 0, 0, 1.0),
        ctrlspec=int(inputs.mjINPUT_POS if gains else inputs.mjINPUT_FF),
    )


def add_end_stops(spec, ranges: dict[str, tuple[float, float]], stiffness: float) -> None:
    """Push hinges back into their ranges, each by a spring that acts outside only: a tendon with a dead band.

    Args:
        spec: The model.
        ranges: Lowest and highest angle, by joint [rad].
        stiffness: [N m/rad].
    """
    for joint, span in ranges.items():
        stop = spec.add_tendon(name=f"{joint}_stop", springlength=span, stiffness=(stiffness, 0, 0))
        stop.wrap_joint(joint, 1.0)


def make_point_mass(body, mass: float, at=(0.0, 0.0, 0.0)) -> None:
    """Give a body its mass [kg] at one point of its own frame [m]."""
    body.explicitinertial = True
    body.mass = mass
    body.ipos = at  # left unset, the compiler would put the mass at the offset that is the body's own `pos`
    body.inertia = (POINT_INERTIA,) * 3


def make_box(body, mass: float, half: np.ndarray) -> None:
    """Give a body the mass [kg] and inertia of a homogeneous box of these half extents, shape (3,) [m]."""
    square = mass / 3 * np.square(half)
    body.explicitinertial = True
    body.mass, body.ipos = mass, (0, 0, 0)
    body.inertia = square.sum() - square


def add_foot(body, leg: int, radius: float, terrain: Terrain, at=(0.0, 0.0, 0.0), drawn: float = 0.012) -> None:
    """Add the sphere `toe_i` that stands on the ground of this foot, and at its centre the site `foot_i`.

    A ball of the radius `drawn` [m] stands on the same point, unless that is 0.
    """
    contype, conaffinity = foot_bits(terrain, leg)
    body.add_geom(
        name=f"toe_{leg}", type=SPHERE, size=(radius, 0, 0), pos=at, contype=contype, conaffinity=conaffinity, condim=3
    )
    body.add_site(name=f"foot_{leg}", pos=at, size=(radius,) * 3, rgba=(0.1, 0.1, 0.1, 1))
    if drawn > 0:
        draw_foot(body, leg, at, drawn)


def add_foot_sensors(
    spec: mujoco.MjSpec, stands_on: list[str], kind: str = "geom", whole: Mapping[int, str] | None = None
) -> None:
    """Add the sensors `foot_i`: whether `toe_i` touches, and the net force on it in the world frame.

    Args:
        spec: The model under construction.
        stands_on: The name of the geom that each foot stands on.
        kind: "geom", or "body" where bodies are named and a whole leg may touch.
        whole: Bodies that are feet as a whole, by their number.
    """
    bodies = whole or {}
    of = {"geom": GEOM, "body": BODY}[kind]
    for leg, ground in enumerate(stands_on):
        foot = (BODY if leg in bodies else of), bodies.get(leg, f"toe_{leg}")
        add_contact_sensor(spec, f"foot_{leg}", (of, ground), foot, [FOUND | FORCE, NETFORCE, 1])


def add_contact_sensor(spec: mujoco.MjSpec, name: str, ground: tuple, part: tuple, reads: list[int]) -> None:
    """Add a sensor of contacts of two elements, each by kind and name; `reads`: fields, reduction and their number."""
    (objtype, objname), (reftype, refname) = ground, part
    of = dict(objtype=objtype, objname=objname, reftype=reftype, refname=refname)
    spec.add_sensor(name=name, type=CONTACT, **of, intprm=reads)


def foot_readings(model: mujoco.MjModel) -> slice:
    """Return the slice of `sensordata` of the sensors `foot_i`, four numbers each: touching or not, and the force."""
    first = int(model.sensor("foot_0").adr[0])
    n_feet = sum(model.sensor(k).name.startswith("foot_") for k in range(model.nsensor))
    return slice(first, first + 4 * n_feet)


def add_imu(spec: mujoco.MjSpec, torso) -> None:
    """Add the site `imu` at the torso's origin, with a gyroscope and an accelerometer."""
    torso.add_site(name="imu", size=(0.01, 0.01, 0.01), rgba=(0, 0, 0, 0))
    kinds = {"gyro": mujoco.mjtSensor.mjSENS_GYRO, "accelerometer": mujoco.mjtSensor.mjSENS_ACCELEROMETER}
    for name, kind in kinds.items():
        spec.add_sensor(name=name, type=kind, objtype=SITE, objname="imu")


def put_on_ground(
    spec: mujoco.MjSpec, feet: Sequence[str | Sequence[str]], terrain: Terrain, preset: Preset, friction: float = 1.0
) -> None:
    """Put a user's machine on a terrain with a preset's contact, and give its feet names, contact bits and sensors.

    Args:
        spec: The machine, without its ground.
        feet: The names of the geoms that are its feet, or of several of a body that are one; `toe_i` afterwards, in
            this order. A foot of several has all geoms of its body that may touch anything.
        terrain: The terrain.
        preset: Settings of contact and timestep; its `toe_radius` is not used.
        friction: Coefficient of the ground.

    Raises:
        ValueError: If there is no foot of a name; the message says what there is.
    """
    found = [[foot_of(spec, name) for name in ([one] if isinstance(one, str) else one)] for one in feet]
    each = [geom for geoms in found for geom in geoms]
    plain = len(each) == len(found) and all(geom.type == SPHERE for geom in each)
    compiled = None if plain else spec.copy().compile()
    places = [
        geoms[0].pos if compiled is None else toe(compiled, [compiled.geom(geom.name).id for geom in geoms])
        for geoms in found
    ]
    kinds, radii = np.array([geom.type for geom in each]), np.array([geom.size[0] for geom in each])
    lowered = lowering(kinds, radii, len(found))
    for leg, (geoms, place) in enumerate(zip(found, places, strict=True)):
        for number, geom in enumerate(geoms):
            geom.name, geom.condim = f"toe_{leg}" + (f"_{number}" if number else ""), 3
            geom.priority, geom.margin, geom.gap = 0, 0.0, 0.0  # the ground's settings count
            geom.contype, geom.conaffinity = foot_bits(terrain, leg)
        size = geoms[0].size[:1] if geoms[0].type != MESH else np.array([0.01])
        geoms[0].parent.add_site(name=f"foot_{leg}", pos=place, size=size.repeat(3))
    preset.apply(spec.option)
    stands_on = add_ground(spec, terrain, preset, friction, len(found), lowered)
    whole = {leg: geoms[0].parent.name for leg, geoms in enumerate(found) if len(geoms) > 1}
    add_foot_sensors(spec, stands_on, whole=whole)
