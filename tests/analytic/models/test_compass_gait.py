"""The compass gait: against published multipliers, and its equations against Lagrange's and Newton's."""

import math

import numpy as np
import pytest
import sympy as sp

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status, sections
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.hybrid.directions import Directions
from tarsus.analytic.models import compass_gait
from tarsus.analytic.models.compass_gait import CompassGait, P

SIM = hy.compile(compass_gait.build(), mode="python")
SLOPE = math.radians(3.0)
ODD = hy.vector(CompassGait(gravity=3.7, hip_mass=7.0, leg_mass=2.0, below=0.6, above=0.3, slope=0.04))


@pytest.fixture(scope="module")
def gait():
    mapping = sections.return_map(
        SIM,
        "heelstrike",
        lambda z: compass_gait.lift(z, SLOPE),
        compass_gait.project,
        chart="swing",
        rtol=1e-12,
        atol=1e-14,
        final_time=5.0,
    )
    return sections.fixed_point(mapping, compass_gait.START, tol=1e-11)


def test_the_published_multipliers_at_3_degrees(gait):
    """Return map: .580, .580, .132."""
    assert gait.status is sections.Convergence.CONVERGED
    assert np.round(np.abs(gait.multipliers), 3).tolist() == [0.58, 0.58, 0.132]
    assert np.allclose(gait.z, [-0.2186688, 1.0923836, 0.3773740], atol=1e-7)


def test_the_monodromy_has_the_same_multipliers(gait):
    """And two more, 1 along the flow and for the steps counted."""
    v = Directions.of_start(compass_gait.build())
    x, d = compass_gait.lift(gait.z, SLOPE)
    m = Derivatives(compass_gait.build(), v.size, mode="python").run(
        v, x, d, chart="swing", stop_at="heelstrike", final_time=9.0, rtol=1e-11
    )
    values = np.sort_complex(np.linalg.eigvals(m.end.matrix))
    assert np.allclose(values, np.sort_complex(np.append(gait.multipliers, [1.0, 1.0])), atol=1e-7)


def places(s, n, below, above):
    """Return where the stance leg's mass, the hip, the swing leg's mass and the swing foot are."""
    stance, swing = sp.Matrix([sp.sin(s), sp.cos(s)]), sp.Matrix([sp.sin(n), sp.cos(n)])
    hip = (below + above) * stance
    return below * stance, hip, hip - above * swing, hip - (below + above) * swing


def test_equations_are_lagranges():
    t = sp.symbols("t")
    s, n = sp.Function("s")(t), sp.Function("n")(t)
    g, m_hip, m, a, b, _ = (sp.Float(value) for value in ODD)
    parts = list(zip((m, m_hip, m), places(s, n, a, b), strict=False))
    kinetic = sum(mass * (r.diff(t).T * r.diff(t))[0] for mass, r in parts) / 2
    potential = sum(mass * g * r[1] for mass, r in parts)
    lagrangian = kinetic - potential
    variables = [s.diff(t, 2), n.diff(t, 2), s.diff(t), n.diff(t), s, n]
    symbols = sp.symbols("a_s a_n v_s v_n s n")
    plain = list(zip(variables, symbols, strict=True))
    equations = [(lagrangian.diff(q.diff(t)).diff(t) - lagrangian.diff(q)).subs(plain) for q in (s, n)]
    residual = sp.lambdify(symbols, equations)
    total = sp.lambdify(symbols[2:], (kinetic + potential).subs(plain[2:]))
    for x in np.random.default_rng(2).uniform(-0.8, 0.8, (5, 4)):
        dx = np.empty(4)
        compass_gait.swing(0.0, x, np.zeros(1), ODD, dx)
        assert np.abs(residual(dx[2], dx[3], x[2], x[3], x[0], x[1])).max() < 1e-12
        assert np.array_equal(dx[:2], x[2:])
        assert compass_gait.energy(ODD, x)[0] == pytest.approx(total(x[2], x[3], x[0], x[1]), abs=1e-12)


def test_heelstrike_is_a_plastic_impact():
    """Two rigid legs and a hip with impulses at the new foot and the hinge: velocities of three bodies by Newton."""
    m, m_hip, a, b = ODD[P.leg_mass], ODD[P.hip_mass], ODD[P.below], ODD[P.above]
    x = np.array([0.31, -0.23, 0.9, 0.4])

    def e(angle):
        return np.array([math.sin(angle), math.cos(angle)])

    def turn(v):  # d/dt of a vector whose angle grows by 1 per second
        return np.array([v[1], -v[0]])

    # Point masses on massless rods: velocities after the impact are those nearest before, in the metric of the masses,
    # that the standing new foot allows (Gauss). Unknowns: rates of the new stance leg and the new swing leg.
    new, old = e(x[1]), e(x[0])
    columns = np.array(
        [
            np.concatenate([a * turn(new), (a + b) * turn(new), (a + b) * turn(new)]),
            np.concatenate([np.zeros(4), -b * turn(old)]),
        ]
    ).T
    hip = (a + b) * turn(old) * x[2]
    before = np.concatenate([hip - b * turn(new) * x[3], hip, a * turn(old) * x[2]])
    mass = np.repeat([m, m_hip, m], 2)
    rates = np.linalg.solve(columns.T * mass @ columns, columns.T * mass @ before)
    after = x.copy()
    compass_gait.change_legs(0.0, after, np.zeros(1), ODD)
    assert np.allclose(after, [x[1], x[0], *rates], atol=1e-13)


def test_the_foot_strikes_on_the_slope_and_energy_is_constant_between():
    r = SIM.run(final_time=4.0, rtol=1e-12)
    before, after = (compass_gait.energy(r.p, x) for x in (r.events.x_minus, r.events.x_plus))
    kept = r.events.kind == "transition"
    before, after, x = before[kept], after[kept], r.events.x_minus[kept]
    assert len(after) == 5 and np.abs(before[1:] - after[:-1]).max() < 1e-8
    foot_x = np.sin(x[:, 0]) - np.sin(x[:, 1])
    foot_z = np.cos(x[:, 0]) - np.cos(x[:, 1])
    assert np.abs(foot_z + foot_x * math.tan(SLOPE)).max() < 1e-11 and foot_x.min() > 0.4


def test_it_falls_where_it_starts_too_slowly():
    r = SIM.run({"stance_rate": 0.2}, final_time=20.0)
    assert r.status is Status.INVALID_CHART


def test_misuse():
    with pytest.raises(ValueError, match="leg_mass must be positive"):
        CompassGait(leg_mass=0.0)
    with pytest.raises(ValueError, match="slope must lie between"):
        CompassGait(slope=3.0)
