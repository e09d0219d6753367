"""Rollouts of a robot of the user's own as labelled records.

`rollout` puts an MJCF with named feet on this project's ground; `rollout_of` takes a compiled model as it is, with its
own floor and contact. Forces are the sums of MuJoCo's contact forces on each foot by whatever is not the robot.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from tarsus.analytic.terrain import Flat, Terrain, make
from tarsus.mjcf import own_robot
from tarsus.mjcf.presets import Preset, find
from tarsus.scripts.library.machines import stepping
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import record
from tarsus.scripts.library.records.robots import OwnRobotParams

Controller = Callable[[float, np.ndarray, np.ndarray], np.ndarray]  # time [s], qpos, qvel -> ctrl
AS_IS = Preset(1.0, "Euler", (0.02, 1.0))  # stands for the settings of a model that is stepped as it is


def foot_geoms(model: mujoco.MjModel, feet: Sequence[str]) -> np.ndarray:
    """Return the ids of the spheres of these names, shape (n_feet,); those of a file also on this project's ground.

    Raises:
        ValueError: If there is none of a name; the message names a similar one, or what has that name instead.
    """
    if isinstance(feet, str) or not len(feet):
        raise ValueError(f"feet must be names of geoms, as in ('left_foot', 'right_foot'), got {feet!r}")
    renamed = own_robot.names_of_feet(model)
    kind = mujoco.mjtObj.mjOBJ_GEOM
    found = np.array([mujoco.mj_name2id(model, kind, renamed.get(name, name)) for name in feet])
    for name, geom in zip(feet, found, strict=True):
        if geom < 0:
            raise ValueError(_no_foot(model, name, list(renamed)))
        if model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_SPHERE:
            raise ValueError(f"the geom {name!r} is not a sphere: a foot is the sphere at the end of a leg")
    return found


def loads(model: mujoco.MjModel, data: mujoco.MjData, feet: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the force on each foot by what is not the robot, and whether it touches that.

    Args:
        model: With the robot's free joint first.
        data: Its state, after `mj_forward` or `mj_step`.
        feet: The ids of its feet's geoms.

    Returns:
        Forces, world frame, shape (n_feet, 3) [N]; flags, shape (n_feet,).
    """
    wrench, leg_of, root = np.zeros(6), {int(geom): leg for leg, geom in enumerate(feet)}, int(model.jnt_bodyid[0])
    force, touches = np.zeros((len(feet), 3)), np.zeros(len(feet), bool)
    for number, contact in enumerate(data.contact[: data.ncon]):
        for geom, other, sign in ((contact.geom1, contact.geom2, -1.0), (contact.geom2, contact.geom1, 1.0)):
            leg = leg_of.get(int(geom))
            if leg is None or contact.efc_address < 0 or model.body_rootid[model.geom_bodyid[other]] == root:
                continue
            mujoco.mj_contactForce(model, data, number, wrench)
            force[leg] += sign * wrench[:3] @ contact.frame.reshape(3, 3)  # its rows are the contact's axes
            touches[leg] = True
    return force, touches


