"""The hexapod's walk as a fixed point: Floquet multipliers, and how its slowest mode dies out in both engines.

Usage: tarsus figure hexapod orbit [--out out/figures]
Runtime: about 25 s, and a minute to compile the model and its variational equations the first time.

The map is half a stride followed by a reflection, left to right; the multipliers of a stride are the squares.
"""

from __future__ import annotations

import sys

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models.hexapod import HexapodParams, orbit
from tarsus.analytic.terrain import Flat
from tarsus.scripts import exact
from tarsus.scripts.orbit import exact_sections, modes, mujoco_sections
from tarsus.scripts.plotting import figure_main

SETTLED = 20  # strides before Newton's method
N = 20  # half strides of decay
DISTURBED = 0.03  # largest entry of the slow mode at the start; it is the pitch rate [rad/s]
LATE = 14  # half strides after which only the slow mode is left in either engine
BODY = len(orbit.BODY)
LABELS = ("z", "tilt x", "tilt y", "v_x", "v_y", "v_z", "w_x", "w_y", "w_z")
# Multipliers are right to 1e-5. MuJoCo's decay rests on whole timesteps and may differ between processors.
RTOL, ATOL = 1e-3, 2e-3


def compute() -> dict[str, np.ndarray]:
    """Return the fixed point, multipliers by differences and variational equations, and the decay in both engines."""
    params = HexapodParams()
    stride = orbit.settle(exact.simulator(Flat()), params, TripodGait(), SETTLED)
    point = sections.fixed_point(stride.half, stride.z0, tol=1e-9)
    if point.status is not sections.Convergence.CONVERGED:
        raise RuntimeError(f"the gait is no fixed point: {point.status.value}")
    values, right, left = modes(point.jacobian)
    flowed = stride.variational(orbit.variation(len(point.z)), point.z, half=True)
    slow, read = right[:, 0].real, left[0].real
    slow *= DISTURBED / np.abs(slow).max() * np.sign(slow[6])
    decay = {
        "exact": exact_sections(stride, point.z + slow, N) - point.z,
        "mujoco": mujoco_sections(stride, params, point.z + slow, N) - mujoco_sections(stride, params, point.z, N),
    }
    amplitude = {f"amplitude_{engine}": rows @ read / (slow @ read) for engine, rows in decay.items()}
    shape = {f"shape_{engine}": rows[LATE, :BODY] / rows[LATE, 6] for engine, rows in decay.items()}
    return {
        "fixed_point": point.z,
        "multipliers": _parts(values),
        "variational": _parts(sections.multipliers(flowed)),
        "shape_mode": slow[:BODY] / slow[6],
    } | amplitude | shape  # fmt: skip


def _parts(values) -> np.ndarray:
    return np.stack([values.real, values.imag], axis=1)


def draw(data: dict[str, np.ndarray]):
    """Return a matplotlib figure of `data`."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    angle = np.linspace(0.0, 2 * np.pi, 200)
    axes[0].plot(np.cos(angle), np.sin(angle), color="0.7", linewidth=0.8)
    axes[0].plot(*data["multipliers"].T, "o", markerfacecolor="none", markersize=8, label="differences of the map")
    axes[0].plot(*data["variational"].T, "x", markersize=5, label="variational equations")
    axes[0].set(xlabel="real part", ylabel="imaginary part", aspect="equal", title="Multipliers of half a stride")
    axes[0].legend(loc="upper left", fontsize=8)
    k = np.arange(N + 1)
    axes[1].semilogy(k, np.abs(data["multipliers"][0, 0]) ** k, "k:", linewidth=1, label="largest multiplier")
    for engine, style in (("exact", "o-"), ("mujoco", "s--")):
        axes[1].semilogy(k, np.abs(data[f"amplitude_{engine}"]), style, markersize=4, linewidth=1, label=engine)
    axes[1].set(xlabel="half strides", ylabel="slow mode, relative", title="Decay of the slowest mode")
    axes[1].legend()
    place, width = np.arange(BODY), 0.27
    for i, (name, label) in enumerate((("mode", "eigenvector"), ("exact", "exact"), ("mujoco", "mujoco"))):
        axes[2].bar(place + (i - 1) * width, data[f"shape_{name}"], width, label=label)
    axes[2].set_xticks(place, LABELS, rotation=45)
    axes[2].axhline(0.0, color="0.5", linewidth=0.8)
    axes[2].set(ylabel="body, relative to the pitch rate", title=f"Its shape, after {LATE} half strides")
    axes[2].legend()
    return figure


def main(argv: list[str] | None = None) -> int:
    """Write the figure's data and picture."""
    return figure_main(__file__, compute, draw, argv)


if __name__ == "__main__":
    sys.exit(main())
