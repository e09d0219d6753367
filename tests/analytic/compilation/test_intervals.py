"""Intervals: every rule against 50 digits, doubts, both modes bit for bit, and the guards of the models."""

import functools
import math
import operator
import struct
import sys
import types
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tarsus.analytic.compilation import has_numba
from tarsus.analytic.compilation import interval_rules as rules
from tarsus.analytic.compilation.interval_objects import Interval
from tarsus.analytic.hybrid.interval_functions import enclosures, tried

INF, EPS = math.inf, 2.0**-52
needs_numba = pytest.mark.skipif(not has_numba(), reason="compiled intervals are a type of numba's")
mp = mpmath.mp.clone()
mp.dps = 50


def _turns(a, b):
    return mp.mpf(math.floor(_fraction(a) / _fraction(b)))


def _mod(a, b):
    rest = _fraction(a) % _fraction(b)
    return mp.mpf(rest.numerator) / rest.denominator


def _fraction(a):
    return Fraction(*mpmath.libmp.to_rational(a._mpf_))


TRUTHS = {  # the value, then the partial derivatives, in 50 digits
    operator.neg: (lambda a: -a, lambda a: -1),
    operator.pos: (lambda a: a, lambda a: 1),
    abs: (lambda a: abs(a), lambda a: mp.sign(a)),
    math.fabs: (lambda a: abs(a), lambda a: mp.sign(a)),
    math.sin: (mp.sin, mp.cos),
    math.cos: (mp.cos, lambda a: -mp.sin(a)),
    math.tan: (mp.tan, lambda a: 1 + mp.tan(a) ** 2),
    math.sqrt: (mp.sqrt, lambda a: 1 / (2 * mp.sqrt(a))),
    math.exp: (mp.exp, mp.exp),
    math.log: (mp.log, lambda a: 1 / a),
    math.tanh: (mp.tanh, lambda a: mp.sech(a) ** 2),
    math.acos: (mp.acos, lambda a: -1 / mp.sqrt(1 - a * a)),
    math.asin: (mp.asin, lambda a: 1 / mp.sqrt(1 - a * a)),
    math.atan: (mp.atan, lambda a: 1 / (1 + a * a)),
    float: (lambda a: a, lambda a: 1),
    operator.add: (lambda a, b: a + b, lambda a, b: 1, lambda a, b: 1),
    operator.sub: (lambda a, b: a - b, lambda a, b: 1, lambda a, b: -1),
    operator.mul: (lambda a, b: a * b, lambda a, b: b, lambda a, b: a),
    operator.truediv: (lambda a, b: a / b, lambda a, b: 1 / b, lambda a, b: -a / (b * b)),
    operator.mod: (_mod, lambda a, b: 1, lambda a, b: -_turns(a, b)),
    operator.pow: (
        lambda a, b: mp.power(a, b),
        lambda a, b: b * mp.power(a, b - 1) if b != 0 else 0,
        lambda a, b: mp.power(a, b) * mp.log(a),
    ),
    math.atan2: (
        lambda a, b: mp.atan2(a, b),
        lambda a, b: b / (a * a + b * b),
        lambda a, b: -a / (a * a + b * b),
    ),
    math.hypot: (mp.hypot, lambda a, b: a / mp.hypot(a, b), lambda a, b: b / mp.hypot(a, b)),
    math.copysign: (
        lambda a, b: abs(a) * (1 if b >= 0 else -1),
        lambda a, b: mp.sign(a) * (1 if b >= 0 else -1),
        lambda a, b: 0,
    ),
    max: (lambda a, b: max(a, b), lambda a, b: int(a > b), lambda a, b: int(b > a)),
    min: (lambda a, b: min(a, b), lambda a, b: int(a < b), lambda a, b: int(b < a)),
}
ALIASES = {
    **{getattr(operator, f"i{n}"): getattr(operator, n) for n in ("add", "sub", "mul", "truediv", "mod", "pow")},
    math.pow: operator.pow,
}
DOMAINS = {math.sqrt: (0, INF), math.log: (0, INF), math.acos: (-1, 1), math.asin: (-1, 1)}



def test_every_rule_is_tested():
    assert set(rules.RULES) == TRUTHS.keys() | ALIASES.keys()
    assert all(rules.RULES[name] == rules.RULES[same] for name, same in ALIASES.items())


sizes = st.floats(-300, 300).map(lambda e: 10.0**e)
near = st.floats(-10, 10)
numbers = st.one_of(near, near, st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]), sizes, sizes.map(operator.neg))
exponents = st.one_of(st.sampled_from([-3.0, -2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]), st.floats(-6, 6))


