"""Events at known times, which need no root finding: steps end there exactly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class KnownTimes:
    """The times of a guard's events: a list, or `offset + k period` for k = 0, 1, 2, ...; made by `at` and `every`."""

    listed: tuple[float, ...] = ()  # [s]; empty if periodic
    period: float | str = 0.0  # [s], or the name of the parameter that holds it; 0 if listed
    offset: float | str = 0.0  # likewise, of the first event


def at(times: Sequence[float]) -> KnownTimes:
    """Events at given times [s], in increasing order; those at or before a run's start do not happen in it.

    Raises:
        ValueError: If there is none, or they are not finite and increasing.
    """
    return KnownTimes(listed=tuple(increasing("times", times).tolist()))


def every(period: float | str, offset: float | str = 0.0) -> KnownTimes:
    """Events at `offset + k period` for k = 0, 1, 2, ... [s], by multiplication: rounding does not accumulate.

    Args:
        period: A number or the name of a parameter.
        offset: Time of the first one, likewise. An event at or before a run's start does not happen in it.

    Raises:
        ValueError: If the period is not positive or a number is not finite.
    """
    for name, value in (("period", period), ("offset", offset)):
        if not isinstance(value, str) and not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number of seconds or a parameter's name, got {value!r}")
    if not isinstance(period, str) and not period > 0:
        raise ValueError(f"period must be positive, got {period!r}")
    return KnownTimes(period=period, offset=offset)


def increasing(name: str, times: Any) -> np.ndarray:
    """Given times as an array, shape (k,)."""
    try:
        made = np.array(times, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a list of numbers [s], got {times!r}") from None
    if made.ndim != 1 or not made.size:
        raise ValueError(f"{name} must be a list of at least one time [s], got shape {made.shape}")
    if not np.isfinite(made).all():
        raise ValueError(f"{name} must be finite, got {made[~np.isfinite(made)][0]!r}")
    late = np.flatnonzero(np.diff(made) <= 0.0)
    if late.size:
        i = int(late[0])
        raise ValueError(f"{name} must increase, got {made[i].item()!r} and then {made[i + 1].item()!r}; sort them")
    return made


def refuse(model: Any, what: str) -> None:
    """Refuse a model with known times, saying what cannot be done with it."""
    for guard in model.guards.values():
        if guard.times is not None:
            raise ValueError(
                f"model {model.name}: {what} cannot pass the known times of {guard.name}; make it a guard of time, "
                "such as d[0] - t, whose reset moves d[0] on"
            )


def tables(model: Any) -> dict[str, np.ndarray]:
    """The kernel's tables of known times: which guards have them, their numbers, and in which charts they count."""
    n, listed = max(len(model.guards), 1), []
    of = {name: np.zeros(n, dtype=np.int64) for name in ("TIMED", "FIRST_TIME", "N_TIMES")}
    of |= {name: np.full(n, -1, dtype=np.int64) for name in ("PERIOD_AT", "OFFSET_AT")}
    of |= {name: np.zeros(n) for name in ("PERIOD", "OFFSET")}
    charts = model.charts or ()
    of["TIMED_IN"] = np.ones((n, max(len(charts), 1)), dtype=np.int64)
    for i, guard in enumerate(model.guards.values()):
        if guard.times is None:
            continue
        of["TIMED"][i] = 1
        of["FIRST_TIME"][i], of["N_TIMES"][i] = len(listed), len(guard.times.listed)
        listed += guard.times.listed
        for name in ("period", "offset"):
            value = getattr(guard.times, name)
            if isinstance(value, str):
                if value not in model.param_names:
                    known = ", ".join(model.param_names) or "none"
                    raise ValueError(f"guard {guard.name}: its {name} {value!r} is not a parameter; known: {known}")
                of[f"{name.upper()}_AT"][i] = model.param_names.index(value)
            else:
                of[name.upper()][i] = value
        if guard.charts:
            of["TIMED_IN"][i] = [chart in guard.charts for chart in charts]
    of["KNOWN_TIMES"] = np.array(listed or [0.0])
    return of
