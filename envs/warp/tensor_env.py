"""Walkers by the thousand on a device: physics in MuJoCo Warp, the task of the other engines on tensors.

Episodes start from a pool: as many starts as `n_starts` are drawn once, on the processor, by the code of the other
engines, and a reset takes one of them. All that a simulation keeps is in buffers whose first dimension is the
simulations', in the pool and on the device alike: a start is a row of each.
"""

from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
import torch
import warp as wp
from gymnasium.vector import AutoresetMode

from .. import episodes, warp_refusals
from ..curriculum import CLIMB, FIRST_REACH
from ..kinds import check_count
from ..on_tensors import OnTensors
from ..steps import BEYOND, DIVERGED
from ..task import Task
from . import moving, worlds
from .arrays import DeviceArray, Together
from .kernels import Kernels
from .physics import Physics, Pool
from .simulations import KINDS, LARGEST, Starts

N_STARTS = 1024
REACH = ".curriculum.command_reach"  # the path of what no start brings: how far the curriculum has come
REASONS = ("", *(f"{DIVERGED}: {kind}" for kind in KINDS), BEYOND)  # why nothing of an episode counts any more


def made(
    task_class: type[Task],
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    n_starts: int = N_STARTS,
    **options,
) -> "WarpVectorEnv":
    """Return environments on the device of the options; ValueError says what they lack before anything is allocated."""
    mode = episodes.checked_numbers(num_envs, max_episode_steps, autoreset_mode)
    if mode is not AutoresetMode.SAME_STEP:
        raise ValueError(
            f"environments on a device reset in the step that ends an episode, 'SameStep', not {mode.value!r}"
        )
    check_count("n_starts", n_starts)
    task = task_class(shape=(1,), **options)
    warp_refusals.check(task, max_episode_steps)
    worlds.check_device(task, num_envs)
    return WarpVectorEnv(task_class, num_envs, max_episode_steps, n_starts, **options)


