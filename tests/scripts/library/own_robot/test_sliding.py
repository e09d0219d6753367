"""The contact solver on a user's robot: the same forces and velocities as MuJoCo's, and friction fitted to them."""

import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tarsus.analytic.contact import solve
from tarsus.mjcf import own_robot as models
from tarsus.mjcf import own_servos
from tarsus.scripts.library.own_robot import legs, sliding
from tarsus.scripts.library.own_robot.stance import foot_geoms, stance, twist_of
from tarsus.scripts.library.sliding import fitted

FEET, PERIOD = ("FL", "FR", "RL", "RR"), 2.0


@pytest.fixture(scope="module")
def walk(shuffled, model):
    return sliding.walk(shuffled.record, model, 0.6).between(PERIOD, 2 * PERIOD)


def moved(model, data, **entries):
    """Return a copy of a state with other `qpos` and `qvel`."""
    copy = mujoco.MjData(model)
    copy.qpos[:], copy.qvel[:], copy.ctrl[:] = data.qpos, data.qvel, data.ctrl
    for name, value in entries.items():
        getattr(copy, name)[:] = value
    mujoco.mj_forward(model, copy)
    return copy


def test_velocities_and_loads_of_a_stance_are_mujocos(model, sliding_dog):
    here = stance(model, sliding_dog, FEET)
    found = here.solve()
    assert found.solved and here.feet.mu == 0.6 and here.feet.weight == pytest.approx(5.04 * 9.81)
    assert np.abs(found.twist - here.twist).max() < 2e-3
    assert here.twist[0] > 0.03 and here.twist[2] < -0.005
    np.testing.assert_allclose(found.force[:, 2], here.force[:, 2], atol=2.0)
    assert np.ptp(here.force[:, 2]) > 6  # which is not of a robot that stands
    quick = np.argmax(np.abs(here.foot_vel[:, 0]))
    np.testing.assert_allclose(found.force[quick, :2], here.force[quick, :2], atol=0.8)
    assert "| forward | mm/s | " in here.report() and "| RR | " in here.report()
    np.testing.assert_allclose(here.force.sum(axis=0), [0, 0, here.feet.weight], atol=1.0)


def test_a_stance_does_not_depend_on_where_the_robot_is_and_heads(model, sliding_dog):
    here = stance(model, sliding_dog, FEET)
    turn, quat = np.array([np.cos(1.0), 0, 0, np.sin(1.0)]), np.zeros(4)
    mujoco.mju_mulQuat(quat, turn, sliding_dog.qpos[3:7])
    qpos, qvel = sliding_dog.qpos.copy(), sliding_dog.qvel.copy()
    qpos[:2], qpos[3:7] = (3.0, -2.0), quat
    mujoco.mju_rotVecQuat(qvel[:3], sliding_dog.qvel[:3].copy(), turn)
    there = stance(model, moved(model, sliding_dog, qpos=qpos, qvel=qvel), FEET)
    for name, tolerance in (("foot_pos", 1e-12), ("foot_vel", 1e-12), ("twist", 1e-12), ("force", 0.05)):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), atol=tolerance, err_msg=name)


def test_the_twist_is_that_of_the_centre_of_mass(model, sliding_dog):
    step, before = 1e-6, moved(model, sliding_dog)
    qpos = sliding_dog.qpos.copy()
    body = np.concatenate([sliding_dog.qvel[:6], np.zeros(12)])  # legs held: the body's points move as one
    mujoco.mj_integratePos(model, qpos, body, step)
    after = moved(model, sliding_dog, qpos=qpos)
    twist, axes = twist_of(model, before)
    rate = (after.subtree_com[1] - before.subtree_com[1]) / step
    np.testing.assert_allclose(twist[:2], (axes @ rate)[:2], atol=1e-6)
    assert twist[2] == pytest.approx((before.xmat[1].reshape(3, 3) @ sliding_dog.qvel[3:6])[2])


