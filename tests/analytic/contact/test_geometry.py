"""Connection, curvature, displacement: closed forms, Stokes' theorem, small loops; a field that others stored."""

from pathlib import Path

import numpy as np
import pytest

from tarsus.analytic.contact import Coulomb, Feet, connection_matrix, solve
from tarsus.analytic.contact.geometry import (
    bracket,
    by_area,
    by_line,
    connection_field,
    curvature,
    displacement,
)
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.scripts.laboratory.models.snake import Snake
from tarsus.scripts.laboratory.models.wave_shapes import WaveShapes

GOLDEN = Path(__file__).parents[2] / "golden" / "contact_switching_field.npz"
SIX, TWELVE = WaveShapes(), WaveShapes(MultipodParams(n_legs=12))


def test_the_field_gives_the_twist_of_any_rates(rng):
    r, rate = 0.2 * rng.standard_normal((50, 2)), rng.standard_normal((50, 2))
    field = connection_field(SIX, r, SIX.feet)
    twist = solve(SIX.place(r), SIX.move(r, rate)[..., :2], SIX.feet).twist
    np.testing.assert_allclose(np.einsum("...ij,...j->...i", field, rate), twist, atol=1e-12)


def test_at_rest_the_curvature_is_known():
    """In leading order 2 K rho reach^2 over the weight of a segment; heights of the feet change it by a thousandth."""
    for shapes in (SIX, TWELVE):
        found = curvature(shapes, np.zeros(2), shapes.feet).whole
        assert found[0] == pytest.approx(6.172, abs=1e-3)
        assert found[0] == pytest.approx(shapes.curvature_at_rest, rel=2e-3)
        np.testing.assert_allclose(found[1:], 0.0, atol=1e-8)


def test_of_small_loops_area_and_line_agree_to_the_last_digits():
    """All feet stand: nothing jumps. Fewer than a thousand frames: more would compile the loop over all cores."""
    loop = np.array([0.003, -0.002]) + SIX.circle(0.005, 15)
    line, area = by_line(SIX, loop, SIX.feet), by_area(SIX, loop, SIX.feet)
    np.testing.assert_allclose(area, line, atol=1e-10)
    assert line[0] > 4e-4
    np.testing.assert_allclose(by_line(SIX, loop[::-1], SIX.feet), -line, atol=1e-15)


@pytest.mark.parametrize("centre", [(0.1, 0.05), (0.2, -0.1), (-0.15, 0.1)])
def test_a_small_loop_displaces_its_area_times_the_whole_curvature(centre):
    """Turning counts by the bracket, whose sign this decides."""
    size, found = 5e-4, curvature(SIX, np.array(centre), SIX.feet)
    moved = displacement(SIX, np.array(centre) + SIX.circle(size, 48), SIX.feet) / (np.pi * size**2)
    np.testing.assert_allclose(moved, found.whole, atol=2e-4)
    assert np.abs(moved - found.exterior).max() > 1e-3


@pytest.mark.parametrize(
    "shapes, line, viscous, coulomb", [(SIX, 266.08, 266.23, 298.20), (TWELVE, 298.40, 298.41, 302.23)]
)
def test_an_undulation_displaces_what_it_is_known_to(shapes, line, viscous, coulomb):
    """Millimetres a stride of 0.3 rad."""
    loop = shapes.circle(0.3, 400)
    found = by_line(shapes, loop, shapes.feet)
    np.testing.assert_allclose(1e3 * found, [line, 0.0, 0.0], atol=0.02)
    assert 1e3 * displacement(shapes, loop, shapes.feet)[0] == pytest.approx(viscous, abs=0.02)
    assert 1e3 * displacement(shapes, loop, shapes.feet, Coulomb(1e-9))[0] == pytest.approx(coulomb, abs=0.05)


@pytest.mark.extra
@pytest.mark.parametrize("shapes", [SIX, TWELVE])
def test_where_feet_touch_and_leave_the_integrand_of_the_area_jumps(shapes):
    """It is good to 2 %."""
    loop = shapes.circle(0.3, 400)
    line = by_line(shapes, loop, shapes.feet)
    np.testing.assert_allclose(by_area(shapes, loop, shapes.feet), line, atol=2e-2 * line[0])


def test_coulomb_is_no_connection(rng):
    """Its twist is homogeneous in the rates, not additive; so the field is refused."""
    r, one, two = 0.1 * rng.standard_normal((100, 2)), *rng.standard_normal((2, 100, 2))

    def twist(rate):
        return solve(SIX.place(r), SIX.move(r, rate)[..., :2], SIX.feet, Coulomb(1e-10)).twist

    np.testing.assert_allclose(twist(-2 * one), -2 * twist(one), atol=1e-4)
    sums = np.linalg.norm(twist(one + two) - twist(one) - twist(two), axis=1)
    assert np.median(sums / np.linalg.norm(twist(one + two), axis=1)) > 0.05
    for ask in (connection_field, curvature):
        with pytest.raises(ValueError, match="has no connection.*not additive"):
            ask(SIX, r, SIX.feet, "coulomb")
    for ask in (by_area, by_line):
        with pytest.raises(ValueError, match="has no connection"):
            ask(SIX, SIX.circle(0.1, 8), SIX.feet, Coulomb())


