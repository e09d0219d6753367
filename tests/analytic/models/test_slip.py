"""SLIP against an independent 40-digit integration, its invariants, its symmetry and its touchdown policies."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status, sections
from tarsus.analytic.models import slip

# Printed by tests/oracles/hybrid_slip.py: 16 strides of four events from the manual's default start.
REFERENCE = np.loadtxt(Path(__file__).parents[2] / "oracles" / "hybrid_slip.txt")
SIM = hy.compile(slip.build(), mode="python")  # compiling takes longer than all runs
FIXED = hy.compile(slip.build("fixed"), mode="python")
# A start well inside the region of running, for properties: a hopper somewhat faster or slower, higher or lower.
STARTS = {"xdot": st.floats(0.3, 2.0), "y": st.floats(0.8, 0.95), "ydot": st.floats(-0.3, 0.3)}


def energies(r):
    """Energies along the record and on both sides of every event, relative to the first."""
    e = r.events
    parts = [(r.x, r.d, r.chart), (e.x_minus, e.d_minus, e.chart_before), (e.x_plus, e.d_plus, e.chart_after)]
    return np.concatenate([slip.energy(r.p, *part) for part in parts]) / slip.energy(r.p, r.x[:1], r.d[:1], r.chart[:1])


def test_event_times_against_the_oracle():
    r = SIM.run(final_time=1e9, max_charts=64, rtol=1e-12)
    assert r.events.name[:4].tolist() == ["liftoff", "apex", "touchdown", "bottom"]
    assert np.abs(r.events.t[:64] - REFERENCE).max() < 1e-11  # asked for: 1e-9
    assert np.abs(energies(r) - 1.0).max() < 1e-12  # asked for: 1e-11


def test_stance_is_about_its_foothold_wherever_that_is():
    """Moving body and foot alike changes no force, no length and no rate of it."""
    model, away = slip.build(), np.array([0.4, -0.3])
    for spri in (1.0, 2.0):  # each has a formula of its own
        p, x, d = model.p0.copy(), np.array([0.1, 0.8, 1.2, -0.7]), model.d0.copy()
        p[slip.P.spri] = spri
        moved, dx, other = d.copy(), np.empty(4), np.empty(4)
        moved[:2] += away
        shifted = x + [*away, 0.0, 0.0]
        slip.stance(0.0, x, d, p, dx)
        slip.stance(0.0, shifted, moved, p, other)
        np.testing.assert_allclose(other, dx, rtol=1e-12)
        assert slip.leg_length(shifted, moved) == pytest.approx(slip.leg_length(x, d), rel=1e-12)
        assert slip.leg_rate(shifted, moved) == pytest.approx(slip.leg_rate(x, d), rel=1e-12)


@pytest.mark.parametrize("method, rtol, error", [("dop853", 1e-9, 5e-9), ("dopri5", 1e-9, 2e-7), ("rk23", 1e-7, 1e-4)])
def test_error_follows_the_tolerance(method, rtol, error):
    """Error of 16 strides: the orbit is neutral, so errors of about 700 steps (d8: 140) simply add up."""
    sim = SIM if method == "dop853" else hy.compile(slip.build(), method, mode="python")
    r = sim.run(final_time=1e9, max_charts=64, rtol=rtol)
    assert np.abs(r.events.t[:64] - REFERENCE).max() < error


def test_every_stride_of_the_neutral_rule_lasts_the_same_time():
    r = SIM.run(final_time=60.0, rtol=1e-12)
    touchdowns = r.events.t[r.events.of("touchdown")]
    strides = np.diff(touchdowns)
    assert strides.size > 90
    assert np.abs(strides - strides[0]).max() < 1e-11


def test_apex_map_is_an_involution():
    r = SIM.run({"y": 0.85, "xdot": 1.3, "ydot": 0.2}, final_time=20.0, rtol=1e-12)
    apex = r.events.x_minus[r.events.of("apex")][:, 1:3]  # height and speed; x itself drifts on
    assert len(apex) > 20
    assert np.abs(apex[2:] - apex[:-2]).max() < 1e-10
    assert np.abs(apex[1] - apex[0]).max() > 1e-3  # and it is not simply constant


@pytest.mark.extra
@settings(max_examples=40, deadline=None)
@given(**STARTS)
def test_energy_is_constant_events_included(**start):
    r = SIM.run(start, final_time=5.0, rtol=1e-12)
    assert r.status in (Status.FINAL_TIME, Status.INVALID_CHART, Status.INVALID_ENTRY)
    assert np.abs(energies(r) - 1.0).max() < 1e-11


@settings(max_examples=15, deadline=None)
@given(**STARTS)
def test_horizontal_speed_is_constant_in_flight(**start):
    r = SIM.run(start, final_time=3.0, rtol=1e-10)
    flight = r.chart[1:] <= slip.DESCENT
    same = (r.chart[1:] == r.chart[:-1]) & flight
    assert np.abs(np.diff(r.x[:, 2])[same]).max(initial=0.0) < 1e-13


@settings(max_examples=15, deadline=None)
@given(**STARTS)
def test_angular_momentum_about_the_foot_is_constant_without_gravity(**start):
    r = SIM.run(start, params={"g_stance": 0.0}, final_time=3.0, rtol=1e-12)
    in_stance = (r.chart[1:] >= slip.COMPRESSION) & (r.chart[:-1] >= slip.COMPRESSION)
    momentum = slip.angular_momentum(r.p, r.x, r.d)
    assert np.abs(np.diff(momentum)[in_stance]).max(initial=0.0) < 1e-9 * np.abs(momentum).max()


@settings(max_examples=10, deadline=None)
@given(**STARTS)
def test_the_foot_stands_on_the_ground_in_stance_and_the_leg_is_short(**start):
    r = SIM.run(start, final_time=3.0)
    stance = r.chart >= slip.COMPRESSION
    assert np.all(r.d[stance, 1] == 0.0)
    length = np.hypot(r.x[stance, 0] - r.d[stance, 0], r.x[stance, 1])
    assert np.all(length <= 1.0 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([(1, -2), (2, 1), (1, -1), (1, 1), (2, -1), (3, 1), (2, 2), (2, -2)]), st.floats(0.4, 0.99))
def test_spring_force_is_minus_the_derivative_of_the_potential(exponents, q):
    p = hy.vector(slip.Slip(spri=exponents[0], sprj=exponents[1]))
    h = 1e-5
    slope = (slip.spring_potential(p, q + h) - slip.spring_potential(p, q - h)) / (2 * h)
    assert abs(slip.spring_force(p, q) + slope) < 1e-6 * max(1.0, abs(slope))
    assert slip.spring_force(p, q) > 0  # a compressed leg pushes


@pytest.mark.parametrize("exponents, k", [((2, 1), 20000.0), ((2, -2), 5000.0)])
def test_energy_is_constant_for_other_springs(exponents, k):
    sim = hy.compile(slip.build(), mode="python")
    params = {"spri": exponents[0], "sprj": exponents[1], "k": k}
    r = sim.run(params=params, final_time=2.0, rtol=1e-12)
    assert r.status is Status.FINAL_TIME and len(r.events) > 8
    assert np.abs(energies(r) - 1.0).max() < 1e-11


def test_manuals_default_start_is_decompression_at_minimum_length():
    r = SIM.run(final_time=0.05)
    assert r.chart[0] == slip.DECOMPRESSION  # radial rate exactly zero: the acceleration decides


def test_a_leg_standing_still_under_too_much_weight_is_compressed():
    r = FIXED.run({"y": 0.99, "xdot": 0.0}, params={"body_mass": 200.0}, final_time=0.01)
    assert r.chart[0] == slip.COMPRESSION


@pytest.mark.parametrize(
    "start, angle, chart",
    [
        ({"y": 1.2, "ydot": 1.0}, 0.0, slip.ASCENT),
        ({"y": 1.2, "ydot": 0.0}, 0.0, slip.DESCENT),
        ({"y": 0.9, "ydot": -1.0}, 0.1, slip.COMPRESSION),
        ({"y": 0.9, "ydot": 1.0}, 0.1, slip.DECOMPRESSION),
    ],
)
def test_first_chart(start, angle, chart):
    r = FIXED.run(start, {"touchdown_angle": angle}, final_time=0.001)
    assert r.chart[0] == chart
    if chart >= slip.COMPRESSION:
        assert r.d[0, 1] == 0.0 and r.d[0, 0] == pytest.approx(start["y"] * math.tan(angle), abs=1e-15)


def test_fixed_policy_keeps_the_angle_and_user_policy_sets_it():
    start, angle = {"y": 1.1, "xdot": 2.0}, {"touchdown_angle": 0.2}
    r = FIXED.run(start, angle, chart="descent", final_time=3.0)
    assert np.all(r.d[:, 2] == 0.2)
    chosen = hy.compile(slip.build(lambda t, x, d, p: 0.1 * x[2]), mode="python")
    r = chosen.run(start, angle, chart="descent", final_time=3.0)
    apex = r.events.of("apex")
    assert len(apex) >= 2
    assert np.allclose(r.events.d_plus[apex, 2], 0.1 * r.events.x_plus[apex, 2])


def test_body_reaching_the_ground_is_located():
    r = FIXED.run({"y": 1.2, "xdot": 3.0}, {"touchdown_angle": 1.7}, chart="descent", final_time=3.0, rtol=1e-10)
    assert r.status is Status.INVALID_CHART and "body_fall" in r.message
    assert abs(r.x_end[1]) < 1e-9


def test_wrong_parameters_are_refused():
    with pytest.raises(ValueError, match="body_mass must be positive, got -1"):
        slip.Slip(body_mass=-1.0)
    with pytest.raises(ValueError, match="unknown touchdown policy 'best'; known: neutral, fixed"):
        slip.build("best")
    with pytest.raises(ValueError, match="exponents must not be zero"):
        dataclasses.replace(slip.Slip(), sprj=0.0)


@pytest.mark.parametrize("degrees", [23.0, 200.0])
def test_an_angle_in_degrees_is_refused_where_a_search_begins_and_has_no_return_within_it(degrees):
    hint = rf"; did you mean {math.radians(degrees):.3g} \({degrees:g} degrees\)\?" if degrees < 180 else ""
    says = f"touchdown_angle must lie between -3.142 and 3.142 in radians, got {degrees:g}{hint}$"
    with pytest.raises(ValueError, match=says):
        FIXED.run({"y": 1.2, "xdot": 3.0}, {"touchdown_angle": degrees}, chart="descent")

    def apex(z):
        return np.array([0.0, 1.2, 3.0, 0.0]), np.array([0.0, 0.0, z[0]])

    settings = {"chart": "descent", "final_time": 3.0}
    stride = sections.return_map(FIXED, "apex", apex, lambda x, d: x[1:2], **settings)
    with pytest.raises(ValueError, match=says):
        stride([degrees])
    assert np.isfinite(stride([0.1])).all() and np.isnan(stride([degrees])).all()


def test_auxiliary_functions_are_the_manuals_five():
    r = SIM.run(final_time=0.3, record_period=0.1)
    assert r.names.aux == ("t", "x", "y", "xdot", "ydot")
    assert np.array_equal(r.aux[:, 0], r.t) and np.array_equal(r.aux[:, 1:], r.x)


def test_a_step_rejected_in_the_last_visit_is_not_tried_again():
    """The compressions of a steady run are alike: one rejected step is learnt from, and the times stay as good."""
    sim = hy.compile(slip.build(), mode="python")
    run, fine = (sim.run(final_time=1e9, max_charts=80, rtol=rtol) for rtol in (1e-9, 1e-12))
    assert run.counts["rejected"] <= 5  # one in every stance otherwise
    np.testing.assert_allclose(run.events.t, fine.events.t, rtol=0.0, atol=2e-9)
