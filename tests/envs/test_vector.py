"""The vector environment does what as many single ones do, to the bit, in every autoreset mode.

Every environment is tested with everything it can observe (see conftest.py); VARIANTS are tested besides.
"""

import copy
import gc
import multiprocessing

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.envs.autoreset import Reasons
from tarsus.envs.episodes import WHY
from tarsus.envs.hexapod import MODES

N = 3
CURRICULA = {"task": "commanded", "command_curriculum": True, "terrain_curriculum": True, "command_period": 0.04}
EXACT = pytest.param("exact", marks=pytest.mark.extra)  # compiled for half a minute
VARIANTS = [
    *[("Hexapod-v0", {"action_mode": mode, "terrain": terrain}) for mode in MODES for terrain in ("flat", "rough")],
    ("Hexapod-v0", {"task": "commanded", "command_period": 0.1, "terrain": "sinusoid"}),
    ("Hexapod-v0", {"task": "commanded", "action_mode": "gait", "terrain": "sloped"}),
    ("Hexapod-v0", {"preset": "reference", "terrain": "slope"}),
    ("Hexapod-v0", CURRICULA | {"command_standing": 1.0, "terrain_distance": 0.004, "terrain": "stairs"}),
    ("HoppingLeg-v1", {"terrain": "terraces", "terrain_difficulty": (0.2, 0.8), "observations": ("height_scan",)}),
    ("SlipLeg-v1", CURRICULA | {"command_period": 0.004, "terrain_distance": 0.03, "terrain": "slope"}),
    ("HoppingLeg-v1", {}),
    ("HoppingLeg-v1", {"engine": "exact"}),
    ("Dog-v0", {"engine": "exact", "randomise": {"mass": (0.8, 1.2)}, "terrain": "slope"}),
    (
        "HoppingLeg-v1",
        {"task": "commanded", "command_period": 0.06, "terrain": "rough", "randomise": {"leg_mass": (0.8, 1.2)}},
    ),
    ("SlipLeg-v1", {"engine": "exact", "terrain": "rough"}),
    ("SlipLeg-v1", {"terrain": "rough", "randomise": {"friction_coeff": (0.5, 1.0)}, "action_delay": (0, 2)}),
    (
        "HoppingLeg-v1",
        {"task": "commanded", "terrain": "rough", "randomise": {"leg_mass": (0.8, 1.2), "resistance": (0.8, 1.2)}},
    ),
    ("HoppingLeg-v1", {"observations": ("height_scan", "foot_force", "torque", "yaw"), "terrain": "step"}),
    (
        "Hexapod-v0",
        {
            "randomise": {"body_mass": (0.8, 1.2), "max_torque": (0.5, 1.5), "KP": (0.5, 1.5), "rho_r0": (0.9, 1.1)},
            "terrain": "rough",
        },
    ),
    ("Hexapod-v0", {"randomise_contact": True, "randomise": {"friction_coeff": (0.5, 2.0)}, "terrain": "rough"}),
    ("BigAnt-v1", {"randomise_contact": True}),
    ("SlipLeg-v1", {"randomise_contact": True, "terrain": "rough"}),
    ("SlipLeg-v1", {"terrain": "step", "observations": ("height_scan", "foot_force", "foot_place")}),
    ("SlipLeg-v1", {"task": "commanded", "command_period": 0.01, "terrain": "rough"}),
    ("SlipLeg-v1", {"action_mode": "position", "randomise": {"body_mass": (0.8, 1.2), "friction_coeff": (0.5, 1.0)}}),
    ("Multipod-v1", {"n_legs": 8, "terrain": "rough", "task": "commanded", "command_period": 0.1}),
    ("Multipod-v1", {"action_mode": "gait", "randomise": {"leg_k": (0.8, 1.2), "KP": (0.5, 2.0)}}),
    ("Multipod-v1", {"n_legs": 4, "action_mode": "torque"}),
    ("BigAnt-v1", {"terrain": "rough"}),
    ("BigAnt-v1", {"action_mode": "gait", "randomise": {"leg_k": (0.8, 1.2)}}),
    ("BigAnt-v1", {"action_mode": "torque"}),
]


def pair(name, mode, n=N, steps=7, **options):
    """Return the native and Gymnasium's synchronous vector environment, with episodes of a few steps."""
    native = gymnasium.make_vec(
        name,
        n,
        vectorization_mode="vector_entry_point",
        max_episode_steps=steps,
        autoreset_mode=mode,
        **options,
    )
    sync = gymnasium.make_vec(
        name,
        n,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        max_episode_steps=steps,
        **options,
    )
    return native, sync


