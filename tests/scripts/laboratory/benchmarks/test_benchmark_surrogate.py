"""The surrogate's benchmark runs, and its actions are the undulation's."""

import numpy as np

from tarsus.controllers import gaits
from tarsus.scripts.laboratory.benchmarks import surrogate as benchmark_surrogate
from tarsus.scripts.laboratory.frame import Page


def test_a_short_run_gives_a_row_for_each_environment(monkeypatch):
    monkeypatch.setattr(benchmark_surrogate, "N_ENVS_MUJOCO", 2)
    rows = benchmark_surrogate.rows(6, num_envs=4, n_steps=3)
    made = benchmark_surrogate.table(rows, repeats=1)
    text = Page(made).text("markdown", "")
    assert "| surrogate, viscous, 6 legs | 4 |" in text and "| Multipod-v1, rl, 6 legs | 2 |" in text
    assert all(float(spread.split()[0].replace(",", "")) > 0 for _, _, spread in made.rows)


def test_actions_are_the_joint_speeds_of_the_gait():
    actions = benchmark_surrogate.undulating(6, 2, 5, speed=2.0)
    gait = gaits.make("undulation", 6)
    _, rate = gait(3 * benchmark_surrogate.CTRL_DT + 0.5 * gait.period)
    np.testing.assert_allclose(2.0 * actions[3, 1], rate.ravel())
