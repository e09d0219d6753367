"""`tarsus certify`: verdicts and causes on hand-made episodes, policies of every kind, and short real episodes."""

import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.envs.hexapod import HexapodConfig
from tarsus.envs.hopping_leg import HoppingLegConfig
from tarsus.envs.slip_leg import SlipLegConfig
from tarsus.mjcf.hexapod import TORSO_SIZE
from tarsus.mjcf.presets import contacts
from tarsus.scripts.command.verbs import certify
from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import trust
from tarsus.scripts.library.certificates import certificate, certifying, divergence, judging, replay, settings, shown
from tarsus.scripts.library.certificates.certificate import (
    DRIFT,
    EVERYWHERE,
    FALL,
    HOLD,
    LEAN,
    UNKNOWN,
    Certificate,
    Change,
)
from tarsus.scripts.library.certificates.settings import BETWEEN, CONTACT, ITSELF, ROBOT, SIMULATOR, Setting
from tarsus.scripts.library.learning import evaluation, loading, policies

N, CTRL_DT = 200, 0.02
REFERENCE_PRESET = Setting("reference", SIMULATOR, {"preset": "reference"})
RL, REFERENCE = Setting("rl", SIMULATOR, {}), Setting("reference", SIMULATOR, {})
NUDGED = Setting(settings.NUDGED, ITSELF, {}, nudged=0)


def track(seed=0, speed=1.0, total=100.0, ending="", **arrays):
    """Return an episode at an even speed whose two feet alternate every ten control periods."""
    flat = np.zeros((N, 3)) + [0.0, 0.0, 0.2]
    flat[:, 1] = speed * CTRL_DT * np.arange(1, N + 1)
    up = np.arange(N) // 10 % 2 == 0
    made = dict(position=flat, quat=np.tile([1.0, 0, 0, 0], (N, 1)), down=np.stack([up, ~up], -1))
    made |= dict(creep=np.zeros((N, 2)), depth=np.zeros(N), body_down=np.zeros(N, bool))
    return replay.Track(seed, CTRL_DT, total, speed, 0.3, ending, **made | arrays)


def certificate_of(*factors, noise=0.0, settings=(REFERENCE,)):
    """Return a certificate of settings in which speed and return are so many times what they are in `rl`."""
    rng = np.random.default_rng(0)
    base = [track(seed, 1.0 + 0.1 * seed, 100.0 + seed) for seed in range(4)]
    rows = [judging.judged(RL, base, base, True)]
    for factor, setting in zip(factors, settings, strict=True):
        worse = [factor * (1 + noise * rng.standard_normal()) for _ in base]
        other = [track(t.seed, f * t.speed, f * t.total) for t, f in zip(base, worse, strict=True)]
        rows.append(judging.judged(setting, base, other, True))
    return Certificate("mine", "Hexapod-v0", {"terrain": "flat"}, (0, 1, 2, 3), tuple(rows), "v", "m", "2026-11-22")


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.0, HOLD), (0.97, HOLD), (1.04, HOLD), (0.93, DRIFT), (1.3, DRIFT), (0.8, LEAN)]
)
def test_the_verdict_follows_speed_and_return_in_another_simulation(factor, verdict):
    assert certificate_of(factor).verdict == verdict


def test_other_robots_make_a_policy_drift_at_most():
    assert certificate_of(0.5, settings=[Setting("friction x 0.8", ROBOT, {})]).verdict == DRIFT
    assert certificate_of(0.5, settings=[Setting("softer contact", CONTACT, {})]).verdict == LEAN


def test_a_loss_that_may_be_chance_is_no_leaning():
    assert Change(-0.2, 0.05).verdict == LEAN
    assert Change(-0.2, 0.15).verdict == UNKNOWN and Change(0.0, 0.15).verdict == UNKNOWN
    assert Change(-0.08, 0.05).verdict == HOLD
    assert Change(-0.08, 0.01).verdict == DRIFT


