"""Changes of machines: that they are what they are called, and that trials do not depend on those before."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.scripts.library.stability.changes import CHANGES, Changed
from tarsus.scripts.library.stability.ensembles import Trial
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.margins import Question, changed


@pytest.fixture(scope="module")
def hexapod():
    return Loop.of("walk", "Hexapod-v0")


def trial(size, seed=1):
    return Trial(0.0, 0.0, size, seed)


def begun(loop, name, size):
    loop.env.reset(seed=0, options=CHANGES[name].options(loop, size))
    return loop.base


def test_payload_is_added_to_the_body(hexapod):
    assert begun(hexapod, "payload", 0.5).params.body_mass == pytest.approx(9.0)


def test_friction_is_lost(hexapod):
    assert begun(hexapod, "friction", 0.25).params.friction_coeff == pytest.approx(0.375)


def test_torque_is_lost(hexapod):
    assert begun(hexapod, "motor strength", 0.4).params.max_torque == pytest.approx(1.8)


@pytest.mark.parametrize(("name", "sign"), [("uphill", 1.0), ("downhill", -1.0)])
@pytest.mark.parametrize("environment", ["Hexapod-v0", "Dog-v0", "SlipLeg-v1"])
def test_slopes_rise_or_fall_ahead(name, sign, environment):
    loop = Loop.of("zero", environment)
    base = begun(loop, name, 0.3)
    ahead = loop.chart.along(base.task.qpos, np.array([1.0, 0.0, 0.0])) if loop.chart.free else np.array([1.0, 0.0])
    ground = base.task.ground
    assert ground.height(ahead[0], ahead[1]) - ground.height(0.0, 0.0) == pytest.approx(sign * np.tan(0.3))


def test_delay_is_added_to_the_own(hexapod):
    assert CHANGES["delay"].options(hexapod, 3.0) == {"action_delay": (3, 3)}
    late = Loop.of("walk", "Hexapod-v0", {"action_delay": (2, 2)})
    assert CHANGES["delay"].options(late, 3.0) == {"action_delay": (5, 5)}


@pytest.mark.parametrize(
    ("policy", "name", "words"),
    [
        ("hopping-leg-0", "payload", "no parameter body_mass; there are g, leg_mass"),
        ("hopping-leg-0", "uphill", "around on a boom"),
        ("bigant-0", "motor strength", "no parameter max_torque"),
    ],
)
def test_what_a_machine_has_not_is_said(policy, name, words):
    found = changed(Question(lambda: Loop.of(policy), 10), name)
    assert found.threshold is None and words in found.reason and words in found.message


def test_small_changes_are_survived_and_large_ones_not_whatever_was_asked_before(hexapod):
    trials = [trial(0.0), trial(0.9), trial(0.02), trial(0.9, 2), trial(0.02, 2)]
    first = list(map(Changed(Loop.of("walk", "Hexapod-v0"), CHANGES["motor strength"], 50), trials))
    assert first == [True, False, True, False, True]
    again = Changed(Loop.of("walk", "Hexapod-v0"), CHANGES["motor strength"], 50)
    assert list(map(again, trials[::-1])) == first[::-1]


class Tiring:
    """A policy that gives no action any more after 210 of them."""

    def __init__(self, shape):
        self.n, self.shape = 0, shape

    def __call__(self, observation, info):
        self.n += 1
        return np.full(self.shape, np.nan if self.n > 210 else 0.0)


def test_a_policy_begins_each_trial_without_memory():
    """Two hundred control periods are 4 s."""
    walk = Loop.of("walk", "Hexapod-v0")
    loop = Loop(walk.env, replace(walk.candidate, make=lambda env, seed: Tiring(env.action_space.shape)))
    assert list(map(Changed(loop, CHANGES["delay"], 10), [trial(1.0), trial(1.0)])) == [True, True]


def test_what_falls_by_itself_is_refused():
    loop = Loop.of("zero", "HoppingLeg-v1", {"action_mode": "torque"})
    with pytest.raises(ValueError, match="zero falls without any change, after 0.2.* s: fell: the hip"):
        Changed(loop, CHANGES["delay"], 10)
