"""A robot of the user's own in MuJoCo: a file, text or spec, put on this project's ground with its contact.

It keeps its bodies, joints and inertias, with the root's orientation, and the friction of its feet. Its floor, see
`own_ground`, and its sensors are left out: ground, other contact settings (`own_contact`), all options and sensors are
this project's. Feet are found or named (`own_feet`), joints without servos get some (`own_servos`), and the pose at
rest is the file's, given or found (`own_pose`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ..analytic.finite import check_finite
from ..analytic.terrain import Flat, Terrain, make
from . import own_contact, own_feet, own_pose, own_servos
from .compile import compile_model
from .feet import support_points
from .look import add_cameras, add_sky
from .own_file import add_load_sensor, add_touch_sensors, check_size, make_names, root_of
from .own_ground import GROUND_BIT, keep_apart, share_floor
from .own_options import Replaced, free_sizes, replaced, snapshot
from .own_parts import Nominal, write
from .own_source import Source, as_it_is, called, load, packed
from .parts import add_imu, put_on_ground
from .presets import Preset, find
from .terrain import stand

EXAMPLE = Path(__file__).parent / "assets" / "examples" / "dog.xml"  # with the feet FL, FR, RL, RR
FORWARD = ("x", "y")


@dataclass(frozen=True)
class OwnRobot:
    """A robot of the user's own: where it comes from, and what is not in its file.

    Raises:
        ValueError: If a value is impossible; the message says what is allowed.
    """

    source: Source  # name or text of an MJCF or URDF, or an `MjSpec`
    feet: str | Sequence[str] = own_feet.AUTO  # names of geoms or bodies, or "auto": what is lowest at rest
    friction: float = None  # type: ignore[assignment]  # of the ground; by default the file's, of feet on its floor
    g: float = 9.81  # [m/s^2]
    forward: str = "x"  # axis of the file's world that the robot faces at rest, or "y"
    reach: float | Mapping[str, float] | None = None  # what an action of 1 adds to controls, or by actuator
    pose: str | Mapping[str, float] = field(default_factory=dict)  # joint angles at rest, where not the keyframe's
    changes: Mapping[str, Any] = field(default_factory=dict)  # factors and offsets on its parts, see `own_parts`
    servo: Any = own_servos.AUTO  # of joints without one: "auto", "file" (none), (kp, kd), or pairs by joint
    keyframe: str | int | None = None  # in which it starts; by default the file's first, if there is one

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", packed(self.source))
        own_servos.check(self.servo)
        if self.pose != own_pose.FOUND and not isinstance(self.pose, Mapping):
            raise ValueError(f"pose is a mapping of angles by joint, or 'found', got {self.pose!r}")
        if self.feet == own_feet.AUTO:
            object.__setattr__(self, "feet", own_feet.found(*self._at_rest()))
        elif isinstance(self.feet, str) or not self.feet or not all(isinstance(foot, str) for foot in self.feet):
            raise ValueError(f"feet are 'auto' or names of geoms or bodies, got {self.feet!r}")
        twice = sorted({foot for foot in self.feet if list(self.feet).count(foot) > 1})
        if twice:
            raise ValueError(f"feet must be named once each, got {', '.join(twice)} more than once")
        object.__setattr__(self, "feet", tuple(self.feet))  # a list could be changed
        if self.friction is None:
            model, at_rest, _ = self._at_rest()
            object.__setattr__(self, "friction", max(own_contact.of_feet(model, at_rest, self.feet).values()))
        check_finite(self)
        if not (self.friction >= 0 and self.g > 0):
            values = f"{self.friction} and {self.g}"
            raise ValueError(f"friction must not be negative and g positive, got {values}")
        if self.forward not in FORWARD:
            raise ValueError(f"forward must be 'x' or 'y', an axis of the file's world, got {self.forward!r}")
        reach = self.reach.values() if isinstance(self.reach, Mapping) else [self.reach]
        if self.reach is not None and not all(one > 0 for one in reach):
            raise ValueError(f"reach must be positive, got {self.reach}")

    @property
    def friction_in_words(self) -> str:
        """The ground's friction, and what the feet's own geoms say where the file's floor decides."""
        return own_contact.in_words(*self._at_rest()[:2], self)

    def _at_rest(self) -> tuple[mujoco.MjModel, mujoco.MjData, tuple[str, ...]]:
        loaded = load(self.source)
        root_of(loaded.spec)
        model = as_it_is(self.source, loaded.files)
        qpos, _ = own_pose.at_rest(model, self.keyframe, self.pose)
        return model, own_feet.posed(model, qpos), loaded.notes


