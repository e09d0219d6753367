"""The hopping leg's hybrid model: limit cycles, invariants, events, and runs that do not end well."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.automaton import Automaton
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import HoppingLegParams, hip_height, places, start_angles
from tarsus.analytic.models.hopping_leg_mechanics import (
    frames_of,
    kinetic_energy,
    mass_and_bias,
    numbers,
    potential_energy,
)
from tarsus.analytic.terrain import Sinusoid, Step
from tarsus.controllers.raibert import raibert
from tarsus.controllers.raibert_laws import STANCE, D, RaibertGains

PARAMS = HoppingLegParams()
START = np.concatenate([start_angles(PARAMS), np.zeros(4)])
# Commanded speed, then stance time and period of the limit cycle [s], from an independent prototype (DOP853, 1e-9).
CYCLES = [(0.0, 0.1431, 0.4322), (0.5, 0.1383, 0.4265), (1.0, 0.1327, 0.4199), (1.5, 0.1270, 0.4124)]
CYCLES += [(-0.5, 0.1462, 0.4359)]


@pytest.fixture(scope="module")
def compiled():
    return hy.compile(hybrid_leg.build(raibert()))


@pytest.fixture(scope="module")
def plain():
    return hy.compile(hybrid_leg.build(raibert()), mode="python")


PUSH = np.array([-2.0, 6.0])  # constant torques of hip and knee, about what holds the leg up [N m]


def pushing():
    """A controller whose torques are PUSH at all times: energy less PUSH times the joint angles is kept in a chart."""

    def torque(t, x, d, p, u):
        u[0] = PUSH[0]
        u[1] = PUSH[1]

    def note(t, x, d, p):
        d[D.t_event] = t

    made = {"memory": {"t_event": 0.0}, "params": {"stance_time": 0.2}}
    a = Automaton("push", phases=("descent", "stance"), contact=("stance",), **made)
    a.begin(lambda t, x, d, p: 0)
    a.command("descent", "stance")(torque)
    a.contact("stance", name="liftoff", to="descent", law=note)
    a.contact("descent", name="touchdown", to="stance", law=note)
    return a


@pytest.mark.extra
@pytest.mark.parametrize(("speed", "stance_time", "period"), CYCLES)
def test_forty_hops_settle_on_the_commanded_height(compiled, speed, stance_time, period):
    r = compiled.run(params={"speed": speed}, final_time=40, record_period=None, stop_at="apex", stop_count=40)
    assert r.status is hy.Status.STOPPED, r.message
    e = r.events
    apex, touchdown, liftoff = (e.of(name) for name in ("apex", "touchdown", "liftoff"))
    heights = hip_height(PARAMS, e.x_plus[apex, 1])[-10:]
    assert np.ptp(heights) < 1e-4 and abs(heights.mean() - 0.4) < 1e-4
    assert e.x_plus[apex, 4][-10:].mean() == pytest.approx(speed, abs=2e-3)
    assert np.diff(e.t[touchdown])[-10:].mean() == pytest.approx(period, abs=1e-4)
    assert (e.t[liftoff] - e.t[touchdown])[-10:].mean() == pytest.approx(stance_time, abs=1e-4)


def test_the_first_hop_is_the_prototypes(plain):
    r = plain.run(final_time=1.0, stop_at="apex")
    e = r.events
    assert r.status is hy.Status.STOPPED and r.guard == ""
    assert e.t[e.of("touchdown")][0] == pytest.approx(0.158340, abs=1e-6)


@pytest.mark.extra
def test_the_foot_stays_where_it_landed_but_for_the_radius(compiled):
    r = compiled.run(final_time=1.0, record_period=1e-3, stop_at="apex")
    stance = r.chart == STANCE
    radial = r.d[stance, :2]
    foot = places(PARAMS, r.x[stance, :4]).foot
    across = radial[:, 0] * foot[:, 1] - radial[:, 1] * foot[:, 0]
    along = np.vecdot(radial, foot[:, :2])
    assert np.ptp(across) < 1e-9 and np.abs(foot[:, 2]).max() < 1e-9
    assert 1e-3 < np.ptp(along) < 0.03
    force = r.aux[stance][:, hybrid_leg.AUX.index("F_Z")]
    assert force.min() > 0.99 * PARAMS.liftoff_force


def test_yaw_momentum_is_kept_in_flight(plain):
    r = plain.run(final_time=0.158, record_period=5e-3)
    M, h = np.empty((4, 4)), np.empty(4)
    momenta = []
    for x in r.x:
        mass_and_bias(frames_of(x[:4], x[4:], r.p), x[4:], r.p, M, h)
        momenta.append(M[0] @ x[4:])
    assert np.ptp(momenta) < 1e-11


def test_energy_that_the_motors_do_not_give_is_lost_at_touchdown_only():
    start = START.copy()
    start[1], start[4:] = -0.03, [0.8, 0.3, 0.0, 0.0]
    sim = hy.compile(hybrid_leg.build(pushing(), start=start), mode="python")
    r = sim.run(final_time=0.06, record_period=1e-3, rtol=1e-11)
    energy = [kinetic_energy(x[:4], x[4:], r.p) + potential_energy(x[:4], r.p) for x in r.x]
    kept = energy - r.x[:, 2:4] @ PUSH
    parts = [kept[r.chart == chart] for chart in (0, 1)]
    for part in parts:
        assert part.size > 5 and np.ptp(part) < 1e-8
    assert parts[1].mean() < parts[0].mean() - 1e-3


@pytest.mark.extra
def test_compiled_and_plain_agree_to_the_bit(compiled, plain):
    ends = [sim.run(final_time=0.5, record_period=None).x_end for sim in (compiled, plain)]
    np.testing.assert_array_equal(*ends)


@pytest.mark.extra
@pytest.mark.parametrize("mode", ["current", "voltage"])
def test_driven_legs_hop_too(compiled, mode):
    params = HoppingLegParams(motor_mode=mode)
    r = compiled.run(
        params=numbers(params) | RaibertGains().numbers(params),
        final_time=40,
        record_period=None,
        stop_at="apex",
        stop_count=40,
    )
    e = r.events
    apex, touchdown, liftoff = (e.of(name) for name in ("apex", "touchdown", "liftoff"))
    wanted = {"current": (0.4232, 0.1377, 1e-4), "voltage": (0.3648, 0.0952, 1e-3)}[mode]
    period = np.diff(e.t[touchdown])[-10:].mean()
    stance = (e.t[liftoff] - e.t[touchdown])[-10:].mean()
    np.testing.assert_allclose([period, stance], wanted[:2], atol=wanted[2])
    assert hip_height(params, e.x_plus[apex, 1])[-10:].mean() == pytest.approx(0.4, abs=1e-4)


@pytest.mark.parametrize(
    "ground",
    [pytest.param(Sinusoid(0.01, 5.0, 5.0), marks=pytest.mark.extra), Step(0.03, 0.2)],
    ids=["sinusoid", "step"],
)
def test_it_lands_where_the_ground_is(ground):
    sim = hy.compile(hybrid_leg.build(raibert(), ground=ground), mode="python")
    r = sim.run(final_time=3.0, rtol=1e-5, record_period=None, stop_at="touchdown", stop_count=3)
    assert r.status is hy.Status.STOPPED, r.message
    e = r.events
    foot = places(PARAMS, e.x_plus[e.of("touchdown"), :4]).foot
    np.testing.assert_allclose(foot[:, 2], ground.height(foot[:, 0], foot[:, 1]), atol=1e-9)
    assert np.ptp(foot[:, 2]) > 1e-3


def low_start():
    start = START.copy()
    start[1] = 0.1
    return start


def straight_start():
    start = START.copy()
    start[2:4] = [0.02, -0.02]
    return start


@pytest.mark.parametrize(
    ("start", "params", "guard"),
    [
        (low_start(), {}, "foot_below_ground"),
        (straight_start(), {}, "full_stretch"),
        (START, {"kd": 0.0}, "foot_pushed_back"),  # nothing slows the foot that stance has just pushed down
        (START, {"kp": 0.0}, "liftoff"),  # a foot that nobody placed would have to be pulled down at touchdown
        (START, {"k_height": 0.0, "force": 1.0, "force_min": 1.0}, "fall|stance_timeout|full_stretch"),
    ],
)
def test_runs_that_do_not_end_well_say_so_and_keep_what_was(plain, start, params, guard):
    r = plain.run(start, params=params, rtol=1e-5, final_time=20.0, stop_at="apex", stop_count=40)
    assert r.status in (hy.Status.INVALID_CHART, hy.Status.INVALID_ENTRY), r.message
    assert r.guard in guard.split("|") and f"guard {r.guard}" in r.message
    assert r.t.size >= 1 and np.all(np.isfinite(r.x))


def test_a_compressed_stance_that_lasts_too_long_is_an_end(plain):
    params = {"force": 40.0, "k_height": 0.0, "kp_stance": 300.0, "kd_stance": 8.0}
    r = plain.run(params=params, rtol=1e-5, final_time=20.0)
    assert r.status is hy.Status.INVALID_CHART and "stance_timeout" in r.message
    assert r.t_end > 0.5


def test_gains_are_the_controllers(plain):
    fast = RaibertGains(speed=1.0).numbers(PARAMS)
    both = [
        plain.run(params=params, final_time=0.3, rtol=1e-5, record_period=None).x_end
        for params in ({"speed": 1.0}, numbers(PARAMS) | fast)
    ]
    np.testing.assert_array_equal(*both)


@pytest.mark.extra
def test_derivatives_are_differences_of_runs(compiled):
    """Ten, over a flight, a stance and a flight; the differences' step is that of their least rounding."""
    wrt = ("g", "HB", "LB", "DB", "LH", "LK", "DK", "speed", "height", "stance_time")
    model = compiled.model
    first = compiled.run(params={"speed": 0.5}, final_time=9, stop_at="apex", stop_count=20, record_period=None)
    start = {"x0": first.x_end, "d0": first.d_end, "t0": first.t_end, "chart": first.chart_end}
    start["final_time"] = first.t_end + 0.6
    made = Derivatives(model, len(wrt)).run(wrt, params={"speed": 0.5}, **start)
    assert made.existence is Existence.EXISTS, made.message
    numbers_now = dict(zip(model.param_names, model.p0, strict=True)) | {"speed": 0.5}
    for j, name in enumerate(wrt):
        step, ends = 1e-3 * numbers_now[name], []
        for s in (1, -1, 2, -2):
            params = {"speed": 0.5, name: numbers_now[name] + s * step}
            ends.append(compiled.run(params=params, rtol=1e-13, atol=1e-15, record_period=None, **start).x_end)
        by = np.array([8, -8, -1, 1]) @ np.array(ends) / (12 * step)
        np.testing.assert_allclose(made.end.x_by[:, j], by, rtol=0, atol=1e-7 * np.abs(by).max(), err_msg=name)
