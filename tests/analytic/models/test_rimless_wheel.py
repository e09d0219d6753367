"""The rimless wheel against its closed forms."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status, sections
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.hybrid.directions import Directions
from tarsus.analytic.models import rimless_wheel
from tarsus.analytic.models.rimless_wheel import RimlessWheel

SIM = hy.compile(rimless_wheel.build(), mode="python")
WHEELS = [RimlessWheel(), RimlessWheel(gravity=1.62, length=0.7, spokes=10, slope=0.11), RimlessWheel(slope=0.5)]


def step_map(params: RimlessWheel):
    """Return the map of the rate just after an impact downhill."""
    p = hy.vector(params)
    start = params.slope - rimless_wheel.half_angle(p)
    return sections.return_map(
        SIM,
        "step_down",
        lambda z: (np.array([start, z[0]]), np.zeros(1)),
        lambda x, d: x[1:2],
        p,
        chart="stance",
        rtol=1e-13,
        atol=1e-15,
    )


@pytest.mark.parametrize("params", WHEELS)
def test_rolling_and_its_multiplier_in_closed_form(params):
    p = hy.vector(params)
    rate = rimless_wheel.rolling_rate(p)
    found = sections.fixed_point(step_map(params), [1.02 * rate], tol=1e-12)
    assert found.status is sections.Convergence.CONVERGED
    assert abs(found.z[0] - rate) < 1e-10
    assert abs(found.multipliers[0] - math.cos(2 * math.pi / params.spokes) ** 2) < 1e-10
    assert rimless_wheel.multiplier(p) == pytest.approx(math.cos(2 * math.pi / params.spokes) ** 2, abs=1e-15)


def test_the_default_wheel_in_numbers():
    """8 spokes, slope .08: cot^2 (2 alpha) = 1, so rate^2 = 4 g sin(pi / 8) sin(.08)."""
    p = hy.vector(RimlessWheel())
    assert rimless_wheel.rolling_rate(p) ** 2 == pytest.approx(4 * 9.81 * math.sin(math.pi / 8) * math.sin(0.08))
    assert rimless_wheel.multiplier(p) == pytest.approx(0.5)


def test_the_monodromy_has_the_same_multiplier():
    p = hy.vector(RimlessWheel())
    x = [0.08 - math.pi / 8, rimless_wheel.rolling_rate(p)]
    v = Directions.of_start(rimless_wheel.build())
    m = Derivatives(rimless_wheel.build(), v.size, mode="python").run(
        v, x, [0.0], chart="stance", stop_at="step_down", final_time=9.0, rtol=1e-11
    )
    values = np.linalg.eigvals(m.end.matrix[:2, :2])
    assert np.allclose(np.sort(np.abs(values)), [0.5, 1.0], atol=1e-9)  # and along the flow


def test_too_shallow_for_rolling():
    p = hy.vector(RimlessWheel(slope=0.06))
    assert math.isnan(rimless_wheel.rolling_rate(p))
    r = SIM.run({"angle": 0.06 - math.pi / 8, "rate": 1.2}, params=p, final_time=30.0)
    assert r.status is Status.FINAL_TIME and r.chart_end == rimless_wheel.DOUBLE_SUPPORT


@pytest.mark.parametrize("slope", [0.0, 0.05, -0.05])
def test_rocking_dies_out_at_rest(slope):
    r = SIM.run({"angle": slope, "rate": 0.3}, params={"slope": slope}, final_time=9.0, rtol=1e-11)
    assert r.status is Status.FINAL_TIME and r.chart_end == rimless_wheel.DOUBLE_SUPPORT
    assert r.x_end[1] == 0.0 and abs(abs(r.x_end[0] - slope) - math.pi / 8) < 1e-15
    ups = r.events.x_plus[:, 1] / r.events.x_minus[:, 1]
    assert np.allclose(ups[:-1], math.cos(math.pi / 4))


def test_energy_is_constant_between_impacts():
    r = SIM.run(final_time=8.0, rtol=1e-12)
    before, after = (rimless_wheel.energy(r.p, x) for x in (r.events.x_minus, r.events.x_plus))
    assert len(after) > 5 and np.abs(before[1:] - after[:-1]).max() < 1e-10
    # An impact takes sin^2 (2 alpha) of the kinetic energy, and the new foot is 2 l sin(alpha) sin(slope) lower.
    lost = 0.5 * r.events.x_minus[:, 1] ** 2 * math.sin(math.pi / 4) ** 2
    gained = 2 * 9.81 * math.sin(math.pi / 8) * math.sin(0.08)
    assert np.allclose(before - after, lost - gained, atol=1e-12)


def test_uphill_it_counts_back():
    r = SIM.run({"angle": 0.0, "rate": -4.0}, params={"slope": 0.3}, final_time=10.0)
    assert r.events.name[0] == "step_up" and r.events.d_plus[0, 0] == -1.0
    assert r.events.name[-1] == "step_down"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"spokes": 4}, "spokes must be a whole number, 5 or more"),
        ({"spokes": 7.5}, "spokes must be a whole number"),
        ({"length": 0.0}, "length must be positive"),
        ({"slope": 2.0}, "slope must lie between"),
    ],
)
def test_misuse(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        RimlessWheel(**wrong)


@pytest.mark.parametrize(("slope", "chart"), [(0.1, rimless_wheel.DOUBLE_SUPPORT), (0.5, rimless_wheel.STANCE)])
def test_where_the_hub_lies_beyond_both_feet_nothing_rests(slope, chart):
    x, p = np.array([slope + math.pi / 8, 1e-7]), hy.vector(RimlessWheel(slope=slope))
    assert rimless_wheel.change_spokes(x, np.zeros(1), p, -1.0) == chart
