"""How runs are integrated: methods, controls that change, dry joints that turn back, and the factor along the tree."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import events, mechanics
from tarsus.analytic.articulated.dynamics import solve_lower, solve_upper
from tarsus.analytic.articulated.layout import NEXT
from tarsus.analytic.articulated.location import DEEPEST, is_clear, let_sink
from tarsus.analytic.articulated.scheme import SCHEMES, SUNK, path_of
from tarsus.analytic.articulated.simulation import Options, RunStatus, start
from tarsus.mjcf.articulated import convert

DOG = Path(__file__).parents[3] / "mjcf" / "assets" / "robots" / "dog.xml"
SPRING = """<mujoco><option gravity="0 0 0"/><worldbody><body>
<joint name="rail" type="slide" axis="1 0 0" stiffness="{}" frictionloss="{}"/>
<geom size=".1" mass="1" contype="0"/></body></worldbody><actuator><motor joint="rail"/></actuator></mujoco>"""
FALL = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body><joint type="slide" axis="0 0 1"/>
<geom name="ball" size=".1" mass="1"/></body></worldbody></mujoco>"""


SWING = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="slide" axis="0 0 1" stiffness="100"
springref=".6"/><geom name="ball" size=".1" mass="1"/></body></worldbody></mujoco>"""


def dog():
    """Return the dog with its feet on the ground, and its positions."""
    model = mujoco.MjModel.from_xml_path(str(DOG))
    robot, qpos = convert(model, ["FL", "FR", "RL", "RR"]), model.key_qpos[0].copy()
    qpos[2] -= mechanics(robot, qpos, np.zeros(model.nv)).gap.min()
    return robot, qpos


@pytest.mark.parametrize("name, error, between", [("dop853", 1e-13, 1e-10), ("dopri5", 2e-7, 2e-6)])
def test_a_method_and_its_dense_output_are_those_of_an_exponential(name, error, between):
    """y' = -y over a step of .2, in the form that `steps` evaluates; the estimate is not below the error."""
    scheme, size = SCHEMES[name], 0.2
    n, rows = len(scheme.b), len(scheme.a)
    k = np.zeros(rows)
    k[0] = -1.0
    for s in range(1, n):
        k[s] = -(1.0 + size * scheme.a[s, :s] @ k[:s])
    end = 1.0 + size * scheme.b @ k[:n]
    k[n] = -end
    for s in range(n + 1, rows):
        k[s] = -(1.0 + size * scheme.a[s, :s] @ k[:s])
    q = [end - 1.0, size * k[0] - (end - 1.0), 2.0 * (end - 1.0) - size * (k[0] + k[n]), *(size * scheme.d @ k)]
    for y in (0.2, 0.5, 0.7):
        total = 0.0
        for r in reversed(range(len(q))):
            total = (total + q[r]) * (y if r % 2 == 0 else 1.0 - y)
        assert 1.0 + total == pytest.approx(np.exp(-size * y), abs=between)
    e5, e3 = scheme.e5 @ k[: n + 1], scheme.e3 @ k[: n + 1]
    estimate = size * e5**2 / np.sqrt(e5**2 + 0.01 * e3**2)
    assert abs(end - np.exp(-size)) < error and abs(end - np.exp(-size)) < estimate < 100.0 * error


@pytest.mark.parametrize("method", SCHEMES)
def test_a_spring_with_dry_friction_turns_back_at_its_closed_times_and_rests(method, monkeypatch):
    """Half periods of pi / w, each with an amplitude less by 2 F / k, until the spring cannot overcome the friction."""
    stiffness, friction, rtol = 100.0, 15.0, 1e-9
    robot = convert(mujoco.MjModel.from_xml_string(SPRING.format(stiffness, friction)), [])
    run = start(robot, [1.0], options=Options(rtol=rtol, method=method))
    before, solved = run.balance, []
    settle = events.settle
    monkeypatch.setattr(events, "settle", lambda *of: solved.append(of) or settle(*of))
    assert run.to(2.0) is RunStatus.FINAL_TIME
    assert [event.what for event in run.events] == ["stops"] * 3 and len(solved) == 1  # a problem only where it rests
    assert [event.time for event in run.events] == pytest.approx(np.pi / 10.0 * np.arange(1, 4), abs=5e-9)
    assert run.qpos[0] == pytest.approx(-0.1, abs=1e-8) and run.qvel[0] == 0.0
    assert run.balance == pytest.approx(before, rel=1e-8) and run.x[-1] == pytest.approx(
        friction * (1.7 + 1.1 + 0.5), rel=1e-8
    )


