"""The mechanics of a robot against closed forms and invariants that do not come from MuJoCo."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import Robot, evaluate
from tarsus.analytic.articulated.mechanics import write_mechanics
from tarsus.mjcf.articulated import convert

PENDULUM = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body pos="0 0 2"><joint axis="0 1 0"/>
<inertial pos="0 0 -.5" mass="2" diaginertia="1e-9 1e-9 1e-9"/><body pos="0 0 -.5"><joint axis="0 1 0"/>
<inertial pos="0 0 -.3" mass="3" diaginertia="1e-9 1e-9 1e-9"/><geom name="tip" size=".1" pos="0 0 -.3" mass="0"/>
</body></body></worldbody></mujoco>"""
ROBOT = """<mujoco><option gravity="1 -2 -9"/><worldbody><body pos="0 0 1"><freejoint/>
<geom type="box" size=".2 .1 .05" euler="10 20 30" pos=".02 0 .01"/>
<body pos=".2 .1 0"><joint type="ball" pos=".01 .02 0" armature=".02"/>
<geom type="capsule" size=".03 .1" pos="0 0 -.1"/>
<body pos="0 0 -.2" euler="10 0 5"><joint name="knee" axis="1 2 0" pos="0 .03 .01" damping=".2" stiffness="4"/>
<joint name="slide" type="slide" axis="0 1 1" damping=".1"/><geom name="toe" size=".04" pos=".01 0 -.2"/></body></body>
<body pos="-.2 0 0"><joint name="hip" axis="0 1 0"/><geom name="bar" type="capsule" size=".02 .1"/></body>
</body></worldbody><tendon><fixed stiffness="30" damping=".5" springlength="-.1 .1"><joint joint="knee" coef="1"/>
<joint joint="hip" coef="-2"/></fixed></tendon><actuator><position joint="knee" kp="8" kv=".3"/>
<motor joint="hip" gear="2"/></actuator></mujoco>"""


def model_and_robot(text=ROBOT, feet=("toe", "bar"), **options):
    model = mujoco.MjModel.from_xml_string(text)
    return model, convert(model, feet, **options)


