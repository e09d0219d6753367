"""What a task may have besides: terms of one's own, shaping, pushes, delay, noise, and entries for a critic.

That all of it is alike in both forms and restored to the bit, the contract tests show on `conftest.EXTRAS`.
"""

import pickle

import gymnasium
import numpy as np
import pytest

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.battery import Battery
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.envs import ENVIRONMENTS

CLOCK = {"action_mode": "gait"}


def single(name="Hexapod-v0", **options):
    return gymnasium.make(name, **options).unwrapped


def many(n, name="Hexapod-v0", **options):
    return gymnasium.make_vec(name, n, vectorization_mode="vector_entry_point", **options).unwrapped


def leaning(task):
    return task.frame.gravity[..., 0]


def above(task):
    return task.height > 0.5


def two(seen, done):
    return 0.0


def broken(task):
    return np.where(task.data.time > 0.03, np.nan, task.height)


def raising(task):
    return task.frame.nonsense


# The user's own.


def test_a_term_of_ones_own_is_weighed_added_and_can_be_weighed_anew():
    env, plain = single(rewards={"lean": (2.0, leaning)}), single()
    for one in (env, plain):
        one.reset(seed=0, options={"reset_noise": 0.3})
    action = np.full(6, 0.1)
    _, reward, _, _, info = env.step(action)
    _, before, _, _, _ = plain.step(action)
    lean = env.task.frame.gravity[0]
    assert lean != 0.0
    assert info["reward_lean"] == 2.0 * lean
    assert reward == pytest.approx(before + 2.0 * lean, abs=1e-15)
    env.reset(options={"reward_weights": {"lean": -1.0}})
    assert env.step(action)[4]["reward_lean"] == -env.task.frame.gravity[0]
    env.reset(options={"rewards": {"other": (1.0, above)}, "reward_weights": {}})
    info = env.step(action)[4]
    assert "reward_other" in info and "reward_lean" not in info


def test_an_entry_of_ones_own_comes_last_or_where_it_is_named():
    entry = {"lean": (1, 1.0, leaning), "two": (2, 50.0, lambda task: task.qvel[..., :2])}
    env = single(observe=entry)
    slices = env.observation_slices
    assert env.observation_names[-3:] == ("lean.0", "two.0", "two.1")
    assert list(slices)[-2:] == ["lean", "two"] and env.observation_space.high[slices["two"]].tolist() == [50.0] * 2
    env.reset(seed=0)
    observation, *_ = env.step(np.full(6, 0.1))
    assert observation[slices["lean"]] == np.float32(env.task.frame.gravity[0]) != 0.0
    np.testing.assert_array_equal(observation[slices["two"]], env.data.qvel[:2].astype(np.float32))
    env = single(observe=entry, observations=("two", "gravity"), privileged=("lean",))
    assert list(env.observation_slices) == ["two", "gravity"]


def test_an_end_of_ones_own_ends_the_episode_and_says_why():
    env = single(terminate={"too high": above})
    env.reset(seed=0)
    assert not env.step(np.zeros(6))[2]
    env.reset(options={"qpos": env.data.qpos + np.eye(env.model.nq)[2]})
    _, _, terminated, _, info = env.step(np.zeros(6))
    assert terminated and info["termination"] == "too high" and info["reward_healthy"] == 0.0


def test_every_entry_is_there_for_the_users_functions():
    seen = {}

    def look(task):
        for name in task.machine_entries():
            if not task.machine_entries()[name].needs:
                seen[name] = task.entry(name).shape
        return task.height

    env = single(rewards={"look": (1.0, look)})
    env.reset(seed=0)
    assert {"height_scan": (12,), "height": (1,), "foot_force": (18,)}.items() <= seen.items()
    with pytest.raises(ValueError, match="unknown entry 'colour'; there are body_mass, .*height"):
        env.task.entry("colour")


