"""The hexapod's walk over cycle time, sweep and friction: speed, largest multiplier, and limits of stability.

Runtime: about 18 min of processor time, once the model and its derivatives are compiled.

It is the walk of Table 2 with one number changed at a time (the duty factor stays constant), as a fixed point of the
map from mid-stance to the reflected mid-stance half a cycle later (`laboratory.models.gait_family`). Derivatives
are exact. A line breaks, shaded, where the feet's modes at mid-stance change. It ends where the robot no longer settles
in the walk.
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.laboratory.models import gait_family

WALK = {"cycle_time": 1.0, "sweep_angle": 0.75, "friction_coeff": 0.5}  # of Table 2
BOUNDS = {"cycle_time": (0.4, 1.4), "sweep_angle": (0.3, 1.5), "friction_coeff": (0.1, 1.0)}
LABELS = {"cycle_time": "cycle time [s]", "sweep_angle": "sweep [rad]", "friction_coeff": "coefficient of friction"}
HOP = 0.01  # across a change of modes, of the range
PACE = {"step": 0.05, "min_step": 0.01, "max_step": 0.15, "max_points": 40}
GOLDEN = dict(parameters=("cycle_time",), width=0.004, n=5)
RTOL, ATOL = 1e-4, 1e-4  # multipliers have the derivatives' tolerance


def compute(*, parameters: tuple[str, ...] = tuple(WALK), width: float = 1.0, n: int = 61) -> dict[str, np.ndarray]:
    """Return, for values of each parameter, the walk's speed [m/s] and its largest multiplier's modulus, shape (n, 3).

    Args:
        parameters: Which.
        width: Share of the ranges about Table 2's walk.
        n: Values in the range; NaN where the walk has ended or the modes change.
    """
    data = {}
    for name in parameters:
        value, bounds = WALK[name], BOUNDS[name]
        bounds = tuple(value + width * (bound - value) for bound in bounds)
        start = gait_family.settled(name, value)
        hop = HOP * (BOUNDS[name][1] - BOUNDS[name][0])
        stretches = [
            family for way in (-1, 1) for family in gait_family.walk_through(start, value, bounds, way, hop, **PACE)
        ]
        data[name] = np.array([_at(stretches, p) for p in np.linspace(*bounds, n)])
    return data


def _at(stretches: list, p: float) -> tuple[float, float, float]:
    """Return parameter, speed and largest modulus of a multiplier of the gait at a value."""
    for family in stretches:
        z, values = family.at(p)
        if len(z) and np.isfinite(z[0]).all():
            return p, family.curve.mapping.speed(z[0], p), np.abs(values[0]).max()
    return p, np.nan, np.nan


def draw(data, figure):
    figure.set_size_inches(4.0 * len(data), 5.5)
    axes, marks = figure.subplots(2, len(data), sharex="col", squeeze=False), {}
    for column, (name, rows) in zip(axes.T, data.items(), strict=True):
        value, speed, largest = rows.T
        for ax, line in zip(column, (speed, largest), strict=True):
            ax.plot(value, line, ".-", markersize=3)
            marks["the walk of Table 2"] = ax.axvline(WALK[name], color="0.7", linewidth=0.8)
            for low, high in gaps(value, line):
                marks["the feet's modes at mid-stance change"] = ax.axvspan(low, high, color="0.92", linewidth=0.0)
        column[1].axhline(1.0, color="0.7", linewidth=0.8)
        column[1].set(xlabel=LABELS[name], ylim=(0.0, 1.1))
    figure.legend(marks.values(), marks, loc="outside upper center", ncols=2, frameon=False)
    axes[0, 0].set_ylabel("speed [m/s]")
    axes[1, 0].set_ylabel("largest multiplier of half a cycle")


def gaps(value: np.ndarray, line: np.ndarray) -> list[tuple[float, float]]:
    """Return the ranges of values, shape (n,), between whose ends a line (n,) is not known."""
    known = np.flatnonzero(np.isfinite(line))
    return [(value[a], value[b]) for a, b in zip(known, known[1:], strict=False) if b > a + 1]
