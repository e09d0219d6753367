"""Rollouts of a user's robot are records like all others, with the forces that carry it."""

import mujoco
import numpy as np
import pytest

from tarsus.mjcf import own_robot as models
from tarsus.scripts.library.machines.outcome import RunStatus
from tarsus.scripts.library.own_robot.measures import draw, heading, lines, measures
from tarsus.scripts.library.own_robot.rollout import rollout, rollout_of
from tarsus.scripts.library.own_robot.stance import foot_geoms, loads
from tarsus.scripts.library.records import layouts, record
from tarsus.scripts.library.records.summary import battery_life, foot_slip, summarise, window
from tarsus.scripts.library.views import rendering

FEET, PERIOD = ("FL", "FR", "RL", "RR"), 2.0
WEIGHT = 5.04 * 9.81


def hold(time, qpos, qvel):
    return np.tile([0.0, 0.8, -1.6], 4)


def test_the_ground_carries_the_weight_and_no_more(shuffled):
    force, time = shuffled.record["foot_force"].values, shuffled.record["time"].values
    assert shuffled.completed and not shuffled.warnings
    period = (time >= PERIOD - 1e-9) & (time < 2 * PERIOD - 1e-9)
    np.testing.assert_allclose(force[period].sum(axis=1).mean(axis=0) / WEIGHT, [0, 0, 1], atol=2e-3)
    touches = shuffled.record["foot_contact"].values
    assert touches[period].all() and (force[period, :, 2] > 0).all()
    assert not force[~touches].any() and (force[..., 2] >= 0).all()
    assert np.all(np.linalg.norm(force[..., :2], axis=-1) <= 0.6 * force[..., 2] * (1 + 1e-3) + 1e-9)


def test_feet_are_pushed_inwards_when_legs_spread_and_the_record_keeps_their_order(dog):
    out = np.array([0.15, 0.8, -1.6, -0.15, 0.8, -1.6] * 2)  # hips turn feet outwards: left to +y, right to -y
    end = rollout(dog, lambda *_: out, 1.5).record.isel(time=-1)
    y = end["foot_position"].values[:, 1]
    assert (y[[0, 2]] > 0.05).all() and (y[[1, 3]] < -0.05).all()
    assert (end["foot_force"].values[[0, 2], 1] < -1).all() and (end["foot_force"].values[[1, 3], 1] > 1).all()
    assert (end["foot_position"].values[:2, 0] > 0).all() and (end["foot_position"].values[2:, 0] < 0).all()


def test_a_record_is_kept_and_read_without_loss(shuffled, tmp_path):
    record.save(shuffled.record, tmp_path / "run.nc")
    record.save_csv(shuffled.record, tmp_path / "run.csv")
    for back in (record.load(tmp_path / "run.nc"), record.load_csv(tmp_path / "run.csv")):
        assert back.identical(shuffled.record)
    about = record.params_of(shuffled.record)
    assert about.feet == list(FEET) and about.n_legs == 4 and about.mass == pytest.approx(5.04)
    assert list(shuffled.record["joint"].values[:3]) == ["FL_hip", "FL_thigh", "FL_knee"] and about.foot_radius == 0.018


def test_a_row_is_of_one_instant(shuffled, model):
    row = shuffled.record.isel(time=700)
    data = mujoco.MjData(model)
    data.qpos[:] = rendering.qpos_of(shuffled.record, 700)
    data.qvel[:6] = np.concatenate([row["body_velocity"], row["body_angular_velocity_b"]])
    data.qvel[6:], data.ctrl[:] = row["joint_speed"], row["control"]
    mujoco.mj_forward(model, data)
    geoms = foot_geoms(model, FEET)
    np.testing.assert_allclose(data.geom_xpos[geoms], row["foot_position"], atol=1e-12)
    np.testing.assert_allclose(loads(model, data, geoms)[0], row["foot_force"], atol=1e-3)


def test_a_model_is_recorded_as_it_is_on_its_own_floor():
    model = mujoco.MjModel.from_xml_path(str(models.EXAMPLE))
    run = rollout_of(model, FEET, hold, 1.0)
    end = run.record.isel(time=-1)
    assert run.completed and run.record.attrs["preset"] == "of the model's own"
    assert end["foot_force"].values[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-3) and end["foot_contact"].all()
    np.testing.assert_allclose(end["foot_position"].values[:, 2], 0.018, atol=1e-3)
    data = mujoco.MjData(model)
    data.qpos[:] = model.key_qpos[0]
    data.qpos[2] = 1.0
    fall = rollout_of(model, FEET, hold, 0.2, data)
    assert not fall.record["foot_contact"].any() and not fall.record["foot_force"].any()
    np.testing.assert_allclose(fall.record["body_velocity"].values[-1, 2], -9.81 * 0.2, rtol=2e-3)


