"""Runs with rigid contact: closed forms, another machine's events, energy books, and honest ends."""

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tarsus.analytic import hybrid
from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.layout import CENTRE, MU, RADIUS
from tarsus.analytic.articulated.simulation import Options, RunStatus, start
from tarsus.analytic.models import driven_legs
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.mjcf import slip_leg
from tarsus.mjcf.articulated import convert

ASSETS = Path(__file__).parents[3] / "mjcf" / "assets"
G = 9.81
LEAST = Options(undecided="least")
BOX = """<mujoco><option gravity="{} 0 {}"/><worldbody><body><freejoint/>
<geom name="box" type="box" size="{} {} {}" mass="2"/></body></worldbody></mujoco>"""
REST = [1.0, 0.0, 0.0, 0.0]


def box(size, angle=0.0, **how):
    """Return a box of 2 kg whose eight corners touch a plane that falls by `angle` along x."""
    text = BOX.format(G * np.sin(angle), -G * np.cos(angle), *size)
    return convert(mujoco.MjModel.from_xml_string(text), ["box"], **how)


def books(run, before):
    """Return the energy that is not accounted for, relative to what was worked and lost [-]."""
    turned = np.abs(run.x[-4:]).sum() + abs(run.lost)
    return abs(run.balance - before) / max(turned, 1e-12)


@pytest.mark.parametrize("angle, mu", [(0.0, 0.3), (-0.3, 0.5), (-0.3, 0.2)])
def test_a_box_pushed_up_a_slope_stops_at_the_closed_time_and_stays_or_slides_back(angle, mu):
    speed, run_time = 2.0, 1.5
    run = start(box((0.2, 0.15, 0.05), angle, mu=mu), [0, 0, 0.05, *REST], [speed, 0, 0, 0, 0, 0])
    before = run.balance
    assert run.to(run_time) is RunStatus.FINAL_TIME
    up = G * (mu * np.cos(angle) - np.sin(angle))  # deceleration
    stop, way = speed / up, speed**2 / (2.0 * up)
    first = next(event.time for event in run.events if event.what == "stops")
    assert first == pytest.approx(stop, abs=1e-9)
    back = 0.5 * G * max(-np.sin(angle) - mu * np.cos(angle), 0.0) * (run_time - stop) ** 2
    assert run.qpos[0] == pytest.approx(way - back, abs=1e-9)
    assert run.foot_force[:, 0].sum() == pytest.approx(2.0 * G * np.cos(angle), rel=1e-9)
    assert books(run, before) < 1e-8


def test_a_box_that_stands_stays_where_it_is():
    """Sixty seconds, no event, no drift; the forces carry its weight."""
    run = start(box((0.2, 0.15, 0.05), mu=0.5), [0, 0, 0.05, *REST])
    assert run.to(60.0) is RunStatus.FINAL_TIME and not run.events
    assert np.abs(run.qpos - [0, 0, 0.05, *REST]).max() < 1e-10 and np.abs(run.qvel).max() < 1e-10
    assert run.foot_force[:, 0].sum() == pytest.approx(2.0 * G, rel=1e-9)
    assert np.allclose(run.foot_force[[1, 3, 5, 7], 0], 0.5 * G, rtol=1e-6)  # the least: the same on all corners


