"""What an action of a walker means: joint speeds, torques, the parameters of a gait, or a correction to one.

A mode has the names of an action's entries, the physical value of an action of 1, how an episode begins, and the
joint commands of a control period (see `servos`). `WalkerTask.MODES` lists those of a machine by name.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..analytic.clock import TURN
from . import servos
from .observations import Observation, labelled

WAITS = 0.3  # how far from the clock's a leg may begin and follow it at once [rad]


class ActionMode(ABC):
    """What an action of a walker means.

    Args:
        task: The walker, a `WalkerTask`.
    """

    torques = False  # whether an action is torques, so that the servos are off

    def __init__(self, task):
        self.task = task

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries of an action; by default the joints."""
        return self.task.layout.joints

    @property
    @abstractmethod
    def scale(self) -> float:
        """The physical value of an action of 1."""

    def bind(self) -> None:
        """Take views of the task's arrays; by default none."""
        return

    def room_for_commands(self) -> tuple[np.ndarray, np.ndarray]:
        """Return an array for a kernel to fill, shape (n, n_substeps, n_joints, 3), and a view shaped as `commands`."""
        task = self.task
        made = np.zeros((*task.shape, task.n_substeps, len(task.layout.joints), 3))
        return made.reshape(-1, *made.shape[-3:]), np.moveaxis(made, -3, 0)

    def start(self, sim, angle: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw the phase; return the angles that an episode begins with, given those of standing, (n_joints,) [rad]."""
        self.task.cycles[sim] = 0.0
        return angle

    def begin(self, sim) -> None:
        """Begin an episode from the task's `reference`; by default nothing depends on it."""
        return

    @abstractmethod
    def commands(self, action: np.ndarray) -> np.ndarray:
        """Return the commands of a control period, shape (n_substeps, ..., n_joints, 3), and move the set-points."""


class Velocity(ActionMode):
    """An action of 1 is the motors' no-load speed [rad/s]; set-points ramp at the speeds asked for."""

    @property
    def scale(self) -> float:
        """The motors' no-load speed [rad/s]."""
        return self.task.config.robot.motor.no_load_speed

    def bind(self) -> None:
        """Take views of the arguments of the kernel `ramp`; `speeds` are shares of the no-load speed."""
        task = self.task
        self.rows = [np.atleast_2d(kept) for kept in (task.action, task.reference, task.rate)]
        self.speeds = self.speeds_asked()
        made, self._commands = self.room_for_commands()
        ranges = np.full(len(task.layout.joints), np.inf) if task.limits is None else task.limits
        fixed = np.atleast_2d(task.qpos), task.driven, task.table, ranges, task.substep_times, task.lead
        self._arguments: tuple[Any, ...] = *fixed, self.speeds, *self.rows[1:], made

    def speeds_asked(self) -> np.ndarray:
        """Return the array of speeds that are ramped at, shares of the no-load speed, shape (n, n_joints)."""
        return self.rows[0]

    def commands(self, action: np.ndarray) -> np.ndarray:
        """Return ramps at the speeds asked for, shape (n_substeps, ..., n_joints, 3)."""
        self.task.kernels.ramp(*self._arguments)
        return self._commands


class Torque(ActionMode):
    """An action of 1 is the motors' largest torque [N m], held for a control period."""

    torques = True

    @property
    def scale(self) -> float:
        """The motors' largest torque [N m]."""
        return self.task.config.robot.motor.max_torque

    def commands(self, action: np.ndarray) -> np.ndarray:
        """Return the torques, held, shape (1, ..., n_joints, 3)."""
        return servos.torque_commands(action * self.task.most_torque)


class Gait(ActionMode):
    """An action names the parameters of a gait, which the environment's clock follows; see `gait_ranges`."""

    scale = 1.0  # type: ignore[assignment]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(self.task.gait_ranges)

    def start(self, sim, angle: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the angles of the first gait at a random phase, shape (n_joints,) [rad]."""
        self.task.cycles[sim] = rng.uniform()
        return self.task.gait(self.first(), self.task.cycles[sim])[0]

    def bind(self) -> None:
        """Take views of the arguments of the machine's kernel, `legs_of_clock` or `joints_of_gait`, if it has one."""
        task = self.task
        self._low, self._high = np.array(list(task.gait_ranges.values())).T
        self._kernel = "legs_of_clock" if task.CLOCK is not None else "joints_of_gait" if task.GAIT is not None else ""
        if not self._kernel:
            return
        kept = [task.action, task.correction, task.held, task.turned, task.reference, task.rate]
        n_parameters = 8 if task.CLOCK is not None else len(self._low)  # a clock of fewer leaves the last at 0
        if task.CLOCK is None:
            del kept[2:4]
        rows, (made, self._commands) = [np.atleast_2d(array) for array in kept], self.room_for_commands()
        self._gait = np.zeros((len(rows[0]), n_parameters))
        which = (self._gait, *task.CLOCK) if task.CLOCK is not None else (task.GAIT, self._gait)
        when = np.atleast_1d(task.cycles), task.substep_times, task.lead
        self._arguments = *which, *when, *self.correcting(), *rows, made

    def begin(self, sim) -> None:
        """Let legs far from the clock's stand and wait until it comes by: at its side they would be torn round."""
        task = self.task
        if task.CLOCK is not None:
            ahead = task.reference[sim] - task.gait(self.first(), task.cycles[sim])[0]
            task.turned[sim] = TURN * np.rint(ahead / TURN)
            task.held[sim] = np.where(np.abs(ahead - task.turned[sim]) > WAITS, task.reference[sim], np.inf)

    def correcting(self) -> tuple[float, float]:
        """Return the correction that an action of 1 asks for [rad], and its share that comes in a control period."""
        return 0.0, 0.0

    def first(self) -> np.ndarray:
        """Return the parameters of the gait in which an episode begins, shape (n,)."""
        return self.task.middle_gait

    def parameters(self, action: np.ndarray) -> np.ndarray:
        """Return the parameters of the gait, shape (..., n)."""
        return self._low + 0.5 * (action + 1.0) * (self._high - self._low)

    def commands(self, action: np.ndarray) -> np.ndarray:
        """Follow the gait from its current phase; return commands of shape (n_substeps, ..., n_joints, 3)."""
        asked = self.parameters(action)
        if not self._kernel:
            return self.followed(asked, action)
        self._gait[:, : asked.shape[-1]] = asked
        getattr(self.task.kernels, self._kernel)(*self._arguments)
        return self._commands

    def followed(self, parameters: np.ndarray, action: np.ndarray) -> np.ndarray:
        """Follow the gait of any parameters, shape (..., n), without the kernel; return the commands."""
        task = self.task
        commands, task.reference[...], task.rate[...], task.cycles = servos.gait_commands(
            lambda gone: task.gait(parameters, gone),
            task.frequency_of(parameters),
            task.cycles,
            task.substep_times,
            task.lead,
        )
        return commands


class Residual(Gait):
    """A correction is added to the angles of a gait, and follows the action with a lag; 0 is the gait itself.

    The lag is that of a low-pass filter of first order: white noise, with which policies explore, hardly passes it, and
    what is held passes whole. Without it a policy that explores by half a radian falls after two seconds. With a
    `tempo_range` beyond 1 the last entry of the action, filtered as well, makes the gait faster or slower.
    """

    @property
    def quickens(self) -> bool:
        """Whether the last entry of an action is the gait's tempo."""
        return self.task.config.tempo_range > 1.0

    @property
    def names(self) -> tuple[str, ...]:
        """Of the joints, and the tempo."""
        return (*self.task.layout.joints, "tempo") if self.quickens else self.task.layout.joints

    @property
    def scale(self) -> float:  # type: ignore[override]
        """The largest correction of a joint's angle [rad]."""
        return self.task.config.residual_range

    def bind(self) -> None:
        """Take what the steps of a lag and of the tempo are."""
        config, self._quickens = self.task.config, self.quickens
        self._tempo_share = -np.expm1(-self.task.ctrl_dt / config.tempo_lag)
        self._tempo_log = np.log(config.tempo_range)
        super().bind()

    def correcting(self) -> tuple[float, float]:
        """Return the correction that an action of 1 asks for [rad], and its share that comes in a control period."""
        return self.scale, -np.expm1(-self.task.ctrl_dt / self.task.config.residual_lag)

    def first(self) -> np.ndarray:
        """Return the parameters of the corrected gait, without a command, shape (n,)."""
        return self.task.gait_corrected(None)

    def parameters(self, action: np.ndarray) -> np.ndarray:
        """Return the parameters of the corrected gait, at the tempo that follows the action, shape (..., n)."""
        task = self.task
        gait = task.gait_corrected(task.command if task.config.task == "commanded" else None)
        gait = np.broadcast_to(gait, (*task.shape, gait.shape[-1]))
        if not self._quickens:
            return gait
        task.tempo += self._tempo_share * (action[..., -1] - task.tempo)
        return task.quickened(gait, np.exp(self._tempo_log * task.tempo))

    def followed(self, parameters: np.ndarray, action: np.ndarray) -> np.ndarray:
        """Follow the gait of parameters of shape (..., n), corrected, without the kernel; return the commands."""
        task, commands = self.task, super().followed(parameters, action)
        (scale, share), before = self.correcting(), task.correction.copy()
        action = action[..., :-1] if self._quickens else action
        task.correction += share * (scale * action - before)
        rate = (task.correction - before) / task.ctrl_dt
        first, n = task.lead, task.n_substeps
        times = task.substep_times[first : first + n].reshape(n, *(1 for _ in np.shape(action)))
        commands[..., 0] += before + times * rate
        commands[..., 1] += rate
        task.reference += task.correction
        task.rate += rate
        return commands


def gait_entries(joints: tuple[str, ...], quickens: bool) -> dict[str, Observation]:
    """Return the observations of a gait and of what corrects it; of the tempo, if it has one."""
    known = {
        "clock": labelled(("cosine", "sine"), 1, "1", "cosine and sine of the gait's phase", clock, "gait or residual"),
        "correction": labelled(
            joints, 10, "rad", "of the gait's angles, lagging the action", lambda t: t.correction, "residual"
        ),
    }
    if quickens:
        text = "of the gait, lagging the action's last entry"
        known["tempo"] = labelled(("tempo",), 1, "1", text, lambda t: t.tempo[..., None], "residual")
    return known


def clock(task) -> np.ndarray:
    """Return cosine and sine of the gait's phase, shape (..., 2)."""
    angle = 2 * np.pi * task.cycles[..., None]
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


MODES: dict[str, type[ActionMode]] = {"velocity": Velocity, "torque": Torque, "gait": Gait, "residual": Residual}