@st.composite
def boxes(draw, middle=numbers):
    """Bounds: of a point, a narrow or a wide interval, or between two numbers."""
    a = draw(middle)
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return a, a
    width = abs(draw(middle)) if kind == 1 else abs(a) * 10.0 ** draw(st.floats(-15, 1)) if kind == 2 else 0.0
    other = a + width if kind < 3 else draw(middle)
    assume(abs(other) < 1e307)
    return min(a, other), max(a, other)


@st.composite
def inside(draw, bounds):
    """A number between bounds; often one of the bounds."""
    lo, hi = bounds
    share = draw(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)))
    return min(max(lo + share * (hi - lo), lo), hi)


def _holds(lo, hi, truth):
    return (lo == -INF or mp.mpf(lo) <= truth) and (hi == INF or truth <= mp.mpf(hi))


def _true(function, *point):
    """Return a value in 50 digits, or None where there is none."""
    try:
        value = function(*(mp.mpf(a) for a in point))
    except ZeroDivisionError:
        return None
    return None if isinstance(value, mp.mpc) or mp.isnan(value) or mp.isinf(value) else mp.mpf(value)


def _is_decided(function, flat):
    return function not in rules.DOUBTS or rules.DOUBTS[function](*flat)[1] == 0.0


@pytest.mark.parametrize("function", TRUTHS, ids=lambda f: f.__name__)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_rules_enclose_values_and_derivatives(function, data):
    truth, *by = TRUTHS[function]
    n, is_power = len(by), function is operator.pow
    bounds = [data.draw(boxes())]
    if n == 2:
        bounds.append(data.draw(boxes(exponents) if is_power else boxes()))
    flat = [bound for pair in bounds for bound in pair]
    assume(_is_decided(function, flat))
    point = [data.draw(inside(pair)) for pair in bounds]
    value = _true(truth, *point)
    lo, hi = rules.value_rule(function)(*flat)
    if value is None:
        return
    assert _holds(lo, hi, value), (flat, point, (lo, hi), value)
    rates = [data.draw(boxes(near)) for _ in bounds]
    rate = [data.draw(inside(pair)) for pair in rates]
    partials = [_true(one, *point) if moves else mp.mpf(0) for one, moves in zip(by, rate, strict=True)]
    if None in partials:
        return
    moves = mp.fsum([partial * mp.mpf(r) for partial, r in zip(partials, rate, strict=True)])
    for which in ("i",) if n == 1 else ("ii", "if", "fi"):
        given = [pair + (rates[i] if which[i] == "i" else ()) for i, pair in enumerate(bounds)]
        if function in rules.CHOICES:
            given = [pair + (rates[i] if which[i] == "i" else (0.0, 0.0)) for i, pair in enumerate(bounds)]
        used = [(partials[i], rate[i]) for i in range(n) if which[i] == "i"]
        moves = mp.fsum([partial * mp.mpf(r) for partial, r in used])
        kink = function in (abs, math.fabs, max, min, math.copysign) and len(set(point)) < 2
        made = rules.jet_rule(function, which)(*(bound for pair in given for bound in pair))
        assert made[:2] == (lo, hi)
        assert kink or _holds(*made[2:], moves), (which, given, point, rate, made, moves)


@pytest.mark.parametrize("function", TRUTHS, ids=lambda f: f.__name__)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_rules_of_points_are_narrow(function, data):
    is_power = function is operator.pow
    n = len(TRUTHS[function]) - 1
    point = [data.draw(numbers), *([data.draw(exponents if is_power else numbers)] if n == 2 else [])]
    lo, hi = rules.value_rule(function)(*(bound for a in point for bound in (a, a)))
    value = _true(TRUTHS[function][0], *point)
    if value is None or (lo, hi) == (-INF, INF):
        outside = function in DOMAINS and not DOMAINS[function][0] <= point[0] <= DOMAINS[function][1]
        steep = function is math.tan and abs(mp.cos(mp.mpf(point[0]))) < 1e-14 * (1 + abs(point[0]))
        cut = function in (operator.pow, operator.truediv, operator.mod, math.log)
        assert value is None or outside or steep or cut
        return
    spread = abs(value)
    if function in (math.sin, math.cos):  # an extremum may lie within the rounding of a turn
        spread = max(spread, mp.mpf(1) if 1 - abs(value) < EPS * (1 + abs(point[0])) ** 2 else 0)
    if function is math.atan2 and point[0] == 0.0 and point[1] < 0.0:
        assert lo < -3.14 and hi > 3.14  # on the branch cut
        return
    if abs(value) < 1e307:
        assert mp.mpf(hi) - mp.mpf(lo) <= 16 * EPS * spread + 2e-299, (point, lo, hi)