@pytest.mark.parametrize("method", SCHEMES)
@pytest.mark.parametrize("swing", [0.51, 0.55, 0.7])
def test_a_ball_on_a_spring_lands_at_its_closed_time_though_it_would_come_back_within_a_step(method, swing):
    """Its centre is at .6 + swing cos(10 t); a radius of .1 touches where that is .1, for long or for a moment."""
    robot = convert(mujoco.MjModel.from_xml_string(SWING), ["ball"])
    run = start(robot, [0.6 + swing], options=Options(rtol=1e-6, method=method))
    run.to(0.5)
    assert run.events[0].what == "impact"
    assert run.events[0].time == pytest.approx(np.arccos(-0.5 / swing) / 10.0, abs=2e-6)
    assert run.lost > 0.0


@pytest.mark.parametrize("method", SCHEMES)
@pytest.mark.parametrize("depth", [1e-3, 1e-4, 1e-5])
def test_a_touch_between_two_samples_is_found(method, depth):
    """The ball comes so deep, for .4 (depth)^(1/2) s, and back; samples are some 5 ms apart."""
    robot = convert(mujoco.MjModel.from_xml_string(SWING), ["ball"])
    run = start(robot, [1.1 + depth], options=Options(rtol=1e-9 if method == "dop853" else 1e-7, method=method))
    run.to(0.5)
    assert [event.what for event in run.events[:1]] == ["impact"]
    speed = 10.0 * np.sqrt(2.0 * 0.5 * depth)
    assert run.events[0].time == pytest.approx(np.arccos(-0.5 / (0.5 + depth)) / 10.0, abs=1e-6 / speed)


@pytest.mark.parametrize("name", SCHEMES)
def test_no_step_in_which_a_parabola_dips_is_clear(name):
    """Its stages are where the method has them; its dip may be anywhere, beside an end, too, and however shallow."""
    scheme, rng = SCHEMES[name], np.random.default_rng(3)
    nodes = scheme.a[1 : len(scheme.b)].sum(1)
    path = path_of(scheme, 1, 1, 0)
    for _ in range(4000):
        vertex, depth = rng.uniform(), 10.0 ** rng.uniform(-6.0, 0.0)
        depth *= min(vertex, 1.0 - vertex) ** 2

        def guard(at, vertex=vertex, depth=depth):
            return (at - vertex) ** 2 - depth

        path.tol[:], path.armed[:] = 1e-12, True
        path.before[:], path.after[:], path.low[:] = guard(0.0), guard(1.0), guard(nodes).min()
        assert not is_clear(path)
    path.before[:], path.after[:], path.low[:] = 1.0, 2.0, 0.9
    assert is_clear(path)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_dry_joint_yields_the_way_that_new_controls_push(way):
    robot = convert(mujoco.MjModel.from_xml_string(SPRING.format(0.0, 5.0)), [])
    run = start(robot, [0.0])
    assert run.follow([[3.0 * way], [8.0 * way]], [0.1, 0.3]) is RunStatus.FINAL_TIME
    assert [(event.what, event.time) for event in run.events] == [("yields", pytest.approx(0.1))]
    assert run.qvel[0] == pytest.approx(way * 3.0 * 0.2, rel=1e-9) and run.ctrl[0] == 8.0 * way


@pytest.mark.parametrize("method", SCHEMES)
def test_a_ball_lands_at_its_closed_time_by_each_method(method):
    robot = convert(mujoco.MjModel.from_xml_string(FALL), ["ball"], restitution=0.5)
    run = start(robot, [1.1], options=Options(rtol=1e-7, method=method))
    run.to(0.8)
    fall = np.sqrt(2.0 / 9.81)
    assert run.events[0].time == pytest.approx(fall, abs=1e-10)
    assert run.qvel[0] == pytest.approx(0.5 * 9.81 * fall - 9.81 * (0.8 - fall), abs=1e-7)


@pytest.mark.parametrize("armed", [True, False])
@pytest.mark.parametrize("after, low, clear", [(2.0, 0.6, True), (2.0, 0.4, False), (2.0, -0.6, False),
                                               (0.1, 0.6, False), (-2.0, 0.6, False)])  # fmt: skip
def test_a_step_is_clear_where_no_stage_has_half_of_what_its_guard_is_at_its_ends(armed, after, low, clear):
    """Beside another guard that is far from zero; one that is not armed yet is measured against its tolerance."""
    path, unit = path_of(SCHEMES["dop853"], 1, 2, 0), 1.0 if armed else 1e-3
    path.tol[:], path.armed[:], path.sunk[:] = 1e-3 if not armed else 0.2, [True, armed], 7.0
    path.before[:], path.after[:], path.low[:] = [9.0, unit], [9.0, after * unit], [9.0, low * unit]
    assert is_clear(path) == clear
    assert path.armed.all() == (armed or clear) and (path.sunk == (SUNK if clear else 7.0)).all()


