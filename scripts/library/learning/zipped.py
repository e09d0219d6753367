"""A .zip of Stable-Baselines3 or sb3-contrib with its normaliser, stack and memory, made ready to act."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tarsus.scripts.library.learning import algorithms, checkpoint, environments, normalisers
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.learning.training_runs import plain
from tarsus.scripts.library.learning.wrappers import Wrappers

Predict = Callable[[np.ndarray, Any, np.ndarray], tuple[np.ndarray, Any]]


@dataclass(frozen=True)
class Stack:
    """How many of an episode's last observations a policy sees together, the newest last."""

    n: int = 1  # how many
    # whether they are one array, with zeros before the episode, as of Stable-Baselines3's `VecFrameStack`; else they
    # are rows, the first observation repeated, as of Gymnasium's `FrameStackObservation`
    flat: bool = True


def stack_of(policy: str, seen: tuple[int, ...], given: tuple[int, ...], asked: int | None) -> Stack:
    """Return the stack by which a policy's observation is made of an environment's, from their shapes.

    As many are stacked as was asked for, or as the shapes say; ValueError if they say no whole number, or another.
    """
    flat = len(seen) == len(given)
    whole = flat and len(seen) == 1 and seen[0] % given[0] == 0
    n = seen[0] // given[0] if whole else seen[0] if seen[1:] == given else 0
    if seen == given:
        n = 1
    if n == 0 or asked not in (None, n):
        sizes = f"{policy} observes an array of shape {seen}, and its environment gives {given}"
        if n:
            raise ValueError(f"{sizes}: that is --stack {n}, not {asked}")
        cure = "the environment, or an option such as `observations`, is another than in training"
        raise ValueError(f"{sizes}; --stack N is for whole multiples: {cure}")
    return Stack(n, flat)


@dataclass(frozen=True)
class Zipped:
    """A policy of a .zip in an environment."""

    path: Path  # the file
    model: Any  # of Stable-Baselines3
    algorithm: str  # its name
    normaliser: normalisers.Normaliser  # its `VecNormalize`, and what to say of it
    stack: Stack  # of observations
    given: tuple[int, ...]  # shape of the environment's observation

    @property
    def remembers(self) -> bool:
        """Whether an action depends on more than the last observation."""
        return self.recurrent or self.stack.n > 1

    @property
    def recurrent(self) -> bool:
        """Whether its network has a state."""
        return self.algorithm == "RecurrentPPO"

    @property
    def _early(self) -> bool:
        """Whether observations are normalised before they are stacked."""
        value = self.normaliser.value
        return self.stack.n > 1 and value is not None and value.observation_space.shape == self.given

    @property
    def used(self) -> dict[str, Any]:
        """What stands in results: algorithm, normaliser, stack."""
        return {
            "algorithm": self.algorithm,
            "normaliser": str(self.normaliser.path) if self.normaliser.path else None,
            "stack": self.stack.n,
        }

    @property
    def lines(self) -> tuple[str, ...]:
        found = [f"algorithm: {self.algorithm}"]
        if self.recurrent:
            found[0] += ", with the state of its LSTM, begun with every episode"
        if self.stack.n > 1:
            found.append(f"the last {self.stack.n} observations are stacked, by the shape of the policy's own")
        return *found, *self.normaliser.lines

    def actor(self, deterministic: bool):
        """Return the policy for an episode, or for rows of them."""
        model, value, early = self.model, self.normaliser.value, self._early
        normalise = value.normalize_obs if value is not None else _as_it_is

        def act(observation: np.ndarray, info: Any = None) -> np.ndarray:
            return model.predict(normalise(observation), deterministic=deterministic)[0]

        def predict(seen: np.ndarray, state: Any, begins: np.ndarray) -> tuple[np.ndarray, Any]:
            return model.predict(seen if early else normalise(seen), state, begins, deterministic)

        return Remembering(predict, self.stack, normalise if early else _as_it_is) if self.remembers else act

    def network(self, environment: str, options: Mapping[str, Any]) -> TrainedPolicy:
        """Return its network as arrays, which say what it was made for; ValueError if it cannot be written so."""
        if self.recurrent:
            raise ValueError(
                f"{self.path} is a policy with an LSTM, whose action depends on its state and not on one observation: "
                "it cannot be exported; evaluate and certify take it as it is"
            )
        if self._early:
            raise ValueError(
                f"{self.path} stacks observations that are normalised already, zeros before the first: it cannot be "
                "exported; evaluate and certify take it as it is"
            )
        arrays = checkpoint.policy_arrays(self.model, self.normaliser.value)
        arrays |= {name: arrays[name].ravel() for name in ("mean", "scale")}  # of a stack of rows
        told = {"environment": environment, "options": plain(options), "from": self.path.name}
        told |= self.used | ({"stack_flat": self.stack.flat} if self.stack.n > 1 else {})
        return TrainedPolicy.of(arrays | {"about": np.array(json.dumps(told))})


