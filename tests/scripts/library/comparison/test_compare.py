"""Errors of synthetic records whose differences are known."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tarsus.analytic import terrain
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.scripts.library.comparison import compare
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import layouts, record, summary

GAIT, PERIOD = TripodGait(), 1e-3
GROUND = terrain.Slope(0.0, 0.2)


def synthetic(seconds=5.0, status="reached the end", **changed):
    """A record of a robot that glides along +y at 1 m/s."""
    time = np.arange(round(seconds / PERIOD) + 1) * PERIOD
    sizes = {"time": len(time), "leg": 6, "axis": 3, "quat": 4}
    made = {
        name: np.zeros([sizes[dim] for dim in dims])
        for name, (dims, _, _) in record.layout_of("hexapod").schema.items()
    }
    made["body_orientation"][:, 0] = 1.0
    made["body_position"][:, 1], made["body_velocity"][:, 1] = time, 1.0
    made["foot_force"][..., 2] = 10.0
    for name, values in changed.items():
        made[name] = values(time) if callable(values) else values
    attrs = record.describe("by hand", status, "none", HexapodParams(), GAIT, GROUND)
    return record.build(time, made, attrs)


def trial(made):
    return Run.of(made)


def turned(axis, angle):
    quat = np.zeros((5001, 4))
    quat[:, 0], quat[:, 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return quat


def test_a_record_agrees_with_itself():
    same = compare.compare(trial(synthetic()), trial(synthetic()), 1.0)
    assert set(same.body.values()) == {0.0} and same.speed_ratio == 1.0
    assert not np.any([same.normal, same.normal_smooth, same.tangential, same.tangential_smooth])
    assert same.budget == {}


def test_errors_of_the_body_are_read_with_the_right_unit_and_place():
    def position(time):
        return np.stack([0 * time, 1.01 * time, 0.2 * 1.01 * time + 0.002], axis=-1)

    moved = compare.compare(trial(synthetic()), trial(synthetic(body_position=position)), 1.0)
    assert moved.speed_ratio == pytest.approx(1.01 * np.hypot(1, 0.2), rel=1e-9)  # the exact one glides level
    over_slope = 0.2 * synthetic()["time"].values
    rows = slice(3000, 5000)
    assert moved.body["height"] == pytest.approx(np.sqrt(np.mean((0.002 + over_slope[rows]) ** 2)), rel=1e-6)
    assert moved.window.start == 3.0 and moved.window.stop == 5.0


@pytest.mark.parametrize(("axis", "name"), [(0, "pitch"), (1, "roll"), (2, "heading")])
def test_each_rotation_has_its_axis(axis, name):
    found = compare.compare(trial(synthetic()), trial(synthetic(body_orientation=turned(axis, 0.01))), 1.0)
    assert found.body[name] == pytest.approx(0.01)
    for other in {"pitch", "roll", "heading"} - {name}:
        assert found.body[other] < 1e-12


def test_roll_is_positive_right_side_down_whatever_heading_and_pitch():
    heading, pitch, roll = 0.7, -0.2, 0.3
    x, y, z, w = Rotation.from_euler("ZXY", [heading, pitch, roll]).as_quat()
    made = synthetic(body_orientation=np.tile([w, x, y, z], (5001, 1)))
    np.testing.assert_allclose(summary.roll(made), roll)
    np.testing.assert_allclose(summary.pitch(made), pitch)
    np.testing.assert_allclose(summary.yaw(made), heading)
    right = Rotation.from_quat([x, y, z, w]).apply([1.0, 0.0, 0.0])
    assert right[2] < 0


def test_forces_are_split_along_the_terrain_under_the_foot():
    normal = GROUND.normal(0.0, 0.0)
    along = np.array([0.0, normal[2], -normal[1]])  # on the slope, uphill
    force = np.zeros((5001, 6, 3)) + 4.0 * normal + 3.0 * along
    found = compare.compare(trial(synthetic(foot_force=0 * force)), trial(synthetic(foot_force=force)), 1.0)
    np.testing.assert_allclose(found.normal, 4.0)
    np.testing.assert_allclose(found.tangential, 3.0)
    np.testing.assert_allclose(found.normal_smooth, 4.0)


def test_smoothing_takes_flicker_away_and_leaves_an_offset():
    time = synthetic()["time"].values
    flicker = np.zeros((len(time), 6, 3))
    flicker[..., 2] = 10.0 + 1.0 + 8.0 * np.where(np.arange(len(time)) % 2, 1, -1)[:, None]
    found = compare.compare(trial(synthetic()), trial(synthetic(foot_force=flicker)), 1.0)
    vertical = GROUND.normal(0.0, 0.0)[2]
    np.testing.assert_allclose(found.normal, vertical * np.sqrt(1 + 64), rtol=1e-3)
    np.testing.assert_allclose(found.normal_smooth, vertical, rtol=5e-3)  # the last rows have no future to mean over


def test_the_rest_of_a_budget_is_gain_plus_losses_minus_work():
    made = synthetic()
    time = made["time"].values
    terms = {"energy": 1.0 * time, "motor_work": 5.0 * time, "damper_loss": 2.0 * time, "contact_loss": 1.5 * time}
    made = made.assign({name: ("time", values) for name, values in terms.items()})
    found = compare.budget(made, summary.window(made))
    assert found["motor_work"] == pytest.approx(10.0) and found["rest"] == pytest.approx(2 * (1.0 + 2.0 + 1.5 - 5.0))
    assert set(found) == {*layouts.BUDGET, "rest"}


def test_both_are_aligned_up_to_the_end_of_the_shorter():
    both = compare.align(synthetic(), synthetic(2.0))
    assert both.sizes["engine"] == 2 and both.sizes["time"] == 2001
    assert list(both["engine"].values) == list(compare.ENGINES)
    assert both.attrs["robot"] == "hexapod"


def test_rows_of_other_instants_are_refused():
    late = synthetic().assign_coords(time=synthetic()["time"] + 5e-4)
    with pytest.raises(ValueError, match="same instants"):
        compare.align(synthetic(), late)
