"""Convergence of each engine: which one causes the difference between the two.

Runtime: about 2 minutes on one core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.presets import INTEGRATORS, Preset
from tarsus.scripts.laboratory.studies.study_plots import plain_log
from tarsus.scripts.library.machines.hexapod import HEXAPOD, PlatelessExperiment
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, Run
from tarsus.scripts.library.records import summary

GAIT = TripodGait()
SECONDS = 5.0  # of which the first 3 are left out
FIXED_SOLREF = 0.002  # while the timestep changes: two of the longest steps [s]
TIMESTEPS = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5)
GOLDEN = {
    "integrators": ("discrete",),
    "timesteps": (1e-3, 5e-4),
    "solrefs": (4e-3, 2e-3),
    "finest": 1e-3,
    "slide_speeds": (3e-3, 1e-3),
    "rtols": (1e-4, 1e-6),
}
RTOL = 1e-3  # a jiggle by rounding before every step moves speeds by 1e-6, another processor errors by 2e-8
ATOL = 1e-10  # of errors, which are differences of what is known to 1e-13


def measure(trial: Run) -> tuple[float, np.ndarray]:
    """Return the mean speed [m/s], NaN after a fall, and the height in the window [m]."""
    over = summary.window(trial.record)
    if not trial.completed:
        return np.nan, np.full(1, np.nan)
    time = trial.record["time"].values
    inside = (time >= over.start - 1e-9) & (time <= over.stop + 1e-9)
    return float(summary.travel(trial.record, over).sum() / over.duration), summary.height(trial.record)[inside]


def mujoco(preset: Preset) -> tuple[float, np.ndarray]:
    """Return the numbers of `measure` of a walk in MuJoCo."""
    return measure(HEXAPOD.mujoco(PlatelessExperiment(HexapodParams(), GAIT, Flat(), preset), SECONDS, fine=False))


def exact(**accuracy: float) -> tuple[float, np.ndarray]:
    """Return the numbers of `measure` of the exact walk."""
    experiment = PlatelessExperiment(HexapodParams(), GAIT, Flat())
    return measure(HEXAPOD.exact(experiment, SECONDS, SAMPLE_PERIOD, **accuracy))


def errors(runs: Sequence[tuple[float, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return speeds, and the root mean square difference of each run's height from the last run's."""
    speeds, heights = zip(*runs, strict=True)
    differences = [np.sqrt(np.mean((height - heights[-1]) ** 2)) for height in heights]
    return np.array(speeds), np.array(differences)


def compute(
    *,
    integrators: Sequence[str] = ("Euler", "implicitfast", "RK4", "discrete"),
    timesteps: Sequence[float] = TIMESTEPS,
    solrefs: Sequence[float] = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4),
    finest: float = TIMESTEPS[-1],
    slide_speeds: Sequence[float] = (1e-2, 3e-3, 1e-3, 3e-4),
    rtols: Sequence[float] = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8),  # at 1e-3 a toe goes astray and the engine stops
) -> dict[str, np.ndarray]:
    """Return mean speeds and errors against each engine's own best, over step, softness, friction's fade and tolerance.

    The last of each sequence is what the others are measured against; `finest` is the timestep while the softness of
    contact changes.
    """
    base = Preset(timesteps[0], "implicitfast", (FIXED_SOLREF, 1.0))
    steps = [
        errors([mujoco(replace(base, integrator=name, timestep=step)) for step in timesteps]) for name in integrators
    ]
    soft = errors([mujoco(replace(base, timestep=finest, solref=(value, 1.0))) for value in solrefs])
    fade = errors([exact(slide_speed=value) for value in slide_speeds])
    tolerance = errors([exact(rtol=value) for value in rtols])
    return {
        "integrator": np.array([list(INTEGRATORS).index(name) for name in integrators]),
        "timestep": np.array(timesteps),
        "timestep_speed": np.array([speed for speed, _ in steps]),
        "timestep_error": np.array([error for _, error in steps]),
        "finest": np.array(finest),
        "solref": np.array(solrefs),
        "solref_speed": soft[0],
        "slide_speed": np.array(slide_speeds),
        "slide_speed_speed": fade[0],
        "slide_speed_error": fade[1],
        "rtol": np.array(rtols),
        "rtol_speed": tolerance[0],
        "rtol_error": tolerance[1],
    }


def draw(data, figure):
    """Draw mean speeds above, distances from each engine's own best below."""
    figure.set_size_inches(14, 8)
    axes = figure.subplots(2, 3)
    names = [list(INTEGRATORS)[k] for k in data["integrator"]]
    limit, slowest = data["slide_speed_speed"][-1], f"{1e3 * data['slide_speed'][-1]:g} mm/s"
    for k, name in enumerate(names):
        axes[0, 0].plot(1e3 * data["timestep"], data["timestep_speed"][k], "o-", label=f"MuJoCo, {name}")
        finer = slice(None, -1)
        axes[1, 0].plot(1e3 * data["timestep"][finer], 1e3 * data["timestep_error"][k][finer], "o-", label=name)
    soft = f"MuJoCo, implicitfast, {1e6 * data['finest']:g} us"
    axes[0, 1].plot(1e3 * data["solref"], data["solref_speed"], "o-", color="C4", label=soft)
    axes[0, 2].plot(1e3 * data["slide_speed"], data["slide_speed_speed"], "o-", color="black", label="exact, rtol 1e-6")
    axes[1, 1].plot(1e3 * data["slide_speed"][:-1], 1e3 * data["slide_speed_error"][:-1], "o-", color="black")
    axes[1, 2].plot(data["rtol"][:-1], 1e3 * data["rtol_error"][:-1], "o-", color="black")
    labels = ("timestep [ms], contact time constant 2 ms", "contact time constant (solref) [ms]", "slide_speed [mm/s]")
    low, high = np.nanmin(data["timestep_speed"]), np.nanmax(data["timestep_speed"])
    low, high = min(low, np.nanmin(data["solref_speed"]), limit), max(high, np.nanmax(data["slide_speed_speed"]))
    margin = 0.05 * (high - low)
    for axis, label in zip(axes[0], labels, strict=True):
        axis.axhline(limit, color="black", lw=0.8, ls=":", label=f"exact, slide_speed {slowest}")
        axis.set(xscale="log", xlabel=label, ylabel="mean speed [m/s]", ylim=(low - margin, high + margin))
        plain_log(axis.xaxis)
        axis.legend(fontsize=8)
    below = ("timestep [ms]", "slide_speed [mm/s]", "rtol of the exact engine")
    bests = f"{1e6 * data['timestep'][-1]:g} us", slowest, f"{data['rtol'][-1]:.0e}"
    for axis, label, best in zip(axes[1], below, bests, strict=True):
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel=f"height, RMS from that at {best} [mm]")
        axis.grid(which="both", lw=0.3, alpha=0.5)
    for axis in axes[1, :2]:
        plain_log(axis.xaxis)
        plain_log(axis.yaxis)