def test_a_box_tips_over_its_edge_as_a_pendulum():
    """Without slip, from rest beyond its balance: the energy of the turn about the edge gives its speed."""
    half, high, lean = 0.1, 0.3, 0.05
    robot, arm = box((half, 0.1, high), mu=2.0), np.hypot(0.1, 0.3)
    turn = lean + np.arctan2(half, high)
    run = start(robot, [0, 0, arm * np.cos(lean), np.cos(turn / 2), 0, np.sin(turn / 2), 0])
    before = run.balance
    assert run.to(0.6) is RunStatus.FINAL_TIME
    phi = 2.0 * np.arctan2(run.qpos[5], run.qpos[3]) - np.arctan2(half, high)
    inertia = 2.0 / 3.0 * (half**2 + high**2) + 2.0 * arm**2
    assert phi > 2.0 * lean
    assert run.qvel[4] == pytest.approx(np.sqrt(2 * 2.0 * G * arm * (np.cos(lean) - np.cos(phi)) / inertia), rel=1e-8)
    assert run.to(3.0) is RunStatus.FINAL_TIME  # it falls flat
    assert run.qpos[2] == pytest.approx(half, abs=1e-9) and books(run, before) < 1e-8


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_box_dropped_flat_comes_to_rest_with_all_its_energy_lost(restitution):
    run = start(box((0.1, 0.1, 0.1), mu=0.5, restitution=restitution), [0, 0, 0.3, *REST])
    assert run.to(2.0) is RunStatus.FINAL_TIME
    impacts = [event.time for event in run.events if event.what == "modes"]
    fall = np.sqrt(2.0 * 0.2 / G)
    assert impacts[0] == pytest.approx(fall, abs=1e-10)
    if restitution:
        assert impacts[1] - impacts[0] == pytest.approx(2.0 * restitution * fall, abs=1e-10)
    assert len(impacts) < 20 and run.lost == pytest.approx(2.0 * G * 0.2, rel=1e-6)
    assert run.qpos[2] == pytest.approx(0.1, abs=1e-9)


def test_a_point_that_lands_with_slip_obeys_coulomb_and_not_the_convex_law():
    """v = (1, -1), mu = .5: the normal impulse 1 brakes by .5, and it does not jump; a convex law gives (.4, .2)."""
    text = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body><joint type="slide" axis="1 0 0"/>
    <joint type="slide" axis="0 0 1"/><geom name="point" size=".1" mass="1"/></body></worldbody></mujoco>"""
    robot = convert(mujoco.MjModel.from_xml_string(text), ["point"], mu=0.5)
    run = start(robot, [0.0, 0.1], [1.0, -1.0])
    assert np.allclose(run.qvel, [0.5, 0.0], atol=1e-12) and run.lost == pytest.approx(0.5 * (2.0 - 0.25))


def test_thrown_boxes_come_to_rest():
    robot, rng = box((0.1, 0.07, 0.05), mu=0.5), np.random.default_rng(1)
    for _ in range(6):
        turn = rng.normal(size=4)
        speeds = rng.normal(size=6) * [1, 1, 1, 5, 5, 5]
        run = start(robot, [0, 0, 0.5, *turn / np.linalg.norm(turn)], speeds, options=LEAST)
        before = run.balance
        assert run.to(3.0) is RunStatus.FINAL_TIME
        assert np.abs(run.qvel).max() < 1e-9 and books(run, before) < 1e-8
        assert run.foot_force[:, 0].sum() == pytest.approx(2.0 * G, rel=1e-8)


def test_a_box_that_slides_and_spins_is_indeterminate_with_two_futures():
    robot = box((0.2, 0.15, 0.05), mu=0.4)
    run = start(robot, [0, 0, 0.05, *REST], [1.0, 0.3, 0, 0, 0, 6.0])
    assert run.status is RunStatus.INDETERMINATE and run.to(1.0) is RunStatus.INDETERMINATE and run.time == 0.0
    assert run.futures.shape == (2, 6) and np.abs(run.futures[0] - run.futures[1]).max() > 1e-3
    chosen = start(robot, [0, 0, 0.05, *REST], [1.0, 0.3, 0, 0, 0, 6.0], options=LEAST)
    assert chosen.to(1.0) is RunStatus.FINAL_TIME and np.abs(chosen.qvel).max() < 1e-9
    assert chosen.events[0].what == "undecided" and "undecided" not in {event.what for event in run.events}


DRY = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"
frictionloss="{}" range="-40 200" limited="true"/><geom type="capsule" size=".01" fromto="0 0 0 1 0 0" mass="1"/>
</body></worldbody><actuator><motor joint="hinge"/></actuator></mujoco>"""


