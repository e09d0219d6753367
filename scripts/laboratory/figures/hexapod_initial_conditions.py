"""Initial velocities and their limit cycles: the report's two and their reflections, in both engines.

After figure 8 of the hexapod report. Runtime: about 2 min of processor time (36 runs of 12 s).

The reflections cover what the report leaves open: (-x, y) starts from the other tripod, (-x, -y) walks towards -y.
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, LABELS, ORBIT, Case, PresetName, Verdict
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.records import summary

GAITS = {
    "t_c 1 s, phi_s 0.75, duty 0.6": dict(),
    "t_c 0.75 s, phi_s 0.5, duty 0.5": dict(cycle_time=0.75, slow_time=0.375, sweep_angle=0.5),
}
FIRST = tuple((0.6 * a, 0.8 * b) for a in (-1, 1) for b in (-1, 1))  # (-0.6, -0.8) m/s on the report's left
SECOND = tuple((0.8 * a, 0.2 * b) for a in (-1, 1) for b in (1, -1))  # (-0.8, 0.2) m/s on its right
PUSHES = ((0.0, 0.0), *FIRST, *SECOND)  # v_x and v_y of the body at the start [m/s]
SECONDS = 12.0
GOLDEN = dict(jobs=1, pushes=((0.0, 0.0), (-0.8, 0.2)), seconds=4.0)
RTOL, ATOL = 1e-6, 2e-4  # another processor moves velocities by 5e-8, states at whole strides by 2e-7


def profile(gait: dict, push: tuple[float, float], engine: str, seconds: float) -> dict[str, np.ndarray]:
    """Return a run's velocities over time and its last two strides; NaN from where it ended, or the engine gave up."""
    n_rows, period = round(seconds / study.ROW_PERIOD) + 1, gait.get("cycle_time", 1.0)
    velocity, strides, heading = np.full((n_rows, 2), np.nan), np.full((2, 50, len(ORBIT)), np.nan), np.nan
    try:
        result = study.run(Case(gait, seconds=seconds, push=push), engine)
        verdict = study.verdict_of(result)
    except RuntimeError:
        result, verdict = None, Verdict.FAILED
    if result is not None and result.completed:
        record = result.record
        columns = study.orbit(record)
        velocity[:] = np.column_stack([record["body_velocity"].values[:, 1], columns[:, ORBIT.index("forward")]])
        last = period * (np.floor(seconds / period + 1e-9) - np.array([[2], [1]]) + np.arange(50) / 50)
        strides[:] = summary.at(record, columns, last.ravel()).reshape(strides.shape)
        heading = summary.at(record, summary.yaw(record)[:, None], last[1, :1])[0, 0]
    return {"velocity": velocity, "strides": strides, "heading": heading, "verdict": float(verdict)}


def compute(
    preset: PresetName = "reference", jobs: Jobs = -1, *, pushes=PUSHES, seconds: float = SECONDS
) -> dict[str, np.ndarray]:
    """Return, of shape (n_gaits, n_pushes, 2 engines, ...): velocities, last two strides, heading [rad], verdict."""
    cells = [(gait, push, engine, seconds) for gait in GAITS.values() for push in pushes for engine in (EXACT, preset)]
    found = parallel.each(profile, cells, jobs, unit="run", desc="initial conditions")
    shape = len(GAITS), len(pushes), 2
    data = {name: np.stack([cell[name] for cell in found]) for name in found[0]}
    return {"push": np.array(pushes)} | {name: value.reshape(*shape, *value.shape[1:]) for name, value in data.items()}


def draw(data, figure):
    """Draw the velocities of the last strides in the world, and how far each is from their mean along the heading."""
    figure.set_size_inches(11, 3.4 * len(GAITS))
    axes = figure.subplots(len(GAITS), 2, squeeze=False)
    time = np.arange(data["velocity"].shape[3]) * study.ROW_PERIOD
    late = time >= time[-1] - 1.5
    for k, (row, name) in enumerate(zip(axes, GAITS, strict=True)):
        velocity = data["velocity"][k][:, :, late]  # (n_pushes, 2 engines, n_times, world and heading)
        walks = velocity[np.isfinite(velocity).all((1, 2, 3))]
        mean = walks[:, 0, :, 1].mean(0)
        for engine, look in enumerate((dict(color="C0", lw=2.5, alpha=0.5), dict(color="C1", lw=0.9, ls=(0, (4, 2))))):
            lines = row[0].plot(time[late], walks[:, engine, :, 0].T, **look)
            row[1].plot(time[late], 1e3 * (walks[:, engine, :, 1] - mean).T, **look)
            lines[0].set_label(f"{LABELS[engine]}, {len(walks)} starts")
        row[0].set(title=f"{name}: along the world's y", ylabel="velocity [m/s]", ylim=(0, None))
        row[1].set(title="along each robot's heading, less the exact mean", ylabel="difference [mm/s]")
        row[0].legend(loc="lower right")
        for axis in row:
            axis.set(xlabel="time [s]")


def table(data) -> str:
    """Return the ends of the starts as Markdown: of those that walk."""
    rows = []
    for k, gait in enumerate(GAITS):
        for engine, label in enumerate(LABELS):
            walks = np.flatnonzero(data["verdict"][k, :, engine] == Verdict.WALKS)
            strides, heading = data["strides"][k, :, engine], np.rad2deg(data["heading"][k, walks, engine])
            again = max(_off(strides[p][0], strides[p][1]) for p in walks)
            away = max(_off(strides[0][1], strides[p][1]) for p in walks)
            headings = f"{heading.min():+.1f} to {heading.max():+.1f}"
            rows.append((gait, label, f"{len(walks)} of {len(strides)}", headings, f"{again:.1e}", f"{away:.1e}"))
    head = ["gait", "engine", "starts that walk", "heading after 12 s [deg]"]
    head += ["stride to stride, at most [m/s]", "from the cycle of the start at rest, at most [m/s]"]
    return markdown_table(head, rows)


def _off(one: np.ndarray, other: np.ndarray) -> float:
    """Return the RMS difference of the forward velocities of two strides [m/s]."""
    column = ORBIT.index("forward")
    return float(np.sqrt(np.mean((one[:, column] - other[:, column]) ** 2)))
