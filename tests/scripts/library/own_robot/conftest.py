"""The dog of the package on its ground, its shuffle, and a rollout of it."""

import mujoco
import numpy as np
import pytest

from tarsus.mjcf import own_robot as models
from tarsus.scripts.library.own_robot.rollout import rollout

FEET = ("FL", "FR", "RL", "RR")
PERIOD = 2.0


def shuffle(time, qpos=None, qvel=None, stroke=0.06, height=0.22):
    """All feet slide: each goes back for three quarters of the cycle and forward for one."""
    phase = (time / PERIOD + np.array([0.0, 0.5, 0.75, 0.25])) % 1.0
    x = stroke * np.where(phase < 0.75, 0.5 - phase / 0.75, (phase - 0.75) / 0.25 - 0.5)
    bend = np.arccos(np.hypot(x, height) / 0.32)
    return np.column_stack([0 * x, bend - np.arctan2(x, height), -2 * bend]).ravel()


@pytest.fixture(scope="session")
def dog():
    return models.OwnRobot(models.EXAMPLE, FEET, friction=0.6)


@pytest.fixture(scope="session")
def model(dog):
    return models.model(dog)


@pytest.fixture(scope="session")
def shuffled(dog):
    """Two periods."""
    return rollout(dog, shuffle, 2 * PERIOD + 0.01, every=4)


@pytest.fixture
def sliding_dog(model):
    """The shuffling dog after a second, and then turned about the vertical by 2 rad."""
    data = models.standing(model)
    while data.time < 1.0:
        data.ctrl[:] = shuffle(data.time)
        mujoco.mj_step(model, data)
    return data
