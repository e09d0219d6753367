"""RHex's walker as a policy: commands become rows of its table, and the robot follows them in either engine."""

import gymnasium
import numpy as np
import pytest

import tarsus  # noqa: F401
from tarsus.analytic import rhex_gaits
from tarsus.analytic.clock import wrap
from tarsus.controllers.rhex import SIT_DOWN, STAND, Order, Walker
from tarsus.controllers.rhex_policy import FIRST, steered
from tarsus.scripts.library.learning import policies


def test_measured_speeds_are_settings_and_slower_ones_lower_frequencies():
    assert steered(rhex_gaits.SPEEDS[1]).gait == rhex_gaits.gait(1.0)
    assert steered(9.0).gait == steered(0.5906).gait == rhex_gaits.gait(2.0)
    assert steered(9.0, fastest_setting=FIRST).gait == rhex_gaits.gait(FIRST)
    slow = steered(0.5 * rhex_gaits.SPEEDS[0]).gait
    assert slow.cycle_time == pytest.approx(1.8) and slow.slow_time / slow.cycle_time == pytest.approx(0.6875)
    assert steered(0.1) == steered(0.0, 0.3) == STAND
    assert steered(0.0, -0.739).gait == rhex_gaits.gait(0, "right")


def test_turns_are_shares_of_the_offset_and_steer_as_a_car_does():
    assert steered(0.5906, 0.3195).gait == rhex_gaits.gait(2, turn=1.0)
    assert steered(0.5906, -1.0).gait == rhex_gaits.gait(2, turn=-1.0)
    assert steered(-0.5906, 0.39 * 0.3195).gait == rhex_gaits.gait(2, "backward", turn=-0.5)


def walked(seconds, command=None, **options):
    """Return the mean speed along the body's way [m/s] and yaw rate [rad/s] of the policy, after 2 s."""
    found, name, options = policies.find("rhex", None, {"reset_noise": 0.0} | options)
    env = gymnasium.make(name, **options)
    act, (observation, info) = found.make(env, 0), env.reset(seed=0, options={"command": command} if command else {})
    places, yaws = [], []
    for _ in range(round(seconds / env.unwrapped.ctrl_dt)):
        observation, _, terminated, _, info = env.step(act(observation, info))
        assert not terminated, info["termination"]
        ahead = env.unwrapped.task.forward_axis
        places.append(env.unwrapped.data.qpos[:2].copy()), yaws.append(np.arctan2(-ahead[0], ahead[1]))
    first, period = round(2.0 / env.unwrapped.ctrl_dt), env.unwrapped.ctrl_dt
    strides = np.array(places)[first :: round(0.5 / period)]
    speed = np.hypot(*np.diff(strides, axis=0).T).mean() / (round(0.5 / period) * period)
    return speed, (np.unwrap(yaws)[-1] - np.unwrap(yaws)[first]) / ((len(yaws) - 1 - first) * period)


@pytest.mark.parametrize(
    ("command", "slack"),
    [((0.25, 0.0), 0.05), ((0.5, 0.2), 0.08), ((-0.3, 0.15), 0.08), ((0.0, 0.8), 0.1), ((0.0, 0.0), 0.01)],
)
def test_it_follows_commands(command, slack):
    speed, yaw_rate = walked(6.0, command, task="commanded")
    assert speed == pytest.approx(abs(command[0]), abs=slack) and yaw_rate == pytest.approx(command[1], abs=slack)


def test_straight_on_it_walks_as_fast_as_the_robot_did():
    """Published are 0.55 m/s."""
    speed, _ = walked(6.0, preset="reference")
    assert speed == pytest.approx(0.59, abs=0.02)


@pytest.mark.extra
def test_a_fine_preset_and_the_exact_engine_agree_though_set_points_are_sampled():
    (speed, _), (exact, _) = walked(6.0, preset="reference"), walked(6.0, engine="exact")
    assert exact == pytest.approx(speed, rel=0.02)


PLAN = (  # time [s], what is ordered then, and the height of the body when the next order comes [m]
    (0.0, STAND, 0.162),
    (1.0, Order(rhex_gaits.gait(0.75)), None),
    (2.5, Order(rhex_gaits.gait(2.0)), None),
    (4.0, STAND, 0.162),
    (5.0, SIT_DOWN, 0.03),
    (7.0, STAND, 0.162),
    (9.0, Order(rhex_gaits.gait(0.75, "left")), None),
    (11.0, STAND, 0.162),
    (12.0, Order(rhex_gaits.gait(1.0, "backward")), None),
    (14.0, SIT_DOWN, 0.03),
)


EXACT = pytest.param("exact", 4, marks=pytest.mark.extra)


@pytest.mark.parametrize(("engine", "n_orders"), [("mujoco", len(PLAN)), EXACT])
def test_it_stands_walks_stops_lies_down_and_gets_up(engine, n_orders):
    """The exact engine's body has no plate to lie on, so there it only walks and stops."""
    options = {"params": "rhex", "action_mode": "velocity", "reset_noise": 0.0, "engine": engine}
    env = gymnasium.make("Hexapod-v0", **options, max_episode_steps=10_000)
    _, info = env.reset(seed=0)
    base = env.unwrapped
    walker, yaw = Walker(info["hip_reference"], stands=True), []
    until = [when for when, _, _ in PLAN[1:]] + [16.0]
    for (_, walker.order, height), end in list(zip(PLAN, until, strict=True))[:n_orders]:
        start = base.data.qpos[:2].copy()
        while info["time"] < end - 1e-9:
            ahead = wrap(walker(info["time"] + base.ctrl_dt)[0] - info["hip_reference"])
            _, _, terminated, _, info = env.step(ahead / (base.ctrl_dt * base.action_scale))
            assert not terminated, info["termination"]
        moved = base.data.qpos[:2] - start
        yaw.append(np.arctan2(*(base.task.forward_axis * (-1, 1))))
        if height is not None:
            assert base.data.qpos[2] == pytest.approx(height, abs=0.005)
        elif walker.order.gait.heading in ("forward", "backward"):
            way = moved @ base.task.forward_axis
            assert way > 0.25 if walker.order.gait.heading == "forward" else way < -0.25
        else:
            assert np.hypot(*moved) < 0.1 and 0.8 < (yaw[-1] - yaw[-2]) % (2 * np.pi) < 2.0
