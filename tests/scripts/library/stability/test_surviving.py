"""Margins and basins as fields of a result, and what cannot be asked."""

import dataclasses
import functools
import json

import pytest
from pushed_cart import Cart

from tarsus.scripts.library.stability import asking, margins, shown, surviving
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.result import Stability

FOUND = Stability("cart", "Rail-v0", "mujoco", "stable", "it is.", period=1.0)


@pytest.fixture
def pushes_only(monkeypatch):
    monkeypatch.setattr(surviving, "margins", functools.partial(margins.margins, changes=()))


def test_margins_are_of_the_result_its_text_and_its_picture(pushes_only, tmp_path):
    found = surviving.added(FOUND, Cart(), Cart, True, (), tmp_path / "parts", 1)
    assert Stability.from_json(found.as_json()) == Stability.from_json(json.dumps(dataclasses.asdict(found)))
    read = Stability.from_json(found.as_json())
    assert len(read.margins) == 9 and surviving.messages(read) == surviving.messages(found)
    assert "left: 95% of 64 trials survive up to 0.2" in shown.text(read)
    whole = next(one for one in read.margins if one["name"] == "pushes")["threshold"]
    assert shown.table([read]).endswith(f"| {whole['value']:.3g} ({whole['low']:.3g} to {whole['high']:.3g}) | - |")
    assert shown.table([FOUND]).endswith("| - | - |")
    parts = dataclasses.replace(FOUND, parting=(1.25, 1.0, 1.5))
    assert shown.table([parts]).endswith("| - | 1.25 (1 to 1.5) |")
    figure = shown.draw(read, surviving.panel(read))
    assert [axes.get_title() for axes in figure.axes][-1] == "pushes survived"
    trials = tmp_path / "parts" / "forward-left.jsonl"
    assert json.loads(trials.read_text().splitlines()[0])["of"]["policy"] == "cart"


def test_trials_of_a_machine_that_has_changed_are_asked_again(pushes_only, tmp_path):
    """The name of a policy's file does not change with its weights."""

    def heads():
        return {path.name: path.read_text().splitlines()[0] for path in tmp_path.glob("*.jsonl")}

    surviving.added(FOUND, Cart(), Cart, True, (), tmp_path, 1)
    before = heads()
    surviving.added(FOUND, Cart(), Cart, True, (), tmp_path, 1)
    assert heads() == before and len(before) == 9
    slower = functools.partial(Cart, speed=0.9)
    surviving.added(FOUND, slower(), slower, True, (), tmp_path, 1)
    assert all(heads()[name] != head for name, head in before.items())


def test_what_has_no_period_is_pushed_within_a_second(pushes_only):
    found = surviving.added(dataclasses.replace(FOUND, period=None), Cart(), Cart, True, (), jobs=1)
    assert len(found.margins) == 9


@pytest.mark.parametrize("verdict", ["falls", "stochastic"])
def test_what_falls_or_draws_has_no_margins(verdict):
    found = surviving.added(dataclasses.replace(FOUND, verdict=verdict), Cart(), Cart, True, (), jobs=1)
    assert found.margins == () and found.lines == (f"no margins: the verdict is {verdict}",)
    assert surviving.panel(found) is None


def test_nothing_is_added_unasked():
    assert surviving.added(FOUND, Cart(), Cart, False, ()) is FOUND


def test_the_simplest_walkers_basin_is_thin():
    """As its authors say of basins: nearly all of a small box returns, of one ten times as wide next to nothing."""
    near, far = (asking.stability("simplest-walker", box=[reach]).basin for reach in (0.005, 0.3))
    assert near["low"] > 0.9 and far["high"] < 0.2
    assert "of the box return within 20 periods" in shown.text(dataclasses.replace(FOUND, basin=near))


def test_an_unstable_gait_has_no_basin():
    found = asking.stability("simplest-walker-short", box=[0.01, 0.01])
    assert found.basin["message"].startswith("no basin: the closed loop is not stable, its largest multiplier is 4.0")


@pytest.mark.parametrize(
    ("policy", "asked", "words"),
    [
        ("simplest-walker", {"margins": True}, "ask for a box instead"),
        ("simplest-walker", {"box": [1.0] * 3}, "one for each of stance angle, its rate; got 3"),
        ("walk", {"box": [1.0]}, "a box needs a return map"),
    ],
)
def test_what_cannot_be_asked_is_refused(policy, asked, words):
    with pytest.raises(ValueError, match=words):
        asking.stability(policy, **asked)


def test_a_loop_may_have_margins():
    assert surviving.refuse(Loop.of("walk"), True, ()) is None
