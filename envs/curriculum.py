"""Curricula: the range of commands and the difficulty of the ground, of each simulation, as its episodes go.

A reset with a seed begins them anew, so that what follows a seed does not depend on what was before.

Source: legged_gym; Rudin et al., Learning to walk in minutes using massively parallel deep reinforcement learning,
2021.
"""

from functools import reduce

import numpy as np

from ..analytic.terrain import make
from .extras import Extra

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
        raise ValueError(f"terrain_distance must be positive, got {config.terrain_distance} m")
    terrain = make(config.terrain)
    if config.graded and not terrain.RELIEF:
        name = "terrain_curriculum" if config.terrain_curriculum else "terrain_difficulty"
        raise ValueError(f"{name} needs a terrain with a RELIEF, which {type(terrain).__name__} has not")


class Curriculum(Extra):
    """How the episodes of each simulation go, and what the next one is drawn from.

    Attributes:
        command_reach: Share of the commands' ranges that is drawn from, shape (...,), with `command_curriculum`.
        difficulty: Of the terrain, shape (...,), where it is `graded`.
    """

    KEPT = ("command_reach", "difficulty", "_n_steps", "_tracked", "_commanded_way", "_ended")

    def __init__(self, task):
        shape = task.shape
        self.command_reach = np.full(shape, FIRST_REACH)
        self.difficulty = np.full(shape, task.config.difficulty_range[0])
        self._n_steps, self._tracked, self._commanded_way = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._ended = np.zeros(shape, bool)

    def advance(self, task) -> None:
        """Note how the episodes go, with the state measured."""
        config, going = task.config, True if task.waiting is None else ~task.waiting
        self._n_steps += going
        self._ended |= reduce(np.logical_or, task.endings().values()) & going
        if config.command_curriculum:
            self._tracked += going * task.unweighted_terms()["speed"]
        if config.terrain_curriculum and config.task == "commanded":
            self._commanded_way += going * (task.ctrl_dt * np.abs(task.command[..., 0]))

    def promote(self, task, sim) -> None:
        """Choose what the next episode of a simulation starts from, by how the last one went."""
        config = task.config
        if not config.adapts:
            return
        if task.rngs.is_new(sim):
            self.command_reach[sim], self.difficulty[sim] = FIRST_REACH, config.difficulty_range[0]
        elif task.together or self._n_steps[sim] > 0:
            if config.command_curriculum:
                # Wider after an episode that met the drawn commands without a fall, for at least the time of one.
                n, reach = np.where(task.commands.drawn(sim), self._n_steps[sim], 0.0), self.command_reach[sim]
                met = (n * task.ctrl_dt >= task.config.command_period - 1e-9) & (self._tracked[sim] > MET * n)
                self.command_reach[sim] = np.where(met & ~self._ended[sim], np.minimum(reach + WIDENING, 1.0), reach)
            if config.terrain_curriculum:
                self._climb(task, sim)
        self._n_steps[sim] = self._tracked[sim] = self._commanded_way[sim] = 0.0
        self._ended[sim] = False

    def _climb(self, task, sim) -> None:
        """Make the ground harder for a robot that went far, easier for one that fell or went not half as far.

        Half as far as asked is enough; after the hardest ground comes any, so that none is forgotten.
        """
        config, way, level = task.config, task.progress(), self.difficulty[sim]
        (low, high), far = config.difficulty_range, config.terrain_distance
        distance = np.sqrt(np.vecdot(way[sim], way[sim])) if np.ndim(way) > len(task.shape) else np.abs(way[sim])
        asked = np.minimum(far, self._commanded_way[sim]) if config.task == "commanded" else far
        solved, failed = (distance >= far) & (level >= high), self._ended[sim] | (distance < 0.5 * asked)
        drawn = task.rngs[sim].uniform(low, high) if task.together or solved else level
        easier = np.where(failed, np.maximum(level - CLIMB, low), level)
        harder = np.where(solved, drawn, np.minimum(level + CLIMB, high))
        self.difficulty[sim] = np.where(distance >= far, harder, easier)

    def ranges(self, task, sim) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest command that a simulation may be given, shape (n,) each.

        Ranges widen from what in them is nearest to zero.
        """
        low, high = np.array(task.command_ranges, float).T
        if not task.config.command_curriculum:
            return low, high
        nearest, reach = np.clip(0.0, low, high), self.command_reach[sim][..., None]
        return nearest + reach * (low - nearest), nearest + reach * (high - nearest)

    def level(self, task, sim) -> float:
        """The difficulty of the ground of an episode that begins; drawn where no curriculum has chosen it."""
        if not task.config.terrain_curriculum:
            self.difficulty[sim] = task.rngs[sim].uniform(*task.config.difficulty_range)
        return float(self.difficulty[sim])

    def told(self, config) -> dict[str, np.ndarray]:
        """What `info` reports of the curricula, new arrays of shape (...,)."""
        found = {}
        if config.command_curriculum:
            found["command_reach"] = 1.0 * self.command_reach[()]
        if config.graded:
            found["terrain_difficulty"] = 1.0 * self.difficulty[()]
        return found
