"""Friction that presses a foot deeper than the ground lifts it: slides into a jam, feet that may leave, one contact."""

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.analytic.articulated import choice, contact, events, mechanics
from tarsus.analytic.articulated.blocks import S_INDETERMINATE
from tarsus.analytic.articulated.one_contact import all_solutions, is_unique, solutions_beside, starts
from tarsus.analytic.articulated.outcome import RunStatus
from tarsus.analytic.articulated.simulation import Options, start
from tarsus.mjcf.articulated import convert

G, MU, TIP = 9.81, 2.0, 1e-9
ROD = f"""<mujoco><option gravity="0 0 -{G}"/><worldbody><body>
<inertial pos="0 0 0" mass="1" diaginertia=".1 .3333333333333333 .3333333333333333"/>
<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
<geom name="tip" size="{TIP}" pos="-1 0 0"/></body></worldbody>
<actuator><motor joint="x"/><motor joint="z"/></actuator></mujoco>"""


def rod(lean, rate, slip, ctrl=(0.0, 0.0), tips=1, **how):
    """Return a run of a rod of length 2 and 1 kg that leans on its lower end, whose tip slips towards -x."""
    tip, names = ROD[ROD.index("<geom") : ROD.index("</body>")], [f"tip{k}" for k in range(tips)]
    text = ROD.replace(tip, "".join(tip.replace("tip", name) for name in names))
    robot = convert(mujoco.MjModel.from_xml_string(text), names, mu=MU)
    qvel = [-slip - np.sin(lean) * rate, np.cos(lean) * rate, -rate]
    return start(robot, [0.0, np.sin(lean) + TIP, -lean], qvel, ctrl, options=Options(**how))


def mobility(lean):
    """Return the normal acceleration of the tip for a unit force with its friction [1/kg]."""
    return 1.0 + 3.0 * np.cos(lean) * (np.cos(lean) - MU * np.sin(lean))


def fall(lean, rate):
    """Return when a rod that slides jams [s], by an integration of its own in angle and rate, with f = -b / A."""

    def turns(t, y):
        force = (G - y[1] ** 2 * np.sin(y[0])) / mobility(y[0])
        return [y[1], 3.0 * force * (MU * np.sin(y[0]) - np.cos(y[0]))]

    def near(t, y):
        return mobility(y[0]) - 1e-7

    near.terminal = True
    return solve_ivp(turns, (0.0, 1.0), [lean, rate], "LSODA", events=near, rtol=1e-10, atol=1e-12).t[-1]


@pytest.mark.parametrize("lean, rate", [(0.5, 1.0), (0.4, 2.0)])
def test_a_rod_slides_into_a_jam_whose_impact_ends_the_slip(lean, rate, monkeypatch):
    """Its tip jams where its mobility is none, tan(lean) = 3 - 5^(1/2), and where nothing pulls, rate^2 sin(lean) = g.

    Its force grows without bound before: as s^(kappa - 1), s the time that is left and kappa = .34 for mu = 2.
    """
    run, before = rod(lean, rate, 10.0), []
    settle = events.settle
    monkeypatch.setattr(events, "settle", lambda of, *how: before.append(of.qvel) or settle(of, *how))
    books = run.balance
    assert run.to(0.2) is RunStatus.FINAL_TIME
    assert [event.what for event in run.events] == ["jams"] and run.lost > 0.1
    assert run.events[0].lost == pytest.approx(run.lost)
    time = run.events[0].time
    assert time == pytest.approx(fall(lean, rate), abs=1e-6)
    there = rod(lean, rate, 10.0)
    assert there.to(time - 1e-9) is RunStatus.FINAL_TIME and there.foot_force[0, 0] > 1e4 * G
    assert np.tan(-there.qpos[2]) == pytest.approx(3.0 - np.sqrt(5.0), abs=1e-7)
    assert before[0][2] ** 2 * np.sin(-there.qpos[2]) == pytest.approx(G, rel=2e-3)
    arm = np.array([np.sin(-there.qpos[2]), -np.cos(-there.qpos[2])])  # speed of the centre, by rate, about the tip
    turn = (before[0][:2] @ arm + before[0][2] / 3.0) / (1.0 + 1.0 / 3.0)  # the impulse has no moment about the tip
    after = rod(lean, rate, 10.0)
    assert after.to(time + 1e-9) is RunStatus.FINAL_TIME and after.events
    assert after.qvel == pytest.approx([*(turn * arm), turn], abs=1e-5)
    assert abs(run.balance - books) < 1e-8 * abs(run.x[-4:]).sum()


