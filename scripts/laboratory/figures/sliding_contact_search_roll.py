"""The search for the feet in contact when a six-legged body pitches and rolls: the paper's path, step by step.

After figure 15 of Wu, Zhao and Revzen (arXiv:2310.20669), with its rule for the next contact corrected
(docs/reproduction.md).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.contact import support
from tarsus.scripts.laboratory.figures.sliding_contact_search import paper_path

STIFFNESS, WEIGHT = 20.0, 1.0  # [N/m], [N]
ANGLES = np.pi / 6 + np.arange(6) * np.pi / 3
FEET_Z = np.array([-0.095, -0.067, -0.070, -0.093, -0.090, -0.077])  # [m]; chosen for a search of four steps
FEET = np.column_stack([0.2 * np.cos(ANGLES), 0.15 * np.sin(ANGLES), FEET_Z])


def compute() -> dict[str, np.ndarray]:
    """Return the states visited (height, pitch, roll), the feet in contact after each, and the solver's answer."""
    path, contacts = paper_path(FEET, STIFFNESS, WEIGHT)
    found = support(FEET, STIFFNESS, WEIGHT)
    solution = np.array([found.height, found.pitch, found.roll])
    return {"path": path, "contacts": contacts.astype(float), "solution": solution, "load": found.load}


def draw(data, figure):
    """Draw the path with the planes it stops at, and the feet in contact at each state."""
    path, contacts = data["path"], data["contacts"] > 0
    figure.set_size_inches(11, 5.2)
    left, right = figure.subfigures(1, 2, width_ratios=(1.25, 1))
    space = left.add_subplot(projection="3d")
    _search_space(space, path, contacts)
    space.plot(*(1e3 * data["solution"][[1, 2, 0]]), "r*", ms=14)
    for k, axis in enumerate(right.subplots(2, 2, sharex=True, sharey=True).ravel()):
        changes = np.flatnonzero(contacts[k] != contacts[k + 1]) if k + 1 < len(contacts) else []
        axis.axhline(0, color="0.9", zorder=0)
        axis.axvline(0, color="0.9", zorder=0)
        for foot, (x, y, _) in enumerate(FEET):
            face = f"C{foot}" if contacts[k, foot] else "white"
            axis.plot(y, x, "o", mec=f"C{foot}", mfc=face, ms=10, mew=1.5)
        for foot in changes:
            axis.plot(FEET[foot, 1], FEET[foot, 0], "o", mec="k", mfc="none", ms=19)
        axis.set(title=f"from {k}", aspect="equal", xlim=(0.22, -0.22), ylim=(-0.26, 0.26))
    right.supxlabel("y [m]", fontsize=10)
    right.supylabel("x, forward [m]", fontsize=10)
    right.suptitle("filled: in contact; circled: changes next", fontsize=10)


def _search_space(axis, path: np.ndarray, contacts: np.ndarray) -> None:
    """Draw the path in the space of pitch, roll and height, and where the feet that change touch the ground."""
    low, high = path[:, 0].min() - 3e-4, path[:, 0].max() + 3e-4
    pitch, roll = np.meshgrid(*(np.linspace(path[:, i].min(), path[:, i].max(), 150) for i in (1, 2)))
    for foot in np.flatnonzero((contacts[1:] != contacts[:-1]).any(axis=0)):
        x, y, z = FEET[foot]
        height = pitch * x - roll * y - z
        height[(height < low) | (height > high)] = np.nan
        look = dict(color=f"C{foot}", alpha=0.25, shade=False, rcount=150, ccount=150)
        axis.plot_surface(1e3 * pitch, 1e3 * roll, 1e3 * height, **look)
    axis.plot(1e3 * path[:, 1], 1e3 * path[:, 2], 1e3 * path[:, 0], "ks--", ms=4)
    for k, (height, pitch_k, roll_k) in enumerate(1e3 * path):
        axis.text(pitch_k, roll_k, height + 0.12, str(k))
    axis.set(xlabel="pitch [mrad]", ylabel="roll [mrad]", zlabel="height [mm]", zlim=(1e3 * low, 1e3 * high))
    axis.view_init(elev=22, azim=-60)
    axis.set_box_aspect(None, zoom=0.88)
