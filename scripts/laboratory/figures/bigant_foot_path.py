"""BigANT's four-bar leg: the foot's path, and its height and speed over one turn of the shaft.

Runtime: a second.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.models.bigant import BigAntParams, foot_path_rate, linkage

LEVEL = 0.7  # shaft angle either side of mid-stance over which the path is level [rad]
SHOWN = np.deg2rad([-40.0, 0.0, 40.0, 180.0])  # shaft angles at which the linkage is drawn [rad]


def compute() -> dict[str, np.ndarray]:
    """Return the path of the foot and of the pins over a turn, and its rate."""
    params = BigAntParams()
    shaft = np.linspace(-np.pi, np.pi, 361)
    at = linkage(params, shaft)
    return {
        "shaft": shaft,
        "crank_pin": at.crank_pin,
        "rocker_pin": at.rocker_pin,
        "foot": at.foot,
        "rate": foot_path_rate(params, shaft),
        "pivot": np.array([params.pivot_x, params.pivot_z]),
    }


def draw(data, figure):
    """Draw the linkage at a few angles with the foot's path; beside it height and speed over a turn."""
    figure.set_size_inches(10, 4.6)
    left, right = figure.subplots(1, 2)
    millimetres = {name: 1e3 * data[name] for name in ("crank_pin", "rocker_pin", "foot", "pivot")}
    foot, pivot, shaft = millimetres["foot"], millimetres["pivot"], data["shaft"]
    stance = np.abs(shaft) <= LEVEL
    left.plot(*foot.T, color="C0", lw=1, label="path of the foot")
    left.plot(*foot[stance].T, color="C3", lw=3, label=f"shaft within {np.rad2deg(LEVEL):.0f} degrees of mid-stance")
    for angle in SHOWN:
        k = np.argmin(np.abs(shaft - angle))
        crank, rocker = millimetres["crank_pin"][k], millimetres["rocker_pin"][k]
        shade = {"color": "0.2" if angle == 0.0 else "0.75", "lw": 1.5 if angle == 0.0 else 1.0}
        left.plot(*np.array([(0, 0), crank, rocker, pivot]).T, "o-", ms=3, **shade)
        left.plot(*np.array([crank, foot[k], rocker]).T, **shade)
    left.plot(0, 0, "ko")
    left.plot(*pivot, "ks")
    left.annotate("shaft", (0, 0), (-7, 8), textcoords="offset points", ha="right")
    left.annotate("pivot", pivot, (7, 4), textcoords="offset points")
    left.margins(0.08)
    left.set(xlabel="forward of the shaft [mm]", ylabel="above the shaft [mm]", aspect="equal")
    left.legend(frameon=False, loc="upper left", bbox_to_anchor=(-0.02, 1.14), fontsize=9)
    degrees = np.rad2deg(shaft)
    right.axvspan(-np.rad2deg(LEVEL), np.rad2deg(LEVEL), color="C3", alpha=0.12, lw=0)
    right.plot(degrees, foot[:, 1] - foot[:, 1].min(), label="height above the lowest point [mm]")
    right.plot(degrees, 1e3 * data["rate"][:, 0], label="forward per radian of the shaft [mm/rad]")
    right.axhline(0.0, color="0.6", lw=0.8)
    right.set(xlabel="shaft angle from mid-stance [degrees]", xticks=range(-180, 181, 60))
    right.legend(frameon=False, fontsize=9)
