"""What `rtol` means with Rodas5P: errors of single steps, and how a stiff problem adds them up.

References are of rtol 1e-13; SciPy's Radau at 3e-13 differs from them by less than 3e-11, relative.
"""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy

pytestmark = pytest.mark.extra

MU = 1000.0
VAN_DER_POL = (1.01679903865, -0.02873434384)  # at LATE, near the end of the third slow phase
LATE = 2421.0  # [s]


def van_der_pol():
    model = hy.Model("Van der Pol", state={"x": 2.0, "v": 0.0}, charts=["run"], method="rodas5p")

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = MU * (1.0 - x[0] * x[0]) * x[1] - x[0]

    return hy.compile(model)


def test_van_der_pol_is_late_by_less_than_a_millionth_of_the_time():
    sim = van_der_pol()
    shift = {}
    for rtol in (1e-4, 1e-6, 1e-8):
        end = sim.run(final_time=LATE, rtol=rtol, record_period=None).x_end
        shift[rtol] = abs(end[0] - VAN_DER_POL[0]) / abs(VAN_DER_POL[1])  # error over speed [s]
    assert shift[1e-6] < 1e-6 * LATE and shift[1e-8] < 1e-8 * LATE
    assert shift[1e-4] > 20.0 * shift[1e-6] > 400.0 * shift[1e-8]


def test_the_error_of_a_step_keeps_to_the_tolerance():
    """Where the solution as a whole is off by 20 rtol, the steps are not to blame: their errors grow on the way."""
    sim, rtol = van_der_pol(), 1e-6
    r = sim.run(final_time=LATE, rtol=rtol)
    errors = []
    for t, x, later, end in zip(r.t[:-1], r.x[:-1], r.t[1:], r.x[1:], strict=True):
        exact = sim.run(list(x), t0=t, final_time=later, rtol=1e-12, atol=1e-15, record_period=None).x_end
        scale = rtol * (0.01 + np.maximum(np.abs(x), np.abs(end)))
        errors.append(np.sqrt(np.mean(((end - exact) / scale) ** 2)))
    assert len(errors) < 700 and np.median(errors) < 0.1
    assert np.mean(np.array(errors) > 1.0) < 0.01 and max(errors) < 4.0


def hires():
    start = {f"y{i}": value for i, value in enumerate((1.0, 0, 0, 0, 0, 0, 0, 0.0057))}
    model = hy.Model("HIRES", state=start, charts=["run"], method="rodas5p")

    @model.field("run")
    def flow(t, y, d, p, dy):
        dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007
        dy[1] = 1.71 * y[0] - 8.75 * y[1]
        dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4]
        dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3]
        dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6]
        dy[5] = -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6]
        dy[6] = 280.0 * y[5] * y[7] - 1.81 * y[6]
        dy[7] = -280.0 * y[5] * y[7] + 1.81 * y[6]

    return hy.compile(model)


def test_hires_is_off_by_some_ten_times_rtol():
    """Eight reactions, to the published end of the problem (Hairer & Wanner II, section IV.10)."""
    sim = hires()
    published = np.array([
        0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
        0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2,
    ])  # fmt: skip
    for rtol in (1e-4, 1e-6, 1e-8):
        end = sim.run(final_time=321.8122, rtol=rtol, record_period=None).x_end
        assert np.max(np.abs(end / published - 1.0)) < 30.0 * rtol
