"""Design by gradient: how a gait moves the engine's parameters, and the runner's spring."""

from dataclasses import replace

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, hybrid
from tarsus.analytic.terrain import Flat
from tarsus.scripts.library.search.design import RANGES, RUNNER, Spring, moves


def test_the_moves_of_a_gait_are_differences_of_the_models_parameters():
    def numbers(values):
        cycle_time, duty, sweep, offset = values
        gait = TripodGait(cycle_time, duty * cycle_time, sweep, offset)
        model = hybrid.build(HexapodParams(), Flat(), "open-loop", gait=gait)
        return dict(zip(model.param_names, model.p0, strict=True)), gait

    values, h = np.array([0.5, 0.55, 0.9, 0.1]), 1e-6
    table = moves(numbers(values)[1])
    assert list(table) == list(RANGES)
    for unit, (name, move) in zip(np.eye(4), table.items(), strict=True):
        ahead, behind = numbers(values + h * unit)[0], numbers(values - h * unit)[0]
        for entry in ahead:
            difference = (ahead[entry] - behind[entry]) / (2 * h)
            np.testing.assert_allclose(move.get(entry, 0.0), difference, atol=1e-8, err_msg=f"{entry} by {name}")


def test_the_spring_for_a_height_and_a_stride_is_found_by_its_gradient():
    spring = Spring(0.96, 0.35, mode="python")
    made = spring.tune()
    assert np.abs(made.fun).max() < 1e-8 and spring.count.derived < 40
    # Checked without derivatives: the orbit of a model with that spring, run plainly.
    from tarsus.analytic import hybrid as hy
    from tarsus.analytic.models import slip
    from tarsus.scripts.library.search.design import ENERGY

    sim = hy.compile(slip.build("fixed", replace(RUNNER, k=made.x[0] * RUNNER.k)), mode="python")
    x0 = {"y": 0.96, "xdot": np.sqrt(2 * (ENERGY - RUNNER.g_flight * 0.96))}
    r = sim.run(x0, {"touchdown_angle": made.x[1]}, chart="descent", stop_at="apex", final_time=1.0, rtol=1e-11)
    np.testing.assert_allclose([r.x_end[1], r.t_end], [0.96, 0.35], atol=1e-7)