def states(model, n=20, seed=0):
    """Yield random positions, velocities and controls."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        qpos = np.array(model.qpos0)
        mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.7)
        yield qpos, 3 * rng.normal(size=model.nv), rng.normal(size=model.nu)


def moved(model, qpos, qvel, dt):
    """Return positions after a short time at a velocity."""
    qpos = np.array(qpos)
    mujoco.mj_integratePos(model, qpos, qvel, dt)
    return qpos


@pytest.mark.parametrize("angles, rates", [((0.3, -0.8), (1.5, -2.0)), ((2.0, 1.0), (0.0, 4.0))])
def test_a_double_pendulum_is_that_of_the_textbook(angles, rates):
    _, robot = model_and_robot(PENDULUM, ("tip",))
    found = evaluate(robot, angles, rates)
    (a, b), (u, v), (m, n), (k, l), g = angles, rates, (2.0, 3.0), (0.5, 0.3), 9.81
    own, mixed = n * l * l, n * k * l * np.cos(b)
    np.testing.assert_allclose(
        found.mass, [[(m + n) * k * k + own + 2 * mixed, own + mixed], [own + mixed, own]], rtol=1e-7
    )
    turning, weight = n * k * l * np.sin(b), n * g * l * np.sin(a + b)
    bias = -turning * (2 * u * v + v * v) + (m + n) * g * k * np.sin(a) + weight, turning * u * u + weight
    np.testing.assert_allclose(found.bias, bias, rtol=1e-7)
    height = 2 - k * np.cos(a)
    tip = height - l * np.cos(a + b)
    assert found.gap == pytest.approx([tip - 0.1])
    assert found.potential == pytest.approx(m * g * height + n * g * tip)
    assert found.kinetic == pytest.approx(0.5 * np.array(rates) @ found.mass @ rates)


def test_positions_change_as_velocities_say():
    model, robot = model_and_robot()
    for qpos, qvel, _ in states(model):
        rate = (moved(model, qpos, qvel, 1e-6) - moved(model, qpos, qvel, -1e-6)) / 2e-6
        np.testing.assert_allclose(evaluate(robot, qpos, qvel).qpos_dot, rate, atol=1e-8)


def test_power_is_what_energy_gains():
    model, robot = model_and_robot()
    for qpos, qvel, ctrl in states(model):
        found, dt = evaluate(robot, qpos, qvel, None, ctrl), 1e-6
        ends = [evaluate(robot, moved(model, qpos, qvel, h), qvel + h * found.qacc) for h in (-dt, dt)]
        gained = (ends[1].kinetic + ends[1].potential - ends[0].kinetic - ends[0].potential) / (2 * dt)
        power = (found.actuators + found.dampers) @ qvel
        assert gained == pytest.approx(power, abs=1e-6 * np.abs(found.mass @ found.qacc * qvel).sum())
        assert found.dampers @ qvel < 0
        np.testing.assert_allclose(found.kinetic, 0.5 * qvel @ found.mass @ qvel, rtol=1e-12)


def test_springs_pull_along_the_gradient_of_their_energy():
    model, robot = model_and_robot()
    for qpos, qvel, _ in states(model, 5):
        found, dt = evaluate(robot, qpos), 1e-5
        ends = [evaluate(robot, moved(model, qpos, qvel, h)).potential for h in (-dt, dt)]
        pulled = (found.springs - found.bias) @ qvel  # at rest the bias is the weight's
        assert (ends[1] - ends[0]) / (2 * dt) == pytest.approx(-pulled, rel=1e-6)


def test_rows_and_drifts_of_feet_are_derivatives():
    point, normal = np.array([0.3, -0.5, 0.2]), np.array([1.0, -2.0, 3.0])
    model, robot = model_and_robot(ground=(point, normal))
    data, toe = mujoco.MjData(model), mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, "toe")
    assert robot.n_feet == 3
    for qpos, qvel, _ in states(model):
        found, dt = evaluate(robot, qpos, qvel), 1e-5
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        gap = (data.geom_xpos[toe] - point) @ normal / np.sqrt(14.0) - 0.04
        assert found.gap[0] == pytest.approx(gap, abs=1e-13)
        before, after = (evaluate(robot, moved(model, qpos, qvel, h), qvel) for h in (-dt, dt))
        np.testing.assert_allclose(found.foot_rows @ qvel, found.foot_velocity, atol=1e-12)
        np.testing.assert_allclose((after.gap - before.gap) / (2 * dt), found.foot_velocity[:, 0], atol=1e-6)
        drift = (after.foot_velocity - before.foot_velocity) / (2 * dt)
        np.testing.assert_allclose(drift, found.foot_drift, atol=1e-6 * np.abs(drift).max())


def test_a_rolling_sphere_neither_slips_nor_drifts():
    ball = '<body><freejoint/><geom name="ball" size=".3" pos=".1 .2 0"/></body>'
    text = f"<mujoco><worldbody>{ball}</worldbody></mujoco>"
    model, robot = model_and_robot(text, ("ball",))
    spin = np.array([2.0, -3.0, 5.0])
    centre = 0.3 * np.array([spin[1], -spin[0], 0.0])  # of the ball, which rolls on the ground
    qpos = np.array([0, 0, 0.3, 1.0, 0, 0, 0])
    found = evaluate(robot, qpos, [*(centre - np.cross(spin, (0.1, 0.2, 0.0))), *spin])
    np.testing.assert_allclose(found.gap, 0, atol=1e-15)
    np.testing.assert_allclose(found.foot_velocity, 0, atol=1e-14)
    # With qacc = 0 the body's origin does not accelerate, but the centre turns about it.
    turning = np.cross(spin, np.cross(spin, (0.1, 0.2, 0.0)))
    np.testing.assert_allclose(found.foot_drift[0], turning[[2, 0, 1]], atol=1e-13)


def test_what_flies_keeps_its_momentum():
    text = ROBOT.replace('gravity="1 -2 -9"', 'gravity="0 0 0"')
    model, robot = model_and_robot(text)
    for qpos, qvel, ctrl in states(model, 5):
        rate = evaluate(robot, qpos, qvel, None, ctrl)
        np.testing.assert_allclose((rate.mass @ rate.qacc + rate.bias)[:6], 0, atol=1e-10 * np.abs(rate.bias).max())
        dt, momenta = 1e-5, []
        for h in (-dt, dt):
            end = evaluate(robot, moved(model, qpos, qvel, h), qvel + h * rate.qacc)
            momenta.append((end.mass @ (qvel + h * rate.qacc))[:3])
        np.testing.assert_allclose(momenta[0], momenta[1], atol=1e-8 * np.abs(momenta[0]).max())


def test_far_from_the_origin_nothing_is_lost():
    model, robot = model_and_robot()
    for qpos, qvel, ctrl in states(model, 5):
        near = evaluate(robot, qpos, qvel, None, ctrl)
        qpos[:3] += 1e6, -2e6, 3e5
        far = evaluate(robot, qpos, qvel, None, ctrl)
        np.testing.assert_allclose(far.qacc, near.qacc, rtol=0, atol=1e-12 * np.abs(near.qacc).max())
        np.testing.assert_allclose(far.foot_drift, near.foot_drift, atol=1e-12 * np.abs(near.foot_drift).max())


@pytest.mark.skipif(not hasattr(write_mechanics, "signatures"), reason="interpreted")
def test_all_robots_are_one_compilation():
    for text, feet in ((PENDULUM, ()), (PENDULUM, ("tip",)), (ROBOT, ("toe",))):
        _, robot = model_and_robot(text, feet)
        evaluate(robot, robot.qpos0)
    assert len(write_mechanics.signatures) == 1


@pytest.mark.parametrize("arguments, words", [
    (([0.0],), r"qpos must have the shape \(2,\), got \(1,\)"), (([0.0, np.nan],), "qpos must be finite"),
    (([0.0, 0.0], [0.0, np.inf]), "qvel must be finite"), (([0, 0], None, [1.0]), r"act must have the shape \(0,\)"),
    (([0, 0], None, None, [1.0]), r"ctrl must have the shape \(0,\)"),
])  # fmt: skip
def test_states_that_are_none_are_refused(arguments, words):
    _, robot = model_and_robot(PENDULUM, ())
    with pytest.raises(ValueError, match=words):
        evaluate(robot, *arguments)


def test_quaternions_of_zero_are_refused_by_the_joint():
    _, robot = model_and_robot()
    with pytest.raises(ValueError, match=r"the joint 'number 1', qpos\[7:11\], must not be zero"):
        evaluate(robot, np.where(np.arange(robot.nq) // 4 == 2, 0, robot.qpos0) * (np.arange(robot.nq) != 7))


def test_robots_that_are_none_are_refused():
    model, robot = model_and_robot(PENDULUM, ("tip",))
    tables = robot.tables

    def with_tables(**changed):
        names = robot.body_names, robot.joint_names, robot.actuator_names, robot.foot_names
        return Robot(tables._replace(**changed), robot.qpos0, 0, *names)

    light = tables.body.copy()
    light[:, 14:18] = 0.0
    with pytest.raises(ValueError, match="the joint 'number 0' moves no mass"):
        evaluate(with_tables(body=light), [0, 0])
    light[2, 14] = -1.0
    with pytest.raises(ValueError, match="the mass of the body 'number 2' must not be negative"):
        with_tables(body=light)
    light[2, 14] = np.nan
    with pytest.raises(ValueError, match="the body 'number 2' has NaN"):
        with_tables(body=light)
    with pytest.raises(ValueError, match=r"qpos0 has 2 numbers and `dof` 1 rows; the joints have 2 and 2"):
        with_tables(dof=tables.dof[:1])
    still = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom name="rock" size="1"/></worldbody></mujoco>')
    with pytest.raises(ValueError, match="nothing of the robot moves: it has no joint"):
        convert(still, ())
