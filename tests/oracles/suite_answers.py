"""The numbers that a case of the contact suite asks for, from a motion that is known at all times.

`signal(measurement)` gives a quantity as a function of time; `breaks` are the times at which it may jump or bend.
"""

import numpy as np
from scipy.optimize import brentq

CHECKS = {  # of statics and sliding, by which of the tests beside
    "planar": (
        "slope_sticks",
        "slope_slides",
        "slope_creep",
        "box_tips",
        "ladder_holds",
        "ladder_slips",
        "stack_of_three",
        "heavy_on_light",
        "block_stops",
        "push_breaks_away",
        "sphere_rolls",
        "hoop_and_disc",
        "belt_reverses",
        "two_blocks",
        "sledge_slides_on",
    ),
    "spatial": ("cone_or_pyramid", "anisotropic", "spinning_tripod", "off_centre_push", "spinning_spheres"),
    "four feet": ("four_feet_rigid", "four_feet_springy"),
}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def answer(signal, measurement, breaks):
    """Return what a measurement makes of a signal."""
    if "at" in measurement:
        return signal(measurement["at"])
    if "change" in measurement:
        first, last = measurement["change"]
        return signal(last) - signal(first)
    if "mean" in measurement:
        return mean(signal, measurement["mean"], breaks)
    if "crossing" in measurement:
        return crossing(signal, measurement["crossing"], breaks)
    name = "greatest" if "greatest" in measurement else "least"
    first, last = measurement[name]
    values = [signal(t) for t in np.linspace(first, last, 200)]
    return max(values) if name == "greatest" else min(values)


def mean(signal, window, breaks):
    first, last = window
    ends = [first, *(t for t in breaks if first < t < last), last]
    total = 0.0
    for a, b in zip(ends[:-1], ends[1:], strict=True):
        times = (a + b) / 2 + (b - a) / 2 * NODES
        total += (b - a) / 2 * (WEIGHTS @ [signal(t) for t in times])
    return total / (last - first)


def crossing(signal, wanted, breaks):
    """Return when a signal crosses a level for the n-th time; jumps at breaks are crossings too."""
    sign = {"up": 1, "down": -1}[wanted["direction"]]

    def above(t):
        return sign * (signal(t) - wanted["level"])

    start, end = wanted["after"], max(breaks)
    times = np.unique([*np.linspace(start, end, 400), *(t for t in breaks if start < t < end)])
    values = [above(t) for t in times]
    found = [k for k in range(len(times) - 1) if values[k] < 0 <= values[k + 1]]
    k = found[wanted["count"] - 1]
    return brentq(above, times[k], times[k + 1], xtol=1e-13)
