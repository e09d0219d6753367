"""The default walk on the sinusoid terrain: speed and falls over the height of the bumps, in both engines.

The terrain is the manual's, Table 3. Runtime: about 1 min of processor time (40 runs of 6 s).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.terrain import Sinusoid
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, LABELS, Case, Fineness, PresetName, Verdict
from tarsus.scripts.laboratory.studies.study_plots import STYLES
from tarsus.scripts.library.base.stamp import markdown_table

GOLDEN = dict(jobs=1, amplitudes=(0.01,), wavenumbers=(15.0,), places=((0.1, 0.05),), seconds=4.0)
RTOL = 5e-3  # over bumps every foothold's rounding moves the next: 5e-5 of the yaw rate, 2e-6 of speed and tilt


def compute(
    fineness: Fineness = 1,
    preset: PresetName = "reference",
    jobs: Jobs = -1,
    *,
    amplitudes=(0.0, 0.0075, 0.015, 0.0225, 0.03),  # a1, half the height from trough to crest [m]; Table 2 has 0.03
    wavenumbers=(5.0, 15.0),  # a2 = a3 [rad/m]; Table 2 has 15, a bump every 0.42 m
    places=((0.0, 0.0), (0.1, 0.05)),  # where a walk begins: what it meets differs [m]
    seconds: float = 6.0,
) -> dict[str, np.ndarray]:
    """Return speeds [m/s] and verdicts, shape (n_wavenumbers, n_amplitudes, n_places, 2 engines)."""
    heights = study.refine(amplitudes, fineness)

    def case(wavenumber, amplitude, place):
        return Case(ground=Sinusoid(float(amplitude), wavenumber, wavenumber), seconds=seconds, place=place)

    data = {"amplitude": heights, "wavenumber": np.array(wavenumbers)}
    grid = case, (wavenumbers, heights, places), (EXACT, preset), jobs, "sinusoid"
    return data | study.grid(*grid, "speed", "yaw_rate", "max_tilt", "verdict", "ended")


def draw(data, figure):
    """Draw speed over amplitude, a panel per wave number; a dot is a walk, a cross did not walk."""
    n = len(data["wavenumber"])
    figure.set_size_inches(5.5 * n, 4)
    axes = figure.subplots(1, n, sharey=True, squeeze=False)
    for k, axis in enumerate(axes[0]):
        for engine, label in enumerate(LABELS):
            walks = data["verdict"][k, ..., engine] == Verdict.WALKS
            speed = np.where(walks, data["speed"][k, ..., engine], np.nan)
            x = 1e3 * data["amplitude"] + 0.4 * (engine - 0.5)
            mean = [np.nanmean(row) if np.isfinite(row).any() else np.nan for row in speed]
            axis.plot(x, mean, color=f"C{engine}", label=f"{label}, mean", **STYLES[engine])
            axis.plot(x, speed, ".", color=f"C{engine}", ms=4)
            for i, fallen in enumerate(np.sum(~walks, axis=1)):
                if fallen:
                    text = f"{fallen} of {walks.shape[1]} do not walk"
                    look = dict(color=f"C{engine}", fontsize=8, ha="center", transform=axis.get_xaxis_transform())
                    axis.text(x[i], 0.03 + 0.07 * engine, text, **look)
        axis.plot([], [], "k.", ms=4, label="each start")
        axis.set(title=f"wave number {data['wavenumber'][k]:g} rad/m", xlabel="amplitude [mm]")
        axis.legend(fontsize=8, loc="upper left")
    axes[0, 0].set(ylabel="speed along the ground [m/s]")


def table(data) -> str:
    """Return mean speeds, their spread and falls, Markdown: those of both engines in a cell."""
    head = ["wave number [rad/m]", "amplitude [mm]", "speed, exact, MuJoCo [m/s]", "spread [m/s]", "walks"]
    rows = []
    for k, wavenumber in enumerate(data["wavenumber"]):
        for i, amplitude in enumerate(data["amplitude"]):
            walks = data["verdict"][k, i] == Verdict.WALKS
            speeds = [data["speed"][k, i, walks[:, engine], engine] for engine in range(len(LABELS))]
            means = ", ".join(f"{speed.mean():.3f}" if speed.size else "none" for speed in speeds)
            spreads = ", ".join(f"{np.ptp(speed):.3f}" if speed.size else "none" for speed in speeds)
            count = f"{walks.sum()} of {walks.size}"
            rows.append((f"{wavenumber:g}", f"{1e3 * amplitude:.3g}", means, spreads, count))
    return markdown_table(head, rows)
