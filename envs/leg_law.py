"""The controller that a leg's action corrects, as a part of its task: sampled several times in a control period."""

from typing import Any

import numpy as np

from ..controllers.corrected import CHANGED, LAW, N_LAGGED, N_LAST, N_SHOWN, PACE, POWER, TEMPO, TORQUE
from .extras import Extra
from .observations import Observation, labelled

JOINTS, PLANE = ("hip", "knee"), ("forward", "up")  # components of entries
LONGEST = 1.0  # time since the controller's last event, shown at most [s]


class LegLaw(Extra):
    """The controllers of a task's simulations and what they are asked for; their arithmetic is `corrected.correcting`.

    Attributes:
        down: Whether the controllers take the foot to stand, by phase, shape (n_phases,).
        memory, phase, last: Of the controllers, shapes (..., n_memory), (...,) of int, and (..., n).
        lagged: Corrections, tempo and pace, as far as they have followed what was asked, shape (..., 4).
        shown: What is observed and rewarded, shape (..., 6); columns as in `controllers.corrected`.
    """

    KEPT = ("memory", "phase", "last", "lagged", "shown")

    def __init__(self, task):
        shape, baseline, config = task.shape, task.baseline(), task.config
        self._kernel, self._first, self.down = baseline.kernel, baseline.memory, baseline.down
        self.memory, self.phase = np.zeros((*shape, baseline.memory.size)), np.full(shape, -1)
        self.last, self.lagged, self.shown = (np.zeros((*shape, n)) for n in (N_LAST, N_LAGGED, N_SHOWN))
        n = self.phase.size
        self._beliefs, self._all, self._weight = np.tile(baseline.beliefs, (n, 1)), np.arange(n), 1.0 / task.n_samples
        self._time, self._ground, self._wanted = np.zeros(n), np.zeros(n), np.zeros((n, N_LAGGED))
        self._controls = np.zeros((1, *shape, 2))
        period = config.LAW_PERIOD
        shares = (-np.expm1(-period / lag) for lag in (config.residual_lag, config.tempo_lag))
        how = config.residual_range, *shares, np.log(config.tempo_range), baseline.settle, baseline.hold
        self._numbers = np.array(how)
        self._rows: tuple[Any, ...] = ()

    @property
    def torque(self) -> np.ndarray:
        """That the motors delivered at the last sample, shape (..., 2) [N m]."""
        return self.shown[..., TORQUE : TORQUE + 2]

    @property
    def power(self) -> np.ndarray:
        """Mean of its absolute power in the last control period, shape (...,) [W]."""
        return self.shown[..., POWER]

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse a phase that the controller does not have: compiled code would look for its command anywhere."""
        phase, last = arrays["phase"], len(self.down) - 1
        if phase.min() < -1 or phase.max() > last:
            raise ValueError(f"the phases of a state must lie from -1 to {last}, got {phase}")

    def begin(self, task, sim, data) -> None:
        """Forget; the next sample is the controller's first."""
        self.memory[sim], self.phase[sim], self.last[sim] = self._first, -1, 0.0
        self.lagged[sim], self.shown[sim] = 0.0, 0.0
        self.lagged[sim][PACE], self.shown[sim][CHANGED] = task.first_pace(sim), data.time

    def take(self, task, action: np.ndarray) -> np.ndarray:
        """Take an action, (..., 3), for a control period, and return `sample` for its beginning."""
        self._wanted[:, :PACE] = action
        self._wanted[:, PACE] = task.pace_asked()
        return self.sample(task, weight=-self._weight)

    def sample(self, task, sim=None, time: float | np.ndarray | None = None, weight: float = 0.0) -> np.ndarray:
        """Return the torques asked for now, held until the next sample, shape (1, ..., 2) [N m].

        They are of all simulations, or of one at its time [s]; a weight of 0 is that of a later sample of the period.
        """
        rows = self._all if sim is None else self._all[sim or 0 :][:1]
        self._time[rows] = task.data.time if time is None else time
        if task.uneven:
            self._ground[rows] = task.ground_below(sim)
        if not self._rows or self._rows[0] is not task.qpos:
            self._rows = task.qpos, *self._views(task)
        self._kernel()(rows, self._numbers, weight or self._weight, *self._rows[1:])
        return self._controls

    def _views(self, task) -> tuple[np.ndarray, ...]:
        """Return the kernel's arrays, views with a row for each simulation."""
        n = len(self._all)
        own = [kept.reshape(n, -1) for kept in (self.last, self.lagged, self.shown, self._controls[0])]
        measured = np.atleast_2d(task.qpos), np.atleast_2d(task.qvel), np.atleast_2d(task.foot[..., 0, :])
        given = self._time, *measured, self._ground, self._wanted, task.motors.reshape(3, n, 2), self._beliefs
        return *given, self.memory.reshape(n, -1), self.phase.reshape(n), *own

    def __getstate__(self) -> dict[str, Any]:
        """Drop the views, which are no copies' own."""
        return self.__dict__ | {"_rows": ()}


def _law_torque(task) -> np.ndarray:
    return task.law.shown[..., LAW : LAW + 2]


def _stance(task) -> np.ndarray:
    law = task.law
    return (law.down[law.phase] & (law.phase >= 0))[..., None]


def _since(task) -> np.ndarray:
    return np.minimum(task.data.time - task.law.shown[..., CHANGED], LONGEST)[..., None]


LAW_ENTRIES: dict[str, Observation] = {
    "law_torque": labelled(
        JOINTS, 1, "1", "commanded by the controller, over the largest", _law_torque, "residual", typical=0.3
    ),
    "law_stance": Observation(1, 1, "1", "1 where the controller assumes stance", _stance, "residual"),
    "law_time": Observation(
        1, LONGEST, "s", "since the controller's last event, at most 1 s", _since, "residual", typical=0.1
    ),
    "correction": labelled(
        JOINTS,
        1,
        "1",
        "of hip and knee, lagging the action",
        lambda t: t.law.lagged[..., :TEMPO],
        "residual",
    ),
    "tempo": Observation(1, 1, "1", "lagging the action", lambda t: t.law.lagged[..., TEMPO:PACE], "residual"),
}