def test_a_dry_joint_holds_until_its_friction_and_then_brakes_with_it():
    """An arm with the moment m g / 2 about its hinge: friction above that holds it, less lets it fall to its limit."""
    held = start(convert(mujoco.MjModel.from_xml_string(DRY.format(6.0)), []), [0.0])
    assert held.to(1.0) is RunStatus.FINAL_TIME and held.qvel[0] == 0.0
    assert held.contact.dry_force[0] == pytest.approx(-0.5 * G, rel=1e-9)
    held.set_controls([1.0])  # pulls on until its friction breaks at 6 - 4.905
    assert held.to(1.5) is RunStatus.FINAL_TIME and held.qvel[0] == 0.0
    held.set_controls([1.2])
    before = held.balance
    assert held.to(1.6) is RunStatus.FINAL_TIME and held.qvel[0] > 0.0
    loss = held.x[-1]
    assert loss == pytest.approx(6.0 * held.qpos[0], rel=1e-8) and books(held, before) < 1e-7


def test_a_joint_limit_stops_and_lets_go():
    """The arm falls on its limit at 60 degrees, stays there with all its energy lost, and a motor lifts it off."""
    limit = np.radians(60.0)
    robot = convert(mujoco.MjModel.from_xml_string(DRY.format(0.0).replace("200", "60")), [])
    run = start(robot, [0.0])
    assert run.to(2.0) is RunStatus.FINAL_TIME and run.events[0].what == "impact"
    assert run.lost == pytest.approx(0.5 * G * np.sin(limit), rel=1e-8)
    assert run.qpos[0] == pytest.approx(limit, abs=1e-9) and abs(run.qvel[0]) < 1e-9
    assert run.contact.limit_force.max() == pytest.approx(0.5 * G * np.cos(limit), rel=1e-9)
    run.set_controls([-3.0])
    assert run.to(2.1) is RunStatus.FINAL_TIME and run.qvel[0] < 0.0 and run.contact.limit_force.max() == 0.0


def test_touchdown_and_stance_of_the_slip_leg_are_those_of_the_machine_written_by_hand():
    """The hand-written one has a pinned point foot and other coordinates of its own; state after impact and stance."""
    gains, target = (3000.0, 8.0), np.array([0.9, -1.1])
    q, v, end = np.array([0.0, 0.95, 0.9, -1.1]), np.array([1.0, 0.0, 0.0, 0.0]), 0.28
    model, _ = driven_legs.slip_leg()
    p, names = model.p0.copy(), model.param_names
    values = {"kp": gains[0], "kd": gains[1], **{f"set_{k}": target[k] for k in range(2)},
              **{f"limits_{k}": 1e6 if k < 4 else 0.0 for k in range(6)}}  # fmt: skip
    for name, value in values.items():
        p[names.index(name)] = value
    by_hand = hybrid.compile(model, mode="python").run(np.r_[q, v], None, p, final_time=end, rtol=1e-11, atol=1e-13)
    run = start(leg(gains), q, v, target, options=Options(rtol=1e-11))
    assert run.to(end) is RunStatus.FINAL_TIME
    assert run.events[0].what == "impact"
    assert run.events[0].time == pytest.approx(float(by_hand.events.t[0]), abs=1e-10)
    assert np.allclose(run.x[:8], by_hand.x_end, atol=1e-9)


def leg(gains):
    """Return the SLIP leg of our MJCF under such servos, with a point foot that is as good as pinned."""
    model = slip_leg.build(SlipLegParams(), servo=True, stops=False).compile()
    model.actuator_gainprm[:, 0], model.actuator_biasprm[:, 1] = gains[0], -gains[0]
    model.actuator_biasprm[:, 2], model.jnt_stiffness[:] = -gains[1], 0.0
    for limited in (
        model.actuator_forcelimited,
        model.actuator_ctrllimited,
        model.jnt_limited,
        model.jnt_actfrclimited,
    ):
        limited[:] = 0
    robot = convert(model, ["toe_0"], mu=100.0)
    foot, ground = robot.tables.foot.copy(), robot.tables.ground.copy()
    foot[0, CENTRE : CENTRE + 3], foot[0, RADIUS], ground[0] = model.site("foot_0").pos, 0.0, 0.0
    return dataclasses.replace(robot, tables=robot.tables._replace(foot=foot, ground=ground))


