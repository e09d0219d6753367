"""Derivatives of runs: against closed forms, differences of runs, invariants, and where they do not exist."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.hybrid.derived_map import DerivedMap
from tarsus.analytic.hybrid.sections import Convergence
from tarsus.analytic.models import bouncing_ball, slip
from tarsus.scripts.laboratory.models import dry_friction, pendulum_wall

G, E, HEIGHT = 9.81, 0.5, 1.3
BALL = Derivatives(bouncing_ball.build(), 3, mode="python")
RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
RUN = {"x0": {"y": 0.97, "xdot": 5.0}, "d0": {"touchdown_angle": math.radians(23.0)}}
NEUTRAL = {"x0": {"y": 1.05, "xdot": 1.0}, "d0": {"touchdown_angle": 0.1}}
WRT = ("restitution", "height", "gravity")


def drop(**run):
    return BALL.run(WRT, {"height": HEIGHT}, chart="flight", **run)


def test_impact_times_of_a_ball_move_as_in_closed_form():
    made = drop(stop_at="impact", stop_count=3, final_time=10.0)
    assert made.existence is Existence.EXISTS, made.message
    fall, sums = math.sqrt(2 * HEIGHT / G), np.array([1.0, 1 + 2 * E, 1 + 2 * E + 2 * E**2])
    np.testing.assert_allclose(made.event_times, fall * sums, rtol=1e-12)
    by_restitution = fall * np.array([0.0, 2.0, 2.0 + 4.0 * E])
    exact = np.stack([by_restitution, fall * sums / (2 * HEIGHT), -fall * sums / (2 * G)], axis=1)
    np.testing.assert_allclose(made.event_times_by, exact, rtol=0, atol=1e-10)
    np.testing.assert_allclose(made.end.t_by, exact[-1], rtol=0, atol=1e-10)


def test_speed_behind_an_impact_and_apex_move_as_in_closed_form():
    made = drop(stop_at="impact", stop_count=3, final_time=10.0)
    speed = math.sqrt(2 * G * HEIGHT)
    by = [3 * E**2 * speed, E**3 * speed / (2 * HEIGHT), E**3 * speed / (2 * G)]
    np.testing.assert_allclose(made.end.x_by, [[0.0] * 3, by], rtol=0, atol=1e-10)
    # The apex behind the third impact is at e^6 H.
    apex, by = made.end.measure(lambda t, x, d, p: x[1] ** 2 / (2 * p[0]))
    assert apex == pytest.approx(E**6 * HEIGHT, rel=1e-12)
    np.testing.assert_allclose(by, [6 * E**5 * HEIGHT, E**6, 0.0], rtol=0, atol=1e-10)


def test_a_thrown_ball_lands_where_the_closed_form_says():
    """The landing place x = v t of a ball thrown at v lies on the event: an autodiff without its time misses this."""
    model = hy.Model("thrown", state={"x": 0.0, "z": HEIGHT, "w": 0.0}, params={"v": 2.0}, charts=["flight"])

    @model.field("flight")
    def fly(t, x, d, p, dx):
        dx[0], dx[1], dx[2] = p[0], x[2], -G

    @model.guard("flight", to="flight")
    def land(t, x, d, p):
        return x[1]

    made = Derivatives(model, 3, mode="python").run(["v", "z", "w"], stop_at="land", chart="flight", final_time=2.0)
    fall = math.sqrt(2 * HEIGHT / G)
    np.testing.assert_allclose(made.end.x_by[0], [fall, 2.0 / math.sqrt(2 * HEIGHT * G), 2.0 / G], rtol=0, atol=1e-10)
    np.testing.assert_allclose(made.end.x_by[1], 0.0, atol=1e-12)


def difference(model, name, final_time, step=1e-5, **start):
    """Return the five-point difference of whole runs: the state and memory at the final time, and the event times."""
    sim, ends, times = hy.compile(model, "dop853", mode="python"), [], []
    tables = {"x0": (model.state_names, model.x0), "d0": (model.memory_names, model.d0)}
    tables["params"] = (model.param_names, model.p0)
    given = {key: dict(zip(*rows, strict=True)) | start.get(key, {}) for key, rows in tables.items()}
    table = next(given[key] for key, (names, _) in tables.items() if name in names)
    value = table[name]
    h = step * max(abs(value), 1e-2)
    for s in (1, -1, 2, -2):
        table[name] = value + s * h
        r = sim.run(*given.values(), final_time=final_time, rtol=1e-12, atol=1e-14, record_period=None)
        ends.append(np.concatenate([r.x_end, r.d_end]))
        times.append(r.events.t[r.events.kind == "transition"])
    weights = np.array([8, -8, -1, 1]) / 12 / h
    return weights @ np.array(ends), weights @ np.array(times)


CASES = {
    "ball": (bouncing_ball.build, ("restitution", "velocity"), 1.2, {}),
    "wall": (pendulum_wall.build, ("length", "damping", "wall_angle", "restitution", "rate"), 2.5, {}),
    "fixed angle": (
        lambda: slip.build("fixed", RUNNER),
        ("body_mass", "q_rt", "g_stance", "g_flight", "q_0", "k", "touchdown_angle"),
        0.6,
        RUN,
    ),
    "neutral rule": (slip.build, ("q_rl", "k", "sprj", "xdot"), 0.6, NEUTRAL),
    "angle of a rule": (
        # At the first apex the rule gives what the memory held: the reset changes nothing there, its derivative does.
        lambda: slip.build(lambda t, x, d, p: 0.1 * x[2] * p[9] / 1000.0),
        ("k", "xdot"),
        0.6,
        {"x0": {"y": 1.05, "xdot": 1.0, "ydot": 0.3}, "d0": {"touchdown_angle": 0.1}},
    ),
    "dry friction": (dry_friction.build, ("mass", "friction", "belt_speed", "position"), 3.3, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_differences_of_runs(case):
    build, wrt, final_time, start = CASES[case]
    made = Derivatives(build(), len(wrt), mode="python").run(wrt, final_time=final_time, **start)
    assert made.existence is Existence.EXISTS, made.message
    for j, name in enumerate(wrt):
        end, times = difference(build(), name, final_time, **start)
        mine = np.concatenate([made.end.x_by[:, j], made.end.d_by[:, j]])
        np.testing.assert_allclose(mine, end, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(end).max()), err_msg=name)
        np.testing.assert_allclose(made.event_times_by[:, j], times, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("case", ["wall", "fixed angle"])
def test_the_stiff_method_finds_the_same(case):
    build, wrt, final_time, start = CASES[case]
    exact = Derivatives(build(), len(wrt), mode="python").run(wrt, final_time=final_time, rtol=1e-12, **start)
    made = Derivatives(build(), len(wrt), "rodas5p", "python").run(wrt, final_time=final_time, rtol=1e-9, **start)
    scale = np.maximum(1.0, np.abs(exact.end.x_by).max(axis=0))
    np.testing.assert_allclose(made.end.x_by / scale, exact.end.x_by / scale, rtol=0, atol=3e-8)  # 30 times the steps'


def relaxation(rate, w):
    model = hy.Model("lag", state={"x": 1.0}, params={"rate": rate, "w": w}, charts=["run"])

    @model.field("run")
    def follow(t, x, d, p, dx):
        dx[0] = p[0] * (math.cos(p[1] * t) - x[0])

    return model


def test_a_stiff_step_late_in_a_run_may_be_as_short_as_time_can_tell():
    made = Derivatives(relaxation(1e5, 2.0), 1, "rodas5p", "python").run(["rate"], t0=1e3, final_time=1e3 + 1e-9)
    h = made.end.t - 1e3
    assert made.end.x_by[0, 0] == pytest.approx((math.cos(2e3) - 1.0) * h * math.exp(-1e5 * h), rel=1e-6)


@pytest.mark.parametrize("rtol", [1e-8, 1e-12])  # the finer asks more of steps than their differences can tell
def test_a_stiff_relaxation_moves_as_in_closed_form(rtol):
    """x' = rate (cos w t - x) from 1: behind the first microseconds (cos w t + lag sin w t) / (1 + lag^2)."""
    rate, w = 1e5, 2.0
    made = Derivatives(relaxation(rate, w), 2, "rodas5p", "python").run(["rate", "w"], final_time=1.0, rtol=rtol)
    assert made.result.counts["steps"] < 2000  # of an explicit method, at its border of stability: 2e4
    c, s, lag = math.cos(w), math.sin(w), w / rate
    whole = 1 + lag**2
    by_lag = s / whole - 2 * lag * (c + lag * s) / whole**2
    by = [-by_lag * lag, w * (by_lag / rate + (lag * c - s) / whole)]
    np.testing.assert_allclose(made.end.x_by[0] * [rate, w], by, rtol=0, atol=1e-7)


