"""The picture of `benchmark_contact.py`: what threads and prefix sums gain.

After figure 8b of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

LAWS = {"viscous": "viscous", "coulomb": "Coulomb to 1e-6"}
METHODS = {"sequential": "one after the other", "scan": "prefix sums in NumPy", "blocks": "blocks on all threads"}


def threads(batches, overhead: dict[str, np.ndarray], paths, per_step: dict[str, np.ndarray], count: int) -> Figure:
    """Draw the overhead of so many threads by batch size, and the time of a step of integration by path length (8b)."""
    figure = Figure((10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, values in overhead.items():
        left.semilogx(batches, values, "o-", label=f"hexapod, {LAWS[name]}")
    left.axhline(1.0, color="0.6", lw=1, zorder=0)
    left.axhline(count, color="0.6", lw=1, ls="--", zorder=0)
    left.text(batches[0], 0.96, "no overhead", color="0.4", va="top")
    left.text(batches[-1], 1.02 * count, "as slow as one thread", color="0.4", va="bottom", ha="right")
    left.set(xlabel="frames in a batch", ylabel=f"{count} x time on {count} threads / time on one",
             title="Threads over frames", ylim=(0, None))  # fmt: skip
    for name, values in per_step.items():
        right.loglog(paths, values, "o-", label=METHODS[name])
    right.set(xlabel="steps of the path", ylabel="time per step [ns]", title="Integration of the body's path")
    for axes in (left, right):
        axes.legend(frameon=False)
    return figure