class WarpVectorEnv(OnTensors):
    """Many simulations of a walker on a device; observations, rewards and flags are tensors there.

    Args:
        task_class: The task's.
        num_envs: Number of simulations.
        max_episode_steps: Steps after which an episode is truncated.
        n_starts: How many starts of episodes are drawn when `reset` is called; episodes begin with one of them.
        options: The task's; `device` is "cpu" or "cuda:0", as Warp and PyTorch name it.

    Attributes:
        task: The task; its arrays have NumPy's interface, `DeviceArray`, and a `tensor`.
        episode_length_buf: Steps since each episode began, shape (num_envs,) of int64; it can be assigned.
    """

    def __init__(self, task_class: type[Task], num_envs: int, max_episode_steps: int, n_starts: int, **options):
        device = options["device"]
        self.task = task = task_class(shape=(num_envs,), **options)
        self._take(num_envs, max_episode_steps, device, task.observation_space, task.action_space)
        self.reasons = list(REASONS)
        n_starts += n_starts == num_envs  # so that a first dimension says whose an array is
        pooled = options | {"terrain_curriculum": False}
        if task.config.terrain_curriculum:  # a pool of all levels
            pooled["terrain_difficulty"] = task.config.difficulty_range
        self._make_pool = lambda seed: Pool(task_class(shape=(n_starts,), **pooled), seed)
        Starts(task)
        self._buffers = moving.move(task, self.device)
        task.together, task.kernels, task.rngs = True, Kernels(device), Together(self.device)  # type: ignore[assignment]
        self._physics = Physics(task, device)
        self._stream = wp.stream_to_torch(device) if self.device.type == "cuda" else None
        self._bound = torch.as_tensor(task.observation_space.high, device=self.device)
        self._fixed = torch.as_tensor(worlds.fixed(task.model), device=self.device)
        self._steps = torch.zeros(num_envs, dtype=torch.int64, device=self.device)
        self._starts: list[tuple[torch.Tensor, torch.Tensor]] = []  # of a simulation and of the pool, side by side

    @property
    def cfg(self):
        """Its options."""
        return self.task.config

    @property  # type: ignore[override]
    def episode_length_buf(self) -> torch.Tensor:
        """Steps since each episode began, shape (num_envs,) of int64; it can be assigned."""
        return self._steps

    @episode_length_buf.setter
    def episode_length_buf(self, steps: torch.Tensor) -> None:
        self._steps.copy_(torch.as_tensor(steps))

    @contextmanager
    def _ordered(self):
        """Work on Warp's stream, after what the caller's has done, and before what it does next."""
        if self._stream is None:
            yield
            return
        callers = torch.cuda.current_stream(self.device)
        self._stream.wait_stream(callers)
        with torch.cuda.stream(self._stream):
            yield
        callers.wait_stream(self._stream)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Draw a pool of starts, and begin episodes, the first with the first; return the observation and no extras.

        Raises:
            TypeError: If seeds are a list.
            ValueError: If there are options: they are given to `make_vec`.
        """
        if episodes.mapping_of(options):
            raise ValueError(f"options of environments on a device are given to make_vec, got {', '.join(options)}")
        pool = self._make_pool(episodes.seed_of(seed))
        if seed is not None:
            self.task.rngs.generator.manual_seed(seed)
        with self._ordered():
            self._starts = []
            for path, buffer in self._buffers.items():
                if buffer.shape[:1] != pool.buffers[path].shape[:1] and path != REACH:
                    self._pair(buffer, pool.buffers[path])
            for name, rows in pool.worlds.items():
                self._pair(self._physics.worlds.own[name], rows)
            self._still = [
                (self._physics.worlds.still[name], torch.as_tensor(rows, dtype=torch.float32, device=self.device))
                for name, rows in pool.still.items()
            ]
            self._level(pool)
            everyone = torch.arange(self.num_envs, device=self.device)
            self._begin(everyone, everyone % self._n_starts if self._levels is None else self._chosen(everyone))
            self._see()
        return self.observation, {}

    def _pair(self, buffer: torch.Tensor, rows: np.ndarray) -> None:
        drawn = torch.as_tensor(rows.reshape(len(rows), *buffer.shape[1:]), dtype=buffer.dtype, device=self.device)
        self._starts.append((buffer, drawn))

    def _level(self, pool: Pool) -> None:
        """Begin the curricula; sort the starts by the difficulty of their ground, where that rises."""
        task, self._n_starts, self._levels = self.task, len(pool.buffers[".curriculum._ended"]), None
        if task.config.adapts:
            task.curriculum.command_reach[...] = FIRST_REACH
        if task.config.terrain_curriculum:
            task.curriculum.difficulty[...] = task.config.difficulty_range[0]
            drawn = torch.as_tensor(pool.buffers[".curriculum.difficulty"], device=self.device)
            self._levels = torch.sort(drawn)

    def _chosen(self, sims: torch.Tensor) -> torch.Tensor:
        """Return a start for each of these simulations, at random, of a difficulty near its own."""
        draws = self.task.rngs[DeviceArray(sims)]
        if self._levels is None:
            return draws.integers(self._n_starts)
        asked = self.task.curriculum.difficulty.tensor[sims] + draws.uniform(-0.5 * CLIMB, 0.5 * CLIMB).tensor
        at = torch.searchsorted(self._levels.values, asked).clamp(max=self._n_starts - 1)
        return self._levels.indices[at]

    def _begin(self, sims: torch.Tensor, starts: torch.Tensor) -> None:
        """Begin episodes in simulations, indices, from these starts of the pool."""
        for buffer, drawn in self._starts:
            buffer[sims] = drawn[starts]
        for buffer, drawn in self._still:
            buffer[sims[:, None], self._fixed] = drawn[starts]
        self._steps[sims] = 0
        if self.task.config.command_curriculum:  # the pool's commands are those of a beginner
            self.task.commands.draw(self.task, DeviceArray(sims), 0.0)
        self.task.refresh()

    def _see(self) -> None:
        self.observation = self.task.observe().tensor
        if self.task.privileged_slices:
            self.privileged = self.task.observe_privileged().tensor

    def step(self, actions: torch.Tensor):
        """Step; see `OnTensors.step`."""
        self._refuse(actions)
        if self.observation is None:
            raise gymnasium.error.ResetNeeded("reset comes before step")
        if tuple(actions.shape) != self.action_space.shape:
            raise ValueError(f"an action has shape {self.action_space.shape}, got {tuple(actions.shape)}")
        with self._ordered():
            actions = actions.detach().to(self.device, torch.float64)
            if not torch.isfinite(actions).all():
                raise ValueError("an action must be finite numbers")
            return self._step(DeviceArray(actions.clamp(-1.0, 1.0)))

    def _step(self, actions: DeviceArray):
        codes = self._advance(actions)
        terms, codes = self._judge(codes)
        terminated = codes > 0
        truncated = self._steps >= self.max_episode_length
        if self.task.bounded:
            for cut in self.task.cuts().values():
                truncated = truncated | (cut.tensor & ~terminated)
        reward, over = sum(terms.values()).float(), terminated | truncated
        extras: dict[str, Any] = {"time_outs": truncated & ~terminated, "termination": codes}
        extras["log"] = {f"/reward/{name}": term.mean().float() for name, term in terms.items()}
        sims = torch.nonzero(over).reshape(-1)
        if len(sims):
            extras |= {"final_obs": self.observation, "_final_obs": over}
            self.task.curriculum.promote(self.task, DeviceArray(sims))
            self._begin(sims, self._chosen(sims))
            self._see()
        return self.observation, reward, terminated, truncated, extras

    def _advance(self, actions: DeviceArray) -> torch.Tensor:
        """Step physics and task; return the places in `reasons` of what diverged, 0 for others, shape (n,) of int8."""
        task, codes = self.task, torch.zeros(self.num_envs, dtype=torch.int8, device=self.device)
        before = task.qpos.tensor.clone(), task.qvel.tensor.clone()
        self._physics.step(task.act(actions))
        self._steps += 1
        state = torch.cat([task.qpos.tensor, task.qvel.tensor], -1)
        codes[self._physics.worlds.full()] = 2
        codes[~(state.abs() < LARGEST).all(-1)] = 1
        lost = (codes > 0)[:, None]
        for now, then in zip((task.qpos.tensor, task.qvel.tensor), before, strict=True):
            now.copy_(torch.where(lost, then, now))
        task.data.sensordata.tensor.nan_to_num_()
        task.refresh()
        self._see()
        codes[(codes == 0) & ~(self.observation.abs() <= self._bound).all(-1)] = 3
        task.advance()
        return codes

    def _judge(self, codes: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """Return the reward's terms, double, shape (n,), and the codes with those of the task's own ends."""
        void = codes > 0
        for why, holds in self.task.endings().items():
            if why not in self.reasons:
                self.reasons.append(why)
            codes = torch.where((codes == 0) & holds.tensor, self.reasons.index(why), codes).to(torch.int8)
        terms = {}
        for name, term in self.task.reward_terms().items():
            term = term.tensor if isinstance(term, DeviceArray) else torch.full(codes.shape, term, device=self.device)
            terms[name] = torch.where(codes > 0 if name == "healthy" else void, 0.0, term.double())
        return terms, codes

    def physics_again(self) -> None:
        """Step the physics alone by one control period, with the present controls held; the task does not see it."""
        with self._ordered():
            self._physics.step(DeviceArray(self.task.data.ctrl.tensor[None]))

    def measurements(self) -> dict[str, torch.Tensor]:
        """Return the entries of `info` of other engines besides the reward: time, speed, distance, forces ..."""
        with self._ordered():
            return {name: value.tensor for name, value in self.task.measurements().items()}