ALONE = {
    "rewards": (
        lambda function: {"mine": (1.0, function)},
        r"rewards: 'mine' raised AttributeError: .*nonsense",
        "rewards: 'mine' must return finite numbers, got nan",
        r"rewards: 'mine' must return an array of shape \(\), got \(3,\)",
    ),
    "observe": (
        lambda function: {"mine": (2, 1.0, function)},
        r"observe: 'mine' raised AttributeError: .*nonsense",
        r"observe: 'mine' must return an array of shape \(2,\), got \(\)",
        r"observe: 'mine' must return an array of shape \(2,\), got \(3,\)",
    ),
    "terminate": (
        lambda function: {"mine": function},
        r"terminate: 'mine' raised AttributeError: .*nonsense",
        "terminate: 'mine' must return True or False, got float64",
        r"terminate: 'mine' must return an array of shape \(\), got \(3,\)",
    ),
}


@pytest.mark.parametrize("option", ALONE)
def test_what_is_wrong_with_a_function_of_ones_own_is_said_by_its_name(option):
    entry, raised, other, shape = ALONE[option]
    for function, message in ((raising, raised), (lambda task: task.qpos[:3] * 1.0, shape)):
        env = single(**{option: entry(function)})
        with pytest.raises(ValueError, match=message):
            env.reset(seed=0)
    env = single(**{option: entry(broken)})
    with pytest.raises(ValueError, match=other):
        env.reset(seed=0)
        for _ in range(2):
            env.step(np.zeros(6))
    envs = many(3, **{option: entry(lambda task: np.zeros(2))})
    with pytest.raises(ValueError, match=rf"{option}: 'mine' must return an array of shape \(3,"):
        envs.reset(seed=0)


def test_nan_is_found_in_the_step_that_makes_it_and_in_one_row_of_many():
    def one_row(task):
        return np.where((task.data.time > 0.03) & (np.arange(3) == 1), np.nan, 1.0)

    for options in ({"rewards": {"mine": (1.0, one_row)}}, {"observe": {"mine": (1, 1.0, one_row)}}):
        envs = many(3, **options)
        envs.reset(seed=0)
        envs.step(np.zeros((3, 6)))
        with pytest.raises(ValueError, match=r"(?s)'mine' must return finite numbers, got \[.*nan"):
            envs.step(np.zeros((3, 6)))


