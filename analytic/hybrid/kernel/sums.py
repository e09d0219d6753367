"""The method's stages and its weighted sums of them: names whose functions `unroll` generates from the tableau.

They are listed here for readers, linters and editors. The loader replaces them by the functions.
"""


def stages(w, h, out):
    """Fill k[1:N_STAGES] and write the state after a step of `h` from (w.t, w.x) into `out`; k[0] is given."""


def more_stages(w, h):
    """Fill the stages that only the dense output of dop853 needs."""


def error_terms(k, i):
    """Return the error estimate of state `i`, divided by the step: a weighted sum of the stages."""
    return 0.0


error3_terms = error5_terms = error_terms  # dop853 combines two
dense0_terms = dense1_terms = dense2_terms = dense3_terms = error_terms  # coefficients of the dense output
