"""The MuJoCo hexapod against closed forms, the exact kinematics and motor, and its own XML."""

from dataclasses import fields, replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod import state as exact_state
from tarsus.analytic.terrain import Flat, Rough, Sinusoid, Slope, Sloped
from tarsus.controllers.clock import ClockController
from tarsus.mjcf import PRESETS, Preset, compile_model, hexapod, hexapod_state
from tarsus.mjcf.compile import take_parameters
from tarsus.mjcf.terrain import GroundPatches, reroll, tilt

ASSETS = Path(__file__).parents[2] / "mjcf" / "assets"
FINE = replace(PRESETS["reference"], timestep=5e-5)


def start(params=None, terrain=None, preset="reference"):
    model = compile_model(hexapod.build(params, terrain, preset))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def walk(model, data, gait, seconds):
    """Walk by the clock; return the body's positions at every step, shape (n, 3)."""
    controller = ClockController(gait)
    positions = np.empty((round(seconds / model.opt.timestep), 3))
    for k in range(len(positions)):
        data.ctrl[:] = controller(data.time, data.qpos[7::3]).ravel()
        mujoco.mj_step(model, data)
        positions[k] = data.qpos[:3]
    assert not data.warning.number.any()
    return positions


def test_masses_and_inertia_are_the_parameters():
    params = HexapodParams()
    model, data = start(params)
    mujoco.mj_forward(model, data)
    assert model.body_mass.sum() == pytest.approx(params.total_mass)
    np.testing.assert_allclose(model.body_ipos[1:], 0.0)  # left unset, the compiler offsets it by the body's `pos`
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    data.qpos[8::3] = 0.0
    lever = np.sum(full[3:6, 3:6] - params.J)  # what the toes add to Table 2's impossible inertia
    assert np.all(np.linalg.eigvalsh(full) > 0) and 0 < lever < 0.1


def test_rotated_inertia_is_carried_with_its_axes():
    axes = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    inertia = axes @ np.diag([0.2, 0.08, 0.4]) @ axes.T
    inertia = 0.5 * (inertia + inertia.T)
    model, _ = start(HexapodParams(J=inertia))
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body("torso").iquat)
    rotation = rotation.reshape(3, 3)
    np.testing.assert_allclose(rotation @ np.diag(model.body("torso").inertia) @ rotation.T, inertia, atol=1e-12)


def test_toes_are_where_the_documents_kinematics_put_them():
    params = HexapodParams()
    model, data = start(params)
    rng = np.random.default_rng(0)
    for _ in range(10):
        data.qpos[:] = rng.uniform(-1, 1, model.nq)
        data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
        data.qpos[9::3] = rng.uniform(0.15, 0.22, 6)
        mujoco.mj_kinematics(model, data)
        sites = data.site_xpos[[model.site(f"foot_{leg}").id for leg in range(6)]]
        np.testing.assert_allclose(hexapod_state.toe_positions(params, data.qpos), sites, atol=1e-14)


def test_hip_torque_is_the_documents_limit_line():
    """MuJoCo's motor against `Motor.limit`: driving, braking, and beyond the no-load speed."""
    params = HexapodParams()
    model, data = start(params)
    rng = np.random.default_rng(1)
    for _ in range(200):
        data.qvel[6::3] = rng.uniform(-50, 50, 6)
        command = np.stack([data.qpos[7::3] + rng.normal(0, 0.5, 6), rng.normal(0, 20, 6), rng.normal(0, 2, 6)], axis=1)
        data.ctrl[:] = command.ravel()
        mujoco.mj_forward(model, data)
        speed = data.qvel[6::3]
        asked = params.KP * (command[:, 0] - data.qpos[7::3]) + params.KD * (command[:, 1] - speed) + command[:, 2]
        np.testing.assert_allclose(data.actuator_force, params.motor.limit(asked, speed), atol=1e-12)


