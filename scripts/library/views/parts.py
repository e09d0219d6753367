"""What MuJoCo draws of a robot, in a scene of viser: boxes, balls, rods, feet and the struts of sprung legs.

`add_parts` puts it there once, and returns what moves it to the state of the simulation.
"""

from collections.abc import Callable, Iterator

import mujoco
import numpy as np

from tarsus.mjcf.look import HIDDEN, PARTS
from tarsus.mjcf.strut import revolve

Mover = Callable[[mujoco.MjData], None]
SMALLEST_BALL = 0.008  # [m]; toes are points
ROUND = np.linspace(0.0, np.pi / 2, 4)  # of a capsule's end


def add_parts(scene, model: mujoco.MjModel) -> list[Mover]:
    """Add the robot to a viser scene; return functions that move its parts to where a state has them.

    What belongs to the world or to moving ground is left out.
    """
    return [*_shapes(scene, model, "geom"), *_shapes(scene, model, "site"), *_feet(scene, model), *_legs(scene, model)]


def rod(radius: float, half_length: float, rounded: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) [m] and triangles (m, 3) of a rod along z, with half-spheres at its ends if rounded."""
    end = np.column_stack([np.sin(ROUND), np.cos(ROUND)]) if rounded else np.array([(0.0, 1.0), (0.0, 0.0)])
    rings = radius * end + (half_length, 0.0)  # height and radius of each, from the end's foot to its tip
    return revolve(np.concatenate([rings[::-1] * (-1.0, 1.0), rings]))


def strut(model: mujoco.MjModel, skin: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a sprung leg as a mesh on two bones that both turn with the toe: one at the toe, one at the hip.

    MuJoCo's skin (`tarsus.mjcf.strut`) has five bones, and scenes take four; the four of the torso stand for the hip.

    Returns:
        Vertices in the frame of their bones (n, 3) [m], weights of toe and hip (n, 2),
        and the hip in the torso's frame [m].
    """
    view = model.skin(skin)
    start, count = view.vertadr[0], view.vertnum[0]
    bone = view.boneadr[0]
    at_toe = np.zeros(count)
    of_toe = slice(model.skin_bonevertadr[bone], model.skin_bonevertadr[bone] + model.skin_bonevertnum[bone])
    at_toe[model.skin_bonevertid[of_toe]] = model.skin_bonevertweight[of_toe]
    vertices = at_toe[:, None] * model.skin_vert[start : start + count]
    return vertices, np.column_stack([at_toe, 1.0 - at_toe]), -model.skin_bonebindpos[bone + 1]


def _shapes(scene, model: mujoco.MjModel, kind: str) -> Iterator[Mover]:
    """Add boxes, balls, cylinders and capsules, geoms or the sites that are drawn."""
    body, shape, size, material, colors = (
        getattr(model, f"{kind}_{field}") for field in ("bodyid", "type", "size", "matid", "rgba")
    )
    drawn = (body > 0) & (model.body_mocapid[body] < 0)  # not the ground, its patches
    drawn &= model.site_group == PARTS if kind == "site" else model.geom_group != HIDDEN
    for k in np.flatnonzero(drawn):
        look = {"color": _color(model, material[k], colors[k])}
        name = f"/robot/{kind}/{getattr(model, kind)(int(k)).name}"
        match mujoco.mjtGeom(shape[k]):
            case mujoco.mjtGeom.mjGEOM_BOX:
                handle = scene.add_box(name, dimensions=tuple(2 * size[k]), **look)
            case mujoco.mjtGeom.mjGEOM_SPHERE:
                handle = scene.add_icosphere(name, radius=max(size[k, 0], SMALLEST_BALL), **look)
            case mujoco.mjtGeom.mjGEOM_CYLINDER | mujoco.mjtGeom.mjGEOM_CAPSULE as form:
                mesh = rod(*size[k, :2], rounded=form == mujoco.mjtGeom.mjGEOM_CAPSULE)
                handle = scene.add_mesh_simple(name, *mesh, side="double", **look)
            case _:
                continue
        yield _mover(handle, f"{kind}_xpos", f"{kind}_xmat", k)


def _feet(scene, model: mujoco.MjModel) -> Iterator[Mover]:
    """Add the skins on a single bone, which are given in the frame of its body."""
    for k in np.flatnonzero(model.skin_bonenum == 1):
        skin = model.skin(k)
        vertices = model.skin_vert[skin.vertadr[0] :][: skin.vertnum[0]]
        handle = scene.add_mesh_simple(f"/robot/skin/{skin.name}", vertices, _faces(model, k), **_skin_look(model, k))
        yield _mover(handle, "xpos", "xmat", model.skin_bonebodyid[skin.boneadr[0]])


def _legs(scene, model: mujoco.MjModel) -> Iterator[Mover]:
    """Add the skins of struts, which get longer and shorter."""
    for k in np.flatnonzero(model.skin_bonenum == 5):
        vertices, weights, hip = strut(model, k)
        toe, torso = model.skin_bonebodyid[model.skin_boneadr[k] :][:2]
        handle = scene.add_mesh_skinned(
            f"/robot/skin/{model.skin(k).name}", vertices, _faces(model, k), skin_weights=weights,
            bone_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)), bone_positions=np.zeros((2, 3)), **_skin_look(model, k),
        )  # fmt: skip

        def move(data, bones=handle.bones, toe=toe, torso=torso, hip=hip):
            at_hip = data.xpos[torso] + data.xmat[torso].reshape(3, 3) @ hip
            for bone, position in zip(bones, (data.xpos[toe], at_hip), strict=True):
                bone.position, bone.wxyz = position.copy(), data.xquat[toe].copy()

        yield move


def _mover(handle, position: str, turn: str, number: int) -> Mover:
    """Return a function that moves a part to the pose of that number in arrays of the simulation's data."""

    def move(data: mujoco.MjData) -> None:
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, getattr(data, turn)[number])
        handle.position, handle.wxyz = getattr(data, position)[number].copy(), quat

    return move


def _faces(model: mujoco.MjModel, skin: int) -> np.ndarray:
    return model.skin_face[model.skin_faceadr[skin] :][: model.skin_facenum[skin]]


def _skin_look(model: mujoco.MjModel, skin: int) -> dict:
    return {"color": _color(model, model.skin_matid[skin], model.skin_rgba[skin]), "side": "double"}


def _color(model: mujoco.MjModel, material: int, rgba: np.ndarray) -> tuple[int, ...]:
    return tuple(int(255 * c) for c in (model.mat_rgba[material] if material >= 0 else rgba)[:3])
