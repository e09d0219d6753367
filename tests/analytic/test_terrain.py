"""Terrains: gradients against differences, normals, and what each is documented to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic import terrain
from tarsus.analytic.terrain import TERRAINS, DitchedFlat, Flat, Rough, Sinusoid, Slope, Sloped, Step, make

coordinate = st.floats(-30, 30, allow_nan=False)
every_terrain = pytest.mark.parametrize("ground", [kind() for kind in TERRAINS.values()], ids=TERRAINS)


@every_terrain
@given(x=coordinate, y=coordinate)
def test_gradient_is_the_derivative_of_height(ground, x, y):
    if isinstance(ground, Sloped) and abs(y) < 1e-4:
        return  # the edge of the ramp has none
    step = 1e-5
    h_x = (ground.height(x + step, y) - ground.height(x - step, y)) / (2 * step)
    h_y = (ground.height(x, y + step) - ground.height(x, y - step)) / (2 * step)
    np.testing.assert_allclose(ground.gradient(x, y), (h_x, h_y), atol=5e-6)  # the third derivative of a riser is 2e5


@every_terrain
def test_normal_is_a_unit_vector_across_the_surface(ground):
    x, y = np.random.default_rng(0).uniform(-5, 5, (2, 50))
    normal, (h_x, h_y) = ground.normal(x, y), ground.gradient(x, y)
    assert normal.shape == (50, 3)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0)
    assert np.all(normal[:, 2] > 0)
    one, zero = np.ones(50), np.zeros(50)
    for tangent in (np.stack([one, zero, h_x], 1), np.stack([zero, one, h_y], 1)):
        np.testing.assert_allclose(np.sum(normal * tangent, axis=1), 0.0, atol=1e-12)


@every_terrain
def test_grid_is_the_height_at_its_points(ground):
    x, y = np.linspace(-3, 2, 7), np.linspace(-1, 4, 5)
    grid = ground.grid(x, y)
    assert grid.shape == (5, 7)
    np.testing.assert_allclose(grid, ground.height(*np.meshgrid(x, y)), atol=1e-12)
    low, high = ground.height_range(grid)
    assert low <= grid.min() and high >= grid.max()


@every_terrain
def test_arguments_broadcast(ground):
    assert ground.height(np.zeros((2, 1)), np.zeros(3)).shape == (2, 3)
    assert ground.normal(np.zeros((2, 1)), np.zeros(3)).shape == (2, 3, 3)
    assert np.shape(ground.height(0.3, 0.2)) == ()
    assert ground.normal(0.3, 0.2).shape == (3,)


def test_the_manuals_terrains_are_those_of_table_3():
    a1, a2, a3, x, y = 0.03, 15.0, 12.0, 0.4, 0.7
    assert Flat().height(x, y) == 0
    assert Sinusoid(a1, a2, a3).height(x, y) == pytest.approx(a1 * np.sin(a2 * x) * np.cos(a3 * y))
    assert Sloped(a1, 0.2, 0.5).height(x, y) == pytest.approx(a1 * x + 0.2 * y + 0.5)
    assert Sloped(a1, 0.2, 0.5).height(x, -y) == 0.5
    assert Slope(0.1, -0.2).height(x, -y) == pytest.approx(0.1 * x + 0.2 * y)


def test_a_step_rises_once_along_its_heading():
    step = Step(rise=0.05, position=0.4, width=0.1, heading=np.pi / 6)
    along, across = np.array([np.cos(np.pi / 6), 0.5]), np.array([-0.5, np.cos(np.pi / 6)])
    way = np.array([-3.0, 0.4, 0.45, 0.5, 3.0])
    for aside in (-2.0, 0.0, 2.0):
        x, y = np.outer(along, way) + aside * across[:, None]
        np.testing.assert_allclose(step.height(x, y), [0, 0, 0.025, 0.05, 0.05], atol=1e-15)
    assert step.height(*(0.425 * along)) == pytest.approx(0.05 * 0.103515625)  # a quarter of the way: 53/512


def test_a_ditch_is_as_deep_as_asked_between_its_walls_and_level_outside():
    ditch = DitchedFlat(position=0.2, width=0.5, depth=0.15, wall=0.1)
    way = np.array([-3.0, 0.2, 0.25, 0.3, 0.45, 0.6, 0.65, 0.7, 3.0])
    for x in (-2.0, 0.0, 2.0):
        heights = [0, 0, -0.075, -0.15, -0.15, -0.15, -0.075, 0, 0]
        np.testing.assert_allclose(ditch.height(x, way), heights, atol=1e-15)


@every_terrain
def test_the_lowest_of_some_points_just_touches(ground):
    points = np.random.default_rng(0).uniform(-1, 1, (20, 3))
    points[:, 2] += ground.height_to_clear(points)
    gap = points[:, 2] - ground.height(points[:, 0], points[:, 1])
    assert gap.min() == pytest.approx(0.0, abs=1e-12) and np.sum(gap < 1e-9) == 1


def test_rough_grounds_waves_are_alike_steep_from_the_shortest_to_four_times_its_length():
    amplitude, k_x, k_y, _ = Rough(wavelength=0.3).waves
    number = np.hypot(k_x, k_y)
    assert 2 * np.pi / number[[0, -1]] == pytest.approx([0.3, 1.2])
    np.testing.assert_allclose(np.diff(np.log(number)), -np.log(4) / (len(number) - 1))
    np.testing.assert_allclose(amplitude * number, amplitude[0] * number[0])


def test_rough_ground_has_the_deviation_asked_for_and_a_seed():
    x, y = np.random.default_rng(0).uniform(-200, 200, (2, 20_000))
    ground = Rough(deviation=0.03, seed=5)
    assert np.std(ground.height(x, y)) == pytest.approx(0.03, rel=0.05)
    np.testing.assert_array_equal(ground.height(x, y), Rough(deviation=0.03, seed=5).height(x, y))
    assert np.abs(ground.height(x, y) - Rough(deviation=0.03, seed=6).height(x, y)).max() > 0.03
    assert ground.height_range(None) == Rough(deviation=0.03, seed=6).height_range(None)


def test_terrains_are_made_by_name_and_arguments():
    assert terrain.make("sinusoid", 0.1, 2.0) == Sinusoid(0.1, 2.0)
    assert terrain.make(Slope(0.1)) == Slope(0.1)
    assert {terrain.name_of(terrain.make(name)) for name in TERRAINS} == set(TERRAINS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("swamp",), f"unknown terrain 'swamp'; there are {', '.join(TERRAINS)}"),
        (("flat", 1.0), "'flat' takes 0 arguments"),
        (("ditchedflat", 0.0, 0.05), "a ditch needs walls wider than 0 and at most half its width, got 0.04 and 0.05"),
        (("rough", -1.0), "needs deviation >= 0 and wavelength > 0"),
        (("rough", 0.1, 0.0), "needs deviation >= 0 and wavelength > 0"),
    ],
)
def test_bad_terrains_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        terrain.make(*arguments)


def test_a_name_with_its_arguments_is_a_terrain():
    assert make(("slope", 0.1, 0.2)) == make(["slope", 0.1], 0.2) == make("slope", 0.1, 0.2)
    with pytest.raises(ValueError, match="unknown terrain .{2}; there are flat"):
        make(())
