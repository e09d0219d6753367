"""The option `engine="exact"`: the same task in the exact engine."""

import pickle

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.hybrid import Status
from tarsus.analytic.models.hexapod.servo import split
from tarsus.controllers import raibert, slip

MACHINES = ("Hexapod-v0", "HoppingLeg-v1", "SlipLeg-v1", "Dog-v0", "Multipod-v1", "BigAnt-v1")
EPISODE = 1000


def made(name="Hexapod-v0", **options):
    return gymnasium.make(name, engine="exact", **options).unwrapped


def walked(env, policy, n=EPISODE):
    """Return mean speed [m/s], the sums of the reward's terms, and the last info."""
    observation, info = env.reset(seed=0)
    terms = {}
    for _ in range(n):
        observation, _, over, _, info = env.step(policy(observation))
        for key, value in info.items():
            if key.startswith("reward_"):
                terms[key] = terms.get(key, 0.0) + value
        assert not over, info["termination"]
    return info["distance"] / info["time"], terms, info


def test_the_clock_walks_as_in_the_reference_preset():
    start = {"reset_noise": 0.0}
    speed, terms, _ = walked(made(**start), lambda _: np.zeros(6))
    reference, same, _ = walked(gymnasium.make("Hexapod-v0", preset="reference", **start), lambda _: np.zeros(6))
    assert speed == pytest.approx(reference, rel=1e-3) and terms.keys() == same.keys()
    for name, value in terms.items():  # from any other start `power` is sampled at other phases: see docs/policies.md
        assert value == pytest.approx(same[name], rel=0.01), name


def test_a_standing_robot_is_carried_by_its_feet_and_feels_gravity():
    env = made(action_mode="velocity", reset_noise=0.0)
    env.reset(seed=0)
    env.step(np.zeros(6))
    qpos = env.data.qpos.copy()
    qpos[2], qpos[7::3] = 0.2, 0.1 * np.array([1, -1, 1, -1, 1, -1])
    env.reset(options={"qpos": qpos})
    for _ in range(150):
        info = env.step(np.zeros(6))[4]
    assert info["foot_contact"].sum() >= 3
    np.testing.assert_allclose(info["foot_force"].sum(0), [0.0, 0.0, 10.0 * env.params.total_mass], atol=0.3)
    np.testing.assert_allclose(env.data.sensor("accelerometer").data, [0.0, 0.0, 10.0], atol=0.3)
    np.testing.assert_allclose(env.task.torque, 10.0 * (env.task.reference - env.data.qpos[7::3]), atol=0.02)


@pytest.mark.parametrize("name", MACHINES)
def test_velocities_are_the_rates_of_positions(name):
    env = made(name, ctrl_dt=0.002, **({"action_mode": "torque"} if "Leg" in name else {}))
    env.reset(seed=0)
    close, action = 0, np.full(env.action_space.shape, 0.02)
    for _ in range(100):
        before = env.data.qpos.copy(), env.data.qvel.copy()
        if env.step(action)[2]:
            break
        rate = np.zeros(env.model.nv)
        mujoco.mj_differentiatePos(env.model, rate, 0.002, before[0], env.data.qpos)
        close += np.allclose(rate, 0.5 * (before[1] + env.data.qvel), atol=0.02, rtol=0.02)
    assert close > 60  # not where a foot touches down or a hip jerks


