"""Equalities: their rows are derivatives, loops that they close move as joints do, and a start that breaks them."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.assembly import assemble
from tarsus.analytic.articulated.modes import FREE
from tarsus.analytic.articulated.simulation import Options, RunStatus, start
from tarsus.mjcf.articulated import convert

G = 9.81
TREE = """<mujoco><option gravity="0 1 -9"><flag contact="disable"/></option><worldbody><body name="a" pos="0 0 1">
<freejoint/><geom type="box" size=".2 .1 .05" pos=".05 0 0"/><site name="sa" pos=".1 .2 0" euler="10 40 0"/>
<body name="b" pos=".3 0 0" euler="0 20 10"><joint name="hip" axis="1 1 0" ref=".2"/>
<geom size=".1" pos="0 0 .1"/></body></body>
<body name="c" pos="1 0 0" euler="30 0 0"><joint type="ball" pos="0 .1 0"/><geom type="box" size=".1 .2 .05"/>
<site name="sc" pos="0 .1 .3" euler="0 0 70"/>
<body name="d" pos="0 .3 0"><joint name="knee" axis="0 1 0" ref="-.1"/><geom size=".1" pos=".1 0 0"/></body></body>
</worldbody><tendon><fixed name="one"><joint joint="hip" coef="2"/><joint joint="knee" coef="-.3"/></fixed>
<fixed name="two"><joint joint="knee" coef="1.5"/></fixed></tendon><equality>{}</equality></mujoco>"""
KINDS = {
    "connect": '<connect name="e" body1="b" body2="d" anchor=".1 .2 .3"/>',
    "connect to the world": '<connect body1="d" anchor=".1 .2 .3"/>',
    "connect of sites": '<connect site1="sa" site2="sc"/>',
    "joints": '<joint joint1="hip" joint2="knee" polycoef=".1 .7 -.4 .3 .2"/>',
    "one joint": '<joint joint1="hip" polycoef=".3 0 0 0 0"/>',
    "tendons": '<tendon tendon1="one" tendon2="two" polycoef=".1 .7 -.4 .3 .2"/>',
    "one tendon": '<tendon tendon1="one" polycoef=".3 0 0 0 0"/>',
}
WELDS = {
    "weld": '<weld body1="b" body2="d" anchor=".1 .2 0" relpose=".1 .2 .3 .5 .5 -.5 .5"/>',
    "weld to the world": '<weld body1="a" relpose=".1 .2 .3 .9 .1 .2 .3"/>',
    "weld of sites": '<weld site1="sa" site2="sc"/>',
}


def model_of(equality):
    return mujoco.MjModel.from_xml_string(TREE.format(equality))


def moved(model, qpos, qvel, dt):
    qpos = np.array(qpos)
    mujoco.mj_integratePos(model, qpos, qvel, dt)
    return qpos


def states(model, n=10):
    rng = np.random.default_rng(1)
    for _ in range(n):
        yield moved(model, model.qpos0, rng.normal(size=model.nv), 0.7), 3 * rng.normal(size=model.nv)


@pytest.mark.parametrize("kind", [*KINDS, *WELDS])
def test_drifts_are_rates_of_velocities(kind):
    model = model_of((KINDS | WELDS)[kind])
    robot = convert(model, ())
    for qpos, qvel in states(model):
        found, dt = mechanics(robot, qpos, qvel), 1e-5
        before, after = (mechanics(robot, moved(model, qpos, qvel, h), qvel) for h in (-dt, dt))
        np.testing.assert_allclose(found.equality_jacobian @ qvel, found.equality_velocity, atol=1e-12)
        drift = (after.equality_velocity - before.equality_velocity) / (2 * dt)
        np.testing.assert_allclose(found.equality_drift, drift, atol=1e-6 * max(1, np.abs(drift).max()))
        held = slice(None) if kind in KINDS else slice(3)
        rate = (after.equality_error - before.equality_error) / (2 * dt)
        np.testing.assert_allclose(found.equality_velocity[held], rate[held], atol=1e-6 * max(1, np.abs(rate).max()))


@pytest.mark.parametrize("kind", [*KINDS, *WELDS])
def test_errors_and_rows_are_those_of_mujoco(kind):
    model = model_of((KINDS | WELDS)[kind])
    robot = convert(model, ())
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    for qpos, qvel in states(model):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        found, rows = mechanics(robot, qpos, qvel), data.efc_J.reshape(-1, model.nv)
        n = min(len(rows), 3)
        np.testing.assert_allclose(found.equality_error[:n], data.efc_pos[:n], atol=1e-12)
        np.testing.assert_allclose(found.equality_jacobian[:n], rows[:n], atol=1e-12)
        # MuJoCo's turn is of half a quaternion and seen from the second body.
        own, theirs = found.equality_error[3:], data.efc_pos[3:]
        np.testing.assert_allclose(np.linalg.norm(own), 2 * np.linalg.norm(theirs), atol=1e-12)


@pytest.mark.parametrize("kind", WELDS)
def test_a_weld_turns_what_its_error_says_where_it_holds(kind):
    """Also with the quaternion's sign turned round: that is the same turn."""
    model = model_of(WELDS[kind])
    robot = convert(model, ())
    qpos, qvel = assemble(robot, *next(states(model)))
    assert np.abs(mechanics(robot, qpos, qvel).equality_velocity).max() < 1e-12
    qvel = np.random.default_rng(2).normal(size=model.nv)
    before, after = (mechanics(robot, moved(model, qpos, qvel, h), qvel).equality_error for h in (-1e-5, 1e-5))
    np.testing.assert_allclose((after - before) / 2e-5, mechanics(robot, qpos, qvel).equality_velocity, atol=1e-8)
    qpos[3:7] *= -1.0
    assert np.abs(mechanics(robot, qpos, qvel).equality_error).max() < 1e-12


