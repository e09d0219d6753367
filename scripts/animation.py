"""A moving picture of a run: a window that follows it while it is computed, or a video of the same frames."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np


class View:
    """Draws a model's lines over a chequered ground.

    Args:
        model: A hybrid model with `lines`.
        params: Its parameters, as it runs, shape (n_params,).
        grid: The symbols grid_xsize, grid_ysize [m], grid_xsteps and grid_ysteps.
        framerate: Pictures per second of simulated time.
        video: Write them to this file instead of a window.

    Raises:
        ValueError: If the model has no lines to draw.
        RuntimeError: If a window is asked for and there is no display.
    """

    def __init__(self, model: Any, params: np.ndarray, grid: dict, framerate: float, video: Path | None = None) -> None:
        if "lines" not in model.hooks:
            raise ValueError(f"model {model.name} has no lines to draw")
        import matplotlib

        if video is not None:
            matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        if video is None and plt.get_backend().lower() in ("agg", "pdf", "svg", "ps", "cairo", "template"):
            raise RuntimeError("there is no display for a window")
        self.lines, self.params, self.grid = model.hooks["lines"], params, grid
        self.period = 1.0 / framerate
        self.figure = plt.figure(figsize=(8, 4.5), dpi=100)
        self.axes = self.figure.add_subplot(projection="3d")
        self.axes.view_init(elev=12, azim=-75)
        self.plt = plt
        self.curves: dict[str, Any] = {}
        self.shown = time.monotonic()
        self.writer = None
        if video is not None:
            import imageio

            # The same speed as the run, at most 60 pictures a second.
            self.skip = max(1, round(framerate / 60.0))
            fps = framerate / self.skip
            pace = {"duration": 1000.0 / fps} if video.suffix == ".gif" else {"fps": fps, "macro_block_size": 1}
            self.writer = imageio.get_writer(video, **pace)
        else:
            plt.ion()
            plt.show(block=False)
        self.count = 0
        self._draw_ground()

    def _draw_ground(self) -> None:
        nx, ny = int(self.grid["grid_xsteps"]), int(self.grid["grid_ysteps"])
        # The first metre lies behind the start, as on SimSect's platform.
        x = np.linspace(0.0, self.grid["grid_xsize"], nx + 1) - 1.0
        y = np.linspace(-0.5, 0.5, ny + 1) * self.grid["grid_ysize"]
        dark = (np.add.outer(np.arange(ny), np.arange(nx)) % 2).astype(float)
        colors = np.where(dark[..., None] > 0, (0.333, 0.420, 0.184), (0.235, 0.702, 0.443))
        gx, gy = np.meshgrid(x, y)
        self.axes.plot_surface(
            gx, gy, np.zeros_like(gx), facecolors=colors, rstride=1, cstride=1, shade=False, zorder=0
        )

    def __call__(self, t: float, x: np.ndarray, d: np.ndarray, chart: int) -> bool:
        """Show one moment; return True (stop the run) if the window has been closed."""
        self.count += 1
        if self.writer is not None and (self.count - 1) % self.skip:
            return False
        for name, points in self.lines(t, x, d, self.params, chart).items():
            if name not in self.curves:
                (self.curves[name],) = self.axes.plot(*points.T, color="black", linewidth=1.5, zorder=10)
            self.curves[name].set_data_3d(*points.T)
        self.axes.set(xlim=(x[0] - 1.5, x[0] + 1.5), ylim=(-1.0, 1.0), zlim=(0.0, 1.5))
        self.axes.set_box_aspect((3, 2, 1.5), zoom=1.4)
        self.axes.set_title(f"t = {t:.2f} s")
        if self.writer is not None:
            self.figure.canvas.draw()
            self.writer.append_data(np.asarray(self.figure.canvas.buffer_rgba())[..., :3])
            return False
        wait = self.shown + self.period - time.monotonic()
        self.plt.pause(max(wait, 1e-3))
        self.shown = time.monotonic()
        return not self.plt.fignum_exists(self.figure.number)

    def close(self) -> None:
        """Finish the video, or leave the window to itself."""
        if self.writer is not None:
            self.writer.close()
        self.plt.close(self.figure)
