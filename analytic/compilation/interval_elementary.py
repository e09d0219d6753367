"""Roots, powers, exponentials and angles of intervals: plain floats in, (lo, hi) out; see `interval_arithmetic`.

Where an argument may lie outside the domain the answer is the whole line; a root's is [0, root of its upper end].
"""

import math

from .interval_arithmetic import (
    EPS,
    INF,
    LIBM,
    UNIT,
    absolute,
    add,
    clipped,
    div,
    floor_of,
    larger,
    ordered,
    outward,
    smaller,
    square,
)

MOST_EXPONENT, LEAST_EXPONENT = 709.0, -700.0  # e to the first is above LARGE, e to the second below TINY
NEARLY_TURN = 6.28


def sqrt(al, ah):
    if not (al <= ah and ah >= 0.0):
        return -INF, INF
    root = math.sqrt(ah)
    if al <= 0.0:
        _, hi = outward(root, root)
        return 0.0, hi
    return outward(math.sqrt(al), root)


def exp_of(a):
    """Return e^a; infinity instead of an overflow."""
    return math.exp(a) if a <= MOST_EXPONENT else INF


def exp(al, ah):
    if not al <= ah:
        return -INF, INF
    lo, hi = outward(exp_of(al), exp_of(ah), LIBM)
    return clipped(lo, hi, 0.0, INF)


def log(al, ah):
    if not (al <= ah and al >= 0.0 and ah > 0.0):
        return -INF, INF
    return outward(math.log(al) if al > 0.0 else -INF, math.log(ah), LIBM)


def tanh(al, ah):
    if not al <= ah:
        return -INF, INF
    lo, hi = outward(math.tanh(al), math.tanh(ah), LIBM)
    return clipped(lo, hi, -1.0, 1.0)


def waves(al, ah, first, last, shift):
    """Return the range of a cosine, from its values at both ends and the extrema in between, at (k + shift) pi."""
    # How far an end, divided by pi and shifted, may be off.
    e = 2.0 * EPS * (1.0 + larger(abs(al), abs(ah)))
    begin = -floor_of(-(al / math.pi - shift - e))
    end = floor_of(ah / math.pi - shift + e)
    lo, hi = outward(smaller(first, last), larger(first, last), LIBM)
    if end > begin or not (-UNIT < begin < UNIT):
        return -1.0, 1.0
    if end == begin:
        if end == 2.0 * floor_of(0.5 * end):
            hi = 1.0
        else:
            lo = -1.0
    return clipped(lo, hi, -1.0, 1.0)


def cos(al, ah):
    if not al <= ah:
        return -INF, INF
    if not ah - al < NEARLY_TURN:
        return -1.0, 1.0
    return waves(al, ah, math.cos(al), math.cos(ah), 0.0)


def sin(al, ah):
    if not al <= ah:
        return -INF, INF
    if not ah - al < NEARLY_TURN:
        return -1.0, 1.0
    return waves(al, ah, math.sin(al), math.sin(ah), 0.5)


def tan(al, ah):
    """Return the tangent; the whole line where it may have a pole."""
    if not (al <= ah and -UNIT < al and ah < UNIT):
        return -INF, INF
    e = 2.0 * EPS * (1.0 + larger(abs(al), abs(ah)))
    if not floor_of(al / math.pi + 0.5 - e) == floor_of(ah / math.pi + 0.5 + e):
        return -INF, INF
    return outward(math.tan(al), math.tan(ah), LIBM)


def asin(al, ah):
    if not (al <= ah and al >= -1.0 and ah <= 1.0):
        return -INF, INF
    return outward(math.asin(al), math.asin(ah), LIBM)


def acos(al, ah):
    if not (al <= ah and al >= -1.0 and ah <= 1.0):
        return -INF, INF
    lo, hi = outward(math.acos(ah), math.acos(al), LIBM)
    return clipped(lo, hi, 0.0, INF)


def atan(al, ah):
    return outward(math.atan(al), math.atan(ah), LIBM) if al <= ah else (-INF, INF)


