"""Pictures of the legs: the leg in its scene, beside it the run's history under a cursor, as a figure or a film."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from tarsus.controllers.slip_laws import PHASES
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


ARROW = 0.004  # length of the drawn ground force [m/N]


class HoppingPicture(Picture):
    """A figure of a hopping leg's record."""

    projection = "3d"
    height = "body_position", "hip height [m]"

    def set_the_scene(self) -> None:
        """Show the whole circle of the boom."""
        scene, self.hip = self.scene, self.record["body_position"].values
        (self.boom,) = scene.plot([], [], [], color="0.4", lw=2)
        (self.leg,) = scene.plot([], [], [], "o-", color="C3", lw=3, ms=4)
        (self.force,) = scene.plot([], [], [], color="C2", lw=2)
        (self.hip_trace,) = scene.plot([], [], [], color="C0", lw=0.8)
        (self.foot_trace,) = scene.plot([], [], [], color="0.6", lw=0.8)
        scene.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), zlim=(0, 0.8), xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
        scene.set_box_aspect((2.2, 2.2, 0.8))
        scene.view_init(elev=28, azim=-35)

    def draw(self, row: int) -> str:
        """Move boom, leg, force and traces; return phase and speed."""
        hip, foot = self.hip[row], self.foot[row]
        for line, points in (
            (self.boom, np.array([np.zeros(3), (0.0, 0.0, self.params.HB), hip])),
            (self.leg, np.array([hip, self._knee(row), foot])),
            (self.force, np.array([foot, foot + ARROW * self.record["foot_force"].values[row, 0]])),
            (self.hip_trace, self.hip[: row + 1]),
            (self.foot_trace, self.foot[: row + 1]),
        ):
            line.set_data_3d(*points.T)
        speed = self.params.LB * float(self.record["joint_speed"].values[row, 0])
        return f"{'stance' if self.record['foot_contact'].values[row, 0] else 'flight'}, {speed:+.2f} m/s"

    def _knee(self, row: int) -> np.ndarray:
        """Return the knee's place, shape (3,) [m]."""
        yaw, pitch, angle, _ = self.record["joint_angle"].values[row]
        along = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        up = np.array([np.cos(yaw) * np.sin(pitch), np.sin(yaw) * np.sin(pitch), np.cos(pitch)])
        return self.hip[row] + self.params.LH * (np.sin(angle) * along - np.cos(angle) * up)


FORCE_SCALE = 1e-3  # length of a drawn force [m/N]
TRACE = 400  # rows of the mass centre's trace that stay visible
REACH = 1.2  # of the ground that is seen, to either side [m]
PLANE = [0, 2]  # of the axes


class SlipLegPicture(Picture):
    """A figure of an articulated leg's record: links, virtual leg, ground force, trace of the mass centre.

    What the report's plotter shows of a run (Hauter, Leitner, Freisinger, TUM 2021, IV-A).
    """

    height = "com_position", "height of the mass centre [m]"

    def set_the_scene(self) -> None:
        scene, self.com = self.scene, self.record["com_position"].values[:, PLANE]
        (self.trace,), (self.links,) = scene.plot([], [], "b:"), scene.plot([], [], "ko-")
        (self.spring,), (self.mass,) = scene.plot([], [], "g-"), scene.plot([], [], "gs")
        self.force = scene.quiver([0], [0], [0], [0], color="r", angles="xy", scale_units="xy", scale=1, zorder=5)
        x = np.arange(self.com[:, 0].min() - REACH, self.com[:, 0].max() + REACH, 5e-3)
        scene.fill_between(x, self.ground.height(x, 0.0 * x), -1.0, color="0.85", zorder=0)
        scene.set(ylim=(-0.1, 1.3), xlabel="x [m]", ylabel="z [m]", aspect="equal")

    def draw(self, row: int) -> str:
        """Move leg, force and trace; return phase and speed."""
        base, toe, com = self.record["body_position"].values[row, PLANE], self.foot[row, PLANE], self.com[row]
        hip, force = float(self.record["joint_angle"].values[row, 0]), self.record["foot_force"].values[row, 0, PLANE]
        knee = base + self.params.thigh_length * np.array([np.sin(hip), -np.cos(hip)])
        for line, points in (
            (self.trace, self.com[max(0, row - TRACE) : row + 1]),
            (self.links, np.array([base, knee, toe])),
            (self.spring, _spring(toe, com)),
            (self.mass, com[None]),
        ):
            line.set_data(*points.T)
        self.force.set_offsets(toe)
        self.force.set_UVC(*FORCE_SCALE * force)
        self.scene.set_xlim(com[0] - REACH, com[0] + REACH)
        phase = PHASES[int(self.record["phase"].values[row])]
        return f"{phase}, {float(self.record['com_velocity'].values[row, 0]):+.2f} m/s"


def _spring(toe: np.ndarray, com: np.ndarray) -> np.ndarray:
    """Return the virtual leg as a zigzag from toe to mass centre, shape (15, 2)."""
    along = com - toe
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    s = np.linspace(0.0, 1.0, 15)
    wave = np.where((s > 0.15) & (s < 0.85), 0.02 * (-1.0) ** np.arange(s.size), 0.0)
    return toe + s[:, None] * along + wave[:, None] * across


def draw(run):
    """Return the figure of a run: way of the mass centre, force, compression, energy at the apexes."""
    from matplotlib.figure import Figure

    record, steps = run.record, run.steps
    figure = Figure((9, 9), layout="constrained")
    axes = figure.subplots(4, 1)
    axes[0].plot(*record["com_position"].values[:, PLANE].T, "b:", label="mass centre")
    feet = record["foot_position"].values[record["foot_contact"].values][:, PLANE]
    axes[0].plot(*feet.T, "k.", markersize=3, label="foot on the ground")
    axes[0].set(xlabel="x [m]", ylabel="z [m]", title=f"{record.attrs['engine']}: {run.n_steps} steps, {run.status}")
    axes[0].legend(fontsize=8, loc="upper right")
    for axis in "xz":
        axes[1].plot(record["time"], record["foot_force"].sel(leg=0, axis=axis), linewidth=0.8, label=f"force_{axis}")
    axes[1].set(ylabel="ground force [N]", ylim=(-150, 450), xlabel="t [s]")
    for joint in ("hip", "knee"):
        axes[2].plot(record["time"], record["torque"].sel(motor=joint), linewidth=0.8, label=f"{joint}_torque")
    axes[2].set(ylabel="torque [N m]", xlabel="t [s]")
    for name, style in (("apex_height", "o-"), ("apex_energy", "s-")):
        change = 100.0 * (steps[name] / steps[name][0] - 1.0)
        axes[3].plot(steps["time"], change, style, markersize=3, label=name)
    axes[3].set(xlabel="t [s]", ylabel="change since the start [%]")
    for axis in axes[1:]:
        axis.legend(fontsize=8, loc="upper right")
    return figure
