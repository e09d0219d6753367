"""SLIP from the manual's default start: the path of the body with its events, and the energy.

Runtime: about 1 s.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import slip

EVENTS = ("touchdown", "bottom", "liftoff", "apex")
# Energy errors are rounding: compared as numbers below the tolerance of the run, not digit by digit.
ATOL = 1e-9


def compute() -> dict[str, np.ndarray]:
    """Return the record, the events and the relative energy error of four strides at rtol 1e-12."""
    r = hy.compile(slip.build(), mode="python").run(final_time=2.2, rtol=1e-12, record_period=0.01)
    energy = slip.energy(r.p, r.x, r.d, r.chart)
    e = r.events
    data = {"t": r.t, "x": r.x[:, 0], "y": r.x[:, 1], "chart": r.chart, "energy_error": energy / energy[0] - 1.0}
    for name in EVENTS:
        rows = e.of(name)
        data |= {f"{name}_t": e.t[rows], f"{name}_x": e.x_plus[rows, 0], f"{name}_y": e.x_plus[rows, 1]}
    rows = e.of("touchdown")
    data |= {"foot_x": np.append(0.0, e.d_plus[rows, 0]), "kinetic": 0.5 * r.p[0] * (r.x[:, 2] ** 2 + r.x[:, 3] ** 2)}
    data["height_energy"] = r.p[0] * 10.0 * r.x[:, 1]
    data["spring"] = energy - data["kinetic"] - data["height_energy"]
    return data


def draw(data, figure):
    figure.set_size_inches(8, 7.5)
    axes = figure.subplots(3, 1, height_ratios=(3, 2, 1.4))
    axes[0].plot(data["x"], data["y"], color="0.4", linewidth=1)
    for name, marker in zip(EVENTS, "vso^", strict=True):
        axes[0].plot(data[f"{name}_x"], data[f"{name}_y"], marker, label=name, markersize=6)
    axes[0].plot(data["foot_x"], np.full(data["foot_x"].size, 0.72), "k_", markersize=12, label="foot (on the ground)")
    axes[0].set(xlabel="x [m]", ylabel="y [m]", title="Way of the body, events marked")
    axes[0].legend(ncols=5, fontsize=8, loc="upper center")
    axes[0].set_ylim(0.7, 1.2)
    for name, label in (("kinetic", "kinetic"), ("height_energy", "gravity"), ("spring", "spring")):
        axes[1].plot(data["t"], data[name], label=label)
    axes[1].set(ylabel="energy [J]", yscale="symlog", xlabel="t [s]")
    axes[1].legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    axes[2].plot(data["t"], data["energy_error"], ".-", markersize=3)
    axes[2].set(xlabel="t [s]", ylabel="relative error", title="Total energy (rtol 1e-12)")
    for ax in axes[1:]:
        for t in data["touchdown_t"]:
            ax.axvline(t, color="0.85", linewidth=0.8, zorder=0)
