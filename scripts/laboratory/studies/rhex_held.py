"""RHex's gaits held by feedback from nine numbers of the body, pushed in both engines."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import Simulator
from tarsus.analytic.hybrid import compile as compiled
from tarsus.analytic.hybrid.feedback import Feedback
from tarsus.analytic.models.hexapod import HexapodParams, hybrid, orbit
from tarsus.analytic.models.hexapod.parameters import N_LEGS
from tarsus.analytic.models.hexapod.state import NAMES, QUATERNION, SCALE, TOES
from tarsus.analytic.terrain import Flat
from tarsus.controllers.clock_gaits import RHEX_FOUND, RHEX_NOT_FROM_REST
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.scripts.laboratory.models import held
from tarsus.scripts.laboratory.models.held_gait import GaitFeedback, HeldGait
from tarsus.scripts.laboratory.studies.rhex_walks import numbers_of, stride_near
from tarsus.scripts.library.machines.hexapod import PlatelessExperiment
from tarsus.scripts.library.machines.hexapod_experiment import Start
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper, simulate
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.system import MapSystem

ROBOT = HexapodParams.rhex("drive")
LIMIT = 3.0  # of a control, in large steps
VELOCITY = slice(3, 9)  # of the coordinates, behind height and tilt: linear, angular
SETTLED = 15  # strides to the gait that MuJoCo has
RIGHT = 3  # legs, those that a start names


@dataclass(frozen=True)
class HeldGaitCase:
    """What is held, and from where.

    Attributes:
        gait: The gait.
        strides: From rest by the clock alone, before the linear model; 0: from `start`.
        start: Of the body and the right toes, where the gait passes its section; the left ones are their mirror images.
        starts: From how many gains the search for feedback begins.
    """

    gait: TripodGait
    strides: int = 0
    start: Mapping[str, float] = field(default_factory=dict)
    starts: int = 1

    def stride(self, sim: Simulator) -> orbit.StrideMap:
        """Return its stride map, near the fixed point."""
        if self.strides:
            return orbit.settle(sim, ROBOT, self.gait, self.strides)
        x = np.zeros(len(NAMES))
        for name, value in self.start.items():
            x[NAMES.index(name)] = value
        x[QUATERNION] = np.sqrt(1.0 - x[QUATERNION + 1] ** 2)
        left = slice(TOES + 6 * RIGHT, TOES + 12 * RIGHT)
        x[left] = orbit.mirrored(x)[left]
        return stride_near(sim, ROBOT, self.gait, x)


CASES = {
    "rhex-pronk": HeldGaitCase(RHEX_FOUND["rhex-pronk"], strides=14),
    # Found by a search over gaits for one whose feedback survives small pushes: the rows of feet land one by one.
    "rhex-pronk-fast": HeldGaitCase(
        RHEX_NOT_FROM_REST["rhex-pronk-fast"],
        start={
            **{"z": 0.1315, "qx": 0.0286, "vy": 0.8841, "vz": 0.6523, "wx": -0.5551},
            **{"f0_x": 0.1075, "f0_y": -0.1685, "f0_vx": -0.0057, "f0_vy": 0.0010},
            **{"f1_x": 0.1580, "f1_y": 0.0351, "f1_vx": -0.0057, "f1_vy": 0.0010},
            **{"f2_x": 0.1083, "f2_y": 0.2266, "f2_vx": -0.0086, "f2_vy": -0.0023},
        },
        starts=8,
    ),
}


@dataclass(frozen=True, eq=False)
class HeldRhex:
    """A gait with its feedback."""

    stride: orbit.StrideMap
    law: Feedback

    @classmethod
    def of(cls, name: str = "rhex-pronk", limit: float = LIMIT) -> HeldRhex:
        """Find the fixed point of one of `CASES`, its linear model and its feedback; a minute of processor time."""
        case, sim = CASES[name], compiled(hybrid.build(ROBOT, Flat(), "open-loop"))
        stride = case.stride(sim)
        return cls(stride, held.body_feedback(held.linear_model(stride), limit, case.starts))

    @property
    def exact_numbers(self) -> tuple[float, float]:
        """Speed [m/s] and specific resistance with the drive's losses, of a stride from the fixed point."""
        x, none = self.stride.lift(self.law.model.z), np.zeros(len(held.CONTROLS))
        how = {"record_period": 0.0} | held.TOLERANCES
        r = held.stride_with(self.stride, none, x, self.stride.d0, self.stride.chart, **how)
        made = r.to_xarray()
        current, voltage = (
            np.stack([made[f"leg{leg}_{what}"].values for leg in range(N_LEGS)], axis=1)
            for what in ("current", "voltage")
        )
        power = np.maximum(current * voltage, 0.0).sum(axis=1) + ROBOT.motor.drive_loss(current, voltage).sum(axis=1)
        cycle = r.t_end - r.t[0]
        speed = float(np.hypot(*r.x_end[:2])) / cycle
        return speed, float(np.trapezoid(power, r.t)) / cycle / (ROBOT.total_mass * ROBOT.g * speed)

    def mujoco_numbers(self, seconds: float = 12.0) -> tuple[float, float]:
        """Return the same of a walk in MuJoCo; NaN if it falls."""
        stepper = self.stepper()
        run = simulate(stepper.experiment, seconds, stepper=stepper)
        found = numbers_of(run.record, ROBOT)
        return (found.speed, found.with_drive) if found.walks else (np.nan, np.nan)

    @property
    def controller(self) -> GaitFeedback:
        """What a robot needs to know."""
        numbers = self.law.model.z[: held.N_BODY]
        return GaitFeedback(self.stride.t0 + self.stride.gait.cycle_time, numbers, self.law.gain, self.law.limit)

    def gait(self, name: str, is_held: bool = True, engine: str = "exact") -> Gait:
        """Return the gait as `tarsus stability` asks about it, held or by the clock alone.

        In MuJoCo, where it is held, its coordinates are the body's nine numbers; toes begin as in the exact engine.
        """
        walk: Callable[..., np.ndarray] = functools.partial(self.in_exact, is_held=is_held)
        z, fine = self.law.model.z, {"rtol": 1e-9, "atol": 1e-9 * SCALE}
        if engine == "mujoco":
            walk, fine = self.in_mujoco, {}
            z = walk(z, SETTLED)[-1]

        def pushed(velocity: np.ndarray, strides: int) -> np.ndarray:
            return walk(with_push((-velocity[1], velocity[0], 0.0, 0.0, 0.0, 0.0), z), strides)[-1]

        system = MapSystem(lambda now: walk(now, 1, **fine)[-1], z, self.stride.names[: len(z)])
        return Gait(name, system, self.stride.gait.cycle_time, pushed=pushed)

    def in_exact(self, z: np.ndarray, n_strides: int, is_held: bool = True, **settings) -> np.ndarray:
        """Return the coordinates at the sections of a walk from z, held or by the clock alone, as `held.walk` does."""
        law = replace(self.law, gain=is_held * self.law.gain)
        return held.walk(self.stride, law, z, n_strides, **held.TOLERANCES | settings)

    def in_mujoco(self, z: np.ndarray, n_strides: int, preset: str = "reference") -> np.ndarray:
        """Return the nine numbers of a held walk in MuJoCo, shape (n_strides + 1, 9); NaN from where it falls."""
        stepper, rows = self.stepper(z, preset), np.full((n_strides + 1, held.N_BODY), np.nan)
        rows[0] = stepper.numbers
        for row in rows[1:]:
            before = stepper.controller.n_sections
            while stepper.controller.n_sections == before:
                stepper.step()
                if stepper.fallen():
                    return rows
            row[:] = stepper.numbers
        return rows

    def stepper(self, z: Sequence[float] = (), preset: str = "reference") -> HeldStepper:
        """Return the stepper in MuJoCo, from coordinates z of the body, by default those of the gait."""
        whole = self.law.model.z.copy()
        whole[: len(z)] = z
        start = Start(*from_exact(ROBOT, self.stride.lift(whole)))
        return HeldStepper(PlatelessExperiment(ROBOT, self.stride.gait, Flat(), preset, start), self)


