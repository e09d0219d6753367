"""Disturbances of a simulation, each off by default: pushes, delayed actions, noise on what is observed."""

from __future__ import annotations

import numpy as np

from ..analytic.spelling import listed
from .extras import Extra
from .observations import Observation, numbered

FIXED = ("observation_noise",)  # options that shape the spaces: noise adds to the bounds
MOST_DEVIATIONS = 5.0  # of noise, in standard deviations: what it adds to an entry's bound


def check(config) -> None:
    """Refuse options of disturbances that are impossible.

    Raises:
        ValueError: The message says which, and what is allowed.
    """
    if not config.push_speed >= 0:
        raise ValueError(f"push_speed must not be negative, got {config.push_speed} m/s")
    if not config.push_interval[0] > 0:
        raise ValueError(f"push_interval must be positive, got {config.push_interval} s")
    low, high = config.action_delay
    if low < 0 or low != int(low) or high != int(high):
        raise ValueError(f"action_delay must be a range of whole control periods, got {config.action_delay!r}")
    for name, deviation in config.observation_noise.items():
        if not deviation >= 0:
            raise ValueError(f"observation_noise of {name!r} must not be negative, got {deviation}")


def parts_of(task) -> dict[str, Extra]:
    """Return the parts that the options of a task ask for, by name."""
    config, parts = task.config, {}
    if config.push_speed > 0:
        parts["pushes"] = Pushes(task)
    if config.action_delay[1] > 0:
        parts["delay"] = Delay(task)
    if any(config.observation_noise.values()):
        parts["noise"] = Noise(task)
    return parts


def entries_of(task) -> dict[str, Observation]:
    """Return the entries that tell a critic of the disturbances."""
    n = _pushed_shape(task)[-1]
    return {
        "push": numbered(n, 100, "m/s", "velocity that a push added in this step, along the world's axes", _pushed),
        "action_delay": numbered(1, 1e3, "1", "delay of the actions in control periods", _delayed),
    }


def _pushed_shape(task) -> tuple[int, ...]:
    return (*task.shape, np.size(np.zeros(task.model.nq)[task.PLACE]))


def _pushed(task) -> np.ndarray:
    pushes = task.extras.get("pushes")
    pushed = pushes.pushed if pushes else np.zeros(_pushed_shape(task))
    return task.along_axes(pushed) if pushed.shape[-1] > 1 else pushed


def _delayed(task) -> np.ndarray:
    delay = task.extras.get("delay")
    return delay.periods[..., None] if delay else np.zeros((*task.shape, 1))


def noise_bounds(noise: dict[str, float], slices: dict[str, slice], bound: np.ndarray) -> np.ndarray:
    """Return the bounds of an observation with noise, given those without, both of shape (n,), of float32.

    Raises:
        ValueError: If noise is asked for on what is not observed.
    """
    bound = bound.astype(float)
    for name, deviation in noise.items():
        if name not in slices:
            raise ValueError(f"observation_noise: {name!r} is not observed; there are {listed(name, slices)}")
        bound[slices[name]] += MOST_DEVIATIONS * deviation
    return bound.astype(np.float32)


