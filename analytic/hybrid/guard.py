"""The declaration of a guard (boundary function): what its zero means."""

from collections.abc import Callable
from dataclasses import dataclass

from .kernel import codes
from .known_times import KnownTimes
from .names import SYMBOL

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
