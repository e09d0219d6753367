"""Many hexapods in MuJoCo Warp on tensors: control steps per second and memory, and a policy there and in MuJoCo.

Usage: tarsus benchmark gpu [--device cuda:0] [--num-envs 1024 4096 16384 65536] [--repeats 5] [--write]. Runtime: three
minutes on an H100, of which one and a half compile; on the device "cpu" it takes few simulations.

A control step is ten physics steps. Actions are normal noise of .1. What is asked of the physics alone is the same
controls again and again. The policy walks without noise, every simulation for one episode.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.compilation import extras
from tarsus.envs import warp_refusals
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks.timing import Simulations
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy

NAME, PACKAGES = "Hexapod-v0", ("tarsus", "mujoco", "mujoco-warp", "warp-lang", "torch", "numpy")
PLACE = Place("benchmarks.md", "throughput")
HEAD = ("ground", "simulations", "control steps/s, median (min to max)", "physics alone", "memory [kB each]")
WARM_UP, STARTS = 20, 256  # steps that are not timed; starts that are drawn
MANY = 4096  # simulations from which on the memory is theirs


def made(device: str, num_envs: int, terrain: str = "flat", **options):
    """Return begun environments."""
    keywords = options | dict(engine="warp", device=device, n_starts=STARTS, terrain=terrain)
    envs = gymnasium.make_vec(NAME, num_envs, **keywords).unwrapped
    envs.reset(seed=0)
    return envs


def rates(step: Callable[[], object], wait: Callable[[], object], n_steps: int, repeats: int) -> np.ndarray:
    """Return steps per second, by the wall clock, of so many repeats."""
    found = []
    for _ in range(repeats):
        wait()
        before = time.perf_counter()
        for _ in range(n_steps):
            step()
        wait()
        found.append(n_steps / (time.perf_counter() - before))
    return np.array(found)


def row(device: str, terrain: str, num_envs: int, n_steps: int, repeats: int) -> tuple[str, ...]:
    """Return a line of the table."""
    import torch

    on_gpu = device != "cpu"
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    if on_gpu:
        torch.cuda.empty_cache()
    free = torch.cuda.mem_get_info(device)[0] if on_gpu else 0
    envs = made(device, num_envs, terrain)
    action = torch.empty((num_envs, envs.num_actions), device=envs.device)

    def step() -> None:
        envs.step(action.normal_(0.0, 0.1))

    for _ in range(WARM_UP if on_gpu else 1):
        step()
    whole = num_envs * rates(step, wait, n_steps, repeats)
    physics = num_envs * rates(envs.physics_again, wait, n_steps, repeats)
    used = free - torch.cuda.mem_get_info(device)[0] if on_gpu else 0
    memory = f"{used / num_envs / 1e3:.0f}" if num_envs >= MANY and on_gpu else "-"
    envs.close()
    spread = f"{np.median(whole):,.0f} ({whole.min():,.0f} to {whole.max():,.0f})"
    return terrain, f"{num_envs:,}", spread, f"{np.median(physics):,.0f}", memory


def walked(envs, measured: Callable[[], dict], policy: TrainedPolicy, n_steps: int) -> tuple[str, ...]:
    """Return the measures of a policy in environments on tensors: number of simulations, mean speed [m/s], falls."""
    fell = 0
    for _ in range(n_steps):
        action = policy(envs.observation.cpu().numpy())
        fell += int(envs.step(envs.observation.new_tensor(action))[2].sum())
    speed = measured()["distance"] / measured()["time"]
    envs.close()
    return str(envs.num_envs), f"{float(speed.mean()):.4f}", str(fell)


def compared(device: str, folder: Path, num_envs: int, n_steps: int) -> Table:
    """Return the table of a policy in Warp and in MuJoCo, from starts that are drawn alike."""
    from tarsus.scripts.library.learning.tensors import TensorVectorEnv  # with it comes PyTorch

    policy, limit = TrainedPolicy(folder), {"max_episode_steps": n_steps + 1}
    warp = made(device, num_envs, **limit)
    plain = TensorVectorEnv(gymnasium.make_vec(NAME, min(num_envs, STARTS), autoreset_mode="SameStep", **limit))
    plain.reset(seed=0)
    rows = [
        ("Warp", *walked(warp, warp.measurements, policy, n_steps)),
        ("MuJoCo", *walked(plain, plain.envs.task.measurements, policy, n_steps)),
    ]
    return Table(("engine", "simulations", "speed [m/s]", "falls"), rows)


def named_device(text: str) -> str:
    """Return the name of a device.

    Raises:
        argparse.ArgumentTypeError: If it is none.
    """
    if not re.fullmatch(r"cpu|cuda:\d+", text):
        raise argparse.ArgumentTypeError(f"a device is cpu or cuda:0, got {text!r}")
    return text


def check(policy: Path | None, **_) -> None:
    """Refuse a policy that is none, and to begin without MuJoCo Warp and PyTorch.

    Raises:
        ValueError: The sentence says what is wrong, or what to install.
    """
    if policy is not None:
        TrainedPolicy(policy)
    if any(importlib.util.find_spec(name) is None for name in ("warp", "mujoco_warp", "torch")):
        raise ValueError(f"{warp_refusals.NEEDED}, and PyTorch: {extras.install('warp', 'rl')}")


def tables(
    device: Annotated[str, named_device] = "cpu",
    num_envs: tuple[Simulations, ...] = (1024, 4096, 16384, 65536),
    terrains: tuple[Literal["flat", "rough", "stairs"], ...] = ("flat", "rough"),
    steps: Count = 40,
    repeats: Count = 5,
    policy: Path | None = None,
    walk: Count = 1000,
) -> Page:
    """Return the tables.

    Args:
        device: "cpu" or "cuda:0".
        num_envs: Numbers of simulations.
        terrains: Names of grounds.
        steps: Of a repeat.
        repeats: Of a measurement.
        policy: Folder of a policy whose walk is compared; none by default.
        walk: Steps that it walks.
    """
    import torch

    where = torch.cuda.get_device_name(device) if device != "cpu" else "the processor"
    rows = [row(device, terrain, n, steps, repeats) for terrain in terrains for n in num_envs]
    parts: list[Table | str] = [f"{NAME} on {where}.", Table(HEAD, rows)]
    if policy:
        parts.append(f"The policy of `{'/'.join(policy.parts[-3:])}`, {walk} steps from starts of one distribution:")
        parts.append(compared(device, policy, min(num_envs), walk))
    return Page(*parts)
