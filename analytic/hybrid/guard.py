"""The declaration of a guard (boundary function): what its zero means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation.rebuild import interpreted
from .kernel import codes
from .known_times import KnownTimes
from .names import SYMBOL

TRIALS = 64  # states, memories and parameters with which a transition is tried

SIDES = {"right": codes.RIGHT, "left": codes.LEFT}
ON_ENTRY = {"refuse": codes.REFUSE, "fire": codes.FIRE, "ignore": codes.IGNORE, "ignore_later": codes.IGNORE_LATER}


@dataclass(frozen=True)
class Guard:
    """A boundary function's declaration; its zero is an event.

    Attributes:
        name: Names the event.
        direction: -1 fires when the value falls to its target, +1 when it rises, 0 both ways.
        side: On which side of the crossing the accepted point lies: "right" just after, "left" just before.
        invalid: The chart is not valid beyond it: the run ends there with INVALID_CHART.
        on_entry: What to do if a chart is entered with this guard negative: "refuse" (INVALID_ENTRY), "fire" at once,
            "ignore" it until it is positive, or "ignore_later": refuse at the start of the run, ignore afterwards.
            None: "ignore" if its transition changes neither state nor chart, else "refuse"; in mode "mixed", where a
            transition may act on the world and is not tried, "refuse".
        sampled: Its zeros are searched for by samples: for a function so long that enclosing it costs more than a step.
        charts: Where it is active (textbook models).
        function: `value(t, x, d, p)` (textbook models).
        target: A number or the name of a parameter, subtracted from the value (textbook models).
        to: The next chart, if always the same (textbook models); None: the chart stays, unless `Model.on` says more.
        times: Known times of its events, `at` or `every`, instead of a function.

    Raises:
        ValueError: If the name is no symbol, or an option is none of those above.
    """

    name: str
    direction: int = -1
    side: str = "right"
    invalid: bool = False
    on_entry: str | None = None
    sampled: bool = False
    charts: tuple[str, ...] = ()
    function: Callable | None = None
    target: float | str = 0.0
    to: str | None = None
    times: KnownTimes | None = None

    def __post_init__(self) -> None:
        if not SYMBOL.match(self.name):
            raise ValueError(f"{self.name!r} is not a valid guard name: a letter, then letters, digits or underscores")
        if self.direction not in (-1, 0, 1):
            raise ValueError(f"guard {self.name}: direction must be -1, 0 or +1, got {self.direction!r}")
        if self.side not in SIDES:
            raise ValueError(f"guard {self.name}: side must be 'left' or 'right', got {self.side!r}")
        if self.on_entry is not None and self.on_entry not in ON_ENTRY:
            raise ValueError(f"guard {self.name}: on_entry must be one of {', '.join(ON_ENTRY)}, got {self.on_entry!r}")
        if self.times is not None and not isinstance(self.times, KnownTimes):
            raise ValueError(f"guard {self.name}: times must be made by hy.at or hy.every, got {self.times!r}")
        if self.times is not None and self.function is not None:
            raise ValueError(f"guard {self.name}: it has known times, so it needs no function")


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
