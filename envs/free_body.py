"""A machine with a free body: measurements, observations, rewards, and when it has toppled.

To add a robot, subclass `FreeBodyTask` with the method `build`; see the recipe in CONTRIBUTING.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np

from ..mjcf.feet import support_points
from ..mjcf.terrain import stand
from . import commands, shaping
from .config import TaskConfig, Terms
from .measure import UPRIGHT, heading, mean_change
from .observations import Observation, labelled
from .task import Task

# Names of the axes along which vectors are observed, by the option `axes`.
AXES = {"forward": ("forward", "left", "up"), "documents": ("x", "y", "z")}
SCAN_FORWARD = (-0.3, 0.0, 0.3, 0.6)  # where the height scan looks, along and across the heading [m]
SCAN_RIGHT = (-0.2, 0.0, 0.2)
WIDTHS = (0.125, 0.125)  # least widths of the reward of speed [m/s] and yaw rate [rad/s], see `commands`


def rewards(
    widths: tuple[float, float] = WIDTHS,
    action_change: float = -0.005,
    **more: tuple[float, str],
) -> dict[str, Terms]:
    """Return weight and meaning of each term of a free body's reward, by task.

    Args:
        widths: The least by which speed [m/s] and yaw rate [rad/s] miss a command where the reward is 1/e.
        action_change: Weight of that term.
        more: Further terms of both tasks.
    """
    change = action_change, "squared change of the action, mean over its entries"
    shared = more | {"action_change": change, "healthy": (0.05, "1 until the episode terminates")}
    return {
        "forward": {
            "forward": (1.0, "forward speed, along the world's axis faced at the start [m/s]"),
            "drift": (-0.2, "speed across that axis, absolute [m/s]"),
        }
        | shared,
        "commanded": commands.tracked(widths) | commands.reweighed(shared),
    }


@dataclass(frozen=True)
class FreeBodyConfig(TaskConfig):
    """Options of a machine with a free body: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = rewards()
    SHAPING = shaping.BODY
    FIXED = (*TaskConfig.FIXED, "axes")
    NEEDS = TaskConfig.NEEDS | {"command_yaw_rate": ("task", ("commanded",))}

    task: str = "forward"  # or "commanded": follow a forward speed and a yaw rate
    command_speed: tuple[float, float] = (0.0, 0.5)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.5, 0.5)  # range of the commanded yaw rate [rad/s], left positive
    body_height: float | None = None  # target of the term `height` [m]; by default the height at the start
    axes: str = "forward"  # of observed vectors: forward, left, up; or "documents": x, y, z of the robot's description

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("axes", AXES)
        if self.body_height is not None and not self.body_height > 0:
            raise ValueError(f"body_height must be positive, got {self.body_height} m")

    @property
    def command_ranges(self) -> tuple[tuple[float, float], ...]:
        """Of forward speed and yaw rate."""
        return self.command_speed, self.command_yaw_rate