def assert_same_infos(native, sync, silent=False):
    """Where the synchronous environment has an info, the native one has the same, but for `silent` ends."""
    for name, value in sync.items():
        if name.startswith("_") or name == "final_obs":
            continue
        if name in WHY and silent:
            assert not value.any() and name not in native
            continue
        if isinstance(value, dict):
            assert_same_infos(native[name], value)
            continue
        mask = sync["_" + name]
        np.testing.assert_array_equal(native["_" + name], mask, err_msg=name)
        np.testing.assert_array_equal(native[name][mask], value[mask], err_msg=name)


def is_silent(native):
    """In the mode SameStep infos are of episodes that go on: of their termination there is nothing to say."""
    return native.autoreset_mode is AutoresetMode.SAME_STEP


def step_both(native, sync, actions):
    mine, theirs = native.step(actions), sync.step(actions)
    mine = (*mine[:4], native.words(mine[4]))
    for a, b in zip(mine[:4], theirs[:4], strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype and a.shape == b.shape
    assert_same_infos(mine[4], theirs[4], is_silent(native))
    return mine, theirs


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_every_step_is_the_single_environments_to_the_bit(name, options, mode):
    native, sync = pair(name, mode, **options)
    mine, theirs = native.reset(seed=11), sync.reset(seed=11)
    np.testing.assert_array_equal(mine[0], theirs[0])
    assert_same_infos(native.words(mine[1]), theirs[1], is_silent(native))
    rng = np.random.default_rng(0)
    for _ in range(18):
        actions = rng.uniform(-1, 1, native.action_space.shape)
        mine, theirs = step_both(native, sync, actions)
        if "final_obs" in theirs[4]:
            for a, b in zip(mine[4]["final_obs"], theirs[4]["final_obs"], strict=True):
                np.testing.assert_array_equal(a, b)


def numbers_of(infos):
    """Yield name and kind of every array in infos; `final_obs` is of objects, as Gymnasium's own is."""
    for name, value in infos.items():
        if name == "final_info":
            yield from numbers_of(value)
        elif name != "final_obs":
            yield name, value.dtype.kind


@pytest.mark.parametrize("name", [*ENVIRONMENTS, *SURROGATES])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_infos_are_numbers(name, mode):
    """Wrappers such as TorchRL's and Gymnasium's `NumpyToTorch` read them as numbers."""
    envs = gymnasium.make_vec(
        name, 2, vectorization_mode="vector_entry_point", autoreset_mode=mode, max_episode_steps=3
    )
    _, infos = envs.reset(seed=0)
    for _ in range(4):
        kinds = dict(numbers_of(infos))
        assert set(kinds.values()) <= set("biuf") and (mode == "SameStep" or kinds["termination"] == "i"), kinds
        if mode != "Disabled" or not envs._over.any():
            infos = envs.step(np.zeros(envs.action_space.shape))[4]
    assert len(envs.reasons) > 1 and envs.reasons[0] == "" and not any("diverged" in why for why in envs.reasons)


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_gymnasiums_own_wrapper_makes_tensors_of_them(mode):
    pytest.importorskip("array_api_compat")
    torch = pytest.importorskip("torch")
    from gymnasium.wrappers.vector import NumpyToTorch

    inner = native_only(2, autoreset_mode=mode, max_episode_steps=3)
    envs = NumpyToTorch(inner)
    envs.reset(seed=0)
    inner.task.data.qpos[0, 3:7] = 0.0, 1.0, 0.0, 0.0  # on its back
    *_, terminated, _, infos = envs.step(torch.zeros(2, 6))
    assert terminated.tolist() == [True, False] and infos["termination"].dtype == torch.int8
    assert [inner.reasons[code] for code in infos["termination"]] == ["toppled: tilted by more than 60 degrees", ""]
    assert inner.words(infos)["termination"][0].startswith("toppled")


def test_codes_are_places_in_a_table_that_grows_with_what_nobody_foresaw():
    table = Reasons(["fell", "left the terrain", "fell"])
    assert table == ["", "fell", "left the terrain"]
    said = np.array(["", "left the terrain", "diverged: so", "fell", "diverged: so"], object)
    assert table.codes(said).tolist() == [0, 2, 3, 1, 3] and table[3] == "diverged: so"
    assert table.words({"termination": table.codes(said), "time": 1})["termination"].tolist() == said.tolist()
    with pytest.raises(RuntimeError, match="more than 127 different reasons"):
        [table.code(str(k)) for k in range(128)]


def native_only(n=3, **options):
    return gymnasium.make_vec("Hexapod-v0", n, vectorization_mode="vector_entry_point", **options)


def test_spaces_and_metadata_are_gymnasiums():
    native, sync = pair("Hexapod-v0", "NextStep", task="commanded")
    assert native.observation_space == sync.observation_space and native.action_space == sync.action_space
    assert native.single_observation_space == sync.single_observation_space
    assert native.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert native.spec.id == "Hexapod-v0" and native.task.shape == (N,)


def test_seeds_are_each_environments_own():
    native = native_only()
    first, _ = native.reset(seed=[5, 5, 7])
    assert np.array_equal(first[0], first[1]) and not np.array_equal(first[0], first[2])
    counted, _ = native.reset(seed=5)
    np.testing.assert_array_equal(counted[0], first[0])
    np.testing.assert_array_equal(counted[2], first[2])
    going_on, _ = native.reset()
    assert not np.array_equal(going_on, counted)
    with pytest.raises(ValueError, match="there are 3 environments, got 2 seeds"):
        native.reset(seed=[1, 2])


def test_terrains_and_robots_differ_between_environments():
    native = native_only(terrain="rough", randomise={"body_mass": (0.5, 1.5)})
    native.reset(seed=0)
    masses = [model.body("torso").mass[0] for model in native.models]
    assert len(set(masses)) == len({native.task.terrain[sim].seed for sim in range(3)}) == 3
    assert masses == [native.task.params[sim].body_mass for sim in range(3)]


def test_without_autoreset_the_user_resets_by_a_mask():
    native, sync = pair("Hexapod-v0", "Disabled", steps=2)
    native.reset(seed=3), sync.reset(seed=3)
    for _ in range(2):
        step_both(native, sync, np.zeros((N, 6)))
    with pytest.raises(ValueError, match=r"episodes of environments \[0, 1, 2\] are over"):
        native.step(np.zeros((N, 6)))
    for mask in ([1, 0, 1], [0, 1, 0]):
        mask = np.array(mask, bool)
        mine, theirs = (envs.reset(options={"reset_mask": mask}) for envs in (native, sync))
        np.testing.assert_array_equal(mine[0], theirs[0])
        assert_same_infos(native.words(mine[1]), theirs[1])
    step_both(native, sync, np.full((N, 6), 0.2))
    for wrong in (np.zeros(N, bool), np.ones(2, bool), np.ones(N)):
        with pytest.raises(ValueError, match="reset_mask must be 3 booleans, at least one of them true"):
            native.reset(options={"reset_mask": wrong})


def test_options_hold_and_a_new_model_needs_all_to_be_reset():
    native, sync = pair("Hexapod-v0", "NextStep", steps=20)
    options = {"terrain": "slope", "reward_weights": {"power": -1.0}}
    mine, theirs = (envs.reset(seed=1, options=dict(options)) for envs in (native, sync))
    np.testing.assert_array_equal(mine[0], theirs[0])
    for _ in range(3):
        step_both(native, sync, np.full((N, 6), -0.3))
    with pytest.raises(ValueError, match="terrain hold for all environments, so all must be reset"):
        native.reset(options={"terrain": "flat", "reset_mask": np.eye(N, dtype=bool)[0]})


def test_the_age_of_an_episode_is_assigned_and_counts_for_the_time_limit_alone():
    envs, same = (gymnasium.make_vec("Hexapod-v0", 3, max_episode_steps=5, autoreset_mode="SameStep") for _ in range(2))
    for one in (envs, same):
        one.reset(seed=0)
    envs.unwrapped.episode_steps = [4, 3, 0]
    found, expected = (one.step(np.zeros((3, 6))) for one in (envs, same))
    assert found[3].tolist() == [True, False, False] and not expected[3].any()
    np.testing.assert_array_equal(found[0][1:], expected[0][1:])
    assert envs.unwrapped.episode_steps.tolist() == [0, 4, 1]
    envs.unwrapped.episode_steps[:] = 4  # a copy
    assert envs.unwrapped.episode_steps.tolist() == [0, 4, 1]
    for wrong in ([5, 0, 0], [-1, 0, 0], [0, 0], [0.5, 0, 0], 3):
        with pytest.raises(ValueError, match="episode_steps must be 3 whole numbers in .0, 5"):
            envs.unwrapped.episode_steps = wrong


def test_starts_may_be_given_for_all_or_for_each():
    native = native_only()
    native.reset(seed=0)
    qpos = native.task.data.qpos + 0.01 * np.arange(3)[:, None]
    native.reset(options={"qpos": qpos, "qvel": np.full(24, 0.1)})
    np.testing.assert_array_equal(native.task.data.qpos, qpos)
    np.testing.assert_array_equal(native.task.data.qvel, 0.1)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("engine", ["mujoco", EXACT])
def test_those_that_leave_the_ground_are_truncated_and_no_other(mode, engine, monkeypatch):
    options = {"terrain": "sinusoid", "action_mode": "velocity"} if engine == "mujoco" else {"engine": engine}
    native, sync = pair("Hexapod-v0", mode, n=4, steps=20, **options)
    native.reset(seed=0)
    qpos = native.task.data.qpos.copy()
    qpos[[1, 3], [0, 1]] += 25.0
    qpos[3, 2:7] = 1.0, np.cos(0.6), np.sin(0.6), 0, 0  # above the ground, where the exact engine can begin
    for one in (native, *(env.unwrapped for env in sync.envs)):
        monkeypatch.setattr(one.task, "bounded", True)  # flat ground, on which the exact engine is compiled already
    native.reset(options={"qpos": qpos}), sync.reset(seed=0)
    for env, row in zip(sync.envs, qpos, strict=True):
        env.reset(options={"qpos": row})
    mine, theirs = step_both(native, sync, np.zeros(native.action_space.shape))
    assert mine[2].tolist() == [False, False, False, True] and mine[3].tolist() == [False, True, False, False]
    info = mine[4]["final_info"] if mode == "SameStep" else mine[4]
    assert info["truncation"].tolist() == ["", "left the terrain", "", ""] and info["reward_healthy"][1] > 0.0
    assert info["termination"][3].startswith("toppled") and not info["termination"][:3].any()
    if mode == "NextStep":
        assert not step_both(native, sync, np.zeros(native.action_space.shape))[0][4]["truncation"].any()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("terrain", ["flat", "sinusoid"])
def test_a_diverged_simulation_ends_its_episode_and_no_other(mode, terrain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log file there
    hurt, well = (native_only(4, terrain=terrain, autoreset_mode=mode) for _ in range(2))
    for envs in (hurt, well):
        envs.reset(seed=0)
        envs.step(np.zeros((4, 6)))
    hurt.task.data.qvel[2] = 1e9
    good = hurt.task.data.qpos[2].copy()
    others = [0, 1, 3]
    for k in range(3):
        actions = np.full((4, 6), 0.1 * k)
        mine, theirs = hurt.step(actions), well.step(actions)
        for a, b in zip(mine[:4], theirs[:4], strict=True):
            np.testing.assert_array_equal(a[others], b[others])
        assert np.isfinite(mine[0]).all() and np.isfinite(mine[1]).all()
        if k == 0:
            assert mine[2].tolist() == [False, False, True, False] and mine[1][2] == 0.0
            info = hurt.words(mine[4])["final_info"] if mode == "SameStep" else hurt.words(mine[4])
            assert info["termination"][2].startswith("diverged: ") and info["reward_healthy"][2] == 0.0
            if mode == "NextStep":
                np.testing.assert_array_equal(hurt.last_good_states[2][0], good)
    assert not mine[2].any() and not hurt.last_good_states


@pytest.mark.filterwarnings("ignore:.*not within the observation space")  # that is the point
def test_an_observation_beyond_its_bound_is_a_divergence_too():
    native, sync = pair("Hexapod-v0", "NextStep", steps=20)
    for envs in (native, sync):
        envs.reset(seed=0)
    native.task.data.qvel[1, 0] = sync.envs[1].unwrapped.data.qvel[0] = 150.0  # 100 m/s is the bound
    mine, _ = step_both(native, sync, np.zeros((N, 6)))
    assert mine[4]["termination"][1] == "diverged: an observation is beyond its bound"
    for _ in range(3):
        step_both(native, sync, np.full((N, 6), 0.2))


def test_toppled_robots_end_alike():
    native, sync = pair("Hexapod-v0", "SameStep", steps=50)
    observation, _ = native.reset(seed=0)
    qpos = native.task.data.qpos[0].copy()
    qpos[2], qpos[3:7] = 0.3, (np.cos(0.45), np.sin(0.45), 0, 0)
    qvel = np.array([0, 0, 0, 4.0, *np.zeros(20)])  # rolling over
    for envs in (native, sync):
        envs.reset(seed=0, options={"qpos": qpos, "qvel": qvel})
    ends = 0
    for _ in range(15):
        mine, theirs = step_both(native, sync, np.full((N, 6), 0.1))
        ends += mine[2].sum()
    assert ends >= N


@pytest.mark.parametrize(
    ("actions", "message"),
    [(np.zeros((2, 6)), r"has shape \(3, 6\), got \(2, 6\)"), (np.full((3, 6), np.nan), "must be finite")],
)
def test_bad_actions_are_refused_before_the_physics(actions, message):
    native = native_only()
    native.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        native.step(actions)
    assert not native.task.data.time.any()


def test_what_a_step_returns_stays_as_it_was():
    native = native_only(autoreset_mode="SameStep", max_episode_steps=3)
    native.reset(seed=0)
    actions = np.full((3, 6), 0.3)
    kept = native.step(actions)
    before = [kept[0].copy(), kept[1].copy(), kept[4]["hip_angle"].copy(), kept[4]["time"].copy()]
    for _ in range(4):
        native.step(actions)
    np.testing.assert_array_equal(actions, 0.3)
    for a, b in zip(before, (kept[0], kept[1], kept[4]["hip_angle"], kept[4]["time"]), strict=True):
        np.testing.assert_array_equal(a, b)


def test_any_number_of_threads_gives_the_same():
    runs = []
    for n_threads in (1, 3):
        native = native_only(7, terrain="rough", n_threads=n_threads)
        native.reset(seed=0)
        runs.append([native.step(np.full((7, 6), 0.2))[0] for _ in range(5)])
    np.testing.assert_array_equal(*runs)


@pytest.mark.render
def test_images_are_those_of_the_single_environments():
    native, sync = pair("Hexapod-v0", "NextStep", n=2, render_mode="rgb_array", width=64, height=48)
    for envs in (native, sync):
        envs.reset(seed=0)
        envs.step(np.zeros((2, 6)))
    for mine, theirs in zip(native.render(), sync.render(), strict=True):
        assert mine.shape == (48, 64, 3) and np.abs(mine.astype(int) - theirs).mean() < 2.0
    native.close(), sync.close()
    with pytest.raises(ValueError, match="unknown render mode 'human' of many simulations"):
        native_only(render_mode="human")


@pytest.mark.parametrize("name", [*ENVIRONMENTS, *SURROGATES])
def test_nothing_is_stepped_before_its_first_reset_nor_after_the_end(name):
    envs = gymnasium.make_vec(name, 3, vectorization_mode="vector_entry_point")
    action = np.zeros(envs.action_space.shape)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"environments \[0, 1, 2\] have not been reset"):
        envs.step(action)
    envs.reset(seed=0, options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"environments \[1\] have not been reset"):
        envs.step(action)
    state = envs.get_state(indices=[0])
    envs.set_state(state, indices=[1])  # which begins it
    envs.step(action)
    envs.close(), envs.close()
    for call in (lambda: envs.step(action), envs.reset, lambda: envs.set_state(state)):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="was closed; make another"):
            call()
    env = gymnasium.make(name).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded, match="not been reset"):
        env.step(action[0])
    env.set_state(state)
    env.step(action[0])


