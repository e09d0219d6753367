"""The comparison as a command offers it: which engines and settings, and results as tables and files."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from tarsus.analytic.contact.impact import LAWS
from tarsus.scripts.library.base import stamp
from tarsus.scripts.suite import running

from . import cube, ellipse, rigid, rollouts, scoring
from .tosses import CONVENTIONS, METRICS, UNITS

LABELS = tuple(f"{name.replace('_', ' ')} [{unit}]" for name, unit in zip(METRICS, UNITS, strict=True))
HEAD = ("setting", "convention", "mu", "e", "corners [mm]", *LABELS, "cost")
DIGITS = (1, 1, 0, 2, 2)  # of the metrics
LAW_HEAD = ("law", "mu", "e", "error, median [%]", "95th percentile [%]")
SLIPS = np.linspace(-3.0, 3.0, 121)  # edges of the counts of slip after impacts [m/s]
SPINS = np.linspace(-75.0, 75.0, 31)  # edges of the counts of spin after impacts, measured by predicted [rad/s]
SPIN_LAW = "poisson"  # which predicts it


def simulators(
    engine: str, settings: Sequence[str], python: str, progress: Callable[[], None]
) -> tuple[running.About, dict[str, cube.Simulate]]:
    """Return the description of an engine, and the simulators of tosses in its settings, by default all.

    It is one of the suite's, `rigid_cube` for our own model, or the file of an adapter, and runs in the Python in which
    it is installed; each toss that begins calls `progress`. ValueError if there is no such engine or setting.
    """
    if engine == rigid.NAME:
        known = running.About("rigid cube", stamp.versions("tarsus").partition(" ")[2], list(rigid.SETTINGS))
        running.check_settings(Path(engine), known, settings)
        chosen = settings or known.settings
        return known, {one: partial(rigid.run, step=rigid.SETTINGS[one], progress=progress) for one in chosen}
    path = running.engine_file(engine)
    known = running.about(path, python)
    running.check_settings(path, known, settings)
    return known, {
        one: partial(rollouts.run, rollouts.Engine(path, one, python, known), progress=progress)
        for one in settings or known.settings
    }


def file_name(engine: str) -> str:
    """Return the name of an engine's results: its own, or that of its file."""
    return Path(engine).stem if engine.endswith(".py") else engine


def study(
    known: running.About,
    name: str,
    settings: dict[str, cube.Simulate],
    conventions: Sequence[str],
    every: int = 1,
    limit: int | None = None,
) -> dict:
    """Return the results of tosses in some settings, by their simulators, and conventions, as a file holds them.

    The fit sees one of `every` so many tosses that are not held out; `limit` is the most that are fitted and scored.
    """
    made = {"reality": 1, "engine": name, "name": known.name, "version": known.version}
    made |= {"computer": stamp.computer(), "date": time.strftime("%Y-%m-%d"), "results": {}}
    grid = cube.ALL if name == rigid.NAME else ()
    for setting, simulate in settings.items():
        of = {one: cube.study(simulate, CONVENTIONS[one], every, limit, grid) for one in conventions}
        made["results"][setting] = of
    return made


def file_text(made: dict) -> str:
    """Return results as their file has them: a line for each setting's grid and scores."""
    lines = []
    for setting, of in made["results"].items():
        parts = [
            f"{json.dumps(convention)}: {{\n    "
            + ",\n    ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
            + "}"
            for convention, found in of.items()
        ]
        lines.append(f"  {json.dumps(setting)}: {{\n   " + ",\n   ".join(parts) + "\n  }")
    about = json.dumps({key: value for key, value in made.items() if key != "results"}, indent=1)
    return about.removesuffix("\n}") + ',\n "results": {\n' + ",\n".join(lines) + "\n }\n}\n"


def rows(made: dict) -> list[list[str]]:
    """Return a row for each setting and convention, untuned and tuned, with 95 % intervals."""
    table = []
    for setting, of in made["results"].items():
        for convention, found in of.items():
            for how in ("untuned", "tuned"):
                if how == "tuned" and found["tuned"] == found["untuned"]:
                    continue
                scores = cube.from_stored(found[how])
                table.append([f"{setting}, {how}", convention, *contact_cells(scores), *error_cells(scores)])
    return table


def contact_cells(scores: cube.Scores) -> list[str]:
    """Return friction, restitution and radius of the corners."""
    contact = scores.contact
    return [f"{contact.friction:g}", f"{contact.restitution:g}", f"{1e3 * contact.corner_radius:g}"]


def error_cells(scores: cube.Scores) -> list[str]:
    """Return the errors with their intervals and the cost, or why there are none."""
    if len(scores.errors) - sum(scores.why.values()) < 2:
        return [next(iter(scores.why), "too few tosses"), *["-"] * len(METRICS)]
    cells = []
    for column, n in zip(scores.errors.T, DIGITS, strict=True):
        one = scoring.estimate(column)
        cells.append(f"{one.value:.{n}f} [{one.low:.{n}f}, {one.high:.{n}f}]")
    missing = sum(scores.why.values())
    return [*cells, f"{scores.cost:.2g}" + (f", {missing} tosses failed" if missing else "")]


def text(made: dict) -> str:
    """Return an engine's results as a table."""
    return f"{made['name']} {made['version']}\n\n" + stamp.markdown_table(HEAD, rows(made))


def ellipse_study(arrays: Mapping[str, np.ndarray]) -> dict:
    """Return the results of the laws of impact with both signs, as a file holds them: counts, no measured impact."""
    made = {"reality": 1, "body": "ellipse", "impacts": 0, "laws": {}, "slips": {}, "spins": {}}
    for sign in ellipse.SIGNS:
        found = ellipse.study(arrays, sign)
        made["laws"][sign] = [_law(name, *one) for name, one in found.items()]
        impacts = ellipse.read(arrays, sign)
        slip = np.einsum("nij,nj->ni", impacts.jacobian, impacts.after)[:, 0]
        made["slips"][sign] = np.histogram(slip, SLIPS)[0].tolist()
        spin = ellipse.predicted(impacts, LAWS[SPIN_LAW], *found[SPIN_LAW][0])[:, 2]
        made["spins"][sign] = np.histogram2d(impacts.after[:, 2], spin, SPINS)[0].astype(int).tolist()
        made["impacts"] = len(slip)
    return made


def _law(name: str, fitted: tuple[float, float], errors: np.ndarray) -> dict:
    mu, e = (None if np.isnan(number) else number for number in fitted)
    median = scoring.estimate(errors, np.median)._asdict()
    return {"law": name, "mu": mu, "e": e, "median": median, "p95": float(np.quantile(errors, 0.95))}


def ellipse_rows(made: Mapping, sign: str) -> list[list[str]]:
    """Return a row for each law: what was fitted, the median error with its 95 % interval, and the 95th percentile."""
    table = []
    for row in made["laws"][sign]:
        fitted = ["-" if row[name] is None else f"{row[name]:g}" for name in ("mu", "e")]
        one = scoring.ConfidenceInterval(**row["median"])
        spread = f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"
        table.append([row["law"], *fitted, spread, f"{row['p95']:.1f}"])
    return table


def ellipse_file(made: Mapping) -> str:
    """Return results of the ellipse as their file has them: a line for each of their parts."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in made.items()) + "\n}\n"


def ellipse_text(made: Mapping) -> str:
    """Return the laws of impact on the ellipse as a table for each sign."""
    parts = [f"sign {sign}\n\n{stamp.markdown_table(LAW_HEAD, ellipse_rows(made, sign))}" for sign in made["laws"]]
    return "\n\n".join(parts)
