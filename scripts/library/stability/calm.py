"""The same environment without chance: what of its options draws or disturbs is left out, and a command is fixed."""

from dataclasses import fields
from typing import Any

from tarsus.envs.state import same

# What an option is without chance, and the words for leaving it out.
WITHOUT: dict[str, tuple[Any, str]] = {
    "terrain": ("flat", "on flat ground instead of terrain {!r}"),
    "terrain_difficulty": (None, ""),
    "terrain_curriculum": (False, ""),
    "randomise": ({}, "its robot is the nominal one, not drawn"),
    "randomise_contact": (False, "its contact is the preset's, not drawn"),
    "observation_noise": ({}, "asked without the noise of its observation"),
    "push_speed": (0.0, "asked without the pushes of its training"),
    "command_curriculum": (False, ""),
}


def calmed(config) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return changes of an environment's options, options of its resets, and what that means, in words.

    A commanded task gets the middle of its range of speeds, straight ahead; a delay that is drawn gets its longest.
    """
    names, changes, lines = {entry.name for entry in fields(config)}, {}, []
    for name, (value, words) in WITHOUT.items():
        if name in names and not same(getattr(config, name), value):
            changes[name] = value
            lines += [words.format(getattr(config, name))] if words else []
    low, high = getattr(config, "action_delay", (0, 0))
    if low != high:
        changes["action_delay"] = (high, high)
        lines.append(f"its actions are {high:g} control periods late, not a number drawn from {low:g} to {high:g}")
    if config.task != "commanded":
        return changes, {}, tuple(lines)
    speed = 0.5 * sum(config.command_speed or (0.0, 1.0))
    command = [speed] + [0.0] * (len(config.command_ranges) - 1)
    return changes, {"command": command}, (*lines, f"its command is fixed: {speed:.3g} m/s straight ahead")
