"""RHex on stairs in MuJoCo: how many of ten steps a gait climbs, and how far the body tilts on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Stairs
from tarsus.mjcf import hexapod
from tarsus.scripts.library.machines.hexapod_experiment import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

ROBOT = replace(HexapodParams.rhex("drive"), friction_coeff=0.8)
TREAD, STEPS = 0.28, 10  # of the stairs [m], and how many count
LATEST = 40.0  # of a climb [s]
SPREAD = 0.01  # of the velocities at the start [m/s, rad/s]


class Climbed(NamedTuple):
    """What a climb came to."""

    steps: float  # of `STEPS`, passed by the body's centre
    tilt: float  # largest, of the body [rad]
    seconds: float


@dataclass(frozen=True)
class StairClimb:
    """A gait on stairs.

    Attributes:
        gait: The gait.
        rise: Of a step [m].
        legs: One of `mjcf.half_circle.LEGS`.
    """

    gait: TripodGait
    rise: float
    legs: str = "half-circle"

    @property
    def experiment(self) -> HexapodExperiment:
        """What is run, in the preset `rl` of this robot."""
        preset = hexapod.presets_of(ROBOT)["rl"]
        return HexapodExperiment(ROBOT, self.gait, Stairs(self.rise, TREAD), preset, legs=self.legs)


def climb(case: StairClimb, seed: int) -> Climbed:
    """Return the outcome of a climb.

    The first riser is up to a tread farther than the stairs say, so that the clock meets it in any phase, and the robot
    begins with a small velocity: both are drawn by the seed.
    """
    stepper, rng = HexapodStepper(case.experiment), np.random.default_rng(seed)
    data, stairs = stepper.data, case.experiment.ground
    data.qpos[1] -= rng.uniform(0.0, TREAD)
    data.qvel[:6] += SPREAD * rng.normal(size=6)
    tilt = way = 0.0
    while data.time < LATEST and way < STEPS and not stepper.fallen():
        for _ in range(20):
            stepper.step()
        tilt = max(tilt, float(np.arccos(np.clip(1.0 - 2.0 * (data.qpos[4:6] @ data.qpos[4:6]), -1.0, 1.0))))
        if data.qpos[2] > stairs.height(*data.qpos[:2]):
            way = max(way, (data.qpos[1] - stairs.start) / TREAD)
    return Climbed(float(np.clip(way, 0.0, STEPS)), tilt, float(data.time))
