"""Integration of twists: against products of matrix exponentials, by three methods."""

import functools

import numpy as np
import pytest

from tarsus.analytic.contact import se2

# A thousand steps, each rounded to 1e-16 of the distance gone.
ROUNDING = 1e-12

TWISTS = {
    "random": lambda rng: rng.normal(size=(1000, 3)),
    "straight": lambda rng: rng.normal(size=(1000, 3)) * [1, 1, 0],
    "barely turning": lambda rng: rng.normal(size=(1000, 3)) * [1, 1, 1e-9],
    "spinning": lambda rng: np.tile([0.1, 0.0, 50.0], (1000, 1)),
    "around the series": lambda rng: np.column_stack([np.ones((1000, 2)), np.linspace(3.9, 4.1, 1000)]),
}

# The blocks take long to compile: the core runs them interpreted.
METHODS = [pytest.param(name, marks=[pytest.mark.extra] * (name == "blocks")) for name in se2.METHODS]


@pytest.fixture(scope="module")
def courses(oracle):
    """Return a course and its poses as products, computed once for all methods, as a function of its name."""

    @functools.cache
    def made(course):
        twist = TWISTS[course](np.random.default_rng(20240103))
        return twist, oracle.poses_by_matrices(twist, 0.01)

    return made


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("course", TWISTS)
def test_poses_are_products_of_exponentials(method, course, courses):
    twist, expected = courses(course)
    poses = se2.integrate(twist, 0.01, method=method)
    np.testing.assert_allclose(poses[1:, :2], expected[:, :2], atol=ROUNDING)
    np.testing.assert_allclose(np.exp(1j * poses[1:, 2]), np.exp(1j * expected[:, 2]), atol=ROUNDING)


@pytest.mark.parametrize("method", METHODS)
def test_batches_start_where_told_and_compose(method, rng):
    twist, start = rng.normal(size=(2, 3, 37, 3)), rng.normal(size=(3, 3))
    poses = se2.integrate(twist, 0.1, start, method)
    assert poses.shape == (2, 3, 38, 3)
    np.testing.assert_array_equal(poses[1, :, 0], start)
    own = se2.integrate(twist, 0.1, method=method)
    np.testing.assert_allclose(poses, se2.compose(start[:, None], own), atol=1e-12)
    step = se2.compose(poses[..., 4, :], se2.exponential(twist[..., 4, :], 0.1))
    np.testing.assert_allclose(step, poses[..., 5, :], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_no_step_and_few_steps(method, rng):
    assert se2.integrate(np.zeros((0, 3)), 0.1, (1, 2, 3), method).tolist() == [[1, 2, 3]]
    assert se2.integrate(rng.normal(size=(2, 3)), 0.1, method=method).shape == (3, 3)


def test_interpreted_blocks_are_put_together_as_in_sequence(rng):
    twist, start = rng.normal(size=(3, 37, 3)), rng.normal(size=(3, 3))
    poses = np.concatenate([start[:, None], np.zeros((3, 37, 3))], axis=1)
    getattr(se2.blocks, "py_func", se2.blocks)(twist, 0.1, poses)
    np.testing.assert_allclose(poses, se2.integrate(twist, 0.1, start), atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"twist": np.zeros((5, 2))}, "twist must have shape"),
        ({"twist": np.full((5, 3), np.nan)}, "twist must be finite"),
        ({"dt": 0.0}, "dt must be positive"),
        ({"dt": np.nan}, "dt must be finite"),
        ({"method": "magic"}, "unknown method 'magic'; known: sequential"),
        ({"start": (0, 0)}, "start must have shape"),
    ],
)
def test_misuse_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        se2.integrate(**({"twist": np.zeros((5, 3)), "dt": 0.1} | change))
