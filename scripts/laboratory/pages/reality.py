"""Contact against reality: the cube in every engine and setting, and laws of impact on the ellipse.

Usage: tarsus page reality [--results FOLDER] [--write]. Seconds: it reads what `tarsus reality --out` wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np

from tarsus.scripts.command import paths
from tarsus.scripts.command.output import RESULT
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies.study_plots import plain_log
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.reality import cube, offering, scoring
from tarsus.scripts.library.reality.tosses import CONVENTIONS, RATE

PLACE = Place("reality.md", "results")
PACKAGES = ("numpy",)
RESULTS = stamp.DOCS / "data" / "reality"
CUBE, ELLIPSE = "figures/reality_cube.png", "figures/reality_ellipse.png"
# Of the paper on which the metric is: Drake, Bullet and MuJoCo, tuned on these tosses, published convention.
PUBLISHED = (("Drake", 13.5, 16.5), ("Bullet", 14.9, 16.5), ("MuJoCo", 25.1, 21.7))


class ScoredSetting(NamedTuple):
    """The scores of an engine's setting in a convention."""

    name: str
    convention: str
    how: str  # untuned or tuned
    scores: cube.Scores

    @property
    def words(self) -> str:
        """What the row is called."""
        return f"{self.name}, {self.how}"


def tables(results: Annotated[Path, paths.folder] = RESULTS) -> Page:
    """Return the tables and their pictures.

    Args:
        results: Folder with a file of every engine, and one of the ellipse.
    """
    engines, impacts = read(results)
    rows = [row for one in engines for row in rows_of(one)]
    parts = [versions(engines), "Published, tuned on these tosses: " + published() + "."]
    for convention in CONVENTIONS:
        chosen = sorted((row for row in rows if row.convention == convention), key=loss)
        parts.append(
            Table(("engine, setting", *offering.HEAD[2:]), [cells(row) for row in chosen], f"### Cube, {convention}")
        )
        parts.append(
            Table(
                ("engine, setting", "position [%]", "rotation [deg]"), differences(chosen), "#### Beside the first row"
            )
        )
    parts.append("Differences are paired: mean over the same tosses, with 95 % intervals.")
    parts.append(f"![Errors of the cube in every engine]({CUBE})")
    for sign in impacts["laws"]:
        title = f"### Ellipse, {sign} sign, {impacts['impacts']} impacts held out"
        parts.append(Table(offering.LAW_HEAD, offering.ellipse_rows(impacts, sign), title))
    parts.append(f"![Slip after impacts of the ellipse with both signs]({ELLIPSE})")
    return Page(*parts, files={CUBE: lambda: draw(rows), ELLIPSE: lambda: draw_ellipse(impacts)})


def read(folder: Path) -> tuple[list[dict], dict]:
    """Return the results of engines, our own model first, and those of the ellipse.

    Raises:
        ValueError: If either is missing.
    """
    made = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json")) if path.name != RESULT
    ]
    engines = [one for one in made if "engine" in one]
    impacts = [one for one in made if one.get("body") == "ellipse"]
    if not (engines and impacts):
        raise ValueError(f"results are missing in {folder}; `tarsus reality` and `tarsus reality ellipse` write them")
    return sorted(engines, key=lambda one: (one["engine"] != "rigid_cube", one["engine"])), impacts[0]


def rows_of(one: Mapping) -> list[ScoredSetting]:
    """Return untuned and tuned rows of an engine; one where they are the same."""
    found = []
    for setting, of in one["results"].items():
        for convention, studied in of.items():
            same = studied["tuned"] == studied["untuned"]
            for how in ("untuned",) if same else ("untuned", "tuned"):
                words = "untuned is best" if same else how
                found.append(
                    ScoredSetting(f"{one['name']}, {setting}", convention, words, cube.from_stored(studied[how]))
                )
    return found


