"""Which devices there are, and whether environments have room on one."""

from __future__ import annotations

import torch

BYTES, BYTES_CURVED = 40_000, 320_000  # of memory that a simulation takes on a GPU, on planes and on curved ground


def check(task, num_envs: int) -> None:
    """Refuse a device that there is not, or one with too little memory."""
    device, known = task.config.device, ["cpu", *(f"cuda:{k}" for k in range(torch.cuda.device_count()))]
    if device not in known:
        raise ValueError(f"device {device!r}: PyTorch finds {', '.join(known)}")
    if device == "cpu":
        return
    free, needed = torch.cuda.mem_get_info(device)[0], num_envs * (BYTES_CURVED if task.patches else BYTES)
    if needed > free:
        raise ValueError(f"{num_envs} simulations need {needed / 1e9:.1f} GB, {device} has {free / 1e9:.1f} GB free")
