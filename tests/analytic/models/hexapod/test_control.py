"""The hexapod's controllers: the compiled clock is the clock module's; a user adds one without touching the machine."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait, wrap
from tarsus.analytic.models.hexapod import HexapodParams, hybrid
from tarsus.analytic.models.hexapod import control as controls
from tarsus.analytic.models.hexapod.state import assemble

PARAMS = HexapodParams()
HEADINGS = st.sampled_from(["forward", "backward", "left", "right"])


ROWS = st.sampled_from([(0.5, 0.0, 0.0), (0.0, 0.71, 0.33), (0.3, 0.2, 0.9)])  # phases of tripods and rows
BLENDS = st.sampled_from([(0.0, "cubic"), (0.1, "cubic"), (0.15, "linear")])


@example(0.3, 0.5, 1.0, 0.0, 0.1, "forward", (0.0, "cubic"), (0.5, 0.0, 0.0))  # a kink, but for rounding
@given(
    *(st.floats(-3, 7), st.floats(0.3, 0.7), st.floats(0.2, 2), st.floats(-0.5, 0.5), st.floats(-0.1, 0.1)),
    *(HEADINGS, BLENDS, ROWS),
)
def test_the_compiled_clock_is_the_clock_module(t, slow, sweep, offset, difference, heading, blend, rows):
    gait = TripodGait(
        1.0, slow, sweep, offset, difference, -difference, heading, difference, *blend, difference, offset, 0.05, *rows
    )
    control = controls.open_loop(PARAMS, gait)
    p, d = np.array(list(control.params.values())), np.zeros(12)
    mode = controls.clock_initial(t, None, None, d, p, (0.0,) * 6)
    angle, rate = gait.clock()(t)
    left = np.full(12, np.inf)
    controls.kinks(t, None, None, d, p, mode, left)
    at_a_kink = len(gait.clock().kinks(t - 1e-9, t + 1e-9)) > 0  # there rounding decides whose rate it is
    for leg in range(6):
        found, found_rate = controls.clock_reference(t, d, p, mode, leg)
        assert at_a_kink or found_rate == pytest.approx(rate[leg], rel=1e-12)
        assert wrap(found - angle[leg]) == pytest.approx(0.0, abs=1e-9)
    if not at_a_kink:
        assert left[:6].min() == pytest.approx(gait.clock().kinks(t, t + 1.5)[0] - t, abs=1e-9)


@pytest.mark.parametrize("shape", ["linear", "cubic"])
@pytest.mark.parametrize("blend", [0.0, 0.15, 0.4])
def test_modes_follow_each_other_through_the_clocks_turns(blend, shape):
    """From kink to kink, each found by its guard, references are the clock's to the end; 0.4 has no fast phase."""
    gait = TripodGait(0.5, 0.3, 0.7, 0.2, 0.0, 0.1, sweep_difference=0.1, blend=blend, blend_shape=shape)
    control, clock, d = controls.open_loop(PARAMS, gait), gait.clock(), np.zeros(12)
    p, t = np.array(list(control.params.values())), 0.01
    mode, seen = controls.clock_initial(t, None, None, d, p, (0.0,) * 6), 0
    while t < 2.0:
        left = np.full(12, np.inf)
        controls.kinks(t, None, None, d, p, mode, left)
        lasts = left[:6].min()
        assert lasts > 1e-6
        fired = np.r_[left[:6] < lasts + 1e-9, np.zeros(6, bool)]
        for leg in range(6):
            found, rate = controls.clock_reference(t + 0.5 * lasts, d, p, mode, leg)
            assert wrap(found - clock(t + 0.5 * lasts)[0][leg]) == pytest.approx(0.0, abs=1e-9)
            assert rate == pytest.approx(clock(t + 0.5 * lasts)[1][leg])
            end, _ = controls.clock_reference(t + lasts, d, p, mode, leg)
            assert wrap(end - clock(t + lasts)[0][leg]) == pytest.approx(0.0, abs=1e-9)
        t, seen = t + lasts, seen + fired.sum()
        mode = controls.clock_transition(t, None, None, d, p, mode, (0.0,) * 6, fired)
    assert seen >= 6 * 4 * {0.0: 2, 0.15: 4, 0.4: 3}[blend] - 12


def test_the_torque_pulls_to_the_reference_the_short_way_round():
    control = controls.open_loop(PARAMS)
    p, d = np.array(list(control.params.values())), np.zeros(12)
    mode = controls.clock_initial(0.1, None, None, d, p, (0.0,) * 6)
    reference, rate = controls.clock_reference(0.1, d, p, mode, 0)
    torque = controls.clock_torque(0.1, None, None, d, p, mode, 0, reference - 0.2, rate + 0.3)
    assert torque == pytest.approx(PARAMS.KP * 0.2 - PARAMS.KD * 0.3)


@pytest.mark.extra
def test_the_short_way_round_changes_sides_in_an_event():
    """A hip that is held back loses half a turn; the error jumps from pi to -pi there, and nothing else does."""
    weak = controls.open_loop(HexapodParams(KP=1e-3, KD=0.0), TripodGait(0.1, 0.06))
    joints = np.column_stack([np.zeros(6), PARAMS.theta_r0, PARAMS.rho_r0])
    model = hybrid.build(control=weak)
    r = hy.compile(model, mode="python").run(
        assemble(PARAMS, [0, 0, 5.0], [1, 0, 0, 0], joints), final_time=0.08, rtol=1e-4, record_period=None
    )
    turns = r.events.of("half_turn_0")
    assert len(turns) >= 1
    jumps = [r.events.d_plus[i, 7 + 6] - np.pi * np.sign(r.events.d_plus[i, 7 + 6]) for i in turns]
    assert min(np.abs(jumps)) < 1e-6


@pytest.mark.extra
def test_a_user_brings_a_controller_with_states_modes_and_events():
    """Hips held at an angle with integral action, switched on by an event of its own."""

    def torque(t, x, own, d, p, mode, leg, angle, speed):
        return p[0] * (p[2] - angle) - p[1] * speed + own[leg]

    def field(t, x, own, d, p, mode, rate):
        for leg in range(6):
            rate[leg] = p[3] * mode * (d[0] + 1.0)

    def guards(t, x, own, d, p, mode, g):
        if mode == 0:
            g[0] = p[4] - t

    def transition(t, x, own, d, p, mode, hips, fired):
        d[0] = hips[0]
        return 1 if fired[0] else mode

    mine = controls.HipControl(
        params={"gain": 10.0, "damping": 0.5, "angle": 0.1, "rate": 2.0, "switch_time": 0.004},
        torque=torque,
        state={f"integral{leg}": 0.0 for leg in range(6)},
        memory={"angle_then": 0.0},
        table=(hy.Guard("switch"),),
        field=field,
        guards=guards,
        transition=transition,
    )
    model = hybrid.build(control=mine)
    r = hy.compile(model, mode="python").run(final_time=0.01, rtol=1e-5)
    assert r.status is hy.Status.FINAL_TIME
    (switch,) = r.events.of("switch")
    assert r.events.t[switch] == pytest.approx(0.004, abs=1e-12)
    assert r.d_end[7] != 0.0
    assert r.x_end[52:] == pytest.approx(2.0 * 0.006 * (r.d_end[7] + 1.0))
    assert (r.chart_end >> 12) == 1
