"""The scaling benchmark on a few poses: what it times is right, and in one table."""

import mujoco
import numpy as np
import pytest

from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.benchmarks import scaling as benchmark_scaling
from tarsus.scripts.laboratory.frame import Page
from tarsus.scripts.laboratory.models.disc import DiscParams


def test_sparse_and_dense_jacobians_step_alike():
    """MuJoCo 4.0.0's sparse Jacobian has a known fault; in what is timed here it does not show."""
    params = DiscParams(n_legs=20)
    joints, rates, body = benchmark_scaling.poses(params, 10, np.random.default_rng(0))
    ends = []
    for jacobian in benchmark_scaling.JACOBIANS:
        model = benchmark_scaling.user_model(params, jacobian)
        data = mujoco.MjData(model)
        for i in range(10):
            mujoco.mj_resetData(model, data)
            data.qpos[2] = params.leg_length - benchmark_scaling.DEPTH
            data.qpos[7:], data.qvel[:6], data.qvel[6:] = joints[i].ravel(), body[i], rates[i].ravel()
            mujoco.mj_step(model, data)
            ends.append(data.qvel.copy())
    np.testing.assert_allclose(ends[:10], ends[10:], atol=1e-10)


def test_the_scaling_benchmark_has_every_engine_in_one_table():
    data = benchmark_scaling.compute((3, 20), count=4)
    assert list(data["legs"]) == [3, 20] and list(data["sparse"]) == [False, True]
    for name in benchmark_scaling.ENGINES:
        assert (
            data[name].shape == (2, 5) and (data[name] > 0).all() and (abs(data[name].argsort() - range(5)) == 0).all()
        )
    text = Page(benchmark_scaling.table(data)).text("markdown", "")
    assert "| 3 |" in text and "| 20 |" in text and "sparse" in text


@pytest.mark.parametrize("words", [["--legs", "2"], ["--legs", "51"], ["--poses", "0"]])
def test_the_scaling_benchmark_refuses_what_it_cannot_time(words, capsys):
    assert frame.main(benchmark_scaling, words) == 2
    assert f"{words[0]} must be at " in capsys.readouterr().err
