"""The clock's profiles: hip angle and rate of both tripods, as the documents draw them and negated.

After figure 8 of the SimSect manual and figure 5 of the hexapod report.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.clock import TripodGait, wrap

LEGS = {"tripod A (legs 0, 2, 4)": 0, "tripod B (legs 1, 3, 5)": 1}


def compute() -> dict[str, np.ndarray]:
    """Return time [s], angles [rad] and rates [rad/s] of a leg of each tripod, and the kinks [s], default gait."""
    time = np.linspace(-0.5, 1.0, 1501)
    made = {"time": time, "kinks": TripodGait().clock().kinks(-0.5, 1.0)}
    for heading in ("forward", "backward"):
        angle, rate = TripodGait(heading=heading).clock()(time)
        legs = list(LEGS.values())
        made |= {f"{heading}_angle": wrap(angle[:, legs]), f"{heading}_rate": rate[:, legs]}
    return made


def draw(data, figure):
    """Draw angles above rates; documents' rising profile (backward) left, the one that walks forward right."""
    figure.set_size_inches(10, 5.6)
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    titles = {"backward": "as drawn: rises, walks backward", "forward": "negated: walks forward"}
    gait = TripodGait()
    for column, (heading, title) in zip(axes.T, titles.items(), strict=True):
        for k, label in enumerate(LEGS):
            angle = data[f"{heading}_angle"][:, k]
            breaks = np.where(np.abs(np.diff(angle, append=angle[-1])) > np.pi, np.nan, angle)
            column[0].plot(data["time"], breaks, label=label)
            column[1].plot(data["time"], data[f"{heading}_rate"][:, k])
        for axis in column:
            for kink in data["kinks"]:
                axis.axvline(kink, color="0.85", lw=0.8, zorder=0)
        for angle in (-0.5, 0.5):
            column[0].axhline(angle * gait.sweep_angle, color="0.6", lw=0.8, ls=":")
        column[0].set(title=title)
        column[1].set(xlabel="t [s]", xlim=(-0.5, 1.0))
    axes[0, 0].set(ylabel="hip angle [rad]")
    axes[1, 0].set(ylabel="hip speed [rad/s]")
    words = f"t_c = {gait.cycle_time:g} s, t_s = {gait.slow_time:g} s; dotted: half of phi_s = {gait.sweep_angle:g} rad"
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, title=words, fontsize=9)
