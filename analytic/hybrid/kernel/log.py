"""Rows of the event log: t, kind, chart before and after, then x and d before, x and d after, fired guards.

A guard that fired has 1, or 2 if it jumped past zero; one that reached zero with the others and whose transition was
not performed, since another moved it away, has -1.
"""

from .codes import GRAZING
from .dense import dense
from .free import ND, NG, N, jit, plain

BEFORE = 4


@jit
def log_line(w, ev, kind, t, x, d):
    """Write the part of a log row that stands before a transition; the state after it is the same so far."""
    if not w.log_on:
        return
    row = ev[w.n_ev]
    behind = BEFORE + N + ND
    row[0] = t
    row[1] = kind
    row[2] = w.chart
    row[3] = w.chart
    for i in range(N):
        row[BEFORE + i] = x[i]
        row[behind + i] = x[i]
    for i in range(ND):
        row[BEFORE + N + i] = d[i]
        row[behind + N + i] = d[i]
    for i in range(NG):
        row[behind + N + ND + i] = -w.fired[i]


@jit
def log_after(w, ev, kind, chart, x, d):
    """Complete the row with the transition's result and the guards that fired, and keep it."""
    if not w.log_on:
        return
    row = ev[w.n_ev]
    behind = BEFORE + N + ND
    row[1] = kind
    row[3] = chart
    for i in range(N):
        row[behind + i] = x[i]
    for i in range(ND):
        row[behind + N + i] = d[i]
    for i in range(NG):
        if w.fired[i]:
            row[behind + N + ND + i] = 2.0 if w.jumped[i] else 1.0
    w.n_ev += 1


@jit
def log_grazings(w, ev, end):
    """Log the guards that grazed before offset `end` of the step, in order of time."""
    flags = BEFORE + 2 * (N + ND)
    for _ in range(NG):
        first = -1
        for i in range(NG):
            if w.graze[i] and w.s_graze[i] <= end and (first < 0 or w.s_graze[i] < w.s_graze[first]):
                first = i
        if first < 0:
            break
        w.graze[first] = 0
        if w.log_on:
            dense(w, w.s_graze[first], plain(w.probe))
            log_line(w, ev, GRAZING, w.t + w.s_graze[first], plain(w.probe), plain(w.d))
            for j in range(NG):
                ev[w.n_ev, flags + j] = 1.0 if j == first else 0.0
            w.n_ev += 1
    for i in range(NG):
        w.graze[i] = 0
