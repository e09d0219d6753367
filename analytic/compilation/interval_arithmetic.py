"""Sums, products, quotients and choices of intervals, rounded outward: plain floats in, (lo, hi) out.

An interval holds every value of a number on a window of time. A bound is the nearest float, moved out by one or two
units in its last place, so that neither a rounding mode nor a contraction matters: compiled and interpreted code
compute the same bits. An operand with a NaN, or with lo > hi, makes the whole line, (-inf, inf).

Minima and maxima are written as comparisons, and nothing is divided by a bound that may be zero: Python's own functions
treat NaN and zero in other ways than compiled code does.

Source: Moore, Kearfott & Cloud, Introduction to Interval Analysis (2009), chapters 2 and 5.
"""

import math

INF = math.inf
EPS = 2.0**-52
TINY = 1e-300  # more than what an underflow loses
LIBM = 4.0  # units by which results of `math` are moved out; errors below two are presumed
LARGE = 8e307  # a bound below what overflows, here or in `exp` and powers, which are cut off at e^709
UNIT = 2.0**52  # floats from here on are whole


def outward(lo, hi, units=1.0):
    """Return an interval with its bounds moved out."""
    low, high = lo - (abs(lo) * (units * EPS) + TINY), hi + (abs(hi) * (units * EPS) + TINY)
    if low <= high:
        return low, high
    if lo == INF and hi == INF:
        return LARGE, INF
    if lo == -INF and hi == -INF:
        return -INF, -LARGE
    return -INF, INF


def smaller(a, b):
    return a if a < b else b


def larger(a, b):
    return a if a > b else b


def clipped(lo, hi, least, most):
    """Return the part of an interval between `least` and `most`, which bound its true values."""
    if lo < least:
        lo = least
    if hi > most:
        hi = most
    return lo, hi


def floor_of(a):
    """Return the largest whole number up to a; NaN and infinity stay."""
    return float(math.floor(a)) if -UNIT < a < UNIT else a


def middle(lo, hi):
    """Return the middle of an interval; of a half line its end, of the whole line 0."""
    if lo > -INF:
        return 0.5 * lo + 0.5 * hi if hi < INF else lo
    return hi if lo == -INF and hi < INF else 0.0


def ordered(al, ah, bl, bh):
    """Return whether two pairs of bounds are intervals: no NaN, and the lower one first."""
    return al <= ah and bl <= bh


def neg(al, ah):
    return (-ah, -al) if al <= ah else (-INF, INF)


def pos(al, ah):
    return (al, ah) if al <= ah else (-INF, INF)


def absolute(al, ah):
    if not al <= ah:
        return -INF, INF
    if al >= 0.0:
        return al, ah
    if ah <= 0.0:
        return -ah, -al
    return 0.0, larger(-al, ah)


def add(al, ah, bl, bh):
    return outward(al + bl, ah + bh)


def sub(al, ah, bl, bh):
    return outward(al - bh, ah - bl)


def mul(al, ah, bl, bh):
    """Return a b; zero times infinity is the whole line."""
    p, q, r, s = al * bl, al * bh, ah * bl, ah * bh
    if not p + q + r + s <= INF:  # NaN; infinities of both signs make the whole line too
        return -INF, INF
    return outward(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)))


def div(al, ah, bl, bh):
    """Return a / b; the whole line where b may be zero."""
    if not ((bl > 0.0 and bl <= bh) or (bh < 0.0 and bl <= bh)):
        return -INF, INF
    p, q, r, s = al / bl, al / bh, ah / bl, ah / bh
    if not p + q + r + s <= INF:
        return -INF, INF
    return outward(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)))


def square(al, ah):
    """Return a a, where both factors are the same: never negative."""
    lo, hi = absolute(al, ah)
    if not lo >= 0.0:
        return -INF, INF
    lo, hi = outward(lo * lo, hi * hi)
    return clipped(lo, hi, 0.0, INF)


def quotient(al, ah, bl, bh):
    """Return floor(a / b) in a % b, and 1 if the intervals do not decide it."""
    if not ordered(al, ah, bl, bh):
        return 0.0, 1.0
    if al == ah and bl == bh and bl != 0.0 and -INF < al < INF and -INF < bl < INF:
        return floor_of((al - al % bl) / bl + 0.5), 0.0  # a remainder is exact, a quotient may be rounded to the next
    lo, hi = div(al, ah, bl, bh)
    low, high = floor_of(lo), floor_of(hi)
    if low == high and -UNIT < low < UNIT:
        return low, 0.0
    a, b = middle(al, ah), middle(bl, bh)
    return (floor_of(a / b), 1.0) if b != 0.0 else (0.0, 1.0)


def mod(al, ah, bl, bh):
    if not ordered(al, ah, bl, bh):
        return -INF, INF
    if al == ah and bl == bh and bl != 0.0 and -INF < al < INF and -INF < bl < INF:
        return outward(al % bl, al % bl)
    turns, undecided = quotient(al, ah, bl, bh)
    if undecided == 1.0:
        return smaller(bl, 0.0), larger(bh, 0.0)
    lo, hi = mul(turns, turns, bl, bh)
    lo, hi = sub(al, ah, lo, hi)
    return clipped(lo, hi, 0.0, bh) if bl > 0.0 else clipped(lo, hi, bl, 0.0)


def sign(al, ah, bl, bh):
    """Return the sign that `copysign(a, b)` takes from b, and 1 if the interval does not decide it."""
    if bl > 0.0 and bl <= bh:
        return 1.0, 0.0
    if bh < 0.0 and bl <= bh:
        return -1.0, 0.0
    if bl == 0.0 and bh == 0.0:
        return math.copysign(1.0, bl), 0.0
    return (1.0 if middle(bl, bh) >= 0.0 else -1.0), 1.0


def copysign(al, ah, bl, bh):
    if not ordered(al, ah, bl, bh):
        return -INF, INF
    lo, hi = absolute(al, ah)
    towards, undecided = sign(al, ah, bl, bh)
    if undecided == 1.0:
        return -hi, hi
    return (lo, hi) if towards > 0.0 else (-hi, -lo)


def larger_of(al, ah, bl, bh):
    return (larger(al, bl), larger(ah, bh)) if ordered(al, ah, bl, bh) else (-INF, INF)


def smaller_of(al, ah, bl, bh):
    return (smaller(al, bl), smaller(ah, bh)) if ordered(al, ah, bl, bh) else (-INF, INF)
