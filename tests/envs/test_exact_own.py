"""A robot of the user's own in the exact engine: what it carries, measures and refuses; it walks as in MuJoCo."""

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.terrain import TERRAINS
from tarsus.envs import own_robot
from tarsus.envs.free_body import FreeBodyTask
from tarsus.envs.hexapod import HexapodEnv, HexapodTask
from tarsus.mjcf import articulated
from tarsus.mjcf.own_exact import placed

pytestmark = pytest.mark.extra
# A trunk on two box feet whose ankles are pushed by torque motors with a filter.
WALKER = """
<mujoco>
  <compiler angle="radian"/>
  <default><geom density="400"/><joint damping="2" range="-1 1" limited="true"/></default>
  <worldbody>
    <body name="trunk" pos="0 0 .32">
      <freejoint/>
      <geom name="box" type="box" size=".1 .14 .05"/>
      <body pos="0 .1 -.05">
        <joint name="left" axis="0 1 0"/>
        <geom name="shin_l" type="capsule" size=".02" fromto="0 0 0 0 0 -.2"/>
        <geom name="foot_l" type="box" size=".1 .04 .02" pos=".02 0 -.25"/>
      </body>
      <body pos="0 -.1 -.05">
        <joint name="right" axis="0 1 0"/>
        <geom name="shin_r" type="capsule" size=".02" fromto="0 0 0 0 0 -.2"/>
        <geom name="foot_r" type="%s" size=".1 .04 .02" pos=".02 0 -.25"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <general joint="left" dyntype="filter" dynprm=".05" gainprm="1" ctrlrange="-9 9"/>
    <general joint="right" dyntype="filter" dynprm=".05" gainprm="1" ctrlrange="-9 9"/>
  </actuator>
</mujoco>
"""
REFERENCE = {"engine": "mujoco", "preset": "reference"}


@pytest.fixture
def walker():
    own_robot.register("Exact-v0", WALKER % "box", ["foot_l", "foot_r"], check=False, servo="file", baseline=None)
    return lambda **options: gymnasium.make("Exact-v0", engine="exact", reset_noise=0.0, **options).unwrapped


def dog(**options):
    return gymnasium.make("Dog-v0", **{"engine": "exact", "reset_noise": 0.0} | options).unwrapped


def stepped(env, n, action=None):
    action = np.zeros(env.action_space.shape) if action is None else action
    for _ in range(n):
        *_, over, _, info = env.step(action)
        assert not over, info["termination"]
    return info


@pytest.mark.parametrize("terrain", ["flat", "slope"])
def test_feet_carry_the_weight_and_the_imu_feels_it(terrain):
    env = dog(terrain=terrain, baseline=None, randomise={"mass": (1.3, 1.3)})
    env.reset(seed=0)
    info, weight = stepped(env, 80), 9.81 * env.model.body_subtreemass[1]
    np.testing.assert_allclose(info["foot_force"].sum(0), [0.0, 0.0, weight], atol=1e-6)
    assert np.linalg.norm(env.data.sensor("accelerometer").data) == pytest.approx(9.81, rel=1e-6)
    np.testing.assert_allclose(env.data.sensor("load").data, info["foot_force"].sum(0), atol=1e-9)
    assert info["foot_contact"].all() and abs(float(env.task.off_feet())) < 1e-9


def test_forces_of_feet_are_those_of_the_moment_and_have_no_impulse_in_them():
    """They move the whole as they say, M dv/dt + bias, in the control period of the impact, too."""
    env = dog(baseline=None)
    env.reset(seed=0)
    qpos, model = env.data.qpos.copy(), env.model
    qpos[2] += 0.05
    env.reset(options={"qpos": qpos})
    run, info = env._sim._runs.runs.runs[0], None
    while not run.impulse.any():
        info = stepped(env, 1)
    data, mass, impulse = mujoco.MjData(model), np.zeros((model.nv, model.nv)), run.impulse[:, 0].sum()
    data.qpos[:], data.qvel[:] = env.data.qpos, env.data.qvel
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, mass)
    force = (mass @ run.contact.qacc + data.qfrc_bias)[:3]
    np.testing.assert_allclose(info["foot_force"].sum(0), force, atol=1e-6)
    assert impulse / env.ctrl_dt > 0.3 * force[2] and info["foot_contact"].any()


