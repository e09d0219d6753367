"""The simplest walker's gaits over the slope: long, short, and the long one's period doublings up to period 8.

Runtime: about 3 s, and 10 s to compile the model the first time.

Garcia, Chatterjee, Ruina & Coleman, The simplest walking model, J. Biomechanical Engineering 120 (1998).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import families
from tarsus.analytic.hybrid.bifurcations import BifurcationKind
from tarsus.analytic.models import simplest_walker

BOUNDS = (0.001, 0.0185)
N_SLOPES = 36
SHARES = np.linspace(0.05, 1.0, 20)  # of the range of a doubled gait, up to its own doubling
ENDS_AT = 0.01828  # the last gait's range, of period eight; the next doubling is at .018287
# Cycles near their birth grow as the square root of the slope: they move a hundred times more than what they grow from.
RTOL, ATOL = 1e-6, 1e-7


def stride_map():
    """Return the map of a step, `(z, slope) -> z'`."""
    sim = hy.compile(simplest_walker.build())
    settings = {"chart": "swing", "rtol": 1e-12, "atol": 1e-14, "final_time": 20.0}
    return families.section_map(
        sim, "heelstrike", lambda z, p: simplest_walker.lift(z), simplest_walker.project, "slope", **settings
    )


def at_slopes(family: families.Family, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the stance angles of the cycles (m, period), and the largest modulus of a multiplier (m,)."""
    angles, largest = [], []
    for slope in slopes:
        z, multipliers = family.at(slope)
        angles.append(family.cycle(z[0], slope)[:, 0])
        largest.append(np.abs(multipliers[0]).max())
    return np.array(angles), np.array(largest)


def compute() -> dict[str, np.ndarray]:
    """Return stance angles and multipliers over slopes, and the slopes of the doublings."""
    stride = stride_map()
    slopes = np.linspace(*BOUNDS, N_SLOPES)
    data = {"slope": slopes}
    for name, z in (("long", simplest_walker.LONG), ("short", simplest_walker.SHORT)):
        first = families.follow(stride, z, 0.009, bounds=BOUNDS, direction=-1)
        family = families.follow(stride, first.z[-1], BOUNDS[0], bounds=BOUNDS)
        # From the first slope inside: there the family passes a value, on the bound it only begins.
        angles, largest = at_slopes(family, slopes[1:])
        data[f"{name}_angle"], data[f"{name}_multiplier"] = angles[:, 0], largest
    cascade = families.cascade(stride, simplest_walker.LONG, 0.009, 3, bounds=BOUNDS, step=2e-3)
    doublings = [next(b.p for b in one.bifurcations if b.kind is BifurcationKind.PERIOD_DOUBLING) for one in cascade]
    data["doublings"] = np.array(doublings)
    for family, begin, end in zip(cascade[1:], doublings[:-1], [*doublings[1:3], ENDS_AT], strict=True):
        data[f"slope_{family.period}"] = begin + SHARES * (end - begin)
        angles, _ = at_slopes(family, data[f"slope_{family.period}"])
        data[f"angle_{family.period}"] = np.sort(angles, axis=1)  # a cycle has no first point
    return data


def draw(data, figure):
    figure.set_size_inches(13, 4.5)
    axes = figure.subplots(1, 3)
    slope = 1e3 * data["slope"][1:]
    for name, color in (("long", "C0"), ("short", "C1")):
        angle, stable = data[f"{name}_angle"], data[f"{name}_multiplier"] < 1.0
        axes[0].plot(slope, angle, color, linewidth=0.8, linestyle="--", label=name)
        if stable.any():
            axes[0].plot(slope, np.where(stable, angle, np.nan), color, linewidth=2.5, label=f"{name}, stable")
        axes[1].plot(slope, data[f"{name}_multiplier"], color, label=name)
    axes[1].axhline(1.0, color="0.7", linewidth=0.8)
    for i, period in enumerate((2, 4, 8)):
        for ax, color in ((axes[0], "0.3"), (axes[2], f"C{i + 2}")):
            lines = ax.plot(1e3 * data[f"slope_{period}"], data[f"angle_{period}"], color, linewidth=1.2)
        lines[0].set_label(f"period {period}")
    late = slope > 14.5
    axes[2].plot(slope[late], data["long_angle"][late], "C0--", linewidth=0.8)
    for doubling in data["doublings"]:
        axes[2].axvline(1e3 * doubling, color="0.8", linewidth=0.8, zorder=0)
    axes[0].set(ylabel="stance angle [rad]", title="Gaits")
    axes[1].set(ylabel="largest modulus", title="Multipliers", ylim=(0.0, 6.0))
    axes[2].set(ylabel="stance angle [rad]", title="Period doublings")
    for ax in axes:
        ax.set_xlabel("slope [mrad]")
        ax.legend()
