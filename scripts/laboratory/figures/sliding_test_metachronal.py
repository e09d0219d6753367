"""BigANT's metachronal gait, designed to slip: shaft angles, traction against slip, and forces of each foot.

After figures 5 and 11 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np

from tarsus.controllers import gaits
from tarsus.scripts.laboratory.sliding import cases
from tarsus.scripts.laboratory.sliding.pictures import (
    ATOL,
    BIGANT_LEGS,
    EVERY,
    RTOL,
    curves,
    draw_forces,
    draw_quantity,
    legend_above,
)
from tarsus.scripts.library.sliding.prediction import slips

__all__ = ["ATOL", "RTOL"]
CYCLE_TIME = 4.0  # [s]
LOADED = 0.03  # share of the weight a foot must carry to have a point in panel B


def compute() -> dict[str, np.ndarray]:
    """Return measured and predicted curves of two cycles, shaft angles, and slips of the feet."""
    outcome = cases.outcome(cases.metachronal, CYCLE_TIME)
    angle, _ = gaits.make("metachronal", 6, cycle_time=1.0)(np.linspace(0, 1, 101))
    return curves(outcome) | {"shaft": angle, "slip": slips(outcome.measured)[::EVERY]}


def draw(data, figure):
    figure.set_size_inches(11, 8)
    axes = figure.subplots(3, 3)
    phase = np.linspace(0, 1, len(data["shaft"]))
    for leg, name in enumerate(BIGANT_LEGS):
        angle = (data["shaft"][:, leg] + np.pi) % (2 * np.pi) - np.pi
        axes[0, 0].plot(phase, np.where(np.abs(np.diff(angle, prepend=angle[0])) > 3, np.nan, angle), label=name)
    axes[0, 0].set_xlabel("phase [cycle]", fontsize=8)
    axes[0, 0].set_title("A: shaft angle [rad]; 0 is mid-stance", fontsize=8)
    axes[0, 0].set(ylim=(-6.2, 3.4), yticks=range(-3, 4))
    axes[0, 0].legend(fontsize=6, ncols=3, loc="lower center")
    load = data["force"][..., 2]
    on = load > LOADED
    axes[0, 1].plot(
        1e3 * data["slip"][..., 0][on], data["force"][..., 0][on] / load[on], ".", markersize=1.5, color="0.3"
    )
    axes[0, 1].set_xlabel("slip velocity [mm/s]", fontsize=8)
    axes[0, 1].set_title(r"B: $F_x / F_z$ of loaded feet, MuJoCo", fontsize=8)
    draw_quantity(axes[0, 2], data, "twist", (0,), 1e3)
    axes[0, 2].set_title("u [mm/s]", fontsize=8)
    legend_above(figure, axes[0, 2])
    for row, component in ((1, 0), (2, 1)):
        draw_forces(axes[row], data, component)
    for ax in axes[-1]:
        ax.set_xlabel("t [s]")
    for ax in axes.ravel():
        ax.tick_params(labelsize=7)
