"""A multipod, BigANT or the disc on its ground under a gait, in MuJoCo: how it is stepped, and what a walk gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.disc import DiscParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.controllers import gaits
from tarsus.controllers.disc_gait import DiscGait
from tarsus.envs.measure import UPRIGHT
from tarsus.mjcf import bigant, compile_model, disc, multipod
from tarsus.mjcf.presets import find
from tarsus.mjcf.terrain import GroundPatches
from tarsus.scripts.runs.experiment import NUDGE

FPS = 50  # samples of a walk per second
SHORTEST_PERIOD = 2 / FPS  # of a gait: faster ones are not seen in the samples, nor followed by a servo [s]
FEWEST = 4  # of them before a walk can be stopped: its second half has a speed


def servo_controls(angle: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Return `ctrl` of servos with the inputs position, velocity and torque."""
    return np.stack([angle.ravel(), rate.ravel(), np.zeros(angle.size)], axis=-1).ravel()


def multipod_gait(params: MultipodParams, name: str | None = None, **options):
    """Return a gait of pairs; by default the undulation, and the trot for four legs."""
    name = name or ("pair_trot" if params.n_legs == 4 else "undulation")
    return _gait(name, "pairs", params.n_legs, options)


def bigant_gait(params: BigAntParams, name: str | None = None, **options):
    """Return a gait of shafts; by default the tripod at 0.2 Hz."""
    return _gait(name or "tripod", "shafts", 6, {"cycle_time": 5.0} | options)


def disc_gait(params: DiscParams, name: str | None = None, **options) -> DiscGait:
    """Return the disc's gait, by default through four fifths of the room its feet have."""
    if name not in (None, "disc"):
        raise ValueError(f"a disc has one gait, 'disc', got {name!r}")
    try:
        return DiscGait(params.n_legs, **{"amplitude": 0.8 * params.angle_range} | options)
    except TypeError as error:
        raise ValueError(f"the gait 'disc' has no such option: {error}") from None


def _gait(name: str, drives: str, n_legs: int, options: dict):
    known = [key for key, family in gaits.GAITS.items() if family.drives == drives]
    if name not in known:
        raise ValueError(f"unknown gait {name!r} of this robot; there are {', '.join(known)}")
    try:
        return gaits.make(name, n_legs, **options)
    except TypeError as error:
        raise ValueError(f"the gait {name!r} has no such option: {error}") from None


@dataclass(frozen=True)
class Machine:
    """What is needed to walk a kind of robot."""

    params: type
    model: ModuleType  # of mjcf, with build and start_state
    gait: Callable  # gait(params, name, **options)
    controls: Callable = servo_controls  # controls(angles, rates) -> ctrl


MACHINES = {
    "multipod": Machine(MultipodParams, multipod, multipod_gait),
    "bigant": Machine(BigAntParams, bigant, bigant_gait),
    "disc": Machine(DiscParams, disc, disc_gait, disc.controls),
}


@dataclass(frozen=True)
class Walking:
    """A robot, its gait, the ground it is on and the simulator's settings."""

    machine: str  # one of MACHINES
    params: Any
    gait: Any
    ground: Terrain = field(default_factory=Flat)
    preset: str = "reference"

    def __post_init__(self) -> None:
        if not self.gait.period >= SHORTEST_PERIOD:
            raise ValueError(f"the period of a gait must be at least {SHORTEST_PERIOD:g} s, got {self.gait.period:g} s")

    @property
    def n_legs(self) -> int:
        """Number of legs."""
        return self.gait.n_legs

    @property
    def weight(self) -> float:
        """Weight of the robot [N]."""
        return self.params.total_mass * self.params.g


