"""The simplest walker: against published numbers, and its equations as the limit of a walker with heavy feet."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status, sections
from tarsus.analytic.models import simplest_walker
from tarsus.analytic.models.simplest_walker import SimplestWalker

SIM = hy.compile(simplest_walker.build(), mode="python")
# Truncation 1e-4 of this walker's differences at the usual step is visible in the seventh digit: it bends within .2.
STEP = 2e-5


def step_map(slope=0.009):
    return sections.return_map(
        SIM,
        "heelstrike",
        simplest_walker.lift,
        simplest_walker.project,
        {"slope": slope},
        chart="swing",
        rtol=1e-13,
        atol=1e-15,
        final_time=20.0,
    )


@pytest.mark.parametrize(
    ("published", "period", "multipliers", "digits"),
    [
        ((0.20031090, -0.19983247), 3.88246375, (-0.1900998 + 0.5575988j, -0.1900998 - 0.5575988j), 1e-7),
        ((0.19393737, -0.20386693), 3.09610587, (4.00386, 0.45959), 5e-6),  # the source has 4.000, .4596
    ],
)
def test_published_gaits_at_slope_009(published, period, multipliers, digits):
    found = sections.fixed_point(step_map(), published, tol=1e-13, step=STEP)
    assert found.status is sections.Convergence.CONVERGED
    assert np.abs(found.z - published).max() < 5.1e-9  # half of the eighth digit
    assert np.abs(np.sort_complex(found.multipliers) - np.sort_complex(np.array(multipliers))).max() < digits
    x, d = simplest_walker.lift(found.z)
    r = sections.return_to(SIM, "heelstrike", x, d, chart="swing", rtol=1e-13)
    assert abs(r.t_end - period) < 5.1e-9


def test_a_step_against_another_integrator():
    """SciPy and the equations typed again: the time and place at which the swing foot comes down ahead."""
    theta, rate = simplest_walker.LONG
    slope, x, d = 0.009, *simplest_walker.lift([theta, rate])

    def f(t, y):
        a = math.sin(y[0] - slope)
        return [y[2], y[3], a, a + y[2] ** 2 * math.sin(y[1]) - math.cos(y[0] - slope) * math.sin(y[1])]

    def strike(t, y):
        return y[1] - 2 * y[0] if t > 3.0 else -1.0

    strike.terminal, strike.direction = True, 1
    s = solve_ivp(f, (0, 6), x, events=strike, method="DOP853", rtol=1e-13, atol=1e-15)
    r = sections.return_to(SIM, "heelstrike", x, d, chart="swing", rtol=1e-13)
    assert abs(s.t[-1] - r.t_end) < 1e-10
    assert np.abs(r.events.x_minus[-1] - s.y[:, -1]).max() < 1e-10


def test_the_equations_are_the_limit_of_light_feet():
    """Lagrange's equations of hip 1 and feet m: that of the hip at m = 0, and that of the swing foot divided by m."""
    t, m, slope = sp.symbols("t m gamma")
    theta, phi = sp.Function("theta")(t), sp.Function("phi")(t)
    # x down the slope, y normal to it; theta > 0 leans the leg uphill, and the swing leg hangs phi behind it
    hip = sp.Matrix([-sp.sin(theta), sp.cos(theta)])
    foot = hip + sp.Matrix([sp.sin(theta - phi), -sp.cos(theta - phi)])
    down = sp.Matrix([sp.sin(slope), -sp.cos(slope)])
    hip2, foot2 = ((v.diff(t).T * v.diff(t))[0] for v in (hip, foot))
    lagrangian = (hip2 + m * foot2) / 2 + (hip + m * foot).dot(down)
    of_hip, of_foot = (lagrangian.diff(u.diff(t)).diff(t) - lagrangian.diff(u) for u in (theta, phi))
    variables = [theta.diff(t, 2), phi.diff(t, 2), theta.diff(t), phi.diff(t), theta, phi]
    symbols = sp.symbols("a b c d e f")
    limits = [e.subs(list(zip(variables, symbols, strict=True))) for e in (of_hip.subs(m, 0), sp.expand(of_foot / m))]
    residual = sp.lambdify((slope, *symbols), limits)
    for x in np.random.default_rng(1).uniform(-0.6, 0.6, (5, 4)):
        dx = np.empty(4)
        simplest_walker.swing(0.0, x, np.zeros(1), np.array([0.02]), dx)
        assert np.abs(residual(0.02, dx[2], dx[3], x[2], x[3], x[0], x[1])).max() < 1e-14
        assert np.array_equal(dx[:2], x[2:])


def test_heelstrike_is_the_limit_of_light_feet():
    """Plastic impact of three masses: impulses at the new foot and along the massless legs."""
    theta, rate, phi_rate, m = 0.31, -0.7, 0.4, 1e-9
    along_old, along_new = (np.array([-math.sin(a), math.cos(a)]) for a in (-theta, theta))
    across_old = np.array([-math.cos(theta), math.sin(theta)])  # d/dtheta of the old stance leg's way to the hip
    hip = rate * across_old
    # Unknowns: hip's velocity (2), the old foot's (2), impulses along both legs. The new foot stands still.
    A, b = np.zeros((6, 6)), np.zeros(6)
    A[:2, :2], A[:2, 4], A[:2, 5], b[:2] = np.eye(2), -along_new, -along_old, hip
    A[2:4, 2:4], A[2:4, 5] = m * np.eye(2), along_old
    A[4, :2] = along_new  # the hip goes round the new foot
    A[5, :2], A[5, 2:4] = along_old, -along_old  # and keeps its distance from the old one
    v = np.linalg.solve(A, b)
    x = np.array([-theta, -2 * theta, rate, phi_rate])
    simplest_walker.change_legs(0.0, x, np.zeros(1), np.zeros(1))
    across_new = np.array([-math.cos(theta), -math.sin(theta)])
    assert x[2] == pytest.approx(v[:2] @ across_new, abs=1e-7)
    turning = (v[:2] - v[2:4]) @ across_old  # rate of the old leg, which is theta - phi now
    assert x[2] - x[3] == pytest.approx(turning, abs=1e-7)
    assert x[0] == theta and x[1] == 2 * theta


def test_energy_is_constant_within_a_step():
    r = SIM.run(final_time=12.0, rtol=1e-12)
    before, after = (simplest_walker.energy(r.p, x) for x in (r.events.x_minus, r.events.x_plus))
    assert r.events.d_plus[-1, 0] == len(after) == 3
    assert np.abs(before[1:] - after[:-1]).max() < 1e-11


def test_it_falls_where_the_slope_is_too_steep():
    r = SIM.run(params={"slope": 0.05}, final_time=50.0)
    assert r.status is Status.INVALID_CHART and "fall" in r.message


def test_misuse():
    with pytest.raises(ValueError, match="slope must lie between"):
        SimplestWalker(slope=2.0)
