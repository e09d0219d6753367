"""The hopping leg's picture: boom, leg, ground force, traces of hip and foot."""

from __future__ import annotations

import numpy as np

from tarsus.scripts.library.views.leg_picture import Picture

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