class Pushes(Extra):
    """Now and then the body gets a horizontal velocity besides its own, in a random direction.

    Attributes:
        due: When the next push is due, shape (...,) [s].
        pushed: Velocity added in this step, shape (..., n) [m/s]; n is 2, or 1 where the machine runs on a line.
    """

    KEPT = ("due", "pushed")

    def __init__(self, task):
        self._most, self._interval = task.config.push_speed, task.config.push_interval
        self.due, self.pushed = np.zeros(task.shape), np.zeros(_pushed_shape(task))

    def begin(self, task, sim, data) -> None:
        """Draw when the first push is due."""
        self.due[sim] = data.time + task.rngs[sim].uniform(*self._interval)
        self.pushed[sim] = 0.0

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Push those whose time has come; return the action as it is."""
        self.pushed[...] = 0.0
        time = task.data.time
        for sim in task.where(time >= self.due - 1e-9):
            rng, velocity = task.rngs[sim], task.qvel[..., task.PLACE]
            if self.pushed.shape[-1] == 1:
                self.pushed[sim] = rng.uniform(-self._most, self._most)
            else:
                speed, angle = rng.uniform(0.0, self._most), rng.uniform(0.0, 2.0 * np.pi)
                self.pushed[sim] = np.stack([speed * np.cos(angle), speed * np.sin(angle)], -1)
            velocity[sim] += (self.pushed[sim] / task.place_scale).reshape(np.shape(velocity[sim]))
            self.due[sim] = (time[sim] if task.shape else time) + rng.uniform(*self._interval)
        return action


class Delay(Extra):
    """An action is applied some control periods late; before the first one it is zero.

    The entry `action` remains the last action that was asked for; reward, torques and `task.action` go by what is
    applied.

    Attributes:
        periods: The delay of each simulation's episode, shape (...,) of int.
        asked: The last actions, the newest first, shape (..., most + 1, n_actions).
    """

    KEPT = ("periods", "asked")

    def __init__(self, task):
        self._low, self._high = map(int, task.config.action_delay)
        self.periods = np.zeros(task.shape, int)
        self.asked = np.zeros((*task.shape, self._high + 1, task.n_actions))

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse a delay out of the range.

        Raises:
            ValueError: The message says the range.
        """
        periods = arrays["periods"]
        if periods.min() < self._low or periods.max() > self._high:
            raise ValueError(f"the delays of a state must lie from {self._low} to {self._high} periods, got {periods}")

    def begin(self, task, sim, data) -> None:
        """Draw the episode's delay."""
        self.periods[sim] = task.rngs[sim].integers(self._low, self._high, endpoint=True)
        self.asked[sim] = 0.0

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Return the action asked for some periods ago, shape (..., n_actions)."""
        self.asked[..., 1:, :] = self.asked[..., :-1, :].copy()
        self.asked[..., 0, :] = action
        return np.take_along_axis(self.asked, self.periods[..., None, None], -2)[..., 0, :]

    def observe(self, task, observation: np.ndarray) -> np.ndarray:
        """Show the last action that was asked for in an observation, shape (..., n)."""
        place = task.observation_slices.get("action")
        if place:
            observation[..., place] = self.asked[..., 0, :]
        return observation


class Noise(Extra):
    """Normal noise on entries of the observation, anew in every step; beyond five standard deviations it is clipped.

    Attributes:
        noise: Of this step's observation, shape (..., n).
    """

    KEPT = ("noise",)

    def __init__(self, task):
        places = [(task.observation_slices[name], value) for name, value in task.config.observation_noise.items()]
        columns = [np.arange(place.start, place.stop) for place, _ in places]
        self._columns = np.concatenate(columns)
        self._deviation = np.concatenate(
            [np.full(len(at), value) for at, (_, value) in zip(columns, places, strict=True)]
        )
        if task.typical is not None:
            self._deviation = self._deviation / task.typical[self._columns]
        self.noise = np.zeros((*task.shape, len(self._columns)))

    def begin(self, task, sim, data) -> None:
        """Draw the noise of the first observation."""
        drawn = task.rngs[sim].standard_normal(len(self._columns))
        self.noise[sim] = np.clip(drawn, -MOST_DEVIATIONS, MOST_DEVIATIONS) * self._deviation

    def act(self, task, action: np.ndarray) -> np.ndarray:
        """Draw the noise of the next observation; return the action as it is."""
        for sim in task.where(task.data.time >= 0.0):
            self.begin(task, sim, None)
        return action

    def observe(self, task, observation: np.ndarray) -> np.ndarray:
        """Add the noise to an observation, shape (..., n)."""
        observation[..., self._columns] += self.noise
        return observation
