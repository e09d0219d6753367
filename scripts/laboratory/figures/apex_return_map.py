"""Running with a fixed touchdown angle: the apex return map, its fixed points and their multipliers against the angle.

Runtime: about 1 s, and 10 s to compile the model the first time.

A human-sized runner (80 kg, linear spring of 20 kN/m, rest length 1 m) with the energy of 5 m/s at an apex of 1 m,
after Seyfarth, Geyer, Gunther & Blickhan, A movement criterion for running, J. Biomechanics 35 (2002).
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import slip

RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
ENERGY = 0.5 * 25.0 + 9.81  # per mass: 5 m/s at 1 m [J/kg]
ANGLES = np.deg2rad(np.arange(21.5, 24.01, 0.125))  # where fixed points exist
MAPS = (22.0, 23.0, 24.0)  # degrees, drawn on the left
# Fixed points are found to 1e-10; multipliers come from differences.
RTOL, ATOL = 1e-6, 1e-7


def apex_map(sim: hy.Simulator, angle: float):
    """Return the map of the apex height at the runner's energy."""

    def lift(z):
        return np.array([0.0, z[0], math.sqrt(max(2.0 * (ENERGY - 9.81 * z[0]), 0.0)), 0.0]), np.array(
            [0.0, 0.0, angle]
        )

    return sections.return_map(sim, "apex", lift, lambda x, d: x[1:2], chart="descent", rtol=1e-11, final_time=5.0)


def compute() -> dict[str, np.ndarray]:
    """Return three maps, and for every angle the fixed points and multipliers (NaN where there is none)."""
    sim = hy.compile(slip.build("fixed", RUNNER))
    height = np.linspace(0.935, 1.505, 58)  # above the touchdown height of all angles
    maps = np.array([[apex_map(sim, math.radians(a))([y])[0] for y in height] for a in MAPS])
    fixed = np.full((ANGLES.size, 2), np.nan)
    multiplier = np.full((ANGLES.size, 2), np.nan)
    for i, angle in enumerate(ANGLES):
        mapping = apex_map(sim, angle)
        gaps = np.array([mapping([y])[0] - y for y in height])
        found = 0
        for j in np.flatnonzero(gaps[:-1] * gaps[1:] < 0)[:2]:
            guess = height[j] - gaps[j] * (height[j + 1] - height[j]) / (gaps[j + 1] - gaps[j])
            point = sections.fixed_point(mapping, [guess])
            if point.status is sections.Convergence.CONVERGED:
                fixed[i, found], multiplier[i, found] = point.z[0], point.jacobian[0, 0]
                found += 1
    return {"height": height, "maps": maps, "map_angles": np.array(MAPS), "angle": np.rad2deg(ANGLES)} | {
        "fixed": fixed,
        "multiplier": multiplier,
    }


def draw(data, figure):
    figure.set_size_inches(13, 4.2)
    axes = figure.subplots(1, 3)
    for angle, values in zip(data["map_angles"], data["maps"], strict=True):
        axes[0].plot(data["height"], values, label=f"{angle:.0f} deg")
    axes[0].plot(data["height"], data["height"], "k:", linewidth=1)
    axes[0].set(xlabel="apex height [m]", ylabel="next apex height [m]", title="Apex return map")
    axes[0].legend(title="touchdown angle")
    stable = np.abs(data["multiplier"]) < 1
    angle = np.broadcast_to(data["angle"][:, None], stable.shape)
    for ax, name in ((axes[1], "fixed"), (axes[2], "multiplier")):
        ax.plot(angle[stable], data[name][stable], "o", label="stable", markersize=4)
        ax.plot(angle[~stable], data[name][~stable], "x", label="unstable", markersize=4)
        ax.set_xlabel("touchdown angle [deg]")
        ax.legend()
    axes[1].set(ylabel="apex height [m]", title="Fixed points")
    axes[2].set(ylabel="multiplier", title="Multipliers")
    axes[2].axhline(1.0, color="0.7", linewidth=0.8)
    axes[2].axhline(-1.0, color="0.7", linewidth=0.8)
