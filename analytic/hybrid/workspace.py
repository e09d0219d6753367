"""The complete working memory of a run as one record, `w` in the kernel.

Compiled, it is a numpy structured record, so that a function gets one pointer and a batch is an array of them.
Interpreted, it is a plain object with the same attributes.
"""

from types import SimpleNamespace

import numpy as np

from .kernel.steps import MEMO

DEPTH = 64  # of windows within windows: halves of a step down to its round-off

REALS = """
    t te t_begin t_final t_stop t_event t_enter t_culprit t_warning t_frame h h_begin h_cut s1 sa s_end
    t_known left right at since ahead window_m window_r sample_a sample_b t_jac
    rtol max_step min_step first_step exponent old_error error stop_precision time_tol graze_tol inverse t_scale
    zeno_tol zeno_drift zeno_limit zeno_error zeno_ratio min_gap record_period measure_period frame_period
""".split()
WHOLES = """
    chart chart_before phase status what culprit pause event clipped unchanged moved identity first depth at_root
    listed dense_on timed certain risen n_undecided window_undecided is_clear has_sampled has_rest passed full_steps
    n_rec n_ev n_sampled n_field n_steps n_rejected n_charts n_declined last_declined n_small n_warnings n_active
    n_visit cut_step max_charts max_steps max_stop_iter k_record k_measure k_frame stop_guard stop_count
    pi_control zeno_on zeno_guard zeno_chart_count warn_only record_on log_on following
""".split()
STATES = "x x1 xe xm fe inner probe later later_f x_frame atol size slope".split()  # (n,)
GUARD_REALS = """
    ga gp g_end g_moved smooth rate noise blind band held u_root s_clear s_fall s_dense s_graze z_time z_gap z_ratio
""".split()  # (n_guards,)
GUARD_WHOLES = "arm sign fired jumped leaps open rest rooted high graze z_count k_known".split()  # (n_guards,)


def layout(n: int, n_memory: int, n_params: int, n_guards: int, n_rows: int, n_dense: int, n_jac: int) -> np.dtype:
    """Return the workspace's record type.

    Args:
        n: Continuous states.
        n_memory: Memory entries, at least 1 (a record has no empty arrays), as are the next two.
        n_params: Parameters.
        n_guards: Guards.
        n_rows: Stages the method keeps.
        n_dense: Rows of dense-output coefficients.
        n_jac: Rows of the Jacobian: `n` for a method that needs it, otherwise 1.
    """
    fields: list = [(name, np.float64) for name in REALS] + [(name, np.int64) for name in WHOLES]
    fields += [(name, np.float64, (n,)) for name in STATES]
    fields += [("d", np.float64, (n_memory,)), ("de", np.float64, (n_memory,)), ("p", np.float64, (n_params,))]
    fields += [(name, np.float64, (n_guards,)) for name in GUARD_REALS]
    fields += [(name, np.int64, (n_guards,)) for name in GUARD_WHOLES]
    fields += [(name, np.float64, (n, 4)) for name in ("box", "clear_box")]
    fields += [(name, np.float64, (4,)) for name in ("moment", "clear_moment")] + [("undecided", np.int64, (4,))]
    fields += [(name, np.float64, (n_guards, 4)) for name in ("hull", "middle", "other")]
    fields += [(name, np.float64, (8, n)) for name in ("c", "shifted")]
    fields += [("samples", np.float64, (5,)), ("gs", np.float64, (5, n_guards)), ("ends", np.float64, (DEPTH,))]
    fields += [("k", np.float64, (n_rows, n)), ("q", np.float64, (n_dense, n))]
    fields += [(name, np.float64, (n_jac, n_jac)) for name in ("jac", "lu")]
    fields += [(name, np.float64, (n_jac,)) for name in ("ft", "column")] + [("swap", np.int64, (n_jac,))]
    fields += [(name, np.int64, (MEMO,)) for name in ("memo_key", "memo_cut_step")]
    fields += [(name, np.float64, (MEMO,)) for name in ("memo_h", "memo_cut_h")]
    return np.dtype(fields, align=True)


def as_object(record: np.void) -> SimpleNamespace:
    """Return a record's contents as a plain object, for the interpreted kernel."""
    w = SimpleNamespace()
    for name in record.dtype.names:
        value = record[name]
        setattr(w, name, value.copy() if value.ndim else value.item())
    return w