def with_push(push: Sequence[float], z: np.ndarray) -> np.ndarray:
    """Return coordinates after a push of velocity and angular velocity, shape (6,) [m/s, rad/s]."""
    z = z.copy()
    z[VELOCITY] += push
    return z


class HeldStepper(HexapodStepper):
    """A hexapod in MuJoCo whose gait is held by feedback.

    Attributes:
        numbers: The body's nine numbers at the last section.
    """

    def __init__(self, experiment: PlatelessExperiment, rhex: HeldRhex):
        """Stand the robot at the experiment's start, at the section's time, and correct the gait at once."""
        super().__init__(experiment)
        self.data.time = rhex.stride.t0
        self.controller = HeldGait(rhex.stride.gait, rhex.controller)
        self.controller.correct(self.body)
        self.numbers = held.body_numbers(self.body)

    @property
    def body(self) -> np.ndarray:
        """What the feedback is of, shape (13,)."""
        return np.concatenate([self.data.qpos[:7], self.data.qvel[:6]])

    def command(self, data: mujoco.MjData) -> None:
        """Correct the gait if a section has been passed; command the hips."""
        before = self.controller.n_sections
        self.controller.sense(data.time + self._command_lead, self.body)
        if self.controller.n_sections > before:
            self.numbers = held.body_numbers(self.body)
        super().command(data)