def mean_force(name, policy_of, seconds, **options):
    """Return the mean vertical force on the foot [N], the mean speed [m/s], and the weight [N]."""
    options |= {"action_mode": "torque", "max_episode_steps": 10**4}
    env = (
        made(name, reset_noise=0.0, **options) if "preset" not in options else gymnasium.make(name, **options).unwrapped
    )
    observation, info = env.reset(seed=0)
    policy, forces, n = policy_of(env), [], round(seconds / env.ctrl_dt)
    for _ in range(n):
        observation, _, over, _, info = env.step(policy(observation, info))
        forces.append(info["foot_force"][0, 2])
        assert not over, info["termination"]
    return np.mean(forces[n // 2 :]), info["distance"] / info["time"], env


def test_a_running_leg_is_carried_by_its_foot_and_runs_as_in_mujoco():
    def policy(env):
        return slip.policy(env.params, env.action_scale, slip.SlipControl(energy_gain=0.5), hold=env.ctrl_dt)

    force, speed, env = mean_force("SlipLeg-v1", policy, 3.2)
    assert force == pytest.approx(env.params.total_mass * env.params.g, rel=0.06)  # less what impacts carry
    _, soft, _ = mean_force("SlipLeg-v1", policy, 3.2, preset="reference")
    assert speed == pytest.approx(soft, rel=0.01)


def test_a_hopping_leg_hops_as_in_mujoco():
    def policy(env):
        return raibert.policy(env.params, env.action_scale, raibert.RaibertGains(speed=0.5))

    _, speed, _ = mean_force("HoppingLeg-v1", policy, 6.0, ctrl_dt=0.001)
    _, soft, _ = mean_force("HoppingLeg-v1", policy, 6.0, ctrl_dt=0.001, preset="reference")
    assert speed == pytest.approx(soft, rel=0.03)


@pytest.mark.parametrize("name", MACHINES)
def test_spaces_and_the_first_observation_are_those_of_mujoco(name):
    still = {"reset_noise": 0.0} if name == "Dog-v0" else {}  # rigid feet that touch stop at once
    exact, soft = made(name, **still), gymnasium.make(name, **still).unwrapped
    assert exact.observation_space == soft.observation_space and exact.action_space == soft.action_space
    seen = {id(env): env.reset(seed=3) for env in (exact, soft)}
    feet = exact.observation_slices["foot_contact"]  # at a start MuJoCo's feet do not touch yet
    difference = np.abs(seen[id(exact)][0] - seen[id(soft)][0])
    difference[feet] = 0.0
    assert difference.max() < 2e-3  # the presets' ground is higher by what a foot sinks into it
    assert seen[id(exact)][1].keys() == seen[id(soft)][1].keys()
    action = np.zeros(exact.action_space.shape)
    assert exact.step(action)[4].keys() == soft.step(action)[4].keys()


@pytest.mark.parametrize("name", MACHINES)
def test_many_on_threads_are_the_same_as_one(name):
    env, envs = made(name), gymnasium.make_vec(name, num_envs=4, n_threads=2, engine="exact")
    rng, (observation, _), (rows, _) = np.random.default_rng(0), env.reset(seed=7), envs.reset(seed=5)
    np.testing.assert_array_equal(observation, rows[2])
    for _ in range(30):
        actions = 0.3 * rng.uniform(-1, 1, envs.action_space.shape)
        observation, reward, over, _, _ = env.step(actions[2])
        rows, rewards, ended, _, _ = envs.step(actions)
        np.testing.assert_array_equal(observation, rows[2])
        assert reward == rewards[2] and over == ended[2]
        if over:
            break


@pytest.mark.parametrize("name", MACHINES)
def test_a_saved_state_goes_on_bit_for_bit(name):
    env, other = made(name), made(name)
    env.reset(seed=1), other.reset(seed=2)
    actions = 0.2 * np.random.default_rng(0).uniform(-1, 1, (12, *env.action_space.shape))
    for action in actions[:6]:
        env.step(action)
    other.set_state(env.get_state())
    for action in actions[6:]:
        np.testing.assert_array_equal(env.step(action)[0], other.step(action)[0])


def test_a_state_goes_on_in_one_simulation_and_in_many():
    env, envs = made(), gymnasium.make_vec("Hexapod-v0", num_envs=3, n_threads=2, engine="exact")
    envs.reset(seed=1), env.reset(seed=9)
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (4, *envs.action_space.shape))
    envs.step(actions[0])
    state = envs.get_state()
    copied = pickle.loads(pickle.dumps(envs))
    rows, *_ = envs.step(actions[1])
    np.testing.assert_array_equal(copied.step(actions[1])[0], rows)
    envs.set_state(state)
    np.testing.assert_array_equal(envs.step(actions[1])[0], rows)
    envs.set_state(state)
    env.set_state(envs.get_state(indices=[2]))
    np.testing.assert_array_equal(env.step(actions[1][2])[0], rows[2])
    envs.set_state(env.get_state())  # one for all
    shown = envs.step(np.tile(actions[2][0], (3, 1)))[0]
    np.testing.assert_array_equal(shown, np.tile(env.step(actions[2][0])[0], (3, 1)))


@pytest.mark.parametrize("name", MACHINES)
def test_an_action_that_is_not_finite_ends_the_episode_where_it_was(name):
    env = made(name)
    env.reset(seed=0)
    env.step(np.zeros(env.action_space.shape))
    before = env.data.qpos.copy()
    observation, reward, over, _, info = env.step(np.full(env.action_space.shape, np.nan))
    assert over and info["termination"] == "diverged: an action is not finite" and reward == 0.0
    assert np.isfinite(observation).all()
    np.testing.assert_array_equal(env.data.qpos, before)
    np.testing.assert_array_equal(env.last_good_state[0], before)
    env.reset()
    assert not env.step(np.zeros(env.action_space.shape))[2]


def test_one_of_many_with_such_an_action_ends_alone():
    envs = gymnasium.make_vec("Hexapod-v0", num_envs=3, engine="exact")
    envs.reset(seed=0)
    actions = np.zeros(envs.action_space.shape)
    actions[1, 2] = np.inf
    _, _, over, _, infos = envs.step(actions)
    assert over.tolist() == [False, True, False] and "not finite" in envs.words(infos)["termination"][1]
    assert not envs.step(np.zeros_like(actions))[2].any()


@pytest.mark.parametrize("status", [Status.ZENO, Status.STEP_TOO_SMALL])
def test_any_status_of_the_engine_ends_the_episode_and_keeps_the_last_good_state(status, monkeypatch):
    env = made()
    env.reset(seed=0)
    env.step(np.zeros(6))
    before, runs = env.data.qpos.copy(), env._sim._runs.runs
    with monkeypatch.context() as patched:
        patched.setattr(type(runs), "status", lambda self, run: status)
        patched.setattr(runs, "_go_on", lambda ws, run, *tables: ws["status"].__setitem__(run, 8))
        _, reward, over, _, info = env.step(np.zeros(6))
    assert over and status.name in info["termination"] and info["termination"].startswith("diverged") and reward == 0.0
    np.testing.assert_array_equal(env.data.qpos, before)
    assert tuple(Status).index(status) >= 0


def test_a_start_that_the_engine_refuses_is_refused_with_its_reason():
    env = made()
    env.reset(seed=0)
    qpos = env.data.qpos.copy()
    qpos[2] -= 0.05
    with pytest.raises(ValueError, match="cannot start in this state: .*exact engine ended with INVALID_ENTRY"):
        env.reset(options={"qpos": qpos})
    env.step(np.zeros(6))  # and the environment is as it was


def test_what_the_engine_does_not_have_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="no terrain Rough: .*; there are flat"):
        made(terrain="rough")
    with pytest.raises(ValueError, match="no terrain Stairs: .*; there are flat, slope, step"):
        made("SlipLeg-v1", terrain="stairs")
    task = gymnasium.make("SlipLeg-v1").unwrapped.task

    class Without(type(task)):
        EXACT = ""

    with pytest.raises(ValueError, match="no exact engine for this machine: it needs a free body.*; there are mujoco"):
        Without((), engine="exact")