def kkt(model, qpos, qvel, rate):
    """Return accelerations with equalities by one dense system of MuJoCo's own mass matrix, forces and Jacobian.

    The drift is a difference of J qvel along the motion, of order six. Rows may be redundant.
    """
    data, full, drift, h = mujoco.MjData(model), np.zeros((model.nv, model.nv)), 0.0, 1e-3
    for step, weight in ((-3, -1), (-2, 9), (-1, -45), (1, 45), (2, -9), (3, 1), (0, 0)):
        data.qpos[:], data.qvel[:] = moved(model, qpos, qvel, step * h), qvel
        mujoco.mj_forward(model, data)
        rows = data.efc_J.reshape(-1, model.nv)
        drift = drift + weight * (rows @ qvel) / (60.0 * h)
    mujoco.mj_fullM(model, data, full)
    right = -drift - 2.0 * rate * (rows @ qvel) - rate**2 * data.efc_pos
    back = np.linalg.solve(full, rows.T)
    force = np.linalg.lstsq(rows @ back, right - rows @ data.qacc_smooth, rcond=1e-10)[0]
    return data.qacc_smooth + back @ force


def test_accelerations_are_those_of_a_dense_system_of_mujocos_matrices():
    """Closed loops of every kind at once, on 20 states that meet them."""
    model = model_of(KINDS["connect"] + KINDS["connect to the world"] + KINDS["tendons"])
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    robot, done = convert(model, ()), 0
    for qpos, qvel in states(model, 40):
        try:
            qpos, qvel = assemble(robot, qpos, qvel / 3)
        except ValueError:  # too far away
            continue
        run = start(robot, qpos, qvel)
        expected = kkt(model, run.qpos, run.qvel, run.options.drift_rate)
        assert np.abs(run.contact.qacc - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())
        done += 1
    assert done >= 20


LINKAGE = """<mujoco><option gravity="0 0 -9.81"/><default><geom type="capsule" size=".02" density="900"/></default>
<worldbody><body name="crank"><joint name="a" axis="0 1 0"/><geom fromto="0 0 0 0 0 .3"/>
<body name="coupler" pos="0 0 .3"><joint name="b" axis="0 1 0"/><geom fromto="0 0 0 .8 0 .3"/></body></body>
<body name="rocker" pos=".8 0 0"><joint name="c" axis="0 1 0"/><geom fromto="0 0 0 0 0 .6"/></body></worldbody>
<equality><connect name="loop" body1="coupler" body2="rocker" anchor=".8 0 .3"/></equality></mujoco>"""


