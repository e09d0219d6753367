"""What the single legs share: torques of hip and knee, asked for or corrected, and the reward.

A machine is a subclass of `LegTask`, as in `hopping_leg` and `slip_leg`.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..analytic.models.hopping_leg import limited_torque
from ..mjcf.presets import find
from .base import LeggedEnv
from .commands import WEIGHTS
from .config import TaskConfig, Terms, n_substeps_of
from .extras import Extra
from .kinds import check_residual
from .leg_law import JOINTS, LAW_ENTRIES, LegLaw
from .measure import bounded_speed, mean_change, power
from .observations import Observation
from .task import Task


def rewards(speed: float, watts: float, forward: str, tracked: str) -> dict[str, Terms]:
    """Return weight and meaning of each term by task, such that the baseline earns about one in a step.

    Its speed is in m/s, its power in W; `forward` and `tracked` are the meanings of the terms "forward" and "speed".
    """
    shared = {
        "power": (-0.05 / watts, "absolute mechanical power of hip and knee [W]"),
        "action_change": (-0.02, "squared change of the action, mean over its entries"),
        "healthy": (0.25, "1 until the episode terminates"),
    }
    commanded = {"speed": (1.0, tracked)} | shared | {"healthy": (WEIGHTS["healthy"], shared["healthy"][1])}
    return {"forward": {"forward": (0.8 / speed, forward)} | shared, "commanded": commanded}


@dataclass(frozen=True)
class LegConfig(TaskConfig):
    """Options of a leg: keywords of `make`, most also options of `reset`.

    Attributes:
        LAW_PERIOD: Between samples of the controller that the mode "residual" corrects [s].
    """

    RESIDUAL: ClassVar[tuple[str, ...]] = ("residual_range", "residual_lag", "tempo_range", "tempo_lag")
    NEEDS = TaskConfig.NEEDS | dict.fromkeys(RESIDUAL, ("action_mode", ("residual",)))
    LAW_PERIOD: ClassVar[float]

    scaled: bool = True  # divide the entries by their typical values; else SI units
    action_mode: str = "residual"  # or "torque"
    residual_range: float = 0.2  # in the mode "residual", largest correction over largest torque
    residual_lag: float = 0.02  # in the mode "residual", time constant of the correction after the action [s]
    tempo_range: float = 2.0  # in the mode "residual", factor on the commanded speed at a tempo of 1
    tempo_lag: float = 0.4  # in the mode "residual", time constant of tempo and command [s]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_residual(self, self.RESIDUAL)
        if self.action_mode == "residual":
            n_substeps_of(self.LAW_PERIOD, find(self.preset, self.PRESETS).timestep, "controller's period")
            n_substeps_of(self.period, self.LAW_PERIOD, part="controller's period")


class LegTask(Task):
    """A single leg with motors at hip and knee, as a task.

    Attributes:
        n_samples: How often the controller is sampled in a control period.
        motors: Limits of the motors, as `limited_torque` takes them, shape (3, ..., 2).
        torque: Of hip and knee, shape (..., 2) [N m].
    """

    BASELINE_SPEED: ClassVar[float]  # of the action zero [m/s]
    LAW_SPEED: ClassVar[float]  # that its controller is asked for without a command [m/s]
    law: LegLaw | None  # the corrected controller; None in other action modes
    uneven = False  # whether the controller asks for the height of the ground, `ground_below`, that is not 0 everywhere

    @abstractmethod
    def baseline(self):
        """Return the controller that an action corrects, a `controllers.corrected.Baseline`."""

    @abstractmethod
    def asked(self, action: np.ndarray) -> np.ndarray:
        """Return the command of an action, (..., 2), in modes without a controller, shape (..., 2)."""

    @abstractmethod
    def limits_of(self, params) -> np.ndarray:
        """Return the limits of the motors of a leg, as `limited_torque` takes them, shape (3, 2)."""

    def pace_asked(self, sim=...) -> np.ndarray | float:
        """Return the speed that the controllers of simulations are asked for, without tempo, shape (...,) [m/s]."""
        return self.command[sim][..., 0] if self.config.task == "commanded" else self.LAW_SPEED

    def first_pace(self, sim) -> float:
        """Return the speed asked for at the start of an episode [m/s]."""
        return self.pace_asked(sim)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Of the joints, and the tempo where there is one."""
        return (*JOINTS, "tempo") if self.config.action_mode == "residual" else JOINTS

    @property
    def action_scale(self) -> np.ndarray:
        """What an action of 1 means: torques [N m], shape (2,); in "residual" corrections and a factor on the speed."""
        most, config = self.limits_of(self.config.params)[0], self.config
        if config.action_mode != "residual":
            return most
        return np.array([*(config.residual_range * most), config.tempo_range])

    def machine_entries(self) -> dict[str, Observation]:
        """Return the available entries of the observation."""
        action = replace(self.OBSERVATIONS["action"], size=self.n_actions, labels=self.action_names)
        return self.OBSERVATIONS | LAW_ENTRIES | {"action": action}

    def machine_parts(self) -> dict[str, Extra]:
        """Return the corrected controller, in the mode that has one."""
        self.law = LegLaw(self) if self.config.action_mode == "residual" else None
        return {"law": self.law} if self.law else {}

    def make_room(self) -> None:
        """Make room for the motors' limits."""
        self.n_samples = 1
        if self.config.action_mode == "residual":
            self.n_samples = n_substeps_of(self.ctrl_dt, self.config.LAW_PERIOD)
        self.motors = np.empty((3, *self.shape, 2))
        self.motors[:] = self.limits_of(self.config.params).reshape(3, *[1] * len(self.shape), 2)

    def write_robot(self, sim, model, params) -> None:
        """Write a leg's parameters into its model, and keep its motors' limits."""
        super().write_robot(sim, model, params)
        self.motors[(slice(None), sim) if self.shape else ...] = self.limits_of(params)

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the commands, held, shape (1, ..., 2): torques [N m], or set-points [rad]."""
        return self.asked(action)[None] if self.law is None else self.law.take(self, action)

    def resample(self, sim=None, time=None) -> np.ndarray:
        """Return the controller's torques at its next sample, shape (1, ..., 2) [N m]."""
        return self.law.sample(self, sim, time)

    def torque_asked(self) -> np.ndarray:
        """Return the torques that the last action asks for in the current state, (..., 2) [N m]."""
        return self.asked(self.action)

    def refresh(self) -> None:
        """Measure torques; MuJoCo's are those of the start of the last substep."""
        law = self.law
        if law is None:
            self.torque = limited_torque(self.motors, self.torque_asked(), self.qvel[..., 2:])
        else:
            self.torque = law.torque

    def shared_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of both tasks, each of shape (...,) or a number."""
        law = self.law
        return {
            "power": power(self.torque, self.qvel[..., 2:]) if law is None else law.power,
            "action_change": mean_change(self.action, self.last_action),
            "healthy": 1.0,
        }

    def paid_speed(self) -> np.ndarray:
        """Return the speed that the task "forward" pays, within bounds, shape (...,) [m/s]."""
        return bounded_speed(self.velocity, self.BASELINE_SPEED)


class LegEnv(LeggedEnv):
    """One leg; options are the fields of its `LegConfig`."""

    task: LegTask
