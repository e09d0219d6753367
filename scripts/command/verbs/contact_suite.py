"""Run the contact suite: cases with exact answers, in MuJoCo or any other simulator.

Usage: tarsus contact-suite [--engine NAME|FILE ...] [--setting NAME ...] [--case ID ...] [--python NAME=PATH ...]
[--out FOLDER]. Prints the error of every case over its scale in percent, in brackets where it is beyond the case's
tolerance. `--export FOLDER` writes the cases, their schema and the runner, which need none of our code. Runtime: some
minutes of one core for MuJoCo.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from tqdm import tqdm

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.base import stamp
from tarsus.scripts.suite import case, running, score, worker

EXPORTED = (
    "schema.json",
    "LICENSE.md",
    "README.md",
    *(f"{name}.py" for name in ("case", "schema", "measure", "adapting", "worker")),
)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run the suite; return 0, 1 if no engine ran, or 2 for a command line that cannot be run."""
    parser = _parser()
    with arguments.read(parser, argv) as args:
        files = [running.engine_file(name) for name in args.engine]
        pythons = running.pythons(args.python)
        ids = chosen(args.case, args.cases)
        if args.export:
            output.new_file(args.export / EXPORTED[0], args.force)
        for path in files if args.out else ():
            output.new_file(args.out / f"{path.stem}.json", args.force)
        known: dict[Path, running.About] = {}
        for path in files:  # last, since it starts a process
            known[path] = running.about(path, pythons.get(path.stem, sys.executable))
            running.check_settings(path, known[path], args.setting)
    if args.export:
        print(f"{args.export}: {export(args.export)} cases")
        return 0
    return 1 - any([_run(path, pythons.get(path.stem, sys.executable), known[path], ids, args) for path in files])


def _parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus contact-suite", description=__doc__.partition("\n")[0])
    parser.add_argument("--engine", nargs="+", default=["mujoco"], metavar="NAME", help=_engines())
    parser.add_argument("--setting", nargs="+", default=[], metavar="NAME", help="of the engine's settings (all)")
    parser.add_argument("--case", nargs="+", default=[], metavar="ID", help="ids, or phenomena (all)")
    parser.add_argument("--cases", type=paths.folder, default=case.CASES, help="folder of other cases")
    parser.add_argument(
        "--python", nargs="+", default=[], metavar="NAME=PATH", help="the Python in which an engine is installed"
    )
    parser.add_argument("--longest", type=arguments.number(positive=True), default=worker.LONGEST, metavar="SECONDS",
                        help="processor time that a case may take (%(default)g)")  # fmt: skip
    parser.add_argument("--out", type=paths.folder_to_write, help="folder for NAME.json of every engine")
    parser.add_argument("--records", type=paths.folder_to_write, help="folder for the recorded motions")
    parser.add_argument("--export", type=paths.folder_to_write, help="write the suite into a folder, and run nothing")
    parser.add_argument("--force", action="store_true", help="replace the files that are there")
    return parser


def _engines() -> str:
    return f"of {', '.join(running.engines())} (mujoco), or the file of your own engine"


def chosen(names: list[str], folder: Path = case.CASES) -> list[str]:
    """Return the ids of cases by their ids or phenomena, all if none is named.

    Raises:
        ValueError: If there is no such case.
    """
    known = {name: case.load(name, folder)["phenomenon"] for name in case.ids(folder)}
    for name in names:
        if name not in known and name not in known.values():
            phenomena = ", ".join(dict.fromkeys(known.values()))
            raise ValueError(f"there is no case {name!r}; there are {', '.join(known)}, and all of {phenomena}")
    return [name for name, phenomenon in known.items() if not names or {name, phenomenon} & set(names)]


def export(folder: Path) -> int:
    """Write the suite into a folder, as it can be copied into another project; return the number of cases."""
    for name in EXPORTED:
        saving.write_text(folder / name, (case.FOLDER / name).read_text(encoding="utf-8"))
    for part in ("cases", "engines"):
        shutil.copytree(case.FOLDER / part, folder / part, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__py*"))
    return len(case.ids(folder / "cases"))


def _run(path: Path, python: str, known: running.About, ids: list[str], args: argparse.Namespace) -> bool:
    """Run an engine, print its table, and return whether it ran."""
    with tqdm(desc=path.stem, unit="case") as bar:

        def begins(setting: str, name: str) -> None:
            bar.set_postfix_str(f"{setting}, {name}")
            bar.update()

        records = args.records and args.records / path.stem
        made = running.run(path, ids, python, args.setting, args.cases, args.longest, records, begins, known)
    if "why" in made:
        print(f"{path.stem} did not run: {made['why']}", file=sys.stderr)
        return False
    print(text(made))
    if args.out:
        saving.write_text(args.out / f"{path.stem}.json", file_text(made))
    return True


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
