"""Families of fixed points: against maps whose bifurcations are known in closed form, and the simplest walker's."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import families
from tarsus.analytic.hybrid.bifurcations import Bifurcation, BifurcationKind
from tarsus.analytic.hybrid.continuation import change
from tarsus.analytic.hybrid.family import FamilyEnd
from tarsus.analytic.models import simplest_walker

FOLD, BRANCH, DOUBLING, CIRCLE = BifurcationKind


def logistic(z, p):
    return p * z * (1.0 - z)


def parabola(z, p):
    """Fixed points z^2 = p, multiplier 1 - 2 z: a fold at 0, a doubling at z = 1."""
    return z + p - z**2


def delayed_logistic(z, p):
    """Fixed point 1 - 1 / p, multipliers exp(+-i pi / 3) at p = 2."""
    return np.array([p * z[0] * (1.0 - z[1]), z[0]])


@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_a_fold_is_passed_and_located(unit):
    def scaled(z, p):
        return unit * parabola(z / unit, p)

    family = families.follow(scaled, [1.2 * unit], 1.44, bounds=(-1.0, 2.0), direction=-1)
    assert family.status is FamilyEnd.BOUND and family.p[-1] == pytest.approx(2.0, abs=1e-12)
    assert family.z[-1, 0] == pytest.approx(-math.sqrt(2.0) * unit, abs=1e-9 * unit)
    assert np.allclose((family.z[:, 0] / unit) ** 2, family.p, atol=1e-9)
    assert np.allclose(family.multipliers[:, 0], 1.0 - 2.0 * family.z[:, 0] / unit, atol=1e-8)
    assert [one.kind for one in family.bifurcations] == [DOUBLING, FOLD]
    doubling, fold = family.bifurcations
    assert abs(doubling.p - 1.0) < 1e-8 and abs(doubling.z[0] - unit) < 1e-8 * unit
    assert abs(fold.p) < 1e-8 and abs(fold.z[0]) < 1e-8 * unit and fold.located
    assert fold.critical[0] == pytest.approx(1.0, abs=1e-8)
    assert np.array_equal(family.stable, np.abs(1.0 - 2.0 * family.z[:, 0] / unit) < 1.0)


def test_a_family_can_be_asked_at_a_value_of_its_parameter():
    family = families.follow(parabola, [1.2], 1.44, bounds=(-1.0, 2.0), direction=-1)
    z, multipliers = family.at(0.3)
    assert np.allclose(z[:, 0], [math.sqrt(0.3), -math.sqrt(0.3)], atol=1e-10)
    assert np.allclose(multipliers, 1.0 - 2.0 * z, atol=1e-8)
    assert family.at(1.9)[0].shape == (1, 1) and family.at(-0.1)[0].shape == (0, 1)
    assert np.allclose(family.at(1.44)[0], [[1.2], [-1.2]]) and np.allclose(family.at(2.0)[0], -math.sqrt(2.0))


def test_the_logistic_cascade():
    """Doublings at 3, 1 + sqrt 6 and what is tabulated; the cycle of two has the multiplier 4 + 2 p - p^2."""
    found = families.cascade(logistic, [0.5], 2.0, 3, bounds=(1.5, 3.8))
    assert [family.period for family in found] == [1, 2, 4, 8]
    doublings = [family.bifurcations[-1] for family in found[:3]]
    assert [one.kind for one in doublings] == [DOUBLING] * 3
    assert [one.p for one in doublings] == pytest.approx([3.0, 1.0 + math.sqrt(6.0), 3.5440903595519], abs=1e-8)
    two = found[1]
    assert np.allclose(two.multipliers[:, 0], 4.0 + 2.0 * two.p - two.p**2, atol=1e-7)
    assert two.cycles.shape == (two.p.size, 2, 1)
    assert np.allclose(two.cycles.sum(axis=(1, 2)), 1.0 + 1.0 / two.p, atol=1e-9)  # of its two points
    assert two.p[0] > 3.0 and np.all(np.diff(two.p) > 0)


@pytest.mark.parametrize("scale", [(1.0, 0.1), (1.0, 1.0), (1.0, 50.0), (0.2, 50.0)])
@pytest.mark.parametrize("step", [1e-3, 0.05, 0.5])
def test_the_doubled_family_is_met_near_its_birth(scale, step):
    """Also with a first step across the next doubling, and where the old family runs nearly along the new one."""
    one = families.follow(logistic, [0.6], 2.5, bounds=(2.0, 3.5), scale=scale, stop_at=DOUBLING, max_step=0.05)
    two = families.switch(one, one.bifurcations[-1], step=step, max_step=max(step, 0.05))
    assert two.p[0] > 3.0 and np.abs(np.diff(two.cycles[:, :, 0], axis=1)).min() > 1e-4
    assert two.multipliers[0, 0].real > -0.5
    assert [one.kind for one in two.bifurcations] == [DOUBLING]
    assert two.bifurcations[0].p == pytest.approx(1.0 + math.sqrt(6.0), abs=1e-8)


def test_where_nothing_doubles_no_orbit_is_taken_for_a_doubled_one():
    one = families.follow(lambda z, p: p - 0.9 * z, [0.5], 1.0, bounds=(0.0, 2.0))
    first = one.points[0]
    claimed = Bifurcation(DOUBLING, one.z[0], float(one.p[0]), first.multipliers, True, 0, first)
    family = families.switch(one, claimed)
    assert family.status is FamilyEnd.NO_START and family.period == 2 and family.p.size == 0


def test_crossing_families_are_found_and_are_no_fold():
    family = families.follow(logistic, [0.0], 0.5, bounds=(-2.0, 2.0))
    assert [one.kind for one in family.bifurcations] == [BRANCH]
    assert abs(family.bifurcations[0].p - 1.0) < 1e-8
    back = families.follow(logistic, [0.0], 0.5, bounds=(-2.0, 2.0), direction=-1, stop_at=DOUBLING)
    assert back.status is FamilyEnd.BIFURCATION and abs(back.bifurcations[-1].p + 1.0) < 1e-8


def test_an_invariant_circle_is_located():
    family = families.follow(delayed_logistic, [0.3, 0.3], 1.5, bounds=(1.2, 2.3))
    assert [one.kind for one in family.bifurcations] == [CIRCLE]
    circle = family.bifurcations[0]
    assert abs(circle.p - 2.0) < 1e-8
    assert np.allclose(np.sort_complex(circle.critical), np.exp(np.array([-1j, 1j]) * math.pi / 3), atol=1e-8)


def test_two_real_multipliers_of_product_one_are_no_bifurcation():
    family = families.follow(lambda z, p: np.array([2.0, p]) * z, [0.0, 0.0], 0.3, bounds=(0.2, 0.8))
    assert family.status is FamilyEnd.BOUND and not family.bifurcations


def test_a_closed_family_ends_where_it_began():
    """Fixed points z^2 + p^2 = 1."""
    family = families.follow(lambda z, p: z + 0.5 * (z**2 + p**2 - 1.0), [1.0], 0.0, bounds=(-2.0, 2.0), scale=(1, 1))
    assert family.status is FamilyEnd.CLOSED
    assert [one.kind for one in family.bifurcations] == [FOLD, FOLD]
    assert [one.p for one in family.bifurcations] == pytest.approx([1.0, -1.0], abs=1e-8)


def test_where_the_map_is_not_defined_the_last_good_point_is_kept():
    family = families.follow(lambda z, p: logistic(z, p) if p < 2.5 else np.nan * z, [0.5], 2.0, bounds=(1.0, 3.5))
    assert family.status is FamilyEnd.NO_RETURN and "does not come back" in family.message
    assert 2.5 - 1e-3 < family.p[-1] < 2.5 and family.z[-1, 0] == pytest.approx(1.0 - 1.0 / family.p[-1], abs=1e-9)


def test_a_family_with_a_corner_ends_there():
    """Beyond p = 1 the map has no fixed point, and no derivative at it: Newton's method goes astray."""
    family = families.follow(lambda z, p: np.where(p < 1.0, 0.5 * z, z + 1.0), [0.0], 0.0, bounds=(-1.0, 2.0))
    assert family.status is FamilyEnd.NOT_CONVERGED and 0.99 < family.p[-1] < 1.0


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        (lambda z, p: np.full(1, np.nan), "did not come back"),
        (lambda z, p: z + 1.0, "did not converge"),
        (lambda z, p: z.copy(), "not isolated"),
    ],
)
def test_without_a_start_the_family_is_empty_and_says_why(mapping, sentence):
    family = families.follow(mapping, [0.3], 0.5, bounds=(0.0, 1.0))
    assert family.status is FamilyEnd.NO_START and sentence in family.message
    assert family.z.shape == (0, 1) and family.p.shape == (0,) and family.multipliers.shape == (0, 1)
    assert family.cycles.shape == (0, 1, 1)


