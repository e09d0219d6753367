"""Pushes of a loop whose truth is known, and of real ones."""

import functools
import json
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
from pushed_cart import Cart

from tarsus.scripts.library.stability import gaits
from tarsus.scripts.library.stability.ensembles import Trial, ensemble
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Ended, Loop
from tarsus.scripts.library.stability.margins import DIRECTIONS, PUSHES, Margin, Question, _counting, margins, pushed
from tarsus.scripts.library.stability.pushes import Pushed, PushedGait
from tarsus.scripts.library.stability.survival import Island
from tarsus.scripts.library.stability.system import MapSystem


def trial(size, direction=0.0, phase=0.0, seed=0):
    return Trial(direction, phase, size, seed)


@pytest.mark.parametrize(
    ("size", "direction", "phase", "survives"),
    [
        (0.9, 0.0, 0.0, True),
        (1.1, 0.0, 0.0, False),
        (0.6, 0.0, 0.45, True),
        (0.6, 0.0, 0.55, False),
        (0.4, np.pi / 2, 0.0, True),
        (0.6, np.pi / 2, 0.0, False),
        (0.6, -np.pi / 2, 0.0, False),
        (0.7, np.pi, 0.0, True),
        (0.9, np.pi, 0.0, False),
    ],
)
def test_a_push_has_its_direction_and_its_phase(size, direction, phase, survives):
    assert Pushed(Cart(), 10)(trial(size, direction, phase)) is survives


def test_margins_of_all_directions_are_found():
    """In a sector those that bear least decide; 22.5 degrees aside of forward, 0.38 of a push goes aside."""
    found = {one.name: one for one in margins(Question(Cart, 10), changes=())}
    assert list(found) == [*DIRECTIONS, "pushes"]
    for name, least in ("forward", 0.5), ("left", 0.25), ("right", 0.25), ("backward", 0.25 / np.sin(np.pi / 8)):
        known = found[name].threshold
        assert known.low <= 1.3 * least and least <= known.high, name
    assert found["left"].angle == np.pi / 2 and found["pushes"].angle is None
    assert found["left"].message.startswith("left: 95% of 64 trials survive up to 0.2")


def test_eight_sectors_have_all_directions(tmp_path):
    margins(Question(Cart, 10, tmp_path), changes=())
    for k, name in enumerate(DIRECTIONS):
        lines = (tmp_path / f"{name.replace(' ', '-')}.jsonl").read_text().splitlines()[1:]
        off = np.array([json.loads(json.loads(line)[0])[0] for line in lines]) - k * np.pi / 4
        assert np.abs(off).max() <= np.pi / 8 and np.ptp(off) > 0.6


def test_a_leg_on_a_rail_is_pushed_ahead_and_back():
    found = margins(Question(functools.partial(Cart, free=False), 10), changes=())
    assert [one.name for one in found] == ["forward", "backward"]
    assert found[0].threshold.value <= 0.5 <= found[0].threshold.high
    assert found[1].threshold.value <= 0.8 <= found[1].threshold.high


class Stumbling(Cart):
    """A cart that falls at the start of seed 3."""

    def steady(self, seconds, seed):
        if seed == 3:
            raise Ended("cart does not stay up: after 1.00 s: fell")
        return super().steady(seconds, seed)


def test_what_falls_by_itself_has_no_margin():
    found = margins(Question(Stumbling, 10), changes=())
    assert all(one.threshold is None for one in found)
    assert found[0].message == "forward: seed 3: cart does not stay up: after 1.00 s: fell"


def test_margins_are_restored_from_json():
    found = [pushed(Question(Cart, 10), "left", np.pi / 2, 0.1), Margin("friction", "", reason="it has none")]
    found.append(replace(found[0], threshold=replace(found[0].threshold, islands=(Island(1.0, 2.0, 0.96),))))
    assert [Margin.restored(one) for one in json.loads(json.dumps([asdict(one) for one in found]))] == found


def test_disjoint_ensembles_agree_and_searches_are_kept(tmp_path):
    one = pushed(Question(Cart, 10, tmp_path, {"policy": "cart"}), "all", 0.0, np.pi)
    other = pushed(Question(Cart, 10, first_seed=64), "all", 0.0, np.pi)
    assert one.threshold.agrees(other.threshold)
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) > sum(one.threshold.tried)
    pushed(Question(Cart, 20, tmp_path, {"policy": "cart"}), "all", 0.0, np.pi)
    assert json.loads((tmp_path / "all.jsonl").read_text().splitlines()[0])["of"]["steps_per_period"] == 20