def build(
    robot: OwnRobot, terrain: Terrain, preset: str | Preset = "rl", touching: Sequence[str] = ()
) -> mujoco.MjSpec:
    """Return the robot on a terrain, its feet with the names, contact and sensors of this project's machines.

    Args:
        robot: The file and its feet.
        terrain: The terrain.
        preset: Settings of contact and timestep.
        touching: Names of bodies and geoms that get sensors for their contact with the ground, see `touch_sensors`.

    Raises:
        ValueError: If the file cannot be read, has no free root or no actuators, or a foot, joint or part is not in it.
    """
    return adapted(robot, terrain, preset, touching)[0]


def adapted(
    robot: OwnRobot, terrain: Terrain, preset: str | Preset = "rl", touching: Sequence[str] = ()
) -> tuple[mujoco.MjSpec, tuple[Replaced, ...], tuple[str, ...]]:
    """Return the model of `build`, what is replaced of the file's options and contact, and sentences on the rest."""
    loaded = load(robot.source)
    spec, root = loaded.spec, root_of(loaded.spec)
    own = as_it_is(robot.source, loaded.files)
    check_size(own)
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    at_rest = own_feet.posed(own, own_pose.at_rest(own, robot.keyframe, robot.pose)[0])
    geoms = {name: own_feet.geoms_of(own, at_rest, name, drawn=True) for name in robot.feet}
    feet = [own_feet.Foot(name, tuple(own.geom(k).name for k in mine)) for name, mine in geoms.items()]
    own_feet.check_apart(feet)
    notes, toes = [*loaded.notes, *unusual(own)], [mine[0] for mine in geoms.values()]
    notes += own_pose.take(spec, own, toes, robot.pose, robot.keyframe, FORWARD.index(robot.forward))
    at_rest = own_feet.posed(own, np.array(spec.keys[0].qpos))
    if loaded.urdf:
        notes += keep_apart(spec, own, at_rest)
    notes += own_servos.fit(spec, own, at_rest, toes, loaded.speeds, robot.servo)
    if not spec.actuators:
        raise ValueError("the robot has no actuators, so that nothing can move it; servo='auto' gives it some")
    own_names = [name for foot in feet for name in foot.geoms]
    notes += share_floor(spec, own, own_names, terrain, len(feet))
    names = make_names(spec, feet)
    bits = {name: (spec.geom(name).contype, spec.geom(name).conaffinity) for foot in names for name in foot}
    of_file, written = snapshot(spec), loaded.options
    put_on_ground(spec, names, terrain, find(preset), robot.friction)
    _keep_meetings(spec, names, bits)
    free_sizes(spec)
    for part in dict.fromkeys(touching):
        add_touch_sensors(spec, part)
    for leg, name in enumerate(robot.feet):
        spec.add_text(name=f"foot_{leg}", data=name)  # what the user calls `toe_i`
    spec.option.gravity = (0, 0, -robot.g)
    add_sky(spec)
    add_imu(spec, root)
    turn = np.array(spec.keys[0].qpos)[3:7]
    spec.site("imu").quat = turn / np.linalg.norm(turn) * (1.0, -1.0, -1.0, -1.0)  # its axes are the world's at rest
    add_load_sensor(spec, root)
    add_cameras(root)
    contacts, said = own_contact.replaced(own, at_rest, robot, find(preset))
    return spec, (*replaced(of_file, snapshot(spec), written), *contacts), (*notes, *said)


def unusual(model: mujoco.MjModel) -> list[str]:
    """Return sentences on a root that is turned about the vertical at rest, and on bodies that move beside the robot.

    Args:
        model: Of the file as it is.
    """
    (w, x, y, z), root, notes = rest_turn(model), int(model.jnt_bodyid[0]), []
    turned = np.degrees(2.0 * np.arctan2(z, w))
    if abs(x) + abs(y) < 1e-3 and abs(turned) > 1.0:
        notes.append(
            f"at rest the root is turned by {turned:.0f} deg about the vertical, and starts so: `forward` is an "
            "axis of the world, not of the root's frame"
        )
    others = {model.body(k).name or str(k) for k in model.jnt_bodyid if model.body_rootid[k] != root}
    if others:
        notes.append(
            f"bodies that are no part of the robot move: {', '.join(sorted(others))}; their joints are observed"
        )
    return notes


