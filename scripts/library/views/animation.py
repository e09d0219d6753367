"""A moving picture of a run: a window that follows it while it is computed, or a video of the same frames."""

import contextlib
import time
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic.terrain import Terrain
from tarsus.scripts.library.views.rendering import film_writer

FEET = {
    "feet_on_ground": {"color": "tab:red", "marker": "o", "linestyle": "", "markersize": 6},
    "feet_in_air": {"color": "white", "marker": "o", "linestyle": "", "markersize": 6, "markeredgecolor": "black"},
}


class View:
    """Draws the lines of a hybrid model over a chequered ground, in a window or into a video.

    Args:
        model: A hybrid model with `lines`.
        params: Its parameters, as it runs, shape (n_params,).
        view: The symbols grid_xsize, grid_ysize [m], grid_xsteps, grid_ysteps, and framerate.
        ground: The terrain to draw.
        half_width: Half the width of the picture [m].
        video: Its file; None is a window.

    Raises:
        ValueError: If the model has no lines to draw.
        RuntimeError: If a window is asked for and there is no display.
    """

    def __init__(
        self, model: Any, params: np.ndarray, view: dict, ground: Terrain, half_width: float, video: Path | None = None
    ) -> None:
        if "lines" not in model.hooks:
            raise ValueError(f"model {model.name} has no lines to draw")
        import matplotlib

        if video is not None:
            matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        if video is None and plt.get_backend().lower() in ("agg", "pdf", "svg", "ps", "cairo", "template"):
            raise RuntimeError("there is no display for a window; a video needs none")
        self.lines, self.params, self.grid = model.hooks["lines"], params, view
        self.ground, self.half_width = ground, half_width
        framerate = view["framerate"]
        self.period = 1.0 / framerate
        self.figure = plt.figure(figsize=(8, 4.5), dpi=100)
        self.axes = self.figure.add_subplot(projection="3d")
        self.axes.view_init(elev=12, azim=-75)
        for axis, bins in (("x", 5), ("y", 2), ("z", 4)):  # y is seen from its end: more labels would overlap
            self.axes.locator_params(axis=axis, nbins=bins)
        self.axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
        self.plt = plt
        self.curves: dict[str, Any] = {}
        self.surface: Any = None
        self.shown = time.monotonic()
        self.append, self.film = None, contextlib.ExitStack()
        if video is not None:
            # The same speed as the run, at most 60 pictures a second.
            self.skip = max(1, round(framerate / 60.0))
            fps = framerate / self.skip
            self.append = self.film.enter_context(film_writer(video, fps, macro_block_size=1))
        else:
            plt.ion()
            plt.show(block=False)
        self.count = 0

    def _draw_ground(self, cx: float, cy: float) -> float:
        """Draw the squares in view (Matplotlib does not clip in three dimensions); return the height there."""
        cells = []
        for centre, half, axis in ((cx, self.half_width, "x"), (cy, self.half_width * 2 / 3, "y")):
            size = self.grid[f"grid_{axis}size"] / self.grid[f"grid_{axis}steps"]
            cells.append((np.arange(np.ceil((centre - half) / size), np.floor((centre + half) / size) + 1), size))
        (columns, width), (rows, depth) = cells
        dark = np.add.outer(rows[:-1], columns[:-1]) % 2
        colors = np.where(dark[..., None] > 0, (0.333, 0.420, 0.184), (0.235, 0.702, 0.443))
        gx, gy = np.meshgrid(columns * width, rows * depth)
        if self.surface is not None:
            self.surface.remove()
        self.surface = self.axes.plot_surface(
            gx, gy, self.ground.height(gx, gy), facecolors=colors, rstride=1, cstride=1, shade=False, zorder=0
        )
        return float(self.ground.height(cx, cy))

    def __call__(self, t: float, x: np.ndarray, d: np.ndarray, chart: int) -> bool:
        """Show one moment; return True (stop the run) if the window has been closed."""
        self.count += 1
        if self.append is not None and (self.count - 1) % self.skip:
            return False
        shapes = self.lines(t, x, d, self.params, chart)
        for name, points in shapes.items():
            if name not in self.curves:
                look = FEET.get(name, {"color": "black", "linewidth": 2.0})
                (self.curves[name],) = self.axes.plot(*points.T, zorder=10, **look)
            self.curves[name].set_data_3d(*points.T)
        cx, cy, _ = np.concatenate(list(shapes.values())).mean(axis=0)
        floor, side = self._draw_ground(cx, cy), 2 / 3 * self.half_width
        self.axes.set(xlim=(cx - self.half_width, cx + self.half_width), ylim=(cy - side, cy + side))
        self.axes.set(zlim=(floor - 0.05 * self.half_width, floor + 0.95 * self.half_width))
        self.axes.set_box_aspect((3, 2, 1.5), zoom=1.4)
        self.axes.set_title(f"t = {t:.2f} s")
        if self.append is not None:
            self.figure.canvas.draw()
            self.append(np.asarray(self.figure.canvas.buffer_rgba())[..., :3])
            return False
        wait = self.shown + self.period - time.monotonic()
        self.plt.pause(max(wait, 1e-3))
        self.shown = time.monotonic()
        return not self.plt.fignum_exists(self.figure.number)

    def close(self) -> None:
        """Finish the video, or leave the window to itself; OSError if the video could not be written whole."""
        self.film.close()
        self.plt.close(self.figure)
