"""Numbers of docs/reproduction.md that the golden data of figures or a single hop hold."""

import math
from pathlib import Path

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import hopping_leg_hybrid as model
from tarsus.controllers.raibert import raibert
from tarsus.scripts.laboratory.figures.hopping_leg_return_map import lift, project

PAGE = Path(__file__).parents[4] / "docs" / "reproduction.md"
GOLDEN = Path(__file__).parents[3] / "golden"
# The boom leg's gait at 2.0176 m/s commanded, from `tarsus figure hopping_leg_families`.
LAST = [1.16493665, -1.04120422, 2.00046027, 1.63653970, 77.003, 0.218]


def test_the_folds_of_template_and_leg_are_those_of_the_page():
    data, text = np.load(GOLDEN / "figure_slip_leg_families.npz"), PAGE.read_text()
    for name in ("template_fold", "template_period_doubling", "held_fold"):
        assert f"| {math.degrees(data[name][0]):.3f} |" in text
    assert not any(name in data for name in ("held_period_doubling", "law_fold", "law_period_doubling"))


def test_the_boom_leg_ends_where_its_swing_would_push_the_foot_down():
    sim = hy.compile(model.build(raibert()))
    x, d = lift(np.array(LAST))
    settings = {"chart": "stance", "rtol": 1e-10, "final_time": 2.0}
    hop = sections.return_to(sim, "touchdown", x, d, {"speed": 2.01}, **settings)
    assert hop.status is hy.Status.STOPPED
    np.testing.assert_allclose(project(hop.x_end, hop.d_end), LAST, rtol=0.02)
    refused = sections.return_to(sim, "touchdown", x, d, {"speed": 2.03}, **settings)
    assert refused.status is hy.Status.INVALID_CHART and "foot_pushed_back" in refused.message