def test_a_refused_function_at_reset_changes_nothing():
    env = single()
    env.reset(seed=0)
    config, state = env.config, env.get_state()
    with pytest.raises(ValueError, match="rewards: 'mine' raised AttributeError"):
        env.reset(seed=1, options={"rewards": {"mine": (1.0, raising)}})
    assert env.config is config
    np.testing.assert_array_equal(env.get_state().arrays["physics"], state.arrays["physics"])
    assert "reward_mine" not in env.step(np.zeros(6))[4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rewards": {"mine": 1.0}}, r"rewards: 'mine' must be \(weight, function\), got 1.0"),
        ({"rewards": {"mine": (1.0, two)}}, r"rewards: 'mine' is called as function\(task\), .* takes \(seen, done\)"),
        (
            {"observe": {"mine": (1, 1.0, two)}},
            r"observe: 'mine' is called as function\(task\), .* takes \(seen, done\)",
        ),
        ({"terminate": {"mine": two}}, r"terminate: 'mine' is called as function\(task\), .* takes \(seen, done\)"),
        ({"rewards": {"mine": above}}, r"rewards: 'mine' must be \(weight, function\), got <function above"),
        ({"rewards": {"mine": (above, 1.0)}}, r"rewards: 'mine' must be \(weight, function\)"),
        ({"rewards": {"mine": (np.nan, above)}}, "rewards: the weight of 'mine' must be a finite number, got nan"),
        ({"rewards": {"forward": (1.0, above)}}, "rewards: there is a term 'forward' already"),
        ({"rewards": {"air_time": (1.0, above)}}, "rewards: there is a term 'air_time' already"),
        ({"observe": {"mine": (1.0, above)}}, r"observe: 'mine' must be \(size, bound, function\)"),
        ({"observe": {"mine": (0, 1.0, above)}}, "observe: the size of 'mine' must be at least 1, got 0"),
        ({"observe": {"mine": (1, -1.0, above)}}, "observe: the bound of 'mine' must be positive, got -1.0"),
        ({"observe": {"gravity": (1, 1.0, above)}}, "observe: there is an entry 'gravity' already"),
        ({"observe": {"torque": (1, 1.0, above)}}, "observe: there is an entry 'torque' already"),
        ({"observe": {"values": (1, 1.0, above)}}, "observe: there is an entry 'values' already"),
        ({"terminate": {"mine": 1.0}}, "terminate must be a mapping from names to functions"),
        ({"reward_weights": {"air": 1.0}}, "unknown reward term 'air'; .* has forward, .*air_time, .*sliding"),
        ({"privileged": ("colour",)}, "privileged: unknown observation 'colour'; there are body_mass, .*push, "),
        ({"privileged": ("command",)}, "privileged: observation 'command' is constant here: it needs commanded"),
        ({"privileged": ("push", "push")}, "privileged: an observation is named twice"),
        ({"observations": ("body_mass",)}, "unknown observation 'body_mass'; there are height"),
        ({"observation_noise": {"colour": 1.0}}, "observation_noise: 'colour' is not observed; there are height, "),
        ({"observation_noise": {"gravity": -1.0}}, "observation_noise of 'gravity' must not be negative, got -1.0"),
        ({"action_delay": (0, 1.5)}, r"action_delay must be a range of whole control periods, got \(0, 1.5\)"),
        ({"action_delay": (-1, 1)}, "action_delay must be a range of whole"),
        ({"push_speed": -1.0}, "push_speed must not be negative, got -1.0"),
        ({"push_interval": (0.0, 1.0)}, "push_interval must be positive"),
        ({"body_height": 0.0}, "body_height must be positive, got 0.0"),
    ],
)
def test_what_cannot_be_is_refused_by_its_name(options, message):
    for make in (single, lambda **given: many(2, **given)):
        with pytest.raises(ValueError, match=message):
            make(**options)


def test_states_know_the_functions_by_identity():
    env, other = single(rewards={"lean": (1.0, leaning)}), single(rewards={"lean": (1.0, above)})
    again = single(rewards={"lean": (1.0, leaning)})
    env.reset(seed=0)
    state = pickle.loads(pickle.dumps(env.get_state()))
    again.set_state(state)
    with pytest.raises(ValueError, match="environment with other options: rewards"):
        other.set_state(state)


# Terms that shape the walk.


def walked(n_steps=60, **options):
    """Return an environment, and what it was after each step of the clock's walk."""
    env = single(**CLOCK, **options)
    env.reset(seed=0)
    infos, frames = [], []
    for _ in range(n_steps):
        info = env.step(np.zeros(env.action_space.shape))[4]
        sites = [env.model.site(f"foot_{k}").id for k in range(6)]
        frames.append((env.data.site_xpos[sites, :2].copy(), info["foot_contact"], env.data.qpos[:7].copy()))
        infos.append(info)
    return env, infos, frames


def test_shaping_is_not_there_unless_it_weighs():
    for weights in ({}, {"air_time": 0.0}):
        env, infos, _ = walked(1, reward_weights=weights)
        assert not env.task.extras and not {"reward_air_time", "reward_sliding"} & set(infos[0])


def test_air_time_is_paid_at_touchdown():
    _, infos, _ = walked(reward_weights={"air_time": 2.0})
    air, n_paid = np.zeros(6), 0
    for info in infos:
        contact = info["foot_contact"]
        landed = contact & (air > 0)
        n_paid += landed.sum()
        assert info["reward_air_time"] == pytest.approx(2.0 * (air[landed] - 0.1).sum(), abs=1e-12)
        air = np.where(contact, 0.0, air + 0.02)
    assert n_paid > 6
    assert sum(info["reward_air_time"] for info in infos) > 0  # the clock's feet are up for longer than 0.1 s


