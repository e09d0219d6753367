"""The recipes of CONTRIBUTING.md: what is registered by one line is found wherever such a thing is used."""

import importlib
import pickle
import re
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tarsus
from tarsus import envs
from tarsus.analytic import hybrid as hy
from tarsus.analytic import simsect, terrain
from tarsus.analytic.contact import LAWS, Feet, SlidingLaw, Viscous, solve
from tarsus.analytic.models import bouncing_ball
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod import hybrid as exact_hexapod
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.controllers import gaits, pair_gaits
from tarsus.envs.hexapod import HexapodConfig, HexapodTask
from tarsus.envs.observations import Observation
from tarsus.mjcf import PRESETS, compile_model, parts
from tarsus.scripts.command import cli
from tarsus.scripts.command.verbs import crossvalidate, run, train
from tarsus.scripts.laboratory.pages import baselines, environment_page
from tarsus.scripts.laboratory.pages import docs as write_docs
from tarsus.scripts.laboratory.studies import contact_sweep
from tarsus.scripts.library.learning import evaluation, policies, training_runs
from tarsus.scripts.library.machines import MACHINES, multipod_mujoco, runners
from tarsus.scripts.library.records import record, robots

ROOT = Path(__file__).parents[1]


def steps(name, **options):
    """Return what a step of the single and of the vector environment gives."""
    env = gymnasium.make(name, **options)
    many = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point", **options)
    env.reset(seed=0), many.reset(seed=0)
    one = env.step(np.zeros(env.action_space.shape, np.float32))
    return env.unwrapped, one, many.step(np.zeros(many.action_space.shape, np.float32))


@dataclass(frozen=True)
class Ripples(terrain.Terrain):
    """Small waves along x."""

    amplitude: float = 0.01  # [m]

    def height(self, x, y):
        return self.amplitude * np.sin(10.0 * x) + 0.0 * y

    def gradient(self, x, y):
        return 10.0 * self.amplitude * np.cos(10.0 * x) + 0.0 * y, 0.0 * x + 0.0 * y


def test_a_terrain_is_in_the_environments_both_engines_simsect_and_the_docs(monkeypatch):
    monkeypatch.setitem(terrain.TERRAINS, "ripples", Ripples)
    env, (observation, *_), (several, *_) = steps("Hexapod-v0", terrain="ripples", reset_noise=0.0)
    assert env.terrain == Ripples() and env.model.nhfield == 1
    np.testing.assert_array_equal(observation, several[0])
    model = exact_hexapod.build(HexapodParams(), terrain.make("ripples"))
    assert hy.compile(model, mode="python").run(final_time=2e-3).status is hy.Status.FINAL_TIME
    run = simsect.setup(simsect.parse('systemName = "hexapod"; terrain_type = "ripples"; terrain_arg1 = 0.02;'))
    assert run.ground == Ripples(0.02)
    assert "`ripples`" in environment_page.shared_page()
    with pytest.raises(ValueError, match="there are .*ripples"):
        terrain.make("swamp")


def test_a_preset_is_in_the_models_the_sweep_and_the_docs(monkeypatch):
    monkeypatch.setitem(PRESETS, "coarse", replace(PRESETS["rl"], timestep=5e-3))
    assert steps("Hexapod-v0", preset="coarse")[0].n_substeps == 4
    assert {"coarse", "coarse, noslip 3"} <= set(contact_sweep.settings())
    assert "`coarse`" in environment_page.shared_page()


def test_an_observation_is_in_both_environments_and_the_docs(monkeypatch):
    given = HexapodTask.joint_entries
    entry = Observation(6, 100, "m/s", "rate of the legs' lengths", lambda task: task.qvel[..., 8::3])
    monkeypatch.setattr(HexapodTask, "joint_entries", lambda task: given(task) | {"leg_speed": entry})
    env, (one, *_), (several, *_) = steps("Hexapod-v0", observations=("height", "leg_speed"))
    np.testing.assert_allclose(one[1:], env.data.qvel[8::3], rtol=1e-6)
    np.testing.assert_array_equal(several[0], one)
    assert "rate of the legs' lengths" in environment_page.page("Hexapod-v0")


