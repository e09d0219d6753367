"""Explicit Runge-Kutta methods with dense output, as arguments of the compiled flow."""

from typing import NamedTuple

import numpy as np

from ..hybrid.tableau import DOP853, DOPRI5

SUNK = 1e-9  # a guard that never rose fires below minus this [m, N, m/s, rad/s]
LOG = 64  # lines that turn back before the log is emptied


class Scheme(NamedTuple):
    """A method. Stage 0 is the field at the start, stage `len(b)` that at the end.

    The dense output is x + y (q0 + (1 - y) (q1 + y (q2 + (1 - y) (...)))) at the fraction y of a step, Hairer's form:
    q0 to q2 are of both ends, the others step * d . stages.
    """

    a: np.ndarray  # (n_rows, n_rows) rows behind `len(b)` for the dense output alone
    b: np.ndarray  # (n_stages,)
    e5: np.ndarray  # (n_stages + 1,) of the error
    e3: np.ndarray  # (n_stages + 1,) likewise; the error is |e5|^2 / (|e5|^2 + |e3|^2 / 100)^(1/2)
    d: np.ndarray  # (n, n_rows) of the dense output
    exponent: float  # of the step control


def _of(method, e5: np.ndarray, e3: np.ndarray, d: np.ndarray) -> Scheme:
    a = np.zeros((method.n_rows, method.n_rows))
    table = method.arrays["A"]
    a[: len(table), : table.shape[1]] = table
    n = method.n_stages + 1
    arrays = (np.ascontiguousarray(array, float) for array in (a, method.arrays["B"], e5[:n], e3[:n], d))
    return Scheme(*arrays, method.exponent)


# The quartic of Dormand and Prince's is Shampine's: its fourth power is that of Hairer's form.
SCHEMES = {
    "dop853": _of(DOP853, DOP853.arrays["E5"], DOP853.arrays["E3"], DOP853.arrays["D"]),
    "dopri5": _of(DOPRI5, DOPRI5.arrays["E"], np.zeros(7), DOPRI5.arrays["P"][:, 3][None]),
}


class Path(NamedTuple):
    """Where a flow writes its stages, states between, and guards."""

    stage: np.ndarray  # (n_rows, n)
    dense: np.ndarray  # (3 + len(d), n)
    end: np.ndarray  # (n,) state after the step
    there: np.ndarray  # (n,) a state within it
    rates: np.ndarray  # (n,) the field there
    before: np.ndarray  # (n_guards,) guards at the start of the step
    after: np.ndarray  # (n_guards,) at its end
    low: np.ndarray  # (n_guards,) the least of its stages
    was: np.ndarray  # (n_guards,) at the sample before
    last: np.ndarray  # (n_guards,) at that before
    now: np.ndarray  # (n_guards,) at a sample
    tol: np.ndarray  # (n_guards,) from which on a guard counts as positive
    armed: np.ndarray  # (n_guards,) bool, whether it was above that
    sunk: np.ndarray  # (n_guards,) one that never rose fires below minus this
    dry: np.ndarray  # (n_lines,) int, modes of dry lines before some are tried that turn back
    log: np.ndarray  # (n, 3) time, line and what (`guards`) of those that did
    logged: np.ndarray  # (1,) int, how many


def path_of(scheme: Scheme, n: int, n_guards: int, n_lines: int) -> Path:
    """Return arrays for states of n numbers."""
    shapes = [(len(scheme.a), n), (3 + len(scheme.d), n), (n,), (n,), (n,)]
    guards = (np.zeros(n_guards) for _ in range(7))
    dry, log, logged = np.zeros(n_lines, np.int64), np.zeros((LOG + n_lines, 3)), np.zeros(1, np.int64)
    armed, sunk = np.zeros(n_guards, np.bool_), np.full(n_guards, SUNK)
    return Path(*map(np.zeros, shapes), *guards, armed, sunk, dry, log, logged)
