"""Intervals: every rule against 50 digits, undecided comparisons, both modes bit for bit, guards of the models."""

import math
import operator
import sys
import types
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tarsus.analytic.compilation import has_numba
from tarsus.analytic.compilation import interval_arithmetic as arithmetic
from tarsus.analytic.compilation import interval_rules as rules
from tarsus.analytic.compilation.interval_objects import Interval
from tarsus.analytic.compilation.rebuild import interpreted, rebuild
from tarsus.analytic.hybrid.expand import to_functions
from tarsus.analytic.hybrid.interval_functions import enclosures, tried
from tarsus.analytic.models import (
    bouncing_ball,
    compass_gait,
    driven_legs,
    hopping_leg_hybrid,
    rimless_wheel,
    simplest_walker,
    slip,
    slip_leg_hybrid,
    spring_walker,
)
from tarsus.analytic.terrain import DitchedFlat, Sinusoid, Sloped, Step
from tarsus.controllers.raibert import raibert
from tarsus.controllers.slip import slip as slip_control
from tarsus.scripts.laboratory.models import deadbeat_slip, dry_friction, pendulum_wall

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
KINKED = (abs, math.fabs, max, min, math.copysign)
DOMAINS = {math.sqrt: (0, INF), math.log: (0, INF), math.acos: (-1, 1), math.asin: (-1, 1)}


def test_every_rule_is_tested():
    assert set(rules.RULES) == TRUTHS.keys() | ALIASES.keys()
    assert all(rules.RULES[name] == rules.RULES[same] for name, same in ALIASES.items())


sizes = st.floats(-300, 300).map(lambda e: 10.0**e)
near = st.floats(-10, 10)
numbers = st.one_of(
    near, near, st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]), sizes, sizes.map(operator.neg)
)
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
    jumps = {operator.mod: arithmetic.quotient, math.copysign: arithmetic.sign}
    return function not in jumps or jumps[function](*flat)[1] == 0.0


@pytest.mark.parametrize("function", TRUTHS, ids=lambda f: f.__name__)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)  # `mod` is often undecided
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
    partials = [_true(one, *point) for one in by]
    for which in ("i",) if n == 1 else ("ii", "if", "fi"):
        given = [pair + (rates[i] if which[i] == "i" else ()) for i, pair in enumerate(bounds)]
        if function in rules.CHOICES:
            given = [pair + (rates[i] if which[i] == "i" else (0.0, 0.0)) for i, pair in enumerate(bounds)]
        used = [(partials[i], rate[i]) for i in range(n) if which[i] == "i" and rate[i] != 0.0]
        if any(partial is None for partial, _ in used):
            continue
        moves = mp.fsum([partial * mp.mpf(r) for partial, r in used])
        kink = point[0] == (point[1] if function in (max, min) else 0.0) and function in KINKED
        made = rules.jet_rule(function, which)(*(bound for pair in given for bound in pair))
        assert made[:2] == (lo, hi)
        assert kink or _holds(*made[2:], moves), (which, given, point, rate, made, moves)


@pytest.mark.parametrize("function", TRUTHS, ids=lambda f: f.__name__)
@settings(max_examples=75, deadline=None)
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
    slack = 2e-299
    if function in (math.sin, math.cos, math.tan) and abs(point[0]) > 1e6:
        return  # the rounding of so many turns is more than that of the value
    if function in (math.sin, math.cos):  # near an extremum, which may lie within the rounding of a turn
        slack += 40 * (EPS * (1 + abs(point[0]))) ** 2
    if is_power and point[1] < 0.0:  # one over a power, which may be as small as what is added to it
        slack += 4e-300 * abs(value) ** 2
    if function is math.atan2 and point[0] == 0.0 and point[1] < 0.0:
        assert lo < -3.14 and hi > 3.14  # on the branch cut
        return
    if abs(value) < 1e307:
        assert mp.mpf(hi) - mp.mpf(lo) <= 16 * EPS * abs(value) + slack, (point, lo, hi)


