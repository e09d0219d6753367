"""The rate at which nearby runs part is that of flows whose exponent is known."""

import numpy as np
import pytest

from tarsus.scripts.library.stability import parting


def run_of(stride, strides=600, at=0.3):
    """The sizes of a tiny displacement of a map, begun at several of its points."""

    def run(k):
        z = at + 0.01 * k
        for _ in range(100):
            z = stride(z)
        near, sizes = z + parting.TINY, [parting.TINY]
        for _ in range(strides):
            z, near = stride(z), stride(near)
            sizes.append(abs(near - z))
        return np.array(sizes)

    return run


def test_the_exponent_of_the_logistic_map():
    """At r = 4 it is ln 2 an iterate (Strogatz, 10.5); of intervals at 90 % confidence about nine of ten have it."""
    intervals = [
        parting.measured(run_of(lambda z: 4.0 * z * (1.0 - z), 60, at), 0.5) for at in np.linspace(0.1, 0.8, 60)
    ]
    assert all(found.parts and not found.meets for found in intervals)
    covered = np.mean([found.low <= 2.0 * np.log(2.0) <= found.high for found in intervals])
    assert 0.8 <= covered < 1.0


def test_runs_that_come_together():
    found = parting.measured(run_of(lambda z: 0.98 * z, 300), 0.02)
    assert found.meets and found.rate == pytest.approx(np.log(0.98) / 0.02, rel=1e-3)
    assert "come together by 1 e-folds a second (1 to 1)" in str(found)


def test_runs_that_stay_apart_do_neither():
    rng = np.random.default_rng(0)
    sizes = parting.TINY * np.exp(0.1 * rng.standard_normal((parting.RUNS, 500)))
    found = parting.measured(lambda k: sizes[k], 0.02)
    assert not found.parts and not found.meets


def test_what_is_large_at_once_counts_from_its_beginning():
    logs, steps = parting.growth(np.array([1e-5, 1e-3, 1.0, 1.0, 1.0]))
    assert (logs, steps) == (pytest.approx(np.log(1e5)), 2)
