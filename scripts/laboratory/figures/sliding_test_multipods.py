"""Multipods of 6, 8, 10 and 12 legs in MuJoCo and by the sliding model: velocities and paths.

After figures 6 and 14 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.laboratory.sliding import cases
from tarsus.scripts.laboratory.sliding.pictures import ATOL, RTOL, curves, draw_quantity, draw_way, legend_above

__all__ = ["ATOL", "RTOL"]


def compute() -> dict[str, np.ndarray]:
    """Return measured and predicted curves of two periods of every multipod."""
    data = {}
    for n in cases.MULTIPOD_LEGS:
        found = curves(cases.outcome(cases.undulation, n, n_periods=2), f"legs_{n}_")
        data |= {name: values for name, values in found.items() if "force" not in name}
    return data


def draw(data, figure):
    figure.set_size_inches(13, 5.5)
    shown = (cases.MULTIPOD_LEGS[0], cases.MULTIPOD_LEGS[-1])  # between them curves come nearer to each other evenly
    axes = figure.subplots(len(shown), 5, sharex="col")
    for row, n in zip(axes, shown, strict=True):
        prefix = f"legs_{n}_"
        for column in range(3):
            draw_quantity(row[column], data, "twist", (column,), 1e3, prefix)
        draw_quantity(row[3], data, "tilt", (0,), 1e3, prefix)
        draw_way(row[4], data, prefix)
        row[0].set_ylabel(f"{n} legs")
    titles = ("u [mm/s]", "v [mm/s]", r"$\omega$ [mrad/s]", "roll [mrad]", "way, from above")
    for ax, title in zip(axes[0], titles, strict=True):
        ax.set_title(title, fontsize=9)
    for ax in axes[-1, :4]:
        ax.set_xlabel("t [s]")
    for ax in axes.ravel():
        ax.tick_params(labelsize=7)
    legend_above(figure, axes[0, 0], axes[0, 3])