def test_foot_velocities_are_those_of_the_points_that_touch(model, sliding_dog):
    geoms, step = foot_geoms(model, FEET), 1e-6
    still = moved(model, sliding_dog, qvel=np.concatenate([np.zeros(6), sliding_dog.qvel[6:]]))
    points = [p - (0, 0, 0.018) for p in still.geom_xpos[geoms]]
    bodies = [model.geom_bodyid[g] for g in geoms]
    local = [still.xmat[b].reshape(3, 3).T @ (p - still.xpos[b]) for p, b in zip(points, bodies, strict=True)]
    qpos = still.qpos.copy()
    mujoco.mj_integratePos(model, qpos, still.qvel, step)
    after = moved(model, still, qpos=qpos)
    there = [after.xmat[b].reshape(3, 3) @ p + after.xpos[b] for p, b in zip(local, bodies, strict=True)]
    rate = (np.array(there) - points) / step @ still.xmat[1].reshape(3, 3)
    np.testing.assert_allclose(stance(model, sliding_dog, FEET).foot_vel, rate, atol=1e-6)
    centres = (after.geom_xpos[geoms] - still.geom_xpos[geoms]) / step @ still.xmat[1].reshape(3, 3)
    assert np.abs(centres - rate)[:, 0].max() > 5e-3  # rolling


def test_a_foot_without_load_is_where_its_set_points_put_its_lowest_point(model, sliding_dog):
    here = stance(model, sliding_dog, FEET)
    qpos = sliding_dog.qpos.copy()
    qpos[7:] = sliding_dog.ctrl
    free = moved(model, sliding_dog, qpos=qpos)
    lowest = free.geom_xpos[foot_geoms(model, FEET)] - (0, 0, 0.018)
    expected = (lowest - free.subtree_com[1]) @ free.xmat[1].reshape(3, 3)
    np.testing.assert_allclose(here.foot_pos[:, 2], expected[:, 2], atol=1e-12)
    assert np.abs(here.foot_pos - expected)[:, :2].max() > 1e-3  # along the ground they are where they bear their loads


def test_a_servo_with_a_gear_holds_its_joint_at_the_control_over_the_gear():
    text = models.EXAMPLE.read_text(encoding="utf-8")
    text = text.replace('joint="FL_knee" ctrlrange="-2.4 -0.2"', 'joint="FL_knee" gear="2" ctrlrange="-2.5 -1"')
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = -4.0
    legs.unload(model, data)
    np.testing.assert_allclose(data.qpos[7:11], [-0.6, -0.6, -1.25, -0.6])  # clipped at the ranges first
    assert own_servos.by_joint(model)[3] == 2 and own_servos.gains_of(model)[1][2] == 60.0


@pytest.fixture(scope="module")
def hexapod():
    """A robot whose servos have a largest speed, as DC motors."""
    robot = models.OwnRobot(models.EXAMPLE.with_name("hexapod.urdf"), friction=0.4)
    model = models.model(robot)
    assert own_servos.has_speed_line(model).all()
    return robot, model


def test_servos_with_a_largest_speed_carry_a_stance_that_slides_as_in_mujoco(hexapod):
    robot, model = hexapod
    data, rest = models.standing(model), models.rest_controls(model).reshape(6, 3)
    while data.time < 0.375:
        phase = 2 * np.pi * data.time + np.arange(6) * np.pi / 3
        yaw, lift = 0.15 * np.sin(phase), 0.03 * np.cos(phase)
        data.ctrl[:] = (rest + np.column_stack([yaw, lift, 0 * yaw])).ravel()
        mujoco.mj_step(model, data)
    here = stance(model, data, robot.feet, mu=0.4)
    found = here.solve()
    assert found.solved and np.ptp(here.force[:, 2]) > 2
    np.testing.assert_allclose(found.force, here.force, atol=0.35)


def test_the_compliance_of_servos_with_a_largest_speed_is_that_of_their_torques(hexapod):
    robot, model = hexapod
    geoms, data, stiffness = foot_geoms(model, robot.feet), models.standing(model), []
    data.ctrl[:] = models.rest_controls(model)
    still = moved(model, data)
    for joint in range(18):
        qpos = data.qpos.copy()
        qpos[7 + joint] += 1e-3
        torque = moved(model, data, qpos=qpos).qfrc_actuator - still.qfrc_actuator
        stiffness.append(-torque[6 + joint] / 1e-3)
    jacobian = legs.jacobians(model, still, geoms)
    expected = (jacobian / stiffness) @ jacobian.swapaxes(-1, -2)
    np.testing.assert_allclose(legs.compliance(model, still, geoms, robot.feet), expected, atol=1e-9)