def test_a_derivative_of_ones_own_serves_as_well():
    def derivative(z, p):
        return np.array([[p * (1.0 - 2.0 * z[0]), z[0] * (1.0 - z[0])]])

    settings = {"bounds": (1.5, 3.5)}
    own = families.cascade(logistic, [0.5], 2.0, 1, derivative=derivative, **settings)
    differences = families.cascade(logistic, [0.5], 2.0, 1, **settings)
    for a, b in zip(own, differences, strict=True):
        assert a.bifurcations[-1].p == pytest.approx(b.bifurcations[-1].p, abs=1e-8)


def test_multipliers_are_compared_with_those_they_came_from():
    assert change(np.array([0.5, -0.4]), np.array([-0.4, 0.5])) == 0.0
    assert change(np.array([1.0]), np.array([2.0])) == 0.5


@pytest.mark.extra
def test_the_number_of_points_is_limited_and_data_are_labelled():
    family = families.follow(logistic, [0.5], 2.0, bounds=(1.5, 3.5), max_points=5)
    assert family.status is FamilyEnd.MAX_POINTS and len(family.p) == 5
    data = family.to_xarray()
    assert data.attrs["status"] == "MAX_POINTS" and data.z.dims == ("point", "coordinate")
    assert np.array_equal(data.p, family.p) and data.multipliers.shape == (5, 1)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bounds": (2.5, 3.0)}, "bounds must be finite, and p = 2.0 between them"),
        ({"bounds": (1.0, math.inf)}, "bounds must be finite"),
        ({"direction": 0}, "direction must be 1 or -1"),
        ({"scale": (1.0,)}, "scale must be positive, of shape"),
        ({"step": 0.2}, "steps must be 0 < min_step <= step <= max_step"),
        ({"max_points": 0}, "max_points must be positive"),
    ],
)
def test_misuse(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        families.follow(logistic, [0.5], 2.0, **({"bounds": (1.5, 3.5)} | wrong))


def test_only_doublings_are_switched_at():
    family = families.follow(parabola, [0.5], 0.25, bounds=(-1.0, 2.0), direction=-1)
    with pytest.raises(ValueError, match="branches are switched at period doublings"):
        families.switch(family, family.bifurcations[0])


# The simplest walker

WALKER = hy.compile(simplest_walker.build())


def walker_map(parameter="slope"):
    return families.section_map(
        WALKER,
        "heelstrike",
        lambda z, p: simplest_walker.lift(z),
        simplest_walker.project,
        parameter,
        chart="swing",
        rtol=1e-12,
        atol=1e-14,
        final_time=20.0,
    )


@pytest.mark.extra
def test_the_simplest_walker_doubles_its_period_where_it_was_published():
    """Garcia et al. 1998; to more digits in the benchmark of the walking literature, .0150884380."""
    found = families.cascade(walker_map(), simplest_walker.LONG, 0.009, 3, bounds=(0.001, 0.02))
    assert [family.period for family in found] == [1, 2, 4, 8]
    slopes = [family.bifurcations[-1].p for family in found[:3]]
    assert abs(slopes[0] - 0.0150884380) < 1e-9
    for family in found[:3]:
        assert family.bifurcations[-1].critical[0] == pytest.approx(-1.0, abs=1e-7)
        assert family.stable[:-1].all() and not family.stable[-1]
    # Feigenbaum's ratio, 4.669 in the limit, of the last two windows, with the end of that of period 8.
    slopes.append(next(one.p for one in found[3].bifurcations if one.kind is DOUBLING))
    assert (slopes[2] - slopes[1]) / (slopes[3] - slopes[2]) == pytest.approx(4.669, abs=0.1)


@pytest.mark.extra
def test_a_slope_without_a_gait():
    family = families.follow(walker_map(), simplest_walker.LONG, 0.3, bounds=(0.001, 0.4))
    assert family.status is FamilyEnd.NO_START and "did not come back" in family.message


def test_a_parameter_that_the_model_does_not_have():
    with pytest.raises(ValueError, match="unknown parameter 'slop'; known: slope"):
        walker_map("slop")