@pytest.mark.parametrize("name", sorted({*TERRAINS} - {"flat", "slope"}))
def test_a_terrain_that_is_no_plane_is_refused_where_a_robot_is_registered(name):
    options = {"servo": "file", "baseline": None, "check": False}
    with pytest.raises(ValueError, match=r"engine 'exact' has no terrain \w+: .* there are flat, slope$"):
        own_robot.register("Hill-v0", WALKER % "box", ["foot_l", "foot_r"], engine="exact", terrain=name, **options)
    assert "Hill-v0" not in gymnasium.registry


@pytest.mark.parametrize("friction, slides", [(0.0, True), (1e9, False)])
def test_on_a_slope_gravity_pulls_along_it(friction, slides):
    """Without friction the centre of mass gains g less its part along the normal, with any it stays."""
    own_robot.register("Ice-v0", WALKER % "box", ["foot_l", "foot_r"], friction=friction, check=False, baseline=None)
    env = gymnasium.make("Ice-v0", engine="exact", terrain="slope", reset_noise=0.0).unwrapped
    env.reset(seed=0)
    stepped(env, 20)
    data, normal = env.data, env.task.terrain[()].normal(0.0, 0.0)
    mujoco.mj_forward(env.model, data)
    mujoco.mj_subtreeVel(env.model, data)
    gravity = np.array([0.0, 0.0, -9.81])
    gained = (gravity - gravity @ normal * normal) * data.time if slides else np.zeros(3)
    assert 0.01 < np.hypot(*normal[:2]) < 0.5 and data.time > 0.2
    along = data.subtree_linvel[1] - data.subtree_linvel[1] @ normal * normal
    np.testing.assert_allclose(along, gained, atol=1e-6 if slides else 2e-2)


def test_actuators_and_imu_are_mujocos_where_nothing_touches():
    env = dog(baseline=None)
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[2] += 1.0
    env.reset(options={"qpos": qpos, "qvel": np.linspace(-1.0, 1.0, env.model.nv)})
    info = stepped(env, 3, np.full(env.action_space.shape, 0.5))
    assert not info["foot_contact"].any()
    data, shown = mujoco.MjData(env.model), env.data
    data.qpos[:], data.qvel[:] = shown.qpos, shown.qvel
    data.ctrl[:] = env._sim._runs.runs.runs[0].ctrl
    env.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    env.model.dof_frictionloss[:] = 0.0  # MuJoCo's is soft, and of the constraint solver
    mujoco.mj_forward(env.model, data)
    np.testing.assert_allclose(shown.actuator_force, data.actuator_force, atol=1e-9)
    np.testing.assert_allclose(shown.actuator_velocity, data.actuator_velocity, atol=1e-9)
    np.testing.assert_allclose(shown.sensor("gyro").data, data.sensor("gyro").data, atol=1e-9)
    np.testing.assert_allclose(shown.sensor("accelerometer").data, data.sensor("accelerometer").data, atol=0.5)


def test_the_dog_walks_as_in_the_reference_preset():
    walked = []
    for options in ({"engine": "exact"}, {"preset": "reference"}):
        env = gymnasium.make("Dog-v0", reset_noise=0.0, **options).unwrapped
        env.reset(seed=0)
        walked.append(stepped(env, 200)["distance"])
    assert walked[0] == pytest.approx(walked[1], rel=0.02)


def test_a_push_keeps_controls_and_activations(walker):
    env = walker()
    env.reset(seed=0)
    stepped(env, 3, np.full(env.action_space.shape, 0.1))
    run = env._sim._runs.runs.runs[0]
    before, ctrl = run.x[run.robot.nq + run.robot.nv :][:2].copy(), run.ctrl.copy()
    assert np.abs(before).min() > 0.01 and np.abs(ctrl).min() > 0.01
    env.data.qvel[0] += 0.2
    robot = env._sim._runs.machine
    found = robot.restart((), env._sim._runs.runs, 0, env._sim._runs.rows[0])
    np.testing.assert_array_equal(found[3], before)
    np.testing.assert_array_equal(found[2], ctrl)
    stepped(env, 1)
    assert env.data.qvel[0] != pytest.approx(0.0)