def _no_foot(model: mujoco.MjModel, name: str, renamed: list[str]) -> str:
    for kind in ("body", "site", "joint"):
        if mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name) >= 0:
            return f"{name!r} is a {kind}: a foot is a geom, the sphere at the end of a leg"
    known = renamed or [model.geom(k).name for k in range(model.ngeom) if model.geom(k).name]
    close = difflib.get_close_matches(name, known, 1, 0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no geom {name!r} to be a foot; there are {', '.join(known) or 'none'}{hint}"


class OwnStepper(stepping.Stepper):
    """Steps a robot under a controller and reads its feet.

    Args:
        model: With the robot's free joint first.
        data: Its start.
        feet: The ids of their geoms.
        controller: Returns the controls at a time and state.
        ground: What the robot is on.
        preset: Of the model's settings.

    Raises:
        ValueError: If the model's first joint is not free, nothing moves it, or the controls are not of its actuators.
    """

    def __init__(self, model, data, feet: np.ndarray, controller: Controller, ground: Terrain, preset: Preset):
        if not model.njnt or model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
            raise ValueError("the first joint of a robot must be free: <freejoint/> in its body")
        if not model.nu:
            raise ValueError("the model has no actuators, so that no controller can move the robot")
        super().__init__(model, data, ground, preset)
        self._feet, self._controller = feet, controller
        self._controls(data)

    def _controls(self, data: mujoco.MjData) -> np.ndarray:
        ctrl = np.asarray(self._controller(data.time + self._command_lead, data.qpos.copy(), data.qvel.copy()), float)
        if ctrl.shape != (self.model.nu,) or not np.isfinite(ctrl).all():
            raise ValueError(
                f"a controller(time, qpos, qvel) must return {self.model.nu} finite controls, one for each actuator; "
                f"got {ctrl} of shape {ctrl.shape}"
            )
        return ctrl

    def command(self, data: mujoco.MjData) -> None:
        """Ask the controller."""
        data.ctrl[:] = self._controls(data)

    def fallen(self) -> str:
        """Return in what way the robot has fallen, or an empty string."""
        return self.posture()

    def after(self) -> tuple:
        """Return the feet, the forces on them and whether they touch, the controls and the actuators' power."""
        data, (force, touches) = self.data, loads(self.model, self.data, self._feet)
        power = np.abs(data.actuator_force * data.actuator_velocity).sum()
        return data.geom_xpos[self._feet], force, touches, data.ctrl, power


def rollout(
    robot: own_robot.OwnRobot,
    controller: Controller,
    seconds: float,
    terrain: str | Terrain = "flat",
    preset: str | Preset = "reference",
    **options,
) -> Run:
    """Return the run of a robot on this project's ground, from its first keyframe, or joint angles of zero.

    Args:
        robot: The MJCF and its feet.
        controller: `controller(time, qpos, qvel)` returns the controls, shape (nu,).
        seconds: For how long [s].
        terrain: A terrain or its name.
        preset: Settings of contact and timestep, or their name.
        options: `every` (physics steps between rows), `on_frame`, `progress`, as in `stepping.simulate`.

    Raises:
        ValueError: If the robot, terrain or preset is impossible, or the controls are.
    """
    ground = make(terrain) if isinstance(terrain, str) else terrain
    model = own_robot.model(robot, ground, preset)
    data = own_robot.standing(model, ground)
    stepper = OwnStepper(model, data, foot_geoms(model, robot.feet), controller, ground, find(preset))
    name = preset if isinstance(preset, str) else "of the user's own"
    return _recorded(stepper, robot.feet, seconds, name, robot.forward, **options)


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
        feet: Names of the geoms that are feet.
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
    stepper = OwnStepper(model, data, foot_geoms(model, feet), controller, Flat(), AS_IS)
    return _recorded(stepper, feet, seconds, "of the model's own", forward, **options)


def _recorded(stepper: OwnStepper, names: Sequence[str], seconds: float, preset: str, forward: str, **options) -> Run:
    model, root = stepper.model, int(stepper.model.jnt_bodyid[0])
    columns, status = stepping.simulate(stepper, seconds, **options)
    if not columns:
        raise ValueError(f"the run gave no row: {status}")
    time, qpos, qvel, feet, force, touches, ctrl, power = columns
    n, radius = 7 + len(_limbs(model)), float(model.geom_size[stepper._feet[0], 0])
    variables = {
        "body_position": qpos[:, :3],
        "body_orientation": qpos[:, 3:7],
        "body_velocity": qvel[:, :3],
        "body_angular_velocity_b": qvel[:, 3:6],
        "foot_position": feet,
        "foot_force": force,
        "foot_contact": touches,
        "joint_angle": qpos[:, 7:n],
        "joint_speed": qvel[:, 6 : n - 1],
        "control": ctrl,
        "servo_power": power,
    }
    actuators = [model.actuator(k).name or f"actuator_{k}" for k in range(model.nu)]
    mass, g = float(model.body_subtreemass[root]), float(np.linalg.norm(model.opt.gravity))
    about = OwnRobotParams(len(names), list(names), _limbs(model), actuators, mass, g, forward, radius)
    words = f"mujoco {mujoco.__version__}", status, preset, about, "a controller of the user's own", stepper.ground
    made = record.build(time, variables, record.describe(*words, robot="own"))
    return Run.of(made, status, stepper.warnings())


def _limbs(model: mujoco.MjModel) -> list[str]:
    """Return the names of the joints behind the root; all must be hinges or slides."""
    kinds = {mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE}
    if not {mujoco.mjtJoint(kind) for kind in model.jnt_type[1:]} <= kinds:
        raise ValueError("joints other than the root's must be hinges or slides")
    return [model.joint(k).name or f"joint_{k}" for k in range(1, model.njnt)]
