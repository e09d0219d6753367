"""Deadbeat SLIP: the apex asked for is reached in one stride of the exact model, or the status says that it is not."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.analytic.models.slip import Slip
from tarsus.scripts.laboratory.models import deadbeat_slip
from tarsus.scripts.laboratory.models.deadbeat import DeadbeatLimits, DeadbeatRunner, DeadbeatStatus

PARAMS = Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
RUNNER = DeadbeatRunner(PARAMS)
APEX = (1.0, 5.0)


@pytest.mark.parametrize("target", [(1.0, 5.0), (1.05, 4.5), (0.95, 5.0), (1.5, 5.0), (1.2, 3.0), (2.0, 1.0)])
def test_height_and_speed_are_reached_in_one_stride(target):
    stride = RUNNER.plan(APEX, target)
    assert stride.status is DeadbeatStatus.REACHED
    r = RUNNER.run(APEX, stride)
    assert r.status is hy.Status.STOPPED
    assert np.abs(r.x_end[1:3] - target).max() < 1e-9
    assert (stride.height, stride.speed) == pytest.approx(target, abs=1e-9)
    stance = r.events.t[r.events.of("liftoff")[0]] - r.events.t[r.events.of("touchdown")[0]]
    assert stride.duty_factor == pytest.approx(stance / r.t_end, abs=1e-9)


def test_one_command_after_the_other():
    apex = APEX
    for target in ((1.05, 4.8), (1.1, 4.2), (1.02, 4.4), (1.0, 5.0)):
        r = RUNNER.run(apex, RUNNER.plan(apex, target))
        assert np.abs(r.x_end[1:3] - target).max() < 1e-9
        apex = (r.x_end[1], r.x_end[2])


def test_equal_springs_suffice_where_the_energy_stays():
    stride = RUNNER.plan(APEX, APEX)
    assert stride.decompression == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("duty_factor", [0.345, 0.37])
def test_the_duty_factor_is_the_first_stiffnesss(duty_factor):
    stride = RUNNER.plan(APEX, (1.05, 4.8), duty_factor=duty_factor)
    assert stride.status is DeadbeatStatus.REACHED
    assert stride.duty_factor == pytest.approx(duty_factor, abs=1e-9)
    assert np.abs(RUNNER.run(APEX, stride).x_end[1:3] - (1.05, 4.8)).max() < 1e-9


@pytest.mark.parametrize(
    ("target", "settings", "status"),
    [
        ((1.1, 5.5), {"compression": 1.0}, DeadbeatStatus.NO_ANGLE),
        ((1.1, 9.0), {"compression": 1.0}, DeadbeatStatus.NO_ANGLE),
        ((40.0, 5.0), {}, DeadbeatStatus.STIFFNESS_LIMIT),
        ((40.0, 5.0), {"duty_factor": 0.3}, DeadbeatStatus.STIFFNESS_LIMIT),
        ((1.05, 4.8), {"duty_factor": 0.6}, DeadbeatStatus.NO_DUTY_FACTOR),
    ],
)
def test_beyond_the_range_of_the_controls_the_status_says_so(target, settings, status):
    stride = RUNNER.plan(APEX, target, **settings)
    assert stride.status is status and math.isnan(stride.angle)
    with pytest.raises(ValueError, match="this stride cannot be run"):
        RUNNER.run(APEX, stride)


def test_a_softer_spring_before_the_bottom_widens_the_range():
    """With k itself no angle of running forward leads to an apex below 1.1008 m at the energy of 1.1 m and 5.5 m/s."""
    heights = RUNNER.strides(APEX, (1.1, 5.5), 1.0, np.linspace(0.0, 0.7, 281))[:, 0]
    assert 1.1 < np.nanmin(heights) < 1.101
    stride = RUNNER.plan(APEX, (1.1, 5.5))
    assert stride.status is DeadbeatStatus.REACHED and stride.compression < 1.0
    assert np.abs(RUNNER.run(APEX, stride).x_end[1:3] - (1.1, 5.5)).max() < 1e-9


def test_energy_jumps_at_the_bottom_and_nowhere_else():
    r = RUNNER.run(APEX, RUNNER.plan(APEX, (1.2, 5.0)))
    e, p = r.events, r.p
    before = deadbeat_slip.energy(p, e.x_minus, e.d_minus, e.chart_before)
    after = deadbeat_slip.energy(p, e.x_plus, e.d_plus, e.chart_after)
    bottom = e.of("bottom")[0]
    jump = deadbeat_slip.gain(p, e.x_minus[bottom], e.d_minus[bottom])
    assert jump == pytest.approx(80.0 * 9.81 * 0.2, abs=1e-6)
    assert np.allclose(after - before, np.where(np.arange(len(e)) == bottom, jump, 0.0), atol=1e-9)
    energies = deadbeat_slip.energy(p, r.x, r.d, r.chart)
    start = 80.0 * (9.81 + 12.5)
    behind = (r.t > e.t[bottom]) | (r.chart == slip.DECOMPRESSION)
    assert np.allclose(energies, np.where(behind, start + jump, start), atol=1e-6)


def test_with_equal_springs_it_is_slip():
    ours = hy.compile(deadbeat_slip.build(PARAMS), mode="python")
    theirs = hy.compile(slip.build("fixed", PARAMS), mode="python")
    start = [0.0, 1.0, 5.0, 0.0]
    a = ours.run(start, [0.0, 0.0, 0.4, 1.0, 1.0], chart="descent", final_time=2.0, rtol=1e-11)
    b = theirs.run(start, [0.0, 0.0, 0.4], chart="descent", final_time=2.0, rtol=1e-11)
    assert a.events.name.tolist() == b.events.name.tolist() and np.abs(a.x_end - b.x_end).max() < 1e-8


def test_misuse():
    with pytest.raises(ValueError, match="q_rt and q_rl must be q_0"):
        deadbeat_slip.build(Slip(q_rt=0.9))
    with pytest.raises(ValueError, match="angle must be a range"):
        DeadbeatLimits(angle=(0.5, -0.5))
    with pytest.raises(ValueError, match="stiffness must be a range"):
        DeadbeatLimits(stiffness=(0.0, 2.0))
    with pytest.raises(ValueError, match="positive height"):
        RUNNER.plan((0.0, 1.0), APEX)
    with pytest.raises(ValueError, match="compression must lie in"):
        RUNNER.plan(APEX, APEX, compression=9.0)
    with pytest.raises(ValueError, match="None with a duty factor"):
        RUNNER.plan(APEX, APEX, compression=1.0, duty_factor=0.4)
    with pytest.raises(ValueError, match="duty_factor must lie between 0 and 1"):
        RUNNER.plan(APEX, APEX, duty_factor=1.0)