def test_sliding_is_the_speed_of_feet_on_the_ground():
    _, infos, frames = walked(reward_weights={"sliding": -3.0})
    for info, (before, touched, _), (after, touches, _) in zip(infos[1:], frames, frames[1:], strict=False):
        speed = np.hypot(*(after - before).T) / 0.02
        assert info["reward_sliding"] == pytest.approx(-3.0 * speed[touched & touches].sum(), abs=1e-9)
    assert infos[0]["reward_sliding"] == 0.0 > min(info["reward_sliding"] for info in infos)


def test_orientation_and_height_measure_the_deviation():
    _, infos, frames = walked(reward_weights={"orientation": -1.0, "height": -1.0}, body_height=0.1)
    start, again, _ = walked(reward_weights={"height": -1.0})
    began = single(**CLOCK)
    began.reset(seed=0)
    for info, other, (_, _, qpos) in zip(infos, again, frames, strict=True):
        _, _, z, _, i, j, _ = qpos
        up = 1.0 - 2.0 * (i * i + j * j)  # the cosine of the tilt
        assert info["reward_orientation"] == pytest.approx(-(1.0 - up * up), abs=1e-12)
        assert info["reward_height"] == pytest.approx(-((z - 0.1) ** 2), abs=1e-12)
        assert other["reward_height"] == pytest.approx(-((z - began.data.qpos[2]) ** 2), abs=1e-12)
    assert min(info["reward_orientation"] for info in infos) < -1e-5


def test_power_is_what_motors_put_in_and_what_the_battery_loses():
    _, infos, _ = walked(reward_weights={"positive_power": -1.0, "electric_power": -1.0, "power": -1.0})
    battery, before, braked = Battery(), 0.0, False
    for info in infos:
        power = info["torque"] * info["hip_speed"]
        assert info["reward_positive_power"] == pytest.approx(-power[power > 0].sum(), rel=1e-12)
        braked |= info["reward_positive_power"] > info["reward_power"] + 1e-3
        lost = (info["battery_drained"] - before) * battery.capacity * battery.nominal_voltage / 0.02
        assert info["reward_electric_power"] == pytest.approx(-lost, rel=1e-6)
        before = info["battery_drained"]
    assert braked


def test_a_walk_restored_is_rewarded_alike():
    weights = dict.fromkeys(single().config.SHAPING, 1.0)
    env, _, _ = walked(30, reward_weights=weights)
    state, other = env.get_state(), single(**CLOCK, reward_weights=weights)
    rewards = [env.step(np.zeros(6))[1] for _ in range(20)]
    for one in (env, other):
        one.set_state(state)
        assert [one.step(np.zeros(6))[1] for _ in range(20)] == rewards


# Disturbances.


