"""Names that the kernel uses but does not define: the loader replaces them by the model's functions, sizes and tables.

They are listed here for readers, linters and editors; the kernel of a model never executes this file.
"""

import numpy as np


def jit(function):
    """Compile a function of the flow (numba), or leave it as it is."""
    return function


def plain(array):
    """Return a part of the workspace, or what the caller holds, as an ordinary array without reference counts."""
    return array


def field(t, x, d, p, chart, dx):
    """Write the rates of the continuous state into `dx`."""


def guards(t, x, d, p, chart, g):
    """Write the values of the chart's guards, less their targets, into `g`; those not written are not active."""
    return 0


def enclose_values(t, x, d, p, chart, g, undecided):
    """Write enclosures of the guards' values into `g`, (n_guards, 4), from those of time (4,) and state (n, 4)."""


def enclose_jets(t, x, d, p, chart, g, undecided):
    """Write enclosures of the guards' values and derivatives likewise."""


def transition(t, x, d, p, chart, fired):
    """Change `x` and `d` in place; return the next chart, or DECLINE."""
    return 0


def initial(t, x, d, p):
    """Finish the initial state in place; return the first chart."""
    return 0


def validate(t, x, d, p, chart):
    """Return whether the state may be in this chart."""
    return True


def after_zeno(t, x, d, p, chart):
    """Return the chart that follows an accumulation of events, or DECLINE to stop there."""
    return DECLINED_BY_DEFAULT


def field_key(chart):
    """Return a key that two charts share if and only if they have the same field."""
    return chart


DECLINED_BY_DEFAULT = -1
N = ND = NP = NG = 1  # sizes: continuous state, memory, parameters, guards
N_CHARTS = -1  # number of charts, -1 if they are made on demand
HAS_VALIDATE = False
BY_CALLER = False  # whether transitions are plain Python, which the caller performs (mode "mixed")
GAMMA = 1.0  # of a Rosenbrock method
STIFF = False  # whether it is one
HAS_TIMES = False  # whether a guard has known times
N_DENSE = DEGREE = 7  # of the dense output: rows of coefficients, and degree
N_STAGES = 1  # stages of the method; the row k[N_STAGES] is the field at the end of the step
POLISH = False  # whether an event is re-computed with a full step; worth it for dop853 only
TIMED = FIRST_TIME = N_TIMES = PERIOD_AT = OFFSET_AT = np.zeros(1, dtype=np.int64)  # likewise, of known times
PERIOD = OFFSET = KNOWN_TIMES = np.zeros(1)  # [s]; the last are those of all guards
TIMED_IN = np.zeros((1, 1), dtype=np.int64)  # in which charts they count, (n_guards, n_charts)
DIRECTION = SIDE = KIND = ON_ENTRY = PASSIVE = CERTIFIED = np.zeros(1, dtype=np.int64)  # one entry per guard
