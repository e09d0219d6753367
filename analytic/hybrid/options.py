"""Settings of a run."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Options:
    """Settings of a run. SimSect's names for them are in `analytic/simsect/init_file.py`.

    Attributes:
        final_time: Where the run ends, exactly [s].
        rtol: Relative tolerance of a single step. Errors of steps add up, and the system lets them grow or decay:
            where the result matters, compare with a run at a smaller one. Below 1e-13 round-off dominates and steps
            become tiny; above 1e-3 the step size control is no longer reliable.
        atol: Absolute tolerance per step: a number or one per state. None: a hundredth of `rtol`.
        max_step: Largest step [s]. A small value only costs time; a large one matters only for oscillating guards.
        min_step: Smallest step before the run gives up with STEP_TOO_SMALL [s]; in a run shorter than a second,
            relative to its length. Never below eight units of round-off in time, the resolution of the clock.
        first_step: First step in a field [s]; 0: chosen automatically.
        exponent: Exponent of the step size control; 0: the method's own (SimSect's `rkPower`).
        pi_control: Proportional-integral step size control: smoother steps on mildly stiff fields.
        record_period: 0 records every accepted step; a positive value its exact multiples [s]; None nothing.
        measure_period: Steps end exactly at multiples of it, and `on_measure` is called there [s]; 0: off.
        frame_period: `on_frame` is called at exact multiples, without changing the steps [s]; 0: off.
        max_charts: Number of transitions and declined events allowed.
        max_steps: Number of attempted steps allowed.
        stop_precision: Guard values within it count as zero on entry to a chart, besides those within round-off.
        max_stop_iter: Guard evaluations allowed to find a zero.
        time_tol: Events closer than this are simultaneous [s]; in a run shorter than a second, relative to its length.
            At least 4 units of round-off in time.
        graze_tol: A positive minimum of a guard below this is logged as grazing.
        zeno: Whether accumulating events are detected.
        zeno_tol: The run stops when the predicted limit is this near, relative to max(1, t - t0) [s]; in a run shorter
            than a second, to its length. Heights of bounces this short are below round-off. At least 4096 units of
            round-off in time.
        zeno_drift: Change of the ratio of gaps, relative to 1 - ratio, below which it counts as constant.
        min_gap: Fifty consecutive gaps below this, relative to max(1, t - t0), end the run [s]; in a run shorter than
            a second, to its length. At least 16 units of round-off in time; 0: off.
        warn_only: An invalid chart is counted and does not end the run.

    Raises:
        ValueError: If a value is out of its range; the message names it.
    """

    final_time: float = 1.0
    rtol: float = 1e-9
    atol: Any = None
    max_step: float = math.inf
    min_step: float = 1e-15
    first_step: float = 0.0
    exponent: float = 0.0
    pi_control: bool = False
    record_period: float | None = 0.0
    measure_period: float = 0.0
    frame_period: float = 0.0
    max_charts: int = 1_000_000
    max_steps: int = 100_000_000
    stop_precision: float = 0.0
    max_stop_iter: int = 128
    time_tol: float = 1e-12
    graze_tol: float = 1e-10
    zeno: bool = True
    zeno_tol: float = 1e-7
    zeno_drift: float = 1e-3
    min_gap: float = 1e-13
    warn_only: bool = False

    def __post_init__(self) -> None:
        self._check_types()
        for name in POSITIVE:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)!r}")
        for name in NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")
        for name in WHOLE:
            value = getattr(self, name)
            if not value <= LARGEST or int(value) != value:
                raise ValueError(f"{name} must be a whole number up to {LARGEST}, got {value!r}")
        if not math.isfinite(self.final_time):
            raise ValueError(f"final_time must be finite, got {self.final_time!r}")
        if self.record_period is not None and not self.record_period >= 0:
            raise ValueError(f"record_period must be None, 0 or positive, got {self.record_period!r}")
        if self.max_step < self.min_step:
            raise ValueError(f"max_step must not be below min_step, got {self.max_step!r} and {self.min_step!r}")

    def _check_types(self) -> None:
        for option in dataclasses.fields(self):
            value = getattr(self, option.name)
            if option.name == "atol" or (option.name == "record_period" and value is None):
                continue
            if not isinstance(value, (int, float, np.number, np.bool_)):
                more = "; records at given times: times=[...]" if option.name == "record_period" else ""
                raise ValueError(f"{option.name} must be a number, got {value!r}{more}")

    def check_span(self, t0: float) -> None:
        """Check what depends on where the run starts.

        Raises:
            ValueError: If `t0` is not finite or after the final time, or a period is so short that memory or time
                would not suffice for its multiples.
        """
        if not math.isfinite(t0):
            raise ValueError(f"t0 must be finite, got {t0!r}")
        if self.final_time < t0:
            raise ValueError(f"final_time must not lie before t0, got {self.final_time!r} and {t0!r}; {BACKWARD}")
        for name in ("record_period", "measure_period", "frame_period"):
            period = getattr(self, name)
            if period and (self.final_time - t0) / period > MOST_MULTIPLES:
                raise ValueError(
                    f"{name} must be at least a {MOST_MULTIPLES:.0e}th of the run's length of "
                    f"{self.final_time - t0:g} s, got {period!r}"
                )

    def absolute(self, n: int) -> np.ndarray:
        """Return the absolute tolerance of each state, shape (n,).

        Raises:
            ValueError: If it is neither a number nor of shape (n,), or not positive.
        """
        try:
            atol = np.asarray(0.01 * self.rtol if self.atol is None else self.atol, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"atol must be a number or a list of {n} numbers, got {self.atol!r}") from None
        if atol.shape not in ((), (n,)):
            raise ValueError(f"atol must be a number or have shape ({n},), got {atol.shape}")
        if not np.all(atol > 0):
            raise ValueError(f"atol must be positive, got {self.atol!r}")
        return np.broadcast_to(atol, (n,))

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all settings."""
        return tuple(field.name for field in dataclasses.fields(cls))


BACKWARD = (
    "resets cannot be undone, so runs go forward: for a stretch without events run a model whose field is negated and "
    "whose time is -t"
)
LARGEST = 2**62  # of a count
MOST_MULTIPLES = 1e8  # of a period in one run: such a record of a small model fills some gigabytes
WHOLE = ("max_charts", "max_steps", "max_stop_iter")
POSITIVE = ("rtol", "max_step", "max_steps", "max_stop_iter", "zeno_drift")
NOT_NEGATIVE = (
    "min_step first_step exponent measure_period frame_period max_charts stop_precision time_tol graze_tol zeno_tol "
    "min_gap"
).split()