def test_a_change_that_a_nudge_explains_is_none():
    assert Change(-0.09, 0.0, 0.09).verdict == HOLD and Change(-0.09, 0.0, 0.08).verdict == DRIFT
    assert Change(-0.3, 0.0, 0.3).verdict == UNKNOWN and Change(-0.3, 0.0, 0.2).verdict == LEAN
    noise = judging.ByNudge.of(judging.judged(NUDGED, [track(0), track(1)], [track(total=98.0)] * 6, True), 2)
    assert noise.speed == 0.0 and noise.total == pytest.approx(0.02)  # six alike: no error, and the loss itself
    spread = [track(total=100.0 + 10.0 * (-1) ** k) for k in range(6)]
    noise = judging.ByNudge.of(judging.judged(NUDGED, [track(0), track(1)], spread, True), 2)
    assert noise.total == pytest.approx(2 * np.std([0.1, -0.1] * 3, ddof=1) / np.sqrt(2))  # of a mean of two


def draw(rng, fall, settings, n=5):
    """Return the certificate of a policy that falls at some time in a share of its episodes, wherever it is."""

    def episode(seed):
        fell = rng.random() < fall
        return track(seed, total=100.0 * (rng.random() if fell else 1.0), ending="fell" if fell else "")

    rows, _ = judging._rows(settings, [([*map(episode, range(n))], 0.0) for _ in settings], True)
    return Certificate("mine", "Hexapod-v0", {}, tuple(range(n)), tuple(rows), "v", "m", "2026-11-25")


def test_a_cause_is_shown_where_half_of_the_episodes_parted_and_in_how_many_if_not_in_most():
    def row(*causes):
        episodes = tuple(
            certificate.Replayed(k, 1.0, 1.0, None, "", 0.1 * (k + 1) if cause else None, cause)
            for k, cause in enumerate(causes)
        )
        return certificate.Finding("reference", SIMULATOR, episodes=episodes)

    rows = [row("creep", "", ""), row("creep", "flicker", "creep"), row("creep", "flicker", "plate", "creep")]
    rows += [row(), row("plate", "plate")]
    made = Certificate("p", "e", {}, (0, 1, 2), tuple(rows), "", "", "")
    assert [one.divergence[1] for one in rows] == ["", "creep", "creep", "", "plate"]
    assert [one.divergence[0] for one in rows] == pytest.approx([np.inf, 0.2, 0.3, np.inf, 0.2])
    assert [made.cause(one) for one in rows] == ["", "creep", "creep in 2 of 4", "", "plate"]


def test_a_policy_that_falls_everywhere_alike_is_not_said_to_depend_on_the_simulator(monkeypatch):
    monkeypatch.setattr(divergence, "between", lambda base, other: divergence.Divergence(np.inf, "", {}))
    fan, rng = settings.fan(HexapodConfig()), np.random.default_rng(0)
    said = Counter(draw(rng, 5 / 32, fan).verdict for _ in range(200))
    assert said[DRIFT] + said[LEAN] <= 0.1 * 200 and said[HOLD] == 0 and said[FALL] >= 0.8 * 200
    assert {draw(rng, 0.0, fan).verdict for _ in range(10)} == {HOLD}


def test_what_falls_by_itself_says_so_and_what_may_be_chance_asks_for_seeds():
    fell = [track(seed, ending="fell" * (seed == 1)) for seed in range(3)]
    rows = [judging.judged(RL, fell, fell, True), judging.judged(NUDGED, fell, fell * 3, True)]
    made = replace(certificate_of(1.0), rows=tuple(rows))
    assert (made.verdict, made.falls) == (FALL, (4, 12)) and made.reason.startswith("in 4 of 12 episodes in `rl`")
    worse = [replace(t, total=40.0 * (t.seed + 1)) for t in fell]
    made = replace(made, rows=(*rows, judging.judged(REFERENCE, [track(k) for k in range(3)], worse, True)))
    assert made.verdict == FALL  # which says more than that the rest is not known
    made = replace(made, seeds=(0, 1, 2), rows=made.rows[2:])
    assert made.verdict == UNKNOWN and "about 64 seeds tell one of 10 %" in made.reason
    lean = replace(made, rows=(*rows, judging.judged(REFERENCE, fell, [replace(t, total=50.0) for t in fell], True)))
    assert lean.verdict == LEAN and "falls by itself in 4 of 12 episodes in `rl`" in shown.text(lean)


