"""Rules of intervals, for `intervals` and `interval_objects`: what each function of a model does to bounds.

One source of plain functions of floats serves compiled and interpreted code, so that their bounds are the same bits.
Values and partial derivatives have rules of their own: who asks for values pays for no derivatives.

`value_rule` and `jet_rule` return what carries out a function: bounds in, bounds out. What intervals may fail to decide
(comparisons, whole parts, whether a number is finite) has a rule in `QUESTIONS`: one that is undecided gives both
answers, and `enclosures` follows both paths.
"""

import functools
import math
import operator
from collections.abc import Callable

from . import interval_arithmetic as arithmetic
from . import interval_elementary as elementary
from . import interval_questions as questions
from . import interval_slopes as slopes
from .interval_arithmetic import INF, mul, outward

PATIENCE = 60  # undecided questions after which answers alternate, so that a loop that waits for one ends
# The cell of undecided questions: how many there were in this guard; the path, whose binary digits tell which answers
# to take; how many there were in the guard with most; whether there was one with more than two answers.
UNDECIDED, PATH, MOST, LOST = range(4)

# The value, then the partial derivatives.
ONE = {
    operator.neg: (arithmetic.neg, lambda al, ah, lo, hi: (-1.0, -1.0)),
    operator.pos: (arithmetic.pos, slopes.one),
    abs: (arithmetic.absolute, slopes.absolute_slope),
    math.fabs: (arithmetic.absolute, slopes.absolute_slope),
    math.sin: (elementary.sin, lambda al, ah, lo, hi: elementary.cos(al, ah)),
    math.cos: (elementary.cos, slopes.cos_slope),
    math.tan: (elementary.tan, slopes.tan_slope),
    math.sqrt: (elementary.sqrt, slopes.sqrt_slope),
    math.exp: (elementary.exp, lambda al, ah, lo, hi: (lo, hi)),
    math.log: (elementary.log, slopes.log_slope),
    math.tanh: (elementary.tanh, slopes.tanh_slope),
    math.acos: (elementary.acos, slopes.acos_slope),
    math.asin: (elementary.asin, slopes.asin_slope),
    math.atan: (elementary.atan, slopes.atan_slope),
    float: (arithmetic.pos, slopes.one),
}
_POW = (elementary.pow, slopes.pow_by_first, slopes.pow_by_second)
_OPERATORS = {  # `a += b` is `a + b`
    "add": (arithmetic.add, slopes.one_of_two, slopes.one_of_two),
    "sub": (arithmetic.sub, slopes.one_of_two, lambda al, ah, bl, bh, lo, hi: (-1.0, -1.0)),
    "mul": (mul, lambda al, ah, bl, bh, lo, hi: (bl, bh), lambda al, ah, bl, bh, lo, hi: (al, ah)),
    "truediv": (arithmetic.div, lambda al, ah, bl, bh, lo, hi: arithmetic.div(1.0, 1.0, bl, bh), slopes.div_by_second),
    "mod": (arithmetic.mod, slopes.mod_by_first, slopes.mod_by_second),
    "pow": _POW,
}
TWO = {getattr(operator, i + name): rule for i in ("", "i") for name, rule in _OPERATORS.items()} | {
    math.pow: _POW,
    math.atan2: (elementary.atan2, slopes.atan2_by_first, slopes.atan2_by_second),
    math.hypot: (elementary.hypot, slopes.hypot_by_first, slopes.hypot_by_second),
    math.copysign: (arithmetic.copysign, slopes.copysign_by_first, slopes.copysign_by_second),
    max: (arithmetic.larger_of,),
    min: (arithmetic.smaller_of,),
}
RULES = ONE | TWO
QUESTIONS = {
    operator.lt: questions.lt,
    operator.le: questions.le,
    operator.gt: questions.gt,
    operator.ge: questions.ge,
    operator.eq: questions.eq,
    operator.ne: questions.ne,
    math.floor: questions.floor,
    int: questions.whole,
    math.isfinite: questions.isfinite,
    math.isnan: questions.isnan,
}
WHOLE_ANSWERS = (math.floor, int)  # the others answer yes or no
# Compiled into their callers; the others are called, or the code of long guards would grow several times as long.
SMALL = {operator.neg, operator.pos, float}


def takes_other(cell, undecided):
    """Count an undecided question, and return whether the path takes its other answer."""
    n = cell[UNDECIDED]
    cell[UNDECIDED] = n + 1
    if undecided == 2.0:
        cell[LOST] = 1
    return (n if n >= PATIENCE else cell[PATH] >> n) & 1 == 1


