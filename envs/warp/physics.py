"""What environments on a device are made of: a pool of starts, drawn on the processor, and the physics of a period."""

import numpy as np
import torch
import warp as wp

from .. import episodes
from ..task import Task
from . import moving, worlds
from .arrays import DeviceArray
from .simulations import READ, Starts


class Pool:
    """Starts of episodes, drawn on the processor; each is a row of every array.

    Args:
        task: Of leading dimension k.
        seed: Of the first; the others count up.

    Attributes:
        buffers: Of the task, by path; the first dimension of what a simulation keeps is k.
        worlds: What the model of each start has of its own, by name, shape (k, ...); empty where they share one.
        still: Where what does not move is, so.

    Raises:
        ValueError: If MuJoCo cannot simulate a start.
    """

    def __init__(self, task: Task, seed: int | None):
        sims = list(range(task.shape[0]))
        task.rngs.seed(sims, episodes.seeds_of(seed, len(sims)))
        starts = Starts(task)
        starts.start(sims)
        if starts.warnings.any():
            raise ValueError("an episode cannot start so: MuJoCo warns; change an option such as reset_noise")
        self.buffers, own = moving.buffers(task), starts.models if task.models.vary else []
        self.worlds, self.still = (
            {name: np.stack(rows) for name, rows in _columns(map(numbers, own)).items()}
            for numbers in (worlds.numbers_of, worlds.still_of)
        )


def _columns(rows) -> dict[str, list[np.ndarray]]:
    """Return dictionaries of arrays, one after the other, as one of lists."""
    found: dict[str, list[np.ndarray]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return found


class Physics:
    """Control periods of a task's simulations in MuJoCo Warp, between the arrays on a device and Warp's.

    On a GPU the steps between two looks at the ground are one graph, captured after they ran once.
    """

    def __init__(self, task: Task, device: str):
        self.worlds = worlds.Worlds(task.model, task.shape[0], task.models.vary, device, wp.to_torch)
        self._task, self._device, self._graph = task, device, None
        self._period = task.follow_every if task.patches else task.n_substeps
        self._controls = torch.zeros((self._period, task.shape[0], task.model.nu), device=device)
        self._rows = wp.from_torch(self._controls)

    def step(self, controls: DeviceArray) -> None:
        """Step all by one control period, by controls of shape (n_substeps, n, nu); a single row is held."""
        task, data, arrays = self._task, self._task.data, self.worlds.arrays
        for name in worlds.STATE:
            arrays[name].copy_(getattr(data, name).tensor)
        for first in range(0, task.n_substeps, self._period):
            if task.patches:
                self._follow(first > 0)
            rows = controls.tensor[first : first + self._period] if len(controls) > 1 else controls.tensor
            self._controls.copy_(rows)
            self._run()
        data.ctrl.tensor.copy_(self._controls[-1])
        for name in READ:
            getattr(data, name).tensor.copy_(arrays[name])
        data.time += task.ctrl_dt

    def _follow(self, moved: bool) -> None:
        """Bring the ground under the feet, where they are if they have moved since the period began."""
        data, arrays = self._task.data, self.worlds.arrays
        if moved:
            data.site_xpos.tensor.copy_(arrays["site_xpos"])
        self._task.patches.follow(data)
        for name in ("mocap_pos", "mocap_quat"):
            arrays[name].copy_(getattr(data, name).tensor)

    def _run(self) -> None:
        if self._graph is not None:
            wp.capture_launch(self._graph)
            return
        self._substeps()
        if wp.get_device(self._device).is_cuda:
            with wp.ScopedCapture(self._device) as capture:
                self._substeps()
            self._graph = capture.graph

    def _substeps(self) -> None:
        for k in range(self._period):
            self.worlds.step(self._rows[k])