def test_a_reward_term_is_weighed_reported_and_documented(monkeypatch):
    given = HexapodTask.unweighted_terms
    monkeypatch.setitem(HexapodConfig.REWARDS["forward"], "upright", (0.5, "cosine of the tilt"))
    monkeypatch.setattr(HexapodTask, "unweighted_terms", lambda task: given(task) | {"upright": 1.0})
    _, one, several = steps("Hexapod-v0", reward_weights={"upright": 3.0})
    assert one[4]["reward_upright"] == 3.0 == several[4]["reward_upright"][1]
    assert one[1] == pytest.approx(sum(value for key, value in one[4].items() if key.startswith("reward_")))
    assert "cosine of the tilt" in environment_page.page("Hexapod-v0")


@pytest.fixture
def quadruped(monkeypatch):
    """The environment of `tests/quadruped.py`, registered by one line as those of the project are."""
    monkeypatch.syspath_prepend(ROOT / "tests")
    monkeypatch.delitem(sys.modules, "quadruped", raising=False)  # another test's module of that name
    monkeypatch.setitem(envs.ENVIRONMENTS, "Quadruped-v0", envs.spec("quadruped:Quadruped", max_episode_steps=20))
    monkeypatch.setattr(gymnasium.envs.registration, "registry", dict(gymnasium.registry))
    monkeypatch.setattr(gymnasium, "registry", gymnasium.envs.registration.registry)
    gymnasium.registry.pop("Quadruped-v0", None)  # the documentation has a robot of that name, too
    envs.register_envs()
    yield "Quadruped-v0"
    sys.modules.pop("quadruped", None)


