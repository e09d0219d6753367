"""The curvature of a multipod's sliding: distance per cycle of waves, by area, by line and frame by frame."""

from __future__ import annotations

import numpy as np

from tarsus.analytic.contact.geometry import by_line, curvature, displacement
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.models.wave_shapes import WaveShapes

SIZE = 0.32  # of the window either way [rad]
CIRCLE = 0.3  # amplitude of the cycle that is drawn [rad]
# Coulomb's twists are those of a minimum located within its gap of 1e-9: a flat one to its square root, 3e-5.
TOLERANCES = {"coulomb": {"rtol": 1e-4}}
AMPLITUDES = np.linspace(0.03, 0.3, 10)  # of cycles [rad]


def compute(legs: Count = 6, points: Count = 40) -> dict[str, np.ndarray]:
    """Return the height function of x on a grid, and displacements of cycles.

    Args:
        legs: Of the multipod.
        points: Of the grid either way.
    """
    shapes = WaveShapes(MultipodParams(n_legs=legs))
    axis = np.linspace(-SIZE, SIZE, points)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    loops = [shapes.circle(radius, 200) for radius in AMPLITUDES]
    laws = {law: [displacement(shapes, loop, shapes.feet, law)[0] for loop in loops] for law in ("viscous", "coulomb")}
    return {
        "axis": axis,
        "height_function": curvature(shapes, grid, shapes.feet).exterior[..., 0],
        "amplitude": AMPLITUDES,
        "line": np.array([by_line(shapes, loop, shapes.feet)[0] for loop in loops]),
        **{law: np.array(values) for law, values in laws.items()},
    }


def draw(data: dict[str, np.ndarray], figure) -> None:
    """Draw the height function with a cycle, and displacements over the amplitude."""
    figure.set_size_inches(11, 4.5)
    left, right = figure.subplots(1, 2)
    most = np.abs(data["height_function"]).max()
    mesh = left.pcolormesh(
        data["axis"], data["axis"], data["height_function"], cmap="RdBu_r", vmin=-most, vmax=most, shading="gouraud"
    )
    figure.colorbar(mesh, ax=left, label="displacement per area [m]")
    turn = np.linspace(0, 2 * np.pi, 200)
    left.plot(CIRCLE * np.cos(turn), CIRCLE * np.sin(turn), color="k", lw=1.2)
    left.set(xlabel="$r_1$ [rad]", ylabel="$r_2$ [rad]", aspect="equal", title="Height function of x, and a cycle")
    right.plot(data["amplitude"], 1e3 * data["line"], color="0.7", lw=5, label="line integral of the connection")
    right.plot(data["amplitude"], 1e3 * data["viscous"], "k-", lw=1, label="displacement, viscous")
    right.plot(data["amplitude"], 1e3 * data["coulomb"], "o-", color="tab:red", ms=4, label="displacement, Coulomb")
    right.set(xlabel="yaw amplitude [rad]", ylabel="way of a cycle [mm]", title="What it adds up to")
    right.legend(frameon=False)
