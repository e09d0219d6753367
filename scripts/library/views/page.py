"""One self-contained HTML page of a recorded run: the robot in 3-D with a player, to be opened by any browser.

Uses viser (the extra `view`): what MuJoCo draws becomes meshes once, and the record moves them.
"""

import contextlib
import html
import io
from pathlib import Path

import mujoco
import numpy as np
import xarray as xr

from tarsus.analytic import saving
from tarsus.analytic.compilation import extras
from tarsus.scripts.library.views.parts import add_parts
from tarsus.scripts.library.views.rendering import qpos_of, rows_at

FPS = 30  # positions per second
GROUND_MARGIN = 1.5  # of the drawn ground around the path [m]
MESH = 0.05  # between points of the drawn ground, at least [m]
DISTANCE = 5.0  # of the camera, in sizes of the robot
VIEW = np.array([0.78, -0.5, 0.38])  # from the robot to the camera
ROOT = '<div id="root"></div>'  # of viser's page
CAPTION = (
    "position:fixed;left:0;bottom:0;margin:0;padding:.5em .8em;max-width:100vw;box-sizing:border-box;z-index:9;"
    "font:14px/1.4 sans-serif;color:#222;background:#fffc;pointer-events:none"
)
MOST_POINTS = 121  # of it along x or y


def write_page(record: xr.Dataset, model: mujoco.MjModel, terrain, path: Path | str, title: str) -> None:
    """Write the page, with a line below the scene that says what it shows after the title; or ImportError of viser."""
    try:
        import viser
    except ImportError as error:
        raise ImportError(f"The page of a run needs viser: {extras.install('view')}") from error
    with _quiet():
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        server.scene.set_up_direction("+z")
        ground = _add_ground(server.scene, record, terrain)
        movers = add_parts(server.scene, model)
        body = np.array([0.0, 0.0, np.median(record["body_position"].values[:, 2])])
        size = np.linalg.norm(model.body_pos, axis=1).max()
        server.initial_camera.position = tuple(body + DISTANCE * size * VIEW)
        server.initial_camera.look_at = tuple(body)
        serializer = server.get_scene_serializer()
        data = mujoco.MjData(model)
        for row in rows_at(record, FPS):
            data.qpos[:], ground.position = followed(qpos_of(record, row))
            mujoco.mj_kinematics(model, data)
            for move in movers:
                move(data)
            serializer.insert_sleep(1 / FPS)
        saving.write_text(path, _named(serializer.as_html(), title, _caption(record)))
    finally:
        with _quiet():
            server.stop()


def followed(qpos: np.ndarray) -> tuple[np.ndarray, tuple[float, float, float]]:
    """Return a state whose robot is over the origin, where the camera looks, and where the ground is then [m]."""
    return np.concatenate([[0.0, 0.0], qpos[2:]]), (-float(qpos[0]), -float(qpos[1]), 0.0)


@contextlib.contextmanager
def _quiet():
    """Keep the server's greetings off the terminal: nobody can visit it."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _caption(record: xr.Dataset) -> str:
    seconds, path = float(record["time"][-1] - record["time"][0]), record["body_position"].values[:, :2]
    way = np.linalg.norm(path[-1] - path[0])
    return f"{seconds:.3g} s, {way:.2f} m from start to end. The view goes along: drag to turn it, scroll to zoom."


def _named(page: str, title: str, caption: str) -> str:
    """Return viser's page with a title instead of its own, and a caption that fits a phone."""
    title, caption = html.escape(title), html.escape(caption)
    line = f'<p style="{CAPTION}"><b>{title}</b> {caption}</p>'
    for place, more in (("<title>Viser</title>", f"<title>{title}</title>"), (ROOT, ROOT + line)):
        if page.count(place) != 1:
            raise RuntimeError(f"viser's page has {place} {page.count(place)} times; this works with viser 1.1")
        page = page.replace(place, more)
    return page


def _add_ground(scene, record: xr.Dataset, terrain):
    """Add the terrain's surface around the path, as a mesh, with a wire net that shows motion; return its frame."""
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
    frame = scene.add_frame("/ground", show_axes=False)
    scene.add_mesh_simple("/ground/surface", vertices, faces, color=(120, 132, 138), side="double", flat_shading=True)
    net = grid[::4, ::4] + (0, 0, 2e-3)
    along_x, along_y = np.stack([net[:, :-1], net[:, 1:]], 2), np.stack([net[:-1], net[1:]], 2)
    segments = np.concatenate([along_x.reshape(-1, 2, 3), along_y.reshape(-1, 2, 3)]).astype(np.float32)
    scene.add_line_segments("/ground/net", segments, colors=(80, 92, 98))
    return frame
