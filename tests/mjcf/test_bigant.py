"""The MuJoCo BigANT, whose loops are closed by constraints, against the closed form of its four-bar linkage."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.clock import TRIPOD_PHASE, Clock
from tarsus.analytic.models.bigant import BigAntParams, foot_positions, foot_velocities
from tarsus.analytic.terrain import Flat
from tarsus.mjcf import bigant, compile_model

CLOCK = Clock(TRIPOD_PHASE, cycle_time=4.0, slow_time=2.4, sweep_angle=1.4, direction=1.0)
# How far the softly closed loops let the foot stray from the linkage, while walking: pins come apart by a twentieth
# of a millimetre in the reference, by half in the preset `rl`, and the foot's lever doubles that.
STRAY = {"reference": 2e-4, "rl": 1.2e-3}  # [m]


def start(params=None, preset="reference"):
    model = compile_model(bigant.build(params, preset=preset))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def feet_b(model, data):
    """Return the feet in the body frame, shape (6, 3) [m]."""
    feet = data.site_xpos[[model.site(f"foot_{leg}").id for leg in range(6)]]
    return (feet - data.qpos[:3]) @ data.xmat[1].reshape(3, 3)


def joints(data):
    return data.qpos[7:].reshape(6, 4)


def walk(model, data, params, seconds, each_step=lambda: None):
    data.qpos[:] = bigant.start_state(params, shaft=CLOCK(0.0)[0])
    lead = model.opt.timestep if model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE else 0.0
    for _ in range(round(seconds / model.opt.timestep)):
        data.ctrl.reshape(6, 3)[:, :2] = np.stack(CLOCK(data.time + lead), axis=-1)
        mujoco.mj_step(model, data)
        each_step()
    assert not data.warning.number.any()


def test_masses_are_the_parameters():
    model, _ = start()
    assert model.body_mass.sum() == pytest.approx(BigAntParams().total_mass)
    assert model.nv == 30 and model.nactuator == 6


def test_inertias_are_those_of_a_box_and_of_slender_rods():
    params = BigAntParams()
    model, data = start(params)
    x, y, z = 2 * np.array(bigant.PLATE)
    box = params.body_mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    np.testing.assert_allclose(model.body("torso").inertia, box)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, full)
    about_its_end = params.rocker_mass * params.rocker**2 / 3
    np.testing.assert_allclose(np.diag(full)[6:].reshape(6, 4)[:, 3], about_its_end)


def test_any_start_closes_the_loops_at_the_foot_of_the_closed_form():
    params = BigAntParams()
    model, data = start(params)
    for shaft in np.random.default_rng(0).uniform(-9, 9, (30, 6)):
        data.qpos[:] = bigant.start_state(params, shaft=shaft)
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(feet_b(model, data), foot_positions(params, shaft), atol=1e-14)
        for leg in range(6):
            pins = (data.site_xpos[model.site(f"{name}_{leg}").id] for name in ("pin", "socket"))
            np.testing.assert_allclose(*pins, atol=1e-14)


def test_turned_by_its_motors_in_the_air_the_foot_follows_the_closed_form():
    """Two turns of the shafts with nothing but the constraint to guide coupler and rocker; positions and speeds."""
    params = BigAntParams(g=1e-9)
    model, data = start(params)
    data.qpos[2], worst = 5.0, 0.0
    for _ in range(round(5.0 / model.opt.timestep)):
        shaft = 2.5 * data.time * np.array([1, -1, 1, -1, 1, -1])
        data.ctrl.reshape(6, 3)[:, :2] = np.stack([shaft, 2.5 * np.array([1, -1, 1, -1, 1, -1])], axis=-1)
        mujoco.mj_step(model, data)
    for _ in range(100):
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        turned = joints(data)[:, 1]
        ours = foot_positions(params, turned) + joints(data)[:, :1] * (0, 0, 1)
        worst = max(worst, np.abs(feet_b(model, data) - ours).max())
    assert np.abs(turned).min() > 11.0 and worst < 2e-5
    rate = data.qvel[6:].reshape(6, 4)
    ours = foot_velocities(params, turned, rate[:, 1]) + rate[:, :1] * (0, 0, 1)
    for leg in range(6):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
        relative = jacobian[:, 6:] @ data.qvel[6:] @ data.xmat[1].reshape(3, 3)
        np.testing.assert_allclose(relative, ours[leg], atol=2e-3)


@pytest.mark.parametrize("preset", ["rl", pytest.param("reference", marks=pytest.mark.extra)])
def test_walking_loops_stay_closed_and_feet_carry_the_weight(preset):
    params = BigAntParams()
    model, data = start(params, preset)
    total, stray = [], []

    def measure():
        total.append(data.sensordata[:24].reshape(6, 4)[:, 3].sum())
        ours = foot_positions(params, joints(data)[:, 1]) + joints(data)[:, :1] * (0, 0, 1)
        if len(total) % 40 == 0:
            mujoco.mj_kinematics(model, data)
            stray.append(np.abs(feet_b(model, data) - ours).max())

    walk(model, data, params, 6.0, measure)
    stride = round(4.0 / model.opt.timestep)
    assert np.mean(total[-stride:]) == pytest.approx(params.total_mass * params.g, rel=1e-3)
    assert max(stray) < STRAY[preset]
    # A foot that stuck in stance would take the body on by the level stretch of its path twice a stride.
    assert data.qpos[0] == pytest.approx(1.5 * 2 * 0.068, rel=0.2)


def test_standing_on_six_legs_sags_by_the_weight_they_carry():
    params = BigAntParams()
    model, data = start(params)
    for _ in range(round(1.5 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    legs = params.total_mass - params.body_mass  # their weight rests on the feet, but not on the mounts' springs
    sag = 0.5 * np.ptp([0.0, joints(data)[:, 0].mean()]) * 2
    expected = (params.body_mass * params.g) / (6 * params.leg_k)
    assert legs > 0 and sag == pytest.approx(expected, rel=0.05)
    force = data.sensordata[:24].reshape(6, 4)
    assert force[:, 3].sum() == pytest.approx(params.total_mass * params.g, rel=1e-3)


def test_servo_torque_is_that_of_the_motor():
    params = BigAntParams()
    model, data = start(params)
    command = np.array([[1.0, 20.0, 3.0]] * 6)
    data.qvel[6:].reshape(6, 4)[:, 1] = np.linspace(-8, 8, 6)
    data.ctrl[:] = command.ravel()
    mujoco.mj_forward(model, data)
    speed = data.qvel[6:].reshape(6, 4)[:, 1]
    asked = params.KP * (1.0 - joints(data)[:, 1]) + params.KD * (20.0 - speed) + 3.0
    np.testing.assert_allclose(data.actuator_force, params.motor.limit(asked, speed), atol=1e-12)


def test_the_start_stands_on_its_lowest_foot():
    params, shaft = BigAntParams(), np.array([0.0, 2, 0, 2, 0, 2])
    assert bigant.start_state(params, Flat(), shaft)[2] == pytest.approx(-foot_positions(params, shaft)[:, 2].min())
