"""Displacements of a closed loop from one of its states, coordinate by coordinate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tarsus.scripts.library.stability import remembered

if TYPE_CHECKING:
    from tarsus.scripts.library.stability.loop import Loop, State


def displace(loop: Loop, by: np.ndarray, state: State) -> None:
    """Continue a loop from the state at coordinates `by`, shape (n,), about another.

    In the exact engine what is closed stays so: a position is brought to where feet stand on the ground, a velocity
    to where they rest.
    """
    n = 2 * loop.chart.model.nv
    loop.restore(state)
    loop.observe()
    first = loop.observation
    task, memory, changed, sensed = loop.base.task, remembered.memory(loop.policy), {}, {}
    own = dict(remembered.numbers(memory))
    for name, old in state.arrays.items():
        new, n = old + by[n : n + old.size], n + old.size
        if name in own:
            own[name][...] = new.reshape(own[name].shape)
        elif name in task.OUTPUTS:
            sensed[name] = new
        else:
            changed[name] = new.reshape(state.simulated.arrays[name].shape)
    loop.base.set_state(replace(state.simulated, arrays={**state.simulated.arrays, **changed}))
    remembered.recall(loop.policy, memory)
    by = by[: 2 * loop.chart.model.nv]
    place = loop.chart.displaced(state.qpos, state.qvel, by)
    task.qpos[:], task.qvel[:] = loop.base._sim.held(*place) if loop.exact and by.any() else place
    _write(task, sensed)
    loop.observe()
    # What is observed before a step is counted: the state has what came after.
    moved = loop.observation - first
    loop.observation = np.where(state.observation == first, loop.observation, state.observation + moved)


def measured(task, free: bool) -> dict[str, np.ndarray]:
    """Return the last period's measurements and the next observation, arrays of shape (k,).

    Sites are relative to the place of a leg; of a free body nothing observes them.
    """
    found = {name: getattr(task.data, name).copy() for name in task.OUTPUTS}
    sites = found.pop("site_xpos", None)
    if sites is not None and not free:
        sites[:, 0] -= task.qpos[0]
        found["site_xpos"] = sites
    return {name: array.ravel() for name, array in found.items()}


def _write(task, arrays: Mapping[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        held = getattr(task.data, name)
        held[...] = array.reshape(held.shape)
        if name == "site_xpos":
            held[:, 0] += task.qpos[0]
