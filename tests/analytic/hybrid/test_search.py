"""Which guards are passed over in a step without a closer look."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.workspace import as_object
from tarsus.analytic.models import bouncing_ball

KERNEL = hy.compile(bouncing_ball.build(), mode="python")

samples = st.lists(st.floats(-0.1, 0.1), min_size=5, max_size=5)


@given(first=st.floats(1e-9, 1e9), changes=samples, sign=st.sampled_from([1, -1]))
def test_a_guard_that_stays_away_is_clear(first, changes, sign):
    """Whatever `stays_away` passes over, `judge` finds clear of zero."""
    search = KERNEL.kernel.modules["search"]
    scan, windows = KERNEL.kernel.modules["scan"], KERNEL.kernel.modules["windows"]
    w = as_object(KERNEL.start.workspace(None, None, None, 0.0, None, {})[0])
    w.s1, w.turn = 1.0, 1.0
    w.trust[0], w.sign[0], w.arm[0] = 1.0, sign, search.ARMED
    stretched = search.LITTLE / 0.1 * np.array([0.0, *changes[1:]])
    w.gs[:, 0] = sign * first * (1.0 + stretched)
    if search.stays_away(w, 0):
        scan.load_window(w, 0)
        assert windows.judge(w) == windows.CLEAR
    else:
        assert np.abs(stretched).max() > 0.999 * search.LITTLE
    w.arm[0] = search.ROOT
    assert not search.stays_away(w, 0)
    w.arm[0], w.gs[3, 0] = search.ARMED, math.nan
    assert not search.stays_away(w, 0)
    w.gs[3, 0] = -sign * first
    assert not search.stays_away(w, 0)
