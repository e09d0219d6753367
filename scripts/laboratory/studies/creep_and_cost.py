"""How far standing feet creep in a preset, and how fast it simulates."""

from __future__ import annotations

import time

import mujoco
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat, Slope, Terrain
from tarsus.mjcf import compile_model, hexapod
from tarsus.mjcf.hexapod_state import START, start_state
from tarsus.mjcf.presets import Preset
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

CREEP_SLOPE = 0.1
STANDING_HEIGHT = 0.1815  # of six legs at rest under the body's weight [m]
SETTLE, MEASURE = 2.0, 3.0  # of a stand, before and while creep is measured [s]


def creep_of_standing(preset: str) -> float:
    """Return the speed of the fastest foot of a robot that only stands on a slope [m/s]."""
    params, ground = HexapodParams(), Slope(0.0, CREEP_SLOPE)
    model = compile_model(hexapod.build(params, ground, preset))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[:] = start_state(params, ground, np.zeros(6))
    return _creep(model, data, ground)


def creep_of_pinned(preset: str) -> float:
    """Return the speed of the fastest foot under a body held still at its standing height, on flat ground [m/s]."""
    spec = hexapod.build(HexapodParams(), Flat(), preset)
    spec.delete(spec.key(START))
    spec.delete(spec.joint("root"))
    spec.body("torso").pos = (0, 0, STANDING_HEIGHT)
    model = compile_model(spec)
    return _creep(model, mujoco.MjData(model), Flat())


def _creep(model: mujoco.MjModel, data: mujoco.MjData, ground: Terrain) -> float:
    """Return the greatest speed along the ground of a foot, hips held straight down, after settling."""
    data.ctrl[:] = 0.0
    feet = [model.site(f"foot_{leg}").id for leg in range(6)]
    mujoco.mj_step(model, data, round(SETTLE / model.opt.timestep))
    before = data.site_xpos[feet].copy()
    mujoco.mj_step(model, data, round(MEASURE / model.opt.timestep))
    way = data.site_xpos[feet] - before
    way -= np.outer(way @ ground.normal(0.0, 0.0), ground.normal(0.0, 0.0))
    return float(np.linalg.norm(way, axis=-1).max()) / MEASURE


def speed_of_simulation(preset: str | Preset, seconds: float, hold: float) -> float:
    """Return simulated seconds per second of processor time, of a walk from rest.

    Args:
        preset: The simulator's settings.
        seconds: Of the walk [s].
        hold: Between commands [s].
    """
    stepper = HexapodStepper(HexapodExperiment(HexapodParams(), TripodGait(), Flat(), preset))
    timestep = stepper.model.opt.timestep
    n, every = round(seconds / timestep), max(1, round(hold / timestep))
    started = time.process_time()
    for k in range(n):
        if k % every == 0:
            stepper.command(stepper.data)
        mujoco.mj_step(stepper.model, stepper.data)
    return seconds / (time.process_time() - started)
