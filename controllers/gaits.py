"""Gaits with a name, for the clock.

Source: the walk is Table 2's of the SimSect manual; the sprint is what `scripts/optimise_hexapod.py` found.
"""

from __future__ import annotations

from ..analytic.clock import TripodGait

GAITS = {
    "walk": TripodGait(),
    "run": TripodGait(0.5, 0.3),
    # The fastest stable one of 432: 1.57 m/s in either engine (docs/hexapod_orbit.md).
    "sprint": TripodGait(0.3103, 0.2259, 1.8684, -0.4467),
}
