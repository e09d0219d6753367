"""What the figures of the sliding test share: colours, line styles, and panels of measured and predicted curves."""

from __future__ import annotations

import numpy as np

from tarsus.scripts.laboratory.sliding.cases import LAWS, Outcome

COLOURS = {"measured": "tab:red", "viscous": "tab:orange", "coulomb": "tab:blue", "support": "tab:purple"}
LABELS = {"measured": "MuJoCo", "viscous": "viscous-Coulomb", "coulomb": "Coulomb", "support": "spring support"}
BIGANT_LEGS = ("HR", "MR", "FR", "HL", "ML", "FL")  # hind, middle, front; right, left
EVERY = 2  # frames to a point of a curve

# Metres, m/s, rad, shares of weight. A jiggle by rounding before every step of MuJoCo moves poses by 5e-7, as nothing
# holds them, and the rest by 1e-8; another processor moves all by less.
RTOL, ATOL = 1e-5, 5e-4


def curves(outcome: Outcome, prefix: str = "") -> dict[str, np.ndarray]:
    """Return the arrays of an outcome that figures draw, their names with a prefix; forces as shares of the weight."""
    seen, kept = outcome.measured, slice(None, None, EVERY)
    data = {"time": seen.time - seen.time[0], "twist": seen.twist, "pose": seen.pose}
    data |= {"tilt": np.column_stack([seen.roll, seen.pitch]), "force": seen.force / seen.weight}
    for law in LAWS:
        found = outcome.predicted[law]
        data |= {f"{law}_twist": found.twist, f"{law}_pose": found.pose, f"{law}_force": found.force / seen.weight}
    data["support_tilt"] = np.column_stack([found.roll, found.pitch])  # the same under both laws
    return {prefix + name: values[kept] for name, values in data.items()}


def draw_line(axes, x, y, which: str) -> None:
    """Draw one curve, the measured one wide and behind."""
    wide = which == "measured"
    axes.plot(
        x, y, color=COLOURS[which], linewidth=3.0 if wide else 1.1, alpha=0.45 if wide else 1.0, label=LABELS[which]
    )


def draw_quantity(axes, data, name: str, column, scale: float = 1.0, prefix: str = "") -> None:
    """Draw a measured and predicted quantity over time; `column` picks it from the arrays of that name."""
    time = data[prefix + "time"]
    draw_line(axes, time, scale * data[prefix + name][:, *column], "measured")
    for which in ("viscous", "coulomb", "support"):
        key = f"{prefix}{which}_{name}"
        if key in data:
            draw_line(axes, time, scale * data[key][:, *column], which)
    axes.margins(x=0)


def draw_way(axes, data, prefix: str = "") -> None:
    """Draw the way of the body from above, with a mark at its end."""
    for which in ("measured", *LAWS):
        pose = data[prefix + ("" if which == "measured" else which + "_") + "pose"]
        draw_line(axes, pose[:, 0] - pose[0, 0], 1e3 * (pose[:, 1] - pose[0, 1]), which)
        axes.plot(pose[-1, 0] - pose[0, 0], 1e3 * (pose[-1, 1] - pose[0, 1]), "x", color=COLOURS[which])
    axes.set(xlabel="x [m]", ylabel="y [mm]")


def legend_above(figure, *axes) -> None:
    """Put one legend of all that is drawn in these axes above the figure."""
    shown = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(shown.values(), shown, loc="outside upper center", ncols=len(shown), fontsize=8)


def draw_forces(axes, data, component: int) -> None:
    """Draw a force component of BigANT's right feet, of which the left are mirrors, into three axes; in % of weight."""
    for leg, ax in enumerate(axes):
        draw_quantity(ax, data, "force", (leg, component), 100.0)
        ax.set_title(f"{('hind', 'middle', 'front')[leg]} right foot, $F_{'xyz'[component]}$ [% of weight]", fontsize=8)
        ax.tick_params(labelsize=7)