def loss(row: ScoredSetting) -> float:
    """Return what rows are sorted by."""
    return row.scores.loss


def cells(row: ScoredSetting) -> list[str]:
    """Return a row of the table."""
    return [row.words, *offering.contact_cells(row.scores), *offering.error_cells(row.scores)]


def differences(rows: list[ScoredSetting]) -> list[list[str]]:
    """Return by how much the errors of the rows exceed those of the first, paired."""
    first, table = rows[0].scores.errors, []
    for row in rows[1:]:
        if row.scores.errors.shape == first.shape and np.isfinite(row.scores.errors).all():
            pairs = [scoring.difference(row.scores.errors[:, k], first[:, k]) for k in range(2)]
            table.append([row.words, *(f"{one.value:+.1f} [{one.low:+.1f}, {one.high:+.1f}]" for one in pairs)])
    return table


def published() -> str:
    """Return the published errors in words."""
    return ", ".join(f"{name} {position} % and {rotation} deg" for name, position, rotation in PUBLISHED)


def versions(engines: list[dict]) -> str:
    """Return engines, versions, computers and dates in words."""
    of: dict[str, list[str]] = {}
    for one in engines:
        of.setdefault(f"{one['computer']}, {one['date']}", []).append(f"{one['name']} {one['version']}")
    return " ".join(f"{', '.join(names)}: run on {where}." for where, names in of.items())


def draw(rows: list[ScoredSetting]):
    """Draw errors with intervals, against time since contact, against cost and against friction."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 10), layout="constrained")
    best = [row for row in rows if row.convention == "published" and np.isfinite(loss(row))]
    best = sorted(best, key=lambda row: row.scores.errors[:, 0].mean(), reverse=True)
    _bars(axes[0, 0], best, 0, "position error [%], published convention", [one[1] for one in PUBLISHED])
    _bars(axes[0, 1], best, 1, "rotation error [deg], published convention", [one[2] for one in PUBLISHED])
    axes[0, 1].set_yticklabels([])
    corrected = [
        row for row in rows if row.convention == "corrected" and np.isfinite(loss(row)) and row.how != "untuned"
    ]
    for row in corrected:
        curve = row.scores.curve
        axes[1, 0].plot(1e3 * np.arange(1, curve.shape[1] + 1) / RATE, curve[0], label=row.words)
        axes[1, 1].plot(row.scores.cost, row.scores.errors[:, 0].mean(), "o", label=row.words)
    axes[1, 0].set(xlabel="time since contact [ms]", ylabel="position error [%], corrected convention", yscale="log")
    axes[1, 1].set(xlabel="processor time over simulated time", ylabel="position error [%], corrected", xscale="log")
    axes[1, 0].legend(fontsize=8)
    plain_log(axes[1, 1].xaxis)
    return figure


def _bars(axis, rows: list[ScoredSetting], column: int, label: str, published: list[float]) -> None:
    for place, row in enumerate(rows):
        one = scoring.estimate(row.scores.errors[:, column])
        axis.barh(place, one.value, color="0.7" if "untuned" in row.how else "C0")
        axis.plot([one.low, one.high], [place, place], color="black", lw=1.5)
    names = [row.words for row in rows]
    for (name, *_), value in zip(PUBLISHED, published, strict=True):
        axis.barh(len(names), value, fill=False, ec="C3")
        names.append(f"{name}, as published")
    axis.set_yticks(range(len(names)), names, fontsize=8)
    axis.set_xlabel(label)


def draw_ellipse(impacts: Mapping):
    """Draw how fast contacts slip after their impacts, with both signs: true friction leaves many that stick."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
    for sign, counts in impacts["slips"].items():
        axis.stairs(counts, offering.SLIPS, label=f"{sign} sign", lw=1.5)
    axis.set(xlabel="slip after the impact [m/s]", ylabel="impacts", xlim=tuple(offering.SLIPS[[0, -1]]))
    axis.legend()
    return figure
