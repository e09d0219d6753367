"""The exact hexapod's record is MuJoCo's in names and meaning, and the two walk alike."""

import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import make
from tarsus.scripts.machines import hexapod_exact as exact
from tarsus.scripts.machines import hexapod_mujoco as simulate
from tarsus.scripts.machines.hexapod import Experiment
from tarsus.scripts.machines.machine import Status
from tarsus.scripts.runs import record

WALK = Experiment(HexapodParams(), TripodGait(), make("flat"))


@pytest.fixture(scope="module")
def runs():
    return exact.simulate(WALK, 4.0).record, simulate.simulate(WALK, 4.0, progress=False).record


def test_the_engines_agree_on_the_default_walk(runs):
    ours, mujoco = runs
    np.testing.assert_allclose(ours.time, mujoco.time, atol=1e-9)
    steady = ours.time.values >= 2.0

    def rmse(name, *labels):
        a, b = (r[name].sel(**dict(labels)).values[steady] for r in runs)
        return np.sqrt(np.mean((a - b) ** 2))

    assert rmse("body_position", ("axis", "z")) < 1e-4
    assert rmse("body_velocity", ("axis", "y")) < 3e-3
    assert rmse("splay") < 5e-3 and rmse("leg_length") < 5e-4
    assert np.abs(ours.hip_reference - mujoco.hip_reference).values.max() < 1e-6  # MuJoCo's clock is nudged
    speeds = [np.diff(r.body_position.sel(axis="y").values[[2000, 4000]])[0] for r in runs]
    assert speeds[0] / speeds[1] == pytest.approx(1.0, abs=0.003)
    weight = 10.0 * HexapodParams().total_mass
    for r in runs:
        assert r.foot_force.sel(axis="z").sum("leg").values[2000:].mean() == pytest.approx(weight, rel=0.01)
    agree = ours.foot_contact.values == mujoco.foot_contact.values
    assert agree.mean() > 0.95


def test_a_record_goes_to_disk_and_back(runs, tmp_path):
    record.save(runs[0], tmp_path / "exact.nc")
    again = record.load(tmp_path / "exact.nc")
    np.testing.assert_array_equal(again.foot_force, runs[0].foot_force)
    assert "tarsus" in again.attrs["engine"] and again.attrs["status"] == "reached the end"


def test_a_fall_is_a_status_not_an_error():
    fall = exact.simulate(Experiment(HexapodParams(), TripodGait(heading="left"), make("flat")), 4.0)
    assert fall.status in (Status.TOPPLED, Status.FELL)
    assert not fall.completed and "guard t" in fall.warnings
    assert fall.record.time[-1] < 4.0