def test_a_reset_that_depends_on_time_moves_with_the_events_time():
    """x' = speed from 0; at x = 1 it jumps to t = 1 / speed: at the end 1 / speed + speed (1.5 - 1 / speed)."""
    model = hy.Model("late", state={"x": 0.0}, params={"speed": 2.0}, charts=["before", "after"])

    @model.field("before", "after")
    def flow(t, x, d, p, dx):
        dx[0] = p[0]

    @model.guard("before", to="after")
    def wall(t, x, d, p):
        return 1.0 - x[0]

    @model.reset("wall")
    def jump(t, x, d, p):
        x[0] = t

    made = Derivatives(model, 1, mode="python").run(["speed"], final_time=1.5)
    np.testing.assert_allclose(made.end.x_by, [[1.5 - 1.0 / 4.0]], rtol=0, atol=1e-10)


def test_many_directions_go_in_blocks():
    names = ("body_mass", "q_rt", "q_rl", "g_stance", "g_flight", "q_0", "k", "touchdown_angle", "x", "y", "xdot")
    wrt = {f"{name} {share}": {name: share} for share in (1.0, 0.5) for name in names}
    run = {"final_time": 0.6, "chart": "descent", **RUN}
    model = slip.build("fixed", RUNNER)
    many = Derivatives(model, len(wrt), mode="python").run(wrt, **run)
    few = Derivatives(model, len(names), mode="python").run(names, **run)
    assert many.end.x_by.shape == (4, 22) and many.event_times_by.shape == (len(many.event_times), 22)
    whole = np.hstack([few.end.x_by, 0.5 * few.end.x_by])
    np.testing.assert_allclose(many.end.x_by, whole, rtol=1e-7, atol=1e-7)


