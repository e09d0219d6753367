"""MuJoCo's contact settings, each with its error against the exact engine and its cost: what accuracy costs.

The sweep is `laboratory/studies/contact_sweep.py`.
"""

from __future__ import annotations

import pandas as pd

from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.drawing import picture
from tarsus.scripts.laboratory.figures import contact_pareto
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies.contact_sweep import DEFAULTS, compute, frame, front, settings
from tarsus.scripts.library.records import record

PLACE = Place("crossvalidation.md", "sweep")
PACKAGES = record.PACKAGES


def parts(rows: pd.DataFrame) -> list[Table | str]:
    """Return the settings on both fronts, the presets, the defaults, and what failed."""
    fast = rows["real_time"].to_numpy()
    on_front = {name: front(fast, rows[name].to_numpy()) for name in ("force_error", "speed_error")}
    marks = [
        " and ".join(words for words, on in zip(("forces", "speed"), pair, strict=True) if on)
        for pair in zip(*on_front.values(), strict=True)
    ]
    named = rows["setting"].isin([*PRESETS, DEFAULTS]).to_numpy()
    kept = rows.assign(front=marks)[named | (on_front["force_error"] & on_front["speed_error"])]
    body = [
        [
            f"**{row.setting}**" if row.setting in (*PRESETS, DEFAULTS) else row.setting,
            f"{row.real_time:.0f}",
            f"{100 * row.force_error:.1f}",
            f"{100 * row.raw_force_error:.1f}",
            f"{100 * row.speed_error:.2f}",
            f"{1e3 * row.height_error:.3f}",
            row.front or "-",
        ]
        for row in kept.sort_values("real_time").itertuples()
    ]
    head = [
        *("setting", "x real time", "force error [%]", "raw force error [%]"),
        *("speed error [%]", "height error [mm]", "on the front of"),
    ]
    failed = rows[rows["failed"] != ""]
    lines = [f"* {row.setting}: {row.failed}" for row in failed.itertuples()]
    words = f"{len(rows)} settings were tried; {rows['flickers'].sum()} of them flicker; these {len(failed)} failed:"
    return [Table(head, body), words, "\n".join(lines) or "none"]


def tables(jobs: Jobs = -1) -> Page:
    """Return the table, all settings as data, and their picture.

    Args:
        jobs: Processes; -1 takes every core.
    """
    chosen = settings()
    rows = frame(chosen, compute(chosen, jobs))
    files = {
        "data/contact_sweep.csv": lambda: rows,
        "figures/contact_pareto.png": lambda: picture(contact_pareto, contact_pareto.arrays(rows)),
    }
    return Page(*parts(rows), files=files)