def waited(bar, count):
    """Return a bar's count once it is so large, or after a minute."""
    for _ in range(6000):
        if bar.n >= count:
            break
        time.sleep(0.01)
    return bar.n


def test_trials_are_counted_and_each_margin_is_told(tmp_path):
    told, kept = [], [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    found = margins(Question(Cart, 10, n_trials=8), changes=(), said=told.append)
    assert told == [one.message for one in found] and "of 8 trials" in told[0]
    kept[0].write_text("what they are of\n1\n2\n")
    with _counting(kept, every=0.01) as bar:
        counts = [waited(bar, 2)]
        kept[1].write_text("what they are of\n3\n")
        counts.append(waited(bar, 3))
    assert counts == [2, 3] and str(bar).startswith("0 of 2 margins: 3 trials")


def test_an_ensemble_begins_with_a_smaller_one():
    """So what a quick look tried is not tried again."""
    assert ensemble(0.3, 0.1, 8, 8)[:16] == ensemble(0.3, 0.1, 8, 2)


def test_a_dog_bears_small_pushes_and_not_large_ones_whatever_was_asked_before():
    trials = [trial(size, direction, phase) for size in (0.0, 8.0) for direction, phase in ((0.0, 0.1), (2.0, 0.7))]
    first = list(map(Pushed(Loop.of("clock", "Dog-v0"), 19), trials))
    assert first == [True, True, False, False]
    mixed = trials + [trial(1.5, 1.0, 0.3), trial(1.5, -1.0, 0.6)]
    pushes = Pushed(Loop.of("clock", "Dog-v0"), 19)
    assert list(map(pushes, mixed)) == list(map(pushes, mixed[::-1]))[::-1]


def mapped(stride):
    """Return a gait whose coordinates are its velocity ahead and to the left."""

    def pushed(velocity, strides):
        for _ in range(strides):
            velocity = stride(velocity)
        return velocity

    return Gait("map", MapSystem(stride, np.zeros(2)), 0.3, pushed=pushed)


@pytest.mark.parametrize(
    ("size", "direction", "survives"),
    [
        (0.4, 0.0, True), (0.6, 0.0, False), (0.4, np.pi / 2, True), (0.6, np.pi / 2, True), (0.9, np.pi / 2, False),
        (0.9, -np.pi / 2, True),
    ],
)  # fmt: skip
def test_a_return_map_is_pushed_at_its_section(size, direction, survives):
    """It falls after a push of .5 ahead; one of .8 to the left it does not forget."""
    strides = []

    def stride(z):
        strides.append(0)
        ahead, left = z
        return np.full(2, np.nan) if ahead > 0.5 else np.array([0.7 * ahead, left if left > 0.8 else 0.6 * left])

    assert PushedGait(mapped(stride))(trial(size, direction)) is survives
    assert len(strides) == 7  # two seconds


def test_a_return_map_has_the_margin_of_all_directions():
    """It is thrown by a push of half a metre per second ahead."""
    (found,) = margins(Question(lambda: mapped(lambda z: np.where(z[0] > 0.5, np.nan, 0.5 * z)), 0))
    assert found.name == PUSHES and found.threshold.low <= 0.55 and 0.5 <= found.threshold.high


@pytest.mark.extra  # the hexapod is compiled
def test_the_hexapod_walks_on_as_its_return_map_after_a_small_push():
    gait = gaits.MODELS["hexapod-walk"]()
    off = gait.pushed(np.array([0.01, 0.0]), 0) - gait.system.at
    assert gait.system.names[np.argmax(off)] == "vy" and off.max() == pytest.approx(0.01)
    left = gait.pushed(np.array([0.0, 0.01]), 0) - gait.system.at
    assert gait.system.names[np.argmin(left)] == "vx" and left.min() == pytest.approx(-0.01)
    once = gait.system.stride(gait.system.at + off)
    np.testing.assert_allclose(gait.pushed(np.array([0.01, 0.0]), 2), gait.system.stride(once), atol=1e-5)
    assert np.isnan(gait.pushed(np.array([0.0, 4.0]), 4)).all()


def test_unknown_changes_are_refused():
    with pytest.raises(ValueError, match="unknown change 'wind'; there are payload, friction"):
        margins(Question(Cart, 10), changes=("wind",))