def test_a_kink_without_an_event_is_found_by_halving_steps():
    """x' = max(t - p, 0): the derivative p - t bends at t = p, which no guard marks."""
    model = hy.Model("ramp", state={"x": 0.0}, params={"p": 0.4}, charts=["run"])

    @model.field("run")
    def climb(t, x, d, p, dx):
        dx[0] = max(t - p[0], 0.0)

    by, run = Derivatives(model, 1, mode="python"), {"final_time": 1.0, "rtol": 1e-8}
    assert by.run(["p"], looser=1.0, **run).end.x_by[0, 0] == pytest.approx(-0.6, abs=1e-7)  # a few steps of 1e-8
    assert abs(by.run(["p"], looser=math.inf, **run).end.x_by[0, 0] + 0.6) > 1e-6  # the state's own steps


def test_the_energy_of_conservative_slip_keeps_its_derivatives():
    """Whatever moves, the energy at the end moves as that of the start does: by nothing for the angle and stiffness."""
    wrt = ("touchdown_angle", "k", "y", "xdot", "g_both")
    moves = {name: {name: 1.0} for name in wrt[:4]} | {"g_both": {"g_stance": 1.0, "g_flight": 1.0}}
    made = Derivatives(slip.build("fixed", RUNNER), 5, mode="python").run(
        moves, final_time=0.65, rtol=1e-12, looser=1.0, **RUN
    )

    def energy(t, x, d, p):
        return slip.energy(p, x, d, made.result.chart_end)[0]

    _, by = made.end.measure(energy)
    m, g = RUNNER.body_mass, RUNNER.g_flight
    np.testing.assert_allclose(by, [0.0, 0.0, m * g, m * 5.0, m * 0.97], rtol=0, atol=2e-6)
    assert np.abs(made.end.x_by[:, 0]).max() > 1.0  # the state itself moves


