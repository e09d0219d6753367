"""Every number of every machine, motor, terrain and preset is a finite number, or refused by its name."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from tarsus.analytic.battery import Battery
from tarsus.analytic.finite import check_finite
from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.analytic.motor import Motor
from tarsus.analytic.terrain import TERRAINS
from tarsus.mjcf import hopping_leg, presets, slip_leg

MACHINES = [HexapodParams(), HoppingLegParams(), SlipLegParams(), MultipodParams(), BigAntParams(), Motor(), Battery()]
SETTINGS = [preset for module in (presets, hopping_leg, slip_leg) for preset in module.PRESETS.values()]
OWNERS = [*MACHINES, *(terrain() for terrain in TERRAINS.values()), *SETTINGS]


def spoilt(value, wrong):
    """Return the value with its first number wrong."""
    if np.ndim(value) == 0:
        return wrong
    flat = np.array(value, object).ravel()
    flat[0] = wrong
    return flat.reshape(np.shape(value))


@pytest.mark.parametrize("owner", OWNERS, ids=lambda owner: type(owner).__name__)
def test_what_is_not_a_finite_number_is_refused_by_its_name(owner):
    for entry in fields(owner):
        value = getattr(owner, entry.name)
        if np.asarray(value).dtype.kind not in "if":
            continue
        for wrong in (np.nan, np.inf, -np.inf, None, "word", 1j):
            with pytest.raises(ValueError, match=entry.name):
                replace(owner, **{entry.name: wrong})
        with pytest.raises((ValueError, TypeError), match=entry.name):
            replace(owner, **{entry.name: spoilt(value, np.nan)})


def test_numbers_of_any_kind_and_words_pass_and_rows_of_different_lengths_do_not():
    @dataclass
    class Owner:
        number: float = np.float32(1.0)
        count: int = 3
        array: np.ndarray = ((1, 2), (3, 4))
        word: str = "nan"

    check_finite(Owner())
    check_finite(Owner(number=np.ones((3, 1))))  # the motors of several machines
    with pytest.raises(ValueError, match=r"array of Owner must be finite, got \(\(1, 2\), \(3,\)\)"):
        check_finite(Owner(array=((1, 2), (3,))))


def test_a_number_is_known_by_the_text_of_a_postponed_annotation():
    @dataclass
    class Own:
        height: "float" = 0.1

    check_finite(Own())
    with pytest.raises(ValueError, match="height of Own must be finite, got 'tall'"):
        check_finite(Own("tall"))
