"""One self-contained HTML page of a recorded run: the robot in 3-D with a player, to be opened by any browser.

Uses viser (the extra `view`): what MuJoCo draws becomes meshes once, and the record moves them.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import mujoco
import numpy as np
import xarray as xr

from tarsus.analytic import saving
from tarsus.mjcf.look import PARTS
from tarsus.scripts.views.rendering import qpos_of, rows_at

INSTALL_VIEW = "The page of a run needs viser; to install it: pip install 'tarsus[view]'"
FPS = 30  # positions per second
GROUND_MARGIN = 1.5  # of the drawn ground around the path [m]
MESH = 0.05  # between points of the drawn ground, at least [m]
MOST_POINTS = 121  # of it along x or y


def write_page(record: xr.Dataset, model: mujoco.MjModel, terrain, path: Path | str) -> None:
    """Write the page.

    Args:
        record: The record.
        model: The model it ran on, for the shapes.
        terrain: The ground.
        path: The file.

    Raises:
        ImportError: If viser is not installed; the sentence says how.
    """
    try:
        import viser
    except ImportError as error:
        raise ImportError(INSTALL_VIEW) from error
    with _quiet():
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        server.scene.set_up_direction("+z")
        _add_ground(server.scene, record, terrain)
        parts = _add_parts(server.scene, model)
        _look(server, record)
        serializer = server.get_scene_serializer()
        data = mujoco.MjData(model)
        for row in rows_at(record, FPS):
            data.qpos[:] = qpos_of(record, row)
            mujoco.mj_kinematics(model, data)
            for handle, kind, number in parts:
                handle.position, handle.wxyz = _pose(data, kind, number)
            serializer.insert_sleep(1 / FPS)
        saving.write_text(path, serializer.as_html())
    finally:
        with _quiet():
            server.stop()


@contextlib.contextmanager
def _quiet():
    """Keep the server's greetings off the terminal: nobody can visit it."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _look(server, record: xr.Dataset) -> None:
    middle = record["body_position"].values[len(record["time"]) // 2]
    server.initial_camera.position = tuple(middle + (2.2, -1.4, 1.1))
    server.initial_camera.look_at = tuple(middle)


def _add_ground(scene, record: xr.Dataset, terrain) -> None:
    """Add the terrain's surface around the path, as a mesh, with a wire net that shows motion."""
    path = record["body_position"].values[:, :2]
    low, high = path.min(axis=0) - GROUND_MARGIN, path.max(axis=0) + GROUND_MARGIN
    spacing = max(MESH, float(np.max(high - low)) / (MOST_POINTS - 1))
    x, y = (np.arange(low[k], high[k] + spacing, spacing) for k in range(2))
    grid = np.stack(np.broadcast_arrays(x[None, :], y[:, None], terrain.grid(x, y)), axis=-1)  # (n_y, n_x, 3)
    n = len(x)
    corner = (np.arange(n - 1) + n * np.arange(len(y) - 1)[:, None]).ravel()
    lower, upper = [corner, corner + 1, corner + n], [corner + 1, corner + n + 1, corner + n]
    faces = np.concatenate([np.stack(lower, axis=1), np.stack(upper, axis=1)])
    vertices = grid.reshape(-1, 3).astype(np.float32)
    scene.add_mesh_simple("/ground", vertices, faces, color=(120, 132, 138), side="double", flat_shading=True)
    net = grid[::4, ::4] + (0, 0, 2e-3)
    along_x, along_y = np.stack([net[:, :-1], net[:, 1:]], 2), np.stack([net[:-1], net[1:]], 2)
    segments = np.concatenate([along_x.reshape(-1, 2, 3), along_y.reshape(-1, 2, 3)]).astype(np.float32)
    scene.add_line_segments("/net", segments, colors=(80, 92, 98))


def _add_parts(scene, model: mujoco.MjModel) -> list[tuple[object, str, int]]:
    """Add the robot's boxes and balls, geoms and drawn sites, and its feet; return handle, kind and number of each."""
    added = []
    for kind, skip in (("geom", np.zeros(model.ngeom, bool)), ("site", model.site_group != PARTS)):
        body, shape, size, material, colors = (
            getattr(model, f"{kind}_{field}") for field in ("bodyid", "type", "size", "matid", "rgba")
        )
        for k in np.flatnonzero(~(skip | (body == 0) | (model.body_mocapid[body] >= 0))):  # not the ground, its patches
            color, name = _color(model, material[k], colors[k]), f"/robot/{kind}/{getattr(model, kind)(int(k)).name}"
            if shape[k] == mujoco.mjtGeom.mjGEOM_BOX:
                added.append((scene.add_box(name, dimensions=tuple(2 * size[k]), color=color), kind, k))
            elif shape[k] == mujoco.mjtGeom.mjGEOM_SPHERE:
                radius = max(size[k, 0], 0.008)  # toes are points
                added.append((scene.add_icosphere(name, radius=radius, color=color), kind, k))
    return added + _add_rigid_skins(scene, model)


def _add_rigid_skins(scene, model: mujoco.MjModel) -> list[tuple[object, str, int]]:
    """Add the skins on a single bone, which are given in the frame of its body."""
    added = []
    for skin in (model.skin(k) for k in np.flatnonzero(model.skin_bonenum == 1)):
        vertices = model.skin_vert[skin.vertadr[0] :][: skin.vertnum[0]]
        faces = model.skin_face[skin.faceadr[0] :][: skin.facenum[0]]
        color = _color(model, skin.matid[0], skin.rgba)
        handle = scene.add_mesh_simple(f"/robot/skin/{skin.name}", vertices, faces, color=color, side="double")
        added.append((handle, "body", model.skin_bonebodyid[skin.boneadr[0]]))
    return added


def _color(model: mujoco.MjModel, material: int, rgba: np.ndarray) -> tuple[int, ...]:
    return tuple(int(255 * c) for c in (model.mat_rgba[material] if material >= 0 else rgba)[:3])


def _pose(data: mujoco.MjData, kind: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return position and quaternion of a geom, a site or a body."""
    position, turn = {
        "geom": (data.geom_xpos, data.geom_xmat),
        "site": (data.site_xpos, data.site_xmat),
        "body": (data.xpos, data.xmat),
    }[kind]
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, turn[number])
    return position[number].copy(), quat
