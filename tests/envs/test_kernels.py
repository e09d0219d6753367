"""The walkers' kernels: compiled as interpreted, and every simulation by itself."""

from types import SimpleNamespace

import numpy as np
import pytest

from tarsus.analytic.clock import RIGHT, TRIPOD_PHASE, TURN, profile
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.envs import kernels, servos
from tarsus.envs.hexapod_clocks import WALK, gait_parameters, tripod_gait

JOINTS, AT_BODY, AXES = np.arange(7, 25, 3), (0, 3, 6, 42), (1, 0, -1.0, 1)
SIDE = np.where(RIGHT, -1.0, 1.0)
AT = np.array([9, 15, 21, 27, 33, 39, 40, 41])


def hand_made(n):
    """Return random states, actions and set-points of n hexapods, each with its own motors."""
    rng = np.random.default_rng(0)
    qpos, qvel = rng.normal(size=(n, 25)), 10 * rng.normal(size=(n, 24))
    action, last, reference, rate = rng.uniform(-1, 1, (4, n, 6))
    robots = [HexapodParams(max_torque=3.0 + k, KP=5.0 + k) for k in range(n)]
    return qpos, qvel, np.array([servos.row_of(robot) for robot in robots]), (action, last, 9 * reference, rate)


def measured(walker_frame, rows, torques=False):
    qpos, qvel, table, kept = hand_made(5)
    values, rotation = np.zeros((5, 44)), np.zeros((5, 3, 3))
    kept = [array[rows] for array in kept]
    body = qpos[rows], qvel[rows], rotation[rows], values[rows], AT_BODY, AXES
    walker_frame(*body, JOINTS, table[rows], torques, *kept, AT)
    return values[rows]


def ramped(ramp, rows):
    qpos, _, table, (action, _, reference, rate) = hand_made(5)
    commands, times = np.zeros((5, 8, 6, 3)), np.linspace(0, 0.02, 9)
    fixed = JOINTS, table[rows], np.full(6, 1.5), times, 1
    ramp(qpos[rows], *fixed, action[rows], reference[rows], rate[rows], commands[rows])
    return np.concatenate([commands[rows].reshape(-1, 144), reference[rows], rate[rows]], axis=1)


def turned(turn, rows):
    _, _, table, (action, _, reference, speeds) = hand_made(5)
    turn(reference[rows], table[rows], (0.7, 0.42, 0.75), 0.02, 0.5, action[rows], speeds[rows])
    return speeds[rows]


def pulled(pull, rows):
    _, _, _, (action, _, reference, result) = hand_made(5)
    pull(reference[rows], (0.7, 0.42, 0.75), TRIPOD_PHASE, 0.3, 0.1 * action[rows], result[rows])
    return result[rows]


def eight(action):
    """Return parameters of gaits whose sides also differ in their sweeps, some with blends, shape (n, 8)."""
    blends = np.where(np.arange(len(action)) % 2, 0.1, 0.0)[:, None]
    return np.concatenate([gait_parameters(action), 0.3 * action[:, :1], blends], axis=1)


def clocked(legs_of_clock, rows, lead=0, held=None):
    _, _, _, (action, correction, reference, rate) = hand_made(5)
    commands, times, cycles = np.zeros((5, 8, 6, 3)), np.linspace(0, 0.02, 9), np.linspace(-0.3, 2.1, 5)
    held = np.full((5, 6), np.inf) if held is None else held
    kept = [array[rows] for array in (action, correction, held, np.zeros((5, 6)), reference, rate, commands)]
    legs_of_clock(eight(action)[rows], TRIPOD_PHASE, SIDE, cycles[rows], times, lead, 0.5, 0.2, *kept)
    flat = commands[rows].reshape(-1, 144)
    return np.concatenate([flat, correction[rows], reference[rows], rate[rows], cycles[rows, None]], axis=1)


