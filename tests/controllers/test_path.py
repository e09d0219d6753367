"""Paths: length, curvature and headings by closed forms; frames there and back."""

import numpy as np
import pytest

from tarsus.controllers.connection_policy import origin_of
from tarsus.controllers.path import Path, relative


def circle(radius=2.0, count=41):
    angle = np.linspace(0.0, np.pi, count)
    return Path(radius * np.stack([np.sin(angle), 1 - np.cos(angle)], axis=-1), 0.1)


def test_a_half_circle():
    path = circle()
    assert path.length == pytest.approx(2 * np.pi, rel=1e-4) and path.duration == pytest.approx(20 * np.pi, rel=1e-4)
    np.testing.assert_allclose(path.curvature(np.linspace(0.0, path.length, 2001)[100:-100]), 0.5, rtol=2e-3)
    np.testing.assert_allclose(path(10 * np.pi), [2.0, 2.0, np.pi / 2], atol=1e-3)
    right = Path(circle().points * [1, -1], 0.1)
    assert right.curvature(3.0) == pytest.approx(-0.5, rel=2e-3) and right(10 * np.pi)[2] == pytest.approx(
        -np.pi / 2, 1e-3
    )


def test_beyond_its_ends_it_goes_on_straight():
    path = circle()
    np.testing.assert_allclose(path(path.duration + 10.0)[:2], [-1.0, 4.0], atol=5e-3)
    np.testing.assert_allclose(path(-10.0), [-1.0, 0.0, 0.0], atol=5e-3)


def test_a_line_of_two_points():
    path = Path([[0.0, 1.0], [3.0, 5.0]], 0.5)
    np.testing.assert_allclose(path(np.array([0.0, 10.0])), [[0, 1, np.arctan2(4, 3)], [3, 5, np.arctan2(4, 3)]])
    assert path.length == pytest.approx(5.0) and path.curvature(2.0) == pytest.approx(0.0, abs=1e-12)


def test_a_sine_is_a_sine():
    path = Path.sine(0.2, 6.0, 6.0, 0.06)
    x, y, heading = path(np.linspace(0, path.duration, 50)).T
    np.testing.assert_allclose(y, 0.2 * np.sin(2 * np.pi * x / 6), atol=1e-6)
    np.testing.assert_allclose(np.tan(heading), 0.2 * 2 * np.pi / 6 * np.cos(2 * np.pi * x / 6), atol=1e-4)


def test_distances_are_to_the_nearest_point():
    np.testing.assert_allclose(circle().distance([[0.0, 2.0], [0.0, 1.0], [3.0, 2.0]]), [2.0, 1.0, 1.0], atol=1e-3)


def test_relative_undoes_where_a_frame_is():
    origin, pose = np.array([1.0, -2.0, 0.7]), np.array([0.3, 0.4, -0.2])
    cos, sin = np.cos(0.7), np.sin(0.7)
    world = [1.0 + cos * 0.3 - sin * 0.4, -2.0 + sin * 0.3 + cos * 0.4, 0.5]
    np.testing.assert_allclose(relative(world, origin), pose, atol=1e-14)
    np.testing.assert_allclose(relative(np.array(world) + [0, 0, 2 * np.pi], origin), pose, atol=1e-14)
    np.testing.assert_allclose(origin_of(np.array(world), pose), origin, atol=1e-14)


@pytest.mark.parametrize(
    "points, speed, words",
    [
        ([[0.0, 0.0]], 0.1, "two points"),
        ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.1, "two points"),
        ([[0.0, 0.0], [np.nan, 0.0]], 0.1, "finite"),
        ([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]], 0.1, "point 2 of the path is the same"),
        ([[0.0, 0.0], [1.0, 0.0]], 0.0, "speed along a path must be positive, got 0"),
    ],
)
def test_what_is_no_path_is_refused(points, speed, words):
    with pytest.raises(ValueError, match=words):
        Path(points, speed)
