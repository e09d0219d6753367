"""Watching a run: its pace, pause and playback, for every machine."""

import contextlib
import sys
from collections import deque
from types import SimpleNamespace

import mujoco
import mujoco.viewer
import numpy as np
import pytest

from tarsus.scripts.command.verbs import run
from tarsus.scripts.library.machines import MACHINES
from tarsus.scripts.library.running import one_engine
from tarsus.scripts.library.views import window


class Falling:
    """A ball in the air."""

    def __init__(self):
        ball = '<body pos="0 0 9"><freejoint/><geom size=".1"/></body>'
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{ball}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)

    def step(self):
        mujoco.mj_step(self.model, self.data)


def test_a_run_keeps_pace_and_a_slow_machine_makes_up_for_little():
    playback = window.Player(Falling())
    for _ in range(100):
        playback.advance(0.0167)
    assert playback.stepper.data.time == pytest.approx(1.67, abs=0.003)
    playback.advance(10.0)
    assert playback.stepper.data.time == pytest.approx(1.67 + window.MOST_OWED, abs=0.005)


def test_space_pauses_arrows_play_back_and_the_run_goes_on_where_it_was():
    playback = window.Player(Falling())
    playback.keys.append(window.LEFT)  # while it runs, arrows are not heeded
    heights = []
    for _ in range(5):
        playback.advance(0.02)
        heights.append(playback.stepper.data.qpos[2])

    def seen(*keys):
        playback.keys.extend(keys)
        playback.advance(0.02)
        return playback.stepper.data.qpos[2]

    assert seen(window.SPACE) == heights[-1] == seen()
    assert seen(window.LEFT, window.LEFT) == heights[-3]
    assert seen(window.RIGHT) == heights[-2] and seen(*[window.LEFT] * 9) == heights[0]
    assert playback.stepper.data.xpos[1, 2] == heights[0]  # what is drawn
    assert seen(*[window.RIGHT] * 9) == heights[-1]
    seen(window.LEFT)
    assert seen(window.SPACE) < heights[-1] and playback.stepper.data.time == pytest.approx(0.12, abs=0.003)


@pytest.mark.parametrize("machine", [name for name in MACHINES if name != "connection_mpc"])
def test_every_machine_can_be_watched(machine, monkeypatch):
    seen, pictures = deque(), iter([True] * 4 + [False])

    @contextlib.contextmanager
    def launched(model, data, key_callback):
        camera = SimpleNamespace()
        yield SimpleNamespace(
            lock=contextlib.nullcontext, cam=camera, is_running=lambda: next(pictures),
            sync=lambda: seen.append((data.time, np.isfinite(data.qpos).all())),
        )  # fmt: skip
        assert model.body(camera.trackbodyid).name

    monkeypatch.setattr(window, "require_display", lambda: None)
    monkeypatch.setattr(mujoco.viewer, "launch_passive", launched)
    words = [machine, "--preset", "reference", "--view"]
    args = run.parser().parse_args(words)
    args.seconds = 1.0
    one_engine._watch(MACHINES[machine], MACHINES[machine].experiment(args), args.view)
    assert len(seen) == 4 and seen[-1][0] > seen[0][0] >= 0.0 and all(fine for _, fine in seen)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_where_nothing_can_be_viewed_a_sentence_says_what_can(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    one_engine._watch(SimpleNamespace(stepper=lambda experiment: Falling()), None, "window")
    sentence = "Nothing can be viewed here: there is no display; without a screen there is --view web\n"
    assert capsys.readouterr().err == sentence
