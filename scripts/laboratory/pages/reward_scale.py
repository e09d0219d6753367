"""What the numbers of a reward mean, in words made from its weights: `healthy`, a return of 1000, a command met."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from tarsus.envs.commands import Terms

COSTS = {"drift": "1 m/s of drift", "power": "1 W", "dissipation": "1 W"}  # what a weight is the price of
UNITS = {"forward": "typical_speed", "drift": "typical_speed", "power": "typical_power"}  # where a robot has them


def words(rewards: Mapping[str, Terms], n_steps: int, config: Any, ranges: Any) -> str:
    """Return a paragraph for each task.

    Args:
        rewards: Weight and meaning of each term, by task.
        n_steps: Of an episode.
        config: The default options.
        ranges: Of the numbers that are commanded.
    """
    weights = {task: {name: term[0] for name, term in terms.items()} for task, terms in rewards.items()}
    pays = weights.get("forward", {})
    pays = {name: weight / (getattr(config, UNITS.get(name, ""), None) or 1.0) for name, weight in pays.items()}
    said = [_forward(pays, n_steps)] if "forward" in pays else []
    said += [_commanded(weights["commanded"], n_steps, config, ranges)] if "commanded" in weights else []
    return "\n\n".join(textwrap.fill(" ".join(sentences), 120, break_on_hyphens=False) for sentences in said)


def _forward(weights: dict[str, float], n_steps: int) -> tuple[str, ...]:
    healthy, forward = weights.get("healthy", 0.0), weights["forward"]
    costs = ", ".join(f"{what} {-weights[name]:.2g}" for name, what in COSTS.items() if name in weights)
    return (
        f"**What 1000 means**, task `forward`: standing earns {healthy * n_steps:g} in {n_steps} steps, and a fall",
        f"forfeits the rest. 1 m/s forward pays {forward:.3g} a step, so a return of 1000 in 1000 steps needs",
        f"{(1.0 - healthy) / forward:.2g} m/s, plus what the other terms cost ({costs} a step).",
    )


def _commanded(weights: dict[str, float], n_steps: int, config: Any, ranges: Any) -> tuple[str, ...]:
    kinds = (("forward speed", "command_speed", "m/s"), ("yaw rate", "command_yaw_rate", "rad/s"))
    asked = ", ".join(
        f"the {what} from {low:.3g} to {high:.3g} {unit} (`{option}`)"
        for (what, option, unit), (low, high) in zip(kinds, ranges, strict=False)
    )
    standing = f", a share of {config.command_standing:g} is to stand" if config.command_standing else ""
    most = sum(weight for weight in weights.values() if weight > 0)
    return (
        f"Task `commanded`: a command is drawn every {config.command_period:g} s, {asked}{standing}.",
        f"A command that is met pays {most:g} a step at most, {most * n_steps:g} in {n_steps} steps.",
    )
