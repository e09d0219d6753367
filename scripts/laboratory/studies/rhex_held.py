"""RHex's gaits held by feedback from nine numbers of the body, pushed in both engines."""

from __future__ import annotations

from collections.abc import Mapping
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
PUSH = np.array([0.3, 0.3, 0.3, 1.5, 1.5, 1.5])  # largest, of velocity [m/s] and angular velocity [rad/s]
VELOCITY = slice(3, 9)  # of the coordinates, behind height and tilt: linear, angular
RIGHT = 3  # legs, those that a start names


@dataclass(frozen=True)
class HeldGaitCase:
    """What is held, and from where.

    Attributes:
        gait: The gait.
        strides: From rest by the clock alone, before the linear model; 0: from `start`.
        start: Of the body and the right toes, where the gait passes its section; the left ones are their mirror images.
        starts: From how many gains the search for feedback begins.
        push: Largest push, as a share of `PUSH`.
    """

    gait: TripodGait
    strides: int = 0
    start: Mapping[str, float] = field(default_factory=dict)
    starts: int = 1
    push: float = 1.0

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
        push=0.25,
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
        stepper = self.stepper(np.zeros(6))
        run = simulate(stepper.experiment, seconds, stepper=stepper)
        found = numbers_of(run.record, ROBOT)
        return (found.speed, found.with_drive) if found.walks else (np.nan, np.nan)

    @property
    def controller(self) -> GaitFeedback:
        """What a robot needs to know."""
        numbers = self.law.model.z[: held.N_BODY]
        return GaitFeedback(self.stride.t0 + self.stride.gait.cycle_time, numbers, self.law.gain, self.law.limit)

    def gait(self, name: str, is_held: bool = True) -> Gait:
        """Return the gait as `tarsus stability` asks about it, held or by the clock alone."""
        law = self.law_of(is_held)

        def stride(now: np.ndarray) -> np.ndarray:
            return held.walk(self.stride, law, now, 1, rtol=1e-9, atol=1e-9 * SCALE)[-1]

        return Gait(name, MapSystem(stride, law.model.z, self.stride.names), self.stride.gait.cycle_time)

    def law_of(self, is_held: bool) -> Feedback:
        """Return the feedback, or one that corrects nothing."""
        return replace(self.law, gain=is_held * self.law.gain)

    def in_exact(self, push: np.ndarray, n_strides: int, is_held: bool = True) -> np.ndarray:
        """Return the body's distance from the gait after each stride that follows a push, shape (n_strides,).

        Args:
            push: Added to velocity and angular velocity at the section, shape (6,) [m/s, rad/s].
            n_strides: Strides.
            is_held: Or by the clock alone.

        Returns:
            The largest difference of its scaled numbers; NaN from where it falls.
        """
        law, z = self.law_of(is_held), self.law.model.z.copy()
        z[VELOCITY] += push
        off = held.walk(self.stride, law, z, n_strides, **held.TOLERANCES) - law.model.z
        return np.abs(off[1:, : held.N_BODY]).max(axis=1)

    def in_mujoco(self, push: np.ndarray, n_strides: int, preset: str = "reference") -> np.ndarray:
        """Return the same in MuJoCo."""
        stepper, distance = self.stepper(push, preset), np.full(n_strides, np.nan)
        for k in range(n_strides):
            before = stepper.controller.n_sections
            while stepper.controller.n_sections == before:
                stepper.step()
                if stepper.fallen():
                    return distance
            distance[k] = np.abs(stepper.numbers - self.law.model.z[: held.N_BODY]).max()
        return distance

    def stepper(self, push: np.ndarray, preset: str = "reference") -> HeldStepper:
        """Return its stepper in MuJoCo, from the gait and a push as in `in_exact`."""
        x = self.stride.lift(self.law.model.z)
        x[7:13] += push
        start = Start(*from_exact(ROBOT, x))
        return HeldStepper(PlatelessExperiment(ROBOT, self.stride.gait, Flat(), preset, start), self)


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


def pushes(n: int, seed: int = 0, share: float = 1.0) -> np.ndarray:
    """Return pushes drawn evenly within a share of `PUSH`, shape (n, 6)."""
    return share * PUSH * np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 6))
