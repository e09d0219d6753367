"""The gaits of a robot by name: of pairs of legs for multipods, of shafts for BigANT."""

from __future__ import annotations

from tarsus.analytic.spelling import listed

from ..analytic.models.bigant import BigAntParams
from ..analytic.models.multipod import MultipodParams
from . import gaits


def multipod_gait(params: MultipodParams, name: str | None = None, **options):
    """Return a gait of pairs; by default the undulation, and the trot for four legs."""
    name = name or ("pair_trot" if params.n_legs == 4 else "undulation")
    return _gait(name, "pairs", params.n_legs, options)


def bigant_gait(params: BigAntParams, name: str | None = None, **options):
    """Return a gait of shafts; by default the tripod at 0.2 Hz."""
    return _gait(name or "tripod", "shafts", 6, {"cycle_time": 5.0} | options)


def _gait(name: str, drives: str, n_legs: int, options: dict):
    known = [key for key, family in gaits.GAITS.items() if family.drives == drives]
    if name not in known:
        raise ValueError(f"unknown gait {name!r} of this robot; there are {listed(name, known)}")
    try:
        return gaits.make(name, n_legs, **options)
    except TypeError as error:
        raise ValueError(f"the gait {name!r} has no such option: {error}") from None
