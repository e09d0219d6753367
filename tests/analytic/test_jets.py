"""Numbers with derivatives: every rule against differences, and models compiled for them against closed forms."""

import math

import numpy as np
import pytest

from tarsus.analytic.compilation import has_numba, jet_rules
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.models import bouncing_ball

POINTS = [(0.3, 0.7), (0.6, -0.4), (0.9, 2.0)]
H = 1e-6


@pytest.mark.parametrize("function", jet_rules.ONE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("a", [0.3, 0.9])
def test_rules_of_one_argument_are_differences(function, a):
    value, by = jet_rules.ONE[function](a)
    assert value == function(a)
    assert by == pytest.approx((function(a + H) - function(a - H)) / (2 * H), rel=1e-7)


@pytest.mark.parametrize("function", jet_rules.TWO, ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", POINTS)
def test_rules_of_two_arguments_are_differences(function, point):
    a, b = point
    value, by_a, by_b = jet_rules.TWO[function](a, b)
    assert value == function(a, b)
    differences = [
        (function(a + H, b) - function(a - H, b)) / (2 * H),
        (function(a, b + H) - function(a, b - H)) / (2 * H),
    ]
    np.testing.assert_allclose([by_a, by_b], differences, rtol=1e-7, atol=1e-9)


def test_signs_at_which_a_rule_turns():
    assert jet_rules.ONE[abs](-2.0) == (2.0, -1.0)
    assert jet_rules.TWO[max](1.0, 2.0) == (2.0, 0.0, 1.0) and jet_rules.TWO[min](1.0, 2.0) == (1.0, 1.0, 0.0)
    assert jet_rules.TWO[math.copysign](2.0, -1.0)[1] == -1.0 and jet_rules.TWO[math.copysign](-2.0, -1.0)[1] == 1.0


def mixed(a, b, out):
    """A function with what models are written with: arrays, tuples, branches, loops, mixed numbers."""
    room = np.zeros((2, 2))
    room[0, 0], room[1, 1] = a * a, math.sin(b)
    total = 0.0
    for i in range(2):
        total += room[i, i] / (1 + i)
    rows = ((1.0, a), (b, 2))
    for i in range(2):
        for j in range(2):
            total = total - rows[i][j] * 0.5
    out[0] = total if a > b else -total
    out[1] = max(a, 0.25) ** 3 + abs(b - 1.0) % 0.7 + math.floor(a) + 2.0 / b
    out[2] = a if b == 1.0 else a**b
    speed = ((a - a) ** 2 + 0.0 * b) ** 0.5  # a root at zero that does not move
    out[2] += 0.0 if speed == 0.0 else 1.0 / speed
    out[1] += np.where(a > b, np.sin(b), np.minimum(a, 5.0)) + np.floor(b)  # as of arrays, here of single numbers


@pytest.mark.skipif(not has_numba(), reason="jets are a type of numba's")
def test_a_function_compiled_for_jets_differentiates():
    import sys
    import types

    import numba

    from tarsus.analytic.compilation.number_arrays import numpy_of, view
    from tarsus.analytic.compilation.rebuild import rebuild

    name = "tarsus_test_jets"
    sys.modules[name] = types.ModuleType(name)
    moved = rebuild(mixed, numba.njit(error_model="numpy"), {id(np): numpy_of(2)}, {}, name, frozen=True)
    as_jets = view(2)

    @numba.njit
    def call(numbers, out):
        given = as_jets(numbers)
        moved(given[0], given[1], as_jets(out))

    def plain(a, b):
        out = np.empty(3)
        mixed(a, b, out)
        return out

    for a, b in ((0.3, 0.7), (1.4, 1.0), (0.1, 2.5)):
        out = np.zeros(9)
        call(np.array([a, 1.0, 0.0, b, 0.0, 1.0]), out)
        value, by = out.reshape(3, 3)[:, 0], out.reshape(3, 3)[:, 1:]
        np.testing.assert_allclose(value, plain(a, b), rtol=1e-15)
        np.testing.assert_allclose(by[:, 0], (plain(a + H, b) - plain(a - H, b)) / (2 * H), rtol=1e-7, atol=1e-8)
        if b != 1.0:
            np.testing.assert_allclose(by[:, 1], (plain(a, b + H) - plain(a, b - H)) / (2 * H), rtol=1e-7, atol=1e-8)
        else:  # where code treats one number apart, the jet that passes it takes the branch beside it
            assert by[2, 1] == pytest.approx(a * math.log(a))


@pytest.mark.extra
@pytest.mark.skipif(not has_numba(), reason="jets are a type of numba's")
def test_a_compiled_ball_bounces_as_in_closed_form():
    g, e, height = 9.81, 0.5, 1.3
    ball = Derivatives(bouncing_ball.build(), 3)
    assert ball.jets
    wrt = ("restitution", "height", "gravity")
    made = ball.run(wrt, {"height": height}, chart="flight", stop_at="impact", stop_count=3, final_time=10.0)
    assert made.existence is Existence.EXISTS, made.message
    fall, total = math.sqrt(2 * height / g), 1 + 2 * e + 2 * e**2
    by = [fall * (2 + 4 * e), fall * total / (2 * height), -fall * total / (2 * g)]
    np.testing.assert_allclose(made.end.t_by, by, rtol=0, atol=1e-10)


def test_an_interpreted_model_has_no_jets():
    with pytest.raises(ValueError, match="by differences"):
        Derivatives(bouncing_ball.build(), 1, mode="python", jets=True)
