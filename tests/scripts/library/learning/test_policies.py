"""Hand-made policies in their environments, and the trained ones that come with the package."""

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import tarsus  # noqa: F401
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.terrain import Slope
from tarsus.envs.hexapod_clocks import gait_parameters
from tarsus.scripts.laboratory.pages import policies as compare_policies
from tarsus.scripts.library.learning import evaluation, hand_made, policies
from tarsus.scripts.library.search import gait as search_gait
from tarsus.scripts.library.stability import gaits

ROOT = Path(__file__).parents[4]
SHORT = {"reset_noise": 0.0}
WALKS = {  # least and greatest forward speed [m/s] from rest, over 250 control periods
    ("SlipLeg-v1", "SLIP-torque"): (2.2, 2.7),
    ("SlipLeg-v1", "SLIP"): (2.3, 2.5),
    ("SlipLeg-v1", "SLIP-hurried"): (2.6, 3.0),
    ("HoppingLeg-v1", "Raibert"): (0.85, 1.1),
    ("HoppingLeg-v1", "Raibert-hurried"): (1.5, 2.1),
    ("HoppingLeg-v1", "Raibert-torque"): (0.5, 1.1),
    ("Multipod-v1", "undulation"): (0.06, 0.1),
    ("BigAnt-v1", "tripod"): (0.015, 0.04),
    ("Hexapod-v0", "run"): (0.45, 0.56),
    ("Hexapod-v0", "dash"): (0.8, 1.7),
    ("Dog-v0", "trot"): (0.19, 0.21),
}


def walk(policy, name, n_steps, **options):
    found, name, options = policies.find(policy, name, SHORT | options)
    env = gymnasium.make(name, **options)
    act = found.make(env, 0)
    observation, info = env.reset(seed=0)
    for _ in range(n_steps):
        observation, _, terminated, _, info = env.step(act(observation, info))
        assert not terminated, info["termination"]
    return env, info


@pytest.mark.parametrize(("name", "policy"), WALKS)
def test_hand_made_policies_go_forward_at_their_speeds(name, policy):
    env, info = walk(policy, name, 250)
    low, high = WALKS[name, policy]
    assert low < info["distance"] / info["time"] < high


def test_the_trot_by_joint_angles_is_where_the_clock_is_at_that_time():
    env, _ = walk("trot", "Dog-v0", 30)
    clocked = gymnasium.make("Dog-v0", **SHORT)
    clocked.reset(seed=0)
    for _ in range(31):  # what it asks for after the first timestep of the last, 2 ms later
        clocked.step(np.zeros(clocked.action_space.shape))
    hips = slice(0, None, 3)  # which an action always reaches
    asked = clocked.unwrapped.task.asked[hips]
    np.testing.assert_allclose(env.unwrapped.task.correction[hips], asked, atol=0.01)
    assert np.ptp(asked) > 0.1


def test_rhex_climbs_at_its_speed_where_it_feels_the_slope_and_slower_where_not():
    hill = {"task": "commanded", "terrain": Slope(0.0, np.tan(np.deg2rad(10)))}
    speeds = {}
    for policy in ("rhex", "rhex-slope"):
        found, name, options = policies.find(policy, "Hexapod-v0", SHORT | hill)
        env = gymnasium.make(name, **options)
        act = found.make(env, 0)
        observation, info = env.reset(seed=0, options={"command": (0.2555, 0.0)})
        way = []
        while info["time"] < 6.0 - 1e-6:
            observation, _, terminated, _, info = env.step(act(observation, info))
            way.append(env.unwrapped.data.qpos[1])
            assert not terminated, info["termination"]
        speeds[policy] = (way[-1] - way[-161]) / (160 * env.unwrapped.ctrl_dt)  # four strides, horizontally
    # The law keeps the speed within 5 % of a slope that it knows; felt, the slope reads half a degree too steep.
    assert speeds["rhex"] < 0.235 and speeds["rhex-slope"] == pytest.approx(0.2555, rel=0.08)