def test_a_leg_gives_way_as_its_servos_do(model, sliding_dog):
    """Pull a foot of the dog whose body is held, without gravity: it moves by its compliance."""
    geoms = foot_geoms(model, FEET)
    free = mujoco.MjSpec.from_file(str(models.EXAMPLE))
    free.option.gravity = (0, 0, 0)
    free.delete(free.joints[0])
    for key in list(free.keys):
        free.delete(key)
    held = free.compile()
    data = mujoco.MjData(held)
    rest = np.tile([0.1, 0.7, -1.3], 4)
    data.qpos[:], data.ctrl[:] = rest, rest
    foot, force = held.geom("RL"), np.array([0.4, 0.3, 0.5])
    mujoco.mj_forward(held, data)
    body, start = foot.bodyid[0], data.geom_xpos[foot.id] - (0, 0, 0.018)
    local = data.xmat[body].reshape(3, 3).T @ (start - data.xpos[body])
    for _ in range(3000):
        point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ local
        data.qfrc_applied[:] = 0
        mujoco.mj_applyFT(held, data, force, np.zeros(3), point, body, data.qfrc_applied)
        mujoco.mj_step(held, data)
    moves = data.xpos[body] + data.xmat[body].reshape(3, 3) @ local - start
    qpos = np.concatenate([[0, 0, 1, 1, 0, 0, 0], rest])
    given = legs.compliance(model, moved(model, sliding_dog, qpos=qpos), geoms, FEET)[2]
    np.testing.assert_allclose(given @ force, moves, rtol=0.03, atol=2e-6)
    np.testing.assert_allclose(given, given.T, atol=1e-12)


def test_a_walk_does_not_depend_on_where_the_robot_heads(shuffled, model):
    some = shuffled.record.isel(time=slice(2000, 2400))
    turn, z = np.array([np.cos(1.0), 0, 0, np.sin(1.0)]), np.array([0.0, 0.0, 1.0])
    turned, out = some.copy(), np.zeros(4)
    for name in ("body_position", "body_velocity", "foot_force"):
        v = some[name].values  # by 2 rad about z
        across = np.cross(np.broadcast_to(z, v.shape), v)
        values = np.cos(2.0) * v + np.sin(2.0) * across + (1 - np.cos(2.0)) * v[..., 2:] * z
        turned[name] = (some[name].dims, values)
    quats = [mujoco.mju_mulQuat(out, turn, q) or out.copy() for q in some["body_orientation"].values]
    turned["body_orientation"] = (("time", "quat"), np.array(quats))
    one, other = (sliding.walk(record, model, 0.6).measured for record in (some, turned))
    for name in ("foot_pos", "foot_vel", "twist", "force"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-9, err_msg=name)
    np.testing.assert_allclose(other.pose[:, 2] - one.pose[:, 2], 2.0)


def test_coulombs_law_has_the_speed_of_the_walk_and_the_viscous_law_has_not(walk):
    seen = walk.measured.twist.mean(axis=0)
    found = walk.predict("coulomb")
    assert found.solved.mean() > 0.98 and seen[0] > 0.02
    assert found.twist[:, 0].mean() == pytest.approx(seen[0], rel=0.02)
    assert walk.with_loads("coulomb")[:, 0].mean() == pytest.approx(seen[0], rel=0.01)
    assert walk.predict("viscous").twist[:, 0].mean() < 0
    load = (found.force - walk.measured.force)[..., 2] / walk.measured.weight
    assert np.sqrt(np.mean(load**2)) < 0.05


def test_the_numbers_of_the_page_are_these(walk):
    page = (Path(__file__).parents[4] / "docs" / "bring_your_own.md").read_text(encoding="utf-8")
    said = {name: float(value) for name, value in re.findall(r"^\| ([^|]+) \| (-?[\d.]+) \|$", page, re.MULTILINE)}
    found = {
        "MuJoCo": walk.measured.twist,
        "solver, Coulomb": walk.predict("coulomb").twist,
        "solver, Coulomb, loads from MuJoCo": walk.with_loads("coulomb"),
        "solver, viscous": walk.predict("viscous").twist,
    }
    assert said == pytest.approx({name: 1e3 * twist[:, 0].mean() for name, twist in found.items()}, abs=0.1)