def test_a_cause_that_stands_in_every_row_says_so():
    apart = track().position + np.linspace([0, 0, 0], [0.3, 0, 0], N)
    base, late = [track()], [replace(later(3), position=apart)]
    rows = [judging.judged(setting, base, base if setting is RL else late, True) for setting in (RL, NUDGED, REFERENCE)]
    made = replace(certificate_of(1.0), rows=tuple(rows))
    assert made.everywhere == "missed touchdown" and [made.cause(row) for row in rows] == ["", EVERYWHERE, EVERYWHERE]
    assert "in every row differs first: missed touchdown" in shown.text(made)
    steady = replace(made, rows=(rows[0], judging.judged(NUDGED, base, base * 3, True), rows[2]))
    assert steady.everywhere == "" and steady.cause(rows[2]) == "missed touchdown"  # which no nudge brings about
    other = judging.judged(REFERENCE, base, [track(body_down=PLATE, position=apart)], True)
    made = replace(made, rows=(*rows[:2], other))
    assert made.everywhere == "" and [made.cause(row) for row in made.rows] == ["", "missed touchdown", "plate"]


def test_seeds_are_compared_with_themselves():
    alike = judging.change([1.0, 2.0, 3.0], [0.9, 1.9, 2.9], 0.01)
    assert alike.value == pytest.approx(-0.05) and alike.error < 1e-12
    assert judging.change([1.0, 1.0], [1.2, 0.8], 0.01).error == pytest.approx(0.2)
    assert judging.change([1e-4], [-1e-4], 0.01).value == pytest.approx(-0.02)  # of a robot that stands


def test_following_commands_is_judged_by_return_alone():
    base, other = [track(0), track(1)], [track(0, speed=0.1), track(1, speed=0.1)]
    row = judging.judged(REFERENCE, base, other, by_speed=False)
    assert row.speed is None and row.verdict == HOLD
    assert judging.judged(REFERENCE, base, other, by_speed=True).verdict == LEAN


def with_flicker():
    down = track().down.copy()
    down[::4] = False  # where its neighbours stand
    return track(down=down)


def later(periods):
    down = np.roll(track().down, periods, axis=0)
    return track(down=down)


def test_flicker_is_a_lost_moment_of_a_stance():
    stood, lost = divergence.whole_stances(with_flicker())
    assert 30 < lost.sum() < 60 and not (lost & with_flicker().down).any() and (stood <= track().down).all()
    whole, none = divergence.whole_stances(track())
    assert (whole == track().down).all() and not none.any()


PLATE = np.arange(N) > 20
SYMPTOMS = {
    "plate": lambda: track(body_down=PLATE),
    "missed touchdown": lambda: later(3),
    "flicker": with_flicker,
    "penetration": lambda: track(depth=np.full(N, 5e-3)),
    "creep": lambda: track(creep=np.linspace([0, 0], [0.1, 0], N)),
}


@pytest.mark.parametrize("cause", SYMPTOMS)
def test_the_cause_is_what_differs_before_the_bodies_part(cause):
    other = SYMPTOMS[cause]()
    apart = other.position + np.linspace([0, 0, 0], [0.3, 0, 0], N)
    found = divergence.between(track(), replace(other, position=apart))
    assert found.cause == cause and found.first[cause] < found.time
    assert found.time == pytest.approx(CTRL_DT * (N * divergence.DISTANCE * 0.2 / 0.3 + 1), abs=2 * CTRL_DT)
    assert sum(np.isfinite(time) for time in found.first.values()) == 1


def test_the_first_of_two_causes_counts_and_none_is_a_cause_too():
    apart = track().position + np.linspace([0, 0, 0], [0.3, 0, 0], N)
    both = track(body_down=PLATE, depth=np.full(N, 5e-3), position=apart)
    assert divergence.between(track(), both).cause == "penetration"
    assert divergence.between(track(), track(position=apart)).cause == divergence.NONE
    behind = track(body_down=np.arange(N) > 150, position=apart)  # when they have long parted
    assert divergence.between(track(), behind).cause == divergence.NONE


def test_equal_episodes_do_not_part_and_a_fall_parts():
    same = divergence.between(track(), track())
    assert same.time == np.inf and same.cause == ""
    short = track()
    fell = replace(
        short, **{name: getattr(short, name)[:50] for name in ("position", "quat", "down", "creep", "depth")}
    )
    assert divergence.between(track(), replace(fell, body_down=short.body_down[:50])).time == pytest.approx(
        50 * CTRL_DT
    )


