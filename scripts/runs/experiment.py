"""A hexapod on its ground under the clock, in MuJoCo, and how it is stepped."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.clock import ClockController
from tarsus.mjcf import compile_model, hexapod
from tarsus.mjcf.hexapod_state import START, start_state
from tarsus.mjcf.presets import PRESETS, Preset, find
from tarsus.mjcf.terrain import GroundPatches

# Kinks of the reference often fall on a step. The nudge puts them before it; otherwise rounding decides, leg by leg,
# and moves the speed of the coarse preset by half a percent.
NUDGE = 1e-5  # [timestep]


@dataclass(frozen=True, eq=False)
class Start:
    """A state to start from, in joint coordinates (`mjcf.hexapod_state` says their order)."""

    qpos: np.ndarray  # (25,)
    qvel: np.ndarray  # (24,): body velocity [m/s], its angular velocity in the body frame, then the rates of the joints

    def __post_init__(self) -> None:
        for name, size in (("qpos", 25), ("qvel", 24)):
            if np.shape(getattr(self, name)) != (size,) or not np.all(np.isfinite(getattr(self, name))):
                raise ValueError(f"{name} of a start must be {size} finite numbers, got {getattr(self, name)}")


@dataclass(frozen=True)
class Experiment:
    """A hexapod, the ground it is on, its gait, the simulator's settings, and where it starts."""

    params: HexapodParams
    gait: TripodGait
    ground: Terrain
    preset: str | Preset = "reference"
    begin: Start | None = None  # None: at rest, the lowest toe on the ground

    def model(self) -> mujoco.MjModel:
        """Return the compiled model."""
        return compile_model(hexapod.build(self.params, self.ground, self.preset))

    def start(self, model: mujoco.MjModel) -> mujoco.MjData:
        """Return the start; by default at rest, legs where the gait wants them at t = 0, lowest toe on the ground."""
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, model.key(START).id)
        begin = self.begin or Start(start_state(self.params, self.ground, self.gait.clock()(0.0)[0]), np.zeros(24))
        data.qpos[:], data.qvel[:] = begin.qpos, begin.qvel
        mujoco.mj_forward(model, data)
        return data

    @property
    def preset_name(self) -> str:
        """The registered name of the preset, or its settings if it has none."""
        if isinstance(self.preset, str):
            return self.preset
        return next((name for name, known in PRESETS.items() if known == self.preset), repr(self.preset))


class Stepper:
    """Steps a model under the clock: command the hips, let the ground follow the feet, step.

    Attributes:
        model: The compiled model.
        data: Its state.
        controller: What commands the hips.
    """

    def __init__(self, experiment: Experiment):
        """Build the model and stand it at its start."""
        self.model = experiment.model()
        self.data = experiment.start(self.model)
        self.controller = ClockController(experiment.gait)
        self._patches = GroundPatches(self.model, experiment.ground)
        preset = find(experiment.preset)
        self._follow_every = preset.follow_every
        self._n_steps = 0
        self._command_lead = preset.command_lead + NUDGE * self.model.opt.timestep

    def step(self) -> None:
        """Advance by one timestep."""
        if self._n_steps % self._follow_every == 0:
            self._patches.follow(self.data)
        self._n_steps += 1
        self.command(self.data)
        mujoco.mj_step(self.model, self.data)

    def command(self, data: mujoco.MjData) -> None:
        """Write the hip commands for the step that starts from `data`."""
        data.ctrl[:] = self.controller(data.time + self._command_lead, data.qpos[7::3]).ravel()

    def warnings(self) -> str:
        """Return what MuJoCo has warned of, in words; empty if nothing."""
        counts = {kind: self.data.warning[kind].number for kind in range(mujoco.mjtWarning.mjNWARNING)}
        names = {kind: mujoco.mjtWarning(kind).name.removeprefix("mjWARN_") for kind in counts}
        return ", ".join(f"{names[kind]} ({count} times)" for kind, count in counts.items() if count)
