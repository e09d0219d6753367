"""What a task observes and rewards, and what ends its episodes: by its machine, and by options that add to it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..mjcf.terrain import EDGE
from . import disturbances, observations, privileged, user_functions
from .extras import Extra


class Equipped:
    """The part of a task that chooses what is observed, rewarded and ends an episode.

    Attributes:
        observation_space: Of one simulation, a box.
        observation_slices: The slice of each entry in the observation.
        observation_names: Name of every number of the observation, such as `foot_contact.left_0`.
        typical: What its components are divided by, shape (n,); None if they are in SI units.
        privileged_slices: The slice of each entry in `info["privileged"]`.
    """

    def equip(self) -> None:
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
        self.renew_extras()

    def machine_parts(self) -> dict[str, Extra]:
        """Return the machine's own parts that take a turn in every step, by name, made anew."""
        return {}

    def renew_extras(self) -> None:
        """Make the parts that the current options ask for; every simulation begins them at its next start."""
        config, parts = self.config, disturbances.parts_of(self) | self.machine_parts()
        if privileged.needs_parameters(self):
            parts["parameters"] = privileged.Parameters(self)
        self._more_terms = user_functions.terms_of(config)
        for name, (term, _) in config.SHAPING.items():
            if name in self._weights:
                if isinstance(term, type) and issubclass(term, Extra):
                    parts[name] = term(self)
                self._more_terms[name] = getattr(parts.get(name), "term", term)
        self._more_ends = user_functions.ends_of(config)
        self.extras = parts

    def entry(self, name: str) -> np.ndarray:
        """Return an entry as it is now, observed or not, without noise, shape (..., size).

        Raises:
            ValueError: If there is none of this name; the message lists them.
        """
        known = self._available
        if known is None:
            known = self._available = privileged.available(self)
        if name not in known:
            raise ValueError(f"unknown entry {name!r}; there are {', '.join(known)}")
        value = known[name].value
        return value(self) if value else getattr(self.frame, name)

    def try_terms(self) -> None:
        """Compute the user's own terms and ends once, at the start of an episode, to refuse what is wrong with them."""
        for function in (*self._more_terms.values(), *self._more_ends.values()):
            function(self)

    def observe(self) -> np.ndarray:
        """Return the selected entries side by side, a new array, shape (..., n) of float32."""
        observation = self.frame.observe(self)
        for part in self.extras.values():
            observation = part.observe(self, observation)
        return observation

    def observe_privileged(self) -> np.ndarray:
        """Return what a critic sees side by side, shape (..., n) of float32."""
        return np.concatenate([self.entry(name) for name in self.privileged_slices], -1).astype(np.float32)

    def reward_terms(self) -> dict[str, np.ndarray]:
        """Return the weighted terms, shape (...,), whose sum is the reward; "healthy" is zero where an episode ends."""
        terms = self.unweighted_terms()
        for name, term in self._more_terms.items():
            terms[name] = term(self)
        return {name: weight * terms[name] for name, weight in self._weights.items()}

    def endings(self) -> dict[str, np.ndarray]:
        """Return whether the robot has failed, or met an end of the user's own, shape (...,), by the reason."""
        over = self.failures()
        for why, end in self._more_ends.items():
            over[why] = end(self)
        return over

    def reasons(self) -> list[str]:
        """Return the reasons of `endings` and `cuts`, in their order."""
        return [*self.failures(), *self._more_ends, *self.cuts()]

    def cuts(self) -> dict[str, np.ndarray]:
        """Return whether an episode is truncated though nothing happened to the robot, shape (...,), by the reason.

        It is asked for where the ground is `bounded`.
        """
        return {"left the terrain": self.off_centre() > EDGE}

    def __getstate__(self) -> dict[str, Any]:
        """Drop what cannot be pickled: the functions of the entries, and the simulation."""
        gone = {"_available": None, "data": None, "frame": None, "_donors": {}}
        return self.__dict__ | {"_entries": tuple(self._entries)} | gone

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Look up the entries by their names again; the environment binds its arrays."""
        self.__dict__.update(state)
        known = privileged.available(self)
        self._entries = {name: known[name] for name in self._entries}
