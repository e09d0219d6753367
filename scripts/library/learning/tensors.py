"""A vector environment on PyTorch tensors, for the training loops of rsl_rl, skrl and CleanRL's style.

    envs = TensorVectorEnv(gymnasium.make_vec("Hexapod-v0", 64, vectorization_mode="vector_entry_point",
                                              autoreset_mode="SameStep"))
    OnPolicyRunner(envs.rsl_rl(seed=0), cfg, log_dir="runs/hexapod").learn(100)

The simulations are on the processor, whichever the engine: tensors are copied to and from the device of the networks.
Needs PyTorch, for instance by the extra `rl`.
"""

from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode

from tarsus.envs.on_tensors import OnTensors


class TensorVectorEnv(OnTensors):
    """A vector environment that takes and returns tensors, and resets in the step that ends an episode.

    Args:
        envs: The vector environment, with autoreset mode "SameStep" and a time limit.
        device: Where tensors are, as PyTorch names it.

    Attributes:
        envs: It, without wrappers; see `OnTensors` for the others.

    Raises:
        ValueError: If the mode is another, or there is no time limit.
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv, device: str | torch.device = "cpu"):
        mode = envs.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"training loops on tensors need autoreset_mode='SameStep', got {mode}")
        self.envs = envs.unwrapped
        if self.envs.max_episode_steps is None:
            raise ValueError("training loops on tensors need a time limit: max_episode_steps must not be None")
        spaces = envs.single_observation_space, envs.single_action_space
        self._take(envs.num_envs, self.envs.max_episode_steps, device, *spaces)
        self.cfg = self.envs.config

    @property  # type: ignore[override]
    def episode_length_buf(self) -> torch.Tensor:
        """Steps since each episode began, shape (num_envs,) of int64; rsl_rl assigns it, and so may you."""
        return self._tensor(self.envs.episode_steps, torch.int64)

    @episode_length_buf.setter
    def episode_length_buf(self, steps: torch.Tensor) -> None:
        self.envs.episode_steps = torch.as_tensor(steps).cpu().numpy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start episodes; return the observation, shape (num_envs, n), and no extras."""
        observation, infos = self.envs.reset(seed=seed, options=options)
        self._see(observation, infos)
        return self.observation, {}

    def step(self, actions: torch.Tensor):
        """Step; see `OnTensors.step`."""
        self._refuse(actions)
        step = self.envs.step(actions.detach().cpu().numpy())
        observation, reward, terminated, truncated, infos = step
        self._see(observation, infos)
        extras = {
            "time_outs": self._tensor(truncated & ~terminated, torch.bool),
            "log": {
                f"/reward/{name.removeprefix('reward_')}": self._tensor(np.mean(term), torch.float32)
                for name, term in infos.items()
                if name.startswith("reward_")
            },
            "termination": self._tensor(self._ended(infos), torch.int8),
        }
        if "final_obs" in infos:
            over, last = infos["_final_obs"], observation.copy()
            last[over] = np.stack(infos["final_obs"][over])
            extras |= {"final_obs": self._tensor(last, torch.float32), "_final_obs": self._tensor(over, torch.bool)}
        flags = self._tensor(terminated, torch.bool), self._tensor(truncated, torch.bool)
        return self.observation, self._tensor(reward, torch.float32), *flags, extras

    def _see(self, observation: np.ndarray, infos: dict[str, Any]) -> None:
        """Keep what is observed."""
        self.observation = self._tensor(observation, torch.float32)
        if "privileged" in infos:
            self.privileged = self._tensor(infos["privileged"], torch.float32)

    def _ended(self, infos: dict[str, Any]) -> np.ndarray:
        """Return the place in `reasons` of why each episode terminated, shape (num_envs,)."""
        self.reasons = self.envs.reasons
        return infos.get("final_info", {}).get("termination", np.zeros(self.num_envs, np.int8))

    def _tensor(self, value, dtype: torch.dtype) -> torch.Tensor:
        return torch.as_tensor(value, dtype=dtype, device=self.device)

    def close_extras(self, **kwargs) -> None:
        """Close the vector environment."""
        if "envs" in self.__dict__:
            self.envs.close()
