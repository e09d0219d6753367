"""Rollouts of a robot of the user's own as labelled records.

`rollout` puts a robot on this project's ground; `rollout_of` takes a compiled model as it is, with its own floor and
contact. Forces are the sums of MuJoCo's contact forces on the geoms of each foot by whatever is not the robot.
"""

from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from tarsus.analytic.terrain import Flat, Terrain, make
from tarsus.mjcf import own_robot
from tarsus.mjcf.feet import lowering, toe
from tarsus.mjcf.presets import Preset, find
from tarsus.scripts.library.machines import stepping
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.own_robot.bookkeeping import Books
from tarsus.scripts.library.own_robot.stance import geoms_of_feet, loads
from tarsus.scripts.library.records import record
from tarsus.scripts.library.records.layouts import BUDGET
from tarsus.scripts.library.records.robots import OwnRobotParams

Controller = Callable[[float, np.ndarray, np.ndarray], np.ndarray]  # time [s], qpos, qvel -> ctrl
CONTROLLER = "a controller of the user's own"
AS_IS = Preset(1.0, "Euler", (0.02, 1.0))  # stands for the settings of a model that is stepped as it is


def checked(model: mujoco.MjModel, ctrl) -> np.ndarray:
    """Return controls as an array; ValueError if they are not those of the model's actuators."""
    ctrl = np.asarray(ctrl, float)
    if ctrl.shape != (model.nu,) or not np.isfinite(ctrl).all():
        raise ValueError(
            f"a controller(time, qpos, qvel) must return {model.nu} finite controls, one for each actuator; "
            f"got {ctrl} of shape {ctrl.shape}"
        )
    return ctrl


class Toes:
    """The places of feet, each of some geoms, world frame, shape (n_feet, 3) [m], of a state after `mj_kinematics`."""

    def __init__(self, model: mujoco.MjModel, feet: list[list[int]]):
        self._bodies = model.geom_bodyid[[geoms[0] for geoms in feet]]
        self._toes = np.array([toe(model, geoms) for geoms in feet])

    def __call__(self, data: mujoco.MjData) -> np.ndarray:
        turns = data.xmat[self._bodies].reshape(-1, 3, 3)
        return data.xpos[self._bodies] + np.einsum("kij,kj->ki", turns, self._toes)


class OwnStepper(stepping.Stepper):
    """Steps a robot under a controller of time and state, and reads its feet, each of some geoms.

    Raises:
        ValueError: If the model's first joint is not free, nothing moves it, or the controls are not of its actuators.
    """

    def __init__(self, model, data, feet: list[list[int]], controller: Controller, ground: Terrain, preset: Preset):
        if not model.njnt or model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
            raise ValueError("the first joint of a robot must be free: <freejoint/> in its body")
        if not model.nu:
            raise ValueError("the model has no actuators, so that no controller can move the robot")
        super().__init__(model, data, ground, preset)
        self._feet, self._controller, self._toes = feet, controller, Toes(model, feet)
        self._controls(data)
        books = model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        self.books = Books(model, data) if books else None
        self._booked: np.ndarray | None = None  # before the last step

    def _controls(self, data: mujoco.MjData) -> np.ndarray:
        now = data.time + self._command_lead, data.qpos.copy(), data.qvel.copy()
        return checked(self.model, self._controller(*now))

    def command(self, data: mujoco.MjData) -> None:
        data.ctrl[:] = self._controls(data)

    def advance(self) -> None:
        if self.books is None:
            return super().advance()
        self._booked = self.books.now
        super().advance()
        self.books.add(self.data)

    def fallen(self) -> str:
        return self.posture()

    def after(self) -> tuple:
        """Return the feet, forces on them, whether they touch, controls, the actuators' power, and the books."""
        data, (force, touches) = self.data, loads(self.model, self.data, self._feet)
        power = np.abs(data.actuator_force * data.actuator_velocity).sum()
        return self._toes(data), force, touches, data.ctrl, power, *([] if self._booked is None else [self._booked])


