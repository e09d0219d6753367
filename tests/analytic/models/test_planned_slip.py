"""SLIP with planned strides: the same as `deadbeat_slip` stride by stride, and where its energy comes from."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import planned_slip
from tarsus.analytic.models.slip import Slip
from tarsus.scripts.laboratory.models import deadbeat_slip

RUNNER = Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
PLAN = {"angle_0": 0.30, "before_0": 1.0, "after_0": 1.1, "angle_1": 0.34, "before_1": 0.9, "after_1": 1.05}
HOW = {"chart": "descent", "stop_at": "apex", "final_time": 9.0, "rtol": 1e-10}


def test_two_planned_strides_are_two_strides_of_the_deadbeat_runner():
    sim = hy.compile(planned_slip.build(2, RUNNER), mode="python")
    r = sim.run({"y": 1.05, "xdot": 3.0}, None, PLAN, stop_count=2, **HOW)
    one, x = hy.compile(deadbeat_slip.build(RUNNER), mode="python"), [0.0, 1.05, 3.0, 0.0]
    for i in range(2):
        memory = [0.0, 0.0, PLAN[f"angle_{i}"], PLAN[f"before_{i}"], PLAN[f"after_{i}"]]
        x = one.run(x, memory, None, **HOW).x_end
    np.testing.assert_allclose(r.x_end, x, rtol=1e-9, atol=1e-9)
    energy = RUNNER.body_mass * (RUNNER.g_flight * (r.x_end[1] - 1.05) + 0.5 * (r.x_end[2] ** 2 - 9.0))
    held = r.d_end[planned_slip.COMPRESSED :]
    assert energy == pytest.approx(0.1 * held[0] + 0.15 * held[1], abs=1e-6) and np.all(held > 0)


def test_efforts_are_weighted_changes_of_the_plan():
    model = planned_slip.build(2, RUNNER, 0.3)
    out, p = np.empty(6), model.p0.copy()
    names = list(model.param_names)
    p[names.index("angle_1")] += 0.1
    p[names.index("after_0")] -= 0.2
    model.hooks["aux"](0.0, model.x0, model.d0, p, 0, out)
    np.testing.assert_allclose(out, [0.0, 0.2, 0.0, 0.0, -0.2, 0.0], atol=1e-15)
    assert planned_slip.decisions(2) == ["angle_0", "angle_1", "before_0", "before_1", "after_0", "after_1"]


def test_misuse_is_explained():
    with pytest.raises(ValueError, match="n must be a whole number of strides"):
        planned_slip.build(0)
    with pytest.raises(ValueError, match="q_rt and q_rl must be q_0"):
        planned_slip.build(1, Slip(q_rl=1.1))
