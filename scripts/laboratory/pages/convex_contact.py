"""Walks by Coulomb's law and by the convex one: the tables of docs/convex_contact.md, and its figure.

Usage: tarsus page convex_contact [--results FOLDER] [--write]. Seconds: it reads what `tarsus figure convex_contact
--out FOLDER` wrote.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from tarsus.scripts.command import paths
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.drawing import picture
from tarsus.scripts.laboratory.figures import convex_contact as figure
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import convex_contact as study

PLACE = Place("convex_contact.md")
PACKAGES = ("mujoco", "numpy")
RESULTS = documents.DOCS / "data" / "convex_contact"
PICTURE = "figures/convex_contact.png"


def tables(results: Annotated[Path, paths.folder] = RESULTS) -> Page:
    """Return the tables and the figure.

    Args:
        results: Folder with `convex_contact.npz`, which the figure's command writes.
    """
    with np.load(results / "convex_contact.npz") as stored:
        data = dict(stored)
    return Page(
        _trot(data),
        f"![Progress of a trot over how stiff contact is]({PICTURE})",
        _one_period(data),
        _walks(data),
        files={PICTURE: partial(picture, figure, data)},
    )


def relative(found: np.ndarray, right: np.ndarray, by: np.ndarray | None = None) -> str:
    """Return in percent by how much a progress differs from another, with the standard error.

    Args:
        found: Mean, standard error and scatter.
        right: The same of the other.
        by: Of what the difference is a part; None: of the other.
    """
    size = abs((right if by is None else by)[0])
    values = 100 * (found[0] - right[0]) / size, 100 * np.hypot(found[1], right[1]) / size
    return "{:+.2f} ± {:.2f}".format(*values) if np.isfinite(values).all() else "-"


def _trot(data) -> Table:
    right = data["exact"]
    rows = [["exact", "", f"{1e3 * right[0]:.3f} mm", f"{100 * right[2] / right[0]:.2f}"]]
    for name, key, size in (
        ("Moreau's time stepping, step", "rigid", "step"),
        ("MuJoCo, time constant", "mujoco", "time"),
    ):
        for x, found in zip(data[size], data[key], strict=True):
            rows.append([name, f"{1e3 * x:g}", relative(found, right), f"{100 * found[2] / right[0]:.2f}"])
    head = ("", "[ms]", "a period: exact, and the others minus it [%]", "scatter of a period [%]")
    return Table(head, rows, f"### The trot, {study.PERIODS} periods")


def _one_period(data) -> Table:
    ways = ("mujoco", "soft_convex", "soft_coulomb")
    rows = []
    for k, time in enumerate(data["one_time"]):
        found = [data[f"one_{way}"][k] for way in ways]
        rows.append([f"{1e3 * time:g}", *(f"{100 * x:+.2f} ({1e3 * rms:.2f})" for x, rms in found)])
    head = ("time constant [ms]", "MuJoCo", "soft, convex", "soft, Coulomb")
    return Table(
        head, rows, "### One period from the exact state: progress, minus exact [%] (positions, rms [mm, mrad])"
    )


def _walks(data) -> Table:
    rows = []
    for k, name in enumerate(study.WALKERS):
        right, convex, coulomb, stiff, preset = (
            data[f"walks_{way}"][k] for way in ("exact", "rigid_convex", "rigid_coulomb", "mujoco", "preset")
        )
        size = f"{1e3 * right[0]:.2f} mm"
        law = relative(convex, coulomb, right)
        rows.append([name, size, relative(coulomb, right), law, relative(stiff, right), relative(preset, right)])
    steps, stiff = f"steps of {1e3 * figure.STEP:g} ms", f"MuJoCo, {1e3 * figure.STIFF:g} ms, minus exact"
    head = ("walk", "a period, exact", f"Moreau's {steps} minus exact", "Anitescu's minus Moreau's", stiff,
            "`reference` minus exact")  # fmt: skip
    return Table(head, rows, "### Walks, progress [%]")
