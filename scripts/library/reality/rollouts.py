"""Tosses simulated in any engine of the contact suite: each is a case of it.

Here they are run in this process, which is fast; an engine that is installed in another Python runs in the suite's
workers, which cost it one toss where it crashes.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tarsus.analytic import saving
from tarsus.scripts.suite import case as suite_case
from tarsus.scripts.suite import running, worker
from tarsus.scripts.suite.measure import Reading, Recording

from .tosses import GRAVITY, HALF_WIDTH, MASS, Convention, Toss

LONGEST = 60.0  # processor time that a toss of less than a second may take [s]


@dataclass(frozen=True)
class CubeContact:
    """What a simulated cube touches the board with."""

    friction: float
    restitution: float = 0.0
    corner_radius: float = 0.0  # of eight spheres in the corners in place of the box, if positive [m]


@dataclass(frozen=True)
class Engine:
    """An engine of the suite with one of its settings."""

    path: Path
    setting: str
    python: str = sys.executable
    about: running.About | None = None


@dataclass(frozen=True)
class Rollout:
    """A simulated toss, or why there is none."""

    position: np.ndarray | None  # at the measured times, shape (frames, 3) [m]
    quaternion: np.ndarray | None  # at the measured times, shape (frames, 4), w first
    cost: float = np.nan  # processor time over simulated time
    why: str = ""


def case_of(toss: Toss, convention: Convention, contact: CubeContact) -> dict:
    start = toss.start
    quaternion = start[3:7] / np.linalg.norm(start[3:7])
    cube = {
        "name": "cube",
        "mass": MASS,
        "inertia": [convention.inertia] * 3,
        "position": start[:3].tolist(),
        "quaternion": quaternion.tolist(),
        "velocity": start[7:10].tolist(),
        "angular_velocity": toss.spin_w.tolist(),
        "shapes": _shapes(contact.corner_radius),
    }
    touch = {"name": "board", "between": ["cube", "ground"]}
    return {
        "format": 1,
        "id": f"toss_{toss.number}",
        "version": 1,
        "number": toss.number + 1,
        "title": f"Toss {toss.number}",
        "phenomenon": "impact",
        "what": "A measured toss of a cube onto a board.",
        "gravity": [0, 0, -GRAVITY],
        "duration": float(toss.time[-1]),
        "bodies": [cube, {"name": "ground", "shapes": [{"name": "plane", "type": "plane"}]}],
        "contacts": [touch | {"friction": contact.friction, "restitution": contact.restitution}],
        "measurements": [],
        "provenance": {"kind": "integrated", "derivation": "None: what happened was measured.", "checked": ""},
    }


def _shapes(radius: float) -> list[dict]:
    if not radius:
        return [{"name": "box", "type": "box", "size": [HALF_WIDTH] * 3}]
    places = product((radius - HALF_WIDTH, HALF_WIDTH - radius), repeat=3)
    return [
        {"name": f"corner{k}", "type": "sphere", "size": [radius], "position": [*place]}
        for k, place in enumerate(places)
    ]


def run(
    engine: Engine,
    tosses: Sequence[Toss],
    convention: Convention,
    contact: CubeContact,
    progress: Callable[[], None] = lambda: None,
) -> list[Rollout]:
    """Return an engine's rollouts of tosses; each begin calls `progress`. ValueError if it has no such setting."""
    cases = [case_of(toss, convention, contact) for toss in tosses]
    if engine.python != sys.executable:
        return _in_workers(engine, tosses, cases, progress)
    try:
        module = worker.engine(engine.path)
    except ImportError as error:
        return [Rollout(None, None, why=f"not installed: {error}")] * len(cases)
    found = []
    for toss, case in zip(tosses, cases, strict=True):
        progress()
        found.append(_simulated(module, engine.setting, toss, suite_case.complete(case)))
    return found


