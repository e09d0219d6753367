"""The total force on a four-footed body over its velocity, and where it is zero, under both friction laws.

After figure 2 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.contact import slide

RTOL = 1e-4  # Coulomb's velocity is located to the square root of its gap, 1e-9: 3e-5


def compute() -> dict[str, np.ndarray]:
    """Return foot velocities, the size of the mean force over the body's velocity, and both solutions.

    Every foot stands twice, at opposite places with the same velocity, so that the body does not turn.
    """
    vel = np.array([[0.9, 0.2], [0.3, -0.8], [-0.5, 0.35], [0.15, 0.7]])
    pos = np.array([[1.0, 0.6], [1.0, -0.6], [-0.9, 0.7], [-1.0, -0.5]])
    axis = np.linspace(-1.5, 1.5, 161)
    u = np.stack(np.meshgrid(axis, axis), axis=-1)[..., None, :]
    slip = u + vel
    speed = np.linalg.norm(slip, axis=-1, keepdims=True)
    coulomb = np.linalg.norm(np.mean(slip / np.maximum(speed, 1e-12), axis=-2), axis=-1)
    viscous = np.linalg.norm(np.mean(slip, axis=-2), axis=-1)
    both, twice = np.concatenate([pos, -pos]), np.concatenate([vel, vel])
    return {
        "axis": axis,
        "vel": vel,
        "pos": pos,
        "coulomb": coulomb,
        "viscous": viscous,
        "coulomb_solution": slide(both, twice, 1.0, 1.0, law="coulomb").twist,
        "viscous_solution": slide(both, twice, 1.0, 1.0).twist,
    }


def draw(data, figure):
    """Draw the contours of both laws with foot speeds, minima and the robot."""
    figure.set_size_inches(12, 3.9)
    axes = figure.subplots(1, 3)
    for axis, law in zip(axes, ("coulomb", "viscous"), strict=False):
        lines = axis.contour(data["axis"], data["axis"], data[law], levels=np.arange(0.1, 2.0, 0.1), cmap="viridis")
        figure.colorbar(lines, ax=axis, label="total force / (mu weight)")
        for k, v in enumerate(data["vel"]):
            axis.plot(*-v, "o", color=f"C{k}")
        axis.plot(*data[f"{law}_solution"][:2], "r*", ms=14)
        axis.set(xlabel="u [m/s]", ylabel="v [m/s]", aspect="equal")
        axis.set_title(f"{law.capitalize()}: dots put a foot at rest")
    for k, (p, v) in enumerate(zip(data["pos"], data["vel"], strict=True)):
        axes[2].plot(*p, "o", color=f"C{k}")
        axes[2].annotate("", p + 0.5 * v, p, arrowprops={"arrowstyle": "->", "color": f"C{k}"})
    axes[2].set(title="feet and their velocities", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes[2].set(xlim=(-1.8, 1.8), ylim=(-1.5, 1.5))
