"""Autoreset: the step of every vector environment, in which episodes end and begin."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .episodes import WHY, checked_action, checked_numbers, judge, one_at_a_time, rows_where, shown, total
from .kinds import array_of
from .restoring import RestorableVectorEnv


class AutoresetVectorEnv(RestorableVectorEnv, gymnasium.vector.VectorEnv):
    """A vector environment that starts a new episode where one is over, according to its autoreset mode.

    Attributes:
        task: Object with the `reward_terms()`, `endings()`, `cuts()`, `reasons()` and `measurements()` of all
            simulations.
        reasons: Why episodes end, by the codes in infos; known from the first reset on, see `Reasons`.
    """

    def __init__(self, num_envs: int, max_episode_steps: int | None, autoreset_mode: str | AutoresetMode):
        self.autoreset_mode = checked_numbers(num_envs, max_episode_steps, autoreset_mode)
        self.num_envs, self.max_episode_steps = num_envs, max_episode_steps
        self._busy, self._over, self._steps = False, np.zeros(num_envs, bool), np.zeros(num_envs, int)
        self._all_begun, self.reasons = False, Reasons()

    @property
    def episode_steps(self) -> np.ndarray:
        """Steps since each episode began, a copy, shape (num_envs,) of int.

        They can be assigned, before a learning run, so that episodes do not all end in the same step: only the time
        limit `max_episode_steps` goes by them.

        Raises:
            ValueError: If what is assigned is not a whole number for each, below the time limit.
        """
        return self._steps.copy()

    @episode_steps.setter
    def episode_steps(self, steps) -> None:
        found, most = array_of(steps), self.max_episode_steps or np.inf
        if found.shape != (self.num_envs,) or found.dtype.kind not in "iu" or not ((0 <= found) & (found < most)).all():
            raise ValueError(f"episode_steps must be {self.num_envs} whole numbers in [0, {most}), got {steps!r}")
        self._steps[:] = found

    def words(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Return infos of a step or reset with words, as of a single environment, in the place of codes."""
        return self.reasons.words(infos)

    def _take_spaces(self, observation: gymnasium.spaces.Box, action: gymnasium.spaces.Box) -> None:
        """Set the spaces from those of one simulation."""
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, self.num_envs)
        self.action_space = batch_space(action, self.num_envs)

    @abstractmethod
    def _start(self, sims: list[int]) -> None:
        """Start an episode in each of these simulations."""

    @abstractmethod
    def _observe(self) -> np.ndarray:
        """Return the observation of all simulations."""

    @abstractmethod
    def _advance(self, actions: np.ndarray, waited: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Step the simulations, except those whose episode was over.

        Return why one diverged, or "", shape (n,) of object, and the observation, or None if it is not known.
        """

    def _refuse_use(self) -> None:
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError("this vector environment was closed; make another")

    def _refuse_unbegun(self) -> None:
        """Refuse to step before the first reset of every simulation."""
        unbegun = [sim for sim in range(self.num_envs) if sim not in self.task.rngs]
        if unbegun:
            raise gymnasium.error.ResetNeeded(f"environments {unbegun} have not been reset; reset comes before step")
        self._all_begun = True

    def _accepted(self, actions) -> np.ndarray:
        """Return a copy of the actions, clipped to their box."""
        return checked_action(actions, self.action_space)

    @one_at_a_time
    def step(self, actions):
        """Hold the actions, shape (num_envs, n), for one control period; see the task for what an action means.

        Raises:
            ValueError: If the actions have another shape or are not finite numbers, or an episode is over that nobody
                has reset.
            gymnasium.error.ResetNeeded: Before the first reset of every simulation.
            gymnasium.error.ClosedEnvironmentError: After `close`.
        """
        self._refuse_use()
        if not self._all_begun:
            self._refuse_unbegun()
        return self._step(self._accepted(actions))

    def _step(self, actions: np.ndarray):
        waited = self._over
        if waited.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            over = np.flatnonzero(waited).tolist()
            raise ValueError(f"the episodes of environments {over} are over; reset them with options['reset_mask']")
        endings, observation = self._advance(actions, waited)
        terms, terminated, cut = judge(self.task, endings, waited)
        self._steps += 1
        truncated = (self._steps >= (self.max_episode_steps or np.inf)) & ~waited
        if cut is not None:
            truncated |= cut.astype(bool)
        self._over = terminated | truncated
        final, restart = {}, waited
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            observation = self._observe() if observation is None else observation
            final, restart = self._final(observation, endings, cut, terms), self._over
            self._over = np.zeros(self.num_envs, bool)
        if restart.any():
            self._begin(np.flatnonzero(restart).tolist())
            observation, endings[restart] = None, ""
            if cut is not None:
                cut[restart] = ""
        observation = self._observe() if observation is None else observation
        infos = self._infos(np.ones(self.num_envs, bool), endings, cut, terms, ~restart)
        return observation, total(terms.values()), terminated, truncated, shown(infos, self.autoreset_mode) | final

    def _begin(self, sims: list[int], *starts) -> None:
        self._start(sims, *starts)
        self._steps[sims] = 0

    def _infos(self, present: np.ndarray, endings=None, cut=None, terms=None, stepped=None) -> dict[str, Any]:
        """Return the measurements as Gymnasium does: with each array, a mask of the simulations it applies to."""
        if len(self.reasons) == 1:
            self.reasons = Reasons(self.task.reasons())
        infos = self.task.measurements()
        for name, why in (("termination", endings), ("truncation", cut)):
            infos[name] = np.zeros(self.num_envs, np.int8) if why is None else self.reasons.codes(why)
        for name in self.task.config.weights:  # 0 of what has only begun: every info has the same keys
            infos["reward_" + name] = np.zeros(self.num_envs) if terms is None else np.where(stepped, terms[name], 0.0)
        return infos | {"_" + name: present for name in infos}

    def _final(self, observation: np.ndarray, endings: np.ndarray, cut: np.ndarray | None, terms) -> dict[str, Any]:
        """Return the last observation and info of the episodes that end in this step."""
        over, last = self._over, rows_where(self._over, observation)
        infos = self._infos(over, endings, cut, terms, over)
        return {"final_obs": last, "_final_obs": over, "final_info": infos, "_final_info": over}

    def _shown_start(self, sims: list[int]) -> dict[str, Any]:
        """Return the infos of a reset of these simulations."""
        return shown(self._infos(np.isin(np.arange(self.num_envs), sims)), self.autoreset_mode)


MOST = 127  # codes are of int8


class Reasons(list):
    """Reasons by their codes, which are their places; 0 is none.

    The first are those of the machine, in its own order, then the user's own, then the terrain's edge. Others, as of
    simulations that diverged, are added when they first occur.
    """

    def __init__(self, known: Iterable[str] = ()):
        super().__init__(dict.fromkeys(["", *known]))

    def code(self, why: str) -> int:
        """Return the code of a reason, which is added if it is new; RuntimeError if there are too many."""
        if why not in self:
            if len(self) > MOST:
                raise RuntimeError(f"episodes ended for more than {MOST} different reasons")
            self.append(why)
        return self.index(why)

    def codes(self, reasons: np.ndarray) -> np.ndarray:
        """Return the codes of reasons, shape (n,) of str or object, as int8."""
        found = np.zeros(len(reasons), np.int8)
        for sim in np.flatnonzero(reasons.astype(bool)):
            found[sim] = self.code(reasons[sim])
        return found

    def words(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        """Return infos, or those of an episode that ended, with words in the place of codes."""
        said = dict(infos)
        for name in WHY:
            if name in said:
                said[name] = np.array([self[code] for code in said[name]], object)
        if "final_info" in said:
            said["final_info"] = self.words(said["final_info"])
        return said
