"""How much faster than real time the exact hexapod runs, and what MuJoCo needs for the same.

Usage: tarsus benchmark hexapod [--seconds 4] [--rounds 5]. Runtime: about 10 min, most of it compilation.
CPU time of this process on one thread (wall time for the batch), medians over interleaved rounds; ratios hold within
one run, not between machines. Errors are those of the body's place at the end, against the engine at rtol 1e-11.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid.tableau import METHODS
from tarsus.analytic.models.hexapod import HexapodParams, energy, hybrid
from tarsus.analytic.models.hexapod.state import SCALE, VELOCITY, start
from tarsus.analytic.terrain import Flat, Slope
from tarsus.mjcf import PRESETS
from tarsus.scripts.command.signature import Count, Seconds
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_exact import RTOL
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

PACKAGES = ("tarsus", "numpy", "numba", "mujoco")
FINE, PERIOD = 1e-11, 0.01  # tolerance of the reference; between two looks at the body's place [s]
RTOLS = (1e-5, RTOL, 1e-7)
ENGINE = ("dop853", "dopri5", "rodas5p")
EXPERIMENTS = {
    "walk": HexapodExperiment(HexapodParams(), TripodGait(), Flat()),
    "run, t_c 0.5 s": HexapodExperiment(HexapodParams(), TripodGait(0.5, 0.3), Flat()),
    "walk, slope 0.1": HexapodExperiment(HexapodParams(), TripodGait(), Slope(0.0, 0.1)),
}
FIRST_CALL = """
import json, time
begin = time.process_time()
from tarsus.analytic import hybrid as hy
from tarsus.analytic.models.hexapod import hybrid
imported = time.process_time()
hy.compile(hybrid.build(), {method!r}).run(final_time=0.01)
print(json.dumps([imported - begin, time.process_time() - imported]))
"""


@dataclass(frozen=True)
class ReadyHexapod:
    """A hexapod ready to run: a compiled (or interpreted) model with the arguments that make it an experiment.

    Attributes:
        sim: The simulator.
        x0: The start.
        params: The parameters by name.
    """

    sim: hy.Simulator
    x0: np.ndarray
    params: dict[str, float]

    @classmethod
    def of(cls, experiment: HexapodExperiment, method: str, mode: str = "auto") -> ReadyHexapod:
        """Return an experiment's hexapod; one compiled model serves all robots and gaits on a kind of ground."""
        model = hybrid.build(experiment.params, experiment.ground, "open-loop", gait=experiment.gait)
        x0 = start(experiment.params, experiment.ground, experiment.gait.clock()(0.0)[0])
        params = dict(zip(model.param_names, model.p0, strict=True))
        return cls(hy.compile(hybrid.build(terrain=experiment.ground), method, mode), x0, params)

    def run(self, seconds: float, rtol: float, **options) -> hy.Result:
        """Return a run; `options` are the engine's."""
        settings = {"record_period": None, "x0": self.x0, **options}
        return self.sim.run(params=self.params, final_time=seconds, rtol=rtol, atol=rtol * SCALE, **settings)


def place_error(result, exact) -> float:
    """Return the body's distance from its reference at the end [m]."""
    return float(np.abs(result.x_end[:3] - exact.x_end[:3]).max())


def imbalance(walk: ReadyHexapod, result) -> float:
    """Return the error of the energy balance at the end, relative to the motors' work."""
    params = HexapodParams()
    before = energy.balance(params, walk.x0, result.d_end * 0.0)
    return float(abs(energy.balance(params, result.x_end, result.d_end) - before) / energy.motor_work(result.x_end))


def speed_rows(walks: dict[str, ReadyHexapod], exact, seconds: float, rtols: tuple, rounds: int) -> list:
    """Return a row per method and tolerance: times real time, steps, evaluations, events, errors."""
    runs = {(name, rtol): lambda walk=walk, rtol=rtol: walk.run(seconds, rtol)
            for name, walk in walks.items() for rtol in rtols}  # fmt: skip
    cpu, rows = timing.medians(runs, rounds), []
    for (name, rtol), run in runs.items():
        result = run()
        counts, t = result.counts, cpu[name, rtol]
        steps = counts["steps"] + counts["rejected"]
        rows.append((
            name, f"{rtol:.0e}", f"{seconds / t:.1f}", f"{steps / seconds:.0f}", f"{counts['field'] / steps:.1f}",
            f"{t / steps * 1e6:.1f}", f"{counts['transitions'] / seconds:.0f}", f"{place_error(result, exact):.1e}",
            f"{imbalance(walks[name], result):.1e}",
        ))  # fmt: skip
    return rows