def test_a_touchdown_within_a_control_period_is_none_missed():
    apart = track().position + np.linspace([0, 0, 0], [0.3, 0, 0], N)
    assert divergence.between(track(), replace(later(1), position=apart)).cause == divergence.NONE


def test_a_turned_body_has_parted():
    angle = np.linspace(0, 1.0, N)
    quat = np.stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], -1)
    assert divergence.between(track(), track(quat=quat)).time == pytest.approx(
        N * CTRL_DT * divergence.ANGLE, abs=2 * CTRL_DT
    )


def test_a_foot_creeps_that_slides_within_its_cone():
    toes = np.zeros((5, 2, 3))
    toes[:, 0, 0] = 0.01 * np.arange(5)  # the first foot slides
    feet = np.tile([1.0, 0.0, 0.0, 10.0], (5, 2, 1))
    np.testing.assert_allclose(replay.crept(toes, feet, 1.0)[-1], [0.02, 0.0])  # mean of two that stand
    feet[:, 0, 1] = 9.5  # at the edge of the cone it may slide
    np.testing.assert_allclose(replay.crept(toes, feet, 1.0)[-1], [0.0, 0.0])


def test_a_certificate_goes_through_json():
    made = certificate_of(0.8, noise=0.01)
    back = Certificate.from_json(made.as_json())
    assert back == made and back.verdict == LEAN
    stored = json.loads(made.as_json())
    assert stored["verdict"] == LEAN and stored["thresholds"]["leans"] == certificate.LEANS
    assert stored["rows"][1]["episodes"][2]["seed"] == 2 and "NaN" not in made.as_json()


def test_the_settings_change_one_thing_each():
    found = {setting.name: setting.options for setting in settings.fan(HexapodConfig())}
    assert list(found)[:4] == ["rl", "itself, nudged by 1e-6", "reference", "exact"] and len(found) == 13
    assert [name for name in found if name.endswith(" of reference")] == ["creep of reference"]
    of_legs = [settings.fan(config) for config in (HoppingLegConfig(), SlipLegConfig())]
    finer = [[s.name.partition(" of ")[0] for s in fan if s.name.endswith(" of reference")] for fan in of_legs]
    assert finer == [["toe", "friction"], ["toe"]]
    robot = found["stiffness x 0.9"]["params"]
    np.testing.assert_allclose(robot.rho_k, 0.9 * HexapodParams().rho_k)
    assert robot.friction_coeff == HexapodParams().friction_coeff
    assert found["friction x 1.25"]["params"].friction_coeff == pytest.approx(1.25 * HexapodParams().friction_coeff)


def walk(env):
    """Make the walk that the environment's default action corrects."""
    return lambda observation, info: np.zeros(env.action_space.shape)


def still(observation, info):
    """Correct nothing."""
    return np.zeros(6)


def broken(observation, info):
    """Walk for a moment, and then give no number."""
    return np.full(6, np.nan if info["time"] > 0.1 else 0.0)


@pytest.fixture
def short(monkeypatch):
    """Leave few settings, none of which compiles anything, and let a test say how much worse the second is."""
    few = [RL, Setting("softer contact", CONTACT, {})]
    monkeypatch.setattr(settings, "fan", lambda config: [replace(s, options={"preset": "rl"}) for s in few])


HERE = "tarsus.tests.scripts.command.verbs.test_certify"


def test_the_clock_holds_and_everything_is_written(short, tmp_path, capsys):
    line = [
        "clock",
        "--seeds",
        "2",
        "--seconds",
        "1",
        "--jobs",
        "1",
        "--out",
        str(tmp_path / "out"),
        "--fail-on",
        "drifts",
    ]
    assert certify.main(line) == 0
    made = Certificate.from_json((tmp_path / "out" / "certificate.json").read_text())
    assert made.verdict == HOLD and made.seeds == (0, 1) and "mujoco" in made.versions
    page = (tmp_path / "out" / "certificate.html").read_text()
    assert page.count("<img") == page.count("data:image/png") == 1 and "http" not in page
    assert (tmp_path / "out" / "certificate.png").stat().st_size > 10_000
    assert "softer contact" in capsys.readouterr().out
    assert certify.main(line) == 2  # there is a result


