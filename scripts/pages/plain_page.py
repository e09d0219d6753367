"""The page of an environment for which nobody wrote one: all that its task and configuration say of it."""

from __future__ import annotations

import importlib
import inspect

from tarsus.envs import ENVIRONMENTS
from tarsus.scripts.pages.environment_page import LAST_ENTRIES, EnvironmentPage


def place(name: str) -> str:
    """Return the path of an environment's page: docs/envs/ and its module's name."""
    return f"docs/envs/{_module(name).rpartition('.')[2]}.md"


def page(name: str) -> str:
    """Return the page of a registered environment."""
    import gymnasium

    import tarsus  # noqa: F401  registers the environments

    env = gymnasium.make(name)
    env.reset(seed=0)
    info = env.step(env.action_space.sample())[4]
    task = env.unwrapped.task
    shapes = {key: f"shape {value.shape}" if getattr(value, "shape", ()) else "a number" for key, value in info.items()}
    words = EnvironmentPage(
        name=name,
        source=f"{_module(name).removeprefix('tarsus.').replace('.', '/')}.py",
        description="{description}",
        actions=f"A `Box` of {env.action_space.shape[0]} from -1 to 1. Actions beyond the box are clipped to it.",
        start=inspect.getdoc(task.place).partition("\n")[0],
        ends="with " + ", ".join(f'`"{why}"`' for why in task.falls()),
        info={key: shape for key, shape in shapes.items() if key not in LAST_ENTRIES and not key.startswith("reward_")},
    )
    return words.render(env, description=inspect.getdoc(importlib.import_module(_module(name))))


def _module(name: str) -> str:
    return ENVIRONMENTS[name]["entry_point"].partition(":")[0]
