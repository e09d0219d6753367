"""Partial derivatives of elementary functions on intervals; see `interval_arithmetic`.

A rule of one argument is given its bounds and those of the value, (al, ah, lo, hi), a rule of two (al, ah, bl, bh, lo,
hi); each returns the bounds of one partial derivative. At a kink that lies inside it is the hull of both sides
(Clarke's derivative), at a jump the whole line.
"""

import math

from . import interval_elementary as elementary
from .interval_arithmetic import INF, LIBM, UNIT, absolute, add, clipped, div, mul, outward, quotient, sign, square

ROUNDED = 2.0**50  # quotients from here on may be off by one


def one(al, ah, lo, hi):
    """Return 1, of +a."""
    return 1.0, 1.0


def absolute_slope(al, ah, lo, hi):
    """Return the sign of a."""
    if al >= 0.0 and al <= ah:
        return 1.0, 1.0
    if ah <= 0.0 and al <= ah:
        return -1.0, -1.0
    return -1.0, 1.0


def cos_slope(al, ah, lo, hi):
    """Return -sin(a)."""
    low, high = elementary.sin(al, ah)
    return -high, -low


def tan_slope(al, ah, lo, hi):
    """Return 1 + tan(a)^2."""
    low, high = square(lo, hi)
    return add(low, high, 1.0, 1.0)


def sqrt_slope(al, ah, lo, hi):
    """Return 1 / (2 sqrt(a)); the whole line where a may be negative."""
    if al > 0.0 and lo > 0.0:
        return div(0.5, 0.5, lo, hi)
    if al == 0.0 and hi > 0.0:
        low, _ = outward(0.5 / hi, INF)
        return low, INF
    return -INF, INF


def log_slope(al, ah, lo, hi):
    """Return 1 / a."""
    if al == 0.0 and ah > 0.0:
        low, _ = outward(1.0 / ah, INF)
        return low, INF
    return div(1.0, 1.0, al, ah) if al > 0.0 else (-INF, INF)


def tanh_slope(al, ah, lo, hi):
    """Return 1 - tanh(a)^2."""
    low, high = square(lo, hi)
    low, high = add(1.0, 1.0, -high, -low)
    return clipped(low, high, 0.0, 1.0)


def arc_slope(size):
    """Return 1 / sqrt(1 - a^2) at abs(a) = size."""
    root = math.sqrt((1.0 - size) * (1.0 + size))
    return 1.0 / root if root > 0.0 else INF


def asin_slope(al, ah, lo, hi):
    """Return 1 / sqrt(1 - a^2)."""
    if not (al <= ah and al >= -1.0 and ah <= 1.0):
        return -INF, INF
    least, most = absolute(al, ah)
    return outward(arc_slope(least), arc_slope(most), LIBM)


def acos_slope(al, ah, lo, hi):
    """Return -1 / sqrt(1 - a^2)."""
    low, high = asin_slope(al, ah, lo, hi)
    return -high, -low


def atan_slope(al, ah, lo, hi):
    """Return 1 / (1 + a^2)."""
    low, high = square(al, ah)
    low, high = add(low, high, 1.0, 1.0)
    return div(1.0, 1.0, low, high)


def one_of_two(al, ah, bl, bh, lo, hi):
    """Return 1, of a + b by both, of a - b by a."""
    return 1.0, 1.0


def div_by_second(al, ah, bl, bh, lo, hi):
    """Return -(a / b) / b, of a / b by b."""
    low, high = div(lo, hi, bl, bh)
    return -high, -low


def mod_by_first(al, ah, bl, bh, lo, hi):
    """Return 1, of a % b by a; the whole line if it may jump."""
    return (1.0, 1.0) if quotient(al, ah, bl, bh)[1] == 0.0 else (-INF, INF)


def mod_by_second(al, ah, bl, bh, lo, hi):
    """Return -floor(a / b), of a % b by b."""
    turns, undecided = quotient(al, ah, bl, bh)
    if undecided == 1.0:
        return -INF, INF
    if -ROUNDED < turns < ROUNDED:
        return -turns, -turns
    return outward(-turns, -turns, LIBM)


def pow_by_first(al, ah, bl, bh, lo, hi):
    """Return b a^(b - 1), of a^b by a."""
    low, high = bl - 1.0, bh - 1.0
    exact = bl == bh and (0.5 <= bl < UNIT or bl == elementary.floor_of(bl))
    if not exact:  # b - 1 was rounded
        low, high = outward(low, high)
    low, high = elementary.pow(al, ah, low, high)
    return mul(bl, bh, low, high) if not (bl == 0.0 and bh == 0.0) else (0.0, 0.0)


def pow_by_second(al, ah, bl, bh, lo, hi):
    """Return a^b log(a), of a^b by b."""
    if not al > 0.0:
        return -INF, INF
    low, high = elementary.log(al, ah)
    return mul(lo, hi, low, high)


def atan2_by_first(al, ah, bl, bh, lo, hi):
    """Return b / (a^2 + b^2), of atan2(a, b) by a."""
    if elementary.meets_cut(al, ah, bl, bh):
        return -INF, INF
    low, high = elementary.norm(al, ah, bl, bh)
    return div(bl, bh, low, high)


def atan2_by_second(al, ah, bl, bh, lo, hi):
    """Return -a / (a^2 + b^2), of atan2(a, b) by b."""
    if elementary.meets_cut(al, ah, bl, bh):
        return -INF, INF
    low, high = elementary.norm(al, ah, bl, bh)
    return div(-ah, -al, low, high)


def hypot_by_first(al, ah, bl, bh, lo, hi):
    """Return a / hypot(a, b), of hypot(a, b) by a; from -1 to 1 at zero."""
    if not lo > 0.0:
        return -1.0, 1.0
    low, high = div(al, ah, lo, hi)
    return clipped(low, high, -1.0, 1.0)


def hypot_by_second(al, ah, bl, bh, lo, hi):
    """Return b / hypot(a, b), of hypot(a, b) by b; from -1 to 1 at zero."""
    if not lo > 0.0:
        return -1.0, 1.0
    low, high = div(bl, bh, lo, hi)
    return clipped(low, high, -1.0, 1.0)


def copysign_by_first(al, ah, bl, bh, lo, hi):
    """Return the sign of a times that of b, of copysign(a, b) by a."""
    low, high = absolute_slope(al, ah, lo, hi)
    towards, undecided = sign(al, ah, bl, bh)
    if undecided == 1.0:
        return -1.0, 1.0
    return (low, high) if towards > 0.0 else (-high, -low)


def copysign_by_second(al, ah, bl, bh, lo, hi):
    """Return 0, of copysign(a, b) by b; the whole line if it may jump."""
    return (0.0, 0.0) if sign(al, ah, bl, bh)[1] == 0.0 else (-INF, INF)
