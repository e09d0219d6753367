"""Five samples of a guard in a window: certainly positive, fallen, a dip, or to be split.

From the second divided differences follow bounds on the guard's curvature, and from those on how far it can sag, or
turn, between two samples.
"""

import math

from .free import jit

CLEAR, FALL, DIP, SPLIT = 0, 1, 2, 3


@jit
def curvature_bounds(w):
    """Bound the guard's second derivative in the window from above (w.bend_up) and below, from divided differences."""
    largest = -math.inf
    smallest = math.inf
    for j in range(3):
        left = (w.wv[j + 1] - w.wv[j]) / (w.ws[j + 1] - w.ws[j])
        right = (w.wv[j + 2] - w.wv[j + 1]) / (w.ws[j + 2] - w.ws[j + 1])
        second = 2.0 * (right - left) / (w.ws[j + 2] - w.ws[j])
        largest = max(largest, second)
        smallest = min(smallest, second)
    spread = largest - smallest
    w.rough = 1 if 2.0 * spread > abs(largest) else 0
    w.bend_up = max(0.0, largest + 4.0 * spread)
    w.bend = max(w.bend_up, 4.0 * spread - smallest)


@jit
def piece_falls_once(w, j):
    """Return whether the guard certainly falls all the way between places j and j + 1: it then has one zero there."""
    width = w.ws[j + 1] - w.ws[j]
    return w.wv[j] - w.wv[j + 1] >= 0.5 * w.bend * width * width


@jit
def piece_is_positive(w, j):
    """Return whether the guard is certainly positive between places j and j + 1, which are."""
    width = w.ws[j + 1] - w.ws[j]
    slope = (w.wv[j + 1] - w.wv[j]) / width
    lower = min(w.wv[j], w.wv[j + 1])
    sag = 0.5 * w.bend_up * width
    return abs(slope) >= sag or lower > 0.25 * sag * width


@jit
def judge(w):
    """Return CLEAR, FALL, DIP or SPLIT for the sampled window; w.place is the sample behind the fall or in the dip."""
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
            inner = w.place < 4 and w.wv[w.place] < w.wv[w.place - 1] and w.wv[w.place] < w.wv[w.place + 1]
            return DIP if inner and not w.rough else SPLIT
    return CLEAR
