"""The action mode "rate": each leg goes through its own slow and fast turn; there is no clock."""

import numpy as np

from ..analytic.clock import TRIPOD_PHASE
from .actions import Velocity


class Rate(Velocity):
    """An action changes the rate at which each leg goes through its own slow and fast turn; 0 is the gait's own.

    There is no clock: a leg's phase is the angle of its set-point. With the option `coupling` phases pull each other to
    those of a tripod; without, legs are independent.
    """

    @property
    def scale(self) -> float:
        """The share of the turn's rate that an action of 1 adds."""
        return self.task.config.rate_range

    def bind(self) -> None:
        """Take the numbers of the turn, and what velocities need."""
        gait = self.task.RATE_GAIT
        self._turn = np.array([gait.cycle_time, gait.slow_time, gait.sweep_angle])
        super().bind()

    def speeds_asked(self) -> np.ndarray:
        """Return an array of its own, shape (n, n_joints), which the kernel `turn` fills."""
        return np.zeros_like(self.rows[0])

    def start(self, sim, angle: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return angles, shape (n_joints,) [rad], as far from a common gait as the option `phase_spread` allows."""
        super().start(sim, angle, rng)
        return self.task.scattered(rng)

    def commands(self, action: np.ndarray) -> np.ndarray:
        """Return ramps to where each leg's turn is one period later, shape (n_substeps, ..., n_joints, 3)."""
        action, reference, _ = self.rows
        turn, period = self._turn, self.task.ctrl_dt
        if self.task.config.coupling:
            action, asked = np.empty_like(action), action
            self.task.kernels.pull(reference, turn, TRIPOD_PHASE, self.task.config.coupling, asked, action)
        self.task.kernels.turn(reference, self.task.table, turn, period, self.scale, action, self.speeds)
        return super().commands(action)
