"""RLlib on Ray, and sweeps on Dask and Ray, started on this machine."""

import numpy as np
import pytest

import tarsus

INSTALL = "it needs the extra `ray` in an environment of its own"
GAITS = dict(cycle_times=(0.5, 1.0), sweep_angles=(0.75,), steps=20)


def test_a_sweep_on_threads_gives_speeds_of_gaits():
    found = tarsus.search("sweep", **GAITS | {"backend": "threading", "steps": 100})
    returns, speeds = found.made["returns"], found.made["speeds"]
    assert returns.shape == speeds.shape == (2, 1) and found.converged
    assert speeds[0, 0] > 1.5 * speeds[1, 0] > 0.2
    assert found.best["cycle_time"] == (0.5, 1.0)[returns.argmax()] and found.score == returns.max()


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_sweep_gives_the_same_on_a_cluster(backend, package, monkeypatch):
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "120")
    pytest.importorskip(package, reason=INSTALL)
    here, there = (tarsus.search("sweep", backend=name, **GAITS).made for name in ("threading", backend))
    for name in ("returns", "speeds"):
        np.testing.assert_array_equal(here[name], there[name])


def test_rllib_trains_the_hexapod(monkeypatch):
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "120")  # a busy machine takes its time
    pytest.importorskip("ray.rllib", reason=INSTALL)
    from tarsus.scripts.library.learning import rllib

    returns = rllib.train({"action_mode": "gait"}, n_iterations=2, n_runners=0, n_envs=2, batch=1024)
    assert len(returns) == 2 and np.isfinite(returns[-1])
