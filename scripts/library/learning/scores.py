"""How good an episode of a frozen task was, from 0 to 1, by a quantity of physics; and means over episodes.

A quantity is at least 0: what stands still, or has fallen, earns none for that time. A score is below 0 where the
quantity is less than that of the task's 0, and above 1 where it is more than that of its 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from tarsus.envs.frozen import FrozenTask

STILL = 1.0  # a shorter way is nobody's own: so far pushes shove what lies on the ground [m]
LEAST = 0.01  # specific resistance that counts: the slope down which passive walkers walk
ARM = 0.25  # that makes a yaw rate the speed of a point of the body beside its middle [m]
RESAMPLES = 2000  # of the bootstrap


@dataclass(frozen=True)
class Trace:
    """An episode of n steps, which may have ended before its time."""

    dt: float  # control period [s]
    seconds: float  # how long an episode is that does not end before its time [s]
    weight: float  # of the machine [N]
    way: np.ndarray  # along the forward axis since the start, at the end of each step, shape (n,) [m]
    power: np.ndarray  # positive power of the joints, shape (n,) [W]
    # mean over a stride of forward and sideways velocity [m/s] and yaw rate [rad/s], shape (n, 3); or none
    pace: np.ndarray | None = None
    command: np.ndarray | None = None  # forward velocity [m/s] and yaw rate [rad/s], shape (n, 2); or none


def speed(trace: Trace) -> float:
    """Return the way over the time that there was [m/s]."""
    return max(0.0, float(trace.way[-1]) / trace.seconds)


def resistance(trace: Trace) -> float:
    """Return the specific resistance: work of the joints over weight and way; infinite where there is no way."""
    way = float(trace.way[-1])
    return max(LEAST, float(trace.power.sum() * trace.dt / (trace.weight * way))) if way > STILL else np.inf


def effectiveness(trace: Trace) -> float:
    """Return speed over specific resistance [m/s].

    Gabrielli and von Karman, "What price speed?", 1950: of the best vehicles of all kinds it is the same.
    """
    return speed(trace) / resistance(trace)


def economy(trace: Trace) -> float:
    """Return the inverse of the specific resistance, times the share by which the commanded speed was met.

    That is v / c or c / v, whichever is less, of the mean speed v and the mean command c.
    """
    v, c = speed(trace), float(trace.command[:, 0].mean())
    return min(v / c, c / v) / resistance(trace) if v > 0.0 else 0.0


def following(trace: Trace) -> float:
    """Return 1 less the mean error of the pace over the mean command; a yaw rate counts as the speed at `ARM`.

    What stands still has an error as large as the command, and so has what has fallen for the rest of the time.
    """
    (v, sideways, turn), (c, yaw_rate) = trace.pace.T, trace.command.T
    error = np.sqrt((v - c) ** 2 + sideways**2 + (ARM * (turn - yaw_rate)) ** 2)
    asked, share = np.hypot(c, ARM * yaw_rate).mean(), len(error) * trace.dt / trace.seconds
    return max(0.0, share * (1.0 - float(error.mean() / asked))) if asked > 0.0 else 0.0


MEASURES = (speed, effectiveness, economy, following)
QUANTITIES: dict[str, Callable[[Trace], float]] = {measure.__name__: measure for measure in MEASURES}
UNITS = {"speed": "m/s", "effectiveness": "m/s", "economy": "1", "following": "1"}


def score(task: FrozenTask, trace: Trace) -> float:
    """Return the score of an episode of a task; ValueError if the episode holds numbers that are not finite."""
    for name in ("way", "power", "pace", "command"):
        values = getattr(trace, name)
        if values is not None and not np.isfinite(values).all():
            raise ValueError(f"{name} of the episode is not finite, and gives no score: play it again from a reset")
    return (QUANTITIES[task.score](trace) - task.zero) / (task.one - task.zero)


def interquartile(scores: Sequence[np.ndarray]) -> tuple[float, float, float]:
    """Return the interquartile mean of the scores of all tasks, and its 95 % interval by the stratified bootstrap.

    As in rliable (Agarwal et al. 2021): a quarter of all runs is left out at either end; runs, shape (n_runs,) of each
    task, are drawn anew within it. ValueError if a task has none, or one is not finite.
    """
    for one in scores:
        if not np.size(one) or not np.isfinite(one).all():
            raise ValueError(f"every task needs scores that are finite, got {one}")

    rng = np.random.default_rng(0)
    drawn = [np.asarray(one, float)[rng.integers(len(one), size=(RESAMPLES, len(one)))] for one in scores]
    means = stats.trim_mean(np.concatenate(drawn, axis=1), 0.25, axis=1)
    middle = stats.trim_mean(np.concatenate([np.asarray(one, float) for one in scores]), 0.25)
    return float(middle), *map(float, np.percentile(means, (2.5, 97.5)))
