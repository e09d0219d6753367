"""Gait diagrams of several policies: when each foot of Hexapod-v0 touches the ground.

Runtime: a few seconds for a policy.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts.command import arguments
from tarsus.scripts.library.learning import playing

ENVIRONMENT = "Hexapod-v0"
LEGS = ("right rear", "right middle", "right front", "left rear", "left middle", "left front")
GOLDEN = {"from_": 1.5, "seconds": 0.5}


def policy(name: str) -> str:
    """Return the name of a policy, or of a folder of a checkpoint, that plays the environment."""
    try:
        playing.check(name, ENVIRONMENT, {})
    except arguments.MISUSE as error:
        raise ArgumentTypeError(arguments.sentence(error)) from None
    return name


def compute(
    policies: tuple[Annotated[str, policy], ...] = ("clock",),
    from_: Annotated[float, arguments.number(0, arguments.LONGEST)] = 4.0,
    seconds: Annotated[float, arguments.number(0.1, arguments.LONGEST)] = 3.0,
) -> dict[str, np.ndarray]:
    """Return `NAME_time` [s], `NAME_touches` (n, 6) and the mean speed `NAME_speed` [m/s] of every policy.

    Args:
        policies: Names, or folders of checkpoints.
        from_: Where the diagram begins [s].
        seconds: How long it is [s].

    Raises:
        Refusal: If a robot falls before there is anything to draw.
    """
    data = {}
    for name in policies:
        found = stretch(name, {}, from_, seconds)
        if len(found["time"]) < 2:
            raise arguments.Refusal(f"tarsus figure gait_diagram: {name} falls before there is anything to draw")
        data |= {f"{Path(name).parent.name or name}_{key}": values for key, values in found.items()}
    return data


def stretch(name: str, options: dict[str, Any], start: float, seconds: float) -> dict[str, np.ndarray]:
    """Return `time` [s], `touches` (n, 6) and the mean `speed` [m/s] of a stretch of an episode."""
    env, act = playing.start(name, ENVIRONMENT, options, 0, max_episode_steps=10**9)
    observation, info = env.reset(seed=0)
    infos = []
    while info["time"] < start + seconds:
        observation, _, terminated, _, info = env.step(act(observation, info))
        infos.append(info)
        if terminated:
            break
    shown = [info for info in infos if info["time"] >= start] or infos
    way, time = (shown[-1][key] - shown[0][key] for key in ("distance", "time"))
    return {
        "time": np.array([info["time"] for info in shown]),
        "touches": np.array([info["foot_contact"] for info in shown]),
        "speed": np.array(way / max(time, 1e-9)),
    }


def draw(data, figure):
    """Draw a panel for each policy; a bar is a foot on the ground."""
    names = [key.removesuffix("_touches") for key in data if key.endswith("_touches")]
    figure.set_size_inches(8, 0.6 + 1.7 * len(names))
    panels = figure.subplots(len(names), 1, squeeze=False, sharex=True)
    for panel, name in zip(panels[:, 0], names, strict=True):
        time, touches = data[f"{name}_time"], data[f"{name}_touches"]
        step = time[1] - time[0]
        for leg in range(touches.shape[1]):
            colour = "C0" if leg in (0, 2, 4) else "C1"  # the two tripods
            panel.broken_barh([(t - step, step) for t in time[touches[:, leg]]], (leg - 0.35, 0.7), color=colour, lw=0)
        panel.set(yticks=range(len(LEGS)), yticklabels=LEGS, xlim=(time[0] - step, time[-1]))
        panel.set_title(f"{name}: {data[f'{name}_speed']:.3f} m/s, duty {touches.mean():.2f}", loc="left", fontsize=10)
        panel.invert_yaxis()
    panels[-1, 0].set_xlabel("time [s]")
