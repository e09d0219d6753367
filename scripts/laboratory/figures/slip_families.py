"""SLIP's running at constant energy, over touchdown angle and stiffness: both gaits, and the fold where they meet.

Runtime: about 5 s, and 10 s to compile the model the first time.

A human-sized runner (80 kg, linear spring of 20 kN/m, rest length 1 m) with the energy of 5 m/s at an apex of 1 m,
after Seyfarth, Geyer, Gunther & Blickhan, A movement criterion for running, J. Biomechanics 35 (2002).
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import families
from tarsus.analytic.models import slip

RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
ENERGY = 0.5 * 25.0 + 9.81  # per mass: 5 m/s at 1 m [J/kg]
ANGLE, STIFFNESS = math.radians(23.0), 20e3
N_VALUES = 49
# Fixed points are found to 1e-10; multipliers come from differences, and on the steep side reach 30.
RTOL, ATOL = 1e-6, 1e-7


def apex_at(z: np.ndarray, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Return state and memory at an apex of this height and touchdown angle, with the runner's energy."""
    speed = math.sqrt(max(2.0 * (ENERGY - 9.81 * z[0]), 0.0))
    return np.array([0.0, z[0], speed, 0.0]), np.array([0.0, 0.0, angle])


def through(mapping, value: float, bounds: tuple[float, float], scale: float) -> dict[str, np.ndarray]:
    """Return both gaits over the parameter, (m, 2) and NaN where there is none, and where they meet and double."""
    settings = {"bounds": bounds, "scale": (0.2, scale)}
    down = families.follow(mapping, [0.96], value, direction=-1, **settings)
    family = families.follow(mapping, down.z[-1], down.p[-1], **settings)  # up, through the fold, and down again
    values = np.linspace(*bounds, N_VALUES)[1:-1]
    height, multiplier = np.full((2, values.size, 2), np.nan)
    for i, one in enumerate(values):
        z, multipliers = family.at(one)
        height[i, : len(z)], multiplier[i, : len(z)] = z[:, 0], multipliers[:, 0].real
    passed = {b.kind.name.lower(): np.array([b.p, b.z[0]]) for b in family.bifurcations}
    return {"value": values, "height": height, "multiplier": multiplier} | passed


def compute() -> dict[str, np.ndarray]:
    """Return apex heights and multipliers over angle [rad] and stiffness [N/m], with folds and period doublings."""
    sim = hy.compile(slip.build("fixed", RUNNER))
    settings = {"chart": "descent", "rtol": 1e-11, "final_time": 5.0}

    def height(x, d):
        return x[1:2]

    by_angle = families.section_map(sim, "apex", apex_at, height, **settings)
    by_stiffness = families.section_map(sim, "apex", lambda z, p: apex_at(z, ANGLE), height, "k", **settings)
    angle = through(by_angle, ANGLE, (math.radians(20.0), math.radians(24.5)), math.radians(4.0))
    stiffness = through(by_stiffness, STIFFNESS, (14.5e3, 22e3), 5e3)
    return {f"angle_{k}": v for k, v in angle.items()} | {f"stiffness_{k}": v for k, v in stiffness.items()}


def draw(data, figure):
    figure.set_size_inches(11, 7)
    axes = figure.subplots(2, 2, sharex="col")
    for column, name, unit, label in (
        (0, "angle", math.radians(1.0), "touchdown angle [deg]"),
        (1, "stiffness", 1e3, "stiffness [kN/m]"),
    ):
        value, multiplier = data[f"{name}_value"] / unit, data[f"{name}_multiplier"]
        for row, key in ((0, "height"), (1, "multiplier")):
            ax, lines = axes[row, column], data[f"{name}_{key}"]
            stable = np.where(np.abs(multiplier) < 1.0, lines, np.nan)
            ax.plot(value, lines, "C0--", linewidth=0.8)
            ax.plot(value, stable, "C0", linewidth=2.5)
        for kind, marker in (("fold", "o"), ("period_doubling", "s")):
            p, height = data[f"{name}_{kind}"]
            axes[0, column].plot(p / unit, height, f"k{marker}", label=kind.replace("_", " "))
        axes[0, column].legend()
        axes[1, column].set(xlabel=label, ylim=(-4.0, 4.0))
        for level in (-1.0, 1.0):
            axes[1, column].axhline(level, color="0.7", linewidth=0.8)
    axes[0, 0].set(ylabel="apex height [m]", title="20 kN/m")
    axes[0, 1].set(title="23 deg")
    axes[1, 0].set(ylabel="multiplier")
