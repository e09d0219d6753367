"""Appearance of the machines: sky, materials, parts without mass or contact, cameras and light."""

from __future__ import annotations

import mujoco
import numpy as np

DRAWN = dict(contype=0, conaffinity=0, group=1)  # of a geom that touches nothing


def add_look(spec: mujoco.MjSpec) -> None:
    """Add sky, materials, the mesh `c_leg`, and settings that keep rendering fast."""
    spec.visual.quality.shadowsize = 1024  # the default of 4096 and multisampling cost ten times the frame rate
    spec.visual.quality.offsamples = 0
    spec.visual.headlight.ambient = (0.35, 0.35, 0.35)
    spec.visual.headlight.diffuse = (0.45, 0.45, 0.45)
    spec.visual.global_.offwidth = 1280
    spec.visual.global_.offheight = 960
    spec.visual.map.znear = 0.01
    spec.visual.map.force = 0.005  # length of a drawn contact force [m/N]
    spec.stat.extent = 1.0
    spec.stat.center = (0, 0, 0.15)
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.75, 0.82, 0.88),
        rgb2=(0.95, 0.96, 0.97),
        width=128,
        height=768,
    )
    spec.add_material(name="plate", rgba=(0.82, 0.33, 0.16, 1), specular=0.4, shininess=0.5)
    spec.add_material(name="tripod_a", rgba=(0.93, 0.78, 0.35, 1))
    spec.add_material(name="tripod_b", rgba=(0.36, 0.62, 0.78, 1))
    spec.add_material(name="dark", rgba=(0.13, 0.14, 0.15, 1))
    vertices, faces = _c_leg()
    spec.add_mesh(
        name="c_leg",
        uservert=vertices.ravel(),
        userface=faces.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )


def _c_leg(length: float = 0.2, width: float = 0.02, thickness: float = 0.005, n: int = 12):
    """Return vertices and triangles of a curved strip: half a circle from toe (the origin) to hip (0, 0, length)."""
    arc = np.linspace(0.0, np.pi, n + 1)
    radial = np.stack([np.zeros(n + 1), np.sin(arc), -np.cos(arc)], axis=-1)  # (n + 1, 3)
    rims = [
        (0.5 * length + side_r * 0.5 * thickness) * radial + (side_x * 0.5 * width, 0, 0.5 * length)
        for side_x, side_r in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    vertices = np.stack(rims, axis=1).reshape(-1, 3)
    faces = []
    for k in range(n):
        for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
            a, b, c, d = 4 * k + a, 4 * k + b, 4 * k + 4 + b, 4 * k + 4 + a
            faces += [(a, c, b), (a, d, c)]
    end = 4 * n
    faces += [(0, 1, 2), (0, 2, 3), (end, end + 2, end + 1), (end, end + 3, end + 2)]
    return vertices.round(6), np.array(faces)


def draw_rod(body, name: str, start, end, radius: float, material: str) -> None:
    """Draw a rod between two points of a body's frame [m]."""
    kind, ends = mujoco.mjtGeom.mjGEOM_CAPSULE, (*start, *end)
    body.add_geom(name=name, type=kind, fromto=ends, size=(radius, 0, 0), material=material, **DRAWN)


def add_nose(torso, size: tuple, pos: tuple) -> None:
    """Draw the box that marks the forward direction, from its half extents and its position [m]."""
    box = mujoco.mjtGeom.mjGEOM_BOX
    torso.add_geom(name="nose", type=box, size=size, pos=pos, material="dark", contype=0, conaffinity=0)


def add_cameras(torso, follow=(1.15, -0.7, 0.55), side=(1.3, 0.0, 0.15)) -> None:
    """Add the cameras `follow` and `side`, at these positions from the body [m], and a light; they move with it."""
    track = mujoco.mjtCamLight.mjCAMLIGHT_TRACK
    torso.add_camera(name="follow", mode=track, pos=follow, **look_at(follow))
    torso.add_camera(name="side", mode=track, pos=np.subtract(side, (0, 0, 0.05)), **look_at(side))
    torso.add_light(
        name="lamp",
        mode=track,
        pos=(0.6, -0.6, 2.5),
        dir=(-0.25, 0.25, -1),
        diffuse=(0.6, 0.6, 0.6),
        castshadow=True,
    )


def look_at(position) -> dict[str, np.ndarray]:
    """Return the orientation of a camera at `position` that looks at the origin with z up."""
    back = np.asarray(position) / np.linalg.norm(position)
    right = np.cross((0, 0, 1), back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    return {"quat": quat}
