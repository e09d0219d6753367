"""How the hopping leg looks: post, boom, thigh and shank as capsules that weigh nothing and touch nothing."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams
from .look import _look_at

_VISUAL = dict(type=mujoco.mjtGeom.mjGEOM_CAPSULE, contype=0, conaffinity=0, group=1)


def add_boom_look(spec: mujoco.MjSpec, body, name: str, params: HoppingLegParams) -> None:
    """Draw the post, or the boom and what stands out from it to the hip."""
    if name == "post":
        body.add_geom(name="post", fromto=(0, 0, -params.HB, 0, 0, 0), size=(0.02, 0, 0), material="dark", **_VISUAL)
        return
    tip = (params.LB, 0, 0)
    hip = (params.LB, params.DB, 0)
    body.add_geom(name="boom", fromto=(0, 0, 0, *tip), size=(0.012, 0, 0), material="tripod_b", **_VISUAL)
    body.add_geom(name="bracket", fromto=(*tip, *hip), size=(0.02, 0, 0), material="dark", **_VISUAL)


def add_leg_look(spec: mujoco.MjSpec, body, name: str, params: HoppingLegParams) -> None:
    """Draw thigh or shank; the thigh carries the cameras and the lamp."""
    length, radius = (params.LH, 0.018) if name == "thigh" else (params.shank, 0.012)
    body.add_geom(name=name, fromto=(0, 0, 0, 0, 0, -length), size=(radius, 0, 0), material="plate", **_VISUAL)
    if name == "thigh":
        for camera, pos in (("follow", (1.1, -0.7, 0.35)), ("side", (1.5, 0.0, 0.0))):
            body.add_camera(name=camera, mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK, pos=pos, **_look_at(pos))
        spec.worldbody.add_light(name="lamp", pos=(0, 0, 3.0), dir=(0, 0, -1), diffuse=(0.6, 0.6, 0.6), castshadow=True)
        above = np.array((0.0, -2.6, 1.9))
        spec.worldbody.add_camera(name="overview", pos=above, **_look_at(above))