@pytest.mark.parametrize("name", policies.POLICIES)
def test_every_environment_has_a_hand_made_policy_that_acts(name):
    environment = "Hexapod-v0" if name == "*" else name
    for policy in policies.POLICIES[name]:
        _, info = walk(policy, environment, 1)
        assert info["time"] > 0


def test_a_gait_policys_set_points_are_the_gaits():
    for name in ("Multipod-v1", "MultipodQuasistatic-v1"):
        env, info = walk("pair_tripod", name, 60)
        gait = hand_made.multipod_gait(env.unwrapped.params, "pair_tripod")
        np.testing.assert_allclose(info["joint_reference"], gait(info["time"])[0].ravel(), atol=1e-6, err_msg=name)
    env, info = walk("metachronal", "BigAnt-v1", 100)
    gait = hand_made.bigant_gait(env.unwrapped.params, "metachronal")
    behind = gait(info["time"])[0] - info["joint_reference"]
    np.testing.assert_allclose(np.cos(behind), 1.0, atol=1e-6)


def test_the_action_of_a_gait_names_it():
    gait = TripodGait(0.8, 0.48, 0.7, 0.1, 0.04, -0.2)
    action = hand_made.gait_action(gait)
    np.testing.assert_allclose(gait_parameters(action), [0.8, 0.6, 0.7, 0.1, 0.05, -0.2])
    assert search_gait.gait_of(action).slow_time_difference == pytest.approx(0.04)
    for known in hand_made.GAITS.values():
        assert np.abs(hand_made.gait_action(known)).max() <= 1.0


def test_a_run_up_goes_from_the_run_to_the_gait():
    action = hand_made.gait_action(hand_made.GAITS["dash"])
    first = hand_made.gait_action(hand_made.GAITS["run"])
    np.testing.assert_allclose(hand_made.run_up(action, 0.5), first, atol=1e-6)
    np.testing.assert_allclose(hand_made.run_up(action, 1.0), 0.5 * (first + action), atol=1e-6)
    np.testing.assert_allclose(hand_made.run_up(action, 1.5), action, atol=1e-6)


def test_a_walk_that_falls_earns_nothing_more():
    walks = search_gait.Walks(2, 1)
    both = np.array([hand_made.gait_action(hand_made.GAITS["run"]), [-0.5, -1.0, 1.0, -1.0, 0.0, 0.0]])
    shorter, longer = walks(both, 200, seed=3), walks(both, 300, seed=3)
    assert longer[0] > shorter[0] + 100 and longer[1] == shorter[1] < 120
    np.testing.assert_array_equal(walks(both[:1], 200, seed=3), shorter[:1])


def test_the_steered_clock_follows_commands():
    speeds, rates = [], []
    for command, rate in ((0.15, 0.0), (0.45, 0.0), (0.35, 0.4), (0.35, -0.4)):
        ranges = {"command_speed": (command, command), "command_yaw_rate": (rate, rate), "command_standing": 0.0}
        env, info = walk("steered", "Hexapod-v0", 200, **ranges)
        speeds.append(info["distance"] / info["time"])
        w, x, y, z = env.unwrapped.data.qpos[3:7]
        rates.append(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) / info["time"])
    assert speeds[1] > 1.8 * speeds[0] > 0.2
    assert rates[2] > 0.05 and rates[3] < -0.05 and abs(rates[0]) < 0.02


def test_a_row_has_the_episodes_and_the_pushes_survived():
    cells = compare_policies.row("run", {}, 1, (0.0, 50.0), 2, 1)
    assert cells[0] == "run" and cells[-2:] == ["2 of 2", "0 of 2"]


def test_what_was_trained_with_pushes_and_other_robots_is_compared_without(monkeypatch):
    asked = []
    monkeypatch.setattr(compare_policies, "row", lambda name, options, *_: asked.append(options) or [name])
    compare_policies.tables(("hexapod-gait-randomised",), option=(("push_speed", 1.5),))
    assert asked == [{"randomise": {}, "push_speed": 0.0}]