def test_six_legs_stand_at_the_height_of_their_springs():
    """Frictionless, hips held straight: each leg's splay minimises the energy at z = 0.181509825 m."""
    model, data = start(HexapodParams(friction_coeff=0.0, KD=5.0))
    data.qpos[7::3] = 0.0
    data.ctrl[:] = 0.0
    for _ in range(round(6 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    contact_depth = -data.site_xpos[model.site("foot_0").id][2]
    assert 0 < contact_depth < 1e-4
    # MuJoCo's toes sink by the contact's softness, and its toes' own weight loads the legs but not the body.
    assert data.qpos[2] + contact_depth == pytest.approx(0.181509825, abs=2e-5)


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_free_flight_falls_on_a_parabola(integrator):
    model, data = start(preset=replace(FINE, integrator=integrator))
    data.qpos[2], data.qvel[:3] = 5.0, (0.3, 0.5, 1.0)
    momentum = np.array([0.3, 0.5, 1.0]) * HexapodParams().total_mass
    mujoco.mj_forward(model, data)
    for leg in range(6):  # toes move with the body
        data.qvel[6 + 3 * leg : 9 + 3 * leg] = 0.0
    mujoco.mj_subtreeVel(model, data)
    start_com = data.subtree_com[1].copy()
    for _ in range(2000):
        data.ctrl[:] = np.stack([data.qpos[7::3], data.qvel[6::3], np.zeros(6)], axis=1).ravel()  # hips free
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    t = data.time
    expected = start_com + momentum / 6.06 * t + np.array([0, 0, -5.0 * t * t])
    np.testing.assert_allclose(data.subtree_com[1], expected, atol=1e-3 if integrator == "implicitfast" else 1e-6)


def test_free_flight_keeps_energy_and_momenta():
    """Without gravity, dampers and motors the legs swing for ever: energy and momenta stay."""
    params = HexapodParams(KP=0, KD=0, rho_d=np.zeros(6), theta_d=np.zeros(6))
    model, data = start(params, preset=replace(FINE, integrator="RK4"))
    model.opt.gravity[:] = 0.0
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data.qpos[2] = 5.0
    data.qvel[:] = np.random.default_rng(0).normal(0, 0.3, model.nv)

    def invariants():
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        return data.energy.sum(), data.subtree_angmom[1].copy(), data.subtree_linvel[1].copy()

    before = invariants()
    for _ in range(4000):
        mujoco.mj_step(model, data)
    after = invariants()
    assert after[0] == pytest.approx(before[0], rel=1e-6)
    np.testing.assert_allclose(after[1], before[1], atol=1e-6)
    np.testing.assert_allclose(after[2], before[2], atol=1e-9)


@pytest.mark.extra
def test_default_walk_has_the_published_speed_and_height():
    model, data = start()
    positions = walk(model, data, TripodGait(), 6.0)
    stride = round(1.0 / model.opt.timestep)
    steady = positions[4 * stride - 1 :]
    assert (steady[-1, 1] - steady[0, 1]) / 2.0 == pytest.approx(0.262, rel=0.01)
    assert steady[:, 2].mean() == pytest.approx(0.168, rel=0.01)


@pytest.mark.extra
def test_default_walk_does_not_topple_in_a_minute():
    model, data = start(preset="rl")  # an eleventh of the time of `reference`
    positions = walk(model, data, TripodGait(), 60.0)
    assert positions[-1, 1] == pytest.approx(60 * 0.262, rel=0.02)
    assert positions[:, 2].min() > 0.15


@pytest.mark.extra
@pytest.mark.parametrize(
    "turn",
    [
        {"offset_difference": 0.1},
        {"slow_time_difference": -0.05},
        {"heading": "left", "cycle_time": 0.75, "slow_time": 0.45},
    ],
)
def test_mirrored_turns_mirror(turn):
    gait = TripodGait(**turn)
    ends = []
    for variant, shift in ((gait, 0.0), (gait.mirrored(), 0.5)):
        model, data = start()
        clock = variant.clock()
        clock = replace(clock, phase=clock.phase + shift)  # the mirror image steps with the other tripod first
        angle, _ = clock(0.0)
        data.qpos[7::3] = angle
        walk(model, data, clock, 4.0)
        w, x, y, z = data.qpos[3:7]
        ends.append([*data.qpos[:2], np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))])
    (x, y, yaw), (mirrored_x, mirrored_y, mirrored_yaw) = ends
    assert abs(yaw) > 0.1
    assert mirrored_yaw == pytest.approx(-yaw, rel=0.02)
    assert np.hypot(mirrored_x + x, mirrored_y - y) < 0.02 * max(np.hypot(x, y), 0.1)


def test_a_right_turn_turns_right():
    for turn in ({"offset_difference": 0.1}, {"slow_time_difference": -0.05}):
        model, data = start(preset="rl")
        walk(model, data, TripodGait(**turn), 4.0)
        assert data.qpos[6] < -0.02  # clockwise from above


def test_feet_that_stand_on_a_slope_stay():
    """Creep of six feet well inside their friction cones stays below a millimetre per second."""
    model, data = start(terrain=Slope(0.0, 0.2))
    data.qpos[7::3] = data.ctrl[0::3] = 0.0
    feet = [model.site(f"foot_{leg}").id for leg in range(6)]
    positions = []
    for _ in range(2):
        for _ in range(round(1.0 / model.opt.timestep)):
            mujoco.mj_step(model, data)
        positions.append(data.site_xpos[feet].copy())
    assert 0 < np.linalg.norm(positions[1] - positions[0], axis=1).max() < 1e-3


