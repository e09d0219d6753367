"""Appearance of the hopping leg: post, boom, thigh and shank as rods without mass or contact; its cameras."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams
from .look import add_lamp, draw_rod, look_at


def draw_link(body, params: HoppingLegParams) -> None:
    """Draw post, boom, thigh or shank, whichever the body's name is; the boom with what stands out to the hip."""
    origin, tip, hip = (0, 0, 0), (params.LB, 0, 0), (params.LB, params.DB, 0)
    rods = {
        "post": [("post", (0, 0, -params.HB), origin, 0.02, "dark")],
        "boom": [("boom", origin, tip, 0.012, "tripod_b"), ("bracket", tip, hip, 0.02, "dark")],
        "thigh": [("thigh", origin, (0, 0, -params.LH), 0.018, "plate")],
        "shank": [("shank", origin, (0, 0, 0.012 - params.shank), 0.011, "plate")],
    }
    for rod in rods[body.name]:
        draw_rod(body, *rod)


def add_views(spec: mujoco.MjSpec, thigh) -> None:
    """Add the cameras `follow` and `side`, which move with the thigh, `overview`, which is fixed, and a light."""
    for camera, pos in (("follow", (1.1, -0.7, 0.35)), ("side", (1.5, 0.0, 0.0))):
        thigh.add_camera(name=camera, mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK, pos=pos, **look_at(pos))
    add_lamp(thigh)
    above = np.array((0.0, -2.6, 1.9))
    spec.worldbody.add_camera(name="overview", pos=above, **look_at(above))