def test_a_robot_of_ones_own_is_an_environment_in_one_short_file(quadruped):
    for options in ({}, {"terrain": "rough", "task": "commanded"}, {"randomise": {"payload": (0.5, 2.0)}}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(gymnasium.make(quadruped, **options).unwrapped, skip_render_check=True)
        env, one, several = steps(quadruped, **options)
        np.testing.assert_array_equal(one[0], several[0][0])
        assert one[1] == several[1][0] == sum(value for key, value in one[4].items() if key.startswith("reward_"))
    again = pickle.loads(pickle.dumps(env))
    np.testing.assert_array_equal(again.step(np.full(4, 0.3))[0], env.step(np.full(4, 0.3))[0])
    masses = [env.reset(seed=seed) and env.model.body_mass.sum() - 3.48 for seed in (1, 2)]
    assert masses[0] != masses[1] == pytest.approx(env.params.payload)


def test_the_feet_of_a_robot_of_ones_own_carry_it_where_its_actions_put_them(quadruped):
    params = importlib.import_module("quadruped").QuadrupedParams(g=3.7)
    env = gymnasium.make(quadruped, reset_noise=0.0, params=params).unwrapped
    _, info = env.reset(seed=0)
    start = info["position"]
    assert start[2] == pytest.approx(0.2, abs=1e-9)  # on legs of 0.2 m, whose feet's centres are at the ground's height
    for action in (np.zeros(4), np.full(4, 0.5)):
        for _ in range(100):
            *_, info = env.step(action)
        assert info["foot_contact"].all() and not info["termination"]
        assert info["foot_force"][:, 2].sum() == pytest.approx(3.7 * (3.48 + 0.5), rel=1e-3)
        np.testing.assert_allclose(env.data.qpos[7:], 0.6 * action, atol=0.05)  # of the actuators' half range
    env.reset(seed=0)
    env.data.qpos[3:7] = (0, 1, 0, 0)
    assert env.step(np.zeros(4))[4]["termination"] == "toppled: tilted by more than 60 degrees"


def test_what_is_no_foot_and_what_is_no_free_body_is_refused(quadruped):
    leg = "<body name='leg'><geom name='heel' size='0.1'/></body>"
    spec = mujoco.MjSpec.from_string(f"<mujoco><worldbody>{leg}</worldbody></mujoco>")
    with pytest.raises(ValueError, match="there is no geom 'toe' to be a foot; there are heel"):
        parts.put_on_ground(spec, ["toe"], terrain.Flat(), PRESETS["rl"])
    with pytest.raises(ValueError, match="there is no geom 'leg' to be a foot, but a body; there are heel"):
        parts.put_on_ground(spec, ["leg"], terrain.Flat(), PRESETS["rl"])


def test_an_environment_is_made_evaluated_and_documented(quadruped):
    assert evaluation.run_episode("random", quadruped, {}, seed=0).length == pytest.approx(0.4)
    assert set(baselines.jobs(quadruped, None, 1)) == {"zero", "random"}
    page = write_docs.pages()["docs/envs/quadruped.md"]()
    assert "edit `quadruped.py` or the code" in page
    assert page.startswith("# Quadruped-v0") and "a robot of the reader's own" in page and "`foot_contact`" in page
    assert "edit `scripts/laboratory/pages/environments/slip_leg.md`" in write_docs.pages()["docs/envs/slip_leg.md"]()


def test_a_robot_that_walks_is_on_the_command_line(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(multipod_mujoco.ROBOTS, "centipede", multipod_mujoco.ROBOTS["multipod"])
    monkeypatch.setitem(robots.LAYOUTS, "centipede", robots.LAYOUTS["multipod"])
    words = ["--robot", "centipede", "--legs", "8", "--preset", "rl", "--seconds", "0.1", "--no-video"]
    assert run.main(["multipod", *words, "--out", str(tmp_path)]) == 0
    assert "centipede, 8 legs" in capsys.readouterr().out
    assert run.main(["multipod", "--robot", "spider"]) == 2 and "centipede" in capsys.readouterr().err


def test_a_gait_is_made_by_name_and_offered_to_robots_that_can_do_it(monkeypatch, capsys):
    family = gaits.GaitFamily(lambda n_legs: pair_gaits.undulation(n_legs, phase_offset=3.0), "pairs", 3, 6)
    monkeypatch.setitem(gaits.GAITS, "crawl", family)
    assert "crawl" in gaits.names("pairs", 6) and "crawl" not in gaits.names("pairs", 4) + gaits.names("shafts", 6)
    assert multipod_mujoco.multipod_gait(MultipodParams(n_legs=8), "crawl").n_legs == 8
    with pytest.raises(SystemExit):
        run.main(["multipod", "--help"])
    assert "crawl" in capsys.readouterr().out


@dataclass(frozen=True)
class Constant(SlidingLaw):
    """Viscous friction."""

    def factors(self):
        yield lambda u: np.full_like(u, 2.0)


def test_a_friction_law_is_solved_by_its_name(monkeypatch):
    monkeypatch.setitem(LAWS, "constant", Constant())
    rng = np.random.default_rng(0)
    angle = np.arange(6) * np.pi / 3
    pos = np.column_stack([np.cos(angle), np.sin(angle), np.full(6, -0.1)])
    vel, feet = rng.normal(size=(6, 2)), Feet(100.0, 0.5, 5.0)
    np.testing.assert_allclose(
        solve(pos, vel, feet, "constant").force, solve(pos, vel, feet, Viscous(0.5)).force, atol=1e-8
    )
    with pytest.raises(ValueError, match="known: .*constant"):
        solve(pos, vel, feet, "sticky")


def test_a_system_is_read_from_simsects_files(monkeypatch):
    monkeypatch.setitem(simsect.SYSTEMS, "ball", simsect.System(lambda symbols: bouncing_ball.build()))
    run = simsect.setup(simsect.parse('systemName = "ball"; height = 2; restitution = 0.8;'))
    assert run.state == {"height": 2.0} and run.params == {"restitution": 0.8}


def test_the_hybrid_model_of_the_page_runs():
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "hybrid.md").read_text(encoding="utf-8"), re.DOTALL)
    space = {}
    exec(block[1].replace("hy.compile(ball)", 'hy.compile(ball, mode="python")'), space)
    np.testing.assert_allclose(space["r"].events.t[0], np.sqrt(2 / 9.81), rtol=1e-9)


