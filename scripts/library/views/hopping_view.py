"""A moving picture of a hopping leg's record: boom, leg, ground force, traces of hip and foot, and its history.

`Picture.film` writes a video, `Picture.update` draws one row. `hopping_live` follows a run while it is computed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.scripts.library.views.rendering import film_writer, rows_at

FPS = 30
ARROW = 0.004  # length of the drawn ground force [m/N]
STRIPS = (
    ("body_position", np.s_[:, 2], "hip height [m]"),
    ("foot_force", np.s_[:, 0, 2], "vertical force [N]"),
    ("torque", np.s_[:], "torque, hip and knee [N m]"),
)


class Picture:
    """A figure of a record.

    Args:
        record: The record of either engine.
        params: The leg.
    """

    def __init__(self, record: xr.Dataset, params: HoppingLegParams) -> None:
        import matplotlib.pyplot as plt

        self.record, self.params, self.plt = record, params, plt
        self.time = record["time"].values
        self.figure = plt.figure(figsize=(11, 5), layout="constrained")
        grid = self.figure.add_gridspec(3, 2, width_ratios=(1.3, 1))
        self.scene = self.figure.add_subplot(grid[:, 0], projection="3d")
        self.strips = [self.figure.add_subplot(grid[k, 1]) for k in range(3)]
        self.hip, self.foot = record["body_position"].values, record["foot_position"].values[:, 0]
        self._set_the_scene()

    def _knee(self, row: int) -> np.ndarray:
        """Return the knee's place, shape (3,) [m]."""
        yaw, pitch, angle, _ = self.record["joint_angle"].values[row]
        along = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        up = np.array([np.cos(yaw) * np.sin(pitch), np.sin(yaw) * np.sin(pitch), np.cos(pitch)])
        return self.hip[row] + self.params.LH * (np.sin(angle) * along - np.cos(angle) * up)

    def _set_the_scene(self) -> None:
        scene = self.scene
        (self.boom,) = scene.plot([], [], [], color="0.4", lw=2)
        (self.leg,) = scene.plot([], [], [], "o-", color="C3", lw=3, ms=4)
        (self.force,) = scene.plot([], [], [], color="C2", lw=2)
        (self.hip_trace,) = scene.plot([], [], [], color="C0", lw=0.8)
        (self.foot_trace,) = scene.plot([], [], [], color="0.6", lw=0.8)
        scene.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), zlim=(0, 0.8), xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
        scene.set_box_aspect((2.2, 2.2, 0.8))
        scene.view_init(elev=28, azim=-35)
        self.cursors = []
        for axis, (name, part, label) in zip(self.strips, STRIPS, strict=True):
            axis.plot(self.time, self.record[name].values[part], lw=0.8)
            axis.set_ylabel(label, fontsize=8)
            axis.margins(x=0)
            self.cursors.append(axis.axvline(self.time[0], color="C3", lw=1))
        self.strips[-1].set_xlabel("time [s]")

    def update(self, row: int) -> None:
        """Draw one row of the record."""
        hip, foot = self.hip[row], self.foot[row]
        for line, points in (
            (self.boom, np.array([np.zeros(3), (0.0, 0.0, self.params.HB), hip])),
            (self.leg, np.array([hip, self._knee(row), foot])),
            (self.force, np.array([foot, foot + ARROW * self.record["foot_force"].values[row, 0]])),
            (self.hip_trace, self.hip[: row + 1]),
            (self.foot_trace, self.foot[: row + 1]),
        ):
            line.set_data_3d(*points.T)
        for cursor in self.cursors:
            cursor.set_xdata([self.time[row]] * 2)
        speed = self.params.LB * float(self.record["joint_speed"].values[row, 0])
        phase = "stance" if self.record["foot_contact"].values[row, 0] else "flight"
        self.scene.set_title(f"t = {self.time[row]:.2f} s, {phase}, {speed:+.2f} m/s", fontsize=10)

    def film(self, path: Path, speed: float = 1.0) -> int:
        """Write a video; return its number of frames."""
        rows = rows_at(self.record, FPS, speed)
        self.figure.set_layout_engine("none")
        with film_writer(path, FPS, macro_block_size=2) as append:
            for row in rows:
                self.update(int(row))
                self.figure.canvas.draw()
                append(np.asarray(self.figure.canvas.buffer_rgba())[..., :3])
        return len(rows)