def test_the_bracket_is_that_of_the_matrices(rng):
    def hat(twist):
        u, v, omega = twist
        return np.array([[0, -omega, u], [omega, 0, v], [0, 0, 0]])

    a, b = rng.standard_normal((2, 3))
    np.testing.assert_allclose(hat(bracket(a, b)), hat(a) @ hat(b) - hat(b) @ hat(a), atol=1e-14)


@pytest.mark.parametrize("loop", [np.zeros((2, 2)), np.zeros((5, 3)), np.full((5, 2), np.nan)])
def test_loops_of_another_kind_are_refused(loop):
    for ask in (by_area, by_line, displacement):
        with pytest.raises(ValueError, match="loop"):
            ask(SIX, loop, SIX.feet)
    with pytest.raises(ValueError, match="r must have shape"):
        curvature(SIX, np.zeros(3), SIX.feet)


def test_the_field_of_contact_switching_is_a_mixture_of_two_feet():
    """Stored by the authors of "Contact-Switching Systems" (doi 10.1109/LRA.2023.3327930), MIT licence: two feet of a
    swinging leg, of which the contact variable c loads one or the other; c/6 (sin a, -cos a) where |c| <= 1.
    """
    with np.load(GOLDEN) as stored:
        swing, contact, field = stored["swing"], stored["contact"], stored["field"]
    ahead = np.stack([np.cos(swing), np.sin(swing)], axis=-1) / 6.0
    ours = np.zeros((3, *swing.shape))
    for side in (1.0, -1.0):
        foot, velocity = side * ahead, side * np.stack([-ahead[..., 1], ahead[..., 0]], axis=-1)
        matrix = connection_matrix(foot[..., None, :], [1.0], 1.0)[..., 0, :]  # (..., 3, 2); one foot: no turning
        share = 0.5 * (1.0 + side * contact)
        ours -= np.moveaxis(share[..., None] * np.einsum("...ij,...j->...i", matrix, velocity), -1, 0)
    within = np.abs(contact) <= 1.0
    assert within.sum() > 80
    np.testing.assert_allclose(ours[:, within], field[:, within], atol=1e-16)
    assert not field[:, ~within].any()  # beyond, theirs is cut off


@pytest.mark.parametrize("gamma, expected", [(2.0, 0.13726), (1.0, 0.0), (10.0, None)])
def test_a_long_snake_is_as_fast_as_lighthill_says(gamma, expected):
    snake = Snake(gamma=gamma)
    phases = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    speed = np.mean([solve(*snake.frame(phase)).twist[0] for phase in phases])
    if expected is not None:
        assert snake.lighthill == pytest.approx(expected, abs=1e-5)
    assert speed == pytest.approx(snake.lighthill, rel=0.006, abs=1e-5)


def test_a_short_snake_recoils_and_is_slower():
    short, long = (Snake(waves=waves, n_feet=40 * waves) for waves in (1, 10))
    slow, fast = (np.mean([solve(*s.frame(p)).twist[0] for p in np.arange(8) * np.pi / 4]) for s in (short, long))
    assert slow == pytest.approx(0.0995, abs=5e-4) and fast == pytest.approx(0.13687, abs=5e-5)


def test_a_snakes_feet_glide_along_it():
    """In its own frame a foot moves along the tangent, less the wave."""
    pos, vel, feet = Snake(waves=1, n_feet=40).frame(0.3)
    tangent = np.stack([-feet.anisotropy[:, 1], feet.anisotropy[:, 0]], axis=-1)  # across turned back
    glide = vel + [1.0, 0.0]
    np.testing.assert_allclose(glide[:, 0] * tangent[:, 1] - glide[:, 1] * tangent[:, 0], 0.0, atol=1e-12)
    speeds = np.hypot(*glide.T)
    np.testing.assert_allclose(speeds, speeds[0], rtol=1e-12)
    assert abs(vel[:, 0].mean()) < 1e-3 and isinstance(feet, Feet) and len(pos) == 40


@pytest.mark.parametrize("option", [{"amplitude": 0.0}, {"gamma": 0.5}, {"n_feet": 2}, {"waves": 0}])
def test_impossible_snakes_are_refused(option):
    with pytest.raises(ValueError):
        Snake(**option)