@pytest.mark.parametrize("copies", [1, 2])
def test_a_four_bar_linkage_keeps_its_energy_and_stays_closed(copies):
    """One of its three rows is redundant, of two equal connections four are; they share the force."""
    loop = '<connect name="loop" body1="coupler" body2="rocker" anchor=".8 0 .3"/>'
    model = mujoco.MjModel.from_xml_string(LINKAGE.replace(loop, loop + loop.replace("loop", "twin") * (copies - 1)))
    robot = convert(model, ())
    qpos, qvel = assemble(robot, robot.qpos0, [3.0, 0.0, 0.0])
    run = start(robot, qpos, qvel, options=Options(rtol=1e-11))
    before = run.balance
    assert run.to(3.0) is RunStatus.FINAL_TIME and abs(run.balance - before) < 1e-8 * before
    found = mechanics(robot, run.qpos, run.qvel)
    assert np.abs(found.equality_error).max() < 1e-9 and np.abs(found.equality_velocity).max() < 1e-8
    assert abs(run.qpos[0] - qpos[0]) > 0.5 and abs(run.qvel[0]) > 0.1
    force = run.contact.equality_force.reshape(copies, 3)
    assert np.allclose(force[:, 1], 0.0, atol=1e-9)  # none across the plane
    assert np.allclose(force, force[0], rtol=1e-6) and np.abs(force).max() > 1.0


def test_mujocos_equality_comes_near_as_its_time_constant_falls():
    """Its loop is a stiff spring: positions approach ours in proportion to the time constant's square."""
    errors = []
    for timeconst in (4e-3, 2e-3):
        text = LINKAGE.replace('anchor=".8 0 .3"', f'anchor=".8 0 .3" solref="{timeconst} 1" solimp=".9999 .9999 .001"')
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
        robot, data = convert(model, ()), mujoco.MjData(model)
        run = start(robot, *assemble(robot, robot.qpos0, [3.0, 0.0, 0.0]))
        data.qpos[:], data.qvel[:] = run.qpos, run.qvel
        mujoco.mj_step(model, data, 3000)
        assert run.to(0.3) is RunStatus.FINAL_TIME
        errors.append(np.abs(data.qpos - run.qpos).max())
    assert errors[1] < 1e-4 and errors[1] < 0.6 * errors[0]


def test_a_free_body_that_is_connected_to_the_world_is_a_pendulum():
    body = '<body pos="0 0 1">{}<geom type="box" size=".1 .2 .3" pos=".1 -.2 .1" euler="10 20 0"/></body>'
    loop = "<equality><connect body1='free' anchor='.1 .2 .3'/></equality>"
    free, ball = (
        mujoco.MjModel.from_xml_string(
            f"<mujoco><worldbody>{body.format(joint)}</worldbody>{extra}</mujoco>".replace(
                "<body ", f'<body name="{name}" '
            )
        )
        for name, joint, extra in (("free", "<freejoint/>", loop), ("ball", '<joint type="ball" pos=".1 .2 .3"/>', ""))
    )
    quat, spin = np.array([0.5, -0.1, 0.7, 0.5]), np.array([3.0, -1.0, 2.0])
    pendulum = mechanics(convert(ball, ()), quat, spin).qacc
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, quat / np.linalg.norm(quat))
    turn, anchor = turn.reshape(3, 3), np.array([0.1, 0.2, 0.3])
    place = np.array([0, 0, 1]) + anchor - turn @ anchor
    run = start(convert(free, ()), [*place, *quat], [*-np.cross(turn @ spin, turn @ anchor), *spin])
    np.testing.assert_allclose(run.contact.qacc[3:], pendulum, rtol=1e-11)
    swung = start(convert(ball, ()), quat, spin)
    assert run.to(1.0) is swung.to(1.0) is RunStatus.FINAL_TIME
    np.testing.assert_allclose(np.abs(run.qpos[3:] @ swung.qpos) / np.linalg.norm(swung.qpos), 1.0, atol=1e-9)
    np.testing.assert_allclose(run.qvel[3:], swung.qvel, atol=1e-7)


SCALES = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
<body><joint name="one" type="slide" axis="0 0 1"/><geom name="foot" size=".1" mass="1"/></body>
<body pos="1 0 0"><joint name="two" type="slide" axis="0 0 1"/><geom size=".1" mass="2"/></body></worldbody>
<equality><joint name="ties" joint1="two" joint2="one" polycoef=".3 {} 0 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize("ratio", [1.0, -1.5])
def test_an_impact_acts_through_what_a_joint_drives(ratio):
    """Masses m and M, speeds v and ratio v: it falls with (m + ratio M) g / (m + ratio^2 M), and both stop at once."""
    robot = convert(mujoco.MjModel.from_xml_string(SCALES.format(ratio)), ["foot"], mu=0.5)
    speed, mass = -1.5, 1.0 + 2.0 * ratio**2
    run = start(robot, [0.2, 0.3 + 0.2 * ratio], [speed, ratio * speed])
    before, fall = run.balance, (1.0 + 2.0 * ratio) * G / mass
    assert run.contact.qacc == pytest.approx([-fall, -ratio * fall], rel=1e-10)
    assert run.to(2.0) is RunStatus.FINAL_TIME
    landed = next(event for event in run.events if event.what == "modes")
    hit = speed**2 + 2.0 * fall * 0.1  # its square
    assert landed.lost == pytest.approx(0.5 * mass * hit, rel=1e-9)
    assert abs(run.balance - before) < 1e-8
    if ratio > 0.0:  # it rests, with the other's weight
        assert run.contact.foot[0] != FREE and run.qvel == pytest.approx([0.0, 0.0], abs=1e-9)
        assert run.foot_force[0, 0] == pytest.approx((1.0 + 2.0 * ratio) * G, rel=1e-9)


