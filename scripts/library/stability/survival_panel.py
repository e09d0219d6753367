"""The picture of what pushes are survived, over direction and size, seen from above with forward upward."""

from collections.abc import Iterator, Sequence

import numpy as np

from tarsus.scripts.library.stability.margins import Margin
from tarsus.scripts.library.stability.survival import Island, Threshold

HALF_WIDTH = 22.5  # of a sector [deg]
BEYOND = 1.5  # of the largest upper end of a threshold: how far sizes are shown
CIRCLES = 4  # of sizes, about


def draw(axes, margins: Sequence[Margin]) -> None:
    """Draw a sector for each direction of pushes: colour is the share that survives, lines are threshold and interval.

    Islands of survival above the threshold have a dotted border; margins without an angle are left out.
    """
    from matplotlib import colormaps
    from matplotlib.patches import Wedge

    pushes = [one for one in margins if one.threshold is not None and one.angle is not None]
    axes.set(title="pushes survived", aspect="equal", xticks=[], yticks=[])
    axes.set_axis_off()
    if not pushes:
        axes.text(0.5, 0.5, "no pushes were tried", ha="center", va="center", transform=axes.transAxes)
        return
    most = _shown(pushes)
    colours = colormaps["RdYlBu"]  # red falls, told from blue by all eyes

    def sector(first: float, last: float, angle: float, **style) -> None:
        axes.add_patch(Wedge((0.0, 0.0), last, angle - HALF_WIDTH, angle + HALF_WIDTH, width=last - first, **style))

    for one in pushes:
        found, angle = one.threshold, 90.0 + np.degrees(one.angle)
        for first, last, share in rings(found, most):
            sector(first, last, angle, color=colours(share), lw=0.3)
        for island in found.islands:
            first, last = _edges(found, island, most)
            if last > first:
                sector(first, last, angle, fill=False, ec="k", lw=1.0, ls=":")
        for size, style in ((found.low, "--"), (found.value, "-"), (found.high, "--")):
            if size is not None and 0.0 < size <= most:
                at = np.radians(np.linspace(angle - HALF_WIDTH, angle + HALF_WIDTH, 20))
                axes.plot(size * np.cos(at), size * np.sin(at), color="k", lw=1.6 if style == "-" else 0.9, ls=style)
    _scale(axes, most)


def _shown(pushes: Sequence[Margin]) -> float:
    """Return the largest size that is shown [m/s]: some way beyond the largest threshold, if so much was tried."""
    ends = [one.threshold.high or one.threshold.bound for one in pushes]
    return min(BEYOND * max(ends), max(one.threshold.bound for one in pushes))


def rings(found: Threshold, most: float) -> Iterator[tuple[float, float, float]]:
    """Yield each size's ring, from and to the middles between sizes, and the share of those tried that survived."""
    sizes = np.array(found.sizes)
    edges = np.concatenate([[0.0], 0.5 * (sizes[1:] + sizes[:-1]), [sizes[-1]]])
    for k, (survived, tried) in enumerate(zip(found.survived, found.tried, strict=True)):
        if edges[k] < most:
            yield float(edges[k]), float(min(edges[k + 1], most)), survived / tried


def _edges(found: Threshold, island: Island, most: float) -> tuple[float, float]:
    """Return the ends of an island's rings, as far as they are shown."""
    inside = [ring for ring, size in zip(rings(found, np.inf), found.sizes, strict=True)
              if island.first <= size <= island.last]  # fmt: skip
    return min(inside[0][0], most), min(inside[-1][1], most)


def _scale(axes, most: float) -> None:
    """Draw circles of round sizes, and names of the directions."""
    from matplotlib.patches import Circle
    from matplotlib.ticker import MaxNLocator

    for size in MaxNLocator(CIRCLES).tick_values(0.0, most):
        if 0.0 < size <= most:
            axes.add_patch(Circle((0.0, 0.0), size, fill=False, ec="0.35", lw=0.4))
            axes.text(*(size * np.array([np.sin(HALF_WIDTH * np.pi / 180), np.cos(HALF_WIDTH * np.pi / 180)])),
                      f"{size:g} m/s", fontsize=7, ha="center", va="center",
                      bbox={"fc": "w", "ec": "none", "alpha": 0.7, "pad": 0.6})  # fmt: skip
    for name, x, y in (("forward", 0, 1), ("left", -1, 0), ("backward", 0, -1), ("right", 1, 0)):
        turn = 90 if x else 0
        axes.text(1.07 * most * x, 1.07 * most * y, name, ha="center", va="center", rotation=turn, fontsize=8)
    axes.set(xlim=(-1.15 * most, 1.15 * most), ylim=(-1.15 * most, 1.15 * most))