def test_a_training_run_and_a_policy_are_offered_by_their_names(monkeypatch, capsys):
    monkeypatch.setitem(training_runs.RUNS, "leg-slow", training_runs.TrainingRun("HoppingLeg-v1"))
    with pytest.raises(SystemExit):
        train.main(["--help"])
    assert "leg-slow" in capsys.readouterr().out
    limp = policies.Policy(lambda env, seed: lambda observation, info: np.full(2, -0.1), {"action_mode": "torque"})
    monkeypatch.setitem(policies.POLICIES["SlipLeg-v1"], "limp", limp)
    assert evaluation.run_episode("limp", "SlipLeg-v1", {}, seed=0).fell == 1.0
    assert "limp" in baselines.jobs("SlipLeg-v1", None, 1)


@pytest.fixture
def hopper(monkeypatch):
    """The machine of `tests/hopper`, registered by two lines as those of the project are."""
    monkeypatch.syspath_prepend(ROOT / "tests")
    module = importlib.import_module("hopper.machine")
    monkeypatch.setitem(MACHINES, "hopper", module.HOPPER)
    monkeypatch.setitem(robots.LAYOUTS, "hopper", module.LAYOUT)
    return module


def test_a_hopper_falls_and_is_pushed_the_same_in_both_engines(hopper):
    params = hopper.model.HopperParams(
        body_mass=2.0, foot_mass=0.4, stiffness=900.0, damping=7.0, leg_length=0.3, g=3.7
    )
    compiled = compile_model(hopper.mjcf.build(params))
    data, p, rates = mujoco.MjData(compiled), hy.vector(hopper.model.table(params)), np.empty(4)
    data.qpos[:], data.qvel[:], data.ctrl[:] = (0.9, 0.25), (-1.3, 0.4), 17.0
    mujoco.mj_forward(compiled, data)
    hopper.model.fly(np.concatenate([data.qpos, data.qvel]), None, p, data.ctrl, rates)
    np.testing.assert_allclose(rates, [*data.qvel, *data.qacc], rtol=1e-9)
    assert data.site("foot_0").xpos[2] == pytest.approx(0.65)
    with pytest.raises(ValueError, match="stiffness must be positive, got -1"):
        hopper.model.HopperParams(stiffness=-1)


@pytest.mark.parametrize("ground", [terrain.Flat(), terrain.Step(0.05, -1.0, 0.1, heading=0.0)], ids=["flat", "step"])
def test_a_hopper_keeps_its_height_in_both_engines(hopper, ground):
    machine = hopper.machine()
    experiment = machine.experiment(ground=ground)
    sim = hy.compile(machine.model(machine.control(experiment), ground), mode="python")
    exact = runners.exact(machine, experiment, 2, sim=sim, rtol=1e-6)
    simulated = runners.in_mujoco(machine, experiment, 2)
    assert exact.completed and simulated.completed and exact.steps["touchdown"][1] == pytest.approx(np.sqrt(0.3 / 9.81))
    for name, limit in (("apex_height", 1e-4), ("touchdown", 3e-4), ("liftoff", 2e-3)):
        np.testing.assert_allclose(simulated.steps[name], exact.steps[name], atol=limit)
    np.testing.assert_allclose(exact.steps["apex_height"], 0.55, atol=1e-3)
    stands = exact.record["foot_contact"].values[:, 0]
    weight, force = 3.3 * 9.81, exact.record["foot_force"].values[:, 0, 2]
    assert force[stands].min() > 0.0 and not force[~stands].any() and force.mean() == pytest.approx(weight, rel=0.05)


