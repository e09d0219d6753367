"""Distributions of the sliding model's errors, and of the measurements about their means.

After figures 12 and 13 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.laboratory.sliding import cases
from tarsus.scripts.laboratory.sliding.pictures import COLOURS, LABELS

RTOL, ATOL = 1e-5, 1e-6  # a jiggle by rounding before every step of MuJoCo moves them by 4e-10
PERCENTILES = (2.5, 25.0, 50.0, 75.0, 97.5)
BARS = "thin: the middle 95 %, wide: the middle 50 %, black: the median"
UNITS = {"u": "mm/s", "v": "mm/s", "omega": "mrad/s", "roll": "mrad", "pitch": "mrad"}
UNITS |= {f"F_{axis}": "% of weight" for axis in "xyz"}


def compute() -> dict[str, np.ndarray]:
    """Return the percentiles of every quantity: rows are the scatter, viscous and Coulomb residuals."""
    data = {}
    for walk in (cases.tripod, cases.metachronal):
        outcome = cases.outcome(walk, 4.0)
        found = [cases.scatter(outcome.measured)]
        found += [cases.residuals(outcome.measured, outcome.predicted[law]) for law in cases.LAWS]
        for name in cases.QUANTITIES:
            rows = [np.nanpercentile(values[name], PERCENTILES) for values in found]
            data[f"{walk.__name__}_{name}"] = np.array(rows)
    return data


def draw(data, figure):
    from matplotlib.lines import Line2D

    figure.set_size_inches(10, 10)
    columns, walks = len(cases.QUANTITIES) // 2, ("tripod", "metachronal")
    axes = figure.subplots(4, columns).reshape(len(walks), -1)
    for row, walk in zip(axes, walks, strict=True):
        for ax, name in zip(row, cases.QUANTITIES, strict=True):
            scale = 100.0 if name.startswith("F") else 1e3
            for place, which in enumerate(("measured", *cases.LAWS)):
                low, first, middle, third, high = scale * data[f"{walk}_{name}"][place]
                look = {"color": COLOURS[which], "solid_capstyle": "butt"}
                ax.plot([place, place], [low, high], linewidth=2, **look)
                ax.plot([place, place], [first, third], linewidth=12, alpha=0.6, **look)
                ax.plot(place, middle, "_", color="k", markersize=16)
            ax.set_title(f"{name} [{UNITS[name]}]")
            ax.set_xlim(-0.7, 2.7)
            ax.set_xticks([])
            ax.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        for ax in row[::columns]:
            ax.set_ylabel(f"BigANT, {walk}")
    names = ("scatter about the mean, " + LABELS["measured"], *(f"residual, {LABELS[law]}" for law in cases.LAWS))
    handles = [Line2D([], [], color=COLOURS[k], linewidth=5) for k in ("measured", *cases.LAWS)]
    figure.legend(handles, names, loc="outside lower center", ncols=3, title=BARS)
