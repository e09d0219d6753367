"""A Gymnasium vector environment as Stable-Baselines3 wants it, so that it trains on many simulations directly.

    envs = StableVectorEnv(gymnasium.make_vec("Hexapod-v0", 64, vectorization_mode="vector_entry_point",
                                              autoreset_mode="SameStep"))
    PPO("MlpPolicy", envs).learn(1_000_000)

Needs the extra `rl`.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from tarsus.envs.episodes import WHY


class StableVectorEnv(VecEnv):
    """Stable-Baselines3's view of a vector environment that resets in the step that ends an episode.

    Args:
        envs: The vector environment, with autoreset mode "SameStep".

    Raises:
        ValueError: If its autoreset mode is another.
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv):
        mode = envs.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"Stable-Baselines3 needs autoreset_mode='SameStep', got {mode}")
        self.envs = envs
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> np.ndarray:
        """Start all episodes, with the seeds of the last call of `seed`."""
        seeds = None if all(seed is None for seed in self._seeds) else list(self._seeds)
        observation, _ = self.envs.reset(seed=seeds)
        self._reset_seeds()
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self):
        """Step; the info of an episode that ended has its last observation and why it ended."""
        observation, reward, terminated, truncated, info = self.envs.step(self._actions)
        words = getattr(self.envs.unwrapped, "words", dict)  # Gymnasium's own vectors pass on what they are told
        done, final = terminated | truncated, words(info).get("final_info", {})
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for sim in np.flatnonzero(done).tolist():
            infos[sim] = {
                "terminal_observation": info["final_obs"][sim],
                "TimeLimit.truncated": bool(truncated[sim] and not terminated[sim]),
            } | {why: final[why][sim] for why in WHY}
        return observation, reward.astype(np.float32), done, infos

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return an image of each simulation."""
        return self.envs.render()

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        """Return an attribute of the vector environment, once for each simulation asked for."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        """Refuse: an attribute belongs to all simulations."""
        raise NotImplementedError(f"simulations share their attributes; set {attr_name!r} of `envs` instead")

    def env_method(self, method_name: str, *method_args, indices=None, **method_kwargs) -> list[Any]:
        """Refuse: there is no environment behind each simulation."""
        raise NotImplementedError(f"there is one environment for all simulations; call {method_name!r} of `envs`")

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        """Return False: nothing wraps a single simulation."""
        return [False] * len(list(self._get_indices(indices)))
