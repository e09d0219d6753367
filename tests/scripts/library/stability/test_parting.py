"""The rate at which nearby runs part is that of flows whose exponent is known."""

import numpy as np
import pytest

from tarsus.scripts.library.stability import parting


def rate(stride, at, dt=1.0, steps=400):
    """The rate of a map of numbers, from several of its points."""

    def grown(k):
        path = [at + 0.01 * k]
        for _ in range(steps):
            path.append(stride(path[-1]))

        def deviate(by, first, n):
            near, found = path[first] + by, [by]
            for j in range(n):
                near = stride(near)
                found.append(near - path[first + j + 1])
            return np.array(found)

        return parting.growth(deviate, np.ones(1), steps, np.ones(1, bool))

    return parting.pooled([grown(k) for k in range(parting.RUNS)], dt)


def test_the_exponent_of_the_logistic_map():
    """At r = 4 it is ln 2 an iterate (Strogatz, 10.5); of intervals at 90 % confidence about nine of ten have it."""
    found = [rate(lambda z: 4.0 * z * (1.0 - z), at, 0.5) for at in np.linspace(0.1, 0.8, 40)]
    assert all(one.parts and not one.meets for one in found)
    assert 0.75 <= np.mean([one.low <= 2.0 * np.log(2.0) <= one.high for one in found]) < 1.0
    assert np.mean([one.rate for one in found]) == pytest.approx(2.0 * np.log(2.0), rel=0.01)


def test_runs_that_come_together():
    found = rate(lambda z: 0.98 * z, 0.3, 0.02)
    assert found.meets and found.rate == pytest.approx(np.log(0.98) / 0.02, rel=1e-3)
    assert "come together by 1 e-folds a second (1 to 1)" in str(found)


def test_runs_that_stay_apart_do_neither():
    found = rate(lambda z: z + 0.3 + 0.1 * np.sin(z), 0.3)  # of a circle: what is off stays so
    assert not found.parts and not found.meets


def test_a_displacement_that_is_large_at_once_and_a_run_that_falls():
    def deviate(by, at, n):
        return np.array([by, 1e4 * by, 1e6 * by])

    logs, steps = parting.growth(deviate, np.ones(2), 20, np.ones(2, bool))
    assert logs / steps == pytest.approx(np.log(1e4))
    assert parting.growth(lambda by, at, n: by[None], np.ones(2), 20, np.ones(2, bool)) == (0.0, 0)
