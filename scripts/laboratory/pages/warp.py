"""How near the engine `warp` is to MuJoCo: walks of Hexapod-v0 by its clock in both, from the same starts.

Usage: tarsus page warp [--walks 10] [--seconds 10] [--write]. Runtime: ten minutes; before, Warp compiles for one.

MuJoCo beside itself, its body nudged by 1e-6 m/s, shows what the machine makes of any difference.
"""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass, field

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.compilation import extras
from tarsus.envs import warp_refusals
from tarsus.envs.config import PERIOD
from tarsus.scripts.command.signature import Count, Seconds
from tarsus.scripts.laboratory.frame import Page, Place, Table

NAME = "Hexapod-v0"
MARKS = (1, 10, 50, 100)  # control periods, of ten physics steps each, after which differences are shown
NUDGE = 1e-6  # [m/s]
GROUNDS = ("flat", "rough")
HEAD = ("ground", "beside MuJoCo", *(f"{10 * mark:,} steps [m]" for mark in MARKS), "median [m]")
HEAD += ("angles [rad]", "feet apart", "speed [m/s]", "CPU [s]")
PLACE = Place("benchmarks.md", "agreement")
PACKAGES = ("tarsus", "mujoco", "mujoco-warp", "warp-lang", "numpy")


@dataclass
class SideBySide:
    """What was compared of some walks, in MuJoCo and beside it.

    Attributes:
        position: Difference of bodies' positions after the periods of `MARKS` that were reached, (n_walks,) each [m].
        angles: Largest difference of the joints after the last of these [rad].
        apart: How many of so many contacts of feet only one engine had.
        speed: Mean speed over the whole, in MuJoCo and beside it [m/s].
        cpu: Processor time of either [s].
    """

    position: dict[int, np.ndarray] = field(default_factory=dict)
    angles: float = 0.0
    apart: tuple[int, int] = (0, 0)
    speed: tuple[float, float] = (0.0, 0.0)
    cpu: np.ndarray = field(default_factory=lambda: np.zeros(2))


def make(engine: str, terrain: str, n: int, n_periods: int) -> gymnasium.vector.VectorEnv:
    """Return begun environments whose episodes last longer than so many periods."""
    envs = gymnasium.make_vec(NAME, n, engine=engine, terrain=terrain, max_episode_steps=n_periods + 1).unwrapped
    envs.reset(seed=0)
    return envs


def walk(engine: str, terrain: str, n: int, n_periods: int) -> SideBySide:
    """Return the differences of an engine from MuJoCo; the engine "mujoco" is nudged.

    Raises:
        RuntimeError: If a robot falls: what comes after is another episode.
    """
    pair, found = [make(one, terrain, n, n_periods) for one in ("mujoco", engine)], SideBySide()
    if engine == "mujoco":
        pair[1].task.qvel[:, :3] += NUDGE
    action, apart = np.zeros(pair[0].action_space.shape), 0
    for period in range(1, n_periods + 1):
        for k, envs in enumerate(pair):
            before = time.process_time()
            *_, terminated, truncated, infos = envs.step(action)
            found.cpu[k] += time.process_time() - before
            if terminated.any() or truncated.any():
                raise RuntimeError(f"a walk in {('mujoco', engine)[k]} ended after {period} periods: {infos}")
        tasks = [envs.task for envs in pair]
        apart += int(np.sum(tasks[0].foot[..., 0] != tasks[1].foot[..., 0]))
        if period in MARKS:
            difference = np.abs(tasks[0].qpos - tasks[1].qpos)
            found.position[period], found.angles = difference[:, :3].max(-1), float(difference[:, 7::3].max())
    found.apart = apart, n_periods * tasks[0].foot[..., 0].size
    found.speed = tuple(float(np.mean(task.measurements()["distance"] / task.data.time)) for task in tasks)
    for envs in pair:
        envs.close()
    return found


def row(terrain: str, engine: str, found: SideBySide) -> tuple[str, ...]:
    """Return a line of the table."""
    worst = [f"{found.position[mark].max():.0e}" if mark in found.position else "-" for mark in MARKS]
    last = list(found.position.values())[-1]
    label = "Warp" if engine == "warp" else f"MuJoCo, nudged by {NUDGE:.0e} m/s"
    apart = "{:,} of {:,}".format(*found.apart)
    speed = "{:.5f}, {:.5f}".format(*found.speed)
    cpu = "{:.1f}, {:.1f}".format(*found.cpu)
    return terrain, label, *worst, f"{np.median(last):.0e}", f"{found.angles:.0e}", apart, speed, cpu


def check(**_) -> None:
    """Refuse to compare without MuJoCo Warp.

    Raises:
        ValueError: The sentence says what to install.
    """
    if any(importlib.util.find_spec(name) is None for name in ("warp", "mujoco_warp")):
        raise ValueError(f"{warp_refusals.NEEDED}: {extras.install('warp')}")


def tables(walks: Count = 10, seconds: Seconds = 10.0) -> Page:
    """Return the table of differences.

    Args:
        walks: How many side by side, on each ground.
        seconds: How long each lasts.
    """
    n_periods = max(1, round(seconds / PERIOD))
    cases = [(terrain, engine) for terrain in GROUNDS for engine in ("warp", "mujoco")]
    rows = [row(*case, walk(case[1], case[0], walks, n_periods)) for case in cases]
    return Page(
        f"{walks} walks of {seconds:g} s on each ground, action zero. Columns: the largest difference of a body's "
        "position after so many physics steps; after the last, also its median over walks; the largest difference of "
        "a hip's angle; feet that only one of the two has in contact, of all in all control periods; mean speed and "
        "processor time, in MuJoCo and beside it.",
        Table(HEAD, rows),
    )