def test_two_tips_at_one_place_share_what_one_bears_and_lose_as_much_in_a_jam():
    """Rows that follow from others exactly: half the force each, however little the mobility with friction is."""
    one, two = rod(0.5, 1.0, 10.0), rod(0.5, 1.0, 10.0, tips=2)
    for time in (0.0, 0.05, 0.09):
        assert [run.to(time) for run in (one, two)] == [RunStatus.FINAL_TIME] * 2
        assert two.foot_force == pytest.approx(np.tile(0.5 * one.foot_force, (2, 1)), rel=1e-7, abs=1e-9)
    assert [run.to(0.101) for run in (one, two)] == [RunStatus.FINAL_TIME] * 2
    assert [event.what for event in two.events].count("jams") == 1
    assert two.lost == pytest.approx(one.lost, rel=1e-3)  # the rest is rubbed off in the last ns
    assert two.qvel == pytest.approx(one.qvel, abs=1e-9)


@pytest.mark.parametrize("slip", [-2e-4, -5e-5, 5e-5, 2e-4])
def test_modes_bear_what_the_stop_of_a_slow_tip_does_to_its_slip(slip):
    """A tip that rises slowly rests, and its stop drives the slip by A_tn / A_nn of its speed, here through zero."""
    run, rises = rod(0.5, 0.0, 0.01), 3e-4
    run.x[3:6] = slip, rises, 0.0
    run.refresh()
    normal, along = run.work.jacobian[0, :2]
    back = np.linalg.solve(run.work.mass, normal)
    after = slip - (along @ back) / (normal @ back) * rises
    assert events.settle(run, False) is None and not run.broken
    assert run.work.foot[0, 1:3] == pytest.approx([0.0, after], abs=1e-12)
    assert run.foot_force[0, 1] * after < 0.0


@pytest.mark.parametrize("undecided", ["stop", "least"])
def test_a_tip_that_is_wedged_leaves_where_its_cone_ends(undecided):
    """Its turn would take it away, and friction keeps it; past the cone no slip is left either, as A < 0."""
    pull = [-8.0, G - 0.2]
    run = rod(0.78, 0.5, 0.0, (pull[0], G - 1.0), undecided=undecided)
    assert run.follow([[pull[0], G - 1.0], pull], [1e-4, 0.185]) is RunStatus.FINAL_TIME
    force = run.foot_force[0]
    assert force[0] > 1.0 and 0.97 * MU * force[0] < force[1] < MU * force[0] and mobility(-run.qpos[2]) < -0.5
    assert run.to(0.2) is RunStatus.FINAL_TIME and [event.what for event in run.events] == ["slip"]
    assert run.work.foot[0, 0] > 1e-5 and not run.foot_force.any()


