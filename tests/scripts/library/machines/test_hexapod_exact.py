"""The exact hexapod's record is MuJoCo's in names and meaning, and the two walk alike."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import make
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines import hexapod_mujoco as simulate
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.outcome import RunStatus
from tarsus.scripts.library.records import record

WALK = HexapodExperiment(HexapodParams(), TripodGait(), make("flat"))


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


def test_the_default_method_is_for_stiff_toes_and_within_its_stated_errors(runs):
    """As in docs/hexapod.md, after 1 s of the walk; dop853 takes ten times as many steps and is selectable."""
    count = exact.run(WALK, 1.0).counts["steps"]
    other = exact.run(replace(WALK, method="dop853"), 1.0, rtol=1e-9)
    assert 5 * count < other.counts["steps"]
    fine = exact.to_record(WALK, other)
    ours = runs[0].isel(time=slice(0, fine.sizes["time"]))
    assert np.abs(ours.body_position.values - fine.body_position.values).max() < 1e-7
    # A sample at the time of an event, to rounding, is before or after it: feet lift off as the clock turns, at 0.8 s.
    apart = np.abs(fine.time.values[:, None] - other.events.t).min(axis=1) > 1e-12
    assert apart.sum() > 0.99 * apart.size
    assert np.abs(ours.foot_force.values - fine.foot_force.values)[apart].max() < 5e-3


def test_a_fall_is_a_status_not_an_error():
    fall = exact.simulate(HexapodExperiment(HexapodParams(), TripodGait(heading="left"), make("flat")), 4.0)
    assert fall.status in (RunStatus.TOPPLED, RunStatus.FELL)
    assert not fall.completed and "guard t" in fall.warnings
    assert fall.record.time[-1] < 4.0
