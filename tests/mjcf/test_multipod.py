"""The MuJoCo multipod against its own kinematics, closed forms of its springs, and its XML."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from tarsus.analytic.models.multipod import MAX_LEGS, MIN_LEGS, MultipodParams, foot_positions, foot_velocities
from tarsus.analytic.terrain import Flat, Rough, Slope
from tarsus.mjcf import PRESETS, compile_model, multipod
from tarsus.mjcf.terrain import GroundPatches

SIZES = range(MIN_LEGS, MAX_LEGS + 1, 2)


def start(params=None, terrain="flat", preset="rl"):
    model = compile_model(multipod.build(params, terrain, preset))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def feet(model, data):
    n = sum(model.site(k).name.startswith("foot_") for k in range(model.nsite))
    return data.site_xpos[[model.site(f"foot_{leg}").id for leg in range(n)]]


@pytest.mark.parametrize("n_legs", SIZES)
def test_masses_and_feet_are_the_parameters(n_legs):
    params = MultipodParams(n_legs=n_legs)
    model, data = start(params)
    assert model.body_mass.sum() == pytest.approx(params.total_mass)
    assert model.nv == 6 + 2 * n_legs and model.nactuator == n_legs
    angles = np.random.default_rng(n_legs).uniform(-0.4, 0.4, (params.n_segments, 2))
    data.qpos[:] = multipod.start_state(params, Flat(), angles)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(feet(model, data) - data.qpos[:3], foot_positions(params, angles), atol=1e-14)
    assert feet(model, data)[:, 2].min() == pytest.approx(0, abs=1e-12)


def test_inertias_are_those_of_boxes():
    params = MultipodParams(n_legs=8)
    model, _ = start(params)
    spine = 2 * np.array([2 * params.segment_length, *multipod.SPINE])
    axle = 2 * np.array([multipod.AXLE[0], params.root_width, multipod.AXLE[1]])
    for name, mass, sides in (("torso", 4 * params.segment_mass, spine), ("axle_2", params.axle_mass, axle)):
        square = np.square(sides)
        np.testing.assert_allclose(model.body(name).inertia, mass / 12 * (square.sum() - square))


def test_foot_velocities_are_those_of_the_kinematics():
    params = MultipodParams(n_legs=8)
    model, data = start(params)
    angles, rates = np.random.default_rng(0).uniform(-0.4, 0.4, (2, 4, 2))
    data.qpos[:] = multipod.start_state(params, Flat(), angles)
    data.qvel[6:].reshape(4, 4)[:, :2] = rates
    mujoco.mj_forward(model, data)
    for leg, expected in enumerate(foot_velocities(params, angles, rates)):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
        np.testing.assert_allclose(jacobian @ data.qvel, expected, atol=1e-13)


@pytest.mark.parametrize("leg", range(4))
def test_a_foot_gives_way_with_the_stiffness_of_its_leaf(leg):
    """A vertical force that holds the leaf bent, by virtual work, over the height that the foot gave way."""
    params = MultipodParams(n_legs=4)
    model, data = start(params)
    mujoco.mj_forward(model, data)
    before, dof = feet(model, data)[leg].copy(), model.joint(f"leaf_{leg}").dofadr[0]
    data.joint(f"leaf_{leg}").qpos = 1e-3 / params.lever
    mujoco.mj_forward(model, data)
    moved = feet(model, data)[leg] - before
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
    force = -data.qfrc_spring[dof] / jacobian[2, dof]
    assert moved[2] == pytest.approx(1e-3, rel=2e-3)  # a hinge is not quite linear
    assert force / moved[2] == pytest.approx(params.leaf_k, rel=0.01)
    assert moved[0] == 0 and abs(moved[1]) < 0.2 * moved[2]


@pytest.mark.parametrize("n_legs", [MIN_LEGS, 6, 8, 30, 32, MAX_LEGS])
def test_a_multipod_stands_at_the_sag_of_its_springs(n_legs):
    params = MultipodParams(n_legs=n_legs)
    model, data = start(params, preset=replace(PRESETS["rl"], impratio=1.0))
    model.geom("ground").friction[0] = 0.0  # feet spread freely, and every leg carries its share
    for _ in range(800):
        mujoco.mj_step(model, data)
    force = data.sensordata[: 4 * n_legs].reshape(n_legs, 4)
    weight = params.total_mass * params.g
    assert force[:, 0].all() and force[:, 3].sum() == pytest.approx(weight, rel=1e-3)
    np.testing.assert_allclose(force[:, 3], weight / n_legs, rtol=0.05)
    carried = weight / n_legs - params.leg_mass * params.g  # a toe's own weight does not load its leaf
    sag = params.height - data.qpos[2] - feet(model, data)[0, 2]
    roll = np.abs(data.qpos[7:].reshape(-1, 4)[:, :2]).max()
    assert sag == pytest.approx(carried / params.leaf_k, rel=0.05)
    assert roll < 1e-3 and not data.warning.number.any()


def test_a_servo_pushes_no_harder_than_its_motor():
    params = MultipodParams()
    model, data = start(params)
    rng = np.random.default_rng(1)
    joints = data.qpos[7:].reshape(3, 4), data.qvel[6:].reshape(3, 4)
    for _ in range(100):
        joints[1][:, :2] = rng.uniform(-12, 12, (3, 2))
        command = rng.normal(0, 1, (3, 2, 3)) * (0.3, 8, 5)
        data.ctrl[:] = command.ravel()
        mujoco.mj_forward(model, data)
        angle, speed = (part[:, :2] for part in joints)
        asked = params.KP * (command[..., 0] - angle) + params.KD * (command[..., 1] - speed) + command[..., 2]
        np.testing.assert_allclose(data.actuator_force, params.motor.limit(asked, speed).ravel(), atol=1e-12)


@pytest.mark.parametrize("n_legs", [6, 50])
def test_on_curved_ground_each_foot_stands_on_its_own_patch(n_legs):
    """Past thirty feet the contact bits are offered the other way round; every pair must still be its own."""
    terrain = Rough(seed=3)
    params = MultipodParams(n_legs=n_legs, segment_mass=0.3)
    model, data = start(params, terrain)
    patches = GroundPatches(model, terrain)
    data.qpos[2] -= 0.03  # so that many feet are in the ground
    mujoco.mj_forward(model, data)
    patches.follow(data)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted(model.geom(int(g)).name for g in pair)) for pair in data.contact.geom}
    on_patch = {pair for pair in pairs if pair[0].startswith("patch")}
    height = feet(model, data)[:, 2] - terrain.height(*feet(model, data)[:, :2].T)
    touching = {(f"patch_{leg}", f"toe_{leg}") for leg in np.flatnonzero(height < -1e-3)}
    assert len(touching) >= n_legs / 3 and touching <= on_patch
    assert all(patch.removeprefix("patch_") == toe.removeprefix("toe_") for patch, toe in on_patch)
    assert not any(name.startswith("toe") for pair in pairs - on_patch for name in pair)


def test_a_start_on_a_slope_is_parallel_to_it():
    params, slope = MultipodParams(), Slope(0.1, 0.2)
    model, data = start(params, slope)
    mujoco.mj_forward(model, data)
    normal = slope.normal(0.0, 0.0)
    np.testing.assert_allclose(data.xmat[1].reshape(3, 3)[:, 2], normal, atol=1e-12)
    np.testing.assert_allclose(feet(model, data) @ normal, 0.0, atol=1e-12)


@pytest.mark.parametrize("preset", PRESETS)
def test_names_honour_the_contract(preset):
    model, _ = start(preset=preset)
    assert model.body("torso").id == 1 and model.joint("root").type == mujoco.mjtJoint.mjJNT_FREE
    for leg in range(6):
        for kind, name in (("site", "foot"), ("joint", "leaf"), ("sensor", "foot"), ("geom", "toe")):
            getattr(model, kind)(f"{name}_{leg}")
    for segment in range(3):
        for joint in multipod.JOINTS:
            assert model.actuator(f"{joint}_{segment}").trnid[0] == model.joint(f"{joint}_{segment}").id
    assert {model.camera(k).name for k in range(model.ncam)} == {"follow", "side"}