@pytest.mark.parametrize(("factor", "on", "status"), [(0.8, "leans", 1), (0.8, "falls", 1), (0.93, "leans", 0)])
def test_the_exit_status_says_what_was_asked(short, monkeypatch, factor, on, status):
    assert [certificate.VERDICTS[k].split()[0] for k in certify.FAILS.values()] == list(certify.FAILS)
    played = replay.play_together

    def worse(candidate, asked, *args):
        found = played(candidate, asked, *args)
        scales = [factor if setting.kind == CONTACT else 1.0 for setting in asked]
        return [
            [replace(t, speed=scale * t.speed, total=scale * t.total) for t in tracks]
            for scale, tracks in zip(scales, found, strict=True)
        ]

    monkeypatch.setattr(replay, "play_together", worse)
    assert certify.main(["clock", "--seeds", "2", "--seconds", "0.5", "--jobs", "1", "--fail-on", on]) == status
    assert certify.main(["clock", "--seeds", "2", "--seconds", "0.5", "--jobs", "1"]) == 0


def test_a_policy_that_uses_a_setting_is_found():
    def slides(env, seed):  # it stands where contact is soft: exploits what the preset rl does not have
        fast = env.unwrapped.config.preset == "rl"
        return lambda observation, info: np.full(6, 0.5 if fast else 0.0)

    cheat = loading.Candidate("cheat", "Hexapod-v0", {"action_mode": "velocity"}, slides)
    preset = contacts(*map(HexapodConfig.PRESETS.get, ("rl", "reference")))["softer contact"]
    base, other = (replay.play(cheat, Setting("", CONTACT, {"preset": p}), [0, 1], 1.0) for p in ("rl", preset))
    row = judging.judged(Setting("softer contact", CONTACT, {}), base, other, by_speed=True)
    assert row.verdict == LEAN and row.speed.value < -0.5


@pytest.mark.parametrize("word", [f"{HERE}:walk", f"{HERE}:still", "hexapod-gait", "zero"])
def test_functions_factories_and_names_are_policies(word):
    candidate = loading.load(word, None, {})
    env = certifying.check(candidate)
    assert env.spec.id == "Hexapod-v0"
    tracks = replay.play(candidate, RL, [0, 1], 0.2)
    assert [t.seed for t in tracks] == [0, 1] and tracks[0].down.shape == (10, 6)


def test_an_episode_has_the_numbers_of_evaluate():
    candidate = loading.load("hexapod-gait-0", None, {})
    (made,) = replay.play(candidate, RL, [3], 1.0)
    known = evaluation.run_episode("hexapod-gait-0", None, {"max_episode_steps": 50}, 3)
    assert made.total == pytest.approx(known.total, rel=1e-12) and made.speed == pytest.approx(known.speed, rel=1e-12)
    assert made.cost_of_transport == pytest.approx(known.cost_of_transport, rel=1e-12) and known.length == 1.0


@pytest.mark.parametrize("trained", [{"engine": "exact"}, {"preset": "reference"}])
def test_where_a_policy_was_trained_is_not_where_it_is_certified(trained):
    candidate = loading.Candidate("walk", "Hexapod-v0", trained, lambda env, seed: walk(env))
    (made,) = replay.play(candidate, RL, [3], 0.4)
    (known,) = replay.play(replace(candidate, options={}), RL, [3], 0.4)
    np.testing.assert_array_equal(made.position, known.position)


TOGETHER = {  # seconds: a policy that observes, one with robots and pushes drawn, two with contacts of other sizes
    "hexapod-0": 1.0,
    "hexapod-gait-randomised-0": 1.0,
    "hexapod-commanded-0": 0.5,
    "hopping-leg-1": 1.0,
    "slip-leg-1": 0.5,
    "tripod": 0.5,
}


