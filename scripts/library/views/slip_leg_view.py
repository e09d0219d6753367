"""The articulated leg's picture, with the virtual leg that its controller makes of it, and the figure of a run."""

from __future__ import annotations

import numpy as np

from tarsus.controllers.slip_laws import PHASES
from tarsus.scripts.library.views.leg_picture import Picture

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
