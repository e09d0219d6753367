"""A walker in MuJoCo: a free body on sprung legs, with servos at the joints, as a task.

What an action means is a choice of `actions`. To add a machine, subclass `WalkerTask`, as `multipod` and `hexapod` do.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import mujoco
import numpy as np

from . import actions, free_body, servos, shaping
from .base import LeggedEnv
from .commands import tracked
from .config import Terms
from .free_body import FreeBodyConfig, FreeBodyTask
from .kernels import MAX_TORQUE
from .kinds import RESIDUAL, check_residual
from .observations import Observation

WIDTHS = (0.0375, 0.075)  # least widths of the reward of speed [m/s] and yaw rate [rad/s], see `commands`


@dataclass(frozen=True)
class WalkerConfig(FreeBodyConfig):
    """Options of a walker: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = free_body.rewards(
        widths=WIDTHS,
        power=(-0.002, "absolute mechanical power of the joints [W]"),
    )
    SHAPING = shaping.BODY | shaping.POWER
    ACTION_MODES = tuple(actions.MODES)
    FIXED = (*FreeBodyConfig.FIXED, *RESIDUAL)
    NEEDS = FreeBodyConfig.NEEDS | dict.fromkeys(RESIDUAL, ("action_mode", ("residual",)))
    command_speed: tuple[float, float] = (0.0, 0.15)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.3, 0.3)  # range of the commanded yaw rate [rad/s], left positive
    action_mode: str = "velocity"  # or "torque", "gait", "residual"
    residual_range: float = 0.5  # in the mode "residual", largest correction of a joint's angle [rad]
    residual_lag: float = 0.09  # in the mode "residual", time constant of the correction after the action [s]
    tempo_range: float = 1.0  # in the mode "residual", factor on the tempo at a last entry of 1; 1: no such entry
    tempo_lag: float = 0.4  # in the mode "residual", time constant of the tempo after the action [s]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_residual(self)


def by_baseline(widths: tuple[float, float], speed: float, power: float) -> dict[str, Terms]:
    """Return weight and meaning of each term of a walker's reward, by task: about one a step for its baseline.

    Standing earns 0.25, and what policies explore with more: it never pays to fall. The speed has no bounds, so that an
    episode is paid for its distance, and rocking to and fro earns nothing. Who is commanded to walk earns by standing
    a third of what following earns.

    Args:
        widths: As `free_body.rewards` takes them.
        speed: Of the baseline [m/s].
        power: What a watt costs.
    """
    shared, terms = {"power": -power, "action_change": -0.02}, WalkerConfig.REWARDS
    weights = {
        "forward": shared | {"forward": 0.8 / speed, "drift": -0.1 / speed, "healthy": 0.25},
        "commanded": shared | {"speed": 0.64, "yaw_rate": 0.32, "healthy": 0.04},
    }
    meanings = terms | {"commanded": terms["commanded"] | tracked(widths)}
    return {task: {name: (weights[task][name], text) for name, (_, text) in meanings[task].items()} for task in terms}


def info_of(joint: str = "joint") -> dict[str, Callable]:
    """Return the table `INFO` of a walker; `joint` is what a driven joint is called."""
    return FreeBodyTask.INFO | {
        f"{joint}_angle": "joint_angle",
        f"{joint}_speed": "joint_speed",
        f"{joint}_reference": "reference",
        "torque": "torque",
        "current": "current",
    }