def test_feet_of_several_boxes_carry_the_weight_on_any_ground():
    """A table on four legs, each with a sole of two boxes, named by its bodies: one box carries half of the force."""
    sole = "".join(f"<geom type='box' size='.01 .02 .005' pos='{x} 0 -.2'/>" for x in (-0.02, 0.02))
    legs = "".join(
        f"<body name='leg{k}' pos='{x} {y} 0'><joint name='j{k}' axis='0 1 0'/>"
        f"<geom type='capsule' size='.01' fromto='0 0 0 0 0 -.15'/>{sole}</body>"
        for k, (x, y) in enumerate([(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)])
    )
    servos = "".join(f"<position joint='j{k}' kp='50' kv='1'/>" for k in range(4))
    text = (
        "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .206'><freejoint/>"
        f"<geom type='box' size='.2 .1 .02'/>{legs}</body></worldbody><actuator>{servos}</actuator></mujoco>"
    )
    names, weight = [f"leg{k}" for k in range(4)], mujoco.MjModel.from_xml_string(text).body_mass.sum() * 9.81
    plain = rollout_of(mujoco.MjModel.from_xml_string(text), names, lambda *_: np.zeros(4), 1.0)
    placed = rollout(models.OwnRobot(text, names), lambda *_: np.zeros(4), 1.0)
    for run in (plain, placed):
        end = run.record.isel(time=-1)
        assert end["foot_force"].values[:, 2].sum() == pytest.approx(weight, rel=5e-3) and end["foot_contact"].all()
        centre = 0.205 - (0.2 + 0.2 + 0.075) / 3  # of a leg's boxes and capsule, which are its foot
        np.testing.assert_allclose(end["foot_position"].values[:, 2], centre, atol=1e-3)
        assert record.params_of(run.record).foot_radius == 0.0


def test_what_the_robot_does_to_itself_is_no_load():
    """A foot pressed into its own trunk, two bodies away, while the floor is far below."""
    foot = "<body pos='0 0 0.15'><joint/><geom name='f' size='0.1'/></body>"
    leg = f"<body pos='0 0 -0.3'><joint/><geom size='0.01'/>{foot}</body>"
    text = f"<mujoco><worldbody><body><freejoint/><geom size='0.1'/>{leg}</body></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon > 0 and np.abs(data.efc_force).max() > 0
    force, touches = loads(model, data, foot_geoms(model, ["f"]))
    assert not force.any() and not touches.any()


def test_a_robot_that_topples_and_one_on_a_slope_say_so(dog):
    fallen = rollout(dog, lambda *_: np.array([0.6, 0.8, -1.6, 0.6, 2.2, -2.4] * 2), 3.0)
    assert fallen.status in (RunStatus.TOPPLED, RunStatus.COMPLETED)
    slope = rollout(dog, hold, 0.5, terrain="slope", preset="rl").record
    assert record.terrain_of(slope) != record.terrain_of(rollout(dog, hold, 0.1).record)