@pytest.mark.extra
def test_a_machine_is_run_in_either_engine_and_compared_in_both(hopper, tmp_path, capsys):
    for engine, known_as in (("exact", "tarsus hybrid"), ("mujoco", "mujoco")):
        words = ["--csv", "--engine", engine, "--steps", "1", "--set", "height=0.5", "thrust=30"]
        assert run.main(["hopper", *words, "--out", str(tmp_path / engine)]) == 0
        assert known_as in capsys.readouterr().out
        stored = record.load(tmp_path / engine / "run.nc")
        assert stored["body_position"].values[0, 2] == 0.5 and stored["thrust"].max() == pytest.approx(30.0)
        assert record.load_csv(tmp_path / engine / "run.csv").identical(stored)
    assert run.main(["hopper", "--set", "weight=3"]) == 2 and "unknown parameter 'weight'" in capsys.readouterr().err
    assert run.main(["hopper", "--engine", "both", "--seconds", "2", "--out", str(tmp_path / "both")]) == 0
    assert record.load(tmp_path / "both" / "mujoco.nc").attrs["robot"] == "hopper"
    capsys.readouterr()
    assert crossvalidate.main(["hopper", "--seconds", "3", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "height [mm]" in out and "pitch" not in out and "| 0 | 6 |" in out  # what it cannot do is not compared
    assert (tmp_path / "report.html").exists() and record.load(tmp_path / "exact.nc").attrs["robot"] == "hopper"
    with pytest.raises(SystemExit):
        crossvalidate.main(["--help"])
    assert "hopper" in capsys.readouterr().out


def test_a_file_is_a_command_by_lying_there(monkeypatch, tmp_path):
    for name in ("command/verbs/train_this", "command/verbs/train_helper", "laboratory/figures/circle"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        body = "" if name.endswith("train_helper") else "\n\ndef main(argv):\n    return 0\n"
        (tmp_path / f"{name}.py").write_text(f'"""{name} does it."""\n{body}')
    monkeypatch.setattr(cli, "FOLDER", tmp_path)
    assert list(cli.commands()) == ["train this", "figure circle"]
    assert "command/verbs/train_this does it." in cli.listing(cli.commands())


SEARCH = '''"""The highest place of a hill."""

from dataclasses import dataclass

from tarsus.scripts.library.search.found import Parameter
from tarsus.scripts.library.search.searches import Search


@dataclass(frozen=True)
class Hill(Search):
    """A hill, to be climbed.

    Attributes:
        seed: Of the search.
        generations: Of the search.
        population: Places in a generation.
    """

    seed: int = 0
    generations: int = 40
    population: int = 20

    parameters = (Parameter("x", -1.0, 1.0, "m"), Parameter("y", -1.0, 1.0, "m"))
    maximised = "height [m]"

    def score(self, points, generation):
        return 5.0 - ((points - (0.5, -0.25)) ** 2).sum(axis=1), points
'''


def test_a_search_is_a_file_that_says_what_and_how(monkeypatch, tmp_path, capsys):
    from tarsus.scripts.library import search

    folder = tmp_path / "library" / "search"
    folder.mkdir(parents=True)
    (folder / "hill.py").write_text(SEARCH)
    monkeypatch.setattr(cli, "FOLDER", tmp_path)
    monkeypatch.setattr(search, "__path__", [*search.__path__, str(folder)])
    try:
        assert cli.main(["search", "hill", "--seed", "2", "--out", str(tmp_path / "found")]) == 0
        assert "| height [m] | 5.0000 |" in capsys.readouterr().out
        found = tarsus.search("hill", seed=2)
    finally:
        sys.modules.pop("tarsus.scripts.library.search.hill", None)
    assert found.best == pytest.approx({"x": 0.5, "y": -0.25}, abs=1e-3)
    with np.load(tmp_path / "found" / "found.npz") as stored:
        np.testing.assert_array_equal(stored["best"], found.point)
