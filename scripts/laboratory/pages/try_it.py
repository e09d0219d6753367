"""The numbers behind docs/try_it.md, which a browser shows: `docs/static/try_it/data.js`.

Usage: tarsus page try_it [--write]. Runtime: five minutes, most of it strides of the spring-mass runner.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from tqdm import tqdm

from tarsus import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.scripts.laboratory.frame import Page, Place
from tarsus.scripts.laboratory.try_it import feet, robots, runner

PLACE = Place("try_it.md", "stored")
FILES = ("static/try_it/data.js",)
PACKAGES = ("tarsus", "mujoco", "numpy", "numba")
FALLS = 65535  # in a stored map


def packed(array: np.ndarray, kind: type) -> str:
    """Return an array as text of its little-endian bytes."""
    return base64.b64encode(np.ascontiguousarray(array, np.dtype(kind).newbyteorder("<")).tobytes()).decode()


def stored_runner(axes: Mapping[str, np.ndarray], sim: hy.Simulator) -> dict[str, Any]:
    """Return the runner's maps, the strides that runs last, and the orbits of every point of a grid."""
    points = runner.grid(axes)
    images, lasted = runner.maps(sim, points)
    found = [
        list(runner.orbits(sim, point, image))
        for point, image in zip(tqdm(points, desc="orbits", unit="point"), images, strict=True)
    ]
    every = [orbit for of_point in found for orbit in of_point]
    low, high = np.array([runner.ends(angle, speed) for _, angle, speed in points]).T
    rows = [[o["height"], o["multiplier"], o["period"], o["foot"], *o["stance"], o["path"][-1, 0]] for o in every]
    return {
        "axes": {name: values.tolist() for name, values in axes.items()},
        "heights": runner.HEIGHTS,
        "strides": runner.STRIDES,
        "shown": runner.SHOWN,
        "low": packed(low, np.float32),
        "high": packed(high, np.float32),
        "maps": packed(np.where(np.isfinite(images), np.rint(images / high[:, None] * (FALLS - 1)), FALLS), np.uint16),
        "lasted": packed(lasted, np.uint8),
        "first": packed(np.cumsum([0, *map(len, found)]), np.uint16),
        "orbits": packed(np.array(rows), np.float32),
        "paths": packed(np.rint(1e3 * np.array([o["path"] for o in every])), np.int16),
    }


def stored() -> dict[str, Any]:
    """Return all that the page shows."""
    walks = robots.walks()
    return {
        "runner": stored_runner(runner.AXES, hy.compile(slip.build("fixed", runner.RUNNER))),
        "feet": {
            "axes": {name: values.round(12).tolist() for name, values in feet.AXES.items()},
            "places": feet.PLACES.tolist(),
            "table": packed(feet.table(), np.float32),
        },
        "robots": {
            "begin": robots.BEGIN,
            "fps": robots.FPS,
            "shape": walks.shape,
            "edges": packed(np.rint(1e3 * walks), np.int16),
        },
    }


def script(data: Mapping[str, Any]) -> str:
    """Return stored results as a script: a page that is opened from a disk may load one, and no other file."""
    return f"(globalThis.tryIt ??= {{}}).data = {json.dumps(data)};\n"


def tables() -> Page:
    """Return the sentences about the numbers, and their file."""
    points, states = len(runner.grid(runner.AXES)), len(feet.grid(feet.AXES))
    told = f"Stored are {points:,} runners with {runner.HEIGHTS} heights each, and {states:,} states of sliding feet."
    return Page(told, files={FILES[0]: lambda: script(stored())})