def test_a_tendon_is_a_spring_a_stop_a_brake_and_a_pull():
    """Two equal slides on a tendon of their difference: it has a limit and dry friction, and a motor pulls it."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="one" type="slide" axis="1 0 0"/>
    <geom size=".1" mass="2"/></body><body pos="0 1 0"><joint name="two" type="slide" axis="1 0 0"/>
    <geom size=".1" mass="2"/></body></worldbody><tendon><fixed name="t" {}><joint joint="one" coef="1"/>
    <joint joint="two" coef="-1"/></fixed></tendon><actuator><motor tendon="t"/></actuator></mujoco>"""
    stiff = start(convert(mujoco.MjModel.from_xml_string(text.format('stiffness="4"')), []), [0.5, 0.0])
    assert stiff.to(1.0) is RunStatus.FINAL_TIME  # 2 d'' = -2 * 4 d
    assert stiff.qpos[0] - stiff.qpos[1] == pytest.approx(0.5 * np.cos(2.0), abs=1e-8)
    bounded = convert(mujoco.MjModel.from_xml_string(text.format('range="-1 .5"')), [])
    stopped = start(bounded, [0.0, 0.0], [1.0, 0.0])
    assert stopped.to(1.0) is RunStatus.FINAL_TIME and stopped.events[0].what == "impact"
    assert stopped.events[0].name == "t" and stopped.events[0].time == pytest.approx(0.5, abs=1e-9)
    assert np.allclose(stopped.qvel, 0.5) and stopped.lost == pytest.approx(0.5)
    with pytest.raises(ValueError, match="'t' is 0.1 beyond its limit"):
        start(bounded, [0.6, 0.0])
    braked = start(convert(mujoco.MjModel.from_xml_string(text.format('frictionloss="3"')), []), [0.0, 0.0], [1.0, 0.0])
    before = braked.balance
    assert braked.to(1.0) is RunStatus.FINAL_TIME  # the difference slows at 3 m/s^2
    assert next(e.time for e in braked.events if e.what == "stops") == pytest.approx(1.0 / 3.0, abs=1e-7)
    assert np.allclose(braked.qvel, 0.5) and abs(braked.balance - before) < 1e-9
    braked.set_controls([2.9])
    assert braked.to(2.0) is RunStatus.FINAL_TIME and np.allclose(braked.qvel, 0.5)
    braked.set_controls([5.0])
    assert braked.to(3.0) is RunStatus.FINAL_TIME and braked.qvel == pytest.approx([1.5, -0.5], abs=1e-9)


def test_a_start_that_breaks_an_equality_is_refused_by_name_or_taken_a_little_nearer():
    model = mujoco.MjModel.from_xml_string(LINKAGE)
    robot = convert(model, ())
    with pytest.raises(ValueError, match="equality 'loop' is off by 0.03 "):
        start(robot, [0.1, -0.1, 0.0])
    with pytest.raises(ValueError, match="equality 'loop' opens with 0.3 "):
        start(robot, robot.qpos0, [1.0, -1.0, 0.0])
    run = start(robot, robot.qpos0 + [1e-7, 0.0, -1e-7])
    assert np.abs(mechanics(robot, run.qpos, run.qvel).equality_error).max() < 1e-13
    two = '<joint name="this" joint1="hip" polycoef=".3 0 0 0 0"/><joint joint1="hip" polycoef=".5 0 0 0 0"/>'
    both = convert(model_of(two), ())
    with pytest.raises(ValueError, match="equality 'this' cannot be met near these positions, 0.1 is left"):
        assemble(both, both.qpos0)
    assert convert(model_of(KINDS["joints"].replace("/>", ' active="false"/>')), ()).row_names == ()
