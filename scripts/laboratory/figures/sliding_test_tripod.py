"""BigANT's tripod in MuJoCo and by the sliding model: path, attitude, velocity, and forces of each foot.

After figures 4 and 10 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.laboratory.sliding import cases
from tarsus.scripts.laboratory.sliding.pictures import (
    ATOL,
    RTOL,
    curves,
    draw_forces,
    draw_quantity,
    draw_way,
    legend_above,
)

__all__ = ["ATOL", "RTOL"]
CYCLE_TIME = 4.0  # [s]


def compute() -> dict[str, np.ndarray]:
    """Return measured and predicted curves of two cycles of the tripod."""
    return curves(cases.outcome(cases.tripod, CYCLE_TIME))


def draw(data, figure):
    figure.set_size_inches(11, 9)
    axes = figure.subplots(4, 3)
    draw_way(axes[0, 0], data)
    axes[0, 0].set_title("way, from above", fontsize=8)
    for ax, column, title in zip(axes[0, 1:], (0, 1), ("roll [mrad]", "pitch [mrad]"), strict=True):
        draw_quantity(ax, data, "tilt", (column,), 1e3)
        ax.set_title(title, fontsize=8)
    for ax, column, title in zip(axes[1], range(3), ("u [mm/s]", "v [mm/s]", r"$\omega$ [mrad/s]"), strict=True):
        draw_quantity(ax, data, "twist", (column,), 1e3)
        ax.set_title(title, fontsize=8)
    for row, component in ((2, 0), (3, 2)):
        draw_forces(axes[row], data, component)
    for ax in axes[-1]:
        ax.set_xlabel("t [s]")
    for ax in axes.ravel():
        ax.tick_params(labelsize=7)
    legend_above(figure, axes[0, 0], axes[0, 1])