def landed_on_its_trunk(steps, **options):
    """The dog after a few steps, dropped with its feet tucked up."""
    env = dog(baseline=None, fall_height=0.01, **options)
    env.reset(seed=0)
    qpos, qvel = env.data.qpos.copy(), np.zeros(env.model.nv)
    qpos[2], qpos[8::3], qpos[9::3], qvel[2] = 0.08, 2.2, -0.5, -3.0
    env.reset(options={"qpos": qpos, "qvel": qvel})
    for _ in range(steps):
        *_, over, _, info = env.step(np.zeros(env.action_space.shape))
        if over:
            break
    return env, info


def test_a_trunk_is_held_up_as_in_mujoco():
    env, info = landed_on_its_trunk(1)
    assert env.data.sensor("load").data[2] > 20.0 and not info["foot_contact"].any()
    exact, reference = (landed_on_its_trunk(6, **engine)[0] for engine in ({}, REFERENCE))
    np.testing.assert_allclose(exact.data.qpos[:7], reference.data.qpos[:7], atol=0.02)


def test_a_trunk_may_end_the_episode():
    assert landed_on_its_trunk(20, fall_contacts=("trunk",))[1]["termination"] == "trunk touches the ground"


def test_a_part_of_another_shape_in_the_ground_ends_the_episode_by_its_name():
    tail = '<geom name="tail" type="ellipsoid" size=".03 .03 .03" pos="-.4 0 -.2"/></body>\n  </worldbody>'
    xml = (WALKER % "box").replace("</body>\n  </worldbody>", tail)
    own_robot.register("Tail-v0", xml, ["foot_l", "foot_r"], check=False, servo="file", baseline=None)
    env = gymnasium.make("Tail-v0", engine="exact", reset_noise=0.0).unwrapped
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[2], qpos[3:7] = qpos[2] + 0.02, (np.cos(0.15), 0.0, -np.sin(0.15), 0.0)
    env.reset(options={"qpos": qpos, "qvel": np.zeros(env.model.nv)})
    for _ in range(20):
        *_, over, _, info = env.step(np.zeros(env.action_space.shape))
        if over:
            break
    assert "exact engine ended with" in info["termination"] and "'tail' is in the ground" in info["termination"]


def test_what_it_does_not_have_is_refused_by_the_users_names():
    with pytest.raises(ValueError, match="no terrain Rough: .*; there are flat, slope"):
        dog(terrain="rough")
    feet = ["foot_l", "foot_r"]
    own_robot.register("Round-v0", WALKER % "ellipsoid", feet, check=False, servo="file", baseline=None)
    with pytest.raises(ValueError, match="engine 'exact' does not have this robot: foot 'foot_r' is a ellipsoid"):
        gymnasium.make("Round-v0", engine="exact")
    gymnasium.make("Round-v0")


def test_noise_beyond_a_limit_is_cut_off_and_a_foot_in_the_ground_is_refused(walker):
    env = walker()
    robot = articulated.convert(env.model, ["toe_0", "toe_1"], ground="ground")
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[2], qpos[7] = 1.0, 1.02
    assert placed(robot, qpos, 0.05)[7] == 1.0 and placed(robot, qpos, 0.01)[7] == 1.02
    with pytest.raises(ValueError, match=r"'left' is 0.02 beyond its limit"):
        env.reset(options={"qpos": qpos})
    qpos[2], qpos[7] = 0.2, 0.0
    with pytest.raises(ValueError, match=r"foot 'foot_l_\d' is .* inside the ground"):
        env.reset(options={"qpos": qpos})
    stepped(env, 1)  # and the environment is as it was


def test_the_hexapod_as_any_robot_walks_as_its_own_equations_say():
    """Two descriptions of one robot, motors and springs too: by hand, legs without mass, and its MuJoCo model."""

    class AnyRobot(HexapodTask):
        EXACT = FreeBodyTask.EXACT

    class AnyRobotEnv(HexapodEnv):
        task_class = AnyRobot

    walked = []
    for kind in (AnyRobotEnv, HexapodEnv):
        env = kind(engine="exact", reset_noise=0.0)
        env.reset(seed=0)
        info = stepped(env, 40)
        walked.append((info["distance"], env.data.qpos[2]))
    assert walked[0] == pytest.approx(walked[1], abs=3e-4)
    assert walked[1][0] > 0.1