def test_what_sinks_though_others_hold_it_may_sink_twice_as_deep_each_time():
    path = path_of(SCHEMES["dop853"], 1, 2, 0)
    path.tol[:], path.armed[:] = [1e-12, 1e-8], False
    for k in range(2):
        let_sink(path, k)
    assert path.sunk == pytest.approx([2.0 * SUNK, 2e-8])
    for _ in range(50):
        let_sink(path, 0)
    assert path.sunk[0] == pytest.approx(DEEPEST * SUNK)
    path.armed[1] = True
    let_sink(path, 1)
    assert path.sunk[1] == pytest.approx(2e-8)


def test_controls_that_change_are_followed_as_if_they_were_set_one_by_one():
    robot, qpos = dog()
    rng, ends = np.random.default_rng(0), np.linspace(0.005, 0.025, 5)
    controls = qpos[7:] + 0.1 * rng.normal(size=(5, 12))
    runs = [start(robot, qpos, ctrl=qpos[7:], options=Options(rtol=1e-8)) for _ in range(2)]
    assert runs[0].follow(np.asfortranarray(controls), ends) is RunStatus.FINAL_TIME  # compiled code reads rows
    for ctrl, end in zip(controls, ends, strict=True):
        runs[1].set_controls(ctrl)
        assert runs[1].to(end) is RunStatus.FINAL_TIME
    assert (
        runs[0].events and np.allclose(runs[0].x, runs[1].x, atol=1e-6) and np.array_equal(runs[0].ctrl, controls[-1])
    )


def test_methods_agree_on_a_dog_that_moves():
    robot, qpos = dog()
    rng, ends = np.random.default_rng(1), np.linspace(0.005, 0.025, 5)
    controls = qpos[7:] + 0.1 * rng.normal(size=(5, 12))
    found = []
    for method, rtol in (("dop853", 1e-9), ("dopri5", 1e-7)):
        run = start(robot, qpos, ctrl=qpos[7:], options=Options(rtol=rtol, method=method))
        before = run.balance
        assert run.follow(controls, ends) is RunStatus.FINAL_TIME
        assert run.balance == pytest.approx(before, abs=1e-5)
        found.append(run.qpos)
    assert np.allclose(*found, atol=1e-5)


def test_the_factor_of_the_mass_matrix_has_its_entries_and_no_others():
    robot, qpos = dog()
    rng = np.random.default_rng(2)
    qpos[2:] += 0.3 + 0.3 * rng.random(17)
    tables, work = robot.tables, start(robot, qpos, rng.normal(size=18)).work
    lower = np.tril(work.factor)
    np.fill_diagonal(lower, 1.0 / np.diag(work.factor))
    assert np.allclose(lower.T @ lower, work.mass, rtol=1e-12, atol=1e-14)
    carried = np.zeros((18, 18), bool)
    for k in range(18):
        i = k
        while i >= 0:
            carried[k, i], i = True, tables.dof_of[i, NEXT]
    assert not work.factor[~carried].any() and np.count_nonzero(~carried) > 200
    force = rng.normal(size=18)
    moved = force.copy()
    solve_upper(tables, work.factor, moved)
    solve_lower(tables, work.factor, moved)
    assert np.allclose(moved, np.linalg.solve(work.mass, force), rtol=1e-10)


def test_controls_that_change_within_a_call_are_those_of_calls_of_their_own():
    """What does not depend on controls is not evaluated anew within a call: nothing differs, to the bit."""
    robot, qpos = dog()
    ctrl = qpos[7:] + 0.05 * np.random.default_rng(5).normal(size=(10, 12))
    ends = 0.003 * np.arange(1, 11)
    at_once, one_by_one = (start(robot, qpos, ctrl=qpos[7:], options=Options(rtol=1e-7)) for _ in range(2))
    at_once.follow(ctrl, ends)
    for k in range(10):
        one_by_one.follow(ctrl[k : k + 1], ends[k : k + 1])
    assert (at_once.x == one_by_one.x).all() and at_once.time == one_by_one.time == ends[-1]
    assert np.abs(at_once.qvel).max() > 0.1


def test_what_cannot_be_followed_is_refused_with_a_sentence():
    robot = convert(mujoco.MjModel.from_xml_string(SPRING.format(1.0, 0.0)), [])
    run = start(robot, [1.0])
    with pytest.raises(ValueError, match=r"controls must have shape \(n, 1\) and ends \(n,\), got \(2, 2\) and \(2,\)"):
        run.follow(np.zeros((2, 2)), [0.1, 0.2])
    with pytest.raises(ValueError, match="must be finite"):
        run.follow([[np.nan]], [0.1])
    with pytest.raises(ValueError, match="ends must not fall, nor lie before 0 s"):
        run.follow([[0.0], [0.0]], [0.2, 0.1])
    with pytest.raises(ValueError, match="method must be one of dop853, dopri5, got 'euler'"):
        Options(method="euler")
