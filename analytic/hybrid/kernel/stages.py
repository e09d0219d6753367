"""The field as the stages of a step call it.

`stages(w, h, out)`, which fills k[1:N_STAGES] and writes the state after a step of `h` from (w.t, w.x) into `out`, is
written out from the tableau by `hybrid/unroll.py` and joined behind this file.
"""

from .free import field, jit, plain


@jit
def rates(w, t, x, dx):
    """Write the current chart's field at (t, x) into `dx`."""
    w.n_field += 1
    field(t, x, plain(w.d), plain(w.p), w.chart, dx)
