"""Run cases in one engine, in the engine's own Python: needs numpy, the engine, and nothing else of this project.

Usage: python -m suite.worker ENGINE_FILE SETTING [ID ...] [--cases FOLDER], from the folder that holds `suite`. Writes
a line of JSON when a case begins and one when it has ended.

An engine is a file with

    NAME                      what it is called
    SETTINGS                  dictionary from the name of a setting to what `Simulation` makes of it
    version()                 the version of the engine
    Simulation(case, setting) a case, as `case.load` returns it, ready to run; NotImplementedError says what of it the
                              engine cannot represent
        .step()               one timestep, after which the time is later; its processor time is the cost of a run
        .read()               what `measure.Reading` holds, as a tuple; forces that the engine does not show are NaN
    CANNOT                    where it shows no forces: {"force": a sentence}

What adapters share is in `adapting.py`, which such a file imports as `..adapting`, wherever it is.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from .case import CASES, Case, load
from .measure import Reading, Recording, value

LONGEST = 120.0  # processor time for a case [s]


def engine(path: Path) -> ModuleType:
    """Return an engine's module, loaded from its file as if it were in `engines`, so that it finds `..adapting`."""
    spec = importlib.util.spec_from_file_location(f"{__package__}.engines.{path.stem.replace('.', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(case: Case, module: ModuleType, setting: str, longest: float = LONGEST) -> tuple[dict, Recording | None]:
    """Return the results of a case in an engine, and its recording.

    The result has a `status`: `ran`, or with a `why` that there are no numbers: `cannot`, `diverged`, or `slow`, for
    more processor time than `longest` from here on [s].
    """
    begin = time.process_time()
    try:
        simulation = module.Simulation(case, dict(module.SETTINGS[setting]))
    except NotImplementedError as why:
        return {"status": "cannot", "why": str(why)}, None
    readings, cpu = [Reading(*simulation.read())], 0.0
    while readings[-1].time < case["duration"] - 1e-9:
        start = time.process_time()
        simulation.step()
        now = time.process_time()
        cpu += now - start
        readings.append(Reading(*simulation.read()))
        if not np.isfinite(readings[-1].positions).all():
            return {"status": "diverged", "why": f"at {readings[-1].time:.3g} s"}, None
        if readings[-1].time <= readings[-2].time:
            return {"status": "diverged", "why": f"its time stands still at {readings[-1].time:.3g} s"}, None
        if now - begin > longest:
            return {"status": "slow", "why": f"{now - begin:.3g} s for {readings[-1].time:.3g} s of the case"}, None
    recording = Recording.stack(readings)
    if not recording.is_finite:
        return {"status": "diverged", "why": "velocities or forces are not finite"}, None
    found = scored(case, recording)
    if found["measurements"] and all(row["passed"] is None for row in found["measurements"]):
        return {"status": "cannot", "why": module.CANNOT["force"]}, None
    cost = cpu / (recording.time[-1] - recording.time[0])  # processor time over simulated time
    return {"status": "ran", **found, "steps": len(recording.time) - 1, "cost": cost}, recording


def scored(case: Case, recording: Recording) -> dict:
    """Return the measurements of a recording: value, error over the case's scale, and whether it is within tolerance.

    A number that the run does not show (NaN, written as null) has an error of infinity, written as null too; one that
    the engine cannot show is neither within the tolerance nor beyond it: its `passed` is null.
    """
    rows = []
    for measurement in case["measurements"]:
        number = value(case, recording, measurement)
        error = abs(number - measurement["answer"])
        share = error / measurement["scale"]
        rows.append(
            {
                "name": measurement["name"],
                "value": number if np.isfinite(number) else None,
                "error": share if np.isfinite(share) else None,
                "passed": None if is_hidden(recording, measurement) else bool(error <= measurement["tolerance"]),
            }
        )
    return {"measurements": rows, "passed": all(row["passed"] is not False for row in rows)}


def is_hidden(recording: Recording, measurement: dict) -> bool:
    """Return whether a measurement needs forces that the engine does not show."""
    return measurement["quantity"] == "force" and bool(np.isnan(recording.forces).all())


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give the hidden path under which to write a file, which is moved to its place when it is whole."""
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    yield part
    part.replace(path)


def main(argv: list[str] | None = None) -> int:
    """Run the cases that the command line names, one line of JSON each."""
    parser = argparse.ArgumentParser(prog="worker", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("setting")
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--records", type=Path, help="folder for the recordings, as NAME.npz")
    parser.add_argument("--longest", type=float, default=LONGEST)
    args = parser.parse_intermixed_args(argv)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what an engine prints is no result

    def say(**line) -> None:
        print(json.dumps(line, allow_nan=False), file=out, flush=True)

    module = engine(args.file)
    say(engine=module.NAME, version=module.version(), settings=list(module.SETTINGS))
    for name in args.ids:
        say(begins=name)
        result, recording = run(load(name, args.cases), module, args.setting, args.longest)
        if args.records and recording:
            with writing(args.records / f"{name}.npz") as part:
                np.savez_compressed(part, **recording._asdict())
        say(id=name, **result)
    return 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        sys.exit(main())