def test_pushes_come_in_their_intervals_with_their_speeds_in_every_direction():
    n = 64
    envs = many(n, push_speed=0.5, push_interval=(0.1, 0.3), privileged=("push",), reset_noise=0.0)
    _, infos = envs.reset(seed=0)
    pushed = []
    for _ in range(60):
        pushed.append(envs.step(np.zeros((n, 6)))[4]["privileged"])
    pushed = np.array(pushed)  # (60, n, 2)
    speed = np.hypot(*np.moveaxis(pushed, -1, 0))
    when, who = np.nonzero(speed.T)[::-1]
    gaps = np.concatenate([np.diff(when[who == k]) for k in range(n)]) * envs.task.ctrl_dt
    assert gaps.min() >= 0.1 - 1e-9 and gaps.max() <= 0.3 + 0.02 + 1e-9  # at the next control period
    interval, deviation = 0.2 + 0.01, 0.2 / np.sqrt(12)  # a push waits for the next period: half of one
    expected = n * (59 * 0.02 / interval - 0.5 + 0.5 * (deviation / interval) ** 2)  # of a renewal process
    assert (speed > 0).sum() == pytest.approx(expected, rel=0.05)
    found = speed[speed > 0]
    assert found.max() <= 0.5 and found.mean() == pytest.approx(0.25, rel=0.1)  # uniform: 0.144 / sqrt(360) = 3 %
    heading = (pushed[speed > 0] / found[:, None]).mean(0)
    assert np.abs(heading).max() < 4.0 * np.sqrt(0.5 / len(found))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_push_changes_the_velocity_by_what_it_says(name):
    long_boom = {"params": HoppingLegParams(LB=2.0)} if name == "HoppingLeg-v1" else {}
    env = single(name, push_speed=0.5, push_interval=(1e-10, 1e-10), **long_boom)
    env.reset(seed=0)
    before = env.data.qvel.copy()
    env.task.act(np.zeros(env.action_space.shape))
    gained = env.data.qvel - before
    pushed = env.task.entry("push")
    assert 0 < np.linalg.norm(pushed) <= 0.5
    found = np.ravel(gained[env.task.PLACE]) * env.task.place_scale
    found = found[::-1] * (1, -1) if name == "Hexapod-v0" else found  # forward, left in a world whose y is forward
    np.testing.assert_allclose(found, pushed, atol=1e-15)
    assert np.count_nonzero(gained) == len(pushed)


def test_an_action_is_applied_as_many_periods_later_as_drawn():
    rng = np.random.default_rng(0)
    actions = rng.uniform(-0.3, 0.3, (12, 6))
    for k in (1, 3):
        late, plain = single(action_delay=(k, k), privileged=("action",)), single()
        for one in (late, plain):
            one.reset(seed=0)
        at = late.observation_slices["action"]
        for step, action in enumerate(actions):
            observation, _, _, _, info = late.step(action)
            applied = actions[step - k] if step >= k else np.zeros(6)
            plain.step(applied)
            np.testing.assert_array_equal(info["privileged"], applied.astype(np.float32))
            np.testing.assert_array_equal(late.data.qpos, plain.data.qpos)
            np.testing.assert_array_equal(observation[at], action.astype(np.float32))
    envs = many(64, action_delay=(0, 2), privileged=("action_delay",))
    drawn = envs.reset(seed=0)[1]["privileged"][:, 0]
    assert set(drawn) == {0.0, 1.0, 2.0} and min(np.bincount(drawn.astype(int))) > 10


def test_noise_has_its_standard_deviation_and_leaves_the_rest():
    options = {"observation_noise": {"gravity": 0.02, "height": 0.5}, "privileged": ("gravity", "height")}
    envs = many(256, **options)
    gravity, height = envs.task.observation_slices["gravity"], envs.task.observation_slices["height"]
    observation, infos = envs.reset(seed=0)
    bound = envs.single_observation_space.high
    assert bound[gravity] == pytest.approx(1.1) and bound[height] == pytest.approx(12.5)
    at = [*range(gravity.start, gravity.stop), height.start]
    found = [observation[:, at] - infos["privileged"]]
    for _ in range(20):
        observation, _, _, _, infos = envs.step(np.zeros((256, 6)))
        found.append(observation[:, at] - infos["privileged"])
    noise = np.array(found)  # (21, 256, 4)
    for column, deviation in enumerate((0.02, 0.02, 0.02, 0.5)):
        few = deviation / np.sqrt(noise[..., 0].size)  # standard error of the mean
        assert noise[..., column].std() == pytest.approx(deviation, rel=0.05)
        assert abs(noise[..., column].mean()) < 4 * few
        flat = noise[..., column].ravel()
        assert abs(np.corrcoef(flat[:-256], flat[256:])[0, 1]) < 0.06  # anew in every step
    quiet = many(2)
    quiet.reset(seed=0)
    noisy = many(2, **options)
    first, _ = noisy.reset(seed=0)
    rest = np.ones(first.shape[1], bool)
    rest[gravity] = rest[height] = False
    np.testing.assert_array_equal(first[:, rest], quiet.reset(seed=0)[0][:, rest])


