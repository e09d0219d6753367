"""MuJoCo Warp on its device "cpu", for the contact suite. Needs mujoco, mujoco-warp, warp-lang and numpy.

The model is that of MuJoCo's adapter, whose `Simulation` also writes controls and reads contacts: a step begins with
what `MjData` holds, and ends in it. It computes in single precision. A step takes 10 ms there, whatever the case: it
is made for thousands of worlds on a GPU, and costs say nothing about it.
"""

from __future__ import annotations

import mujoco
import mujoco_warp
import numpy as np
import warp as wp

from . import mujoco as in_mujoco

NAME = "MuJoCo Warp"
STATE = ("qpos", "qvel", "qacc_warmstart", "ctrl", "xfrc_applied")
wp.config.log_level = wp.LOG_WARNING
wp.config.enable_backward = False  # nobody asks for derivatives, and they double what is compiled
SETTINGS = {
    "defaults": {},
    "stiff": in_mujoco.SETTINGS["stiff"],
    "stiff 4 ms": in_mujoco.SETTINGS["stiff 4 ms"],
}


def version() -> str:
    return mujoco_warp.__version__


class Simulation(in_mujoco.Simulation):
    """A case in MuJoCo Warp; NotImplementedError says what of it that cannot represent."""

    def __init__(self, case: dict, setting: dict) -> None:
        super().__init__(case, setting)
        mujoco.mj_forward(self.model, self.data)
        with wp.ScopedDevice("cpu"):
            self.warp_model = mujoco_warp.put_model(self.model)
            self.warp_data = mujoco_warp.put_data(self.model, self.data, nconmax=512, njmax=2048)

    def advance(self) -> None:
        """Let Warp step from what `data` holds, and read the result into it."""
        for name in STATE:
            array = getattr(self.warp_data, name).numpy()
            array[0] = np.reshape(getattr(self.data, name), array[0].shape)
        with wp.ScopedDevice("cpu"):
            mujoco_warp.step(self.warp_model, self.warp_data)
        mujoco_warp.get_data_into(self.data, self.model, self.warp_data)

    def _forces(self) -> np.ndarray:
        """Return the forces of the last step from Warp's own rows: those in `data` are of other contacts."""
        forces, data = np.zeros((len(self.case["contacts"]), 3)), self.warp_data
        n = int(data.nacon.numpy()[0])
        with wp.ScopedDevice("cpu"):
            wrench = wp.zeros(max(n, 1), dtype=wp.spatial_vector)
            mujoco_warp.contact_force(self.warp_model, data, wp.array(np.arange(n), dtype=int), True, wrench)
        for geoms, force in zip(data.contact.geom.numpy()[:n].tolist(), wrench.numpy()[:n, :3], strict=True):
            found = self.pairs.get(tuple(geoms))
            if found:
                forces[found[0]] -= found[1] * force
        return forces