def length(a, b):
    """Return the root of a a + b b, of numbers that are not negative: the same bits everywhere, unlike `math.hypot`."""
    large, small = larger(a, b), smaller(a, b)
    if large == 0.0 or large == INF:
        return large
    share = small / large
    return large * math.sqrt(1.0 + share * share)


def hypot(al, ah, bl, bh):
    if not ordered(al, ah, bl, bh):
        return -INF, INF
    al, ah = absolute(al, ah)
    bl, bh = absolute(bl, bh)
    lo, hi = outward(length(al, bl), length(ah, bh), LIBM)
    return clipped(lo, hi, 0.0, INF)


def meets_cut(al, ah, bl, bh):
    """Return whether (a, b) may be zero, or lie where atan2(a, b) jumps."""
    return not (ordered(al, ah, bl, bh) and (bl > 0.0 or al > 0.0 or ah < 0.0))


def upper_angles(al, ah, bl, bh):
    """Return atan2(a, b) for a > 0: extreme at two corners."""
    first = math.atan2(al if bh > 0.0 else ah, bh)
    last = math.atan2(ah if bl > 0.0 else al, bl)
    return outward(first, last, LIBM)


def atan2(al, ah, bl, bh):
    """Return the angle of a point at b and a: from -pi to pi where it may lie on the branch cut."""
    if not ordered(al, ah, bl, bh):
        return -INF, INF
    if al > 0.0:
        return upper_angles(al, ah, bl, bh)
    if ah < 0.0:
        lo, hi = upper_angles(-ah, -al, bl, bh)
        return -hi, -lo
    if bl >= 0.0:  # plus zero: a zero of the other sign lies on the cut
        return outward(math.atan2(al, bl + 0.0), math.atan2(ah, bl + 0.0), LIBM)
    return outward(-math.pi, math.pi)


def power(a, b):
    """Return a^b for a >= 0 and finite b; 0 and infinity where it is below TINY or above LARGE."""
    if b == 2.0:
        return a * a
    if a == 0.0 or a == INF:
        return a if b > 0.0 else INF if a == 0.0 else 0.0
    exponent = b * math.log(a)
    if exponent > MOST_EXPONENT:
        return INF
    return a**b if exponent > LEAST_EXPONENT else 0.0


def whole_power(al, ah, n):
    """Return a^n for a whole n > 1; not negative where it is even."""
    if n == 2.0 * floor_of(0.5 * n):
        al, ah = absolute(al, ah)
        lo, hi = outward(power(al, n), power(ah, n), LIBM)
        return clipped(lo, hi, 0.0, INF)
    first = power(al, n) if al >= 0.0 else -power(-al, n)
    last = power(ah, n) if ah >= 0.0 else -power(-ah, n)
    return outward(first, last, LIBM)


def real_power(al, ah, bl, bh):
    """Return a^b for a >= 0: extreme at the corners, as b log(a) is."""
    if not (al >= 0.0 and (al > 0.0 or bl > 0.0) and -INF < bl and bh < INF):
        return -INF, INF
    if bl == 0.5 and bh == 0.5:
        return sqrt(al, ah)
    p, q = power(al, bl), power(ah, bl)
    lo, hi = smaller(p, q), larger(p, q)
    if bl < bh:
        p, q = power(al, bh), power(ah, bh)
        lo, hi = smaller(lo, smaller(p, q)), larger(hi, larger(p, q))
    lo, hi = outward(lo, hi, LIBM)
    return clipped(lo, hi, 0.0, INF)


def pow(al, ah, bl, bh):  # noqa: A001
    if not ordered(al, ah, bl, bh):
        return -INF, INF
    if not (bl == bh and bl == floor_of(bl) and -UNIT < bl < UNIT):
        return real_power(al, ah, bl, bh)
    if bl == 0.0:
        return 1.0, 1.0
    if bl == 1.0:
        return al, ah
    if bl == 2.0:
        return square(al, ah)
    if bl > 0.0:
        return whole_power(al, ah, bl)
    lo, hi = (al, ah) if bl == -1.0 else whole_power(al, ah, -bl)
    return div(1.0, 1.0, lo, hi)


def norm(al, ah, bl, bh):
    sl, sh = square(al, ah)
    tl, th = square(bl, bh)
    return add(sl, sh, tl, th)
