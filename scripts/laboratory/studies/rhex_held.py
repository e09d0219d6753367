"""RHex's gaits held by feedback from nine numbers of the body, pushed in both engines."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from tarsus.analytic.hybrid import compile as compiled
from tarsus.analytic.hybrid.feedback import Feedback
from tarsus.analytic.models.hexapod import HexapodParams, held, hybrid, orbit
from tarsus.analytic.terrain import Flat
from tarsus.controllers.clock_gaits import RHEX_FOUND
from tarsus.controllers.held_gait import GaitFeedback, HeldGait
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.scripts.library.machines.hexapod import PlatelessExperiment
from tarsus.scripts.library.machines.hexapod_experiment import Start
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

ROBOT = HexapodParams.rhex("drive")
SETTLING = 14  # strides before the linear model
LIMIT = 3.0  # of a control, in large steps
PUSH = np.array([0.3, 0.3, 0.3, 1.5, 1.5, 1.5])  # largest, of velocity [m/s] and angular velocity [rad/s]
BACK = 0.05  # largest of the body's scaled numbers that counts as returned in MuJoCo, whose gait is slightly another


@dataclass(frozen=True, eq=False)
class HeldRhex:
    """A gait with its feedback."""

    stride: orbit.StrideMap
    law: Feedback

    @classmethod
    def of(cls, name: str = "rhex-pronk", limit: float = LIMIT) -> HeldRhex:
        """Settle a gait, find its linear model and its feedback; half a minute of processor time."""
        sim = compiled(hybrid.build(ROBOT, Flat(), "open-loop"))
        stride = orbit.settle(sim, ROBOT, RHEX_FOUND[name], SETTLING)
        return cls(stride, held.body_feedback(held.linear_model(stride), limit))

    @property
    def controller(self) -> GaitFeedback:
        """What a robot needs to know."""
        numbers = self.law.model.z[: held.N_BODY]
        return GaitFeedback(self.stride.t0 + self.stride.gait.cycle_time, numbers, self.law.gain, self.law.limit)

    def in_mujoco(self, push: np.ndarray, n_strides: int, preset: str = "reference") -> held.PushedWalk:
        """Return how the gait goes on after a push in MuJoCo, as `held.after_push` in the exact engine."""
        x = self.stride.lift(self.law.model.z)
        x[7:13] += push
        start = Start(*from_exact(ROBOT, x))
        stepper = HeldStepper(PlatelessExperiment(ROBOT, self.stride.gait, Flat(), preset, start), self)
        distance: list[float] = []
        while len(distance) < n_strides:
            before = stepper.controller.n_sections
            stepper.step()
            if stepper.fallen():
                return held.PushedWalk(np.array(distance), True)
            if stepper.controller.n_sections > before:
                off = stepper.numbers - self.law.model.z[: held.N_BODY]
                distance.append(float(np.abs(off).max()))
        return held.PushedWalk(np.array(distance), False)


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


def pushes(n: int, seed: int = 0) -> np.ndarray:
    """Return pushes drawn evenly within `PUSH`, shape (n, 6)."""
    return PUSH * np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 6))
