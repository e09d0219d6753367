"""A model and many states of it in MuJoCo Warp; on the processor NumPy sees the arrays without a copy."""

import copy
from collections.abc import Callable
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import torch
import warp as wp

from ...mjcf.compile import BODY_FIELDS, FIELDS
from ..warp_refusals import feet_of, is_speculative
from .speculative import GAP, contact_filter

BYTES, BYTES_CURVED = 40_000, 320_000  # of memory that a simulation takes on a GPU, on planes and on curved ground
STATE = ("qpos", "qvel", "qacc_warmstart", "mocap_pos", "mocap_quat")  # what a step begins with, besides controls
# What robots, and planes under them, differ in, except in pictures; and what MuJoCo derives from that.
OWN = (*(f"body_{name}" for name in BODY_FIELDS), *(name for name in FIELDS if name != "skin_vert"), "geom_friction")
OWN += ("geom_pos", "geom_quat", "body_subtreemass", "body_invweight0", "dof_invweight0")
NO_ROOM = mjw.OverflowType.NEFC | mjw.OverflowType.BROADPHASE | mjw.OverflowType.NARROWPHASE
NO_ROOM |= mjw.OverflowType.CCD | mjw.OverflowType.HFIELD


def check_device(task, num_envs: int) -> None:
    """Refuse a device that there is not, or one with too little memory."""
    device, known = task.config.device, ["cpu", *(f"cuda:{k}" for k in range(torch.cuda.device_count()))]
    if device not in known:
        raise ValueError(f"device {device!r}: PyTorch finds {', '.join(known)}")
    if device == "cpu":
        return
    free, needed = torch.cuda.mem_get_info(device)[0], num_envs * (BYTES_CURVED if task.patches else BYTES)
    if needed > free:
        raise ValueError(f"{num_envs} simulations need {needed / 1e9:.1f} GB, {device} has {free / 1e9:.1f} GB free")


def taken(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a copy of a model as Warp takes it: without MuJoCo's flag of speculative contacts, with gaps instead."""
    model, speculative = copy.copy(model), is_speculative(model)
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
    if speculative:
        model.geom_gap[feet_of(model)] = GAP
    return model


def room(model: mujoco.MjModel) -> dict[str, int]:
    """Return for how many contacts and rows of constraints a world needs room; seven and 21 were the hexapod's most.

    A height field meets a body in many points: the most were 44 and 132 on stairs, with the body down.
    """
    n_feet = len(feet_of(model))
    contacts = max(16, 2 * n_feet + 4) if model.nhfield == 0 else max(48, 8 * n_feet)
    limits = int(model.jnt_limited.sum() + model.tendon_limited.sum())
    return {"nconmax": contacts, "njmax": 3 * contacts + 6 * model.neq + limits}


def numbers_of(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Return the numbers in which a world's own model differs, by name."""
    return {name: getattr(model, name) for name in OWN} | {"gravity": model.opt.gravity}


def fixed(model: mujoco.MjModel) -> np.ndarray:
    """Return the geoms that do not move, indices; Warp computes once, for all worlds, where they are."""
    return np.flatnonzero(model.geom_bodyid == 0)


def still_of(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Return places of the geoms that do not move, shape (k, 3), and their rotations, (k, 3, 3)."""
    geoms = fixed(model)
    turned = np.zeros((len(geoms), 9))
    for matrix, quat in zip(turned, model.geom_quat[geoms], strict=True):
        mujoco.mju_quat2Mat(matrix, quat)
    return {"geom_xpos": model.geom_pos[geoms], "geom_xmat": turned.reshape(-1, 3, 3)}


class Worlds:
    """The states of n simulations of a model in MuJoCo Warp.

    Args:
        model: MuJoCo's model.
        n: How many.
        own: Whether each has a robot, or a plane, of its own.
        device: Where they are, as Warp names it.
        view: What shows an array of Warp's without a copy.

    Attributes:
        arrays: Warp's arrays by name, views, each of shape (n, ...), of float32.
        own: Of the models, what differs between worlds, so.
        still: Where geoms are and how they are turned, so.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        n: int,
        own: bool,
        device: str = "cpu",
        view: Callable[[wp.array], Any] = wp.array.numpy,
    ):
        mine, self.device = taken(model), device
        wp.config.log_level = max(wp.config.log_level, wp.LOG_WARNING)  # else a line for each of 100 kernels
        with wp.ScopedDevice(device):
            self._model = mjw.put_model(mine, batch_sizes=dict.fromkeys(OWN, n) if own else None)
            self._data = mjw.make_data(mine, nworld=n, **room(mine))
            if own:
                self._model.opt.gravity = wp.array(np.tile(mine.opt.gravity, (n, 1)), dtype=wp.vec3)
        self._model.opt.warn_overflow = 0  # it prints; see `overflowed`
        if is_speculative(model):
            self._model.callback.contactfilter = contact_filter
        names = (*STATE, "ctrl", "sensordata", "site_xpos", "overflow")
        self.arrays = {name: view(getattr(self._data, name)) for name in names}
        self.own = {name: view(getattr(self._model, name)) for name in OWN} if own else {}
        if own:
            self.own |= {"gravity": view(self._model.opt.gravity)}
        self.still = {name: view(getattr(self._data, name)) for name in ("geom_xpos", "geom_xmat")}

    def become(self, world: int, model: mujoco.MjModel) -> None:
        """Give a world the numbers of its own model."""
        for name, value in numbers_of(model).items():
            row = self.own[name][world]
            row[...] = value.reshape(row.shape)
        for name, value in still_of(model).items():
            self.still[name][world][fixed(model)] = value

    def step(self, controls: wp.array | None = None) -> None:
        """Step all worlds, by controls of shape (n, nu) if they are not in `arrays` already."""
        with wp.ScopedDevice(self.device):
            if controls is not None:
                wp.copy(self._data.ctrl, controls)
            mjw.step(self._model, self._data)

    def full(self) -> Any:
        """Return a mask of the worlds that had no room for all contacts since this was last asked, shape (n,)."""
        found = (self.arrays["overflow"] & int(NO_ROOM)) != 0
        self.arrays["overflow"][:] = 0
        return found