def _simulated(module: ModuleType, setting: str, toss: Toss, case: dict) -> Rollout:
    """Return a toss that is read before and after each measured time alone: to read takes longer than to step."""
    begin = time.process_time()
    try:
        simulation = module.Simulation(case, dict(module.SETTINGS[setting]))
        readings, cpu = _readings(simulation, toss.time, begin)
    except NotImplementedError as why:
        return Rollout(None, None, why=f"cannot: {why}")
    except Exception as error:  # whatever an engine of anyone's raises is its own affair: the others go on
        return Rollout(None, None, why=f"failed: {type(error).__name__}: {error}")
    record = Recording.stack(readings)
    if not record.is_finite:
        return Rollout(None, None, why="diverged")
    if record.time[-1] < toss.time[-1] - 1e-9:
        return Rollout(None, None, why=f"slow: more than {LONGEST:g} s")
    return Rollout(*at_times(toss.time, record.time, record.positions, record.quaternions), cpu / toss.time[-1])


def _readings(simulation: Any, wanted: np.ndarray, begin: float) -> tuple[list[Reading], float]:
    """Return readings that embrace the wanted times, and the processor time of the steps [s]."""
    readings, cpu, timestep = [Reading(*simulation.read())], 0.0, 0.0
    for moment in wanted[1:]:
        while readings[-1].time < moment - 1e-9:
            unread = int((moment - readings[-1].time) / timestep - 1.001) if timestep else 0
            start = time.process_time()
            for _ in range(max(unread, 0) + 1):
                simulation.step()
            now = time.process_time()
            cpu += now - start
            readings.append(Reading(*simulation.read()))
            timestep = timestep or readings[-1].time
            if now - begin > LONGEST or not np.isfinite(readings[-1].positions).all():
                return readings, cpu
            if readings[-1].time <= readings[-2].time:
                raise RuntimeError(f"its time stands still at {readings[-1].time:.3g} s")
    return readings, cpu


def _in_workers(
    engine: Engine, tosses: Sequence[Toss], cases: list[dict], progress: Callable[[], None]
) -> list[Rollout]:
    """Return tosses run by the suite's workers in another Python."""
    with tempfile.TemporaryDirectory() as made:
        folder, records = Path(made, "cases"), Path(made, "records")
        for case in cases:
            saving.write_text(folder / f"{case['id']}.json", json.dumps(case))
        names = [case["id"] for case in cases]
        chosen = {"settings": [engine.setting], "folder": folder, "longest": LONGEST, "records": records}
        found = running.run(
            engine.path, names, engine.python, progress=lambda *_: progress(), known=engine.about, **chosen
        )
        if "why" in found:
            return [Rollout(None, None, why=found["why"])] * len(cases)
        results = found["results"][engine.setting]
        return [
            _recorded(toss, results[name], records / engine.setting / f"{name}.npz")
            for toss, name in zip(tosses, names, strict=True)
        ]


def _recorded(toss: Toss, result: dict, path: Path) -> Rollout:
    if result["status"] != "ran":
        return Rollout(None, None, why=f"{result['status']}: {result['why']}")
    with np.load(path) as record:
        position, quaternion = at_times(toss.time, record["time"], record["positions"], record["quaternions"])
    return Rollout(position, quaternion, result["cost"])


def at_times(
    wanted: np.ndarray, time: np.ndarray, positions: np.ndarray, quaternions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first body's poses at wanted times [s] between an engine's steps: shapes (wanted, 3) and (wanted, 4).

    Its positions have the shape (steps, bodies, 3) [m], its quaternions (steps, bodies, 4), w first.
    """
    turns = quaternions[:, 0].copy()
    flips = np.cumprod(np.where((turns[1:] * turns[:-1]).sum(1) < 0, -1.0, 1.0))
    turns[1:] *= flips[:, None]
    place = np.stack([np.interp(wanted, time, column) for column in positions[:, 0].T], -1)
    turn = np.stack([np.interp(wanted, time, column) for column in turns.T], -1)
    return place, turn / np.linalg.norm(turn, axis=1, keepdims=True)
