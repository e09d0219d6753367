"""A moving picture of a leg's record: the leg in its scene, beside it the run's history under a cursor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from tarsus.scripts.library.views.rendering import film_writer, rows_at

HISTORY = (
    ("foot_force", np.s_[:, 0, 2], "vertical force [N]"),
    ("torque", np.s_[:], "torque, hip and knee [N m]"),
)


class Picture(ABC):
    """A figure of either engine's record, one row at a time; its axes `scene` have the leg."""

    projection: ClassVar[str | None] = None  # of the scene, as Matplotlib calls it
    height: ClassVar[tuple[str, str]]  # the place whose height the history begins with, and its label

    def __init__(self, record: xr.Dataset, experiment: Any) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.record, self.params, self.ground = record, experiment.params, experiment.ground
        self.time, self.foot = record["time"].values, record["foot_position"].values[:, 0]
        self.figure = Figure((11, 5), layout="constrained")
        self._canvas = FigureCanvasAgg(self.figure)
        grid = self.figure.add_gridspec(3, 2, width_ratios=(1.3, 1))
        self.scene = self.figure.add_subplot(grid[:, 0], projection=self.projection)
        place, label = self.height
        self._cursors = []
        for k, (name, part, words) in enumerate([(place, np.s_[:, 2], label), *HISTORY]):
            axis = self.figure.add_subplot(grid[k, 1])
            axis.plot(self.time, record[name].values[part], lw=0.8)
            axis.set_ylabel(words, fontsize=8)
            axis.margins(x=0)
            self._cursors.append(axis.axvline(self.time[0], color="C3", lw=1))
        axis.set_xlabel("time [s]")
        self.set_the_scene()

    @abstractmethod
    def set_the_scene(self) -> None:
        """Draw what stays, and make the curves that move."""

    @abstractmethod
    def draw(self, row: int) -> str:
        """Move the curves of the scene to a row; return what is said of it."""

    def update(self, row: int) -> None:
        """Draw one row of the record."""
        for cursor in self._cursors:
            cursor.set_xdata([self.time[row]] * 2)
        self.scene.set_title(f"t = {self.time[row]:.2f} s, {self.draw(row)}", fontsize=10)

    def film(self, path: Path, fps: float = 30.0, speed: float = 1.0) -> int:
        """Write a video, `speed` > 1 faster than real time; return its number of frames."""
        rows = rows_at(self.record, fps, speed)
        self.figure.set_layout_engine("none")
        with film_writer(path, fps, macro_block_size=2) as append:
            for row in rows:
                self.update(int(row))
                self._canvas.draw()
                append(np.asarray(self._canvas.buffer_rgba())[..., :3])
        return len(rows)