def stride(wrt, mode="python"):
    def lift(z, d, p):
        return np.array([0.0, z[0], math.sqrt(2.0 * (22.31 - p[slip.P.g_flight] * z[0])), 0.0]), d

    return DerivedMap(
        slip.build("fixed", RUNNER), "apex", lift, lambda x, d, p: x[1:2], 1, wrt, mode=mode,
        settings={"chart": "descent", "rtol": 1e-11},
    )  # fmt: skip


def test_the_fixed_point_of_a_stride_moves_as_its_neighbours_lie():
    mapping, angle = stride(["touchdown_angle", "k"]), math.radians(23.0)
    orbit = mapping.fixed_point([0.97], None, {"touchdown_angle": angle}, tol=1e-11)
    assert orbit.n_maps <= 6 and abs(orbit.multipliers[0]) < 1

    def neighbours(share):
        """Return height and duration of the orbit whose angle or stiffness differs by that share."""
        params, memory = {"k": RUNNER.k * (1 + share[1])}, {"touchdown_angle": angle * (1 + share[0])}
        found = mapping.fixed_point(orbit.z, params, memory, tol=1e-11)
        assert found.status is Convergence.CONVERGED, found.message
        return np.array([found.z[0], found.end.t])

    h, columns = 1e-4, []
    for unit, size in (((1, 0), angle), ((0, 1), RUNNER.k)):
        at = {s: neighbours(s * h * np.array(unit)) for s in (-2, -1, 1, 2)}
        columns.append((8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h * size))
    by = np.array(columns).T
    np.testing.assert_allclose(orbit.by[0], by[0], rtol=1e-6)
    # A measure of the orbit: the stride's duration moves with the fixed point too.
    duration, by_duration = orbit.measure(lambda t, x, d, p: t)
    assert duration == orbit.end.t
    np.testing.assert_allclose(by_duration, by[1], rtol=1e-6)


def test_a_map_that_does_not_return_says_so():
    orbit = stride(["k"]).fixed_point([0.93], None, {"touchdown_angle": 1.2})
    assert orbit.status is Convergence.NO_RETURN and np.isnan(orbit.by).all() and "body_fall" in orbit.message


def parabola(depth):
    model = hy.Model("touch", state={"h": 0.5, "v": -1.0}, params={"depth": depth}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0], dx[1] = x[1], 1.0

    @model.guard("run", to="run")
    def touch(t, x, d, p):
        return x[0] + p[0]

    @model.reset("touch")
    def change(t, x, d, p):
        x[1] = 1.0

    return model


@pytest.mark.parametrize("depth", [-1e-16, 1e-11])
def test_grazing_is_refused(depth):
    made = Derivatives(parabola(depth), 1, mode="python").run(["depth"], final_time=2.0)
    assert made.existence is Existence.GRAZING, made.message
    assert "touch at t = " in made.message and np.isnan(made.end.x_by).all()