def test_legs_that_would_not_bend_under_tractions_carry_other_loads(walk):
    stiff = replace(walk, bend=0 * walk.bend)
    wrong = stiff.predict("coulomb")
    seen = walk.measured.force[:, 0, 2]
    right = walk.predict("coulomb")
    assert np.corrcoef(wrong.force[:, 0, 2], seen)[0, 1] < 0.3
    assert np.corrcoef(right.force[:, 0, 2], seen)[0, 1] > 0.6
    assert wrong.twist[:, 0].mean() > 1.15 * walk.measured.twist[:, 0].mean()


def test_tractions_and_the_heights_that_they_leave_agree(walk):
    seen, free = walk.measured, walk.measured.foot_pos
    pos, settled = legs.bent(free, seen.foot_vel, walk.feet, walk.bend, "viscous")
    assert settled.all()
    force = solve(pos, seen.foot_vel, walk.feet, "viscous").force
    rise = walk.bend[..., 0] * force[..., 0] + walk.bend[..., 1] * force[..., 1]
    np.testing.assert_allclose(pos[..., 2] - free[..., 2], rise, atol=1e-6)
    assert np.abs(rise).max() > 1e-4 and (pos[..., :2] == free[..., :2]).all()


def test_the_friction_that_is_fitted_is_mujocos_and_printed_with_its_unit(walk):
    found = fitted.fit(walk.measured)
    np.testing.assert_allclose(found.coulomb.mu, 0.6, atol=2e-3)
    text = walk.report()
    assert "Coulomb mu [1]" in text and f"viscous mu at {1e3 * found.reference_speed:.1f} mm/s [1]" in text
    row = next(line for line in text.splitlines() if line.startswith("| RL |"))
    assert row.split("|")[7].strip() == "0.600"
    assert "| coulomb, MuJoCo's loads | " in text


def test_a_robot_of_motors_needs_a_stiffness():
    text = models.EXAMPLE.read_text(encoding="utf-8").replace('<position name="FL_knee"', '<motor name="FL_knee"')
    robot = models.OwnRobot(text, FEET, friction=0.6, servo="file")
    model = models.model(robot)
    data = models.standing(model)
    with pytest.raises(ValueError, match="the joints FL_knee of the foot 'FL' have no servo.*pass stiffness"):
        stance(model, data, FEET)
    here = stance(model, data, FEET, stiffness=500.0)
    assert here.solve().solved and (here.feet.stiffness == 500).all() and not here.bend.any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda m, d, r: stance(m, d, ("FL", "FRX")),
            "no geom or body 'FRX' to be a foot; there are FL, FR, RL, RR; did you",
        ),
        (lambda m, d, r: stance(m, models_up(m), FEET), r"do not give one friction \(no foot touches\): pass mu"),
        (lambda m, d, r: stance(m, d, FEET, mu=-1.0), "mu must not be below 0"),
        (lambda m, d, r: stance(m, d, FEET, stiffness=np.ones(3)), "could not be broadcast|one for each foot"),
        (lambda m, d, r: sliding.walk(r, m, 0.6, rate=0.0), "rate must be positive"),
        (lambda m, d, r: sliding.walk(r.assign_attrs(robot="bigant"), m, 0.6), "must be one of own_robot.rollout"),
        (lambda m, d, r: sliding.walk(r, other(), 0.6), "the model has 0 joints and 0 actuators"),
        (lambda m, d, r: sliding.walk(r.isel(time=slice(400)), m, 0.6).between(5, 6), "no two frames"),
    ],
)
def test_what_cannot_be_solved_is_refused(model, sliding_dog, shuffled, call, message):
    with pytest.raises(ValueError, match=message):
        call(model, sliding_dog, shuffled.record)


def models_up(model):
    data = models.standing(model)
    data.qpos[2] += 1.0
    return data


def other():
    geoms = "".join(f"<geom name='{name}' size='0.1'/>" for name in FEET)
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>")