@pytest.mark.parametrize("mu", [0.3, 0.7, 1.5])
def test_all_solutions_of_one_contact_obey_the_laws_and_the_solvers_is_one_of_them(mu):
    rng, several = np.random.default_rng(int(10 * mu)), 0
    for _ in range(60):
        rows, free = rng.normal(size=(3, 3)), rng.normal(size=3)
        matrix = rows @ rows.T + 0.01 * np.eye(3)
        found = all_solutions(matrix, free, mu)
        several += len(found) > 1
        for force in found:
            w = matrix @ force + free
            assert force[0] >= 0.0 and w[0] > -1e-9 and abs(w[0] * force[0]) < 1e-9 * max(1.0, force[0])
            assert np.hypot(*force[1:]) <= mu * force[0] * (1.0 + 1e-9)
            slip = np.hypot(*w[1:])
            if slip > 1e-8:
                assert force[1:] == pytest.approx(-mu * force[0] * w[1:] / slip, abs=1e-7 * max(1.0, force[0]))
        solved = contact.solve(matrix, free, [contact.cone(mu)])
        assert min(np.abs(force - solved.force).max() for force in found) < 1e-8 * max(1.0, np.abs(solved.force).max())
        apart = max(np.abs(matrix @ (force - found[0])).max() for force in found) > 1e-6
        assert (solved.status is contact.ContactStatus.INDETERMINATE) == apart
        if apart:  # the least first, the largest as the other
            normals = [force[0] for force in found]
            assert solved.force[0] == min(normals) < max(normals) == solved.other[0] and solved.residual < 1e-9
    assert several == 0 if mu < 1.0 else several > 0


def test_an_impact_that_slips_on_or_sticks_is_not_decided_silently():
    """A body on its tip: one impulse lets it slip on, a larger one ends the slip, and there is one between."""
    text = """<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".02 .1 .11"/>
    <geom name="tip" size="1e-9" pos="1 0 0"/></body></worldbody></mujoco>"""
    robot = convert(mujoco.MjModel.from_xml_string(text), ["tip"], mu=MU)
    qpos, qvel = (
        np.array([0.0, 0.0, 0.0, 0.788, -0.466, -0.293, -0.275]),
        [-0.576, -0.364, 0.237, -1.199, 0.989, -0.081],
    )
    qpos[3:] /= np.linalg.norm(qpos[3:])
    qpos[2] = -mechanics(robot, qpos, qvel).gap[0]
    stopped, least = (start(robot, qpos, qvel, options=Options(undecided=how)) for how in ("stop", "least"))
    assert stopped.status is RunStatus.INDETERMINATE and (stopped.qvel == qvel).all() and not stopped.events
    assert least.status is RunStatus.FINAL_TIME and least.events[0].what == "undecided"
    ends = np.array([mechanics(robot, qpos, future).foot_velocity[0] for future in stopped.futures])
    assert np.abs(ends[:, 0]).max() < 1e-12 and np.hypot(*ends[0, 1:]) > 0.7 and np.hypot(*ends[1, 1:]) < 1e-12
    assert qvel[2] < stopped.futures[0, 2] < stopped.futures[1, 2]
    assert least.qvel == pytest.approx(stopped.futures[0], abs=1e-12)


def test_an_impact_that_turns_its_slip_out_of_a_jam_is_found():
    """Of a multipod's toe: friction against the slip it comes with would press it deeper, that at its end does not."""
    matrix = np.array([[2.51799609, 3.09996992, 4.79460671], [3.09996992, 15.1928273, 14.58420328],
                       [4.79460671, 14.58420328, 19.93880109]])  # fmt: skip
    free, mu = np.array([-0.00064485, 0.14042013, 0.05831896]), 0.7
    assert matrix[0] @ [1.0, *(-mu * free[1:] / np.hypot(*free[1:]))] < -0.5
    found = contact.solve(matrix, free, [contact.cone(mu)])
    assert found.status is contact.ContactStatus.SOLVED and found.residual < 1e-12 and found.velocity[0] < 1e-15
    assert found.force[1:] == pytest.approx(-mu * found.force[0] * found.velocity[1:] / np.hypot(*found.velocity[1:]))


def problem_of(rng, mu, n):
    """Return a random problem of n contacts: a cone, and slides; matrix, free velocities, blocks."""
    rows = rng.normal(size=(3 * n, 3 * n + 2))
    slides = [contact.sliding(mu, rng.normal(size=2)) for _ in range(n - 1)]
    return rows @ rows.T, rng.normal(size=3 * n), [contact.cone(mu), *slides]


