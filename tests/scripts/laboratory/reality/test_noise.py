"""What the tracking's noise makes of a toss."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.scripts.laboratory.reality import noise, rotations
from tarsus.scripts.library.reality import cube, tosses
from tarsus.scripts.library.reality.tosses import CORRECTED, HALF_WIDTH, PUBLISHED, RATE


def test_a_shaken_start_is_off_by_the_noise_of_its_fit():
    rng = np.random.default_rng(1)
    for toss, place, slope in (
        (replace(tosses.read(CORRECTED)[0], seen=16), 0.5, RATE * np.sqrt(12 / 16**3)),
        (tosses.read(PUBLISHED)[0], 1.0, RATE * np.sqrt(2)),
    ):
        off = np.array([noise.shaken(toss, rng).start - toss.start for _ in range(2000)])
        assert off[:, :3].std(0) == pytest.approx(place * noise.NOISE, rel=0.1)
        assert off[:, 7:10].std(0) == pytest.approx(slope * noise.NOISE, rel=0.1)
        assert off[:, 10:].std(0) == pytest.approx(np.full(3, slope * noise.TURN_NOISE), rel=0.1)
        turns = [rotations.angle_between(toss.start[3:7], toss.start[3:7] + one) for one in off[:, 3:7]]
        assert np.sqrt(np.mean(np.square(turns))) == pytest.approx(np.sqrt(3) * place * noise.TURN_NOISE, rel=0.1)


def test_the_floor_is_what_noise_of_the_start_comes_to():
    def flying(chosen, convention, contact):
        return [
            cube.Rollout(np.tile(t.start[:3], (len(t.time), 1)), np.tile(t.start[3:7], (len(t.time), 1)))
            for t in chosen
        ]

    floor = noise.floor(PUBLISHED, flying).errors
    width = np.linalg.norm(noise.NOISE) / (2 * HALF_WIDTH) * 100
    assert floor.shape == (285, 5) and np.sqrt((floor[:, 0] ** 2).mean()) == pytest.approx(width, rel=0.1)
