"""Equalities: their rows are derivatives, and loops that they close move as joints do."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import evaluate
from tarsus.mjcf.articulated import convert

TREE = """<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05" pos=".05 0 0"/>
<site name="sa" pos=".1 .2 0" euler="10 40 0"/>
<body name="b" pos=".3 0 0" euler="0 20 10"><joint name="hip" axis="1 1 0" ref=".2"/>
<geom size=".1" pos="0 0 .1"/></body></body>
<body name="c" pos="1 0 0" euler="30 0 0"><joint type="ball" pos="0 .1 0"/><geom type="box" size=".1 .2 .05"/>
<site name="sc" pos="0 .1 .3" euler="0 0 70"/>
<body name="d" pos="0 .3 0"><joint name="knee" axis="0 1 0" ref="-.1"/><geom size=".1" pos=".1 0 0"/></body></body>
</worldbody><equality>{}</equality></mujoco>"""
KINDS = {
    "connect": '<connect body1="b" body2="d" anchor=".1 .2 .3"/>',
    "connect to the world": '<connect body1="d" anchor=".1 .2 .3"/>',
    "connect of sites": '<connect site1="sa" site2="sc"/>',
    "joints": '<joint joint1="hip" joint2="knee" polycoef=".1 .7 -.4 .3 .2"/>',
    "one joint": '<joint joint1="hip" polycoef=".3 0 0 0 0"/>',
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
        found, dt = evaluate(robot, qpos, qvel), 1e-5
        before, after = (evaluate(robot, moved(model, qpos, qvel, h), qvel) for h in (-dt, dt))
        np.testing.assert_allclose(found.equality_rows @ qvel, found.equality_velocity, atol=1e-12)
        drift = (after.equality_velocity - before.equality_velocity) / (2 * dt)
        np.testing.assert_allclose(found.equality_drift, drift, atol=1e-6 * max(1, np.abs(drift).max()))
        held = slice(None) if kind in KINDS else slice(3)
        rate = (after.equality_error - before.equality_error) / (2 * dt)
        np.testing.assert_allclose(found.equality_velocity[held], rate[held], atol=1e-6 * max(1, np.abs(rate).max()))


@pytest.mark.parametrize("kind", [*KINDS, *WELDS])
def test_errors_and_rows_are_those_of_mujoco(kind):
    model = model_of((KINDS | WELDS)[kind])
    robot = convert(model, ())
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    for qpos, qvel in states(model):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        found, rows = evaluate(robot, qpos, qvel), data.efc_J.reshape(-1, model.nv)
        n = min(len(rows), 3)
        np.testing.assert_allclose(found.equality_error[:n], data.efc_pos[:n], atol=1e-12)
        np.testing.assert_allclose(found.equality_rows[:n], rows[:n], atol=1e-12)
        # MuJoCo's turn is of half a quaternion and seen from the second body.
        own, theirs = found.equality_error[3:], data.efc_pos[3:]
        np.testing.assert_allclose(np.linalg.norm(own), 2 * np.linalg.norm(theirs), atol=1e-12)


@pytest.mark.parametrize("kind", WELDS)
def test_a_weld_turns_what_its_error_says(kind):
    model = model_of(WELDS[kind])
    robot = convert(model, ())
    qpos, _ = next(states(model))
    for _ in range(8):  # Newton's method to where it holds
        found = evaluate(robot, qpos)
        qpos = moved(model, qpos, -np.linalg.pinv(found.equality_rows) @ found.equality_error, 1.0)
    assert np.abs(evaluate(robot, qpos).equality_error).max() < 1e-12
    qvel = np.random.default_rng(2).normal(size=model.nv)
    before, after = (evaluate(robot, moved(model, qpos, qvel, h)).equality_error for h in (-1e-5, 1e-5))
    np.testing.assert_allclose((after - before) / 2e-5, evaluate(robot, qpos, qvel).equality_velocity, atol=1e-8)


def test_rows_of_several_equalities_follow_each_other():
    texts = [*KINDS.values(), *WELDS.values()]
    both = evaluate(convert(model := model_of("".join(texts)), ()), *(state := next(states(model))))
    alone = [evaluate(convert(model_of(text), ()), *state) for text in texts]
    for name in ("equality_error", "equality_velocity", "equality_drift", "equality_rows"):
        np.testing.assert_array_equal(getattr(both, name), np.concatenate([getattr(one, name) for one in alone]))


def test_a_quaternion_and_its_negative_are_one_turn():
    model = model_of(WELDS["weld to the world"])
    robot, (qpos, _) = convert(model, ()), next(states(model))
    negative = np.where((np.arange(robot.nq) > 2) & (np.arange(robot.nq) < 7), -qpos, qpos)
    one, other = (evaluate(robot, some).equality_error for some in (qpos, negative))
    np.testing.assert_allclose(one, other, atol=1e-14)
    assert np.linalg.norm(one[3:]) > 0.1


def constrained(found):
    """Return the acceleration that the rows of equalities leave, by one linear system."""
    rows, n = found.equality_rows, len(found.equality_rows)
    system = np.block([[found.mass, -rows.T], [rows, np.zeros((n, n))]])
    return np.linalg.solve(system, [*(found.mass @ found.qacc), *-found.equality_drift])[: -n or None]


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
    quat, spin = np.array([0.5, -0.1, 0.7, 0.5]) / 1.0, np.array([3.0, -1.0, 2.0])
    pendulum = evaluate(convert(ball, ()), quat, spin).qacc
    turn = np.empty(9)
    mujoco.mju_quat2Mat(turn, quat / np.linalg.norm(quat))
    turn, anchor = turn.reshape(3, 3), np.array([0.1, 0.2, 0.3])
    place = np.array([0, 0, 1]) + anchor - turn @ anchor
    found = evaluate(convert(free, ()), [*place, *quat], [*-np.cross(turn @ spin, turn @ anchor), *spin])
    np.testing.assert_allclose(found.equality_error, 0, atol=1e-14)
    np.testing.assert_allclose(found.equality_velocity, 0, atol=1e-14)
    np.testing.assert_allclose(constrained(found)[3:], pendulum, rtol=1e-11)


def test_what_is_switched_off_is_no_row_and_tendons_are_refused_by_name():
    off = KINDS["joints"].replace("/>", ' active="false"/>')
    assert evaluate(convert(model_of(off), ()), model_of(off).qpos0).equality_rows.shape == (0, 8 + 3)
    rope = '<tendon><fixed name="rope"><joint joint="hip" coef="1"/></fixed></tendon></mujoco>'
    text = TREE.format('<tendon name="tie" tendon1="rope"/>').replace("</mujoco>", rope)
    with pytest.raises(ValueError, match="equalities of the kind tendon: 'tie'; covered are connect, weld and joint"):
        convert(mujoco.MjModel.from_xml_string(text), ())
