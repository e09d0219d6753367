"""A ball that bounces infinitely often in 1.3546 s: its bounces, the predicted limit, and the rest after it.

Runtime: about 1 s.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import bouncing_ball

# Errors near rounding are compared as numbers below this.
ATOL = 1e-12


def compute() -> dict[str, np.ndarray]:
    """Return the trajectory, the impacts and the error of the limit predicted after each (h = 1, e = 0.5, g = 9.81)."""
    sim = hy.compile(bouncing_ball.build(), mode="python")
    r = sim.run(final_time=1.6, record_period=0.002)
    impacts = r.events.t[r.events.of("impact")]
    exact = bouncing_ball.rest_time(1.0, r.p)
    gap = np.diff(impacts)
    ratio = gap[1:] / gap[:-1]
    predicted = impacts[2:] + gap[1:] * ratio / (1.0 - ratio)
    limit = r.events.t[r.events.kind == "accumulation"]
    return {
        "t": r.t,
        "height": r.x[:, 0],
        "impact": impacts,
        "exact_impact": bouncing_ball.impact_times(1.0, r.p, impacts.size),
        "left": exact - impacts,
        "prediction_error": np.abs(predicted - exact),
        "limit": limit,
        "exact_limit": np.array([exact]),
    }


def draw(data, figure):
    figure.set_size_inches(10, 4)
    axes = figure.subplots(1, 2)
    axes[0].plot(data["t"], data["height"], linewidth=1)
    axes[0].plot(data["impact"], np.zeros(data["impact"].size), "v", markersize=4, label="impacts")
    axes[0].axvline(data["limit"][0], color="C3", linestyle="--", label=f"limit, t = {data['limit'][0]:.7f} s")
    axes[0].set(xlabel="t [s]", ylabel="height [m]", title=f"{data['impact'].size} impacts computed, then rest")
    axes[0].legend()
    n = np.arange(1, data["impact"].size + 1)
    axes[1].semilogy(n, data["left"], "v", label="time left to the limit [s]")
    axes[1].semilogy(
        n, np.abs(data["impact"] - data["exact_impact"]) + 1e-17, "o", mfc="none", label="error of the impact time [s]"
    )
    axes[1].semilogy(n[2:], data["prediction_error"] + 1e-17, "+", label="error of the limit predicted there [s]")
    axes[1].set(xlabel="impact", title="Errors (+ 1e-17, to be seen on this scale)")
    axes[1].legend(fontsize=8)
