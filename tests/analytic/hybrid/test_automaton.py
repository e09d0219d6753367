"""An automaton in the engine and at samples: a mass that hops on a massless leg whose force it commands."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.automaton import Automaton
from tarsus.analytic.hybrid.closing import Plant, close
from tarsus.analytic.hybrid.sampled import MOST_EVENTS, Sampled

G, LEG = 10.0, 1.0  # gravity [m/s^2], length of the leg in flight [m]
MEMORY = {"foothold": 0.0, "apex": 0.0, "landed": 0.0, "speed": 0.0, "force": 0.0}
FOOTHOLD, APEX, LANDED, SPEED, FORCE = range(5)


def fly(x, d, p, u, dx):
    dx[0], dx[1] = x[1], -G


def stand(x, d, p, u, dx, F):
    dx[0], dx[1] = x[1], u[0] - G
    F[0], F[1] = 0.0, u[0]


def gap(x, p):
    return x[0] - LEG - p[0]


def strike(x, d, p):
    d[FOOTHOLD] = p[0]


PLANT = Plant(fly, stand, gap, strike, load=lambda F, p: F[1])


def hopper(seen="measured", apex_law=None):
    """Fall, land, push with 30 N/kg until the leg is 1 m long again, and rise."""

    def push(t, x, d, p, u):
        u[0] = d[FORCE]

    def relax(t, x, d, p, u):
        u[0] = 0.0

    def land(t, x, d, p):
        d[LANDED], d[SPEED], d[FORCE] = t, x[1], 30.0

    def note(t, x, d, p):
        d[APEX] = x[0]

    a = Automaton("hop", phases=("fall", "rise", "stance"), contact=("stance",), memory={}, params={}, n_commands=1)
    a.begin(lambda t, x, d, p: 0 if x[1] <= 0.0 else 1)
    a.command("fall", "rise")(relax)
    a.command("stance")(push)
    a.event("rise", name="apex", to="fall", law=apex_law or note)(lambda t, x, d, p: x[1])
    a.contact("fall", name="touchdown", to="stance", law=land, seen=seen)
    lift = a.event("stance", name="liftoff", to="rise", falling=True, releases=True)
    lift(lambda t, x, d, p: LEG - x[0] + d[FOOTHOLD])
    return a


def sampled(automaton, ground=0.0, **options):
    return Sampled(automaton, PLANT, MEMORY, {"ground": ground}, fast=False, **options)


def closed(automaton):
    model = hy.Model("hop", state={"z": 2.0, "w": 0.0}, memory=MEMORY, params={"ground": 0.0}, charts=automaton.phases)
    return close(model, automaton, PLANT)


def names(controller):
    return [event.name for event in controller.log]


def test_the_closed_model_hops_as_the_formulas_say():
    r = hy.compile(closed(hopper()), mode="python").run(stop_at="apex", stop_count=3, final_time=20.0)
    assert r.status is hy.Status.STOPPED, r.message
    fall, stance = np.sqrt(2.0 / G), 2.0 * np.sqrt(2.0 * G) / 20.0
    down, up, apex = (r.events.t[r.events.of(name)] for name in ("touchdown", "liftoff", "apex"))
    np.testing.assert_allclose(down, fall + (2.0 * fall + stance) * np.arange(3), atol=1e-9)
    np.testing.assert_allclose(up - down, stance, atol=1e-9)
    np.testing.assert_allclose(r.events.d_plus[r.events.of("apex"), APEX], 2.0, atol=1e-9)
    assert len(apex) == 3


def motion(period=1e-3):
    """Times and states of the exact hop at samples, to just after the first apex."""
    r = hy.compile(closed(hopper()), mode="python").run(record_period=period, stop_at="apex", final_time=9.0)
    after = np.append(np.diff(r.t) > 0, True)
    return np.append(r.t[after], r.t[-1] + period), np.append(r.x[after], [[2.0, -G * period]], axis=0)


@pytest.mark.parametrize("seen", ["measured", "predicted"])
def test_a_law_that_is_replaced_is_replaced_in_the_engine_and_at_samples(seen):
    def double(t, x, d, p):
        d[APEX] = 2.0 * x[0]

    times, states = motion()
    for law, wanted in ((None, 2.0), (double, 4.0)):
        r = hy.compile(closed(hopper(seen, law)), mode="python").run(stop_at="apex", final_time=9.0)
        controller = sampled(hopper(seen, law))
        for t, x in zip(times, states, strict=True):
            controller(t, x, x[0] < LEG)
        assert r.d_end[APEX] == pytest.approx(wanted, abs=1e-9)
        assert controller.memory[APEX] == pytest.approx(wanted, abs=1e-3)
        assert names(controller) == ["start", "touchdown", "liftoff", "apex"]
        seen_at = {event.name: event.t for event in controller.log}
        for name, at in zip(r.events.name, r.events.t, strict=True):
            assert 0.0 <= seen_at[name] - at < 1.001e-3


def test_a_touchdown_is_predicted_though_the_foot_has_bounced_up_again():
    """The law is told where the body is, and the velocity before the impact."""
    for ground, met in ((0.0, True), (-0.1, False)):
        controller = sampled(hopper("predicted"), ground)
        controller(0.0, np.array([1.01, -3.0]))
        up = np.array([1.02, 2.0])  # without ground: 0.98 m and -3.1 m/s
        controller(0.01, up)
        assert (controller.phase == "stance") is met
        assert not met or controller.memory[SPEED] == pytest.approx(-3.1)
        np.testing.assert_array_equal(up, [1.02, 2.0])
    measured = sampled(hopper())
    measured(0.0, np.array([1.01, -3.0]))
    measured(0.01, np.array([1.02, 2.0]), False)
    assert measured.phase == "fall"


def test_at_the_first_sample_contact_is_believed_but_not_predicted():
    low = np.array([0.9, -1.0])
    for seen, phase in (("predicted", "fall"), ("measured", "stance")):
        controller = sampled(hopper(seen))
        assert controller.phase == ""
        controller(0.0, low, True)
        assert controller.phase == phase and names(controller)[0] == "start"
    rising = sampled(hopper())
    rising(0.0, np.array([1.5, 1.0]))
    assert rising.phase == "rise"


def test_a_chattering_contact_is_one_touchdown():
    for settle, wanted in ((0.02, 1), (0.0, 2)):
        a = hopper()
        a.contact("stance", name="lost", to="fall")
        controller = sampled(a, settle=settle)
        for t, touches in ((0.0, False), (0.1, True), (0.11, False), (0.112, True)):
            controller(t, np.array([0.99, -1.0]), touches)
        assert names(controller).count("touchdown") == wanted


def test_an_event_that_falls_waits_until_its_value_does():
    """A spring that is too short when the foot lands does not let go until it is longer than before."""
    controller = sampled(hopper())
    for t, z, touches, phase in (
        (0.0, 1.1, False, "fall"), (0.1, 1.05, True, "stance"), (0.2, 1.02, True, "stance"), (0.3, 1.03, True, "rise")
    ):  # fmt: skip
        controller(t, np.array([z, 1.0 if phase == "rise" else -1.0]), touches)
        assert controller.phase == phase


def test_a_contact_that_an_own_event_has_ended_is_not_looked_at_again_in_that_sample():
    controller = sampled(hopper())
    for t, z in ((0.0, 1.1), (0.1, 0.9), (0.2, 1.05)):
        controller(t, np.array([z, -1.0]), t > 0.0)  # it still touches, and falls
    assert names(controller) == ["start", "touchdown", "liftoff", "apex"] and controller.phase == "fall"


def test_a_held_command_is_that_of_the_middle_of_its_time():
    a = hopper()

    def steer(t, x, d, p, u):
        u[0] = t + x[0]

    a.command("fall", "rise", "stance")(steer)
    x = np.array([2.0, -1.0])
    assert sampled(a)(1.0, x)[0] == 3.0
    assert sampled(a, hold=0.2)(1.0, x)[0] == pytest.approx(1.1 + 1.9)  # in flight x moves by -0.1 m
    assert sampled(a, hold=0.2)(1.0, x, True)[0] == pytest.approx(3.0)


def test_events_that_follow_each_other_for_ever_end_the_sample():
    a = Automaton("flicker", phases=("a", "b"), contact=(), memory={}, params={}, n_commands=1)
    a.begin(lambda t, x, d, p: 0)
    a.command("a", "b")(lambda t, x, d, p, u: None)
    a.event("a", name="go", to="b")(lambda t, x, d, p: -1.0)
    a.event("b", name="come", to="a")(lambda t, x, d, p: -1.0)
    controller = sampled(a)
    controller(0.0, np.zeros(2))
    assert names(controller) == ["start", *["go", "come"] * (MOST_EVENTS // 2)]


def test_it_believes_what_it_is_told_and_forgets_when_reset():
    controller = sampled(hopper("predicted"))
    for _ in range(2):
        controller(0.0, np.array([1.5, -1.0]))
        controller.beliefs[0] = 0.6
        controller(1e-3, np.array([1.5, -1.0]))
        assert controller.phase == "stance"
        controller.reset()
        assert controller.phase == "" and controller.log == [] and not controller.memory.any()
        controller.beliefs[0] = 0.0


@pytest.mark.extra
def test_compiled_and_plain_samples_are_the_same():
    plain, fast = (
        sampled(hopper("predicted"), hold=2e-3),
        Sampled(hopper("predicted"), PLANT, MEMORY, {"ground": 0.0}, hold=2e-3),
    )
    for t, x in zip(*motion(2e-3), strict=True):
        np.testing.assert_array_equal(plain(t, x), fast(t, x))
    assert names(plain) == names(fast) and len(plain.log) == 4
    np.testing.assert_array_equal(plain.memory, fast.memory)


def test_mistakes_are_refused_with_a_sentence():
    a = hopper()
    with pytest.raises(ValueError, match="has no phase 'stanse'; known: fall, rise, stance"):
        a.command("stanse")
    with pytest.raises(ValueError, match="already has an event 'apex'"):
        a.event("fall", name="apex")(gap)
    with pytest.raises(ValueError, match="seen must be one of measured, predicted, got 'felt'"):
        a.contact("fall", name="touch", seen="felt")
    with pytest.raises(ValueError, match="leaving cannot be predicted"):
        a.contact("stance", name="lost", seen="predicted")
    a.contact("stance", name="lost", to="fall")
    with pytest.raises(ValueError, match="leaves only by an event that releases it"):
        model = hy.Model("hop", state={"z": 2.0, "w": 0.0}, memory=MEMORY, params={"ground": 0.0}, charts=a.phases)
        close(model, a, replace(PLANT, load=None))
    a.contact("stance", "fall", name="leave", to="rise")
    with pytest.raises(ValueError, match="its phases must share one command"):
        closed(a)
    with pytest.raises(ValueError, match="must begin with"):
        close(hy.Model("hop", state={"z": 2.0}, charts=("rise", "fall")), a, PLANT)
    del a.commands["rise"]
    with pytest.raises(ValueError, match="no command in phase rise"):
        sampled(a)
