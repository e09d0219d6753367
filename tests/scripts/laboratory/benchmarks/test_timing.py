"""The one timer of the benchmarks."""

import time

import numpy as np

from tarsus.scripts.laboratory.benchmarks import timing


def test_runs_take_turns_and_the_first_round_does_not_count():
    calls = []
    runs = {name: lambda name=name: calls.append(name) for name in "ab"}
    took = timing.rounds(runs, 2, prepare={"b": lambda: calls.append("ready")})
    assert calls == ["a", "ready", "b"] * 3
    assert all(times.cpu.shape == times.wall.shape == (2,) for times in took.values())


def test_waiting_costs_wall_time_and_working_costs_both():
    def work():
        begin = time.process_time()
        while time.process_time() < begin + 0.02:
            pass

    took = timing.rounds({"waits": lambda: time.sleep(0.02), "works": work}, 3)
    assert (took["waits"].wall > 0.019).all() and (took["waits"].cpu < 0.01).all()
    assert (took["works"].cpu > 0.019).all() and (took["works"].wall > 0.019).all()
    wall, cpu = (timing.medians({"waits": lambda: time.sleep(0.02)}, 1, wall=wall)["waits"] for wall in (True, False))
    assert wall > 0.019 > cpu


def test_a_spread_is_median_least_and_most():
    assert timing.spread(np.array([1000.0, 3000.0, 1200.0])) == "1,200 (1,000 to 3,000)"
    assert timing.Times(np.array([1e-3, 3e-3, 2e-3]), np.zeros(3)).median(1e3, ".1f") == "2.0 (1.0 to 3.0)"
