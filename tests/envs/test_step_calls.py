"""How much Python a step is: calls of this project's functions, compiled ones among them, and the files they are in."""

import sys
from pathlib import Path

import gymnasium
import numpy as np

import tarsus

ROOT = Path(tarsus.__file__).parent
MOST_CALLS, MOST_FILES = 35, 11


def calls_of(function, *arguments):
    """Return file and name of every call of a function of this project that calling a function leads to."""
    found = []

    def note(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            found.append((str(path.relative_to(ROOT)), frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return found


def test_a_step_of_the_hexapod_is_few_calls_in_few_files():
    env = gymnasium.make("Hexapod-v0").unwrapped
    env.reset(seed=0)
    action = np.zeros(env.action_space.shape, np.float32)
    env.step(action)  # compiles
    calls = calls_of(env.step, action)
    files = {file for file, _ in calls}
    assert ("envs/task.py", "Task.act") in calls and ("envs/hexapod.py", "HexapodTask.refresh") in calls
    assert len(calls) <= MOST_CALLS, calls
    assert len(files) <= MOST_FILES, sorted(files)
