"""What `engine="warp"` refuses, before Warp is imported; and its formulas of speculative contacts against MuJoCo."""

import importlib.util
from dataclasses import replace

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.envs import warp_refusals
from tarsus.mjcf.presets import PRESETS

SPHERE = """<mujoco><option timestep="{h}" integrator="discrete" cone="elliptic" impratio="5" tolerance="1e-14">
    <flag speculative="{flag}"/></option>
  <worldbody><geom name="ground" type="plane" size="1 1 1"/>
    <body pos="0 0 1"><freejoint/><geom name="toe_0" type="{kind}" size="{size}" mass="0.01"/></body></worldbody>
  <contact><pair geom1="ground" geom2="toe_0" condim="3" friction="0.8 0.8 0 0 0" solref="{normal}"
    solreffriction="{friction}" solimp="{solimp} 0.5 2"/></contact></mujoco>"""


def make(name="Hexapod-v0", **options):
    return gymnasium.make_vec(name, num_envs=2, **({"engine": "warp"} | options))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"device": "cpu", "engine": "mujoco"}, "device needs engine 'warp', here it is 'mujoco'"),
        ({"device": "cuda:0", "engine": "exact"}, "device needs engine 'warp', here it is 'exact'"),
        ({"max_episode_steps": 30_001}, "at most 30000 steps, 600 s, got max_episode_steps=30001"),
        ({"max_episode_steps": None}, "at most 30000 steps, 600 s, got max_episode_steps=None"),
        ({"randomise_contact": True}, "randomise_contact draws MuJoCo's contact; engine 'warp' has none to draw"),
        ({"preset": replace(PRESETS["rl"], noslip_iterations=2)}, "no noslip iterations"),
        ({"preset": replace(PRESETS["rl"], integrator="implicitfast")}, "this preset has 'implicitfast'"),
    ],
)
def test_options_that_warp_lacks_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        make(**options)


@pytest.mark.parametrize("name", ["SlipLeg-v1", "HoppingLeg-v1"])
def test_machines_that_are_not_compared_are_refused(name):
    with pytest.raises(ValueError, match="unknown engine 'warp'; there are mujoco, exact"):
        make(name)


def test_a_single_simulation_is_refused():
    with pytest.raises(ValueError, match="engine 'warp' steps many simulations: gymnasium.make_vec"):
        gymnasium.make("Hexapod-v0", engine="warp")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if "warp" == name else found(name, *more))
    with pytest.raises(ImportError, match=r"pip install .*\[warp\]'"):
        make()


def ball(h, solref, solimp, flag="enable", kind="sphere", size="1e-3", friction=None):
    """Return a model of a ball over a plane, with these numbers of its contact."""
    words = [" ".join(map(repr, map(float, numbers))) for numbers in (solref, friction or solref, solimp)]
    filled = dict(zip(("normal", "friction", "solimp"), words, strict=True))
    return mujoco.MjModel.from_xml_string(SPHERE.format(h=h, flag=flag, kind=kind, size=size, **filled))


def test_models_are_refused_that_are_too_large_or_whose_speculative_feet_are_no_spheres():
    contact = (0.0032, 1.2), (0.0, 0.99, 4e-4)
    warp_refusals.check_model(ball(2e-3, *contact))
    capsule = {"kind": "capsule", "size": "1e-3 1e-2"}
    warp_refusals.check_model(ball(2e-3, *contact, flag="disable", **capsule))
    with pytest.raises(ValueError, match="speculative contacts of feet that are spheres"):
        warp_refusals.check_model(ball(2e-3, *contact, **capsule))
    stiff = ball(2e-3, *contact)
    for solref in ((0.0021, 0.9), (-1e5, -1e2)):
        stiff.geom("ground").solref[:] = solref
        with pytest.raises(ValueError, match="at least a timestep of 0.002 s; use a softer preset"):
            warp_refusals.check_model(stiff)
    stiff.geom("ground").solref[:] = 0.0021, 1.2
    warp_refusals.check_model(stiff)
    body = '<body><freejoint/><geom size="1" mass="1"/></body>'
    many = f'<mujoco><option integrator="discrete" jacobian="dense"/><worldbody>{body * 11}</worldbody></mujoco>'
    with pytest.raises(ValueError, match="at most 60 degrees of freedom, this has 66"):
        warp_refusals.check_model(mujoco.MjModel.from_xml_string(many))


def falls(seed):
    """Return timestep, distance, velocities down and aside, solref and solimp of a foot that closes within the step."""
    rng = np.random.default_rng(seed)
    h = float(rng.choice([5e-4, 1e-3, 2e-3]))
    solref = float(rng.uniform(1.2, 6.0) * h), float(rng.uniform(0.9, 1.5))
    down, aside = -(10 ** rng.uniform(0.3, 0.8)), rng.uniform(0.0, 2.0)
    return h, -down * h * rng.uniform(0.02, 0.98), down, aside, solref, (rng.uniform(0.0, 0.5), 0.99, 4e-4)


def moving(model, height, down, aside):
    """Return MuJoCo's data of the ball at a height over the plane, with these velocities, computed."""
    data = mujoco.MjData(model)
    data.qpos[2], data.qvel[0], data.qvel[2] = model.geom("toe_0").size[0] + height, aside, down
    mujoco.mj_forward(model, data)
    assert data.ncon == 1
    return data


@pytest.fixture(scope="module")
def speculative():
    """Return the module, whose functions Python can call too, without compiling them."""
    pytest.importorskip("warp", reason=warp_refusals.NEEDED)
    pytest.importorskip("mujoco_warp", reason=warp_refusals.NEEDED)
    from tarsus.envs.warp import speculative

    return speculative


@pytest.mark.parametrize("depth", [1e-5, 1.5e-4, 2.5e-4, 3.5e-4, 5e-4])
def test_impedance_is_mujocos(speculative, depth):
    solimp = 0.1, 0.95, 4e-4
    data = moving(ball(2e-3, (0.01, 1.0), solimp), -depth, 0.0, 0.0)
    share = speculative.impedance(speculative.vec5(*solimp, 0.5, 2.0), -depth)
    assert share == pytest.approx(data.efc_KBIP.reshape(-1, 4)[0, 2], rel=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_speculative_contacts_are_mujocos(speculative, seed):
    wp = pytest.importorskip("warp")
    h, height, down, aside, solref, solimp = falls(seed)
    c = moving(ball(h, solref, solimp), height, down, aside)
    r = speculative.speculative_distance(h, height, down, wp.vec2(*solref))
    assert r == pytest.approx(c.contact[0].dist, rel=1e-4, abs=1e-9)
    share, normal, friction = speculative.row_at_zero(h, r, down, wp.vec2(*solref), speculative.vec5(*solimp, 0.5, 2.0))
    rows = ball(h, (-1e-9, -normal), (share, share, 4e-4), flag="disable", friction=(-1e-9, -friction))
    at_zero = moving(rows, -1e-12, down, aside)
    np.testing.assert_allclose(at_zero.qacc[:3], c.qacc[:3], rtol=2e-3, atol=1e-3 * np.abs(c.qacc).max())