@pytest.mark.parametrize("name", TOGETHER)
def test_settings_played_together_give_the_same_bits_as_each_alone(name):
    candidate = loading.load(name, "BigAnt-v1" if name == "tripod" else None, {})
    fan = settings.fan(certifying.check(candidate).unwrapped.config)
    (alike, *others), seconds = settings.groups(fan), TOGETHER[name]
    assert [fan[k].name for k in others[0] + others[1]] == ["reference", "exact"] and len(alike) == len(fan) - 2
    asked = [fan[k] for k in alike]
    for setting, tracks in zip(asked, replay.play_together(candidate, asked, [0, 1], seconds), strict=True):
        for made, alone in zip(tracks, replay.play(candidate, setting, [0, 1], seconds), strict=True):
            np.testing.assert_equal(vars(made), vars(alone))


def test_a_setting_with_another_timestep_is_not_played_with_others():
    candidate = loading.load("clock", None, {})
    with pytest.raises(ValueError, match="simulations share timestep and integrator"):
        replay.play_together(candidate, [Setting("rl", SIMULATOR, {"preset": "rl"}), REFERENCE_PRESET], [0], 0.2)
    found = judging._played(candidate, [RL, REFERENCE_PRESET], [0], 0.2)  # so each is alone
    assert [tracks[0].ctrl_dt for tracks, _ in found] == [CTRL_DT] * 2


def test_rough_ground_is_under_the_feet_of_each_seed():
    candidate = loading.load("hexapod-commanded-0", None, {})
    tracks = replay.play(candidate, RL, [0, 1], 1.0)
    assert all(t.depth.max() < 5e-3 and t.down.any() and not t.body_down.any() for t in tracks)
    assert not np.allclose(tracks[0].position, tracks[1].position)


def test_an_exported_policy_acts_as_the_shipped_one(tmp_path):
    pytest.importorskip("onnxruntime")
    from tarsus.scripts.library.learning import onnx_policy

    path = tmp_path / "policy.onnx"
    path.write_bytes(onnx_policy.build(policies.TrainedPolicy(policies.SHIPPED / "hexapod-gait-0")).SerializeToString())
    given, shipped = loading.load(str(path), None, {}), loading.load("hexapod-gait-0", None, {})
    assert given.options == shipped.options and given.environment == "Hexapod-v0"
    first, second = (replay.play(one, RL, [3], 0.4)[0] for one in (given, shipped))
    np.testing.assert_allclose(first.position, second.position, atol=1e-4)


def test_a_zip_of_stable_baselines_acts(tmp_path):
    stable_baselines3 = pytest.importorskip("stable_baselines3")
    import gymnasium

    env = gymnasium.make("Hexapod-v0", action_mode="gait")
    stable_baselines3.PPO("MlpPolicy", env, n_steps=8, batch_size=8, seed=0, device="cpu").save(tmp_path / "mine.zip")
    candidate = loading.load(str(tmp_path / "mine.zip"), None, {"action_mode": "gait"})
    assert certifying.check(candidate).action_space == env.action_space
    assert len(replay.play(candidate, RL, [0], 0.2)[0].down) == 10
    with pytest.raises(ValueError, match="cannot act in BigAnt-v1"):
        certifying.check(replace(candidate, environment="BigAnt-v1"))


def test_the_page_shows_certificates_and_where_the_finest_simulations_disagree(tmp_path):
    between = Setting("exact against reference", BETWEEN, {})
    made = certificate_of(0.8, 1.0, 1.25, settings=(REFERENCE, Setting("exact", SIMULATOR, {}), between))
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "certificate.json").write_text(replace(made, policy="clock").as_json())
    (tmp_path / "policies.md").write_text("<!-- verdicts: begin -->\n<!-- verdicts: end -->\n")
    line = ["--policies", "clock", "--certificates", str(tmp_path), "--write", "--docs", str(tmp_path)]
    assert frame.main(trust, line) == 0
    text = (tmp_path / "policies.md").read_text()
    assert (
        "| clock (4 seeds) | 1.15 | 101.5 | 0 of 4 | - | -20, -20 % | +0, +0 % |" in text
        and "**leans on the simulator**" in text
    )
    assert "* clock: leans on the simulator by `reference` (-20, -20 %), holds by the exact engine (+0, +0 %)" in text


def test_the_page_keeps_the_certificates_that_it_makes(tmp_path, monkeypatch, capsys):
    made = []
    monkeypatch.setattr(judging, "certify", lambda *args: made.append(args) or (certificate_of(0.8), {}))
    line = ["--policies", "clock", "--certificates", str(tmp_path / "new")]
    assert frame.main(trust, line) == frame.main(trust, line) == 0 and len(made) == 1
    assert capsys.readouterr().out.count("**leans on the simulator**") == 2