class WalkingStepper:
    """Steps a robot under its gait: command the servos, let the ground follow the feet, step.

    Attributes:
        model: The compiled model.
        data: Its state.
    """

    def __init__(self, walking: Walking):
        """Build the model and stand it where the gait begins."""
        machine = MACHINES[walking.machine]
        self.model = compile_model(machine.model.build(walking.params, walking.ground, walking.preset))
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = machine.model.start_state(walking.params, walking.ground, walking.gait(0.0)[0])
        mujoco.mj_forward(self.model, self.data)
        preset = find(walking.preset)
        self._gait, self._controls = walking.gait, machine.controls
        self._lead = preset.command_lead + NUDGE * self.model.opt.timestep
        self._patches, self._follow_every = GroundPatches(self.model, walking.ground), preset.follow_every
        self._n_steps = 0

    def step(self) -> None:
        """Advance by one timestep."""
        if self._n_steps % self._follow_every == 0:
            self._patches.follow(self.data)
        self._n_steps += 1
        self.data.ctrl[:] = self._controls(*self._gait(self.data.time + self._lead))
        mujoco.mj_step(self.model, self.data)


@dataclass(frozen=True)
class Walk:
    """What a walk gave: samples at `FPS`, and the feet's vertical force of every step."""

    walking: Walking
    time: np.ndarray  # (n,) [s]
    qpos: np.ndarray  # (n, nq)
    feet: np.ndarray  # positions, world frame, (n, n_legs, 3) [m]
    force: np.ndarray  # of the ground on the feet, world frame, (n, n_legs, 3) [N]
    power: np.ndarray  # absolute, of all servos, (n,) [W]
    total_force: np.ndarray  # vertical, of all feet, at every physics step (n_steps,) [N]
    timestep: float  # [s]
    toppled: bool  # tilted by more than 60 degrees, which ended it
    warned: bool  # by MuJoCo
    stopped: bool = False  # before its end, as asked

    @property
    def tilt(self) -> np.ndarray:
        """Tilt of the body, (n,) [rad]."""
        return np.arccos(np.clip(_upright(self.qpos), -1, 1))

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


def _upright(qpos: np.ndarray) -> np.ndarray:
    return 1 - 2 * (qpos[..., 4] ** 2 + qpos[..., 5] ** 2)


def walk(walking: Walking, seconds: float, progress: bool = False, stop: Callable[[], bool] | None = None) -> Walk:
    """Return a walk from the gait's beginning; it ends early if the robot topples, or when `stop()` says so.

    Raises:
        ValueError: If the time is shorter than a sample, or the preset's timestep does not divide one.
    """
    from tqdm import tqdm

    stepper = WalkingStepper(walking)
    model, data, n_legs = stepper.model, stepper.data, walking.n_legs
    every = round(1 / FPS / model.opt.timestep)
    if seconds < 1 / FPS:
        raise ValueError(f"a walk must last at least {1 / FPS:g} s, got {seconds:g} s")
    sites = [model.site(f"foot_{leg}").id for leg in range(n_legs)]
    samples, total = [], []
    stopped, n_samples = False, round(seconds * FPS)
    for k in tqdm(range(n_samples), disable=not progress, unit_scale=1 / FPS, unit="s"):
        for _ in range(every):
            stepper.step()
            total.append(data.sensordata[3 : 4 * n_legs : 4].sum())
        force = data.sensordata[: 4 * n_legs].reshape(n_legs, 4)[:, 1:].copy()
        power = np.abs(data.actuator_force * data.actuator_velocity).sum()
        samples.append((data.time, data.qpos.copy(), data.site_xpos[sites].copy(), force, power))
        stopped = stop is not None and FEWEST <= k + 1 < n_samples and stop()
        if stopped or _upright(data.qpos) < UPRIGHT or data.warning.number.any():
            break
    columns = [np.array(column) for column in zip(*samples, strict=True)]
    toppled, warned = bool(_upright(data.qpos) < UPRIGHT), bool(data.warning.number.any())
    return Walk(walking, *columns, np.array(total), model.opt.timestep, toppled, warned, stopped)