def _as_it_is(observation: np.ndarray) -> np.ndarray:
    return observation


def opened(path: Path, environment: str, options: Mapping[str, Any], wrappers: Wrappers) -> Zipped:
    """Return the policy of a .zip; it is unpickled, as is its normaliser: both can run any code.

    ValueError says why it is none, cannot be loaded here, or does not go with the environment.
    """
    stored = algorithms.read(path)
    model, algorithm = algorithms.loaded(path, stored)
    env = environments.make(environment, options)
    given, actions = env.observation_space.shape, env.action_space
    env.close()
    _refuse_actions(path, model.action_space, actions, environment)
    stack = stack_of(str(path), model.observation_space.shape, given, wrappers.stack)
    trained = normalisers.Trained.of(path, stored, model, algorithm, given)
    return Zipped(path, model, algorithm, normalisers.find(trained, wrappers.normaliser), stack, given)


def _refuse_actions(path: Path, own: gymnasium.spaces.Box, given: gymnasium.spaces.Box, environment: str) -> None:
    if own.shape != given.shape:
        raise ValueError(f"{path} acts by arrays of shape {own.shape}, {environment} takes {given.shape}")
    if not (np.array_equal(own.low, given.low) and np.array_equal(own.high, given.high)):
        span = f"from {own.low.min():g} to {own.high.max():g}, {environment} takes {given.low.min():g} to"
        raise ValueError(f"{path} acts {span} {given.high.max():g}: it was trained in a wrapper that scales actions")


class Remembering:
    """A policy that remembers its episode, of one simulation or of rows of them.

    `predict` makes the action and next state of what it sees, its state and whether each episode begins; `before` is
    done with each observation before it is stacked.
    """

    def __init__(self, predict: Predict, stack: Stack, before: Callable[[np.ndarray], np.ndarray]):
        self._predict, self._stack, self._before = predict, stack, before
        self._begins: np.ndarray | None = None
        self._state: Any = None
        self._known: np.ndarray | None = None  # (..., n, size)

    def __call__(self, observation: np.ndarray, info: Any = None) -> np.ndarray:
        """Return the action for observations of shape (size,) or (rows, size), always as many rows."""
        rows = observation.shape[:-1]
        if self._begins is None or self._begins.shape != rows:
            self._begins, self._state, self._known = np.ones(rows, bool), None, None
        seen = self._stacked(self._before(observation))
        action, self._state = self._predict(seen, self._state, np.atleast_1d(self._begins))
        self._begins = np.zeros(rows, bool)
        return action

    def begin(self, rows: np.ndarray) -> None:
        """Forget the episodes of these rows, (rows,) of bool: their next observations are the first of others."""
        if self._begins is not None:
            self._begins = self._begins | rows

    def _stacked(self, seen: np.ndarray) -> np.ndarray:
        """Return the last observations, the newest last."""
        if self._stack.n == 1:
            return seen
        newest = seen[..., None, :]
        first = np.zeros_like(newest) if self._stack.flat else newest
        first = np.repeat(first, self._stack.n, axis=-2)
        known = first if self._known is None else np.where(self._begins[..., None, None], first, self._known)
        self._known = np.concatenate([known[..., 1:, :], newest], axis=-2)
        return self._known.reshape(*seen.shape[:-1], -1) if self._stack.flat else self._known
