"""A gait of the hexapod's clock held by feedback: once a cycle nine numbers of the body choose the next gait.

The controller knows time, hip angles, and what an inertial measurement unit with a height sensor knows of the body. It
never sees a simulator: in MuJoCo it is given these numbers, on a robot it would measure them.

Source: `scripts.laboratory.models.held`, which says what the numbers are and how gains are found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.controllers.clock import ClockController
from tarsus.scripts.laboratory.models.held import CONTROLS, LARGE, N_BODY, body_numbers, refuse_phases


@dataclass(frozen=True)
class GaitFeedback:
    """What holds a gait.

    Attributes:
        section: Time of a section after the clock's start [s]; others follow each cycle.
        target: The body's nine numbers there, on the gait.
        gain: K, shape (7, 9): controls in large steps are -K times what the numbers differ.
        limit: Of a control, in large steps.

    Raises:
        ValueError: If a shape is wrong, or the limit is not positive.
    """

    section: float
    target: np.ndarray
    gain: np.ndarray
    limit: float

    def __post_init__(self) -> None:
        shapes = np.shape(self.target), np.shape(self.gain)
        if shapes != ((N_BODY,), (len(CONTROLS), N_BODY)):
            raise ValueError(
                f"target and gain must have shapes {(N_BODY,)} and {(len(CONTROLS), N_BODY)}, got {shapes}"
            )
        if not self.limit > 0:
            raise ValueError(f"limit must be positive, got {self.limit}")

    def controls(self, numbers: np.ndarray) -> np.ndarray:
        """Return the corrections of the gait's numbers `CONTROLS` [rad, s], shape (7,)."""
        return np.clip(-self.gain @ (numbers - self.target), -self.limit, self.limit) * LARGE


class HeldGait(ClockController):
    """Commands the hips by a clock that is corrected at every section.

    Attributes:
        gait: The gait that holds now.
        n_sections: Sections passed.
    """

    def __init__(self, gait: TripodGait, feedback: GaitFeedback):
        """Take the gait and what holds it.

        Raises:
            ValueError: If the legs have different phases.
        """
        super().__init__(gait)
        refuse_phases(gait)
        self.nominal, self.gait, self.feedback, self.n_sections = gait, gait, feedback, 0
        self._tick, self._late = feedback.section - gait.cycle_time, 0.0  # the last section; how late the clock is [s]
        self._next = feedback.section

    def __call__(self, t: float, hip_angle: np.ndarray) -> np.ndarray:
        """Return the hip commands at time t [s], shape (6, 3), as `ClockController` does."""
        return super().__call__(t - self._late, hip_angle)

    def sense(self, t: float, body: np.ndarray) -> None:
        """Correct the gait if a section has been passed.

        Args:
            t: Time [s].
            body: Position, quaternion (w, x, y, z), velocity in the world frame, angular velocity in the body frame,
                shape (13,).
        """
        if t < self._next:
            return
        while self._next <= t:
            self._tick, self._next = self._next, self._next + self.gait.cycle_time
        self.correct(body)
        self.n_sections += 1

    def correct(self, body: np.ndarray) -> None:
        """Choose the gait by the body's state, shape (13,), from the last section on."""
        values = dict(zip(CONTROLS, self.feedback.controls(body_numbers(body)).tolist(), strict=True))
        nominal, before, longer = self.nominal, self.gait, values.pop("flight_time")
        cycle_time = nominal.cycle_time + longer
        values = {name: getattr(nominal, name) + value for name, value in values.items()}
        blend = nominal.blend * nominal.cycle_time / cycle_time
        self.gait = replace(nominal, cycle_time=cycle_time, blend=blend, **values)
        # The section is as long after its mid-stance as ever: the clock goes on from there with the new cycle.
        cycles = round((self._tick - self._late - nominal.slow_end) / before.cycle_time)
        self._late = self._tick - nominal.slow_end - cycles * cycle_time
        self._next = self._tick + cycle_time
        self.clock = self.gait.clock()