def test_a_bad_start_is_refused_with_a_sentence():
    robot = box((0.1, 0.1, 0.1), mu=0.5)
    with pytest.raises(ValueError, match="foot 'box_.' is 0.05 m inside the ground"):
        start(robot, [0, 0, 0.05, *REST])
    with pytest.raises(ValueError, match="joint 'hinge' is .* beyond its limit"):
        start(convert(mujoco.MjModel.from_xml_string(DRY.format(0.0)), []), [-1.0])
    with pytest.raises(ValueError, match=r"ctrl must have shape \(0,\)"):
        start(robot, [0, 0, 1.0, *REST], ctrl=[1.0])
    with pytest.raises(ValueError, match="time must be finite and not before 0 s"):
        start(robot, [0, 0, 1.0, *REST]).to(np.nan)
    with pytest.raises(ValueError, match="undecided must be 'stop' or 'least'"):
        Options(undecided="guess")
    with pytest.raises(ValueError, match="rtol must be a positive number"):
        Options(rtol=0.0)


SLED = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body><joint name="x" type="slide" axis="1 0 0"/>
<joint name="z" type="slide" axis="0 0 1"/><geom name="sled" size=".1" mass="2"/></body></worldbody><actuator>
<general joint="x" gear="{}" dyntype="filter" dynprm=".3"/><general joint="z" gear="{}" dyntype="filter" dynprm=".3"/>
</actuator></mujoco>"""


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_sled_slips_when_a_growing_pull_reaches_its_friction(way):
    """F (1 - exp(-t / T)) = mu m g at t = -T log(1 - mu m g / F); then m dv/dt is their difference, along the pull."""
    mu, pull, lag, end = 0.4, 20.0, 0.3, 0.6
    run = start(
        convert(mujoco.MjModel.from_xml_string(SLED.format(way, 1)), ["sled"], mu=mu), [0.0, 0.1], ctrl=[pull, 0.0]
    )
    before = run.balance
    assert run.to(end) is RunStatus.FINAL_TIME
    grip = mu * 2.0 * G
    slip = -lag * np.log(1.0 - grip / pull)
    assert run.events[0].what == "slip" and run.events[0].time == pytest.approx(slip, abs=1e-9)
    lost = lag * (np.exp(-slip / lag) - np.exp(-end / lag))  # the integral of exp(-t / T)
    speed = ((pull - grip) * (end - slip) - pull * lost) / 2.0
    assert run.qvel[0] == pytest.approx(way * speed, abs=1e-8) and books(run, before) < 1e-8


def test_a_sled_lifts_off_when_a_growing_pull_reaches_its_weight():
    pull, lag = 30.0, 0.3
    robot = convert(mujoco.MjModel.from_xml_string(SLED.format(1, 1)), ["sled"], mu=0.4)
    run = start(robot, [0.0, 0.1], ctrl=[0.0, pull])
    assert run.to(0.5) is RunStatus.FINAL_TIME and [event.what for event in run.events] == ["liftoff"]
    assert run.events[0].time == pytest.approx(-lag * np.log(1.0 - 2.0 * G / pull), abs=1e-9)
    assert run.qvel[1] > 0.0 and np.array_equal(run.foot_force, np.zeros((1, 3)))


def test_a_foot_that_begins_in_the_ground_by_rounding_lands_there():
    """Its guard never was positive: the impact is where it sinks by a nanometre, not 25 um lower."""
    robot = convert(mujoco.MjModel.from_xml_string(SLED.format(1, 1)), ["sled"], mu=0.4)
    run = start(robot, [0.0, 0.1 + 5e-13], [0.0, -1.0], options=Options(touching=1e-13))
    assert run.contact.foot[0] == 0 and run.to(0.1) is RunStatus.FINAL_TIME
    assert run.events[0].what == "impact" and 0.0 < run.events[0].time < 2e-9
    assert abs(run.qpos[1] - 0.1) < 2e-9 and run.lost == pytest.approx(0.5 * 2.0, rel=1e-6)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_dry_joint_yields_when_a_growing_torque_reaches_its_friction(way):
    text = SLED.replace('<geom name="sled"', '<geom name="sled" contype="0"').format(way, 1)
    text = text.replace('axis="1 0 0"', 'axis="1 0 0" frictionloss="5"').replace(
        'gravity="0 0 -9.81"', 'gravity="0 0 0"'
    )
    run = start(convert(mujoco.MjModel.from_xml_string(text), []), [0.0, 0.0], ctrl=[20.0, 0.0])
    assert run.to(0.5) is RunStatus.FINAL_TIME and [event.what for event in run.events] == ["yields"]
    assert run.events[0].time == pytest.approx(-0.3 * np.log(1.0 - 5.0 / 20.0), abs=1e-9)
    assert run.qvel[0] * way > 0.0 and run.contact.dry_force[0] == -5.0 * way


@pytest.mark.parametrize("drop", [0.0, 0.02, 0.1])
def test_a_dog_with_dry_joints_is_dropped_and_stands(drop):
    """Stuck joints and stuck feet are more rows than degrees of freedom; the feet carry the weight all the same."""
    model = mujoco.MjModel.from_xml_path(str(ASSETS / "robots" / "dog.xml"))
    robot, qpos = convert(model, ["FL", "FR", "RL", "RR"]), model.key_qpos[0].copy()
    qpos[2] += drop - mechanics(robot, qpos, np.zeros(model.nv)).gap.min()
    run = start(robot, qpos, ctrl=qpos[7:], options=Options(rtol=1e-7, hold_speed=1e-5))
    before = run.balance
    assert run.to(2.0) is RunStatus.FINAL_TIME
    assert np.abs(run.qvel).max() < 1e-6 and (run.contact.foot != 0).all()
    assert run.foot_force[:, 0].sum() == pytest.approx(run.weight, rel=1e-9)
    assert books(run, before) < 1e-7  # some 1e-8 at this tolerance
    friction = np.linalg.norm(run.foot_force[:, 1:], axis=1)
    assert (friction <= robot.tables.foot[:, MU] * run.foot_force[:, 0] * (1.0 + 1e-6)).all()


def test_feet_whose_gaps_differ_by_rounding_share_the_load():
    """Two feet at one place, one larger by 1e-10 m: rows contradict each other by 4e-8 m/s^2, and forces must not."""
    text = SLED.format(1, 1).replace(
        '<geom name="sled"', '<geom name="twin" size=".1000000001" mass="2"/><geom name="sled"'
    )
    run = start(convert(mujoco.MjModel.from_xml_string(text), ["sled", "twin"], mu=0.4), [0.0, 0.1000000001])
    assert run.to(0.1) is RunStatus.FINAL_TIME and (run.contact.foot != 0).all()
    assert np.allclose(run.foot_force[:, 0], 2.0 * G, rtol=1e-6)


ROD = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body>
<inertial pos="0 0 0" mass="1" diaginertia=".1 .3333 .3333"/>
<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
<geom name="tip" size=".001" pos="-1 0 0"/></body></worldbody></mujoco>"""


