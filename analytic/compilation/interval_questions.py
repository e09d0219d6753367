"""Questions about numbers that intervals may fail to decide: comparisons, whole parts, whether a number is finite.

A rule returns its answer, another one, and whether it is undecided: 0 if the answer is certain; 1 if it may be the
other one, too, the first being that for the middles of the intervals; 2 if there are more. Yes is 1, no is 0.
"""

from .interval_arithmetic import INF, floor_of, middle, ordered

MOST = 2.0**62  # of a whole answer


def lt(al, ah, bl, bh):
    if ordered(al, ah, bl, bh):
        if ah < bl:
            return 1.0, 0.0, 0.0
        if al >= bh:
            return 0.0, 1.0, 0.0
    return (1.0, 0.0, 1.0) if middle(al, ah) < middle(bl, bh) else (0.0, 1.0, 1.0)


def le(al, ah, bl, bh):
    if ordered(al, ah, bl, bh):
        if ah <= bl:
            return 1.0, 0.0, 0.0
        if al > bh:
            return 0.0, 1.0, 0.0
    return (1.0, 0.0, 1.0) if middle(al, ah) <= middle(bl, bh) else (0.0, 1.0, 1.0)


def gt(al, ah, bl, bh):
    return lt(bl, bh, al, ah)


def ge(al, ah, bl, bh):
    return le(bl, bh, al, ah)


def eq(al, ah, bl, bh):
    """Return whether a == b: yes only if neither can be anything else."""
    if ordered(al, ah, bl, bh):
        if al == ah and bl == bh and al == bl:
            return 1.0, 0.0, 0.0
        if ah < bl or bh < al:
            return 0.0, 1.0, 0.0
    return (1.0, 0.0, 1.0) if middle(al, ah) == middle(bl, bh) else (0.0, 1.0, 1.0)


def ne(al, ah, bl, bh):
    answer, other, undecided = eq(al, ah, bl, bh)
    return other, answer, undecided


def within(a):
    """Return a number as a whole answer can hold it."""
    return -MOST if a < -MOST else MOST if a > MOST else a


def floor(al, ah):
    """Return the largest whole number up to a."""
    if not al <= ah:
        return 0.0, 1.0, 2.0
    return among(within(floor_of(al)), within(floor_of(ah)), within(floor_of(middle(al, ah))))


def among(low, high, mid):
    """Return the answers from `low` to `high`, both whole."""
    if low == high:
        return low, low, 0.0
    return mid, low if mid != low else high, 1.0 if high - low == 1.0 else 2.0


def toward_zero(a):
    """Return a number without what follows its point."""
    return floor_of(a) if a >= 0.0 else -floor_of(-a)


def whole(al, ah):
    if not al <= ah:
        return 0.0, 1.0, 2.0
    return among(within(toward_zero(al)), within(toward_zero(ah)), within(toward_zero(middle(al, ah))))


def isfinite(al, ah):
    """Return whether a is finite: undecided where a bound is not."""
    return (1.0, 0.0, 0.0) if al <= ah and al > -INF and ah < INF else (1.0, 0.0, 1.0)


def isnan(al, ah):
    """Return whether a is not a number: undecided where a bound is infinite, as outside the domain of a function."""
    return (0.0, 1.0, 0.0) if al <= ah and al > -INF and ah < INF else (0.0, 1.0, 1.0)