REFUSED = {
    "clock --option preset=rl": "--option preset is set by the settings",
    "missing.zip": "there is no file missing.zip",
    "broken.zip": "broken.zip is not a policy of Stable-Baselines3",
    "broken.onnx": "broken.onnx is not an ONNX model",
    "json:nothing": "there is no policy json:nothing",
    "nowhere:f": "there is no policy nowhere:f: ModuleNotFoundError",
    "json:dumps": "cannot act in Hexapod-v0",
    "clock --env Hexapd-v0": "unknown environment 'Hexapd-v0'",
    "hexapod-gait --env BigAnt-v1": "made for other settings",
    f"{HERE}:still --env BigAnt-v1 --option n_legs=2": "n_legs",
    f"{HERE}:still --env SlipLeg-v1": "SlipLeg-v1 takes (3,)",
    "undulation --env MultipodQuasistatic-v1": "has no contacts to vary",
    f"{HERE}:broken --seeds 1 --seconds 0.5": "gave an action that is not finite",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_certified_is_refused_in_a_sentence(line, short, tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    for name in ("broken.zip", "broken.onnx"):
        (tmp_path / name).write_bytes(b"nothing")
    assert certify.main(line.split()) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert "tarsus certify: " in err and REFUSED[line] in err


def test_a_setting_that_an_environment_has_not_is_left_out():
    candidate = loading.load("tripod", "BigAnt-v1", {})
    ((found, _),) = judging._played(candidate, [Setting("exact", SIMULATOR, {"engine": "warp"})], [0], 0.2)
    assert "warp" in found
    row = judging.judged(Setting("exact", SIMULATOR, {}), [track()], found, True)
    assert row.verdict == "" and shown.cells(certificate_of(1.0), row)[-1] == "left out"


def test_the_lowest_part_of_a_body_is_found():
    env = certifying.check(loading.load("clock", None, {}))
    task, qpos = env.unwrapped.task, env.unwrapped.data.qpos.copy()
    ground = SimpleNamespace(height=lambda x, y: 0.0 * x)
    down = qpos.copy()
    down[2] = 0.02  # the plate's half thickness is 0.03 m
    tilted = qpos.copy()
    tilted[2:7] = 0.3, *np.array([0.8, 0.3, 0.4, 0.33166247903554])
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, tilted[3:7])
    _, _, _, lowest = replay.poses(task.model, np.array([qpos, down, tilted]), ground)
    assert lowest[0] > 0.05 and lowest[1] == pytest.approx(-0.01, abs=1e-3)
    assert lowest[2] == pytest.approx(0.3 - np.abs(matrix[6:]) @ TORSO_SIZE, abs=1e-9)


def test_the_page_shows_the_seeds_of_a_run_in_one_row():
    exact = (REFERENCE, Setting("exact", SIMULATOR, {}))
    made = [certificate_of(0.8, 1.0, settings=exact), certificate_of(1.0, 0.97, settings=exact)]
    made = [replace(one, policy=f"run-{seed}") for seed, one in enumerate(made)]
    cells = dict(zip(trust.HEAD, trust.group_row(made), strict=True))
    assert cells["policy"] == "run (2 policies, 4 seeds each)" and cells["speed in rl [m/s]"] == "1.15 to 1.15"
    assert cells["reference"] == "-20, -20 %, seed 0" and cells["exact"] == "-3, -3 %, seed 1"
    assert cells["verdict"] == "1 holds, 1 leans on the simulator" and trust.run_of("clock") == "clock"
    assert cells["falls by itself"] == "0 of 8"
    assert trust.group_row(made[:1]) == trust.row(made[0])


def test_a_certificate_says_how_stable_the_gait_is(monkeypatch):
    said = SimpleNamespace(said="stable: it is.")
    monkeypatch.setattr(certifying.asking, "asked", lambda subject, make, policy, seeds, jobs: said)
    made = certifying.with_stability(certifying.Certified(certificate_of(1.0), {}), "walk", str, 1)
    assert "stability: stable: it is." in shown.facts(made.certificate)
