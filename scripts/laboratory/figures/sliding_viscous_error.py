"""The relative error of the viscous law against Coulomb's, for velocities near the one where both agree.

After figure 9 of Wu, Zhao and Revzen (arXiv:2310.20669), whose text says 2 %: that is the error of the dissipation. The
force's relative error is the relative change of the speed.
"""

from __future__ import annotations

import numpy as np


def compute() -> dict[str, np.ndarray]:
    """Return the relative errors of force and dissipation on a grid of velocities about (1, 0)."""
    axis = np.linspace(-0.4, 0.4, 121)
    dx, dy = np.meshgrid(axis, axis)
    speed = np.hypot(1 + dx, dy)
    # Laws of unit load, friction and reference speed: v / |v| and v. Potentials |v| and (v^2 + 1) / 2.
    circle = np.exp(1j * np.linspace(0, 2 * np.pi, 361)) * 0.2
    rim = np.abs(1 + circle)
    return {
        "axis": axis,
        "force": np.abs(speed - 1),
        "dissipation": 0.5 * (speed - 1) ** 2,
        "force_at_a_fifth": np.array(np.abs(rim - 1).max()),
        "dissipation_at_a_fifth": np.array((0.5 * (rim - 1) ** 2).max()),
    }


def draw(data, figure):
    """Draw the contours of both errors."""
    from matplotlib.patches import Circle

    figure.set_size_inches(9, 4)
    axes = figure.subplots(1, 2)
    for axis, name, levels in (
        (axes[0], "force", [0.02, 0.05, 0.1, 0.2, 0.3]),
        (axes[1], "dissipation", [0.002, 0.005, 0.01, 0.02, 0.04]),
    ):
        lines = axis.contour(data["axis"], data["axis"], data[name], levels=levels, cmap="viridis")
        axis.clabel(lines, fmt=lambda level: f"{100 * level:g} %")
        axis.add_patch(Circle((0, 0), 0.2, fill=False, ls="--"))
        worst = 100 * data[f"{name}_at_a_fifth"]
        axis.set(title=f"{name}: up to {worst:.0f} % at a fifth of the speed", aspect="equal")
        axis.set(xlabel="change along the velocity / speed", ylabel="change across it / speed")