@pytest.mark.parametrize("function", rules.RULES, ids=lambda f: f.__name__)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_nothing_is_known_of_what_is_not_a_number(function, data):
    n = len(rules.RULES[function]) - 1 if function not in rules.CHOICES else 2
    flat = [bound for _ in range(n) for bound in data.draw(boxes())]
    flat[data.draw(st.integers(0, len(flat) - 1))] = math.nan
    assert rules.value_rule(function)(*flat) == (-INF, INF)
    moving = [bound for i in range(n) for bound in (*flat[2 * i : 2 * i + 2], 1.0, 1.0)]
    assert function in rules.CHOICES or rules.jet_rule(function, "i" * n)(*moving) == (-INF, INF, -INF, INF)


@pytest.mark.parametrize("question", rules.QUESTIONS.values(), ids=lambda f: f.__name__)
@pytest.mark.parametrize("place", range(4))
def test_what_is_not_a_number_decides_nothing(question, place):
    flat = [1.0, 2.0, 3.0, 4.0][: question.__code__.co_argcount]
    flat[place % len(flat)] = math.nan
    assert question(*flat)[2] >= 1.0


def test_powers_and_waves_are_tight():
    assert rules.value_rule(operator.pow)(-1.0, 2.0, 2.0, 2.0)[0] == 0.0
    assert rules.value_rule(operator.pow)(-1.0, 2.0, 4.0, 4.0)[0] == 0.0
    assert rules.value_rule(operator.pow)(-2.0, 2.0, 3.0, 3.0)[0] < -7.9
    lo, hi = rules.value_rule(math.sin)(1.0, 1.0 + 1e-9)
    assert hi - lo < 6e-10
    assert rules.value_rule(math.cos)(-0.1, 0.1)[1] == 1.0
    assert rules.value_rule(math.sin)(1e300, 1e300) == (-1.0, 1.0)
    assert rules.value_rule(math.hypot)(-1.0, 1.0, -2.0, 0.5)[0] == 0.0
    lo, hi = rules.value_rule(math.atan2)(-1.0, 1.0, 1.0, 2.0)
    assert hi == pytest.approx(math.pi / 4) and lo == pytest.approx(-math.pi / 4)
    assert rules.value_rule(math.atan2)(-1.0, 1.0, -2.0, -1.0)[1] == pytest.approx(math.pi)


def test_rules_at_the_edge_of_a_domain():
    whole = (-INF, INF)
    assert rules.value_rule(operator.truediv)(1.0, 2.0, 0.0, 1.0) == whole
    assert rules.value_rule(math.asin)(0.5, 1.5) == whole
    assert rules.value_rule(math.log)(-1.0, 1.0) == whole
    lo, hi = rules.value_rule(math.sqrt)(-1.0, 4.0)
    assert lo == 0.0 and hi == pytest.approx(2.0)
    assert rules.jet_rule(math.sqrt, "i")(-1.0, 4.0, 1.0, 1.0)[2:] == whole
    assert rules.jet_rule(math.sqrt, "i")(0.0, 4.0, 0.0, 0.0)[2:] == (0.0, 0.0)  # what does not move adds nothing
    assert rules.jet_rule(abs, "i")(-1.0, 2.0, 3.0, 4.0)[2:] == pytest.approx((-4.0, 4.0))
    assert rules.jet_rule(max, "ii")(0.0, 2.0, 3.0, 4.0, 1.0, 3.0, 5.0, 6.0) == (1.0, 3.0, 3.0, 6.0)
    assert rules.jet_rule(min, "ii")(0.0, 2.0, 3.0, 4.0, 3.0, 4.0, 5.0, 6.0) == (0.0, 2.0, 3.0, 4.0)


def test_comparisons_are_decided_by_bounds_or_counted():
    cell = np.zeros(4, np.int64)
    a, b = Interval(1.0, 2.0, None, cell), Interval(2.0, 3.0, None, cell)
    assert a <= b and not a > b and a < 2.5 and a != 3.0 and cell[0] == 0
    assert Interval(2.0, 2.0, None, cell) == 2.0 and cell[0] == 0
    assert a < b and cell[0] == 1  # they share 2: their middles decide
    assert not a == 1.4 and math.nan != a and cell[0] == 3
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(a)


def waiting(t, x, d, p, chart, g):
    n = 0
    while x[0] > 0.0:
        n += 1
    g[0] = 1.0 * n
    while math.floor(x[0]) == 0:
        n += 1
    g[1] = 1.0 * n