def test_measures_are_those_of_the_record(shuffled):
    found = measures(shuffled.record, PERIOD, PERIOD)
    position, time = shuffled.record["body_position"].values, shuffled.record["time"].values
    first, last = np.searchsorted(time, (PERIOD - 1e-9, 2 * PERIOD - 1e-9))
    assert found.speed == pytest.approx((position[last, 0] - position[first, 0]) / PERIOD, rel=1e-4)
    assert found.speed > 0.02
    assert found.load.sum() == pytest.approx(1.0, abs=2e-3) and found.duty_factor == pytest.approx(np.ones(4))
    assert 0.2 < found.height < 0.23 and found.foot_slip == pytest.approx([0.065, 0.065, 0.081, 0.081], abs=2e-3)
    assert found.cost_of_transport == pytest.approx(found.power / (WEIGHT * found.speed))
    assert "FL 1.00, FR 1.00" in dict(lines(found, FEET))["duty factor"]
    whole = measures(shuffled.record)
    assert dict(lines(whole, FEET))["foot slip"].endswith(f" mm in {whole.window.duration:.3g} s")
    named = shuffled.record.assign_attrs({layouts.PERIOD: str(PERIOD)})  # as a CSV file has it
    np.testing.assert_array_equal(measures(named, settle=PERIOD).foot_slip, found.foot_slip)
    np.testing.assert_array_equal(foot_slip(named, window(named, PERIOD)), found.foot_slip)
    assert dict(lines(found, FEET))["foot slip"].endswith(" mm per stride")
    turned = shuffled.record.copy()
    turned["body_orientation"] = (("time", "quat"), np.tile([np.cos(0.6), 0, 0, np.sin(0.6)], (len(time), 1)))
    np.testing.assert_allclose(heading(turned), 1.2)
    turned.attrs["parameters"] = turned.attrs["parameters"].replace('"forward": "x"', '"forward": "y"')
    np.testing.assert_allclose(heading(turned), 1.2 + np.pi / 2)
    assert measures(turned, PERIOD, PERIOD).speed == pytest.approx(found.speed * np.cos(1.2 + np.pi / 2), abs=1e-3)
    turned["body_position"] = (("time", "axis"), position[:, [1, 0, 2]])  # now along y
    assert measures(turned, PERIOD, PERIOD).speed == pytest.approx(found.speed * np.sin(1.2 + np.pi / 2), abs=1e-3)


def test_the_figure_has_a_row_for_every_foot(shuffled):
    labels = [label.get_text() for label in draw(shuffled.record).axes[2].get_yticklabels()]
    assert labels == list(FEET)


@pytest.mark.render
def test_the_record_is_drawn_with_its_forces(shuffled, model):
    plain, arrows = (next(rendering.frames(shuffled.record, model, forces=forces)) for forces in (False, True))
    assert plain.shape == (480, 640, 3) and (plain != arrows).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda dog, m: rollout(dog, lambda *_: np.zeros(3), 1.0), r"must return 12 finite controls.*shape \(3,\)"),
        (lambda dog, m: rollout(dog, lambda *_: np.full(12, np.nan), 1.0), "must return 12 finite controls"),
        (lambda dog, m: rollout(dog, hold, 1e-6), "must last at least one row"),
        (lambda dog, m: rollout(dog, hold, 1.0, terrain="swamp"), "swamp"),
        (lambda dog, m: rollout(dog, hold, 1.0, preset="fast"), "unknown preset 'fast'"),
        (lambda dog, m: rollout_of(m, ("FLX",), hold, 1.0), "no geom or body 'FLX' to be a foot.*did you mean FL"),
        (lambda dog, m: rollout_of(m, ("FL_knee",), hold, 1.0), "no geom or body 'FL_knee' to be a foot, but a joint"),
        (lambda dog, m: rollout_of(m, ("floor",), hold, 1.0), "'floor' to be a foot, but a geom of another shape"),
        (lambda dog, m: foot_geoms(m, ("trunk",)), "'trunk' is not a sphere: the contact solver takes spheres"),
        (lambda dog, m: rollout_of(m, "FL", hold, 1.0), "feet must be names of geoms"),
        (lambda dog, m: rollout_of(m, FEET, hold, 1.0, forward="z"), "forward must be 'x' or 'y'"),
        (
            lambda dog, m: rollout_of(mujoco.MjModel.from_xml_string("<mujoco/>"), FEET, hold, 1.0),
            "there is no geom or body 'FL' to be a foot; there are ",
        ),
    ],
)
def test_impossible_rollouts_are_refused(dog, call, message):
    with pytest.raises(ValueError, match=message):
        call(dog, mujoco.MjModel.from_xml_path(str(models.EXAMPLE)))


def test_models_without_free_root_or_actuators_are_refused():
    ball = "<mujoco><worldbody><body>{}<geom name='f' size='0.1'/></body></worldbody></mujoco>"
    for joint, message in (("<joint/>", "must be free"), ("<freejoint/>", "no actuators")):
        with pytest.raises(ValueError, match=message):
            rollout_of(mujoco.MjModel.from_xml_string(ball.format(joint)), ("f",), hold, 1.0)


def test_numbers_of_a_hexapod_are_refused_of_another_robot(shuffled):
    for ask in (record.gait_of, summarise, battery_life, foot_slip):
        with pytest.raises(ValueError, match="`own_robot.measures"):
            ask(shuffled.record)
