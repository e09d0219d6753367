"""Curricula: the range of commands and the difficulty of the ground, of each simulation, as its episodes go.

A reset with a seed begins them anew, so that what follows a seed does not depend on what was before.

Source: legged_gym; Rudin et al., Learning to walk in minutes using massively parallel deep reinforcement learning,
2021.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np

from ..analytic.terrain import make

FIRST_REACH = 0.5  # share of the commands' ranges at first: with less, standing would be near enough to widen it
WIDENING = 0.1
MET = 0.8  # mean of the reward's term "speed", unweighted, from which on an episode widens the commands
CLIMB = 0.1  # of the difficulty, up or down


def check(config) -> None:
    """Refuse a configuration with impossible difficulties of its terrain.

    Raises:
        ValueError: The message says which.
    """
    low, high = config.difficulty_range
    if not 0 <= low <= high <= 1:
        raise ValueError(f"terrain_difficulty needs 0 <= low <= high <= 1, got {config.terrain_difficulty}")
    if not config.terrain_distance > 0:
        raise ValueError(f"terrain_distance must be positive, got {config.terrain_distance}")
    terrain = make(config.terrain)
    if config.graded and not terrain.RELIEF:
        name = "terrain_curriculum" if config.terrain_curriculum else "terrain_difficulty"
        raise ValueError(f"{name} needs a terrain with a RELIEF, which {type(terrain).__name__} has not")


class Curricula:
    """The part of a task that chooses ranges of commands and the difficulty of the terrain.

    Attributes:
        command_reach: Share of the commands' ranges that is drawn from, shape (...,), with `command_curriculum`.
        difficulty: Of the terrain, shape (...,), where it is `graded`.
    """

    CURRICULUM_STATE = ("command_reach", "difficulty", "_n_steps", "_tracked", "_commanded_way", "_ended")

    def make_room_for_curricula(self) -> None:
        """Allocate what is known of each simulation and of its present episode."""
        config, shape = self.config, self.shape
        self.command_reach, self.difficulty = np.full(shape, FIRST_REACH), np.full(shape, config.difficulty_range[0])
        self._n_steps, self._tracked, self._commanded_way = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._ended = np.zeros(shape, bool)

    def _adopt_curricula(self) -> None:
        """Note which curricula are on; a step asks for little else."""
        config, commanded = self.config, self.config.task == "commanded"
        self._widens = config.command_curriculum and commanded
        self._climbs = config.terrain_curriculum
        self.adapts = self._widens or self._climbs

    def note(self) -> None:
        """Note how the episodes go, after each step, with the state measured."""
        if not self.adapts:
            return
        going = True if self.waiting is None else ~self.waiting
        self._n_steps += going
        self._ended |= reduce(np.logical_or, self.endings().values()) & going
        if self._widens:
            self._tracked += going * self.unweighted_terms()["speed"]
        if self._climbs and self.config.task == "commanded":
            self._commanded_way += going * (self.ctrl_dt * np.abs(self.command[..., 0]))

    def promote(self, sim) -> None:
        """Choose what the next episode of a simulation starts from, by how the last one went."""
        if not self.adapts:
            return
        if self.rngs.is_new(sim):
            self.command_reach[sim], self.difficulty[sim] = FIRST_REACH, self.config.difficulty_range[0]
        elif self.together or self._n_steps[sim] > 0:
            if self._widens:
                self._widen(sim)
            if self._climbs:
                self._climb(sim)
        self._n_steps[sim] = self._tracked[sim] = self._commanded_way[sim] = 0.0
        self._ended[sim] = False

    def _widen(self, sim) -> None:
        """Widen the commands after an episode that met them without a fall, for at least the time of one.

        One with the user's command does not count.
        """
        n, reach = np.where(np.isfinite(self._command_until[sim]), self._n_steps[sim], 0.0), self.command_reach[sim]
        met = (n * self.ctrl_dt >= self.config.command_period - 1e-9) & (self._tracked[sim] > MET * n)
        self.command_reach[sim] = np.where(met & ~self._ended[sim], np.minimum(reach + WIDENING, 1.0), reach)

    def _climb(self, sim) -> None:
        """Make the ground harder for a robot that went far, easier for one that fell or went not half as far.

        Half as far as asked is enough; after the hardest ground comes any, so that none is forgotten.
        """
        (low, high), level, far = self.config.difficulty_range, self.difficulty[sim], self.config.terrain_distance
        way = self.travelled(self._start_place)[sim]
        distance = np.sqrt(np.vecdot(way, way)) if np.ndim(self._start_place) > len(self.shape) else np.abs(way)
        asked = np.minimum(far, self._commanded_way[sim]) if self.config.task == "commanded" else far
        solved, failed = (distance >= far) & (level >= high), self._ended[sim] | (distance < 0.5 * asked)
        drawn = self.rngs[sim].uniform(low, high) if self.together or solved else level
        easier = np.where(failed, np.maximum(level - CLIMB, low), level)
        harder = np.where(solved, drawn, np.minimum(level + CLIMB, high))
        self.difficulty[sim] = np.where(distance >= far, harder, easier)

    def ranges_of(self, sim) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and the highest command that a simulation may be given, shape (n,) each.

        Ranges widen from what in them is nearest to zero.
        """
        low, high = self._command_ranges
        if not self._widens:
            return low, high
        nearest, reach = np.clip(0.0, low, high), self.command_reach[sim][..., None]
        return nearest + reach * (low - nearest), nearest + reach * (high - nearest)

    def ground_to_come(self, sim):
        """Return the terrain of an episode that begins, of a new seed and its difficulty."""
        config, terrain, rng = self.config, self.hardest, self.rngs[sim]
        if self._rerolls:
            terrain = replace(terrain, seed=int(rng.integers(2**31)))
        if not config.graded:
            return terrain
        if not self._climbs:
            self.difficulty[sim] = rng.uniform(*config.difficulty_range)
        return terrain.eased(float(self.difficulty[sim]))

    def levels(self) -> dict[str, np.ndarray]:
        """Return what `info` reports of the curricula, new arrays of shape (...,)."""
        found = {}
        if self._widens:
            found["command_reach"] = 1.0 * self.command_reach[()]
        if self.config.graded:
            found["terrain_difficulty"] = 1.0 * self.difficulty[()]
        return found
