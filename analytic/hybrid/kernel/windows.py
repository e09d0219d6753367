"""Classification of five samples of a guard in a window: certainly positive, fallen, a dip, or to be split.

Second divided differences bound the guard's curvature, and with it how far the guard can sag, or turn, between two
samples. Time is in units of the window's width, so that there are no divisions.
"""

import math

from .free import jit

CLEAR, FALL, DIP, SPLIT = 0, 1, 2, 3
PLACES = (0.0, 0.23, 0.52, 0.77, 1.0)  # of the samples: irregular, to avoid aliasing with a periodic guard
PER_PIECE = (1.0 / 0.23, 1.0 / 0.29, 1.0 / 0.25, 1.0 / 0.23)  # one over the way from a place to the next
PER_PAIR = (2.0 / 0.52, 2.0 / 0.54, 2.0 / 0.48)  # two over the way to the next but one
BULGE = (0.5 * 0.23**2, 0.5 * 0.29**2, 0.5 * 0.25**2, 0.5 * 0.23**2)  # of a piece of curvature one, below its tangent


@jit
def curvature_bounds(w):
    """Bound the guard's second derivative in the window from above (w.bend_up) and in size (w.bend)."""
    largest = -math.inf
    smallest = math.inf
    for j in range(3):
        left = (w.wv[j + 1] - w.wv[j]) * PER_PIECE[j]
        right = (w.wv[j + 2] - w.wv[j + 1]) * PER_PIECE[j + 1]
        second = PER_PAIR[j] * (right - left)
        largest = max(largest, second)
        smallest = min(smallest, second)
    spread = largest - smallest
    w.rough = 1 if 2.0 * spread > abs(largest) else 0
    w.bend_up = max(0.0, largest + 4.0 * spread)
    w.bend = max(w.bend_up, 4.0 * spread - smallest)


@jit
def piece_falls_once(w, j):
    """Return whether the guard certainly decreases from place j to j + 1: it then has one zero there."""
    return w.wv[j] - w.wv[j + 1] >= w.bend * BULGE[j]


@jit
def piece_is_positive(w, j):
    """Return whether the guard is certainly positive between places j and j + 1, where it is positive."""
    sag = w.bend_up * BULGE[j]
    return abs(w.wv[j + 1] - w.wv[j]) >= sag or min(w.wv[j], w.wv[j + 1]) > 0.25 * sag


@jit
def judge(w):
    """Return CLEAR, FALL, DIP or SPLIT for the sampled window; w.place is the sample after the fall or in the dip."""
    curvature_bounds(w)
    for j in range(1, 5):
        w.place = j
        if not w.wv[j] > 0.0:
            return FALL if piece_falls_once(w, j - 1) else SPLIT
        if not piece_is_positive(w, j - 1):
            w.place = 1
            for m in range(2, 5):
                if w.wv[m] < w.wv[w.place]:
                    w.place = m
            inner = w.place < 4 and w.wv[w.place] < w.wv[w.place - 1] and 0.0 < w.wv[w.place] < w.wv[w.place + 1]
            return DIP if inner and not w.rough else SPLIT
    return CLEAR