def mujoco_run(experiment: HexapodExperiment, seconds: float) -> tuple[float, np.ndarray]:
    """Return MuJoCo's CPU time for a run [s], and the body's place every `PERIOD`, shape (n, 3) [m]."""
    stepper = HexapodStepper(experiment)
    every = round(PERIOD / stepper.model.opt.timestep)
    places = [stepper.data.qpos[:3].copy()]

    def go() -> None:
        for _ in range(round(seconds / PERIOD)):
            for _ in range(every):
                stepper.step()
            places.append(stepper.data.qpos[:3].copy())

    return timing.seconds(go)[0], np.array(places)


def mujoco_rows(experiment: HexapodExperiment, walk: ReadyHexapod, seconds: float, rounds: int) -> list:
    """Return a row per preset: times real time, and how far speed and height are from the exact run's second half."""
    exact = walk.run(seconds, RTOL, record_period=PERIOD)
    exact = exact.x[np.concatenate([[True], np.diff(exact.t) > 0])][:, :3]
    half, rows = len(exact) // 2, []
    for preset in PRESETS:
        given = HexapodExperiment(experiment.params, experiment.gait, experiment.ground, preset)
        runs = [mujoco_run(given, seconds) for _ in range(rounds)]
        places = runs[0][1]
        travelled = [place[-1, 1] - place[half, 1] for place in (places, exact)]
        height = np.sqrt(np.mean((places[half:, 2] - exact[half:, 2]) ** 2))
        factor = seconds / np.median([cpu for cpu, _ in runs])
        rows.append((preset, f"{factor:.1f}", f"{travelled[0] / travelled[1] - 1:+.2%}", f"{height * 1e3:.3f}"))
    return rows


def batch_row(name: str, walk: ReadyHexapod, rtol: float, n_runs: int, seconds: float, rounds: int) -> tuple:
    """Return robot seconds per second of a batch on one thread and on all, and the share of linear."""
    cores = os.cpu_count() or 1
    x0s = np.tile(walk.x0, (n_runs, 1))
    x0s[:, VELOCITY : VELOCITY + 2] += np.random.default_rng(0).uniform(-0.1, 0.1, (n_runs, 2))
    settings = dict(final_time=seconds, rtol=rtol, atol=rtol * SCALE, params=walk.params)
    runs = {n: lambda n=n: walk.sim.batch(x0s, n_threads=n, **settings) for n in sorted({1, cores})}
    wall = timing.medians(runs, rounds, wall=True)
    rate = {n: n_runs * seconds / wall[n] for n in runs}
    extra = timing.seconds(runs[cores])[0] / timing.seconds(runs[1])[0]
    share = f"{rate[cores] / cores / rate[1]:.0%}"
    busy = f"{extra:.2f}", f"{os.getloadavg()[0]:.1f}"
    return name, f"{rtol:.0e}", f"{rate[1]:.1f}", f"{rate[cores]:.1f}", cores, share, *busy


def first_calls(method: str) -> list:
    """Return CPU seconds of the first run in a new process: imports; compilation with an empty cache; from it."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TARSUS_CACHE_DIR": folder}
        command = [sys.executable, "-c", FIRST_CALL.format(method=method)]
        found = [
            json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
            for _ in range(4)
        ]
    imports, cached = np.median(found[1:], axis=0)
    return [method, f"{imports:.2f}", f"{found[0][1]:.1f}", f"{cached:.2f}"]


def tables(seconds: Seconds = 4.0, rounds: Count = 5) -> Page:
    """Return everything, measured in one run.

    Args:
        seconds: How long the robot walks [s].
        rounds: Measurements of each; the median is shown.
    """
    made, walks = [], {}
    for name, experiment in EXPERIMENTS.items():
        walks[name] = {method: ReadyHexapod.of(experiment, method) for method in ENGINE}
        exact = walks[name]["dop853"].run(seconds, FINE)
        rows = speed_rows(walks[name], exact, seconds, RTOLS, rounds)
        head = ("method", "rtol", "x real time", "steps / s", "fields / step", "us / step", "events / s")
        made.append(Table((*head, "error [m]", "imbalance"), rows, f"### {name}, {seconds:g} s"))
    flat = walks["walk"]
    rows = mujoco_rows(EXPERIMENTS["walk"], flat["rodas5p"], seconds, rounds)
    made.append(Table(("preset", "x real time", "speed", "height RMS [mm]"), rows, "### MuJoCo (walk)"))
    head = ("method", "rtol", "1 thread", "all", "threads", "of linear", "CPU ratio", "load")
    rows = [batch_row(name, walk, rtol, 32, 1.0, rounds) for name, walk in flat.items() for rtol in RTOLS[:2]]
    made.append(Table(head, rows, "### Batch of 32 walks, 1 s each, times real time"))
    rows = [first_calls(method) for method in ENGINE if METHODS[method].polish]
    head = ("method", "imports", "empty cache", "from the cache")
    return Page(*made, Table(head, rows, "### First run in a new process, CPU s"))
