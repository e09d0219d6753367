"""Changes of modes: several guards at one instant, joints that begin to move, and feet whose slip creeps."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import events
from tarsus.analytic.articulated.choice import choose
from tarsus.analytic.articulated.closed import let_turn, slow_rows
from tarsus.analytic.articulated.modes import AT_REST, CREEP, CREEP_RATE, SLIDE, STICK, STOPS
from tarsus.analytic.articulated.outcome import Event
from tarsus.analytic.articulated.simulation import Options, RunStatus, start
from tarsus.analytic.articulated.slip import let_rest
from tarsus.mjcf.articulated import convert

MU, G, DRY = 0.5, 10.0, 2.0
PUCK = """<body pos="0 {n} .1"><joint name="x{n}" type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
<joint name="z{n}" type="slide" axis="0 0 1"/><geom name="puck{n}" size=".1" mass="1"/></body>"""
CART = f"""<mujoco><worldbody><body><joint name="cart" type="slide" axis="1 0 0" frictionloss="{DRY}"/>
<geom size=".1" mass="1"/></body></worldbody><actuator><motor joint="cart"/></actuator></mujoco>"""


def is_broken(run):
    """Return whether a guard of a run is broken as it is now."""
    run.refresh()
    return run.broken


def pucks(count, qvel=None, **how):
    """Return a run of balls of 1 kg that slide on the ground without turning, which controls pull along x and z."""
    bodies = "".join(PUCK.format(n=n) for n in range(count))
    motors = "".join(f'<motor joint="x{n}"/><motor joint="z{n}"/>' for n in range(count))
    text = (
        f"""<mujoco><option gravity="0 0 -{G}"/><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>"""
    )
    robot = convert(mujoco.MjModel.from_xml_string(text), [f"puck{n}" for n in range(count)], mu=MU)
    return start(robot, np.zeros(3 * count), qvel, options=Options(**how))


def cart(speed, force):
    """Return a run of a cart with dry friction, pushed and moving, whose mode is the direction in which it moves."""
    run = start(convert(mujoco.MjModel.from_xml_string(CART), []), [0.0], [speed], [force])
    run.x[1], run.contact.dry[0] = speed, np.sign(speed)
    run.refresh()
    return run


@pytest.mark.parametrize("again", [(1,), (0,), (0, 1), ()])
def test_of_several_guards_each_counts(again):
    """Two feet slip at once, some of them again. A third broke its cone: it is chosen anew if any foot slips anew."""
    run = pucks(3)
    assert (run.contact.foot == STICK).all()
    run.ctrl = np.array([MU * G + 1.0, 0.0] * 3)
    run.refresh()
    run.events += [Event(run.time, "slip", f"puck{n}", 0.0) for n in again]
    fired = np.zeros_like(run.fired)
    fired[[1, 4]] = True
    assert events.transition(run, fired) is None
    third = STICK if len(again) == 2 else CREEP
    assert run.contact.foot[2] == third and is_broken(run) == (third == STICK)
    if len(again) == 2:
        assert (run.contact.foot[:2] == STOPS).all()


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_joint_that_begins_to_move_goes_on_where_others_have_events(way):
    """It would never get away if each event of another stopped it; what is braked is stopped."""
    begins, braked = cart(way * 1e-6, way * (DRY + 1.0)), cart(way * 1e-6, way * (DRY - 1.0))
    none = np.zeros(0, np.bool_)
    assert not len(slow_rows(begins, none, none)[0])
    assert slow_rows(braked, none, none)[1].tolist() == [way * 1e-6]
    assert events.settle(begins, False) is None and begins.qvel[0] == way * 1e-6


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_joint_that_goes_back_slowly_may_do_so(way):
    """What redundant rows do not let be stopped at once turns back by its acceleration, without an event each time."""
    run = cart(way * 1.5e-5, -way * (DRY + 1.0))
    assert choose(run, np.zeros(0, np.bool_), np.zeros(0, np.bool_)) is None
    assert run.contact.dry[0] == -way and is_broken(run)
    let_turn(run)
    let_rest(run.robot.tables, run.work, run.contact, run.options.hold_speed)  # as at each event of others
    assert not is_broken(run)
    assert run.to(1e-3) is RunStatus.FINAL_TIME and not run.events
    assert run.qvel[0] == pytest.approx(way * 1.5e-5 - way * 1e-3, rel=1e-9)


def creeping(pull=0.0):
    """Return a run of a ball that slips slowly along x, and is not braked."""
    run, none = pucks(1, [4e-4, 0.0, 0.0]), np.zeros(0, np.bool_)
    run.ctrl[0] = pull
    run.refresh()
    assert choose(run, np.array([True]), none) is None and not is_broken(run)
    return run


def test_a_slow_slide_creeps_unless_it_will_stop_soon():
    assert creeping(MU * G).contact.foot[0] == CREEP and creeping().contact.foot[0] == SLIDE


@pytest.mark.parametrize("lift", [-1e-3, 1e-3])
def test_friction_of_a_foot_that_creeps_goes_through_zero_with_its_force(lift):
    """Where a step overruns the lift-off, friction is still mu f: the event would else be found again and again."""
    run = creeping(MU * G)
    for up, across in ((G - 1e-2, 0.0), (G + lift, 2e-5), (G - 1e-2, 2e-5)):
        run.ctrl, run.x[4] = np.array([MU * G, up]), across
        for _ in range(2):  # from the force that was found before, too
            run.refresh()
            normal, *friction = run.foot_force[0]
            assert normal == pytest.approx(G - up, abs=1e-9)
            assert np.linalg.norm(friction) <= 1.2 * MU * abs(normal)


@pytest.mark.parametrize("bound, rests", [(0.06, False), (0.08, True)])
def test_others_are_chosen_by_the_law_of_a_foot_that_creeps(bound, rests):
    """A ball that creeps along x and one in the air, tied along y by dry friction, are pulled along y.

    Friction is against v + a / CREEP_RATE, so that it takes c a of the pull p, c = mu m g / (v CREEP_RATE); the tie
    takes p - m a, a = 2 p / (2 m + c). By the law of slides, which has no friction across, it would take nothing.
    """
    text = f"""<mujoco><option gravity="0 0 -{G}"/><worldbody><body><joint name="x" type="slide" axis="1 0 0"/>
    <joint name="y" type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><geom name="foot" size=".1" mass="1"/>
    </body><body><joint name="other" type="slide" axis="0 1 0"/><geom size=".1" mass="1"/></body></worldbody>
    <tendon><fixed frictionloss="{bound}"><joint joint="y" coef="1"/><joint joint="other" coef="-1"/></fixed></tendon>
    <actuator><motor joint="x"/><motor joint="y"/><motor joint="other"/></actuator></mujoco>"""
    robot, v, pull = convert(mujoco.MjModel.from_xml_string(text), ["foot"], mu=MU), 4e-4, 0.1
    run = start(robot, [0.0, 0.0, 0.1, 0.0], [v, 0.0, 0.0, 0.0], [MU * G, pull, pull])
    c = MU * G / (v * CREEP_RATE)
    assert run.contact.foot[0] == CREEP and (run.contact.dry[-1] == AT_REST) == rests and not is_broken(run)
    takes = pull - 2.0 * pull / (2.0 + c) if rests else bound
    assert abs(run.contact.dry_force[-1]) == pytest.approx(takes, rel=2e-3)
