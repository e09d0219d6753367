"""The hexapod's walk over cycle time, sweep and friction: speed and largest multiplier, and where stability ends.

Runtime: about 10 min of processor time, once the model and its derivatives are compiled.

The walk of Table 2 with one number changed at a time (the slow phase keeps its share of the cycle), as a fixed point of
the map from mid-stance to the reflected mid-stance half a cycle later (`analytic.models.hexapod.gait_family`), whose
derivatives are exact. A line breaks where the feet's modes at mid-stance change; it ends where the robot no longer
settles in the walk.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.models.hexapod import gait_family

WALK = {"cycle_time": 1.0, "sweep_angle": 0.75, "friction_coeff": 0.5}  # of Table 2
BOUNDS = {"cycle_time": (0.4, 1.4), "sweep_angle": (0.3, 1.5), "friction_coeff": (0.1, 1.0)}
LABELS = {"cycle_time": "cycle time [s]", "sweep_angle": "sweep [rad]", "friction_coeff": "coefficient of friction"}
HOP = 0.01  # across a change of modes, of the range
PACE = {"step": 0.05, "min_step": 0.01, "max_step": 0.15, "max_points": 40}
GOLDEN = dict(parameters=("cycle_time",), width=0.02)
RTOL, ATOL = 1e-4, 1e-4  # multipliers have the derivatives' tolerance


def compute(*, parameters: tuple[str, ...] = tuple(WALK), width: float = 1.0) -> dict[str, np.ndarray]:
    """Return each parameter's values, the walk's speed [m/s] and the modulus of its largest multiplier of half a cycle.

    Args:
        parameters: Which.
        width: Share of the ranges about Table 2's walk.
    """
    data = {}
    for name in parameters:
        value, bounds = WALK[name], BOUNDS[name]
        bounds = tuple(value + width * (bound - value) for bound in bounds)
        start = gait_family.settled(name, value)
        hop = HOP * (BOUNDS[name][1] - BOUNDS[name][0])
        back, ahead = (gait_family.walk_through(start, value, bounds, way, hop, **PACE) for way in (-1, 1))
        rows = [_points(family)[::-1] for family in back[::-1]] + [_points(family) for family in ahead]
        data[name] = np.concatenate([part for row in rows for part in (row, np.full((1, 3), np.nan))])
    return data


def _points(family) -> np.ndarray:
    """Return parameter, speed and largest modulus of a family's points, shape (m, 3)."""
    stride = family.curve.mapping
    speeds = [stride.speed(z, p) for z, p in zip(family.z, family.p, strict=True)]
    largest = np.abs(family.multipliers).max(axis=1) if len(speeds) else np.zeros(0)
    return np.stack([family.p, np.array(speeds), largest], axis=1)


def draw(data, figure):
    figure.set_size_inches(4.0 * len(data), 5.5)
    axes = figure.subplots(2, len(data), sharex="col", squeeze=False)
    for column, (name, rows) in zip(axes.T, data.items(), strict=True):
        value, speed, largest = rows.T
        for ax, line in zip(column, (speed, largest), strict=True):
            ax.plot(value, line, ".-", markersize=3)
            ax.axvline(WALK[name], color="0.7", linewidth=0.8)
        column[1].axhline(1.0, color="0.7", linewidth=0.8)
        column[1].set(xlabel=LABELS[name], ylim=(0.0, 1.1))
    axes[0, 0].set_ylabel("speed [m/s]")
    axes[1, 0].set_ylabel("largest multiplier of half a cycle")
