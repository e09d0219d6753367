"""Simulators with more feet and more robots, beside the contact solver: frames of sliding feet, in one run.

Usage: tarsus benchmark engines [--engines NAME ...] [--pythons NAME=PATH ...] [--write]. Runtime: some minutes an
engine.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np

from tarsus.analytic import saving
from tarsus.analytic.contact import Coulomb, slide
from tarsus.scripts.command import arguments
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.pages import contact_suite
from tarsus.scripts.laboratory.studies import suite_scaling as scaling
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import running
from tarsus.scripts.suite.making import legged

PLACE = Place("contact_suite.md", "scaling")
PACKAGES = ("mujoco", "numpy", "numba")
FEET = (3, 6, 12, 24, 50)
ROBOTS = (1, 4, 16, 64)
SECONDS = 0.1  # of a case: its cost is asked, its answers are the suite's
SOLVED = 200  # frames in a batch of the contact solver


def frame_of(n_feet: int, robots: int = 1) -> cases.Case:
    """Return a frame of so many sliding feet, or several side by side."""
    case = {"format": 1, "id": f"feet_{n_feet}", "version": 1, "phenomenon": "legged", "duration": SECONDS}
    case |= {"title": f"{n_feet} feet", "what": "A frame of sliding feet, for what it costs.", "measurements": []}
    made = {"kind": "integrated", "derivation": "None: nothing is measured.", "checked": "Not."}
    return scaling.copies(case | legged.sliding_feet(n_feet) | {"provenance": made}, robots)


def usual(path: Path, python: str) -> list[str]:
    """Return the defaults of an engine, and the setting that passes most cases by the published results."""
    published = contact_suite.RESULTS / f"{path.stem}.json"
    if not published.exists():
        return list(running.about(path, python).settings[:2])
    made = json.loads(published.read_text(encoding="utf-8"))
    known = {name: cases.load(name) for name in cases.ids()}
    return list(dict.fromkeys([next(iter(made["results"])), contact_suite.best_setting(made, known)]))


def rows_of(path: Path, python: str, settings: Sequence[str], folder: Path) -> list[tuple]:
    """Return an engine's rows of a table: a setting each, with a cell for every case of a folder."""
    made = running.run(path, cases.ids(folder), python, settings, folder)
    return [(made["name"], setting, *map(cell, found.values())) for setting, found in made["results"].items()]


def solver_time(case: cases.Case) -> float:
    """Return the contact solver's time for a frame of a batch, certified to 1e-6 of the dissipation [s]."""
    feet, velocity, load, friction = scaling.quasi_static(case)
    batch = np.repeat(feet[None], SOLVED, axis=0), np.repeat(velocity[None], SOLVED, axis=0)
    took = timing.medians({"slide": lambda: slide(*batch, load, friction, law=Coulomb(1e-6))}, 5)
    return took["slide"] / SOLVED


def check(engines: tuple[str, ...], pythons: tuple[str, ...], **_) -> None:
    """Refuse engines that there are not.

    Raises:
        ValueError: The sentence says which.
    """
    for name in engines:
        running.engine_file(name)
    running.pythons(pythons)


def tables(
    engines: tuple[str, ...] = ("mujoco",),
    pythons: tuple[str, ...] = (),
    feet: tuple[Annotated[int, arguments.integer(3, 100)], ...] = FEET,
    robots: tuple[Annotated[int, arguments.integer(1, 1000)], ...] = ROBOTS,
    every_setting: bool = False,
) -> Page:
    """Return two tables: cost over feet, and over robots of six feet in one scene.

    Args:
        engines: Names, or files.
        pythons: NAME=PATH, the Python in which an engine is installed.
        feet: Numbers of feet.
        robots: In one scene.
        every_setting: Of an engine, not its first and its best alone.
    """
    scenes = {"feet": [frame_of(n) for n in feet], "robots": [frame_of(6, n) for n in robots]}
    rows: dict[str, list] = {name: [] for name in scenes}
    for name, made in scenes.items():
        with tempfile.TemporaryDirectory() as folder:
            for number, case in enumerate(made, 1):
                saving.write_text(Path(folder) / f"{case['id']}.json", json.dumps(case | {"number": number}))
            for engine in engines:
                path, python = running.engine_file(engine), running.pythons(pythons).get(engine, sys.executable)
                settings = () if every_setting else usual(path, python)
                rows[name] += rows_of(path, python, settings, Path(folder))
    ours = [f"{1e6 * solver_time(case):.2g} us" for case in scenes["feet"]]
    rows["feet"].append(("contact solver of tarsus", "Coulomb, a frame", *ours))
    return Page(
        Table(("engine", "setting", *(f"{n} feet" for n in feet)), rows["feet"], "### Cost over the number of feet"),
        Table(
            ("engine", "setting", *(f"{n} robot{'s' * (n > 1)}" for n in robots)),
            rows["robots"],
            "### Cost over the number of robots",
        ),
        "Processor time of a step, and how many times faster than real time it is. The contact solver finds the "
        "velocity of the frame, which is all that a quasi-static robot needs.",
    )


def cell(result: dict) -> str:
    """Return the processor time of a step and the speed of a result, or why there is none."""
    if result["status"] != "ran":
        return result["status"]
    return f"{1e6 * result['cost'] * SECONDS / result['steps']:.3g} us, x{1 / result['cost']:.3g}"