@pytest.mark.parametrize("lead", [0, 1])
def test_the_clocks_kernel_computes_what_its_arrays_do_to_the_bit(lead):
    _, _, _, (action, before, _, _) = hand_made(5)
    gait, times = eight(action), np.linspace(0, 0.02, 9)
    begun = np.linspace(-0.3, 2.1, 5)
    blended, cornered = tripod_gait(gait, begun), tripod_gait(gait[:, :7], begun)
    assert np.abs(np.subtract(blended, cornered)).max() > 0.01  # some legs are in a blend
    commands, angle, speed, cycles = servos.gait_commands(
        lambda gone: tripod_gait(gait, gone), 1.0 / gait[:, 0], begun, times, lead
    )
    after = before + 0.2 * (0.5 * action - before)
    rate = (after - before) / times[-1]
    commands[..., 0] += before + times[lead : lead + 8, None, None] * rate
    commands[..., 1] += rate
    expected = np.moveaxis(commands, 0, 1).reshape(5, 144)
    expected = np.concatenate([expected, after, angle + after, speed + rate, cycles[:, None]], axis=1)
    np.testing.assert_array_equal(clocked(kernels.legs_of_clock, slice(0, 5), lead), expected)


def one_leg(wait, cycles):
    """Return the arrays of a leg held at an angle, whose clock has gone so many cycles, and a step of the kernel."""
    gait, times = np.append(WALK, [0.0, 0.0])[None], np.linspace(0, 0.02, 9)
    kept = SimpleNamespace(cycles=np.array([cycles]), held=np.full((1, 1), wait), commands=np.zeros((1, 8, 1, 3)))
    for name in ("correction", "turned", "reference", "rate"):
        setattr(kept, name, np.zeros((1, 1)))
    rows = kept.correction, kept.held, kept.turned, kept.reference, kept.rate, kept.commands

    def step():
        kernels.legs_of_clock(gait, np.zeros(1), SIDE, kept.cycles, times, 0, 0.5, 0.2, np.full((1, 1), 0.2), *rows)

    return kept, step


@pytest.mark.parametrize("ahead, waits", [(0.025, [True, False, False]), (-0.025, [True, True, True])])
def test_a_held_leg_waits_until_the_clock_comes_by(ahead, waits):
    down, waited = 2 * np.pi, True  # in another turn
    kept, step = one_leg(down, -ahead)
    for k, still in enumerate(waits):
        step()
        clocks = -profile(0.02 * (k + 1) - ahead, 1.0, 0.6, 0.75)[0] + down  # in the turn in which the leg waited
        assert kept.reference - kept.correction == pytest.approx(down if waited else clocks)
        assert (kept.held[0, 0] < np.inf) == still
        waited = still
    assert kept.correction > 0.04  # an action corrects a leg that waits, too


@pytest.mark.parametrize("beside", [0.5, -0.5])
def test_a_leg_out_of_step_goes_to_where_it_stands_while_the_clock_stands_still(beside):
    down, times = -2 * np.pi, np.linspace(0, 0.02, 9)[:8]
    kept, step = one_leg(down + beside, 0.1)
    for left in (0.5, 0.26, 0.02):  # at 12 rad/s, the last of them slower so as to arrive
        before, speed = kept.correction.copy(), min(12.0, left / 0.02)
        step()
        added = (kept.correction - before) / 0.02
        angle = down + np.sign(beside) * (left - speed * times)
        np.testing.assert_allclose(kept.commands[0, :, 0, 0], angle + (before + times * added)[0], rtol=1e-12)
        np.testing.assert_allclose(kept.commands[0, :, 0, 1], (added - np.sign(beside) * speed)[0, 0], rtol=1e-12)
        assert kept.cycles == 0.1
    assert kept.held == down
    step()
    assert kept.cycles == pytest.approx(0.12) and kept.rate == pytest.approx(added, rel=0.3)


def test_legs_in_step_stand_still_while_another_gathers():
    gait, times = np.append(WALK, [0.0, 0.0])[None], np.linspace(0, 0.02, 9)
    held, arrays = np.array([[np.inf, 1.0]]), [np.zeros((1, 2)) for _ in range(5)]
    action, correction, turned, reference, rate = arrays
    kept, commands = (action, correction, held, turned, reference, rate), np.zeros((1, 8, 2, 3))
    kernels.legs_of_clock(gait, np.zeros(2), SIDE[:2], np.array([0.1]), times, 1, 0.5, 0.2, *kept, commands)
    clocks = -profile(0.1, 1.0, 0.6, 0.75)[0]
    np.testing.assert_allclose(commands[0, :, 0], np.tile([clocks, 0.0, 0.0], (8, 1)), rtol=1e-12)
    np.testing.assert_allclose([reference[0, 0], rate[0, 0], rate[0, 1]], [clocks, 0.0, -12.0])


