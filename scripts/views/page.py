"""One self-contained HTML page of a recorded run: the robot in 3-D with a player, to be opened by any browser.

Uses viser (the extra `view`): geoms of the MuJoCo model become meshes once, and the record moves them.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import mujoco
import numpy as np
import xarray as xr

from tarsus.analytic import saving
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
        handles = _add_geoms(server.scene, model)
        _look(server, record)
        serializer = server.get_scene_serializer()
        data = mujoco.MjData(model)
        for row in rows_at(record, FPS):
            data.qpos[:] = qpos_of(record, row)
            mujoco.mj_kinematics(model, data)
            for geom, handle in handles.items():
                handle.position, handle.wxyz = _pose(data, geom)
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


def _add_geoms(scene, model: mujoco.MjModel) -> dict[int, object]:
    """Add every geom of the robot; return its handle by number."""
    handles = {}
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] == 0 or model.body_mocapid[model.geom_bodyid[geom]] >= 0:
            continue  # the ground and its patches
        kind, size = model.geom_type[geom], model.geom_size[geom]
        material = model.geom_matid[geom]
        rgba = model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
        color, name = tuple(int(255 * c) for c in rgba[:3]), f"/robot/{model.geom(geom).name}"
        if kind == mujoco.mjtGeom.mjGEOM_BOX:
            handles[geom] = scene.add_box(name, dimensions=tuple(2 * size), color=color)
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            handles[geom] = scene.add_icosphere(name, radius=max(size[0], 0.008), color=color)  # toes are points
        elif kind == mujoco.mjtGeom.mjGEOM_MESH:
            handles[geom] = scene.add_mesh_simple(name, *_mesh(model, geom), color=color, side="double")
    return handles


def _mesh(model: mujoco.MjModel, geom: int) -> tuple[np.ndarray, np.ndarray]:
    mesh = model.mesh(model.geom_dataid[geom])
    vertices = model.mesh_vert[mesh.vertadr[0] : mesh.vertadr[0] + mesh.vertnum[0]]
    faces = model.mesh_face[mesh.faceadr[0] : mesh.faceadr[0] + mesh.facenum[0]]
    return vertices, faces


def _pose(data: mujoco.MjData, geom: int) -> tuple[np.ndarray, np.ndarray]:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, data.geom_xmat[geom])
    return data.geom_xpos[geom].copy(), quat
