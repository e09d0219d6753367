"""The suite as a command offers it: which cases, what an export holds, and results as a table and as a file."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tarsus.analytic import saving
from tarsus.analytic.spelling import listed
from tarsus.scripts.library.base import stamp
from tarsus.scripts.suite import case, running, score

MODULES = ("case", "schema", "measure", "adapting", "worker")
EXPORTED = ("schema.json", "LICENSE.md", "README.md", *(f"{name}.py" for name in MODULES))


def chosen(names: list[str], folder: Path = case.CASES) -> list[str]:
    """Return the ids of cases by their ids or phenomena, all if none is named; ValueError if there is no such case."""
    known = {name: case.load(name, folder)["phenomenon"] for name in case.ids(folder)}
    for name in names:
        if name not in known and name not in known.values():
            phenomena = ", ".join(dict.fromkeys(known.values()))
            raise ValueError(f"there is no case {name!r}; there are {listed(name, known, f', and all of {phenomena}')}")
    return [name for name, phenomenon in known.items() if not names or {name, phenomenon} & set(names)]


def export(folder: Path) -> int:
    """Write the suite into a folder, as it can be copied into another project; return the number of cases."""
    for name in EXPORTED:
        saving.write_text(folder / name, (case.FOLDER / name).read_text(encoding="utf-8"))
    for part in ("cases", "engines"):
        shutil.copytree(case.FOLDER / part, folder / part, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__py*"))
    return len(case.ids(folder / "cases"))


def run(
    path: Path, python: str, known: running.About, ids: list[str], records: Path | None, **more: Any
) -> dict[str, Any]:
    """Return an engine's results of cases, or the reason why it did not run, which is printed.

    Recordings go to a folder, if one is given; `more` has what else `running.run` takes.
    """
    with tqdm(desc=path.stem, unit="case") as bar:

        def begins(setting: str, name: str) -> None:
            bar.set_postfix_str(f"{setting}, {name}")
            bar.update()

        records = records and records / path.stem
        made = running.run(path, ids, python, records=records, progress=begins, known=known, **more)
    if "why" in made:
        print(f"{path.stem} did not run: {made['why']}", file=sys.stderr)
    return made


def file_text(made: Mapping) -> str:
    """Return results as their file has them: a line for every case, numbers to nine digits."""
    lines = []
    for setting, found in made["results"].items():
        cases = ",\n   ".join(f"{json.dumps(name)}: {json.dumps(_rounded(result))}" for name, result in found.items())
        lines.append(f"  {json.dumps(setting)}: {{\n   {cases}\n  }}")
    about = json.dumps({key: value for key, value in made.items() if key != "results"}, indent=1)
    return about.removesuffix("\n}") + ',\n "results": {\n' + ",\n".join(lines) + "\n }\n}\n"


def _rounded(value):
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else value


def text(made: Mapping) -> str:
    """Return an engine's results as a table, with the reasons where there is no number."""
    results = made["results"]
    head = f"{made['name']} {made['version']}: largest error over the case's scale [%], (beyond the tolerance)"
    table = stamp.markdown_table(["case", *results], score.rows(results))
    cost = ", ".join(f"{name} {score.cost(found.values()):.2g}" for name, found in results.items())
    return "\n".join([head, "", table, "", f"processor time over simulated time: {cost}", *score.reasons(results)])
