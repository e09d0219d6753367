"""The hexapod's benchmark on hundredths of a second, interpreted: its functions work and their numbers hold."""

import numpy as np
import pytest

from tarsus.analytic.hybrid.tableau import DOP853, DOPRI5, RK23
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod.state import toes_of
from tarsus.mjcf import PRESETS
from tarsus.scripts.laboratory.benchmarks import hexapod as benchmark
from tarsus.scripts.laboratory.studies import hexapod_stiffness as stiffness

WALK = benchmark.EXPERIMENTS["walk"]
SECONDS = 0.012  # four toes have landed and slide


@pytest.fixture(scope="module")
def walks():
    return {method: stiffness.ReadyHexapod.of(WALK, method, "python") for method in ("dop853", "rodas5p")}


@pytest.fixture(scope="module")
def recorded(walks):
    return walks["rodas5p"].run(SECONDS, 1e-6, record_period=0.0)


@pytest.mark.parametrize(
    "method, limit", [(DOP853, 6.394), (DOPRI5, 3.307), (RK23, 2.513)], ids=lambda value: str(value)[:6]
)
def test_stability_limits(method, limit):
    """Those of Hairer & Wanner II, figure IV.2.1 and following, to three digits."""
    assert stiffness.stability_limit(method) == pytest.approx(limit, abs=1e-3)


def test_the_jacobian_of_a_linear_field():
    matrix = np.arange(52.0 * 52).reshape(52, 52) % 7 - 3

    def field(t, x, d, p, chart, dx):
        dx[:] = matrix @ x

    np.testing.assert_allclose(stiffness.jacobian(field, 0.0, np.zeros(52), None, None, 0), matrix, atol=1e-9)


def test_sliding_toes_are_counted():
    assert stiffness.n_sliding(0b10_00_01_10_10_00).tolist() == 3
    assert stiffness.n_sliding(np.array([0, 2])).tolist() == [0, 1]


def test_the_fastest_rate_is_friction_across_the_slide(walks, recorded):
    """It turns the velocity of a sliding toe: force over speed and mass, and the leg's dampers besides."""
    found = stiffness.steps_and_rates(walks["rodas5p"], recorded, 1)
    row = int(np.flatnonzero(np.diff(recorded.t) > 0)[-1])
    ground = recorded.aux[row, 14:].reshape(6, 7)[:, 2:4]
    speed = np.linalg.norm(toes_of(recorded.x[row])[1], axis=-1)
    slides = (int(recorded.chart[row]) >> (2 * np.arange(6))) & 3 == 2
    turning = (np.linalg.norm(ground, axis=-1)[slides] / speed[slides] / HexapodParams().leg_mass).max()
    assert slides.any() and turning > 100
    assert turning < found["decay"][-1] < turning + 3000
    assert found["sliding"][-1] == slides.sum() and found["turn"].max() < 300


def test_integrators_agree_on_an_arc(walks, recorded):
    arc = stiffness.longest_slide(recorded)
    assert not np.any((recorded.events.t > arc.t) & (recorded.events.t < arc.end)) and arc.end > arc.t
    rows = benchmark.arc_rows(walks, arc, (1e-6,), ("LSODA",), rounds=1)
    assert [row[0] for row in rows] == ["tarsus dop853", "tarsus rodas5p", "scipy LSODA"]
    assert all(float(row[4]) < 1e-4 and row[3] > row[2] > 0 for row in rows)


def test_an_arc_wants_a_slide(walks):
    standing = walks["rodas5p"].run(1e-9, 1e-6, record_period=0.0)
    standing.chart[:] = 0
    with pytest.raises(ValueError, match="no toe slides"):
        stiffness.longest_slide(standing)


def test_rows_of_speed_and_of_mujoco(walks):
    exact = walks["dop853"].run(2e-3, 1e-9)
    rows = benchmark.speed_rows({"rodas5p": walks["rodas5p"]}, exact, 2e-3, (1e-5,), rounds=1)
    assert len(rows) == 1 and float(rows[0][7]) < 1e-6 and float(rows[0][8]) < 1e-3
    presets = benchmark.mujoco_rows(WALK, walks["dop853"], 0.02, rounds=1)
    assert [row[0] for row in presets] == list(PRESETS) and float(presets[0][3]) < 1.0


def test_a_row_of_a_batch(walks):
    row = benchmark.batch_row("dop853", walks["dop853"], 1e-5, n_runs=2, seconds=2e-3, rounds=1)
    assert row[:2] == ("dop853", "1e-05") and row[5].endswith("%")
