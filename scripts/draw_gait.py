"""Gait diagrams of policies one above the other: when each foot of Hexapod-v0 touches the ground.

Usage: tarsus draw gait clock runs/hexapod-gait-0/best [--from 4] [--seconds 3] [--out gaits.png]
Runtime: a few seconds for a policy.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic import saving
from tarsus.scripts.learning import policies
from tarsus.scripts.runs import output

LEGS = ("right rear", "right middle", "right front", "left rear", "left middle", "left front")


def compute(policy: str, options: dict[str, Any], start: float, seconds: float, seed: int = 0) -> dict[str, np.ndarray]:
    """Return `time` [s], `touches` (n, 6) and the mean `speed` [m/s] of a stretch of an episode."""
    found, name, options = policies.find(policy, "Hexapod-v0", options)
    env = gymnasium.make(name, max_episode_steps=10**9, **options)
    act = found.make(env, seed)
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


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus draw gait", description=__doc__.partition("\n")[0])
    parser.add_argument("policies", nargs="+", help="names, or folders of checkpoints")
    parser.add_argument("--from", dest="start", type=float, default=4.0, help="[s]")
    parser.add_argument("--seconds", type=float, default=3.0)
    output.add_options(parser, "gaits.png", "the picture")
    args = parser.parse_args(argv)
    try:
        picture = output.file_from(args)
        gaits = {name: compute(name, {}, args.start, args.seconds) for name in args.policies}
    except (ValueError, FileNotFoundError) as problem:
        print(f"tarsus draw gait: {problem}", file=sys.stderr)
        return 2
    with saving.writing(picture) as part:
        draw({Path(name).parent.name or name: gait for name, gait in gaits.items()}).savefig(part, dpi=120)
    print(picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
