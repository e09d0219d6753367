"""Reward terms: functions of measurements, shared by all tasks. An environment names them and weighs them.

Arguments broadcast, with any leading dimensions for parallel simulations; each returns one number per simulation.
"""

from __future__ import annotations

import numpy as np


def track(value, target, width):
    """Return exp(-((value - target) / width)^2): 1 on target, 1/e off by `width`; units of the quantity."""
    error = (np.asarray(value) - target) / width
    return np.exp(-error * error)


def power(torque, speed):
    """Return the absolute mechanical power of all joints, sum |tau w| [W], over the last axis."""
    return np.vecdot(np.abs(torque), np.abs(speed))


def squared_change(action, last_action):
    """Return |action - last action|^2 over the last axis."""
    change = action - last_action
    return np.vecdot(change, change)
