"""Commands of the task "commanded": how they are drawn, and what following them earns.

What is tracked earns exp(-(error / width)^2), as in legged_gym. There the width is half of the largest command, so
that standing earns 44 % of what a perfect one does. Here it is half of the present command, but at least a
quarter of the largest: from rest the slope towards a fast command is the same, and standing earns 2 % of it.

A body's velocities swing within a stride: those of the hexapod's walk by 0.07 m/s and 0.15 rad/s, a multipod's yaw rate
by 0.3 rad/s, more than is commanded. So what is compared is the pace of a free body, their mean over about a stride.
None of the machines can walk sideways: a sideways pace is not commanded, but part of the error.
"""

import math

import numpy as np

from .extras import Extra
from .measure import heading

WIDTH_SHARE = 0.5  # of the command: by how much it is missed where the reward is 1/e
FLOOR_SHARE = 0.25  # of the largest command by default: the least width
# Standing earns little if what is paid beside the tracking is little, and walking must not cost what it earns at first:
# a walking hexapod's 5 to 25 W are 0.003 to 0.013.
WEIGHTS = {"power": -0.0005, "healthy": 0.02}
Terms = dict[str, tuple[float, str]]  # weight and meaning of each term of a reward


def tracking(squared_error, squared_command, floor: float):
    """Return exp(-(error / width)^2): 1 on target, 1/e at an error of half the command or of `floor` if that is more.

    Args:
        squared_error: Of the quantity, a number or an array.
        squared_command: What it should be, squared.
        floor: The least width, in the quantity's unit.
    """
    return np.exp(-squared_error / np.maximum(WIDTH_SHARE**2 * squared_command, floor * floor))


def reweighed(terms: Terms) -> Terms:
    """Return terms shared with other tasks with their weights when commanded."""
    return {name: (WEIGHTS.get(name, weight), meaning) for name, (weight, meaning) in terms.items()}


def tracked(floors: tuple[float, float] | None = None) -> Terms:
    """Return weight and meaning of what a free body is commanded, by the least widths [m/s] and [rad/s], if fixed."""
    by_default = f"{FLOOR_SHARE:g} of the largest by default"
    speed, yaw_rate = (f"{floors[0]:g} m/s", f"{floors[1]:g} rad/s") if floors else (by_default, by_default)
    width = "width half the command, at least"
    return {
        "speed": (1.0, f"exp(-(error / width)^2) of the pace forward and sideways together; {width} {speed}"),
        "yaw_rate": (0.5, f"the same of the pace's yaw rate; {width} {yaw_rate}"),
    }


def velocities(rotation: np.ndarray, axis: int, velocity: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Return velocity forward and sideways (to the left) of the heading [m/s], and yaw rate [rad/s], shape (..., 3).

    Args:
        rotation: From body to world, shape (..., 3, 3).
        axis: The body's forward axis.
        velocity: In the world, horizontal, shape (..., 2) [m/s].
        spin: Angular velocity in the body's frame, shape (..., 3) [rad/s].
    """
    ahead, found = heading(rotation, axis), np.empty_like(spin)
    found[..., 0] = np.vecdot(velocity, ahead)
    found[..., 1] = velocity[..., 1] * ahead[..., 0] - velocity[..., 0] * ahead[..., 1]
    found[..., 2] = np.vecdot(rotation[..., 2, :], spin)
    return found


def followed(pace: np.ndarray, command: np.ndarray, floors: tuple[float, float]) -> dict[str, np.ndarray]:
    """Return the unweighted terms of a pace, shape (..., 3), asked for a speed and a yaw rate, shape (..., 2)."""
    (forward, sideways, yaw_rate), (speed, turn) = pace.T, command.T
    return {
        "speed": tracking((forward - speed) * (forward - speed) + sideways * sideways, speed * speed, floors[0]),
        "yaw_rate": tracking((yaw_rate - turn) * (yaw_rate - turn), turn * turn, floors[1]),
    }


class Commands(Extra):
    """What simulations are commanded in the task "commanded", and until when; zero in other tasks.

    Attributes:
        command: Of each simulation, shape (..., n).
    """

    KEPT = ("command", "_command_until")

    def __init__(self, task):
        self.command = np.zeros((*task.shape, len(task.config.command_ranges)))
        self._command_until = np.zeros(task.shape)

    def begin(self, task, sim, data) -> None:
        """Draw the first command of an episode."""
        self.command[sim] = 0.0
        if task.config.task == "commanded":
            self.draw(task, sim, data.time)

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Draw commands where they are due; return the action as it is."""
        time = task.data.time
        for sim in task.where(time >= self._command_until - 1e-9):
            self.draw(task, sim, time[sim] if task.shape else time)
        return action

    def draw(self, task, sim, time: float) -> None:
        """Draw a command of the task "commanded"; it holds for a while, and now and then is to stand."""
        config, rng = task.config, task.rngs[sim]
        stands = rng.uniform(size=1) < config.command_standing
        self.command[sim] = np.where(stands, 0.0, rng.uniform(*task.curriculum.ranges(task, sim)))
        self._command_until[sim] = time + config.command_period

    def fix(self, task, sim, command: np.ndarray) -> None:
        """Give a simulation the user's command, until its episode ends.

        Raises:
            ValueError: If the task has none, or it has another shape or is not finite.
        """
        if task.config.task != "commanded":
            raise ValueError(f"a command needs the task 'commanded', this one is {task.config.task!r}")
        shape = self.command[sim].shape
        if command.shape != shape or not np.isfinite(command).all():
            raise ValueError(f"command must be finite and of shape {shape}, got {command}")
        self.command[sim], self._command_until[sim] = command, math.inf

    def drawn(self, sim) -> np.ndarray:
        """Whether the command is not the user's, shape (...,)."""
        return np.isfinite(self._command_until[sim])
