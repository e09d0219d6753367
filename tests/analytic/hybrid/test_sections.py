"""Return maps, fixed points and monodromy: against closed forms, differences, and each other."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import sections
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.hybrid.directions import Directions
from tarsus.analytic.models import bouncing_ball, slip

# A human-like runner (Seyfarth et al. 2002: 80 kg, 20 kN/m, 5 m/s): fixed-angle running has a stable apex height.
RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
ANGLE = math.radians(23.0)
ENERGY = 0.5 * 25.0 + 9.81  # per mass, of 5 m/s at 1 m
SIM = hy.compile(slip.build("fixed", RUNNER), mode="python")


def lift(z):
    speed = math.sqrt(2.0 * (ENERGY - 9.81 * z[0]))
    return np.array([0.0, z[0], speed, 0.0]), np.array([0.0, 0.0, ANGLE])


def monodromy(model, x, d=None, by=None, *, section, count=1, **settings):
    """Return the run to a section and its derivatives by every state and memory entry of the start."""
    v = Directions.of_start(model, by)
    settings = {"rtol": 1e-11, "final_time": 1e3, "zeno": False} | settings
    return Derivatives(model, v.size, mode="python").run(v, x, d, stop_at=section, stop_count=count, **settings)


def apex_map(sim=SIM):
    return sections.return_map(sim, "apex", lift, lambda x, d: x[1:2], chart="descent", rtol=1e-12)


@pytest.fixture(scope="module")
def stable():
    return sections.fixed_point(apex_map(), [0.97], tol=1e-11)


def test_fixed_point_returns_and_is_stable(stable):
    assert stable.status is sections.Convergence.CONVERGED
    assert abs(apex_map()(stable.z)[0] - stable.z[0]) < 1e-11
    assert 0 < abs(stable.multipliers[0]) < 1
    z = stable.z + 0.01
    for _ in range(25):
        z = apex_map()(z)
    assert abs(z - stable.z) < 1e-6


def test_a_map_that_does_not_return_says_so():
    assert sections.fixed_point(apex_map(), [0.5]).status is sections.Convergence.NO_RETURN


def test_fixed_points_that_are_not_isolated_are_singular():
    r = sections.fixed_point(lambda z: np.array([z[0] + z[1] ** 2, z[1]]), [1.0, 1.0])
    assert r.status is sections.Convergence.SINGULAR


def test_monodromy_of_the_stable_orbit(stable):
    m = monodromy(slip.build("fixed", RUNNER), *lift(stable.z), chart="descent", section="apex")
    assert m.existence is Existence.EXISTS
    block = m.end.matrix[:4, :4]
    # Multipliers 1 along the flow, for a shift in x, and for the energy: the rest is the map's own.
    assert abs(np.linalg.det(block) - stable.multipliers[0]) < 1e-8  # of the differenced map
    assert abs(np.trace(block) - 3.0 - np.linalg.det(block)) < 1e-9


def test_monodromy_against_differences_of_runs(stable):
    """Columns for x and for the memory (the touchdown angle): central differences of whole runs to a fixed time."""
    x, d = lift(stable.z)
    m = monodromy(slip.build("fixed", RUNNER), x, d, chart="descent", section="apex").end
    # Just behind the section, so that neighbours have passed it too.
    end = m.t + 1e-3
    flow = np.eye(7)
    flow[0, 2] = flow[1, 3] = 1e-3  # the rest of the way is ballistic
    h = 1e-5
    for j in range(7):
        step = h * np.eye(7)[j]
        ends = []
        for s in (1, -1):
            r = SIM.run(x + s * step[:4], d + s * step[4:], chart="descent", final_time=end, rtol=1e-13, atol=1e-15)
            ends.append(np.concatenate([r.x_end, r.d_end]))
        column = (ends[0] - ends[1]) / (2 * h)
        assert np.abs(column - (flow @ m.matrix)[:, j]).max() < 2e-7, j


def test_neutral_orbits_have_the_involutions_multipliers():
    """At a symmetric orbit of the neutral rule the apex map has the multipliers 1, 1 and -1 (and 1 along the flow)."""
    sim = hy.compile(slip.build(), mode="python")
    height, speed = 1.05, 1.0

    def neutral(z):
        return np.array([0.0, z[0], speed, 0.0]), np.array([0.0, 0.0, z[1]])

    mapping = sections.return_map(
        sim, "apex", neutral, lambda x, d: np.array([x[1], d[2]]), chart="descent", rtol=1e-12
    )
    # Find the angle whose orbit repeats at once: the involution has a line of such points; fix the height.
    angles = np.linspace(0.02, 0.3, 29)
    gaps = [mapping(np.array([height, a]))[1] - a for a in angles]
    i = next(i for i in range(28) if gaps[i] * gaps[i + 1] < 0)
    from scipy.optimize import brentq

    angle = brentq(lambda a: mapping(np.array([height, a]))[1] - a, angles[i], angles[i + 1], xtol=1e-14)
    m = monodromy(slip.build(), *neutral((height, angle)), chart="descent", section="apex").end
    keep = [1, 2, 6]  # height, speed and angle: x shifts, ydot is zero on the section, the foot is overwritten
    tangent = m.matrix - np.outer(np.r_[m.x[2:4], 0.0, -10.0, 0, 0, 0], m.matrix[3]) / -10.0  # back onto the section
    values = np.sort(np.linalg.eigvals(tangent[np.ix_(keep, keep)]).real)
    assert np.allclose(values, [-1.0, 1.0, 1.0], atol=2e-6)


def test_monodromy_of_bounces_is_exact():
    """Dropping from height h, the time of flight depends on h: after k bounces the section state is known."""
    m = monodromy(bouncing_ball.build(rests=False), [1.0, 0.0], [0.0], chart="flight", section="impact", count=2).end
    g, e = 9.81, 0.5
    speed = math.sqrt(2 * g)
    t1, t2 = speed / g, speed / g + 2 * e * speed / g
    # Derivatives with respect to the height at fixed time: of speed after two bounces, e^2 v(h) - g (t - t2(h)).
    dv = g / speed
    dt2 = dv / g * (1 + 2 * e)
    assert np.allclose(m.matrix[1, 0], e**2 * dv + g * dt2, rtol=1e-9)
    assert np.allclose(m.matrix[0, 0], -(e**2) * speed * dt2, rtol=1e-9)
    assert abs(m.t - t2) < 1e-12 and t1 < t2


def test_derivatives_are_refused_at_a_grazing_event():
    model = hy.Model("touch", state={"h": 0.5, "v": -1.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = 1.0

    @model.guard("run", to="run")
    def touch(t, x, d, p):
        return x[0] - 1e-15  # the vertex of the parabola: rate 0

    @model.reset("touch")
    def change(t, x, d, p):
        x[1] = 1.0

    m = monodromy(model, [0.5, -1.0], chart="run", section="touch", final_time=2.0)
    assert m.existence is not Existence.EXISTS and np.isnan(m.end.matrix).all()


def cascade():
    """A chart that is left as soon as it is entered: its guard is negative because of the event before."""
    model = hy.Model("cascade", state={"x": 2.0, "v": -1.0}, charts=["fall", "brief", "rise"])

    @model.field("fall", "brief")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -x[0]

    @model.field("rise")
    def rise(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = 3.0 + 0.5 * x[1]

    @model.guard("fall", to="brief")
    def switch(t, x, d, p):
        return x[0] - 1.0

    @model.guard("brief", to="rise", on_entry="fire")
    def let_go(t, x, d, p):
        return 0.3 * x[0] + x[1] - 10.0

    @model.reset("let_go")
    def turn(t, x, d, p):
        x[1] = -0.5 * x[1] * x[0]

    @model.guard("rise")
    def end(t, x, d, p):
        return 1.5 - t

    @model.on("end")
    def stay(t, x, d, p):
        return 2

    return model


def test_an_event_that_fires_on_entry_takes_the_time_of_the_one_before():
    x, h = np.array([2.0, -1.0]), 1e-5
    sim, settings = hy.compile(cascade(), mode="python"), {"chart": "fall", "rtol": 1e-12, "atol": 1e-14}
    ends = [[sections.return_to(sim, "end", x + s * e, **settings).x_end for s in (h, -h)] for e in np.eye(2)]
    differences = np.stack([(ahead - behind) / (2 * h) for ahead, behind in ends], axis=1)
    m = monodromy(cascade(), x, section="end", chart="fall")
    np.testing.assert_allclose(m.end.matrix, differences, atol=1e-8)


def test_one_direction_is_that_column_of_all(stable):
    x, d = lift(stable.z)
    run = {"chart": "descent", "section": "apex"}
    whole, direction = monodromy(slip.build("fixed", RUNNER), x, d, **run), np.arange(1.0, 8.0)[:, None]
    one = monodromy(slip.build("fixed", RUNNER), x, d, direction, **run)
    np.testing.assert_allclose(one.end.matrix, whole.end.matrix @ direction, atol=1e-7)
    with pytest.raises(ValueError, match="directions must have shape"):
        monodromy(slip.build("fixed", RUNNER), x, d, np.eye(5), **run)


def test_a_search_that_failed_has_no_multipliers():
    orbit = sections.fixed_point(lambda z: np.full(1, np.nan), [0.5])
    assert orbit.status is sections.Convergence.NO_RETURN
    assert np.all(np.isnan(orbit.multipliers)) and orbit.multipliers.shape == (1,)