class FreeBodyTask(Task):
    """A machine with a free root, feet `toe_i` at sites `foot_i`, an IMU; a first keyframe has its joints at the start.

    Attributes:
        FORWARD: Which axis of body and world is forward; the other of x and y is sideways.
        WIDTHS: The least by which speed [m/s] and yaw rate [rad/s] miss a command where the reward is 1/e.
        PACE_TIME: Time constant of the pace, half a stride or more [s].
        pace: Means of forward and sideways velocity [m/s] and of yaw rate [rad/s], shape (..., 3); if commanded.
        rotation: From body to world, shape (..., 3, 3).
        position: Of the body's origin, a view, shape (..., 3) [m].
        spin: Angular velocity along the body's axes, a view, shape (..., 3) [rad/s].
        forward_axis: The horizontal part of the body's forward axis, world frame, a view, shape (..., 2).
        accelerometer: Of the IMU, body frame, a view, shape (..., 3) [m/s^2].
        height: Of the body above the ground below it, shape (...,) [m].
    """

    DEFAULT = ("height", "gravity", "velocity", "angular_velocity", "joint_angle", "joint_speed", "foot_contact")
    DEFAULT += ("action", "command", "pace")
    PLACE = slice(0, 2)
    FORWARD: ClassVar[int] = 0
    KEPT = (*Task.KEPT, "pace")
    INFO = {"position": "position"}
    EXACT = "tarsus.envs.exact.articulated:ExactArticulated"
    WIDTHS: ClassVar[tuple[float, float]] = WIDTHS
    PACE_TIME: ClassVar[float] = 0.25

    def machine_entries(self) -> dict[str, Observation]:
        """Return the entries of a free body, of all its joints, and of its feet."""
        model = self.model
        joints = [model.joint(k).name for k in range(1, model.njnt)]
        feet = [f"foot_{k}" for k in range(self.n_feet)]
        of_joints = {
            "joint_angle": labelled(joints, 100, "rad", "of the joints", lambda t: t.qpos[..., 7:]),
            "joint_speed": labelled(joints, 1e3, "rad/s", "of the joints", lambda t: t.qvel[..., 6:]),
        }
        return entries(of_joints, feet, self.action_names, AXES[self.config.axes])

    def place(self, sim, model, data, rng) -> None:
        """Stand the machine on the ground, with noise on joints and velocities."""
        mujoco.mj_resetData(model, data) if model.nkey == 0 else mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
        data.qpos[7:] += self.config.reset_noise * rng.standard_normal(model.nq - 7)
        mujoco.mj_kinematics(model, data)
        data.qpos[:7] = stand(support_points(model, data), self.terrain[sim])
        data.qvel[:] = self.config.reset_noise * rng.standard_normal(model.nv)

    def make_room(self) -> None:
        """Make room for the pace."""
        self.pace, self._pace_gain = np.zeros((*self.shape, 3)), -np.expm1(-self.ctrl_dt / self.PACE_TIME)

    def begin(self, sim, data) -> None:
        """Begin at rest."""
        self.pace[sim] = 0.0

    def keep_pace(self) -> None:
        """Update the pace."""
        now = commands.velocities(self.rotation, self.FORWARD, self.velocity, self.spin)
        self.pace += self._pace_gain * (now - self.pace)

    def bind(self, data) -> None:
        """Take views of the state and the sensors.

        Raises:
            ValueError: If the model does not begin with a free joint.
        """
        super().bind(data)
        if self.model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
            raise ValueError("the first joint of a machine whose body moves freely must be its free root")
        first = int(self.model.sensor("accelerometer").adr[0])
        self.accelerometer = data.sensordata[..., first : first + 3]
        self.position, self.spin = self.qpos[..., :3], self.qvel[..., 3:6]
        qpos, qvel, self._contact = np.atleast_2d(self.qpos), np.atleast_2d(self.qvel), self.foot[..., 0]
        rotation, columns = np.zeros((len(qpos), 3, 3)), ("gravity", "velocity", "angular_velocity", "heading")
        self._turned = self.FORWARD == 1 and self.config.axes == "forward"
        at, axes = [self.frame.at[name] for name in columns], (1, 0, -1, 1) if self._turned else (0, 1, 1, self.FORWARD)
        self.rotation = rotation.reshape(*self.shape, 3, 3)
        self.forward_axis = self.rotation[..., :2, self.FORWARD]
        self._body = qpos, qvel, rotation, self.frame.values, np.array(at), np.array(axes)

    def refresh(self) -> None:
        """Measure orientation and height, and fill in the frame."""
        self.measure()
        frame, place = self.frame, self.qpos.T
        self.height = place[2] - self.ground.height(place[0], place[1])
        frame.height[..., 0] = self.height
        np.minimum(self._contact, 1.0, out=frame.foot_contact)  # a flat foot has many contacts
        frame.action[...] = self.action

    def measure(self) -> None:
        """Fill in the part of the frame that a kernel computes."""
        self.kernels.body_frame(*self._body)

    def forward(self, along: np.ndarray) -> np.ndarray:
        """Return the forward part of a distance or a velocity of shape (..., 2), shape (...,)."""
        return along.T[self.FORWARD]

    def along_axes(self, vectors: np.ndarray) -> np.ndarray:
        """Return vectors of the body or the world, shape (..., 2) or (..., 3), along the axes that are observed."""
        if not self._turned:
            return vectors
        turned = vectors.copy()
        turned[..., 0], turned[..., 1] = vectors[..., 1], -vectors[..., 0]
        return turned

    def off_centre(self) -> np.ndarray:
        """Return the body's distance from the origin along x or y, whichever is more, shape (...,) [m]."""
        return np.abs(self.qpos[..., :2]).max(-1)

    def action_change(self) -> np.ndarray:
        """Return the squared change of the action, mean over its entries, shape (...,)."""
        return mean_change(self.action, self.last_action)

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, each of shape (...,) or a number."""
        terms = {"action_change": self.action_change(), "healthy": 1.0}
        axis, velocity = self.FORWARD, self.velocity
        if self.config.task == "forward":
            return {"forward": velocity.T[axis], "drift": abs(velocity.T[1 - axis])} | terms
        return commands.followed(self.pace, self.command, self.WIDTHS) | terms

    def failures(self) -> dict[str, np.ndarray]:
        """Return the masks of robots that have toppled, shape (...,), by the reason."""
        return {
            "toppled: tilted by more than 60 degrees": self.rotation.T[2, 2] < UPRIGHT,
            "toppled: the body is under the ground": self.height < 0.0,
        }


def height_scan(task: FreeBodyTask) -> np.ndarray:
    """Return the body's height over points around it, shape (..., 12) [m]."""
    forward = heading(task.rotation, task.FORWARD)  # (..., 2)
    right = np.stack([forward[..., 1], -forward[..., 0]], axis=-1)
    ahead, aside = (grid.ravel() for grid in np.meshgrid(SCAN_FORWARD, SCAN_RIGHT, indexing="ij"))
    points = task.qpos[..., None, :2] + ahead[:, None] * forward[..., None, :] + aside[:, None] * right[..., None, :]
    return task.qpos[..., 2:3] - task.ground.height(points[..., 0], points[..., 1])


