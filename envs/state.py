"""The state of simulations as a value, which can be saved and restored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from operator import is_
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from gymnasium.utils import seeding

ENDLESS = ("_command_until", "held")  # arrays that may be infinite: what nothing ends
# Arrays that may be anything here: of a robot without equilibrium the surrogate does not know them; see its `refuse`.
UNSOLVED = ("posture", "posture_rate", "force", "out")


@dataclass(frozen=True, eq=False)
class State:
    """The state of one or several simulations, a row for each: what `get_state` returns and `set_state` takes.

    It is immutable, can be pickled, and can be restored any number of times in every environment with the same
    options. Its contents are internal to the environment and may change with the version.

    Attributes:
        config: The options of the environment.
        arrays: By name, a row for each simulation: MuJoCo's state, set-points, clock, command, battery, step count ...
        randoms: The state of each simulation's random generator; None before its first episode.
        drawn: What each episode drew: its robot, terrain and contact; empty where episodes draw none of them.
    """

    config: Any
    arrays: dict[str, np.ndarray]
    randoms: tuple[dict[str, Any] | None, ...]
    drawn: tuple[tuple[Any, Any, Any], ...] = ()

    def __len__(self) -> int:
        return len(self.randoms)

    def spread(self, n: int) -> "State":
        """Return this state, or, if it is of one simulation, one of n whose lists are as long."""
        if len(self) == n:
            return self
        return State(self.config, self.arrays, self.randoms * n, self.drawn * n)

    def check(self, config, n: int) -> None:
        """Refuse a state that does not fit n simulations with these options.

        Raises:
            ValueError: The message says what differs.
        """
        for name, kind in (("arrays", dict), ("randoms", tuple), ("drawn", tuple)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} of a state is a {kind.__name__}, got {type(getattr(self, name)).__name__}")
        if len(self) not in (1, n):
            raise ValueError(
                f"the state is of {len(self)} simulations and cannot be restored in {n}; that of one can, in any number"
            )
        if self.config is config:
            return
        if type(self.config) is not type(config):
            theirs, ours = (type(one).__name__.removesuffix("Config") for one in (self.config, config))
            raise ValueError(f"the state is of another environment: of {theirs}, not {ours}")
        names = [entry.name for entry in fields(config)]
        other = [name for name in names if not same(getattr(self.config, name), getattr(config, name))]
        if other:
            raise ValueError(f"the state is of an environment with other options: {', '.join(other)}")


_GIVEN: WeakKeyDictionary[State, tuple[np.ndarray, ...]] = WeakKeyDictionary()


def given(state: State) -> State:
    """Return a state of an environment, its arrays read-only: as long as it has these, nobody needs to look at them."""
    for array in state.arrays.values():
        array.flags.writeable = False
    _GIVEN[state] = tuple(state.arrays.values())
    return state


class Contents:
    """What a state of an environment has in it.

    Args:
        sample: A state of one of its simulations.

    Attributes:
        config: The environment's options.
        drawn: The kinds of what an episode draws, or nothing.
    """

    def __init__(self, sample: State):
        self.config, self.drawn = sample.config, _kinds(sample.drawn)
        self._rows = {name: (array.shape[1:], array.dtype) for name, array in sample.arrays.items()}
        random = sample.randoms[0]  # None before the first reset, which makes a PCG64
        self._trial = getattr(np.random, random["bit_generator"] if random else "PCG64")(0)

    def check(self, state: State) -> None:
        """Refuse a state that has something else in it: it would crash a step, or be a simulation that cannot be.

        Raises:
            ValueError: The message names the array or what else it is.
        """
        arrays, n = state.arrays, len(state)
        if arrays.keys() != self._rows.keys():
            lacking, more = (
                [a for a in one if a not in other] for one, other in ((self._rows, arrays), (arrays, self._rows))
            )
            raise ValueError(f"arrays of a state are {', '.join(self._rows)}; missing are {lacking}, unknown {more}")
        if (state.drawn or self.drawn) and _kinds(state.drawn) != self.drawn * n:
            kinds = [", ".join(kind.__name__ for kind in one) for one in self.drawn]
            expected = f"{kinds[0]} of each simulation" if kinds else "nothing"
            raise ValueError(f"the draws of this state's episodes must be {expected}, got {state.drawn!r}")
        known = _GIVEN.get(state)
        if known is not None and all(map(is_, arrays.values(), known)):
            return
        for name, (rows, kind) in self._rows.items():
            found, shape = arrays[name], (n, *rows)
            if type(found) is not np.ndarray or found.shape != shape or found.dtype != kind:
                got = f"{found.dtype} of shape {found.shape}" if isinstance(found, np.ndarray) else repr(found)
                raise ValueError(f"{name!r} of this state must be an array of {kind}, shape {shape}, got {got}")
            if kind.kind == "f" and name not in UNSOLVED:
                holds, word = (found > -np.inf, "finite or +inf") if name in ENDLESS else (np.isfinite(found), "finite")
                if not holds.all():
                    raise ValueError(f"{name!r} of a state must be {word}, got {found}")
        for random in state.randoms:
            try:
                self._trial.state = random
            except (KeyError, OverflowError, TypeError, ValueError):
                kind = type(self._trial).__name__
                raise ValueError(f"randoms of a state must be those of a {kind}, got {random!r}") from None


def _kinds(drawn: tuple) -> tuple:
    return tuple(tuple(map(type, one)) if isinstance(one, tuple) else type(one) for one in drawn)


def same(a, b) -> bool:
    """Return whether two options are equal, looking into dataclasses, mappings and arrays."""
    if a is b:
        return True
    if is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, one.name), getattr(b, one.name)) for one in fields(a))
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    return a == b if isinstance(a, str | float | int) else np.array_equal(a, b)


class Randoms:
    """The random generators of simulations, by `sim`, and the states in which they are known to be.

    Reading a generator's state takes longer than stepping a robot of the surrogate, so it is cached until the generator
    is requested, presumably for a draw.
    """

    def __init__(self):
        self._generators: dict[int | tuple, np.random.Generator] = {}
        self._states: dict[int | tuple, dict[str, Any]] = {}
        self._new: set[int | tuple] = set()

    def __contains__(self, sim) -> bool:
        return sim in self._generators

    def __getitem__(self, sim) -> np.random.Generator:
        self._states.pop(sim, None)
        return self._generators[sim]

    def __setitem__(self, sim, generator: np.random.Generator) -> None:
        self._states.pop(sim, None)
        if self._generators.get(sim) is not generator:
            self._new.add(sim)
        self._generators[sim] = generator

    def is_new(self, sim) -> bool:
        """Return whether a generator was seeded since the last call."""
        new = sim in self._new
        self._new.discard(sim)
        return new

    def seed(self, sims: list[int], seeds: Sequence[int | None]) -> None:
        """Restart these generators, each from its seed; those without a seed continue if they have begun."""
        for sim in sims:
            if seeds[sim] is not None or sim not in self:
                self[sim], _ = seeding.np_random(seeds[sim])

    def forget(self, sim) -> None:
        """Forget the cached state of a generator, since others may have drawn from it."""
        self._states.pop(sim, None)

    def states(self, sims: Sequence) -> tuple[dict[str, Any] | None, ...]:
        """Return the states of these generators, None of those that have not begun."""
        found = tuple(map(self._states.get, sims))
        if None not in found:
            return found
        for sim in sims:
            if sim in self._generators and sim not in self._states:
                self._states[sim] = self._generators[sim].bit_generator.state
        return tuple(map(self._states.get, sims))

    def restore(self, sims: Sequence, states: tuple[dict[str, Any] | None, ...]) -> None:
        """Give these generators the states that `states` returned."""
        for sim, state in zip(sims, states, strict=True):
            self._new.discard(sim)
            if state is None:
                self._generators.pop(sim, None), self._states.pop(sim, None)
            elif self._states.get(sim) is not state:
                if sim not in self._generators:
                    self._generators[sim] = np.random.Generator(np.random.PCG64(0))
                self._generators[sim].bit_generator.state = state
                self._states[sim] = state