def test_a_loop_that_waits_for_a_change_ends():
    g, cell = np.full((2, 4), INF), np.zeros(4, np.int64)
    enclosures(waiting, False, False, True)(np.zeros(4), np.array([[-1.0, 2.0, 0.0, 0.0]]), None, None, 0, g, cell)
    assert cell[rules.UNDECIDED] > rules.PATIENCE


@pytest.mark.parametrize("clears", [True, False])
@pytest.mark.parametrize("path", [0, 1])
def test_an_undecided_comparison_is_answered_as_the_path_says(path, clears):
    def guards(t, x, d, p, chart, g):
        g[0] = x[0] + 5.0
        g[1] = 3.0 if x[0] > 0.5 else x[0]
        g[1:][1] = 4.0

    g, cell = np.full((4, 4), INF), np.zeros(4, np.int64)
    cell[rules.PATH] = path
    enclosures(guards, True, clears, True)(np.zeros(4), np.array([[-1.0, 1.0, 2.0, 3.0]]), None, None, 0, g, cell)
    np.testing.assert_allclose(g[0], [4.0, 6.0, 2.0, 3.0])
    assert g[1].tolist() == ([-1.0, 1.0, 2.0, 3.0] if path == 0 else [3.0, 3.0, 0.0, 0.0])
    assert g[2].tolist() == [4.0, 4.0, 0.0, 0.0] and g[3].tolist() == [INF] * 4
    assert cell.tolist() == ([0, path, 1, 0] if clears else [1, path, 0, 0])


def test_a_whole_part_with_more_than_two_answers_is_lost():
    def guards(t, x, d, p, chart, g):
        g[0] = 1.0 * math.floor(x[0])

    g, cell = np.full((1, 4), INF), np.zeros(4, np.int64)
    enclosures(guards, False, True, True)(np.zeros(4), np.array([[0.0, 1.5, 0.0, 0.0]]), None, None, 0, g, cell)
    assert cell[rules.LOST] == 0
    enclosures(guards, False, True, True)(np.zeros(4), np.array([[0.0, 2.5, 0.0, 0.0]]), None, None, 0, g, cell)
    assert cell[rules.LOST] == 1


REFUSED = {
    "a function of math": lambda x: math.gamma(x[0]),
    "linear algebra": lambda x: np.linalg.norm(x),
    "a sum of arrays": lambda x: (x[:2] + x[:2])[0],
    "three numbers": lambda x: max(x[0], x[1], 0.0),
    "a builtin": lambda x: round(x[0]),
    "truth": lambda x: x[0] if x[0] else x[1],
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_what_has_no_rule_is_refused(value):
    def guards(t, x, d, p, chart, g):
        g[0] = value(x)

    assert isinstance(tried(guards, np.ones(2), np.zeros(1), np.zeros(1), 0, 1), (AttributeError, TypeError))


ONE = ("-{a}", "abs({a})", "math.sin({a})", "math.cos({a})", "math.tan({a})", "math.sqrt({a})", "math.exp({a})")
ONE += ("math.log({a})", "math.tanh({a})", "math.acos({a})", "math.asin({a})", "math.atan({a})", "float({a})")
ONE += ("{a} ** 2", "{a} ** 3", "{a} ** -1", "{a} ** 0.5", "2.0 ** {a}", "{a} + 0.5", "0.3 - {a}", "{a} / p[0]")
ONE += ("math.floor({a}) + {a}", "int({a}) * {a}", "({a} if math.isfinite({a}) else 1.0) + {a}", "np.sin({a})")
TWO = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "{a} % {b}", "{a} ** {b}", "math.atan2({a}, {b})")
TWO += ("math.hypot({a}, {b})", "math.copysign({a}, {b})", "max({a}, {b})", "min({a}, {b})", "math.pow({a}, {b})")
TWO += ("({a} if {a} < {b} else {b})", "({a} if {a} >= {b} else 2.0)", "np.where({a} != {b}, {a}, 1.0)")


def program(rng, n=40):
    """Return a guards function of random statements, each with values of the ones before it."""
    lines = ["def guards(t, x, d, p, chart, g):", "    room = np.zeros((2, 2))", "    v0, v1, v2 = t, x[0], x[1:][0]"]
    for i in range(3, n):
        a, b = (f"v{k}" for k in rng.integers(0, i, 2))
        form = (ONE, TWO)[rng.integers(2)]
        lines.append(f"    v{i} = " + form[rng.integers(len(form))].format(a=a, b=b))
        if i % 5 == 0:
            lines += [f"    room[0, 1] = v{i}", f"    g[{i}] = room[0, 1] + room[1, 0]"]
        else:
            lines.append(f"    g[{i}] = v{i}")
    space = {"math": math, "np": np}
    exec("\n".join(lines), space)
    return space["guards"]


