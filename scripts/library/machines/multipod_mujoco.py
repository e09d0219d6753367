"""A multipod or BigANT on its ground under a gait, in MuJoCo: how it is stepped, and what a walk gave."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers.gaits import bigant_gait, multipod_gait
from tarsus.mjcf import bigant, compile_model, multipod
from tarsus.mjcf.presets import find
from tarsus.scripts.library.machines import stepping
from tarsus.scripts.library.machines.outcome import Run, RunStatus
from tarsus.scripts.library.records import record

FPS = 50  # samples of a walk per second
SHORTEST_PERIOD = 2 / FPS  # of a gait: faster ones are not seen in the samples, nor followed by a servo [s]


def servo_controls(angle: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return `ctrl` of servos with the inputs position, velocity and torque."""
    return np.stack([angle.ravel(), rate.ravel(), np.zeros(angle.size)], axis=-1).ravel()


@dataclass(frozen=True)
class Robot:
    """What is needed to walk a kind of robot."""

    params: type
    model: ModuleType  # of mjcf, with build and start_state
    gait: Callable  # gait(params, name, **options)


ROBOTS = {
    "multipod": Robot(MultipodParams, multipod, multipod_gait),
    "bigant": Robot(BigAntParams, bigant, bigant_gait),
}


@dataclass(frozen=True)
class Walking:
    """A robot, its gait, the ground it is on and the simulator's settings."""

    robot: str  # one of ROBOTS
    params: Any
    gait: Any
    ground: Terrain = field(default_factory=Flat)
    preset: str = "reference"

    def __post_init__(self) -> None:
        if not self.gait.period >= SHORTEST_PERIOD:
            raise ValueError(f"the period of a gait must be at least {SHORTEST_PERIOD:g} s, got {self.gait.period:g} s")

    @property
    def n_legs(self) -> int:
        return self.gait.n_legs

    @property
    def weight(self) -> float:
        """Weight of the robot [N]."""
        return self.params.total_mass * self.params.g


class WalkingStepper(stepping.Stepper):
    """Steps a robot under its gait: command the servos, let the ground follow the feet, step."""

    def __init__(self, walking: Walking):
        """Build the model and stand it where the gait begins."""
        robot = ROBOTS[walking.robot]
        model = compile_model(robot.model.build(walking.params, walking.ground, walking.preset))
        data = mujoco.MjData(model)
        data.qpos[:] = robot.model.start_state(walking.params, walking.ground, walking.gait(0.0)[0])
        mujoco.mj_forward(model, data)
        super().__init__(model, data, walking.ground, find(walking.preset))
        self._gait, self._n_legs = walking.gait, walking.n_legs
        self._sites = [model.site(f"foot_{leg}").id for leg in range(walking.n_legs)]
        self.total_force: list[float] = []  # vertical, of all feet, at every step [N]

    def command(self, data: mujoco.MjData) -> None:
        data.ctrl[:] = servo_controls(*self._gait(data.time + self._command_lead))

    def advance(self) -> None:
        """Take the step, and note what all feet carried in it."""
        super().advance()
        self.total_force.append(self.data.sensordata[3 : 4 * self._n_legs : 4].sum())

    def fallen(self) -> str:
        """Return in what way the robot has fallen or MuJoCo has warned, or an empty string."""
        return self.posture() or (RunStatus.DIVERGED if self.data.warning.number.any() else "")

    def after(self) -> tuple:
        """Return the feet, contacts and forces on them, and the servos' power."""
        data, n = self.data, self._n_legs
        power = np.abs(data.actuator_force * data.actuator_velocity).sum()
        return data.site_xpos[self._sites], data.sensordata[: 4 * n].reshape(n, 4), power


@dataclass(frozen=True)
class MultipodWalk(Run):
    """What a walk gave: a record with `FPS` rows a second, and the feet's vertical force of every step."""

    walking: Walking | None = None
    total_force: np.ndarray = field(default_factory=lambda: np.zeros(0))  # at every physics step (n_steps,) [N]
    timestep: float = 0.0  # [s]

    @property
    def time(self) -> np.ndarray:
        """Times of the rows, (n,) [s]."""
        return self.record["time"].values

    @property
    def qpos(self) -> np.ndarray:
        """MuJoCo's positions, (n, nq)."""
        names = ("body_position", "body_orientation", "joint_angle")
        return np.concatenate([self.record[name].values for name in names], axis=1)

    @property
    def tilt(self) -> np.ndarray:
        """Tilt of the body, (n,) [rad]."""
        return np.arccos(np.clip(1 - 2 * (self.qpos[:, 4] ** 2 + self.qpos[:, 5] ** 2), -1, 1))

    def load_of_strides(self, settle: float = 2.0) -> np.ndarray:
        """Return the feet's mean vertical force over each whole stride after `settle` [s], as a share of the weight."""
        stride, first = round(self.walking.gait.period / self.timestep), round(settle / self.timestep)
        n = max(0, (len(self.total_force) - first) // stride)
        whole = self.total_force[len(self.total_force) - n * stride :].reshape(n, stride)
        return whole.mean(axis=1) / self.walking.weight

    def velocity(self, settle: float = 2.0) -> np.ndarray:
        """Return the body's mean velocity over the whole strides after `settle` [s], world x and y [m/s]."""
        period = self.walking.gait.period
        n = int((self.time[-1] - settle) / period + 1e-9)
        if n < 1:
            raise ValueError(f"a speed needs a whole stride of {period:.3g} s after the first {settle:g} s")
        first = np.searchsorted(self.time, self.time[-1] - n * period - 0.5 / FPS)
        return (self.qpos[-1, :2] - self.qpos[first, :2]) / (self.time[-1] - self.time[first])


def walk(walking: Walking, seconds: float, progress: bool = False, on_frame: Callable | None = None) -> MultipodWalk:
    """Return a walk from the gait's beginning; it ends early if the robot topples, or when `on_frame` says so.

    Raises:
        ValueError: If the time is shorter than a sample, or the preset's timestep does not divide one.
    """
    if seconds < 1 / FPS:
        raise ValueError(f"a walk must last at least {1 / FPS:g} s, got {seconds:g} s")
    return walked(WalkingStepper(walking), walking, seconds, progress, on_frame)


def walked(
    stepper: WalkingStepper,
    walking: Walking,
    seconds: float,
    progress: bool = False,
    on_frame: Callable | None = None,
) -> MultipodWalk:
    """Return the walk of a stepper at its start; arguments as of `walk`."""
    timestep = stepper.model.opt.timestep
    every = round(1 / FPS / timestep)
    columns, status = stepping.simulate(stepper, seconds, every, on_frame=on_frame, progress=progress)
    time, qpos, qvel, feet, contact, power = columns
    variables = {
        "body_position": qpos[:, :3],
        "body_orientation": qpos[:, 3:7],
        "body_velocity": qvel[:, :3],
        "body_angular_velocity_b": qvel[:, 3:6],
        "foot_position": feet,
        "foot_force": contact[..., 1:],
        "foot_contact": contact[..., 0] > 0,
        "joint_angle": qpos[:, 7:],
        "joint_speed": qvel[:, 6:],
        "servo_power": power,
    }
    about = f"mujoco {mujoco.__version__}", status, walking.preset, walking.params, repr(walking.gait), walking.ground
    made = record.build(time, variables, record.describe(*about, walking.robot))
    between = np.array(stepper.total_force[: every * (len(time) - 1)])
    return MultipodWalk(made, status, stepper.warnings(), walking=walking, total_force=between, timestep=timestep)
