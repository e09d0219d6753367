"""The MuJoCo leg against the exact equations of motion, the hybrid model, and its own XML."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from tarsus.analytic.hybrid import vector
from tarsus.analytic.models import slip_leg_motion
from tarsus.analytic.models.slip_leg import SlipLegParams, com_state, foot_state
from tarsus.analytic.terrain import Slope, Step
from tarsus.controllers.slip import SlipControl
from tarsus.controllers.slip_laws import STANCE
from tarsus.mjcf import compile_model, slip_leg
from tarsus.mjcf.compile import take_parameters
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.slip_leg import machine

REGULATED = SlipControl(energy_gain=0.5)


def built(params=None, **options):
    model = compile_model(slip_leg.build(params, **options))
    return model, mujoco.MjData(model)


def test_equations_of_motion_are_the_exact_ones():
    """Every term of two derivations: mass matrix, bias, acceleration in flight, foot and mass centre."""
    params = SlipLegParams(shank_com=0.21, foot_mass=0.3, thigh_gyration=0.1)
    model, data = built(params)
    p, rng = vector(params), np.random.default_rng(0)
    for _ in range(20):
        data.qpos[:] = rng.uniform((-1, 2, -1.5, -2.5), (1, 3, 1.5, -0.1))
        data.qvel[:] = rng.uniform(-5, 5, 4)
        data.ctrl[:] = rng.uniform(-30, 30, 2)
        mujoco.mj_forward(model, data)
        x, full, rates = np.concatenate([data.qpos, data.qvel]), np.zeros((4, 4)), np.empty(8)
        mujoco.mj_fullM(model, data, full)
        M, h, _, _, _, _ = slip_leg_motion.terms(x, p)
        np.testing.assert_allclose(full, M, atol=1e-12)
        np.testing.assert_allclose(data.qfrc_bias, h, atol=1e-11)
        slip_leg_motion.flight_rates(x, p, data.ctrl, rates)
        np.testing.assert_allclose(data.qacc, rates[4:], atol=1e-8)
        foot, com = np.empty(4), np.empty(4)
        foot_state(x, p, foot)
        com_state(x, p, com)
        np.testing.assert_allclose(data.site("foot_0").xpos[[0, 2]], foot[:2], atol=1e-12)
        np.testing.assert_allclose(data.subtree_com[0][[0, 2]], com[:2], atol=1e-12)


@pytest.mark.extra
def test_first_step_is_the_hybrid_models():
    """Touchdown within the timestep, stance within 0.3 ms, force within 1 %: the contact's softness."""
    exact, soft = (
        runners.exact(machine(), machine().experiment(), 1),
        runners.in_mujoco(machine(), machine().experiment(), 1, row=1),
    )
    (_, touchdown), (_, liftoff) = exact.steps["touchdown"], exact.steps["liftoff"]
    assert soft.steps["touchdown"][1] == pytest.approx(touchdown, abs=6e-5)
    assert soft.steps["liftoff"][1] - soft.steps["touchdown"][1] == pytest.approx(liftoff - touchdown, abs=5e-4)
    assert soft.steps["energy_lost"][1] == pytest.approx(exact.steps["energy_lost"][1], rel=2e-3)
    assert set(soft.record.data_vars) == set(exact.record.data_vars)
    # Once the impact is over, both move and push alike.
    late = [run.record.sel(time=slice(touchdown + 0.02, liftoff)) for run in (exact, soft)]
    same = late[0].interp(time=late[1]["time"])
    compared = ("foot_force", "com_position", "joint_angle", "compression")
    error = {name: np.abs(same[name] - late[1][name]).max("time").values.ravel() for name in compared}
    assert np.all(error["foot_force"] < 3.0)  # of 310 N; the foot does not let go between
    assert np.all(error["com_position"] <= (2e-3, 0.0, 1e-3)) and np.all(error["joint_angle"] < 0.01)
    assert error["compression"] < 1e-3


@pytest.mark.parametrize(
    "preset, every, apex, energy",
    [pytest.param("reference", 4, 0.01, 0.01, marks=pytest.mark.extra), ("rl", 4, 0.012, 0.01)],
)
def test_forty_steps_with_energy_regulation(preset, every, apex, energy):
    run = runners.in_mujoco(machine(), machine().experiment(gains=REGULATED), 40, preset=preset, every=every, row=400)
    assert run.completed
    assert np.abs(run.steps["apex_height"] / 0.62 - 1).max() < apex
    assert np.abs(run.steps["apex_energy"] / run.steps["apex_energy"][0] - 1).max() < energy


def test_it_falls_without_compensation():
    run = runners.in_mujoco(
        machine(), machine().experiment(gains=SlipControl(compensate=0.0)), 40, preset="rl", every=4
    )
    assert "fell" in run.status and run.n_steps < 10
    assert len(run.record["time"]) > 250


def test_it_runs_over_a_step():
    experiment = machine().experiment(gains=REGULATED, ground=Step(0.02, 3.0, 0.1, heading=0.0))
    run = runners.in_mujoco(machine(), experiment, 15, preset="rl", every=4)
    assert run.completed
    assert run.record["foot_position"].sel(axis="x").max() > 5.0
    stance = run.record.isel(time=np.flatnonzero(run.record["phase"] == STANCE)[5:])
    assert np.median(stance["foot_position"].values[-50:, 0, 2]) == pytest.approx(0.02, abs=2e-3)


def test_motors_limit_and_servos_follow():
    model, data = built()
    data.qpos[1], data.ctrl[:] = 2.0, (1e4, -1e4)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.actuator_force, [500.0, -150.0])
    model, data = built(preset="rl", servo=True)
    data.qpos[:] = (0.0, 50.0, 0.0, -1.0)
    data.ctrl[:] = (0.5, -1.5)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[2:], [0.5, -1.5], atol=0.02)


def test_parameters_of_a_compiled_leg_can_be_changed():
    other = SlipLegParams(base_mass=7.0, shank_com=0.2, g=3.7, friction=0.6)
    model, data = built(terrain=Slope(0.1, 0.0))
    take_parameters(model, compile_model(slip_leg.build(other)))
    wanted, fresh = built(other, terrain=Slope(0.1, 0.0))
    for a, b in ((model, data), (wanted, fresh)):
        b.qpos[:], b.qvel[:] = (0.0, 1.0, 0.4, -1.0), (1.0, -2.0, 0.0, 0.0)
        for _ in range(4000):
            mujoco.mj_step(a, b)
    np.testing.assert_array_equal(data.qpos, fresh.qpos)


def test_presets_are_known_by_name():
    assert slip_leg.PRESETS["reference"].timestep < slip_leg.PRESETS["rl"].timestep
    with pytest.raises(ValueError, match="unknown preset 'best'; there are .*rl"):
        slip_leg.build(preset="best")
    with pytest.raises(ValueError, match="timestep must be positive"):
        replace(slip_leg.PRESETS["rl"], timestep=0.0)
