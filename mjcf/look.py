"""Appearance of the machines: sky, materials, parts without mass or contact, cameras and light.

Parts are drawn as sites, not geoms. MuJoCo's speculative contacts sweep every geom of a body that may touch something,
drawn or not: 33 of the hexapod's cost 15 % of a step in the preset `rl`.
"""

import mujoco
import numpy as np

from .kinds import BOX, CAPSULE, CYLINDER, SPHERE, TRACK

PARTS = 1  # group of what is drawn, and touches nothing
HIDDEN = 3  # group of a geom that viewers do not show unless asked: what is hit, where other parts are drawn


def add_look(spec: mujoco.MjSpec) -> None:
    """Add sky, materials, and settings that keep rendering fast."""
    add_sky(spec)
    spec.add_material(name="plate", rgba=(0.93, 0.36, 0.13, 1), specular=0.4, shininess=0.5)
    spec.add_material(name="tripod_a", rgba=(0.98, 0.76, 0.16, 1), specular=0.4, shininess=0.5)
    spec.add_material(name="tripod_b", rgba=(0.13, 0.52, 0.85, 1), specular=0.4, shininess=0.5)
    spec.add_material(name="dark", rgba=(0.15, 0.16, 0.18, 1), specular=0.5, shininess=0.6)
    spec.add_material(name="metal", rgba=(0.72, 0.74, 0.77, 1), specular=0.8, shininess=0.8)
    spec.add_material(name="battery", rgba=(0.20, 0.55, 0.35, 1))


def add_sky(spec: mujoco.MjSpec) -> None:
    """Add light, settings that keep rendering fast, and a sky where there is none."""
    spec.visual.quality.shadowsize = 1024  # the default of 4096 and multisampling cost ten times the frame rate
    spec.visual.quality.offsamples = 0
    spec.visual.headlight.ambient = (0.35, 0.35, 0.35)
    spec.visual.headlight.diffuse = (0.45, 0.45, 0.45)
    spec.visual.global_.offwidth = 1280
    spec.visual.global_.offheight = 960
    spec.visual.map.znear = 0.01
    spec.visual.map.shadowclip = 3.0  # half the width of what has shadows [m]; its edge shows as grain
    spec.visual.map.force = 0.005  # length of a drawn contact force [m/N]
    spec.stat.extent = 1.0
    spec.stat.center = (0, 0, 0.15)
    if any(texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX for texture in spec.textures):
        return
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.45, 0.66, 0.88),
        rgb2=(0.86, 0.93, 0.98),
        width=128,
        height=768,
    )


def draw_rod(body, name: str, start, end, radius: float, material: str, flat: bool = False) -> None:
    """Draw a rod with round or flat ends between two points of a body's frame [m]."""
    kind = CYLINDER if flat else CAPSULE
    body.add_site(name=name, type=kind, fromto=(*start, *end), size=(radius, 0, 0), material=material, group=PARTS)


def draw_box(body, name: str, half, pos, material: str, quat=(1, 0, 0, 0)) -> None:
    """Draw a box from its half extents [m], its position [m] and orientation in a body's frame."""
    body.add_site(name=name, type=BOX, size=half, pos=pos, quat=quat, material=material, group=PARTS)


def draw_foot(body, leg: int, at, radius: float) -> None:
    """Draw a ball that stands on a point of a body's frame [m] while the body is upright."""
    pos = np.add(at, (0, 0, radius))
    body.add_site(name=f"ball_{leg}", type=SPHERE, size=(radius, 0, 0), pos=pos, material="dark", group=PARTS)


def add_nose(torso, size: tuple, pos: tuple) -> None:
    """Draw the box that marks the forward direction, from its half extents and its position [m]."""
    draw_box(torso, "nose", size, pos, "dark")


def add_cameras(torso, follow=(0.9, -0.55, 0.42), side=(1.3, 0.0, 0.15), below=0.0) -> None:
    """Add cameras `follow` and `side`, which move with the body, and a light.

    Args:
        torso: The body.
        follow: The camera's position from where it looks [m].
        side: The other's.
        below: How far below the body `follow` looks, for a body on a long leg [m].
    """
    torso.add_camera(name="follow", mode=TRACK, pos=np.subtract(follow, (0, 0, below)), **look_at(follow))
    torso.add_camera(name="side", mode=TRACK, pos=np.subtract(side, (0, 0, 0.05)), **look_at(side))
    add_lamp(torso)


def add_lamp(body) -> None:
    """Add a light that moves with a body."""
    body.add_light(
        name="lamp",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        mode=TRACK,
        pos=(1.2, 1.0, 1.9),
        dir=(-1.2, -1.0, -1.9),  # aslant: hills have a bright and a dark side
        diffuse=(0.65, 0.65, 0.62),
        castshadow=True,
    )


def look_at(position) -> dict[str, np.ndarray]:
    """Return the orientation, `quat` (4,), of a camera at `position` (3,) that looks at the origin with z up."""
    back = np.asarray(position) / np.linalg.norm(position)
    right = np.cross((0, 0, 1), back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    return {"quat": quat}