def test_painleves_rod_jams_where_it_is_pushed_and_slides_where_it_is_pulled():
    """The tip is behind and below at 1 rad; mu = 2. Pulled after its centre it slides, pushed towards it, it jams.

    Then an impact without collision ends the slip at once, by the impulse that stops the tip in both directions.
    """
    robot, lean = convert(mujoco.MjModel.from_xml_string(ROD), ["tip"], mu=2.0), -1.0
    qpos = [0.0, np.sin(1.0) + 0.001, lean]
    slides, jams = (start(robot, qpos, [speed, 0.0, 0.0]) for speed in (1.0, -1.0))
    assert slides.foot_force[0, 0] > 0.0 and not slides.events
    known, jacobian = mechanics(robot, qpos, [-1.0, 0.0, 0.0]), mechanics(robot, qpos, np.zeros(3)).jacobian[0, :2]
    back = np.linalg.solve(known.mass_matrix, jacobian.T)
    impulse = np.linalg.solve(jacobian @ back, [0.0, 1.0])
    assert abs(impulse[1]) < 2.0 * impulse[0]  # within the cone: it sticks
    assert jams.qvel == pytest.approx([-1.0, 0.0, 0.0] + back @ impulse, abs=1e-5)
    assert [event.what for event in jams.events] == ["jams"] and jams.lost == pytest.approx(0.5 * impulse[1], rel=1e-5)
    assert [run.to(1e-3) for run in (slides, jams)] == [RunStatus.FINAL_TIME] * 2
    assert slides.foot_force[0, 0] > 0.0
