"""Run the suite in an engine: a worker of the engine's own Python for every setting, and another where one dies."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tarsus.scripts import report
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import worker

ENGINES = Path(__file__).parent / "engines"
FIRST_IMPORT = 300.0  # wall time that an engine may take to say its name [s]
PATIENCE = 3.0  # wall time over the longest processor time of a case before a worker counts as hanging


def engines() -> dict[str, Path]:
    """Return the files of the engines that come with the suite, by name."""
    return {path.stem: path for path in sorted(ENGINES.glob("*.py")) if path.stem != "__init__"}


def engine_file(name: str) -> Path:
    """Return an engine's file: one of ours by its name, or the user's own by its path.

    Raises:
        ValueError: If there is none.
    """
    path = engines().get(name, Path(name))
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(f"there is no engine {name!r}; there are {', '.join(engines())}, and files of your own")
    return path


def pythons(pairs: Sequence[str]) -> dict[str, str]:
    """Return the Python of each engine that the command line names one for.

    Raises:
        ValueError: If a pair is none.
    """
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
    """Return what an engine says of itself in the Python in which it is installed."""
    said = list(_lines(python, [str(path.resolve()), "-"], FIRST_IMPORT))
    if "engine" in said[0]:
        return About(said[0]["engine"], said[0]["version"], said[0]["settings"])
    return About(path.stem, why=said[-1]["died"])


def check_settings(path: Path, known: About, wanted: Sequence[str]) -> None:
    """Check that an engine that runs has these settings.

    Raises:
        ValueError: If it has not.
    """
    for name in wanted:
        if not known.why and name not in known.settings:
            raise ValueError(f"{path.stem} has no setting {name!r}; there are {', '.join(known.settings)}")


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
        What the results' files hold: `engine`, `name`, `version`, `machine`, `date`, and `results` by setting and case;
        `why` if the engine did not run.

    Raises:
        ValueError: If the engine has no such setting.
    """
    known = known or about(path, python)
    check_settings(path, known, settings)
    made = {"suite": 1, "engine": path.stem, "name": known.name, "version": known.version}
    made |= {"machine": report.machine(), "date": time.strftime("%Y-%m-%d"), "results": {}}
    if known.why:
        return made | {"why": known.why}
    versions = {name: cases.load(name, folder)["version"] for name in ids}
    for setting in settings or known.settings:
        options = ["--cases", str(folder.resolve()), "--longest", str(longest)]
        if records:
            (records / setting).mkdir(parents=True, exist_ok=True)
            options += ["--records", str((records / setting).resolve())]
        start = [python, str(path.resolve()), setting]
        found = _all_cases(start, options, ids, PATIENCE * longest, lambda name, of=setting: progress(of, name))
        made["results"][setting] = {name: {"version": versions[name], **found[name]} for name in ids}
    return made


def _all_cases(
    start: list[str], options: list[str], ids: Sequence[str], patience: float, begins: Callable[[str], None]
) -> dict[str, dict]:
    """Return the result of every case; a worker that dies costs the case that it was at, and another goes on."""
    found: dict[str, dict] = {}
    while waiting := [name for name in ids if name not in found]:
        current = None
        for line in _lines(start[0], [*start[1:], *waiting, *options], patience):
            if "begins" in line:
                current = line["begins"]
                begins(current)
            elif "status" in line:
                found[line.pop("id")] = line
            elif "died" in line:
                found[current or waiting[0]] = {"status": "crashed", "why": line["died"]}
                break
    return found


def _lines(python: str, words: list[str], patience: float) -> Iterator[Mapping]:
    """Yield what a worker says, and at last, if it ended with an error or not at all, why, as `died`."""
    here = Path(__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": str(here), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(
                [python, "-m", "suite.worker", *words],
                stdout=subprocess.PIPE, stderr=errors, text=True, env=environment,
            )  # fmt: skip
        except OSError as error:
            yield {"died": f"{python}: {error.strerror}"}
            return
        said: queue.Queue = queue.Queue()
        threading.Thread(target=_read, args=(process.stdout, said), daemon=True).start()
        try:
            while (line := said.get(timeout=patience)) is not None:
                yield json.loads(line)
            process.wait(patience)
        except (queue.Empty, subprocess.TimeoutExpired):
            yield {"died": f"nothing came for {patience:.0f} s"}
            return
        finally:
            process.kill()  # it has ended, or hangs, or nobody listens any more
            process.wait()
        if process.returncode:
            errors.seek(0)
            last = [line.strip() for line in errors.read().splitlines() if line.strip()]
            by_signal = f"ended by signal {-process.returncode}"
            yield {"died": last[-1] if last and process.returncode > 0 else by_signal}


def _read(stream, said: queue.Queue) -> None:
    """Put the lines of a stream into a queue, and None at its end."""
    with stream:
        for line in stream:
            said.put(line)
    said.put(None)
