"""The hexapod's benchmark on hundredths of a second, interpreted: its functions work and their numbers hold."""

import pytest

from tarsus.mjcf import PRESETS
from tarsus.scripts.laboratory.benchmarks import hexapod as benchmark

WALK = benchmark.EXPERIMENTS["walk"]


@pytest.fixture(scope="module")
def walks():
    return {method: benchmark.ReadyHexapod.of(WALK, method, "python") for method in ("dop853", "rodas5p")}


def test_rows_of_speed_and_of_mujoco(walks):
    exact = walks["dop853"].run(2e-3, 1e-9)
    rows = benchmark.speed_rows({"rodas5p": walks["rodas5p"]}, exact, 2e-3, (1e-5,), rounds=1)
    assert len(rows) == 1 and float(rows[0][7]) < 1e-6 and float(rows[0][8]) < 1e-3
    presets = benchmark.mujoco_rows(WALK, walks["dop853"], 0.02, rounds=1)
    assert [row[0] for row in presets] == list(PRESETS) and float(presets[0][3]) < 1.0


def test_a_row_of_a_batch(walks):
    row = benchmark.batch_row("dop853", walks["dop853"], 1e-5, n_runs=2, seconds=2e-3, rounds=1)
    assert row[:2] == ("dop853", "1e-05") and row[5].endswith("%")
