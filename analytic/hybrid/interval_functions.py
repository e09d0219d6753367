"""The guards of a model on intervals: what values they, and their derivatives, take on a window of time.

An array of n numbers has shape (n, 4): the bounds lo and hi of each, then those of its derivative by the variable that
runs through the window. Compiled, the model's own function is compiled for intervals (`compilation.intervals`);
interpreted, it is called with objects that follow the same rules (`compilation.interval_objects`).
"""

from collections.abc import Callable

import numpy as np

from ..compilation import interval_objects
from ..compilation.rebuild import rebuild
from ..compilation.references import library_name, library_reads, size

SHORT = 2000  # bytes of bytecode: rules are compiled into guards that are not longer, which is faster and takes longer


def enclosures(guards: Callable, rate: bool, clears: bool, interpreted: bool) -> Callable:
    """Return the function `f(t, x, d, p, chart, g, cell)` that writes what values the guards take.

    It takes the time t, shape (4,), and the state x, (n, 4); memory d and parameters p, which are constants; g,
    (n_guards, 4), filled with infinity, which stays where a guard is not active; and cell, (4,) of int64, which says
    what to do where a comparison is undecided, and counts such (`interval_rules`). These arrays are contiguous. d and p
    are not changed.

    Args:
        guards: The model's, `guards(t, x, d, p, chart, g)`.
        rate: Whether derivatives are enclosed too; if not, the last two columns are neither read nor written.
        clears: Whether every guard is computed by itself: each counts its own undecided comparisons.
        interpreted: Whether the function is for Python; if not, it is to be compiled.
    """
    return _of_objects(guards, rate, clears) if interpreted else _to_compile(guards, rate, clears)


def _to_compile(guards: Callable, rate: bool, clears: bool) -> Callable:
    from ..compilation.interval_arrays import answers_in, interval_at, intervals_of
    from ..compilation.number_arrays import VERSION, numpy_of

    short = size(guards) < SHORT
    swap, version = {id(np): numpy_of((rate, short))}, VERSION
    guards_of = rebuild(guards, lambda again: again, swap, {}, f"{__name__}_of_intervals", frozen=True)
    one, all_of, answers = interval_at(rate, short), intervals_of(rate, short), answers_in(rate, clears, short)

    def enclose(t, x, d, p, chart, g, cell):
        if version:  # in the fingerprint of what is compiled
            guards_of(one(t, cell), all_of(x, cell), d, p, chart, answers(g, cell))

    return enclose


def _of_objects(guards: Callable, rate: bool, clears: bool) -> Callable:
    swap = interval_objects.stand_ins(rate)
    guards_of = rebuild(guards, lambda again: again, swap, {}, f"{__name__}_of_objects", frozen=True)
    intervals_of, answers = interval_objects.intervals_of, interval_objects.Answers

    def enclose(t, x, d, p, chart, g, cell):
        state = intervals_of(x, cell, rate)
        guards_of(intervals_of(t[None], cell, rate)[0], state, d, p, chart, answers(g, cell, clears, rate))

    return enclose


def tried(guards: Callable, x: np.ndarray, d: np.ndarray, p: np.ndarray, chart: int, n_guards: int) -> Exception | None:
    """Return the exception of a guards function given intervals, at time 0; None if all its operations have rules.

    Only the branches that it takes there are tried; of the others, what they read of NumPy and SciPy must have a rule.
    The intervals are points that do not move.
    """
    swap = interval_objects.stand_ins(True)
    for value, name in library_reads(guards):
        known = swap.get(id(value))
        lacks = name != "" and known is not None and not hasattr(known, name)
        if lacks or (known is None and (library_name(value) or "").startswith("scipy")):
            return AttributeError(f"{value.__name__}{'.' if name else ''}{name} has no rule for intervals")
    still = np.zeros((x.size, 4))
    still[:, 0] = still[:, 1] = x
    g, cell = np.full((max(n_guards, 1), 4), np.inf), np.zeros(4, np.int64)
    try:
        enclosures(guards, True, False, interpreted=True)(np.zeros(4), still, d, p, chart, g, cell)
    except Exception as error:
        return error
    return None