def _forces(task: FreeBodyTask) -> np.ndarray:
    return task.along_axes(task.foot[..., 1:]).reshape(*task.foot.shape[:-2], -1)


def entries(
    of_joints: dict[str, Observation],
    legs: Iterable[str],
    actions: Iterable[str],
    axes: tuple[str, str, str] = AXES["forward"],
) -> dict[str, Observation]:
    """Return the entries of a free body, among them those of its joints, and of feet and actions of these names.

    Args:
        of_joints: Of the joints.
        legs: Names of the feet.
        actions: Names of the numbers of an action.
        axes: Names of the axes of vectors.
    """
    legs = tuple(legs)
    forces = [f"{leg}_{axis}" for leg in legs for axis in axes]
    scan = [f"{ahead:g} ahead, {0.0 - right:g} left" for ahead in SCAN_FORWARD for right in SCAN_RIGHT]
    return {
        "height": labelled(("height",), 10, "m", "body above the ground below it"),
        "gravity": labelled(axes, 1, "1", "direction of gravity, body frame"),
        "velocity": labelled(axes, 100, "m/s", "of the body, body frame"),
        "angular_velocity": labelled(axes, 1e3, "rad/s", "of the body, body frame"),
        "heading": labelled(axes[:2], 1, "1", "horizontal part of the body's forward axis, world frame"),
        **of_joints,
        "foot_contact": labelled(legs, 1, "1", "1 where a foot touches the ground"),
        "foot_force": labelled(forces, 1e5, "N", "of the ground on each foot, world frame", _forces),
        "accelerometer": labelled(
            axes, 1e5, "m/s^2", "of the body's IMU, body frame", lambda t: t.along_axes(t.accelerometer)
        ),
        "height_scan": labelled(scan, 100, "m", "body above a grid of points on the ground", height_scan),
        "action": labelled(actions, 1, "1", "the last action"),
        "command": labelled(
            ("speed", "yaw_rate"), 100, "m/s, rad/s", "forward speed, yaw rate", lambda t: t.command, "commanded"
        ),
        "pace": labelled(
            ("forward", "left", "yaw_rate"),
            100,
            "m/s, m/s, rad/s",
            "mean over a stride, until the last step, of what is commanded, and of the drift",
            lambda t: t.pace,
            "commanded",
        ),
    }
