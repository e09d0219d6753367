"""Environments that give their state away and take it back, and that a refused reset leaves as they were."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import gymnasium
import numpy as np

from .episodes import chosen
from .state import State
from .turns import alone


class Restorable:
    """An environment whose simulations can be saved and restored; `sims` are indices of simulations."""

    @abstractmethod
    def _save(self, sims: np.ndarray) -> State:
        """Return the state of these simulations, of those too whose first episode has not begun."""

    @abstractmethod
    def _restore(self, sims: np.ndarray, state: State) -> None:
        """Put these simulations into a state of as many, or of one whose arrays have a single row for all."""

    def _saved(self, sims: np.ndarray) -> State:
        state = self._save(sims)
        if None in state.randoms:
            raise gymnasium.error.ResetNeeded("there is no state before the first reset")
        return state

    def _taken(self, sims: np.ndarray, config, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(f"set_state takes what get_state returned, got {type(state).__name__}")
        state.check(config, len(sims))
        self._restore(sims, state.spread(len(sims)))

    @contextmanager
    def _all_or_nothing(self, sims: np.ndarray, *changed) -> Iterator[None]:
        """Within it, whatever is raised leaves the simulations and the attributes of `changed` as they were before.

        Nothing shall be `changed` that is not: Python finds the attributes of an object whose `vars` were looked at
        more slowly from then on, which a step of a small machine feels by one percent.
        """
        kept, state = [(owner, dict(vars(owner))) for owner in changed], self._save(sims)
        try:
            yield
        except BaseException:
            for owner, attributes in kept:
                vars(owner).update(attributes)
            self._restore(sims, state)
            raise


ONLY = np.zeros(1, int)  # the simulations of an environment that has one


class RestorableEnv(Restorable):
    """The public methods of an environment of one simulation."""

    @alone
    def get_state(self) -> State:
        """Return the simulation as it is: all that decides how it goes on, the random numbers to come included.

        It takes some microseconds. Steps that a time limit has counted are the wrapper's, and not included.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self._saved(ONLY)

    @alone
    def set_state(self, state: State) -> None:
        """Go on from a state, to the bit; of this environment, or another with the same options.

        What MuJoCo derives from it, but for places, is that of the next step: contacts, forces.

        Raises:
            TypeError: If it is no state.
            ValueError: If it is of other options, or of several simulations.
        """
        self._taken(ONLY, self.config, state)


class RestorableVectorEnv(Restorable):
    """The public methods of an environment of many simulations."""

    @alone
    def get_state(self, indices: Sequence[int] | None = None) -> State:
        """Return simulations as they are, a row for each: all that decides how they go on, random numbers included.

        Args:
            indices: Which, by default all.

        Raises:
            gymnasium.error.ResetNeeded: Before their first reset.
        """
        return self._saved(chosen(indices, self.num_envs))

    @alone
    def set_state(self, state: State, indices: Sequence[int] | None = None) -> None:
        """Let simulations go on from a state, to the bit; of this environment, or of another with the same options.

        Args:
            state: A row for each of them, or one, such as a single environment's, for all.
            indices: Which, by default all.

        Raises:
            TypeError: If it is no state.
            ValueError: If it is of other options, or of another number of simulations.
        """
        self._taken(chosen(indices, self.num_envs), self.config, state)