def two_walls(split):
    """Two guards that fire at once at x = 1; a parameter moves the second one by `split` times itself."""
    model = hy.Model("walls", state={"x": 0.0}, params={"speed": 1.0, "wall": 1.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = p[0]

    @model.guard("run", to="run", on_entry="ignore")
    def first(t, x, d, p):
        return 1.0 - x[0]

    @model.guard("run", to="run", on_entry="ignore")
    def second(t, x, d, p):
        return 1.0 + split * (p[1] - 1.0) - x[0]

    @model.reset("first")
    def back(t, x, d, p):
        x[0] = 0.0

    return model


def test_simultaneous_events_are_refused_where_they_part():
    apart = Derivatives(two_walls(1.0), 2, mode="python").run(["speed", "wall"], final_time=1.5)
    assert apart.existence is Existence.SIMULTANEOUS and "along wall" in apart.message
    assert np.isnan(apart.end.x_by).all()
    together = Derivatives(two_walls(1.0), 1, mode="python").run(["speed"], final_time=1.5)
    assert together.existence is Existence.EXISTS, together.message
    np.testing.assert_allclose(together.end.x_by, [[1.5]], atol=1e-10)  # x = 1.5 speed - 1


def test_a_limit_of_events_and_a_section_never_reached_are_named():
    assert drop(final_time=3.0).existence is Existence.ACCUMULATION
    made = drop(stop_at="impact", final_time=0.1)
    assert made.existence is Existence.UNREACHED and "final time" in made.message
    assert np.isnan(made.end.x_by).all()


def test_a_function_that_ends_at_the_run_is_named():
    """The exponent of a spring at rest: the base is zero, and negative a difference's step away."""
    made = Derivatives(slip.build("fixed", RUNNER), 1, mode="python").run(["spri"], final_time=0.6, **RUN)
    assert made.existence is Existence.UNDEFINED and "along spri" in made.message


def test_misuse_is_explained():
    with pytest.raises(ValueError, match="'mass' is unknown.*restitution"):
        drop_by = ["mass", "height", "gravity"]
        BALL.run(drop_by)
    with pytest.raises(ValueError, match="3 directions were compiled, got 1"):
        BALL.run(["gravity"])
    with pytest.raises(ValueError, match="leave record_period out"):
        BALL.run(WRT, record_period=0.1)
    with pytest.raises(ValueError, match="name memory entries and parameters only"):
        stride(["y"])


def crossings(speeds):
    """Two clocks x and y cross 1 at once; the speed of s depends on which of them have: none, x, y, both."""
    values = np.array(speeds, float)
    model = hy.Model("crossings", state={"x": 0.0, "y": 0.0, "s": 0.0})

    def field(t, x, d, p, chart, dx):
        dx[0], dx[1], dx[2] = 1.0, 1.0, values[chart]

    def guards(t, x, d, p, chart, g):
        if chart % 2 == 0:
            g[0] = 1.0 - x[0]
        if chart < 2:
            g[1] = 1.0 - x[1]
        return 2

    def transition(t, x, d, p, chart, fired):
        return chart + fired[0] + 2 * fired[1]

    model.functions(field=field, guards=guards, transition=transition, table=["of_x", "of_y"])
    return model


def test_events_that_commute_have_a_derivative_where_they_part():
    """A start ahead in x by e passes 1 earlier by e: s gains (2 - 1) e there, and behind it (4 - 3) e: the same."""
    made = Derivatives(crossings([1.0, 2.0, 3.0, 4.0]), 3, mode="python").run(["x", "y", "s"], chart=0, final_time=1.5)
    assert made.existence is Existence.EXISTS, made.message
    np.testing.assert_allclose(made.end.x_by[2], [1.0, 2.0, 1.0], rtol=0, atol=1e-9)


def test_events_that_do_not_commute_have_a_derivative_on_each_side():
    """Ahead in x by e, s gains (2 - 1) e; late by e it loses (5 - 3) e. Ahead in y (3 - 1) e; late (5 - 2) e."""
    by = Derivatives(crossings([1.0, 2.0, 3.0, 5.0]), 2, mode="python")
    refused = by.run(["x", "y"], chart=0, final_time=1.5)
    assert refused.existence is Existence.SIMULTANEOUS and np.isnan(refused.end.x_by).all()
    ahead = by.run(["x", "y"], chart=0, final_time=1.5, one_sided=True)
    assert ahead.existence is Existence.ONE_SIDED and "of_x+of_y at t = " in ahead.message
    np.testing.assert_allclose(ahead.end.x_by[2], [1.0, 2.0], rtol=0, atol=1e-9)
    late = by.run({"x": {"x": -1.0}, "y": {"y": -1.0}}, chart=0, final_time=1.5, one_sided=True)
    np.testing.assert_allclose(late.end.x_by[2], [-2.0, -3.0], rtol=0, atol=1e-9)


def two_balls():
    state = {"a": 1.0, "u": 0.0, "b": 1.0, "w": 0.0}
    model = hy.Model("two balls", state=state, params={"e": E}, charts=["flight"])

    @model.field("flight")
    def fall(t, x, d, p, dx):
        dx[0], dx[1], dx[2], dx[3] = x[1], -G, x[3], -G

    @model.guard("flight", to="flight")
    def first(t, x, d, p):
        return x[0]

    @model.guard("flight", to="flight")
    def second(t, x, d, p):
        return x[2]

    @model.reset("first")
    def bounce_first(t, x, d, p):
        x[0], x[1] = 0.0, -p[0] * x[1]

    @model.reset("second")
    def bounce_second(t, x, d, p):
        x[2], x[3] = 0.0, -p[0] * x[3]

    return model


@pytest.mark.parametrize("mode", ["python", pytest.param("compiled", marks=pytest.mark.extra)])
def test_balls_that_land_at_once_move_each_for_itself(mode):
    """Two balls bounce at the same times: along the height of one, its derivatives are those of a ball alone."""
    run = {"chart": "flight", "final_time": 1.2}
    made = Derivatives(two_balls(), 3, mode=mode).run(["a", "b", "e"], **run)
    assert made.existence is Existence.EXISTS and len(made.event_times) >= 2, made.message
    alone = BALL.run(["height", "restitution", "gravity"], {"height": 1.0}, **run).end.x_by
    own = np.array([[0.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(made.end.x_by[:2, :2], np.column_stack([alone[:, 0], own[0]]), rtol=0, atol=1e-7)
    np.testing.assert_allclose(made.end.x_by[2:, :2], np.column_stack([own[0], alone[:, 0]]), rtol=0, atol=1e-7)
    np.testing.assert_allclose(made.end.x_by[:, 2], np.tile(alone[:, 1], 2), rtol=0, atol=1e-7)


def test_a_section_with_two_times_is_refused():
    made = Derivatives(two_balls(), 1, mode="python").run(["a"], chart="flight", stop_at="second", final_time=1.2)
    assert made.existence is Existence.SIMULTANEOUS and "has two times" in made.message


def test_the_point_before_an_impact_has_the_speed_that_the_impact_takes():
    """The impact speed sqrt(2 g H) of a drop, before; e times it, behind."""
    made = drop(stop_at="impact", stop_count=1, final_time=10.0)
    speed = math.sqrt(2 * G * HEIGHT)
    before, behind = made.at("impact", 0, "minus"), made.at("impact", 0)
    assert before.x[1] == pytest.approx(-speed) and behind.x[1] == pytest.approx(E * speed)
    np.testing.assert_allclose(before.x_by[1], [0.0, -speed / (2 * HEIGHT), -speed / (2 * G)], rtol=0, atol=1e-10)
    np.testing.assert_allclose(before.x_by[0], 0.0, atol=1e-10)
    np.testing.assert_allclose(before.t_by, behind.t_by)
    value, by = before.measure(lambda t, x, d, p: x[1] ** 2)
    assert value == pytest.approx(2 * G * HEIGHT) and by[1] == pytest.approx(2 * G)
    with pytest.raises(ValueError, match="side must be one of minus, plus, got 'left'"):
        made.at("impact", 0, "left")
