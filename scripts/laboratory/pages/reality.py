"""Contact against reality: the cube in every engine and setting, and laws of impact on the ellipse.

Usage: tarsus page reality [--results FOLDER] [--write]. Seconds: it reads what `tarsus reality --out` wrote; with its
pictures a minute, because some of the tosses are simulated for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np

from tarsus.scripts.command import paths
from tarsus.scripts.command.output import RESULT
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.pages import reality_pictures as pictures
from tarsus.scripts.library.reality import cube, offering, scoring
from tarsus.scripts.library.reality.tosses import CONVENTIONS

PLACE = Place("reality.md", "results")
PACKAGES = ("numpy",)
RESULTS = documents.DOCS / "data" / "reality"
CUBE, ELLIPSE = "figures/reality_cube.png", "figures/reality_ellipse.png"
FRICTION, TOSS = "figures/reality_friction.png", "figures/reality_toss.png"


def tables(results: Annotated[Path, paths.folder] = RESULTS) -> Page:
    """Return the tables and their pictures.

    Args:
        results: Folder with a file of every engine, and one of the ellipse.
    """
    engines, impacts = read(results)
    rows = [row for one in engines for row in rows_of(one)]
    parts = [versions(engines), "Published, tuned on these tosses: " + published() + "."]
    for convention in CONVENTIONS:
        chosen = sorted((row for row in rows if row.convention == convention), key=pictures.loss)
        parts.append(
            Table(("engine, setting", *offering.HEAD[2:]), [cells(row) for row in chosen], f"### Cube, {convention}")
        )
        parts.append(
            Table(
                ("engine, setting", "position [%]", "rotation [deg]"),
                differences(chosen),
                "#### Difference from the first row",
            )
        )
    parts.append("Differences are paired: mean over the same tosses, with 95 % intervals.")
    parts += [
        f"![Errors of the cube in every engine]({CUBE})",
        f"![A toss, measured and simulated]({TOSS})",
        f"![Friction of the cube: what engines fit, and what its corners and faces have]({FRICTION})",
    ]
    for sign in impacts["laws"]:
        title = f"### Ellipse, {sign} sign, {impacts['impacts']} impacts held out"
        parts.append(Table(offering.LAW_HEAD, offering.ellipse_rows(impacts, sign), title))
    parts.append(f"![Slip and spin after impacts of the ellipse with both signs]({ELLIPSE})")
    files = {CUBE: lambda: pictures.draw(rows), ELLIPSE: lambda: pictures.draw_ellipse(impacts)}
    return Page(*parts, files=files | {TOSS: pictures.draw_toss, FRICTION: pictures.draw_friction})


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


def rows_of(one: Mapping) -> list[pictures.ScoredSetting]:
    """Return untuned and tuned rows of an engine; one where they are the same."""
    found = []
    for setting, of in one["results"].items():
        for convention, studied in of.items():
            same = studied["tuned"] == studied["untuned"]
            for how in ("untuned",) if same else ("untuned", "tuned"):
                words = "untuned is best" if same else how
                found.append(
                    pictures.ScoredSetting(
                        f"{one['name']}, {setting}", convention, words, cube.from_stored(studied[how])
                    )
                )
    return found


def cells(row: pictures.ScoredSetting) -> list[str]:
    """Return a row of the table."""
    return [row.words, *offering.contact_cells(row.scores), *offering.error_cells(row.scores)]


def differences(rows: list[pictures.ScoredSetting]) -> list[list[str]]:
    """Return by how much the errors of the rows exceed those of the first, paired."""
    first, table = rows[0].scores.errors, []
    for row in rows[1:]:
        if row.scores.errors.shape == first.shape and np.isfinite(row.scores.errors).all():
            pairs = [difference(row.scores.errors[:, k], first[:, k]) for k in range(2)]
            table.append([row.words, *(f"{one.value:+.1f} [{one.low:+.1f}, {one.high:+.1f}]" for one in pairs)])
    return table


def published() -> str:
    """Return the published errors in words."""
    return ", ".join(f"{name} {position} % and {rotation} deg" for name, position, rotation in pictures.PUBLISHED)


def versions(engines: list[dict]) -> str:
    """Return engines, versions, computers and dates in words."""
    of: dict[str, list[str]] = {}
    for one in engines:
        of.setdefault(f"{one['computer']}, {one['date']}", []).append(f"{one['name']} {one['version']}")
    return " ".join(f"{', '.join(names)}: run on {where}." for where, names in of.items())


def difference(one: np.ndarray, other: np.ndarray, seed: int = 0) -> scoring.ConfidenceInterval:
    """Return by how much the mean of one exceeds the other's, paired, with its 95 % interval.

    Raises:
        ValueError: If they are not of the same tosses.
    """
    one, other = np.asarray(one, float), np.asarray(other, float)
    if one.shape != other.shape:
        raise ValueError(f"scores of the same tosses are compared, got {len(one)} and {len(other)}")
    return scoring.estimate(one - other, seed=seed)