def test_a_push_moves_the_body_at_once():
    env = made(reset_noise=0.0)
    env.reset(seed=0)
    env.step(np.zeros(6))
    env.data.qvel[0] += 0.4
    x = env.data.qpos[0]
    env.step(np.zeros(6))
    assert env.data.qpos[0] - x > 0.003


def test_hips_count_full_turns():
    env = made(action_mode="rate", phase_spread=0.0)
    env.reset(seed=0)
    for _ in range(150):
        env.step(np.zeros(6))
    lead = env.task.reference - env.data.qpos[7::3]
    assert np.abs(env.data.qpos[7::3]).min() > 2 * np.pi and np.abs(lead).max() < 2.0


def test_a_period_is_split_at_the_kinks_of_its_set_points():
    times = np.linspace(0.0, 0.02, 11)
    kink, slow, fast = 0.0127, -1.25, -13.8
    angle = np.stack([np.where(times < kink, slow * times, slow * kink + fast * (times - kink)), 2.0 * times], 1)
    rate = np.stack([np.where(times < kink, slow, fast), np.full(11, 2.0)], 1)
    ends, lines = np.empty(8), np.empty((2, 8, 2))
    assert split(times, angle, rate, ends, *lines) == 2
    np.testing.assert_allclose(ends[:2], [kink, 0.02], rtol=1e-12)
    np.testing.assert_allclose(lines[1, :2], [[slow, 2.0], [fast, 2.0]])
    np.testing.assert_allclose(lines[0, :2], [[0.0, 0.0], [(slow - fast) * kink, 0.0]], atol=1e-14)


def test_random_robots_are_those_of_mujoco():
    options = {"randomise": {"body_mass": (0.5, 1.5)}}
    exact, soft = made(**options), gymnasium.make("Hexapod-v0", **options).unwrapped
    exact.reset(seed=2), soft.reset(seed=2)
    assert exact.params.body_mass == soft.params.body_mass != exact.config.params.body_mass
    runs = exact._sim._runs.runs
    assert runs.p[0, 0] == exact.params.body_mass


@pytest.mark.render
def test_a_picture_shows_the_exact_state():
    images = []
    for engine in ("exact", "mujoco"):
        env = gymnasium.make("Hexapod-v0", engine=engine, render_mode="rgb_array", width=96, height=72)
        env.reset(seed=0)
        images.append(env.render().astype(float))
        env.close()
    assert images[0].std() > 10 and np.abs(images[0] - images[1]).mean() < 2.0


def test_a_task_of_ones_own_inherits_its_exact_twin():
    given = made("HoppingLeg-v1")

    class Mine(type(given.task)):
        """Made from one of ours, under another name."""

    class MineEnv(type(given)):
        task_class = Mine

    for env in (mine := MineEnv(engine="exact"), given):
        env.reset(seed=0)
    np.testing.assert_array_equal(mine.step(np.ones(3))[0], given.step(np.ones(3))[0])
