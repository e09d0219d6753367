"""`randomise_contact` and `Task.settle`: simulations with a contact of their own."""

import copy

import gymnasium
import numpy as np
import pytest

from tarsus.envs import ENVIRONMENTS
from tarsus.mjcf.compile import compile_model
from tarsus.mjcf.presets import contacts, find

ON = {"randomise_contact": True}


def make(name, **options):
    return gymnasium.make(name, **options).unwrapped


def choices(config):
    """Return what an episode's contact is drawn from."""
    preset = find(config.preset, config.PRESETS)
    return preset, *contacts(preset, find("reference", config.PRESETS)).values()


def assert_same_model(one, other):
    """Check every number of two models, sizes aside."""
    for mine, theirs in ((one, other), (one.opt, other.opt), (one.stat, other.stat)):
        for name in (name for name in dir(mine) if not name.startswith("_") and name != "signature"):
            value = getattr(mine, name)
            if isinstance(value, np.ndarray | float | int):
                np.testing.assert_array_equal(value, getattr(theirs, name), err_msg=name)


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("terrain", ["slope", "step"])
def test_a_drawn_contact_is_that_of_a_model_built_anew(name, terrain):
    env = make(name, terrain=terrain, **ON)
    task, config = env.task, env.config
    for seed in range(4):
        env.reset(seed=seed)
        anew = compile_model(task.build(config.robot, task.terrain[()], task.models.presets[()]))
        assert_same_model(env.model, anew)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_contact_is_drawn_and_a_seed_repeats_its_own(name):
    env = make(name, **ON)
    drawn = {}
    for seed in range(40):
        env.reset(seed=seed)
        drawn[seed] = env.task.models.presets[()]
    assert set(drawn.values()) == set(choices(env.config)) and len(set(drawn.values())) >= 5
    env.reset(seed=7)
    assert env.task.models.presets[()] == drawn[7]
    env.reset(seed=7, options={"randomise_contact": False})
    assert env.task.models.presets[()] == find("rl", env.config.PRESETS)
    assert_same_model(env.model, make(name).model)


def test_contact_and_robot_are_drawn_together():
    env = make("Hexapod-v0", randomise={"friction_coeff": (0.5, 2.0), "leg_k": (0.5, 2.0)}, terrain="step", **ON)
    for seed in range(6):
        env.reset(seed=seed)
        task = env.task
        anew = compile_model(task.build(task.params[()], task.terrain[()], task.models.presets[()]))
        for field in ("geom_friction", "geom_solref", "geom_solimp", "jnt_stiffness", "dof_damping", "body_mass"):
            np.testing.assert_allclose(getattr(env.model, field), getattr(anew, field), err_msg=field)
        assert env.model.opt.impratio == task.models.presets[()].impratio


@pytest.mark.parametrize("terrain", ["rough", "slope"])
def test_an_episode_that_is_restored_has_its_contact_and_its_ground(terrain):
    env = make("SlipLeg-v1", terrain=terrain, terrain_difficulty=(0.2, 1.0), **ON)
    env.reset(seed=0)
    kept = {}
    for seed in range(8):  # the last one of each contact
        env.reset(seed=seed)
        kept[env.task.models.presets[()]] = env.get_state(), copy.copy(env.model)
    assert len(kept) > 2
    for state, model in kept.values():
        env.set_state(state)
        assert_same_model(env.model, model)


@pytest.mark.parametrize("graded", [{"terrain_difficulty": (0.2, 1.0)}, {"terrain_curriculum": True}])
def test_a_slope_is_as_high_as_the_contact_of_the_episode_wants(graded):
    env = make("SlipLeg-v1", terrain="slope", **graded, **ON)
    radii = set()
    for seed in range(20):
        env.reset(seed=seed)
        radii.add(radius := env.task.models.presets[()].toe_radius)
        normal = env.task.terrain[()].normal(0.0, 0.0)
        np.testing.assert_allclose(env.model.geom("ground").pos, -radius * normal, atol=1e-12)
    assert len(radii) == 2


def test_toes_sink_deeper_into_a_softer_contact():
    names = ["stiffer contact", "softer contact", "wider contact"]
    envs = gymnasium.make_vec("Hexapod-v0", 4, vectorization_mode="vector_entry_point", action_mode="velocity")
    task, models, made = envs.unwrapped.task, envs.unwrapped.models, contacts(find("rl"), find("reference"))
    for sim, name in enumerate(names):
        task.models.settle(sim, task.config.params, made[name])
    envs.reset(seed=[3] * 4)
    for _ in range(100):
        envs.step(np.zeros(envs.action_space.shape, np.float32))
    stiff, soft, wide, rl = task.data.site_xpos[:, models[0].site("foot_0").id, 2]
    assert stiff > rl + 5e-5 > soft + 5e-5 > wide + 1e-4


def test_what_has_no_such_contact_is_refused():
    with pytest.raises(ValueError, match="randomise_contact draws MuJoCo's contact; engine 'exact' has none"):
        make("Hexapod-v0", engine="exact", **ON)
    with pytest.raises(ValueError, match="simulations share timestep and integrator"):
        env = make("Hexapod-v0")
        env.task.models.settle((), env.config.params, find("reference"))