LATER = {  # what reset takes too
    "push_speed": 0.5,
    "push_interval": (0.02, 0.1),
    "action_delay": (0, 2),
    "rewards": {"lean": (1.0, leaning)},
    "terminate": {"high": above},
    "reward_weights": {"air_time": 1.0},
}


def test_what_is_turned_on_at_reset_is_as_if_made_with_it():
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (20, 2, 6))
    for make in (single, lambda **given: many(2, **given)):
        early, later = make(**LATER), make()
        later.reset(seed=5)
        started = early.reset(seed=3)[0], later.reset(seed=3, options=LATER)[0]
        np.testing.assert_array_equal(*started)
        for pair in actions:
            action = pair if early.action_space.shape == (2, 6) else pair[0]
            one, other = early.step(action), later.step(action)
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_array_equal(one[1], other[1])
        off = {"push_speed": 0.0, "action_delay": (0, 0), "rewards": {}, "terminate": {}, "reward_weights": {}}
        plain = make()
        np.testing.assert_array_equal(later.reset(seed=4, options=off)[0], plain.reset(seed=4)[0])
        np.testing.assert_array_equal(later.step(action)[0], plain.step(action)[0])
        assert not later.task.extras
        for option in ("observe", "privileged", "observation_noise"):
            with pytest.raises(ValueError, match=f"unknown option '{option}'"):
                later.reset(options={option: {}})


@pytest.mark.extra
def test_ppo_trains_with_all_of_it():
    pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")
    from stable_baselines3 import PPO

    from tarsus.scripts.library.learning.stable import StableVectorEnv

    options = LATER | {
        "observe": {"lean": (1, 1.0, leaning)},
        "observation_noise": {"lean": 0.1},
        "privileged": ("push",),
    }
    envs = StableVectorEnv(
        gymnasium.make_vec(
            "Hexapod-v0", 2, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **options
        )
    )
    model = PPO("MlpPolicy", envs, n_steps=8, batch_size=8, device="cpu").learn(16)
    assert model.num_timesteps == 16 and envs.observation_space.shape == (57,)


# A critic.


def test_a_critic_gets_entries_parameters_pushes_and_delays():
    names = ("velocity", "foot_force", "body_mass", "J", "friction_coeff", "push", "action_delay")
    options = {
        "randomise": {"body_mass": (0.5, 2.0), "friction_coeff": (0.5, 2.0)},
        "observation_noise": {"velocity": 1.0},
    }
    env = single(privileged=names, **options)
    _, info = env.reset(seed=3)
    slices = env.task.privileged_slices
    assert tuple(slices) == names and info["privileged"].dtype == np.float32
    assert info["privileged"].shape == (slices["action_delay"].stop,) == (3 + 18 + 1 + 9 + 1 + 2 + 1,)
    for _ in range(2):
        told = info["privileged"]
        np.testing.assert_array_equal(told[slices["velocity"]], env.task.frame.velocity.astype(np.float32))
        assert told[slices["body_mass"]] == np.float32(env.params.body_mass) != np.float32(env.config.params.body_mass)
        assert told[slices["friction_coeff"]] == np.float32(env.params.friction_coeff)
        np.testing.assert_array_equal(told[slices["J"]], np.ravel(env.params.J).astype(np.float32))
        info = env.step(np.zeros(6))[4]
    assert "privileged" not in single().reset(seed=0)[1]


def test_what_is_drawn_may_be_observed_by_a_teacher():
    env = single(randomise={"body_mass": (0.5, 2.0)}, push_speed=1.0, observations=("gravity", "body_mass", "push"))
    observation, _ = env.reset(seed=0)
    assert observation[3] == np.float32(env.params.body_mass)
