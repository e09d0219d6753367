"""The basin of stable running: from which apex states, at which touchdown angle, the runner makes fifty strides.

Runtime: about 1 s (a batch of 5000 runs per panel), and 10 s to compile the model the first time.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import slip

RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
STRIDES = 50
ANGLE = math.radians(23.0)
# Starts disturbed by 1e-14 to 1e-6 make one stride more or less in 27 cells of the grid, and in no other cell. The mean
# then moves by 0.005 at most, while a stride miscounted everywhere would move it by 1.
ATOL = 1.0
TOLERANCES = {"mean": {"atol": 0.02}}


def strides(sim: hy.Simulator, height: np.ndarray, speed: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return how many strides each start at an apex makes, up to STRIDES."""
    x0s = np.stack([np.zeros_like(height), height, speed, np.zeros_like(height)], axis=1)
    d0s = np.stack([np.zeros_like(angle), np.zeros_like(angle), angle], axis=1)
    ends = sim.batch(x0s, d0s, chart="descent", final_time=1e3, rtol=1e-8, stop_at="apex", stop_count=STRIDES)
    return np.minimum(ends.n_transitions // 4, STRIDES)


def compute() -> dict[str, np.ndarray]:
    """Return the strides made over apex height and speed at 23 degrees, and over height and angle at one energy."""
    sim = hy.compile(slip.build("fixed", RUNNER))
    height, speed = np.meshgrid(np.linspace(0.93, 1.6, 68), np.linspace(3.0, 7.0, 73), indexing="ij")
    by_speed = strides(sim, height.ravel(), speed.ravel(), np.full(height.size, ANGLE)).reshape(height.shape)
    tall, angle = np.meshgrid(np.linspace(0.93, 1.6, 68), np.deg2rad(np.linspace(18.0, 30.0, 73)), indexing="ij")
    same_energy = np.sqrt(25.0 + 2.0 * 9.81 * (1.0 - tall))
    by_angle = strides(sim, tall.ravel(), same_energy.ravel(), angle.ravel()).reshape(tall.shape)
    return {
        "height": height[:, 0],
        "speed": speed[0],
        "by_speed": by_speed.astype(float),
        "angle": np.rad2deg(angle[0]),
        "by_angle": by_angle.astype(float),
        "mean": np.array([by_speed.mean(), by_angle.mean()]),
    }


def draw(data, figure):
    figure.set_size_inches(11, 4.5)
    axes = figure.subplots(1, 2, sharey=True)
    for ax, across, name in ((axes[0], "speed", "by_speed"), (axes[1], "angle", "by_angle")):
        image = ax.pcolormesh(data[across], data["height"], data[name], vmin=0, vmax=STRIDES, cmap="viridis")
    axes[0].set(xlabel="apex speed [m/s]", ylabel="apex height [m]", title="Touchdown angle 23 deg")
    axes[1].set(xlabel="touchdown angle [deg]", title="Energy of 5 m/s at 1 m")
    figure.colorbar(image, ax=axes, label=f"strides made, of {STRIDES}")