def test_tilt_takes_up_to_the_normal():
    terrain = Sinusoid(0.1, 3.0, 4.0)
    x, y = np.random.default_rng(0).uniform(-2, 2, (2, 20))
    rotation = np.zeros(9)
    for quat, normal in zip(tilt(*terrain.gradient(x, y)), terrain.normal(x, y), strict=True):
        mujoco.mju_quat2Mat(rotation, quat)
        np.testing.assert_allclose(rotation.reshape(3, 3)[:, 2], normal, atol=1e-14)


def test_patches_follow_the_feet():
    terrain = Sinusoid()
    model, data = start(terrain=terrain)
    patches = GroundPatches(model, terrain)
    assert patches and not GroundPatches(*(lambda m: (m, Flat()))(start()[0]))
    data.qpos[:2] = 1.0, -0.7
    mujoco.mj_forward(model, data)
    patches.follow(data)
    feet = data.site_xpos[[model.site(f"foot_{leg}").id for leg in range(6)]]
    np.testing.assert_allclose(data.mocap_pos[:, :2], feet[:, :2])
    np.testing.assert_allclose(data.mocap_pos[:, 2], terrain.height(feet[:, 0], feet[:, 1]))


@pytest.mark.parametrize("terrain", [Sinusoid(0.0), Rough(0.0), Sloped(slope_y=0.0)])
def test_ground_without_relief_is_flat_ground(terrain):
    walks = []
    for ground in (Flat(), terrain):
        model, data = start(terrain=ground, preset="rl")
        patches = GroundPatches(model, ground)
        for _ in range(100):
            patches.follow(data)
            data.ctrl[:] = 0.1
            mujoco.mj_step(model, data)
        walks.append(data.qpos.copy())
    np.testing.assert_allclose(walks[1], walks[0], atol=1e-9)
    reroll(model, terrain, PRESETS["rl"])
    assert model.geom("ground").type == mujoco.mjtGeom.mjGEOM_HFIELD and not model.hfield_data.any()


@pytest.mark.parametrize("terrain", [Flat(), Rough(seed=3)])
def test_parameters_set_in_a_model_are_those_of_one_built_anew(terrain):
    """Field by field: `take_parameters` gives the model that building with those parameters gives."""
    params = HexapodParams(
        body_mass=7.0, leg_mass=0.02, friction_coeff=0.8, g=9.81, max_torque=2.0, max_speed=8000.0, KP=8.0, KD=0.4,
        rho_k=np.full(6, 700.0), rho_d=np.full(6, 12.0), rho_r0=np.full(6, 0.21), theta_k=np.full(6, 150.0),
        theta_d=np.full(6, 0.5), theta_r0=np.full(6, 0.1), J=np.diag([0.1, 0.2, 0.25]),
    )  # fmt: skip
    model = start(terrain=terrain)[0]
    take_parameters(model, compile_model(hexapod.build(params, Flat())))
    fresh = start(params, terrain)[0]
    skip = {"key_qpos", "names", "text_data", "numeric_data", "opt", "vis", "stat", "geom_pos"}
    for name in dir(fresh):
        value = getattr(fresh, name) if not name.startswith("_") and name not in skip else None
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            np.testing.assert_allclose(getattr(model, name), value, rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(model.opt.gravity, fresh.opt.gravity)


def test_every_randomisable_parameter_is_a_parameter():
    assert set(hexapod.RANDOMISABLE) <= {entry.name for entry in fields(HexapodParams)}


@pytest.mark.parametrize("preset", PRESETS)
def test_names_honour_the_contract(preset):
    model, _ = start(preset=preset)
    assert model.body("torso").id == 1 and model.joint("root").type == mujoco.mjtJoint.mjJNT_FREE
    for leg in range(6):
        for kind, name in (
            ("site", "foot"),
            ("joint", "hip"),
            ("joint", "splay"),
            ("joint", "leg"),
            ("sensor", "foot"),
        ):
            getattr(model, kind)(f"{name}_{leg}")
    assert model.nactuator == 6 and model.nu == 18
    assert {model.camera(k).name for k in range(model.ncam)} >= {"follow"}


def test_the_xml_asset_loads_and_steps_like_the_spec():
    model = mujoco.MjModel.from_xml_path(str(ASSETS / "hexapod.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    spec_model = hexapod.build().compile()
    spec_data = mujoco.MjData(spec_model)
    mujoco.mj_resetDataKeyframe(spec_model, spec_data, 0)
    for _ in range(200):
        mujoco.mj_step(model, data)
        mujoco.mj_step(spec_model, spec_data)
    np.testing.assert_allclose(data.qpos, spec_data.qpos, atol=1e-4)  # XML keeps six digits


def test_a_timestep_over_the_limit_does_blow_up():
    """The refusal is not idle: just over omega h = 2 the leg springs diverge, just under it they do not."""
    params = HexapodParams(rho_d=np.zeros(6), theta_d=np.zeros(6), KP=0, KD=0)
    for timestep, diverges in ((2.7e-3, False), (3.0e-3, True)):
        spec = hexapod.build(params, preset=Preset(timestep=2e-3, integrator="Euler", solref=(0.006, 1.0)))
        spec.option.timestep = timestep
        model = compile_model(spec)
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[2] += 50.0
        data.qvel[7::3] = 0.1
        for _ in range(400):
            mujoco.mj_step(model, data)
        swing = np.abs(data.qvel[7::3]).max() > 10.0
        assert (swing or data.warning.number.any()) == diverges


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"integrator": "leapfrog"}, "unknown integrator 'leapfrog'; there are Euler"),
        ({"cone": "round"}, "unknown cone 'round'; there are pyramidal, elliptic"),
        ({"timestep": 0.0}, "timestep must be positive"),
        ({"impratio": -1.0}, "impratio must be positive"),
    ],
)
def test_impossible_presets_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        replace(PRESETS["rl"], **bad)