class WalkerTask(FreeBodyTask):
    """The task of a walker's environment.

    Attributes:
        gait_ranges: Of the parameters that an action sets in the mode "gait": low at -1, high at +1.
        JOINT: What a driven joint is called in the frame; `INFO` calls it the same.
        layout: Names of joints and legs.
        mode: What an action means.
        middle_gait: The parameters in the middle of `gait_ranges`.
        table: Gains and motors of the servos, for the kernels: one row for all, or one for each simulation.
        most_torque: Of the motors [N m], shape (1,) or (n, 1).
        limits: Of each driven joint either way [rad]; None if all rotate freely.
        driven: Their columns in `qpos`.
        joint_angle: Of the driven joints, shape (..., n_joints) [rad].
        joint_speed: Of the driven joints [rad/s].
        torque: Of the servos [N m].
        current: In their motors [A].
        reference, rate: Their set-points [rad], and the speeds of these [rad/s].
        cycles: The gait has gone, shape (...,).
        correction: Of the joints' angles in the mode "residual", shape (..., n_joints) [rad].
        tempo: Of the gait in that mode, shape (...,): 1 is `tempo_range` times as fast, -1 as slow.
        held, turned: Where joints wait for a gait's clock, else infinite; whole turns they are ahead of it [rad].
    """

    KEPT = (*FreeBodyTask.KEPT, "reference", "rate", "cycles", "correction", "tempo", "held", "turned")
    DEFAULT = (
        *("height", "gravity", "velocity", "angular_velocity", "joint_angle", "joint_cosine", "joint_sine"),
        *("joint_speed", "joint_lead", "compression", "foot_contact", "action", "command", "pace", "clock"),
    )
    WARP = True
    WIDTHS = WIDTHS
    JOINT: ClassVar[str] = "joint"
    INFO = info_of(JOINT)
    MODES: ClassVar[dict[str, type[actions.ActionMode]]] = actions.MODES
    CLOCK: ClassVar[tuple[np.ndarray, np.ndarray] | None] = None  # phases and sides, if `legs_of_clock` has the gait
    GAIT: ClassVar[int | None] = None  # its number, if `joints_of_gait` has it
    TYPICAL: ClassVar[dict[str, float]] = {}  # values of entries of the observation, in their units, where not 1
    gait_ranges: ClassVar[dict[str, tuple[float, float]]]
    spec_of: ClassVar[Callable]  # the model of (params, terrain, preset)
    start_state: ClassVar[Callable]  # `qpos` of (params, terrain, angle), standing with these joint angles

    @staticmethod
    @abstractmethod
    def layout_of(params) -> servos.Layout:
        """Return the names of the machine's joints and legs."""

    @abstractmethod
    def of_joints(self, values: np.ndarray) -> np.ndarray:
        """Return the driven joints' part of what follows the root in `qpos` or `qvel`, shape (..., n_joints)."""

    @abstractmethod
    def compression(self) -> np.ndarray:
        """Return the compression of the legs' springs at the feet, shape (..., n_legs) [m]."""

    @abstractmethod
    def gait(self, parameters: np.ndarray, cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return joint angles [rad] and their rates [rad/s] of a gait, shape (..., n_joints) both.

        Args:
            parameters: In the order of `gait_ranges`, shape (..., n).
            cycles: The gait has gone, shape (...,).
        """

    def frequency_of(self, parameters: np.ndarray) -> np.ndarray:
        """Return a gait's frequency, shape (...,) [Hz]; by default its first parameter."""
        return parameters[..., 0]

    def quickened(self, parameters: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Return a gait, shape (..., n), at a frequency so many times as high, (...,); by default the first of it."""
        return np.concatenate([parameters[..., :1] * factor[..., None], parameters[..., 1:]], -1)

    def limits_of(self, params) -> np.ndarray | None:
        """Return the range of each driven joint either way, shape (n_joints,) [rad]; None if all rotate freely."""
        return None

    def gait_corrected(self, command: np.ndarray | None) -> np.ndarray:
        """Return the gait that "residual" corrects, given a command or none, shape (..., n); by default the middle."""
        return self.middle_gait

    def prepare(self) -> None:
        """Find the names of joints, legs and actions."""
        self.layout = self.layout_of(self.config.robot)
        self.middle_gait = np.mean(list(self.gait_ranges.values()), -1)
        self.mode = self.MODES[self.config.action_mode](self)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Of each entry of an action: a joint, or in the action mode "gait" a parameter of the gait."""
        return self.mode.names

    @property
    def action_scale(self) -> float:
        """The physical value of an action of 1, such as a joint speed [rad/s]; see the modes in `actions`."""
        return self.mode.scale

    def machine_entries(self) -> dict[str, Observation]:
        """Return the entries available for this machine."""
        axes = free_body.AXES[self.config.axes]
        known = free_body.entries(self.joint_entries(), self.layout.legs, self.action_names, axes)
        known |= actions.gait_entries(self.layout.joints, self.config.tempo_range > 1.0)
        return {name: replace(entry, typical=self.TYPICAL.get(name, 1.0)) for name, entry in known.items()}

    def joint_entries(self) -> dict[str, Observation]:
        """Return the entries of joints and leg springs."""
        return self.layout.entries()

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the model; its servos are off where torques are commanded.

        Raises:
            ValueError: If the robot has other joints or legs than the environment was made with.
        """
        if self.layout_of(params) != self.layout:
            raise ValueError(f"the robot's joints and legs are fixed when the environment is made: {self.layout.legs}")
        if self.mode.torques:
            params = replace(params, KP=0.0, KD=0.0)
        return self.spec_of(params, terrain, preset)

    def make_room(self) -> None:
        """Allocate servos, set-points and the gait."""
        super().make_room()
        shape, robot = (*self.shape, len(self.layout.joints)), self.config.robot
        self.limits = self.limits_of(robot)
        rows = math.prod(self.shape) if self.config.randomise else 1
        self.table = np.tile(servos.row_of(robot), (rows, 1))
        self.driven = 7 + self.of_joints(np.arange(self.model.nq - 7))
        self.reference, self.rate, self.correction = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.cycles, self.tempo = np.zeros(self.shape), np.zeros(self.shape)
        self.held, self.turned = np.full(shape, np.inf), np.zeros(shape)

    def write_robot(self, sim, model, params) -> None:
        """Write a robot's parameters into its model, and keep its servos."""
        super().write_robot(sim, model, params)
        self.table[sim] = servos.row_of(params)

    def place(self, sim, model, data, rng) -> None:
        """Place the robot on the ground with the joint angles of the gait, with noise on joints and velocities."""
        mujoco.mj_resetDataKeyframe(model, data, 0)
        noise, angle = self.config.reset_noise, self.mode.start(sim, self.of_joints(data.qpos[7:]), rng)
        angle = angle + noise * rng.standard_normal(len(angle))
        angle = angle if self.limits is None else np.clip(angle, -self.limits, self.limits)
        data.qpos[:] = self.start_state(self.params[sim], self.terrain[sim], angle)
        data.qvel[:6] = noise * rng.standard_normal(6)

    def begin(self, sim, data) -> None:
        """Initialise position and set-points."""
        super().begin(sim, data)
        self.reference[sim], self.rate[sim] = self.of_joints(data.qpos[7:]), 0.0
        self.correction[sim] = self.tempo[sim] = 0.0
        self.mode.begin(sim)

    def bind(self, data) -> None:
        """Take views of the frame, and what the kernels get: arrays with a row for each simulation."""
        super().bind(data)
        names = [self.JOINT + "_angle", self.JOINT + "_speed", "torque", "current"]
        self.joint_angle, self.joint_speed, self.torque, self.current = (getattr(self.frame, name) for name in names)
        rows = [np.atleast_2d(kept) for kept in (self.action, self.last_action, self.reference, self.rate)]
        columns = np.array([self.frame.at[name] for name in self.parts()])
        self._frame_arguments = *self._body, self.driven, self.table, self.mode.torques, *rows, columns
        most = self.table[:, MAX_TORQUE : MAX_TORQUE + 1]
        self.most_torque = most if self.shape else most[0]
        self.mode.bind()

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the joint commands of an action, (..., n_actions), shape (n_substeps, ..., nu); see the modes."""
        commands = self.mode.commands(action)
        return commands.reshape(*commands.shape[:-2], -1)

    def parts(self) -> dict[str, int]:
        """Return the sizes of what the kernel `joint_frame` writes."""
        n, joints = len(self.layout.joints), (self.JOINT + what for what in ("_angle", "_speed", "_lead"))
        return dict.fromkeys((*joints, "torque", "current"), n) | {"power": 1, "drain_rate": 1, "action_change": 1}

    def measure(self) -> None:
        """Fill in what is measured of body and joints."""
        self.kernels.walker_frame(*self._frame_arguments)

    def action_change(self) -> np.ndarray:
        """Return the squared change of the action, mean over its entries, shape (...,)."""
        return self.frame.action_change.T[0] / self.action.shape[-1]

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, each of shape (...,) or a number."""
        terms = super().unweighted_terms()
        terms["power"] = self.frame.power.T[0]
        return terms


def following(
    walk: np.ndarray, command: np.ndarray, speed: float, turn: float, most: float, fastest: float = math.inf
) -> np.ndarray:
    """Return the gait that follows a command, its frequency and steering those of the walk, in proportion.

    Args:
        walk: Parameters of a gait, frequency [Hz] first, steering last, shape (n,).
        command: Forward speed [m/s] and yaw rate [rad/s], shape (..., 2).
        speed: Of the walk [m/s].
        turn: Its steering for a yaw rate of 1 rad/s.
        most: Largest steering either way.
        fastest: Largest frequency [Hz]; beyond it the machine's motors do not follow, and it walks slower.

    Returns:
        Shape (..., n). No frequency is 0, since some gaits have a period.
    """
    gait = np.tile(walk, (*command.shape[:-1], 1))
    gait[..., 0] = np.minimum(gait[..., 0] * np.maximum(command[..., 0] / speed, 1e-6), fastest)
    gait[..., -1] = np.clip(turn * command[..., 1], -most, most)
    return gait


class WalkerEnv(LeggedEnv):
    """A walker on a terrain; options are the fields of its `WalkerConfig`."""

    task: WalkerTask
