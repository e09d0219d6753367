"""RHex's pronk held by nine numbers of its body, in both engines."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.scripts.laboratory.models import held
from tarsus.scripts.laboratory.pages import rhex_held as rhex_held_page
from tarsus.scripts.laboratory.studies import rhex_held
from tarsus.scripts.library.stability import single
from tarsus.scripts.library.stability.ensembles import Trial
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.pushes import PushedGait
from tarsus.scripts.library.stability.system import MapSystem

BACK = 0.05  # largest of the body's scaled numbers that counts as returned in MuJoCo, whose gait is slightly another


@pytest.fixture(scope="module")
def rhex():
    return rhex_held.HeldRhex.of()


def test_feedback_makes_the_pronk_stable(rhex):
    """Open loop the roll grows by 1.24 a stride; with feedback from nine numbers every mode is halved at least."""
    open_loop = np.abs(rhex.law.model.multipliers)
    assert open_loop[0] == pytest.approx(1.238, abs=5e-3) and open_loop[1] < 1.0
    assert np.abs(rhex.law.multipliers[0]) < 0.5
    assert np.count_nonzero(np.abs(rhex.law.gain @ rhex.law.measured).max(axis=0)) == held.N_BODY


def apart(rhex, push, strides, walk=None, **how):
    """Return how far the body is from the gait at the sections after a push, shape (strides,)."""
    z = rhex.law.model.z
    rows = (walk or rhex.in_exact)(rhex_held.with_push(push, z), strides, **how)[1:, : held.N_BODY]
    return np.abs(rows - z[: held.N_BODY]).max(axis=1)


def test_a_push_is_forgotten_in_both_engines(rhex):
    push = np.array([0.1, -0.1, 0.1, 0.5, 0.5, -0.5])
    distance = apart(rhex, push, 12)
    assert distance[-1] < 1e-3 < distance[0]
    assert apart(rhex, push, 12, rhex.in_mujoco)[-1] < BACK


@pytest.mark.parametrize("engine", ["exact", "mujoco"])
def test_the_command_pushes_it_ahead_and_to_the_left(rhex, engine):
    gait = rhex.gait("rhex-pronk", engine=engine)
    off = gait.pushed(np.array([0.2, 0.1]), 0) - gait.system.at
    assert gait.system.names[:5] == ("z", "qx", "qy", "vx", "vy") and off[3:5] == pytest.approx([-0.1, 0.2])
    assert PushedGait(gait)(Trial(0.4, 0.0, 0.2, 0))


def test_a_large_push_throws_it(rhex):
    assert not PushedGait(rhex.gait("rhex-pronk"))(Trial(0.4, 0.0, 3.0, 0))


def test_a_robot_that_is_thrown_up_lands_on_its_legs(rhex):
    """By a longer flight of the legs; with the hips' angles alone it falls."""
    push = np.array([0.0, 0.2, 0.26, -0.4, 0.2, -0.5])
    assert apart(rhex, push, 10)[-1] < 0.02
    gain = np.vstack([rhex.law.gain[:6], np.zeros(held.N_BODY)])
    assert np.isnan(apart(rhex_held.HeldRhex(rhex.stride, replace(rhex.law, gain=gain)), push, 10)[-1])


def test_a_longer_flight_ends_a_stride_as_much_later(rhex):
    stride, u = rhex.stride, np.zeros(len(held.CONTROLS))
    x, lasts = stride.lift(rhex.law.model.z), []
    for u[-1] in (0.0, 0.005):
        r = held.stride_with(stride, u, x, stride.d0, stride.chart, record_period=0.0)
        lasts.append(r.t_end - r.t[0])
        turn = [name.startswith("turn") for name in stride.sim.model.memory_names]
        np.testing.assert_array_equal(held.tick_memory(stride, r)[turn], stride.d0[turn])
    np.testing.assert_allclose(lasts, stride.gait.cycle_time + np.array([0.0, 0.005]), atol=1e-9)


def test_without_feedback_a_roll_grows(rhex):
    """By the multiplier, from stride to stride, once the other modes have died away."""
    distance = apart(rhex, np.array([0.0, 0.0, 0.0, 0.0, 0.02, 0.0]), 12, is_held=False)
    assert distance[-1] > 1.5 * distance[5]


def test_pushes_that_were_tried_are_kept(tmp_path):
    """A gait that loses half of a push a stride, and falls if it is faster than .3 m/s."""
    asked = []

    def pushed(velocity, strides):
        asked.append(strides)
        return np.where(np.hypot(*velocity) > 0.3, np.nan, 0.5**strides * velocity)

    gait = Gait("map", MapSystem(lambda z: 0.5 * z, np.zeros(2)), 0.3, pushed=pushed)
    first = rhex_held_page.survived(gait, 8, tmp_path)
    tried = len(asked)
    assert rhex_held_page.survived(gait, 8, tmp_path) == first and len(asked) == tried > 0
    assert first.startswith("0.3")


@pytest.mark.thorough
def test_the_command_calls_it_unstable_alone_and_stable_held(rhex):
    alone, among = (single.asked(rhex.gait("rhex-pronk", is_held), "rhex-pronk") for is_held in (False, True))
    assert alone.verdict == "unstable" and alone.largest[0] == pytest.approx(1.238, abs=5e-3)
    assert among.verdict == "stable" and among.largest[0] == pytest.approx(0.466, abs=5e-3)


@pytest.mark.thorough
def test_the_fast_pronk_runs_at_the_published_speed_and_resistance_in_both_engines():
    """Published, with feedback: 1.06 m/s at 1.85. By the clock alone it falls."""
    rhex = rhex_held.HeldRhex.of("rhex-pronk-fast")
    assert abs(rhex.law.model.multipliers[0]) == pytest.approx(2.77, abs=0.01)
    assert abs(rhex.law.multipliers[0]) < 0.7
    for speed, resistance in (rhex.exact_numbers, rhex.mujoco_numbers(6.0)):
        assert speed > 1.06 and resistance < 1.85
    push = 0.25 * np.array([0.2, -0.2, 0.2, 0.8, 0.8, -0.8])
    assert np.isfinite([apart(rhex, push, 10, walk) for walk in (rhex.in_exact, rhex.in_mujoco)]).all()
    assert np.isnan(apart(rhex, push, 10, is_held=False)[-1])