SHIPPED = policies.shipped()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_policies_are_small_and_replayed_by_name(name):
    assert sum(path.stat().st_size for path in SHIPPED[name].iterdir()) < 100_000
    found, environment, options = policies.find(name, None, {})
    env = gymnasium.make(environment, **options)
    observation, info = env.reset(seed=0)
    act = found.make(env, 0)
    for _ in range(5):
        action = act(observation, info)
        assert action.shape == env.action_space.shape
        observation, _, _, _, info = env.step(action)


def test_a_policy_made_along_the_axes_of_the_documents_says_so_and_walks_at_its_certified_speed():
    assert json.loads((SHIPPED["hexapod-0"] / "run.json").read_text())["options"] == {"axes": "documents"}
    assert policies.find("hexapod-0", None, {})[2] == {"axes": "documents"}
    with pytest.raises(ValueError, match="axes was 'documents', asked for is 'forward'"):
        policies.find("hexapod-0", None, {"axes": "forward"})
    assert evaluation.run_episode("hexapod-0", None, {}, seed=0).speed == pytest.approx(0.77, abs=0.02)


def test_a_policy_that_was_trained_on_a_gpu_walks_in_mujoco_at_the_speed_that_its_page_says():
    played = evaluation.run_episode(str(ROOT / "docs" / "data" / "gpu"), None, {}, seed=0)
    assert played.speed == pytest.approx(0.843, abs=0.02) and played.length == 20.0


def test_a_learned_policy_beats_the_clock():
    assert policies.seeds_of("hexapod-gait") == [f"hexapod-gait-{seed}" for seed in range(5)]
    learned = evaluation.run_episode("hexapod-gait", None, {}, seed=11)
    assert learned.fell == 0 and learned.total > 3 * evaluation.run_episode("clock", None, {}, seed=11).total


def test_a_policy_trained_on_rough_ground_can_be_asked_for_on_another():
    _, _, trained = policies.find("hexapod-commanded-0", None, {})
    assert trained["terrain"] == "rough" and "terrain_difficulty" in trained
    _, _, asked = policies.find("hexapod-commanded-0", None, {"terrain": "flat"})
    assert asked["terrain"] == "flat" and "terrain_difficulty" not in asked


def test_a_name_goes_before_a_folder_that_holds_no_policy(tmp_path, monkeypatch):
    """Such as the output of a command that is called after its policy: `stability walk --out walk`."""
    monkeypatch.chdir(tmp_path)
    for name in ("walk", "hexapod", "trained/best"):
        Path(name).mkdir(parents=True)
    assert policies.checkpoint_of("walk") is None and policies.find("walk", None, {})[1] == "Hexapod-v0"
    assert policies.resolved("hexapod") == "hexapod-0" and policies.checkpoint_of("hexapod").name == "hexapod-0"
    Path("trained/best/policy.npz").write_bytes(b"")
    assert policies.checkpoint_of("trained") is None and "say one" in policies.unknown("trained")
    assert policies.checkpoint_of("trained/best") == Path("trained/best")


def test_a_name_that_there_is_not_has_the_nearest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "did you mean hexapod-walk?" in policies.unknown("hexpod-walk", more=gaits.MODELS)
    Path("runs/hexapod-0").mkdir(parents=True)
    assert policies.unknown("runs/hexapod-O/best") == (
        "there is no folder runs/hexapod-O; did you mean runs/hexapod-0?"
    )
    assert "hexapod-walk" in gaits.listed() and "walk" in gaits.listed()


@pytest.mark.parametrize("name", policies.shipped())
def test_what_a_policy_was_made_with_stands_alike_in_its_files(name):
    """Readers of a folder take `run.json`; a policy, and an ONNX that is made of it, have what is in `policy.npz`."""
    folder = policies.shipped()[name]
    about = json.loads(str(np.load(folder / "policy.npz")["about"]))
    assert about == json.loads((folder / "run.json").read_text(encoding="utf-8"))