def test_legs_are_pulled_to_the_mean_phase_and_not_if_they_are_in_step():
    turn, rows, phase = (0.7, 0.42, 0.75), slice(0, 5), np.linspace(-0.5, 0.5, 6)
    late = phase - np.array([0.1, 0.0, 0.0, 0.0, 0.0, -0.1])  # the first is behind, the last as far ahead
    for gone, expected in ((phase, np.zeros(6)), (late, TURN * (phase - late))):
        result = np.zeros((1, 6))
        kernels.pull(-profile(gone + 0.2, *turn)[0][None], turn, phase, 0.5, np.full((1, 6), 0.1), result)
        np.testing.assert_allclose(result[0], 0.1 + 0.5 * expected, atol=1e-9)
    np.testing.assert_allclose(pulled(kernels.COMPILED.pull, rows), pulled(kernels.pull, rows), atol=1e-12)
    for k in range(5):
        np.testing.assert_array_equal(
            pulled(kernels.COMPILED.pull, slice(k, k + 1))[0], pulled(kernels.COMPILED.pull, rows)[k]
        )


def test_compiled_kernels_compute_what_the_interpreted_ones_do():
    rows = slice(0, 5)
    for torques in (False, True):
        compiled = measured(kernels.COMPILED.walker_frame, rows, torques)
        np.testing.assert_array_equal(compiled, measured(kernels.walker_frame, rows, torques))
    np.testing.assert_array_equal(ramped(kernels.COMPILED.ramp, rows), ramped(kernels.ramp, rows))
    np.testing.assert_array_equal(turned(kernels.COMPILED.turn, rows), turned(kernels.turn, rows))
    held = np.where(np.arange(30).reshape(5, 6) % 2, np.inf, 0.1)
    held[1] = np.where(held[1] < np.inf, 0.0, np.inf)  # its legs stand, and wait
    compiled = clocked(kernels.COMPILED.legs_of_clock, rows, held=held.copy())
    np.testing.assert_array_equal(compiled, clocked(kernels.legs_of_clock, rows, held=held))


def test_a_simulation_is_the_same_alone_and_among_others():
    together, ramps = measured(kernels.COMPILED.walker_frame, slice(0, 5)), ramped(kernels.COMPILED.ramp, slice(0, 5))
    for k in range(5):
        one = slice(k, k + 1)
        np.testing.assert_array_equal(measured(kernels.COMPILED.walker_frame, one)[0], together[k])
        np.testing.assert_array_equal(ramped(kernels.COMPILED.ramp, one)[0], ramps[k])
        np.testing.assert_array_equal(turned(kernels.COMPILED.turn, one)[0], turned(kernels.turn, slice(0, 5))[k])
        alone, others = (clocked(kernels.COMPILED.legs_of_clock, part) for part in (one, slice(0, 5)))
        np.testing.assert_array_equal(alone[0], others[k])


def test_servos_deliver_what_their_motors_can():
    qpos, qvel, _, (action, _, reference, rate) = hand_made(5)
    values, angle, speed = measured(kernels.walker_frame, slice(0, 5)), qpos[:, JOINTS], qvel[:, JOINTS - 1]
    motors = [HexapodParams(max_torque=3.0 + k).motor for k in range(5)]
    for k, motor in enumerate(motors):
        asked = (5.0 + k) * (reference[k] - angle[k]) + HexapodParams().KD * (rate[k] - speed[k])
        np.testing.assert_allclose(values[k, 27:33], motor.limit(asked, speed[k]), atol=1e-12)
        np.testing.assert_allclose(values[k, 33:39], motor.current(values[k, 27:33]))
    torques = measured(kernels.walker_frame, slice(0, 5), torques=True)[:, 27:33]
    np.testing.assert_allclose(torques[2], motors[2].limit(5.0 * action[2], speed[2]), atol=1e-12)