def rollout(
    robot: own_robot.OwnRobot,
    controller: Controller,
    seconds: float,
    terrain: str | Terrain = "flat",
    preset: str | Preset = "reference",
    gait: str = CONTROLLER,
    **options,
) -> Run:
    """Return the run of a robot on this project's ground, from its first keyframe, or joint angles of zero.

    Args:
        robot: The robot.
        controller: `controller(time, qpos, qvel)` returns the controls, shape (nu,).
        seconds: For how long [s].
        terrain: A terrain or its name.
        preset: Settings of contact and timestep, or their name.
        gait: What the record calls the controller.
        options: `every` (physics steps between rows), `on_frame`, `progress`, as in `stepping.simulate`.

    Raises:
        ValueError: If the robot, terrain or preset is impossible, or the controls are.
    """
    ground = make(terrain)
    model = own_robot.model(robot, ground, preset)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data = own_robot.standing(model, ground)
    stepper = OwnStepper(model, data, geoms_of_feet(model, robot.feet), controller, ground, find(preset))
    name = preset if isinstance(preset, str) else "of the user's own"
    return _recorded(stepper, robot.feet, seconds, name, robot.forward, gait, **options)


def rollout_of(
    model: mujoco.MjModel,
    feet: Sequence[str],
    controller: Controller,
    seconds: float,
    data: mujoco.MjData | None = None,
    forward: str = "x",
    **options,
) -> Run:
    """Return the run of a compiled model as it is, on a floor of its own at z = 0.

    Args:
        model: With the robot's free joint first; what is below the robot is its own.
        feet: Names of the geoms or bodies that are feet.
        controller: `controller(time, qpos, qvel)` returns the controls, shape (nu,).
        seconds: For how long [s].
        data: Its start, which is stepped; by default the first keyframe, or zero.
        forward: Axis of the body, "x" or "y".
        options: As of `rollout`.

    Raises:
        ValueError: If a foot is unknown, the first joint is not free, or the controls are impossible.
    """
    if data is None:
        data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, data, 0)
    if forward not in own_robot.FORWARD:
        raise ValueError(f"forward must be 'x' or 'y', an axis of the body, got {forward!r}")
    stepper = OwnStepper(model, data, geoms_of_feet(model, feet, data), controller, Flat(), AS_IS)
    return _recorded(stepper, feet, seconds, "of the model's own", forward, CONTROLLER, **options)


def _recorded(
    stepper: OwnStepper, names: Sequence[str], seconds: float, preset: str, forward: str, gait: str, **options
) -> Run:
    columns, status = stepping.simulate(stepper, seconds, **options)
    if not columns:
        raise ValueError(f"the run gave no row: {status}")
    columns, (*booked,) = columns[:8], columns[8:]
    more = dict(zip(BUDGET, booked[0].T, strict=True)) if booked else None
    words = f"mujoco {mujoco.__version__}", status, preset
    return record_of(stepper.model, names, columns, words, stepper.ground, forward, gait, stepper.warnings(), more)


def record_of(
    model, names: Sequence[str], columns, words, ground: Terrain, forward: str, gait: str, warnings="", more=None
) -> Run:
    """Return the run of a robot, its free joint first, with its labelled record.

    Columns are times, positions, velocities, places of feet, forces, contacts, controls and power, a row each instant;
    `words` are engine, status and preset, `gait` is what the controller is called.
    """
    time, qpos, qvel, places, force, touches, ctrl, power = columns
    root, limbs = int(model.jnt_bodyid[0]), _limbs(model)
    n, geoms = 7 + len(limbs), [k for leg in geoms_of_feet(model, names) for k in leg]
    variables = {
        "body_position": qpos[:, :3],
        "body_orientation": qpos[:, 3:7],
        "body_velocity": qvel[:, :3],
        "body_angular_velocity_b": qvel[:, 3:6],
        "foot_position": places,
        "foot_force": force,
        "foot_contact": touches,
        "joint_angle": qpos[:, 7:n],
        "joint_speed": qvel[:, 6 : n - 1],
        "control": ctrl,
        "servo_power": power,
    }
    actuators = [model.actuator(k).name or f"actuator_{k}" for k in range(model.nu)]
    mass, g = float(model.body_subtreemass[root]), float(np.linalg.norm(model.opt.gravity))
    radius = lowering(model.geom_type[geoms], model.geom_size[geoms, 0], len(names))
    about = OwnRobotParams(len(names), list(names), limbs, actuators, mass, g, forward, radius)
    attrs = record.describe(*words, about, gait, ground, robot="own")
    return Run.of(record.build(time, variables | (more or {}), attrs), words[1], warnings)


def _limbs(model: mujoco.MjModel) -> list[str]:
    """Return the names of the joints behind the root; all must be hinges or slides."""
    kinds = {mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE}
    if not {mujoco.mjtJoint(kind) for kind in model.jnt_type[1:]} <= kinds:
        raise ValueError("joints other than the root's must be hinges or slides")
    return [model.joint(k).name or f"joint_{k}" for k in range(1, model.njnt)]
