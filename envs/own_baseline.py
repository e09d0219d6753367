"""What actions correct: a posture, or a baseline: a clock (`own_clock`), or the user's function of time or table.

An action is a correction for each actuator, and with a baseline last a *tempo*: the baseline's time passes
`tempo_range ** tempo` times as fast. Both follow the action with the lag of a low-pass filter of first order, which
lets little of the noise pass with which policies explore; an action of 0 is the baseline itself.
"""

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from . import own_clock
from .kinds import array_of, check_residual
from .observations import Observation, labelled
from .user_functions import Checked

WHERE, CLOCK = "baseline", "clock"


def check(config) -> None:
    """Refuse a baseline that is neither a function nor a table, and impossible numbers beside it.

    Raises:
        ValueError: The message says what is allowed.
    """
    baseline, period = config.baseline, config.baseline_period
    if isinstance(baseline, str) and baseline != CLOCK:
        raise ValueError(
            f"baseline must be {CLOCK!r}, a function(time, task) or a table, got {baseline!r}; a found.npz is taken by "
            "own_robot.register(..., baseline=...), and is the robot with it in `--env found.npz`"
        )
    if baseline is not None and not callable(baseline) and not isinstance(baseline, str):
        table = array_of(baseline)
        if table.ndim != 2 or table.dtype.kind not in "fiu" or not len(table) or not np.isfinite(table).all():
            raise ValueError(
                "baseline must be a function(time, task) that returns the controls, or a table of finite controls with "
                f"a row for each instant of a turn, got {baseline!r}"
            )
        if period is None:
            raise ValueError("a baseline that is a table needs baseline_period, the time of a turn [s]")
    if period is not None and (baseline is None or not period > 0):
        raise ValueError(f"baseline_period must be positive and needs a baseline; got {period} s and {baseline!r}")
    check_residual(config)


def of_file(path: str | Path) -> dict[str, Any]:
    """Return the options `baseline` and `baseline_period` that `tarsus search baseline` found.

    Raises:
        ValueError: If it is no such file.
    """
    try:
        with np.load(path, allow_pickle=False) as found:
            return {"baseline": found["baseline"], "baseline_period": float(found["baseline_period"])}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is no file of `tarsus search baseline`, as found.npz: {error}") from None


def _timed(function: Callable[[np.ndarray, Any], np.ndarray], task) -> np.ndarray:
    """Return the controls of a user's function of time and task, shape (..., nu)."""
    return function(task.gone.copy(), task)


class Corrections:
    """The controls of a task, from its actions; what it remembers are arrays of the task.

    Args:
        task: The `OwnRobotTask`.
        rest: Controls at rest, shape (nu,).
        reach: Of the robot, shape (nu,).

    Attributes:
        scale: What an action of 1 adds to every control, shape (nu,).
        period: Of a baseline's turn [s], if it has one.

    Raises:
        ValueError: If a table has not a column for each actuator.
    """

    def __init__(self, task, rest: np.ndarray, reach: np.ndarray):
        config, n, lags = task.config, task.model.nu, (task.config.residual_lag, task.config.tempo_lag)
        self.has_baseline = config.baseline is not None
        self.scale = config.residual_range * reach if self.has_baseline else reach
        self._rest, self._reach, self.period = rest, reach, config.baseline_period
        self._share, self._tempo_share = (-np.expm1(-task.ctrl_dt / lag) for lag in lags)
        self._logarithm, self._function, self._table = np.log(config.tempo_range), None, rest[None]
        if isinstance(config.baseline, str):
            g = config.params.g
            self._table = own_clock.table(task.model, task.FORWARD, g)
            self.period = self.period or own_clock.period_of(task.model, g, own_clock.PERIODS[1])
        elif callable(config.baseline):
            self._function = Checked(WHERE, partial(_timed, config.baseline), n)
        elif self.has_baseline:
            self._table = np.asarray(config.baseline, float)
        if self._table.shape[1] != n:
            raise ValueError(f"baseline has {self._table.shape[1]} columns; actuators are {', '.join(task.actuators)}")

    def controls(self, task, action: np.ndarray) -> np.ndarray:
        """Return the controls of the substeps, shape (n_substeps, ..., nu), or one row that is held."""
        n = len(self.scale)
        task.correction += self._share * (action[..., :n] - task.correction)
        if not self.has_baseline:
            return (self._rest + self.scale * task.correction)[None]
        task.tempo += self._tempo_share * (action[..., n] - task.tempo)
        rate = np.exp(task.tempo * self._logarithm)
        asked = self._function(task)[None] if self._function else self._from_table(task, rate)
        task.asked[...] = (asked[0] - self._rest) / self._reach
        task.gone += rate * task.ctrl_dt
        return asked + self.scale * task.correction

    def _from_table(self, task, rate: np.ndarray) -> np.ndarray:
        """Return the table's controls, linear between its rows, shape (n_substeps, ..., nu)."""
        n, first = task.n_substeps, task.lead
        times = task.substep_times[first : first + n].reshape(n, *(1 for _ in task.shape))
        rows = (task.gone + rate * times) / self.period * len(self._table)
        below = np.floor(rows)
        share, row = (rows - below)[..., None], below.astype(int) % len(self._table)
        return (1.0 - share) * self._table[row] + share * self._table[(row + 1) % len(self._table)]


def entries_of(task) -> dict[str, Observation]:
    """Return the entries of the observation about corrections, and about a baseline if there is one."""
    names = task.actuators
    found = {"correction": labelled(names, 2, "1", "filtered correction", lambda t: t.correction)}
    if task.config.baseline is None:
        return found
    found |= {
        "tempo": labelled(("tempo",), 2, "1", "filtered tempo", lambda t: t.tempo[..., None]),
        "baseline": labelled(names, 1e3, "reach", "what the baseline last asked for, from rest", lambda t: t.asked),
    }
    if task.corrections.period is not None:
        words = "cosine and sine of the baseline's phase"
        found["clock"] = labelled(("cosine", "sine"), 1, "1", words, _clock)
    return found


def _clock(task) -> np.ndarray:
    phase = task.gone * (2.0 * np.pi / task.corrections.period)
    return np.stack([np.cos(phase), np.sin(phase)], axis=-1)
