"""Run the suite in an engine: a worker of the engine's own Python for every setting, and another where one dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tarsus.analytic.compilation import extras
from tarsus.analytic.spelling import listed
from tarsus.scripts.library.base import stamp
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import worker
from tarsus.scripts.suite.process import Ended, Process

ENGINES = Path(__file__).parent / "engines"
EXTRAS = {"mujoco_warp": "warp"}  # of engines whose extra has another name
READY = 300.0  # wall time that an engine may take to say its name: its first import [s]
PATIENCE = 3.0  # times the longest processor time of a case, before a call that has not returned is ended
# Wall time of a case, from when it began, before a worker counts as hanging: so much, and its processor time at the
# least share of a core that it gets. Only one that sleeps reaches it; one that computes is ended by its processor time.
ASLEEP, SHARE = 60.0, 0.1  # [s]


def engines() -> dict[str, Path]:
    """Return the files of the engines that come with the suite, by name."""
    return {path.stem: path for path in sorted(ENGINES.glob("*.py")) if path.stem != "__init__"}


def engine_file(name: str) -> Path:
    """Return an engine's file: one of ours by its name, or the user's own by its path; ValueError if there is none."""
    path = engines().get(name, Path(name))
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(f"there is no engine {name!r}; there are {listed(name, engines(), ', and files of your own')}")
    return path


def pythons(pairs: Sequence[str]) -> dict[str, str]:
    """Return the Python of each engine that the command line names one for; ValueError if a pair is none."""
    found = dict(pair.partition("=")[::2] for pair in pairs)
    if wrong := [name for name, path in found.items() if not Path(path).is_file()]:
        raise ValueError(f"--python takes NAME=PATH, and {found[wrong[0]]!r} of {wrong[0]!r} is no file")
    return found


class About(NamedTuple):
    """What an engine says of itself."""

    name: str
    version: str | None = None
    settings: Sequence[str] = ()
    why: str = ""  # it says nothing: not installed, say


def about(path: Path, python: str = sys.executable) -> About:
    """Return the description of an engine in the Python in which it is installed."""
    try:
        with Process(python, [str(path.resolve()), "-"]) as process:
            said = process.line(READY, ["engine"])
    except Ended as end:
        return About(path.stem, why=f"{end}{_installs(path) if 'No module named' in str(end) else ''}")
    return About(said["engine"], said["version"], said["settings"])


def _installs(path: Path) -> str:
    """Return the command that installs the package of an engine that comes with the suite."""
    if path.parent != ENGINES:
        return ""
    command = extras.install(EXTRAS.get(path.stem, f"suite-{path.stem}"))
    return f"; `{command}` installs it, or --python {path.stem}=PATH names a Python that has it"


def check_settings(path: Path, known: About, wanted: Sequence[str]) -> None:
    """Check that an engine that runs has these settings."""
    for name in wanted:
        if not known.why and name not in known.settings:
            raise ValueError(f"{path.stem} has no setting {name!r}; there are {listed(name, known.settings)}")


def run(
    path: Path,
    ids: Sequence[str],
    python: str = sys.executable,
    settings: Sequence[str] = (),
    folder: Path = cases.CASES,
    longest: float = worker.LONGEST,
    records: Path | None = None,
    progress: Callable[[str, str], None] = lambda setting, case: None,
    known: About | None = None,
) -> dict:
    """Run cases in an engine and return what came of them.

    Args:
        path: The engine's file.
        ids: Of the cases.
        python: The Python in which the engine is installed.
        settings: Names of the engine's settings; all of them if none is named.
        folder: Where the cases are.
        longest: Processor time that a case may take [s].
        records: Folder for the recordings, one folder for each setting.
        progress: Called with setting and case when one begins.
        known: What the engine said of itself, if it was asked before.

    Returns:
        What the results' files hold: `engine`, `name`, `version`, `computer`, `date`, and `results` by setting and
        case; `why` if the engine did not run.

    Raises:
        ValueError: If the engine has no such setting.
    """
    known = known or about(path, python)
    check_settings(path, known, settings)
    made = {"suite": 1, "engine": path.stem, "name": known.name, "version": known.version}
    made |= {"computer": stamp.computer(), "date": time.strftime("%Y-%m-%d"), "results": {}}
    if known.why:
        return made | {"why": known.why}
    versions = {name: cases.load(name, folder)["version"] for name in ids}
    for setting in settings or known.settings:
        options = ["--cases", str(folder.resolve()), "--longest", str(longest)]
        if records:
            (records / setting).mkdir(parents=True, exist_ok=True)
            options += ["--records", str((records / setting).resolve())]
        found: dict[str, dict] = {}
        while waiting := [name for name in versions if name not in found]:
            words = [str(path.resolve()), setting, *waiting, *options]
            found |= _from_one_worker(python, words, waiting, longest, lambda name, of=setting: progress(of, name))
        made["results"][setting] = {name: {"version": version, **found[name]} for name, version in versions.items()}
    return made


def _from_one_worker(
    python: str, words: list[str], waiting: Sequence[str], longest: float, begins: Callable[[str], None]
) -> dict[str, dict]:
    """Return the results of one worker, at least one, so that there are never more workers than cases.

    A worker that ends costs the case that it was at; one that is never ready costs them all, as another would.
    """
    found: dict[str, dict] = {}
    at, wall = None, ASLEEP + longest / SHARE
    try:
        with Process(python, words) as process:
            process.line(READY, ["engine"])
            for name in waiting:
                at = name
                process.line(READY, ["begins"], name)
                begins(name)
                result = process.line(wall, ["measurements", "status"], name, PATIENCE * longest)
                found[name] = {key: value for key, value in result.items() if key != "id"}
            process.leave()
    except Ended as end:
        if at is None:
            return dict.fromkeys(waiting, {"status": "crashed", "why": f"it was never ready: {end}"})
        found[at] = {"status": end.status, "why": str(end)}
    return found
