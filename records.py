"""The labelled record of a run: its files, what it was made of, and what it holds in numbers."""

from .scripts.library.records.record import (
    gait_of,
    load,
    load_csv,
    params_of,
    save,
    save_csv,
    table,
    terrain_of,
)
from .scripts.library.records.summary import Summary, Window, battery_life, foot_slip, summarise, travel, window
from .scripts.library.records.summary import lines as summary_lines

__all__ = [
    "Summary", "Window", "battery_life", "foot_slip", "gait_of", "load", "load_csv", "params_of", "save", "save_csv",
    "summarise", "summary_lines", "table", "terrain_of", "travel", "window",
]  # fmt: skip
