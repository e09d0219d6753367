"""Guards whose events change at most the memory, such as counters: they need no special state to begin in."""

from typing import Any

import numpy as np

from ..compilation.rebuild import interpreted
from .guard import Guard

TRIALS = 64  # states, memories and parameters with which a transition is tried


def leaves_motion(model: Any, guard: Guard) -> bool:
    """Whether a textbook guard's transition leaves state and chart alone, by its declaration and in trials.

    All entries of time, state, memory and parameters are drawn with either sign, so that a reset that acts under a
    condition is found as well; where a trial fails, it counts as one that acts.
    """
    if model.three is not None or guard.invalid or not guard.charts or guard.times is not None:
        return False
    if guard.function is None or (guard.to is not None and set(guard.charts) != {guard.to}):
        return False
    function = model.resets.get(guard.name) or model.handlers.get(guard.name)
    if function is None:
        return True
    own = (None, -1, *(model.chart_code(chart) for chart in guard.charts if len(guard.charts) == 1))
    plain, rng = interpreted(function), np.random.default_rng(0)
    for trial in range(TRIALS):
        x, d, p = (_drawn(rng, part) for part in (model.x0, model.d0, model.p0))
        before, p = x.copy(), model.p0.copy() if trial % 2 else p
        try:
            with np.errstate(all="ignore"):
                after = plain(float(rng.uniform(0.0, 10.0)), x, d, p)
        except Exception:
            return False  # not a pure counter, or wrong: `check_model` says which
        if not np.array_equal(x, before) or (guard.name in model.handlers and after not in own):
            return False
    return True


def _drawn(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    return (1.0 + np.abs(values)) * rng.uniform(0.1, 2.0, values.size) * rng.choice([-1.0, 1.0], values.size)