def compiled(guards, rate, clears):
    """Return the compiled enclosures of a guards function."""
    import numba

    name = "tarsus_test_intervals"
    sys.modules[name] = types.ModuleType(name)
    wrap = numba.njit(error_model="numpy")
    return rebuild(enclosures(guards, rate, clears, False), wrap, {}, {}, name, frozen=True)


def windows(rng, n):
    """Return bounds of n numbers and their derivatives, shape (n, 4): points, narrow, wide, and impossible ones."""
    middle = rng.choice([rng.normal(size=n), rng.choice([0.0, 0.5, 1.0, -1.0], n), 10.0 ** rng.uniform(-9, 9, n)])
    half = rng.choice([0.0, 1e-12, 1e-3, 1.0], n)
    rows = np.column_stack([middle - half, middle + half, -half, rng.choice([0.0, 0.3, -0.2, 2.0], n)])
    rows[:, 3] = np.maximum(rows[:, 2], rows[:, 3])
    if rng.random() < 0.1:
        rows[rng.integers(n), rng.integers(4)] = rng.choice([math.nan, INF, -INF])
    return rows


@needs_numba
def test_rules_of_one_name_are_one_rule():
    from tarsus.analytic.compilation import interval_library

    found = {}
    for function, parts in rules.RULES.items():
        assert found.setdefault(interval_library.value_name(function), parts) == parts


@needs_numba
@pytest.mark.extra
def test_a_release_that_was_not_tried_compiles_rules_as_it_does(monkeypatch):
    from tarsus.analytic.compilation import functions, interval_library

    def guards(t, x, d, p, chart, g):
        g[0] = math.sin(t) * x[0] + p[0]
        g[1] = 1.0 if x[1] > 0.0 else math.sqrt(x[0])

    monkeypatch.setattr(functions, "TRIED", ())
    monkeypatch.setattr(interval_library, "_DONE", {})
    monkeypatch.setattr(interval_library, "_translated", None)  # not called
    interval_library.library.cache_clear()
    rows, made = np.array([[0.5, 0.6, 0.0, 1.0], [-0.1, 0.1, 0.0, 0.0]]), []
    for f in (enclosures(guards, True, True, True), compiled(guards, True, True)):
        g, cell = np.full((2, 4), INF), np.zeros(4, np.int64)
        f(np.array([0.1, 0.2, 1.0, 1.0]), rows, np.zeros(1), np.array([0.3]), 0, g, cell)
        made.append((g.tobytes(), *cell))
    assert made[0] == made[1]


@needs_numba
@pytest.mark.extra
@pytest.mark.parametrize(
    ("rate", "clears"),
    [(True, True), (False, True), (True, False)],
)
def test_compiled_and_interpreted_bounds_are_the_same_bits(rate, clears):
    rng = np.random.default_rng(7 + rate)
    guards, p, n = program(rng), np.array([0.7]), 40
    twin, fast = enclosures(guards, rate, clears, True), compiled(guards, rate, clears)
    decided = 0
    for _ in range(200):
        rows = windows(rng, 3)
        made = []
        for f in (twin, fast):
            g, cell = np.full((n, 4), INF), np.zeros(4, np.int64)
            f(rows[2], np.ascontiguousarray(rows[:2]), np.zeros(1), p, 0, g, cell)
            made.append((g.tobytes(), cell[0]))
        assert made[0] == made[1], (rows, np.array(g))
        decided += np.isfinite(g[3:, :2]).all(axis=1).sum()
    assert decided > 500


def _hexapod(ground=None, servos=False):
    from tarsus.analytic.models.hexapod import hybrid, parameters, servo

    return hybrid.build(terrain=ground, control=servo.servo(parameters.HexapodParams()) if servos else None)


