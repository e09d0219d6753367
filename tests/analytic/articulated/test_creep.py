"""Slow slips, which are stiff: friction that follows a slip at a bounded rate gives the same motion in few steps."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.layout import DRIFT, MU, VELOCITY
from tarsus.analytic.articulated.modes import CREEP, CREEP_RATE, STICK
from tarsus.analytic.articulated.simulation import Options, RunStatus, start
from tarsus.mjcf.articulated import convert

ASSETS = Path(__file__).parents[3] / "mjcf" / "assets"
MASS, G, FRICTION, DAMPING = 1.0, 9.81, 0.5, 1000.0
PUCK = f"""<mujoco><option gravity="0 0 -{G}"/><worldbody><body pos="0 0 .1">
<joint name="x" type="slide" axis="1 0 0" damping="{DAMPING}"/><joint name="y" type="slide" axis="0 1 0"
damping="{DAMPING}"/><joint type="slide" axis="0 0 1"/><geom name="puck" size=".1" mass="{MASS}"/></body></worldbody>
<actuator><general joint="x" dyntype="integrator"/><general joint="y" dyntype="integrator"/></actuator></mujoco>"""
GRIP = FRICTION * MASS * G


def puck(pull, **options):
    """Return the run of a puck in syrup, pulled by this force, whose first entry may rise by `set_controls`."""
    robot = convert(mujoco.MjModel.from_xml_string(PUCK), ["puck"], mu=FRICTION)
    return start(robot, np.zeros(3), act=pull, options=Options(**options))


@pytest.mark.parametrize("turn", [-1.0, 1.0])
def test_a_puck_that_creeps_turns_with_the_pull(turn):
    """v = (|F| - mu m g) / c along F, but for what m dv/dt takes; Coulomb's own rate is 1e5 to 1e6 a second here.

    An explicit method would take 1e5 steps; at most 2,000 are allowed.
    """
    run, rise = puck([GRIP + 0.01, 0.0], max_steps=2000), turn
    before = run.balance
    run.set_controls([0.0, rise])
    assert run.to(1.0) is RunStatus.FINAL_TIME and run.contact.foot[0] == CREEP

    def slip(t):
        pull = np.array([GRIP + 0.01 + 0.0 * t, rise * t])
        size = np.linalg.norm(pull, axis=0)
        return pull * (size - GRIP) / size / DAMPING

    assert np.allclose(run.qvel[:2], slip(1.0), rtol=1e-2)  # lags by m / c = 1 ms, and by 1 / CREEP_RATE
    lagging = slip(1.0 - MASS / DAMPING)
    assert np.allclose(run.qvel[:2], lagging, rtol=2e-3, atol=1e-8)
    angle = np.arctan2(run.foot_force[0, 2], run.foot_force[0, 1]) + np.pi * turn
    assert angle == pytest.approx(np.arctan2(rise, GRIP + 0.01), abs=1e-4)
    assert abs(run.balance - before) < 1e-9


def test_a_puck_that_creeps_stops_where_the_pull_no_longer_moves_it():
    """m dv/dt = F0 - k t - mu m g - c v until v is zero; then it sticks."""
    run = puck([GRIP + 0.1, 0.0])
    assert run.to(0.5) is RunStatus.FINAL_TIME and run.contact.foot[0] == CREEP
    run.set_controls([-1.0, 0.0])

    def rates(t, x):
        return [x[1], (0.1 - max(t - 0.5, 0.0) - DAMPING * x[1]) / MASS]

    def stop(t, x):
        return x[1] + (t < 0.5)

    stop.terminal = True
    end = solve_ivp(rates, (0.0, 1.0), [0.0, 0.0], "LSODA", events=stop, rtol=1e-10, atol=1e-14, max_step=1e-2)
    assert run.to(0.59) is RunStatus.FINAL_TIME and run.contact.foot[0] == CREEP
    assert run.to(0.7) is RunStatus.FINAL_TIME and run.contact.foot[0] == STICK
    assert run.qpos[0] == pytest.approx(end.y[0, -1], abs=1e-8) and abs(run.qvel[0]) < 1e-10
    assert run.foot_force[0, 1] == pytest.approx(-(GRIP + 0.1 - 0.2), rel=1e-8)


def quadruped(**options):
    """Return a quadruped with two hinges a leg, whose feet must creep, dropped a little tilted."""
    model = mujoco.MjModel.from_xml_path(str(ASSETS / "examples" / "quadruped.xml"))
    robot = convert(model, ["FL", "FR", "RL", "RR"], mu=0.7)
    qpos = model.qpos0 + np.r_[np.zeros(4), 0.05, 0.1, 0.0, 0.2 * np.array([1, -1, 1, 1, -1, 1, -1, -1])]
    qpos[3:7] /= np.linalg.norm(qpos[3:7])
    qpos[2] += 0.05 - mechanics(robot, qpos, np.zeros(model.nv)).gap.min()
    return start(robot, qpos, ctrl=np.zeros(8), options=Options(**options))


def test_friction_of_all_feet_that_creep_opposes_the_slip_that_is_to_be():
    """Coupled feet, their directions found from anywhere: friction is mu f against v + a / CREEP_RATE."""
    run, done = quadruped(), 0
    for time in np.arange(0.3, 1.0, 0.02):
        assert run.to(time) is RunStatus.FINAL_TIME
        for i in np.flatnonzero(run.contact.foot == CREEP):
            turn = 0.3 * (-1.0) ** done
            run.contact.direction[i] = (
                np.array([[1.0, turn], [-turn, 1.0]]) @ run.contact.direction[i] / np.hypot(1, turn)
            )
            run.refresh()
            acceleration = run.work.jacobian[i, 1:] @ run.contact.qacc + run.work.foot[i, DRIFT + 1 :]
            w, force = run.work.foot[i, VELOCITY + 1 : DRIFT] + acceleration / CREEP_RATE, run.foot_force[i]
            size = np.linalg.norm(force[1:])
            assert size == pytest.approx(run.robot.tables.foot[i, MU] * force[0], rel=1e-10)
            assert np.allclose(w / np.linalg.norm(w), -force[1:] / size, atol=1e-8)
            assert run.contact.along[i] == pytest.approx(np.linalg.norm(w), rel=1e-6)
            done += 1
    assert done >= 5


@pytest.mark.extra
def test_a_quadruped_whose_feet_must_creep_stands_and_what_is_at_rest_hardly_matters():
    runs = [quadruped(hold_speed=hold) for hold in (1e-5, 1e-6)]
    for run in runs:
        before = run.balance
        assert run.to(1.0) is RunStatus.FINAL_TIME
        assert abs(run.balance - before) < 1e-8
    assert any(event.what == "slow" for event in runs[0].events)
    assert np.abs(runs[0].x[:29] - runs[1].x[:29]).max() < 1e-3


def test_misuse_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="creep_speed must be a positive number"):
        Options(creep_speed=0.0)
