"""Walkers under a clock, for `judges.py`: a quadruped and a dog that trot, and the hexapod in its gaits.

The clock's set-points are held between instants, so that all judges are given the same. Joints have no dry friction
here: judges differ by contact alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import mujoco
import numpy as np

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.controllers.clock import ClockController
from tarsus.envs import dog, own_clock
from tarsus.mjcf import own_robot
from tarsus.mjcf.articulated import convert
from tarsus.scripts.library.machines.hexapod import PlatelessExperiment

QUADRUPED = Path(own_robot.__file__).parent / "assets" / "examples" / "quadruped.xml"
CORNERS = ("FL", "FR", "RL", "RR")
TROT = np.array([0.0, 0.5, 0.5, 0.0])  # of the legs [cycle]
TROT_PERIOD, SWING, LIFT, DUTY = 0.5, 0.2, 0.5, 0.6  # [s]; of hips, of knees in the air [rad]; share on the ground
ABOVE = 1e-4  # of the lowest foot over the ground at the start [m]


@dataclass(frozen=True)
class Walker:
    """A robot, its ground and its clock.

    Attributes:
        name: In words.
        build: Returns the model, with a plane for a ground.
        feet: Geoms that touch the ground, spheres.
        ground: The plane.
        clock: Set-points as a function of time, shape (nu,).
        period: Of the clock [s].
        held: For which set-points are held [s]; the period is a multiple.
        mu: Friction.
    """

    name: str
    build: Callable[[], mujoco.MjModel]
    feet: tuple[str, ...]
    ground: str
    clock: Callable[[float], np.ndarray]
    period: float
    held: float
    mu: float

    def model(self) -> mujoco.MjModel:
        """Return the model without dry friction in its joints."""
        model = self.build()
        model.dof_frictionloss[:] = 0.0
        return model

    def at_start(self) -> np.ndarray:
        """Return qpos and qvel at rest just above the ground, shape (nq + nv,)."""
        model = self.model()
        qpos = (model.key_qpos[0] if model.nkey else model.qpos0).copy()
        robot = convert(model, self.feet, ground=self.ground)
        qpos[2] += ABOVE - mechanics(robot, qpos, np.zeros(model.nv)).gap.min()
        return np.concatenate([qpos, np.zeros(model.nv)])


def trot_clock(time: float, rest: np.ndarray, step: int) -> np.ndarray:
    """Return set-points of a trot about those at rest, of which each leg has `step`, the last two its hip and knee."""
    phase = (time / TROT_PERIOD + TROT) % 1.0
    air = np.maximum(phase - DUTY, 0.0) / (1.0 - DUTY)
    knee = -LIFT * np.sin(np.pi * air)
    hip = SWING * np.where(phase < DUTY, 2.0 * phase / DUTY - 1.0, 1.0 - 2.0 * air) - 0.5 * knee
    asked = rest.copy()
    asked[step - 2 :: step] += hip
    asked[step - 1 :: step] += knee
    return asked


def _quadruped() -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_file(str(QUADRUPED))
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 1])
    for geom in spec.geoms:  # only the feet meet the ground
        geom.contype, geom.conaffinity = (2, 1) if geom.name in CORNERS else (0, 0)
    spec.geom("floor").contype, spec.geom("floor").conaffinity = 1, 2
    return spec.compile()


def _dog() -> mujoco.MjModel:
    return own_robot.model(dog.robot(), preset="reference")


def quadruped(mu: float = 0.7) -> Walker:
    """Return the example's quadruped, 6 kg with eight servos, in a trot."""
    clock = partial(trot_clock, rest=np.zeros(8), step=2)
    return Walker("quadruped, trot", _quadruped, CORNERS, "floor", clock, TROT_PERIOD, 0.01, mu)


def toes(model: mujoco.MjModel) -> tuple[str, ...]:
    """Return the feet of one of the project's own models."""
    names = (model.geom(k).name for k in range(model.ngeom))
    return tuple(name for name in names if name.startswith("toe_"))


def dog_trot() -> Walker:
    """Return the dog, 12 kg with twelve servos, in the quadruped's trot."""
    model = _dog()
    clock = partial(trot_clock, rest=own_robot.rest_controls(model), step=3)
    return Walker("dog, the same trot", _dog, toes(model), "ground", clock, TROT_PERIOD, 0.01, 0.7)


def dog_clock() -> Walker:
    """Return the dog under the clock of `Dog-v0`, with its friction."""
    model = _dog()
    table, g = own_clock.table(model, 0, 9.81), 9.81
    period = round(own_clock.period_of(model, g, own_clock.PERIODS[1]), 2)

    def clock(time: float) -> np.ndarray:
        row = time / period * len(table)
        below, share = int(row), row % 1.0
        return (1.0 - share) * table[below % len(table)] + share * table[(below + 1) % len(table)]

    return Walker("dog, its own clock", _dog, toes(model), "ground", clock, period, 0.01, 1.0)


def hexapod(name: str, gait: TripodGait) -> Walker:
    """Return the hexapod in a gait, at its own friction."""
    experiment = PlatelessExperiment(HexapodParams(), gait, Flat(), "reference")
    model, control = experiment.model(), ClockController(gait)
    first, rate = gait.clock()(0.0)
    turning = np.sign(rate) * 2.0 * np.pi / gait.cycle_time  # hips turn on and on, and their set-points with them

    def clock(time: float) -> np.ndarray:
        return control(time, first + turning * time).ravel()

    return Walker(f"hexapod, {name}", experiment.model, toes(model), "ground", clock, gait.cycle_time, 0.001, 0.5)