@pytest.mark.parametrize("mu, n", [(0.5, 2), (2.5, 2), (4.0, 3)])
def test_all_solutions_with_one_cone_obey_the_laws_and_the_solvers_is_one_of_them(mu, n):
    """The solvers' own search from random starts finds no other."""
    rng, several, none = np.random.default_rng(n), 0, 0
    for _ in range(40):
        matrix, free, blocks = problem_of(rng, mu, n)
        found = solutions_beside(matrix, free, blocks)
        for force in found:
            w, direction = matrix @ force + free, [None, *(np.array(block.direction) for block in blocks[1:])]
            for c in range(n):
                f, v = force[3 * c : 3 * c + 3], w[3 * c : 3 * c + 3]
                assert f[0] >= -1e-9 and v[0] > -1e-8 and abs(f[0] * v[0]) < 1e-8 * max(1.0, f[0])
                slip = np.hypot(*v[1:])
                u = v[1:] / slip if c == 0 and slip > 1e-7 else direction[c]
                if u is not None:
                    assert f[1:] == pytest.approx(-mu * f[0] * u, abs=1e-6 * max(1.0, f[0]))
        solved = contact.solve(matrix, free, blocks, starts=50)
        assert solved.status is not contact.ContactStatus.NOT_SOLVED
        assert (solved.status is contact.ContactStatus.NO_SOLUTION) == (not found)
        for force in (solved.force, solved.other):
            if found and force is not None:
                assert min(np.abs(matrix @ (force - one)).max() for one in found) < 1e-6
        several, none = several + (solved.other is not None), none + (not found)
        assert not is_unique(matrix, blocks) or len(found) == 1
    assert (several, none) == (0, 0) if mu < 1.0 else min(several, none) > 0


def test_solutions_are_known_to_be_unique_up_to_the_friction_that_a_point_has():
    """The bound is 2 for a point, A = 1, and where A_nt is not zero it ends before a second solution comes."""
    assert is_unique(np.eye(3), [contact.cone(1.99)]) and not is_unique(np.eye(3), [contact.cone(2.01)])
    two = np.kron(np.diag([1.0, 1e4]), np.eye(3))  # contacts of unlike mobility are scaled to be alike
    assert is_unique(two, [contact.cone(1.99)] * 2)
    rng, decided = np.random.default_rng(5), 0
    for _ in range(300):
        rows = rng.normal(size=(3, 3))
        matrix, free = rows @ rows.T + 0.01 * np.eye(3), rng.normal(size=3)
        found = all_solutions(matrix, free, 1.5)
        several = max(np.abs(matrix @ (force - found[0])).max() for force in found) > 1e-6
        decided += is_unique(matrix, [contact.cone(1.5)])
        assert not (several and is_unique(matrix, [contact.cone(1.5)]))
    assert decided > 10


def test_a_second_future_of_several_cones_is_found():
    """Bodies that do not touch each other, one of which has two futures: the problem of all has them, too."""
    rng, found, free = np.random.default_rng(15), [], None
    while len(found) < 2 or not any(force.any() for force in found[:1]):
        rows = rng.normal(size=(3, 3))
        matrix, free = rows @ rows.T + 0.01 * np.eye(3), rng.normal(size=3)
        found = all_solutions(matrix, free, MU)
    both = np.zeros((6, 6))
    both[:3, :3], both[3:, 3:] = np.eye(3), matrix
    blocks = [contact.cone(0.5), contact.cone(MU)]
    assert len(starts(both, blocks)) and not len(starts(np.eye(6), [contact.cone(1.9)] * 2))
    code, force, other, _ = choice.solve(both, np.array([-1.0, 0.0, 0.0, *free]), blocks, 0.0)
    assert code == S_INDETERMINATE
    assert force[:3] == pytest.approx([1.0, 0.0, 0.0]) and other[:3] == pytest.approx([1.0, 0.0, 0.0])
    for future in (force[3:], other[3:]):
        assert min(np.abs(future - one).max() for one in found) < 1e-7
    assert np.abs(force - other).max() > 1e-3
