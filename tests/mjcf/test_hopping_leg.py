"""The hopping leg in MuJoCo is the machine of the exact model."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.models import hopping_leg_mechanics as mechanics
from tarsus.analytic.models.hopping_leg import HoppingLegParams, leg_angles, limited_torque, places
from tarsus.analytic.models.hopping_leg_mechanics import flight_acceleration, numbers, stance_acceleration
from tarsus.mjcf import hopping_leg
from tarsus.mjcf.compile import compile_model, take_parameters


def loaded(params=None, **options):
    model = compile_model(hopping_leg.build(params, **options))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


@pytest.fixture
def states():
    rng = np.random.default_rng(1)
    return rng.uniform(-1.5, 1.5, (10, 4)), rng.uniform(-5, 5, (10, 4))


@pytest.mark.parametrize("mode", ["ideal", "current", "voltage"])
def test_mass_and_bias_are_the_exact_models(mode, states):
    params = HoppingLegParams(motor_mode=mode)
    model, data = loaded(params)
    p = np.concatenate([np.ravel(value) for value in numbers(params).values()])
    for q, dq in zip(*states, strict=True):
        data.qpos[:], data.qvel[:] = q, dq
        mujoco.mj_forward(model, data)
        full, M, h, damping = np.zeros((4, 4)), np.empty((4, 4)), np.empty(4), np.array([0, 0, *params.damping])
        mujoco.mj_fullM(model, data, full)
        mechanics.mass_and_bias(mechanics.frames_of(q, dq, p), dq, p, M, h)
        np.testing.assert_allclose(full, M, atol=1e-12)
        np.testing.assert_allclose(data.qfrc_bias, h - damping * dq, atol=1e-11)
        np.testing.assert_allclose(data.qfrc_damper, -damping * dq, atol=1e-12)
        np.testing.assert_allclose(data.site("foot_0").xpos, places(params, q).foot, atol=1e-14)


@pytest.mark.parametrize("mode", ["ideal", "current"])
def test_the_motors_deliver_what_the_limits_allow(mode, states):
    params = HoppingLegParams(motor_mode=mode)
    model, data = loaded(params)
    for q, dq in zip(*states, strict=True):
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, 8 * dq, 20 * dq[:2]
        mujoco.mj_forward(model, data)
        wanted = limited_torque(params.torque_limits, data.ctrl, data.qvel[2:])
        np.testing.assert_allclose(data.actuator_force, wanted, atol=1e-10)


def test_a_dropped_limp_leg_lands_when_the_exact_one_does():
    """Flight is the same motion: the foot of a falling, swinging leg is at the same place, to the step's error."""
    params = HoppingLegParams()
    model, data = loaded(params)
    p = np.concatenate([np.ravel(value) for value in numbers(params).values()])
    x = np.concatenate([data.qpos, [0.5, -1.0, 2.0, -3.0]])
    data.qvel[:] = x[4:]

    def rate(x):
        ddq = np.empty(4)
        flight_acceleration(x[:4], x[4:], p, np.zeros(2), ddq)
        return np.concatenate([x[4:], ddq])

    h = 1e-3
    for _ in range(50):
        k1 = rate(x)
        k2 = rate(x + 0.5 * h * k1)
        k3 = rate(x + 0.5 * h * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3))
    mujoco.mj_step(model, data, round(50 * h / model.opt.timestep))
    np.testing.assert_allclose(data.qpos, x[:4], atol=2e-5)


@pytest.mark.parametrize("yaw", [0.0, 1.3])
@pytest.mark.parametrize("torque", [(-1.0, 9.0), (3.0, 9.0)])
def test_the_foot_slides_along_the_radius_and_sticks_across_it(yaw, torque):
    """A pushing leg feels the ground's force of the exact model: nothing along the radius, all it needs across it."""
    params = HoppingLegParams()
    model, data = loaded(params)
    data.qpos[:] = [yaw, np.arcsin(3e-4), *leg_angles(params, np.array([0.0, -0.28]))]
    axis = hopping_leg.FootAxis(model)
    mujoco.mj_forward(model, data)
    for _ in range(600):
        data.ctrl[:] = torque
        axis.follow(data)
        q, dq = data.qpos.copy(), data.qvel.copy()
        mujoco.mj_step(model, data)
    p = np.concatenate([np.ravel(value) for value in numbers(params).values()])
    foot = places(params, q).foot
    radial = foot[:2] / np.hypot(*foot[:2])
    ddq, exact = np.empty(4), np.empty(2)
    stance_acceleration(q, dq, p, radial, np.array(torque), ddq, exact)
    x, y, z = data.sensor("foot_0").data[1:]
    np.testing.assert_allclose([radial[0] * y - radial[1] * x, z], exact, rtol=5e-3)
    assert abs(radial[0] * x + radial[1] * y) < 1e-4 * z


def test_the_foot_holds_no_yaw_of_its_own():
    """A boom that turns about a foot on the ground feels the foot's force at its radius, and no torque beside it."""
    model, data = loaded()
    data.qpos[:] = [0.3, np.arcsin(3e-4), *leg_angles(HoppingLegParams(), np.array([0.0, -0.28]))]
    data.qvel[0], pushes = 1.5, []
    for _ in range(10):
        data.ctrl[:] = (-1.0, 9.0)
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        (x, y, _), (force_x, force_y, force_z) = data.site("foot_0").xpos, data.sensor("foot_0").data[1:]
        pushes.append(force_z)
        assert data.qfrc_constraint[0] == pytest.approx(x * force_y - y * force_x, abs=1e-6 + 1e-3 * force_z)
    assert min(pushes) > 1


def test_other_parameters_can_be_put_into_a_compiled_leg(states):
    nominal = HoppingLegParams(motor_mode="current")
    other = HoppingLegParams(motor_mode="current", g=5.0, mass=2.0 * nominal.mass, voltage=12.0)
    model, data = loaded(nominal, preset="rl")
    fresh, fresh_data = loaded(other, preset="rl")
    take_parameters(model, compile_model(hopping_leg.build(other, preset="rl")))
    for q, dq in zip(*states, strict=True):
        for m, d in ((model, data), (fresh, fresh_data)):
            d.qpos[:], d.qvel[:], d.ctrl[:] = q, 5 * dq, 10 * dq[:2]
            mujoco.mj_forward(m, d)
        np.testing.assert_array_equal(data.qacc, fresh_data.qacc)


def test_an_unknown_preset_is_refused():
    with pytest.raises(ValueError, match="unknown preset 'fast'; there are .*rl"):
        hopping_leg.build(preset="fast")