MODELS = {  # and the charts that are tried
    "slip": slip.build,
    "deadbeat_slip": deadbeat_slip.build,
    "bouncing_ball": bouncing_ball.build,
    "compass_gait": compass_gait.build,
    "rimless_wheel": rimless_wheel.build,
    "simplest_walker": simplest_walker.build,
    "spring_walker": spring_walker.build,
    "pendulum_wall": pendulum_wall.build,
    "dry_friction": dry_friction.build,
}
LARGE = {
    "hexapod": _hexapod,
    "hexapod_on_waves": lambda: _hexapod(Sinusoid()),
    "hexapod_on_a_slope": lambda: _hexapod(Sloped()),
    "hexapod_on_a_step": lambda: _hexapod(Step()),
    "hexapod_at_a_ditch": lambda: _hexapod(DitchedFlat()),
    "hexapod_with_servos": lambda: _hexapod(servos=True),
    "hopping_leg": lambda: hopping_leg_hybrid.build(raibert()),
    "slip_leg": lambda: slip_leg_hybrid.build(slip_control()),
    "driven_hopping_leg": lambda: driven_legs.hopping_leg()[0],
    "driven_slip_leg": lambda: driven_legs.slip_leg()[0],
}
HEXAPOD_CHARTS = (0, 0b010101010101, 0b101010101010, 0b111111 << 12 | 0b100100100100)


def charts_of(model):
    return HEXAPOD_CHARTS if model.charts is None else range(len(model.charts))


def run_of(model, rng, step=1e-3):
    """Return window and straight line in it: rows of time and state, and `at(share)`, a point of the line."""
    at, way = model.x0 + 0.02 * rng.normal(size=model.x0.size), rng.normal(size=model.x0.size)
    ends = np.column_stack([at, at + step * way])
    rows = np.column_stack([ends.min(axis=1), ends.max(axis=1), way, way])
    return np.array([0.1, 0.1 + step, 1.0, 1.0]), rows, lambda share: (0.1 + step * share, at + step * share * way)


@pytest.mark.parametrize("build", (MODELS | LARGE).values(), ids=MODELS | LARGE)
def test_the_guards_of_the_models_are_enclosed(build):
    model, rng = build(), np.random.default_rng(3)
    f, n, step = to_functions(model), len(model.guards), 1e-5
    values, d, p = interpreted(f.guards), np.append(model.d0, 0.0), np.append(model.p0, 0.0)
    enclose, decided = enclosures(f.guards, True, model.three is None, True), 0
    for chart in charts_of(model):
        for _ in range(3):
            t, rows, at = run_of(model, rng, step)
            g, cell = np.full((n, 4), INF), np.zeros(4, np.int64)
            enclose(t, rows, d, p, chart, g, cell)
            found = []
            for share in (0.0, 0.5, 1.0):
                u = np.full(n, INF)
                values(*at(share), d, p, chart, u)
                assert np.all((g[:, 0] <= u) & (u <= g[:, 1])), (chart, u, g)
                found.append(u)
            known = np.isfinite(g).all(axis=1)
            slope = (found[2][known] - found[0][known]) / step  # a mean of derivatives
            slack = 4 * EPS * np.abs(found[0][known]) / step + 1e-6 * np.abs(slope) + 1e-9
            assert np.all((g[known, 2] - slack <= slope) & (slope <= g[known, 3] + slack))
            decided += known.sum()
    assert decided > 0


@needs_numba
@pytest.mark.extra
@pytest.mark.parametrize("rate", [False, True])
@pytest.mark.parametrize("build", [pytest.param(b, id=name) for name, b in MODELS.items() if "leg" not in name])
def test_the_guards_of_the_models_compile_to_the_same_bits(build, rate):
    model, rng = build(), np.random.default_rng(4)
    f, clears = to_functions(model), model.three is None
    d, p, n = np.append(model.d0, 0.0), np.append(model.p0, 0.0), len(model.guards)
    both = enclosures(f.guards, rate, clears, True), compiled(f.guards, rate, clears)
    for chart in charts_of(model):
        for step in (0.0, 1e-6, 1e-2, 1.0):
            t, rows, _ = run_of(model, rng, step)
            made = []
            for enclose in both:
                g, cell = np.full((n, 4), INF), np.zeros(4, np.int64)
                enclose(t, rows, d, p, chart, g, cell)
                made.append((g.tobytes(), cell[0]))
            assert made[0] == made[1], (chart, step)
