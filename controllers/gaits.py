"""All gaits by name. A gait is an object with `gait(t) -> (angles, rates)`, `n_legs`, `period` and `stance(t)`.

Gaits of shafts (`shaft_gaits`) return one angle per leg, gaits of pairs (`pair_gaits`) yaw and roll of each pair. Both
are independent of a simulator. Numbers of legs that a gait does not support are refused with the reason.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..analytic.models.bigant import BigAntParams
from ..analytic.models.multipod import MultipodParams
from ..analytic.spelling import check_name, listed
from . import pair_gaits, shaft_gaits


@dataclass(frozen=True)
class GaitFamily:
    """A named gait: what makes it for a number of legs, what it drives, and the stance that it is meant to have."""

    make: Callable  # make(n_legs, **options) -> gait
    drives: str  # "shafts": an angle per leg; "pairs": yaw and roll per pair
    on_ground: int  # feet meant to be on the ground at any time, at least, for the smallest robot that can do it
    fewest_legs: int
    most_legs: int | None = None  # None: any number


GAITS = {
    "tripod": GaitFamily(shaft_gaits.tripod, "shafts", 3, 6),
    "metachronal": GaitFamily(shaft_gaits.metachronal, "shafts", 4, 6),
    "wave": GaitFamily(shaft_gaits.wave, "shafts", 3, 4),
    "ripple": GaitFamily(shaft_gaits.ripple, "shafts", 4, 6),
    "trot": GaitFamily(shaft_gaits.trot, "shafts", 2, 4, 4),
    "undulation": GaitFamily(pair_gaits.undulation, "pairs", 3, 6),
    "pair_tripod": GaitFamily(pair_gaits.pair_tripod, "pairs", 3, 6),
    "pair_wave": GaitFamily(pair_gaits.pair_wave, "pairs", 3, 6),
    "pair_ripple": GaitFamily(pair_gaits.pair_ripple, "pairs", 3, 6),
    "pair_trot": GaitFamily(pair_gaits.pair_trot, "pairs", 2, 4, 4),
}


def names(drives: str, n_legs: int) -> tuple[str, ...]:
    """Return the names of the gaits of "shafts" or "pairs" for so many legs."""
    return tuple(
        name
        for name, family in GAITS.items()
        if family.drives == drives and family.fewest_legs <= n_legs <= (family.most_legs or n_legs)
    )


def make(name: str, n_legs: int, **options):
    """Return the gait of that name for so many legs.

    Raises:
        ValueError: If no gait has that name, or it does not support so many legs.
    """
    check_name("gait", name, GAITS)
    return GAITS[name].make(n_legs, **options)


def multipod_gait(params: MultipodParams, name: str | None = None, **options):
    """Return a gait of pairs; by default the undulation, and the trot for four legs."""
    name = name or ("pair_trot" if params.n_legs == 4 else "undulation")
    return _gait(name, "pairs", params.n_legs, options)


def bigant_gait(params: BigAntParams, name: str | None = None, **options):
    """Return a gait of shafts; by default the tripod at 0.2 Hz."""
    return _gait(name or "tripod", "shafts", 6, {"cycle_time": 5.0} | options)


def _gait(name: str, drives: str, n_legs: int, options: dict):
    known = [key for key, family in GAITS.items() if family.drives == drives]
    if name not in known:
        raise ValueError(f"unknown gait {name!r} of this robot; there are {listed(name, known)}")
    try:
        return make(name, n_legs, **options)
    except TypeError as error:
        raise ValueError(f"the gait {name!r} has no such option: {error}") from None
