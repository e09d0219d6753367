"""Gaits of the hexapod's clock by name; `gaits` has those of shafts and pairs, for any number of legs.

Source: the walk is Table 2's of the SimSect manual; the sprint is what `scripts/search_hexapod.py` found.
"""

from __future__ import annotations

from ..analytic.clock import TripodGait

CLOCK_GAITS = {
    "walk": TripodGait(),
    "run": TripodGait(0.5, 0.3),
    # 1.57 m/s in either engine from rest. One 3 % faster is harder to start (docs/hexapod_orbit.md).
    "sprint": TripodGait(0.310331691253667, 0.22587973649909246, 1.8684179124156806, -0.44670630986996007),
}