def _keep_meetings(spec: mujoco.MjSpec, feet, bits: Mapping[str, tuple[int, int]]) -> None:
    """Let feet meet other parts as in the file, besides the ground."""
    for leg, names in enumerate(feet):
        for number, name in enumerate(names):
            toe, (kind, affinity) = spec.geom(f"toe_{leg}" + (f"_{number}" if number else "")), bits[name]
            toe.contype, toe.conaffinity = toe.contype | kind & ~GROUND_BIT, toe.conaffinity | affinity


def rest_turn(model: mujoco.MjModel) -> np.ndarray:
    """Return the root's orientation at rest, of the first keyframe or the file's pose: a quaternion, shape (4,)."""
    quat = (model.key_qpos[0] if model.nkey else model.qpos0)[3:7].copy()
    mujoco.mju_normalize4(quat)
    return quat


def put_at_rest(model: mujoco.MjModel, data: mujoco.MjData, terrain: Terrain) -> None:
    """Stand a robot at the origin in its orientation at rest, its joints as they are, its lowest foot on the ground."""
    turn = rest_turn(model)
    data.qpos[:7] = (0.0, 0.0, 0.0, *turn)
    mujoco.mj_kinematics(model, data)
    pose = stand(support_points(model, data), terrain)
    data.qpos[:3] = pose[:3]
    mujoco.mju_mulQuat(data.qpos[3:7], pose[3:], turn)


def trunk_centre(model: mujoco.MjModel) -> np.ndarray:
    """Return the mass centre of all that is rigid with the root, in the root's frame, shape (3,) [m]."""
    root, data = int(model.jnt_bodyid[0]), mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    rigid = np.flatnonzero(model.body_weldid == root)
    mass = model.body_mass[rigid]
    offset = mass @ (data.xipos[rigid] - data.xpos[root]) / max(mass.sum(), 1e-12)
    return data.xmat[root].reshape(3, 3).T @ offset


def model(robot: OwnRobot, terrain: str | Terrain = "flat", preset: str | Preset = "reference") -> mujoco.MjModel:
    """Return the compiled robot on a terrain.

    Raises:
        ValueError: If `build` refuses the file, or MuJoCo does.
    """
    ground = make(terrain)
    try:
        return compiled(build(robot, ground, preset), robot)[0]
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"{called(robot.source)} makes no model: {error}") from None


def compiled(spec: mujoco.MjSpec, robot: OwnRobot) -> tuple[mujoco.MjModel, Nominal]:
    """Return the compiled model of a robot that `build` put on its ground, changed, and its numbers before.

    Raises:
        ValueError: If a change is of parts that there are not, or MuJoCo cannot compile it.
    """
    try:
        model = compile_model(spec)
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise ValueError(
            f"something in {called(robot.source)} names a geom or site that is called otherwise here or left out, as "
            f"feet and the floor are; take it out of the file: {' '.join(str(error).split())}"
        ) from None
    nominal = Nominal.of(model)
    if robot.changes:
        write(model, nominal, robot)
    return model, nominal


def standing(model: mujoco.MjModel, terrain: Terrain | None = None) -> mujoco.MjData:
    """Return the state of a robot that `model` made, in its first keyframe, its lowest foot touching the ground."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    put_at_rest(model, data, terrain or Flat())
    mujoco.mj_forward(model, data)
    return data


def names_of_feet(model: mujoco.MjModel) -> dict[str, str]:
    """Return the geoms `toe_i` of a model that `build` made, by the names of the feet in the file; else nothing."""
    found = {}
    for k in range(model.ntext):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TEXT, k)
        start = model.text_adr[k]
        text = bytes(model.text_data[start : start + model.text_size[k]]).split(b"\0")[0].decode()
        if name.startswith("foot_"):
            found[text] = f"toe_{name.removeprefix('foot_')}"
    return found


def rest_controls(model: mujoco.MjModel) -> np.ndarray:
    """Return the controls that hold the robot in its first keyframe, or at joint angles of zero, shape (nu,)."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
        if data.ctrl.any():
            return data.ctrl.copy()
    mujoco.mj_forward(model, data)
    alone = np.array(model.actuator_ctrlnum) == 1  # the others' controls stay as they are, zero
    first = np.array(model.actuator_ctrladr)[alone]
    low, high = model.actuator_ctrlrange[first].T
    length = data.actuator_length[alone]
    length = np.where(model.actuator_ctrllimited[first], np.clip(length, low, high), length)
    data.ctrl[first] = np.where(own_servos.gains_of(model)[0][alone], length, 0.5 * (low + high))
    return data.ctrl.copy()