def test_dense_and_sparse_jacobians_agree():
    """MuJoCo 4.0.0's sparse solver has a known fault; for this model it does not show, and we use the dense one."""
    ends = []
    for kind in (mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE):
        spec = hexapod.build(preset="rl")
        spec.option.jacobian = kind
        model = compile_model(spec)
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        walk(model, data, TripodGait(), 0.3)
        ends.append(data.qpos.copy())
    np.testing.assert_allclose(*ends, atol=1e-8)


def test_a_state_of_the_exact_hexapod_is_the_same_here():
    """Toes are where the exact state has them and move as it says, by MuJoCo's own kinematics."""
    rng = np.random.default_rng(5)
    params = HexapodParams()
    model, data = start(params)
    for _ in range(5):
        joints = np.column_stack([rng.uniform(-3, 3, 6), rng.uniform(-0.3, 0.3, 6), rng.uniform(0.15, 0.21, 6)])
        velocity, spin, rates = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(6, 3))
        x = exact_state.assemble(params, rng.normal(size=3), 2 * rng.normal(size=4), joints, velocity, spin, rates)
        data.qpos[:], data.qvel[:] = hexapod_state.from_exact(params, x)
        np.testing.assert_allclose(data.qpos[7:].reshape(6, 3), joints, atol=1e-12)
        np.testing.assert_allclose(data.qvel, np.concatenate([velocity, spin, rates.ravel()]), atol=1e-12)
        mujoco.mj_forward(model, data)
        jacobian = np.zeros((3, model.nv))
        for leg, (position, speed) in enumerate(zip(*exact_state.toes_of(x), strict=True)):
            mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
            np.testing.assert_allclose(data.site(f"foot_{leg}").xpos, position, atol=1e-12)
            np.testing.assert_allclose(jacobian @ data.qvel, speed, atol=1e-12)


def test_toes_move_as_in_the_exact_engine():
    rng, params = np.random.default_rng(0), HexapodParams()
    joints = rng.normal([0.0, 0.2, 0.2], [1.0, 0.1, 0.01], (6, 3))
    quaternion = np.array([0.9, 0.1, -0.2, 0.3])
    parts = rng.normal(size=3), quaternion / np.linalg.norm(quaternion), joints
    x = exact_state.assemble(params, *parts, rng.normal(size=3), rng.normal(size=3), rng.normal(size=(6, 3)))
    model, data = start(params)
    data.qpos[:], data.qvel[:] = hexapod_state.from_exact(params, x)
    mujoco.mj_forward(model, data)
    for leg, (place, speed) in enumerate(zip(*exact_state.toes_of(x), strict=True)):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
        np.testing.assert_allclose(data.site(f"foot_{leg}").xpos, place, atol=2e-4)  # the toe's radius
        np.testing.assert_allclose(jacobian @ data.qvel, speed, atol=5e-3)
    np.testing.assert_allclose(hexapod_state.to_exact(params, data.qpos, data.qvel), x, atol=1e-12)
