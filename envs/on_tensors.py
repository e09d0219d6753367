"""Vector environments on PyTorch tensors: what the training loops of rsl_rl, skrl and CleanRL's style take."""

from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space


class OnTensors(gymnasium.vector.VectorEnv):
    """A vector environment that takes and returns tensors, and resets in the step that ends an episode.

    A subclass has `reset`, `step` and `episode_length_buf`, which can be assigned.

    Attributes:
        device: Where tensors are.
        num_actions: Size of an action.
        max_episode_length: The time limit [steps].
        cfg: Its options.
        reasons: Why episodes terminate; `extras["termination"]` is a place in it, 0 for those that did not.
        observation: The present one, shape (num_envs, n), of float32; None before the first reset.
        privileged: What a critic sees besides, shape (num_envs, m), with the option of that name; else None.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}
    cfg: Any
    episode_length_buf: torch.Tensor

    def _take(self, num_envs: int, limit: int, device: str | torch.device, observation, action) -> None:
        """Set number, time limit [steps], device, and spaces from those of one simulation."""
        self.num_envs, self.max_episode_length, self.device = num_envs, limit, torch.device(device)
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space, self.action_space = batch_space(observation, num_envs), batch_space(action, num_envs)
        self.num_actions = int(np.prod(action.shape))
        self.reasons = [""]
        self.observation: torch.Tensor | None = None
        self.privileged: torch.Tensor | None = None

    def step(self, actions: torch.Tensor):
        """Hold the actions, shape (num_envs, num_actions), for one control period.

        Returns:
            Observation, (num_envs, n), and reward, (num_envs,), of float32; terminated and truncated, (num_envs,) of
            bool; and extras: `time_outs`, those cut short alone; `log`, the mean of each term of the reward by
            "/reward/NAME"; `termination`, places in `reasons`, of int8; where an episode ended its last observation,
            `final_obs`, (num_envs, n), with the mask `_final_obs`.

        Raises:
            TypeError: If the actions are no tensor.
            ValueError: If they have another shape or are not finite.
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        raise NotImplementedError

    def _refuse(self, actions) -> None:
        """Refuse actions that are no tensor, by a TypeError."""
        if not isinstance(actions, torch.Tensor):
            raise TypeError(f"actions are a tensor of shape {self.action_space.shape}, got {type(actions).__name__}")

    def seen(self) -> dict[str, torch.Tensor]:
        """Return the present observations as groups: `policy`, and with the option `privileged` also `critic`."""
        return {"policy": self.observation} | ({} if self.privileged is None else {"critic": self.privileged})

    def groups(self) -> "Groups":
        """Return these environments with their observation as groups, for skrl's wrapper of Isaac Lab."""
        return Groups(self)

    def rsl_rl(self, seed: int | None = None) -> "RslRl":
        """Return these environments, begun, as rsl_rl's runners take them."""
        return RslRl(self, seed)


class Groups(gymnasium.vector.VectorEnv):
    """A `OnTensors` whose observation is a dictionary of groups, as in Isaac Lab.

    skrl takes it without copies: wrap_env(envs.groups(), wrapper="isaaclab-single-agent").
    """

    metadata = OnTensors.metadata

    def __init__(self, envs: OnTensors):
        self.envs, self.num_envs, self.device = envs, envs.num_envs, envs.device
        self.single_observation_space = gymnasium.spaces.Dict({"policy": envs.single_observation_space})
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space, self.action_space = envs.single_action_space, envs.action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Start episodes; return the groups of the observation, and no extras."""
        extras = self.envs.reset(seed=seed, options=options)[1]
        return self.envs.seen(), extras

    def step(self, actions: torch.Tensor):
        """Step; see `OnTensors.step`."""
        rest = self.envs.step(actions)[1:]
        return self.envs.seen(), *rest

    def close_extras(self, **kwargs) -> None:
        """Close the vector environment."""
        self.envs.close()


class RslRl:
    """A `OnTensors` as rsl_rl's `VecEnv`: four values, observations in a TensorDict, begun from the start.

    Its groups are `policy` and, with the option `privileged`, `critic`: obs_groups={"actor": ["policy"],
    "critic": ["policy", "critic"]}.

    Args:
        envs: The environments.
        seed: Of their first episodes; rsl_rl itself never resets.
    """

    def __init__(self, envs: OnTensors, seed: int | None = None):
        from tensordict import TensorDict  # rsl_rl brings it

        self.envs, self._dict = envs, TensorDict
        self.num_envs, self.num_actions, self.device, self.cfg = envs.num_envs, envs.num_actions, envs.device, envs.cfg
        self.max_episode_length = envs.max_episode_length
        envs.reset(seed=seed)

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Steps since each episode began; see `OnTensors`."""
        return self.envs.episode_length_buf

    @episode_length_buf.setter
    def episode_length_buf(self, steps: torch.Tensor) -> None:
        self.envs.episode_length_buf = steps

    def get_observations(self):
        """Return the present observations, a TensorDict of the groups with batch size [num_envs]."""
        return self._dict(self.envs.seen(), batch_size=[self.num_envs])

    def step(self, actions: torch.Tensor):
        """Return observations, reward, whether an episode ended, of int64, and the extras of `OnTensors.step`."""
        _, reward, terminated, truncated, extras = self.envs.step(actions)
        return self.get_observations(), reward, (terminated | truncated).long(), extras

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()
