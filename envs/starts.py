"""The start of an episode: changes of options, the initial state, and restoring a state."""

from __future__ import annotations

from typing import Any, ClassVar

import mujoco
import numpy as np

from .config import REMAKE_MODEL, TaskConfig
from .extras import Extra, kept


class Startable:
    """The part of a task that works between two episodes.

    Attributes:
        KEPT: Names of the arrays with leading dimensions `shape` that a later step or reset reads; a saved state
            contains their rows.
        extras: The parts that take a turn in every step, in their order, by name; none by default.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()
    extras: dict[str, Extra]

    def _adopt(self, config: TaskConfig) -> None:
        """Adopt a configuration, and keep what a step needs of it."""
        self.config, self._weights = config, config.weights
        self._command_ranges = np.array(config.command_ranges, float).T
        self._adopt_curricula()

    def configure(self, options: dict[str, Any]) -> bool:
        """Adopt options of a reset, which hold until changed; return whether the model is a new one.

        Raises:
            ValueError: If an option is unknown or its value impossible; the message says what is allowed.
        """
        if not options:
            return False
        before = self.config
        self._adopt(before.changed(options))
        rebuilt = any(getattr(before, name) is not getattr(self.config, name) for name in REMAKE_MODEL)
        if rebuilt:
            self._build()
        self.renew_extras()
        return rebuilt

    def start(self, sim, model: mujoco.MjModel, data: mujoco.MjData, **state: np.ndarray) -> None:
        """Draw robot and ground, place the robot, and draw a command.

        Args:
            sim: The simulation; `self.rngs[sim]` is its random generator.
            model: Its model.
            data: Receives the initial state; not yet the arrays of `self.data`.
            state: The user's `qpos`, `qvel` or `command`, if given.

        Raises:
            ValueError: If one of these has another shape or is not finite.
        """
        rng, command = self.rngs[sim], state.pop("command", None)
        self.promote(sim)
        self.draw(sim, model, rng)
        self.place(sim, model, data, rng)
        for name, value in state.items():
            given, target = np.asarray(value, float), getattr(data, name)
            if given.shape != target.shape or not np.isfinite(given).all():
                raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
            target[:] = given
        self.action[sim] = self.last_action[sim] = self.command[sim] = 0.0
        self.begin(sim, data)
        self.draw_command(sim, data.time) if command is None else self.fix_command(sim, command)
        for part in self.extras.values():
            part.begin(self, sim, data)

    def kept_rows(self, rows) -> dict[str, np.ndarray]:
        """Return copies of the arrays `KEPT`, of these k rows, shape (k, ...); None makes the one simulation a row."""
        arrays = {name: np.array(getattr(self, name)[rows]) for name in self.KEPT}
        return arrays | {name: np.array(array[rows]) for name, array in kept(self.extras)}

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse arrays of a saved state, as `kept_rows` returned them, with which a step would fail."""
        for key, part in self.extras.items():
            part.refuse({name: arrays[f"{key}.{name}"] for name in part.KEPT})

    def take_rows(self, rows, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned to these rows."""
        for name in self.KEPT:
            getattr(self, name)[rows] = arrays[name]
        for name, array in kept(self.extras):
            array[rows] = arrays[name]
