"""Environments whose state can be saved and restored, and which a refused reset leaves unchanged."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import gymnasium
import numpy as np

from .episodes import chosen, one_at_a_time
from .state import Contents, State, given


class Restorable:
    """An environment whose simulations can be saved and restored; `sims` are indices of simulations."""

    _contents: Contents | None = None

    @abstractmethod
    def _save(self, sims: np.ndarray) -> State:
        """Return the state of these simulations, including those whose first episode has not begun."""

    @abstractmethod
    def _restore(self, sims: np.ndarray, state: State) -> None:
        """Restore these simulations from a state of as many, or of one whose arrays have a single row for all."""

    def _refuse_arrays(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse arrays of a state that have what the environment's own have, but cannot be simulated."""

    def _refuse_use(self) -> None:
        """Refuse to be used where there is nothing left to simulate with."""

    def _saved(self, sims: np.ndarray) -> State:
        state = self._save(sims)
        if None in state.randoms:
            raise gymnasium.error.ResetNeeded("there is no state before the first reset; call reset")
        return given(state)

    def _taken(self, sims: np.ndarray, config, state: State) -> None:
        self._refuse_use()
        if not isinstance(state, State):
            raise TypeError(f"set_state takes what get_state returned, got {type(state).__name__}")
        state.check(config, len(sims))
        known = self._contents
        if known is None or known.config is not config or bool(known.drawn) != bool(state.drawn):
            self._contents = known = Contents(self._save(ONLY))
        known.check(state)
        self._refuse_arrays(state.arrays)
        self._restore(sims, state.spread(len(sims)))

    @contextmanager
    def _all_or_nothing(self, sims: np.ndarray, *changed) -> Iterator[None]:
        """Context in which any exception restores the simulations and the attributes of `changed`.

        List only what changes: once `vars` of an object was called, Python looks up its attributes more slowly,
        which costs one percent of a step of a small machine.
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

    @one_at_a_time
    def get_state(self) -> State:
        """Return the complete state of the simulation, including the random generator.

        This takes some microseconds. The step count of a time limit belongs to its wrapper and is not included.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self._saved(ONLY)

    @one_at_a_time
    def set_state(self, state: State) -> None:
        """Continue from a state of this environment or another with the same options, bitwise identically.

        Positions are up to date afterwards; what else MuJoCo derives, contacts and forces, after the next step.

        Raises:
            TypeError: If it is not a state.
            ValueError: If its options differ, it is of several simulations, or its contents are not as they were given.
        """
        self._taken(ONLY, self.config, state)


class RestorableVectorEnv(Restorable):
    """The public methods of an environment of many simulations."""

    @one_at_a_time
    def get_state(self, indices: Sequence[int] | None = None) -> State:
        """Return the complete states of simulations, a row for each, including the random generators.

        Args:
            indices: Of the simulations, by default all.

        Raises:
            gymnasium.error.ResetNeeded: Before their first reset.
        """
        return self._saved(chosen(indices, self.num_envs))

    @one_at_a_time
    def set_state(self, state: State, indices: Sequence[int] | None = None) -> None:
        """Continue simulations from a state of this environment or another with the same options, bitwise identically.

        Args:
            state: A row for each of them, or one for all, such as a single environment's.
            indices: Of the simulations, by default all.

        Raises:
            TypeError: If it is not a state.
            ValueError: If its options differ, or its number of simulations, or its contents are not as they were given.
        """
        self._taken(chosen(indices, self.num_envs), self.config, state)
