"""How much Python a step is: calls of this project's functions, compiled ones among them, and the files they are in."""

import sys
from pathlib import Path

import gymnasium
import numpy as np

import tarsus

ROOT = Path(tarsus.__file__).parent


def calls_of(function, *arguments):
    """Return file and name of every function of this project that is called when this one is."""
    found, before = [], sys.getprofile()

    def note(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT) and "site-packages" not in path.parts:
            found.append((path.relative_to(ROOT).as_posix(), frame.f_code.co_name))

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
    assert ("envs/task.py", "act") in calls and ("envs/kernels.py", "walker_frame") in calls
    assert len(calls) <= 35 and len(files) <= 11, sorted(calls)
