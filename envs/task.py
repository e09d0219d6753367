"""A task: a machine in MuJoCo with observation, action, reward and termination, for one simulation or many at once.

A new environment provides a subclass of `Task`, or of `free_body.FreeBodyTask`, which has more defaults; `machine` says
what it defines. Two lines then make the single and the vector environment (`base.LeggedEnv`, `vector.LeggedVectorEnv`),
which do the stepping, and a third registers both.

Everything in a step is an array operation. Arrays have leading dimensions `...`, the task's `shape`: none for one
simulation, (n,) for n. `task.data` holds MuJoCo's arrays by MuJoCo's names, with those leading dimensions.
What differs between episodes is drawn in `start`, for one simulation `sim`: the index of its row, or () if there is
only one; `array[sim] = value` is right in both cases. For bitwise identical results in both environments, use
elementwise operations, and `np.vecdot` for sums; the round-off of a matrix product depends on its number of rows, and
that of `**` on whether its operands are scalars or arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gymnasium
import mujoco
import numpy as np

from ..analytic.spelling import check_name, listed
from ..mjcf.terrain import EDGE
from . import disturbances, observations, privileged, user_functions
from .commands import Commands
from .config import REMAKE_MODEL, TaskConfig
from .curriculum import Curriculum
from .extras import Extra
from .kernels import COMPILED
from .kinds import from_keywords
from .machine import LeggedMachine
from .state import Randoms


class Task(LeggedMachine):
    """A machine's observation, action, reward and termination, for `shape` simulations.

    Attributes:
        rngs: The random generator of each simulation, by `sim`.
        commands: What simulations are commanded; `command`, shape (..., n), is its own.
        curriculum: How their episodes go.
        extras: The other parts that take a turn in every step, in their order, by name; none by default.
        observation_space: Of one simulation, a box; as `action_space`, from -1 to 1.
        observation_slices: The slice of each entry in the observation.
        observation_names: Name of every number of the observation, such as `foot_contact.left_0`.
        privileged_slices: The slice of each entry in `info["privileged"]`.
        typical: What an observation's components are divided by, shape (n,); None if they are in SI units.
        frame: What is measured, by name: the entries of the observation, and the `parts`.
        action: The last action, shape (..., n_actions); `last_action` is the one before it.
        velocity: Mean velocity of the position over the last step [m/s], shape as `here`.
        waiting: Simulations whose episode is over; `where` excludes them. None if none.
        together: Whether `where` returns all simulations in one, an array of their indices; `rngs` then draws for all.
        kernels: The compiled functions of a step.
    """

    KEPT = ("action", "_start_place", "velocity")
    together = False
    kernels: Any = COMPILED
    extras: dict[str, Extra]

    def __init__(self, shape: tuple[int, ...], **options):
        self.shape, self.rngs = shape, Randoms()
        self.waiting: np.ndarray | None = None
        self._adopt(from_keywords(self.config_class, options))
        engines = ("mujoco", *(["exact"] if self.EXACT else []), *(["warp"] if self.WARP else []))
        if self.config.engine not in engines:
            exact = f"there is no exact engine for this machine: {self.NO_EXACT}"
            what = exact if self.config.engine == "exact" else f"unknown engine {self.config.engine!r}"
            raise ValueError(f"{what}; there are {listed(self.config.engine, engines)}")
        self.prepare()
        self._build()
        self._equip()
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.n_actions,), np.float32)

    # Options and episodes.

    def _adopt(self, config: TaskConfig) -> None:
        """Adopt a configuration, and keep what a step needs of it."""
        self.config, self._weights = config, config.weights
        self._commanded, self._adapts = config.task == "commanded", config.adapts
        self._told = config.adapts or config.graded

    def _build(self) -> None:
        """Compile the model of the current configuration, and allocate what is kept of each simulation."""
        shape = self.shape
        self._assemble()
        self._steps_per_second = np.array(1.0 / self.ctrl_dt)
        self.commands, self.curriculum = Commands(self), Curriculum(self)
        self.command = self.commands.command
        self.action, self.last_action = np.zeros((*shape, self.n_actions)), np.zeros((*shape, self.n_actions))
        self._before = np.zeros((*shape, *np.shape(np.zeros(self.model.nq)[self.PLACE])))
        self._start_place, self.velocity = np.zeros_like(self._before), np.zeros_like(self._before)
        self.make_room()

    def _equip(self) -> None:
        """Choose entries, and make the spaces and the parts that options ask for; the model is built."""
        self._available: dict[str, observations.Observation] | None = None
        self._entries = privileged.observed(self)
        self.observation_slices = observations.slices(self._entries)
        self.observation_names = observations.names_of_numbers(self._entries)
        self.privileged_slices = observations.slices(privileged.for_critic(self))
        noise, bound = self.config.observation_noise, observations.bounds(self._entries)
        bound = disturbances.noise_bounds(noise, self.observation_slices, bound) if noise else bound
        self.typical = observations.typical_values(self._entries) if self.config.scaled else None
        bound = bound if self.typical is None else (bound / self.typical).astype(np.float32)
        self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float32)
        self._renew_extras()

    def _renew_extras(self) -> None:
        """Make the parts that the current options ask for; every simulation begins them at its next start."""
        config, parts = self.config, disturbances.parts_of(self) | self.machine_parts()
        if privileged.needs_parameters(self):
            parts["parameters"] = privileged.Parameters(self)
        self._more_terms: dict[str, Callable] = user_functions.terms_of(config)
        for name, (term, _) in config.SHAPING.items():
            if name in self._weights:
                if isinstance(term, type) and issubclass(term, Extra):
                    parts[name] = term(self)
                self._more_terms[name] = getattr(parts.get(name), "term", term)
        self._more_ends = user_functions.ends_of(config)
        self.extras = parts

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
        self._renew_extras()
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
        self.curriculum.promote(self, sim)
        self.models.draw(self, sim, model)
        self.place(sim, model, data, rng)
        for name, value in state.items():
            given, target = np.asarray(value, float), getattr(data, name)
            if given.shape != target.shape or not np.isfinite(given).all():
                raise ValueError(f"{name} must be finite and of shape {target.shape}, got {given}")
            target[:] = given
        self.action[sim] = self.last_action[sim] = self.velocity[sim] = 0.0
        self._start_place[sim] = data.qpos[self.PLACE]
        self.begin(sim, data)
        if command is None:
            self.commands.begin(self, sim, data)
        else:
            self.commands.fix(self, sim, command)
        for part in self.extras.values():
            part.begin(self, sim, data)

    def bind(self, data) -> None:
        """Adopt the simulations' arrays, and make the frame of what is measured of them."""
        super().bind(data)
        filled = {name: entry.size for name, entry in self.machine_entries().items() if entry.value is None}
        self.frame = observations.Frame(self.shape, filled | self.parts(), self._entries)

    # A step.

    def act(self, action: np.ndarray) -> np.ndarray:
        """Take an action, (..., n_actions), draw commands where they are due, and return the substeps' controls."""
        for part in self.extras.values():
            action = part.act(self, action)
        self.last_action[...], self.action[...] = self.action, action
        if self._commanded:
            self.commands.act(self, action)
        self._before[...] = self.here
        return self.controls(action)

    def advance(self) -> None:
        """Update what accumulates over steps: called once after each, with the state refreshed."""
        np.multiply(self.travelled(self._before), self._steps_per_second, out=self.velocity)
        if self._commanded:
            self.keep_pace()
        if self._adapts:
            self.curriculum.advance(self)
        for part in self.extras.values():
            part.advance(self)

    def travelled(self, since: np.ndarray) -> np.ndarray:
        """The displacement from a position [m], of the same shape."""
        gone = self.here - since
        return gone if self.place_scale == 1.0 else self.place_scale * gone

    def progress(self) -> np.ndarray:
        """The displacement since the start of the episode [m], shape as `here`."""
        return self.travelled(self._start_place)

    def where(self, condition: np.ndarray) -> Iterable:
        """The simulations for which a condition of shape (...,) holds, except those that wait."""
        if not self.shape:
            return ((),) if condition else ()
        if self.waiting is not None:
            condition = condition & ~self.waiting
        found = np.flatnonzero(condition)
        return (found,) if self.together else found.tolist()

    def observe(self) -> np.ndarray:
        """The selected entries side by side, a new array, shape (..., n) of float32."""
        frame = self.frame
        for part, value in frame.functions:
            part[...] = value(self)
        shown = frame.observed if self.typical is None else frame.observed / self.typical
        observation = shown.astype(np.float32)
        for part in self.extras.values():
            observation = part.observe(self, observation)
        return observation

    def observe_privileged(self) -> np.ndarray:
        """What a critic sees, side by side, shape (..., n) of float32."""
        return np.concatenate([self.entry(name) for name in self.privileged_slices], -1).astype(np.float32)

    def entry(self, name: str) -> np.ndarray:
        """An entry as it is now, observed or not, without noise, shape (..., size).

        Raises:
            ValueError: If there is none of this name; the message lists them.
        """
        known = self._available
        if known is None:
            known = self._available = privileged.available(self)
        check_name("entry", name, known)
        value = known[name].value
        return value(self) if value else getattr(self.frame, name)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """The weighted terms, shape (...,), whose sum is the reward; "healthy" is zero where an episode ends."""
        terms = self.unweighted_terms()
        for name, term in self._more_terms.items():
            terms[name] = term(self)
        weighted = {}
        for name, weight in self._weights.items():
            weighted[name] = weight * terms[name]
        return weighted

    def endings(self) -> dict[str, np.ndarray]:
        """Whether the robot has failed, or met an end of the user's own, shape (...,), by the reason."""
        over = self.failures()
        for why, end in self._more_ends.items():
            over[why] = end(self)
        return over

    def cuts(self) -> dict[str, np.ndarray]:
        """Whether an episode is truncated though nothing happened to the robot, shape (...,), by the reason.

        It is asked for where the ground is `bounded`.
        """
        return {"left the terrain": self.off_centre() > EDGE}

    def reasons(self) -> list[str]:
        """The reasons of `endings` and `cuts`, in their order."""
        return [*self.failures(), *self._more_ends, *self.cuts()]

    def try_terms(self) -> None:
        """Compute the user's own terms and ends once, at the start of an episode, to refuse what is wrong with them."""
        for function in (*self._more_terms.values(), *self._more_ends.values()):
            function(self)

    def measurements(self) -> dict[str, np.ndarray]:
        """What `info` reports besides the reward, new arrays, each of shape (..., ...)."""
        time = self.data.time
        found = {
            "time": time if not self.shape else time.copy(),
            "speed": 1.0 * self.forward(self.velocity),
            "distance": self.forward(self.progress()),
            "command": self.command.copy(),
            "foot_contact": self.foot[..., 0].astype(bool),
            "foot_force": self.foot[..., 1:].copy(),
        }
        if self._told:
            found |= self.curriculum.told(self.config)
        if self.privileged_slices:
            found["privileged"] = self.observe_privileged()
        for name, value in self.INFO.items():
            found[name] = getattr(self, value)[()].copy() if isinstance(value, str) else value(self)
        return found

    # What is kept of simulations.

    def _kept(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield name and array of all that is kept of simulations, and saved."""
        own = ("", self), ("", self.commands), ("", self.curriculum)
        for key, owner in (*own, *((f"{key}.", part) for key, part in self.extras.items())):
            for name in owner.KEPT:
                yield key + name, getattr(owner, name)

    def kept_rows(self, rows) -> dict[str, np.ndarray]:
        """Copies of what is kept of these k rows, shape (k, ...); None makes the one simulation a row."""
        return {name: np.array(array[rows]) for name, array in self._kept()}

    def refuse(self, arrays: dict[str, np.ndarray]) -> None:
        """Refuse arrays of a saved state, as `kept_rows` returned them, with which a step would fail."""
        for key, part in self.extras.items():
            part.refuse({name: arrays[f"{key}.{name}"] for name in part.KEPT})

    def take_rows(self, rows, arrays: dict[str, np.ndarray]) -> None:
        """Write what `kept_rows` returned to these rows."""
        for name, array in self._kept():
            array[rows] = arrays[name]

    def __getstate__(self) -> dict[str, Any]:
        """Drop what cannot be pickled: the functions of the entries, and the simulation."""
        gone = {"_available": None, "data": None, "frame": None}
        return self.__dict__ | {"_entries": tuple(self._entries)} | gone

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Look up the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        known = privileged.available(self)
        self._entries = {name: known[name] for name in self._entries}