def end_guard(cell):
    """Keep a guard's number of undecided questions if it is the largest yet, and begin to count for the next guard."""
    if cell[UNDECIDED] > cell[MOST]:
        cell[MOST] = cell[UNDECIDED]
    cell[UNDECIDED] = 0


def value_rule(function: Callable) -> Callable:
    """Return the rule of a function's value: (lo, hi) from those of its arguments."""
    return RULES[function][0]


@functools.cache
def jet_rule(function: Callable, which: str) -> Callable:
    """Return the rule of a function's value and derivative: (lo, hi, dlo, dhi).

    Args:
        function: A key of `RULES`.
        which: A letter for each argument: "i" if its bounds are followed by those of its derivative, "f" if it is a
            number, given as both its bounds; those of `CHOICES` are not.
    """
    value, *by = RULES[function]
    if function in CHOICES:
        return _choice(value, CHOICES[function])
    return {"i": _one, "ii": _both, "if": _first, "fi": _second}[which](value, *by)


def term(pl, ph, dl, dh):
    """Return a partial derivative times that of the argument; what does not move adds nothing, however steep."""
    if dl == 0.0 and dh == 0.0:
        return 0.0, 0.0
    if pl == 1.0 and ph == 1.0:
        return dl, dh
    if pl == -1.0 and ph == -1.0:
        return -dh, -dl
    if pl == 0.0 and ph == 0.0 and dl > -INF and dh < INF:
        return 0.0, 0.0
    return mul(pl, ph, dl, dh)


def joined(sl, sh, tl, th):
    """Return the sum of two terms; nothing added changes nothing."""
    if tl == 0.0 and th == 0.0:
        return sl, sh
    if sl == 0.0 and sh == 0.0:
        return tl, th
    return outward(sl + tl, sh + th)


def moving(lo, hi, dl, dh):
    """Return value and derivative, which has no bounds if the value has none."""
    return (lo, hi, dl, dh) if (lo > -INF or hi < INF) and dl <= dh else (lo, hi, -INF, INF)


def _one(value, by):
    def rule(al, ah, adl, adh):
        lo, hi = value(al, ah)
        pl, ph = by(al, ah, lo, hi)
        dl, dh = term(pl, ph, adl, adh)
        return moving(lo, hi, dl, dh)

    return rule


def _both(value, by_first, by_second):
    def rule(al, ah, adl, adh, bl, bh, bdl, bdh):
        lo, hi = value(al, ah, bl, bh)
        pl, ph = by_first(al, ah, bl, bh, lo, hi)
        sl, sh = term(pl, ph, adl, adh)
        pl, ph = by_second(al, ah, bl, bh, lo, hi)
        tl, th = term(pl, ph, bdl, bdh)
        dl, dh = joined(sl, sh, tl, th)
        return moving(lo, hi, dl, dh)

    return rule


def _first(value, by, by_second):
    def rule(al, ah, adl, adh, bl, bh):
        lo, hi = value(al, ah, bl, bh)
        pl, ph = by(al, ah, bl, bh, lo, hi)
        dl, dh = term(pl, ph, adl, adh)
        return moving(lo, hi, dl, dh)

    return rule


def _second(value, by_first, by):
    def rule(al, ah, bl, bh, bdl, bdh):
        lo, hi = value(al, ah, bl, bh)
        pl, ph = by(al, ah, bl, bh, lo, hi)
        dl, dh = term(pl, ph, bdl, bdh)
        return moving(lo, hi, dl, dh)

    return rule


def of_larger(al, ah, adl, adh, bl, bh, bdl, bdh):
    """Return the derivative of max(a, b): of the larger, or, if that is undecided, the hull of both."""
    if al >= bh and bl <= bh:
        return adl, adh
    if bl >= ah and al <= ah:
        return bdl, bdh
    return arithmetic.smaller(adl, bdl), arithmetic.larger(adh, bdh)


def of_smaller(al, ah, adl, adh, bl, bh, bdl, bdh):
    """Return the derivative of min(a, b)."""
    return of_larger(-ah, -al, adl, adh, -bh, -bl, bdl, bdh)


CHOICES = {max: of_larger, min: of_smaller}


def _choice(value, choose):
    def rule(al, ah, adl, adh, bl, bh, bdl, bdh):
        lo, hi = value(al, ah, bl, bh)
        dl, dh = choose(al, ah, adl, adh, bl, bh, bdl, bdh)
        return moving(lo, hi, dl, dh)

    return rule
