"""Gait diagrams of policies one above the other: when each foot of Hexapod-v0 touches the ground.

Usage: tarsus figure gait clock runs/hexapod-gait-0/best [--from 4] [--seconds 3] [--out gaits.png]
Runtime: a few seconds for a policy.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic import saving
from tarsus.scripts import arguments, paths
from tarsus.scripts.learning import playing
from tarsus.scripts.runs import output

ENVIRONMENT = "Hexapod-v0"
SHORTEST = 0.1  # [s]
LEGS = ("right rear", "right middle", "right front", "left rear", "left middle", "left front")


def compute(policy: str, options: dict[str, Any], start: float, seconds: float, seed: int = 0) -> dict[str, np.ndarray]:
    """Return `time` [s], `touches` (n, 6) and the mean `speed` [m/s] of a stretch of an episode."""
    env, act = playing.start(policy, ENVIRONMENT, options, seed, max_episode_steps=10**9)
    observation, info = env.reset(seed=seed)
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


def draw(gaits: dict[str, dict[str, np.ndarray]]):
    """Return a figure with a panel for each policy; a bar is a foot on the ground."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(len(gaits), 1, figsize=(8, 0.6 + 1.7 * len(gaits)), squeeze=False, sharex=True)
    for panel, (label, gait) in zip(panels[:, 0], gaits.items(), strict=True):
        time, touches = gait["time"], gait["touches"]
        step = time[1] - time[0]
        for leg in range(touches.shape[1]):
            colour = "C0" if leg in (0, 2, 4) else "C1"  # the two tripods
            panel.broken_barh([(t - step, step) for t in time[touches[:, leg]]], (leg - 0.35, 0.7), color=colour, lw=0)
        panel.set(yticks=range(len(LEGS)), yticklabels=LEGS, xlim=(time[0] - step, time[-1]))
        panel.set_title(f"{label}: {gait['speed']:.3f} m/s, duty {touches.mean():.2f}", loc="left", fontsize=10)
        panel.invert_yaxis()
    panels[-1, 0].set_xlabel("time [s]")
    figure.tight_layout()
    return figure


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Draw; return 0, 1 if a robot falls before there is anything to draw, 2 for a line that cannot be run."""
    parser = arguments.Parser(prog="tarsus draw gait", description=__doc__.partition("\n")[0])
    parser.add_argument("policies", nargs="+", help="names, or folders of checkpoints")
    parser.add_argument("--from", dest="start", type=arguments.number(0, arguments.LONGEST), default=4.0, help="[s]")
    parser.add_argument("--seconds", type=arguments.seconds, default=3.0)
    output.add_options(parser, "gaits.png", "the picture", paths.file_to_write(".png", ".pdf", ".svg"))
    with arguments.read(parser, argv) as args:
        if args.seconds < SHORTEST:
            raise ValueError(f"--seconds must be at least {SHORTEST:g}, a few steps of the environment")
        for name in args.policies:
            playing.check(name, ENVIRONMENT, {})
        picture = output.file_from(args)
    gaits = {name: compute(name, {}, args.start, args.seconds) for name in args.policies}
    for name, gait in gaits.items():
        if len(gait["time"]) < 2:
            print(f"tarsus draw gait: {name} falls before there is anything to draw", file=sys.stderr)
            return 1
    with saving.writing(picture) as part:
        draw({Path(name).parent.name or name: gait for name, gait in gaits.items()}).savefig(part, dpi=120)
    print(picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