def in_a_child(box, answers):
    """Say what a forked child's step did, what the step of its copy observes, and that the child can do without it."""
    envs = box.pop()
    action = np.zeros(envs.action_space.shape)
    for call, arguments in ((envs.step, (action,)), (envs.reset, ())):
        try:
            answers.put(str(call(*arguments)))
        except RuntimeError as error:
            answers.put(str(error))
    del call
    answers.put(copy.deepcopy(envs).step(action)[0])
    del envs
    gc.collect()
    answers.put("collected")


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.parametrize(
    "options", [{}, pytest.param({"engine": "exact"}, marks=pytest.mark.extra)], ids=["mujoco", "exact"]
)
def test_a_forked_child_is_told_that_the_threads_are_not_there(options):
    envs, forked = native_only(2, n_threads=2, **options), multiprocessing.get_context("fork")
    envs.reset(seed=0)
    answers = forked.Queue()
    child = forked.Process(target=in_a_child, args=([envs], answers))
    child.start()
    try:
        for _ in range(2):
            assert "has its threads in process" in answers.get(timeout=120)
        np.testing.assert_array_equal(answers.get(timeout=120), envs.step(np.zeros(envs.action_space.shape))[0])
        assert answers.get(timeout=120) == "collected"
    finally:
        child.join(60), child.kill()
    assert child.exitcode == 0
