"""Two robots that are not ours: a quadruped of eight hinges, and Gymnasium's Ant; with a baseline for each."""

from pathlib import Path

import gymnasium
import numpy as np

from tarsus.mjcf.own_robot import EXAMPLE

QUADRUPED = EXAMPLE.with_name("quadruped.xml")
ANT = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "ant.xml"
LEGS = ("FL", "FR", "RL", "RR")
SHANKS = ("left_ankle_geom", "right_ankle_geom", "third_ankle_geom", "fourth_ankle_geom")
POSE = {"ankle_1": 1.0, "ankle_2": -1.0, "ankle_3": -1.0, "ankle_4": 1.0}


def trot(swing=0.25, lift=0.5, duty=0.6, n=20):
    """Return hips and knees of diagonal pairs of legs over a turn, shape (n, 8) [rad]."""
    columns = []
    for offset in (0.0, 0.5, 0.5, 0.0):
        phase = (np.arange(n) / n + offset) % 1.0
        air = np.maximum(phase - duty, 0.0) / (1.0 - duty)
        knee = -lift * np.sin(np.pi * air)
        hip = np.where(phase < duty, swing * (2 * phase / duty - 1), swing * (1 - 2 * air))
        columns += [hip - 0.5 * knee, knee]
    return np.column_stack(columns)


def stride(time, task, sides=(-1, -1, 1, 1)):
    """Return the Ant's torques as shares of the largest: a PD law on angles of a trot of 1 Hz."""
    angle, speed, phase, wanted = task.qpos[..., 7:], task.qvel[..., 6:], 2 * np.pi * time, []
    for turn, side, ankle in zip((0.0, np.pi, 0.0, np.pi), sides, (1, -1, -1, 1), strict=True):
        wanted += [0.3 * side * np.sin(phase + turn), ankle * (1.0 - 0.3 * np.maximum(np.cos(phase + turn), 0.0))]
    torque = np.stack(wanted, -1) - angle - 0.15 * speed
    return np.clip(torque[..., [6, 7, 0, 1, 2, 3, 4, 5]], -1.0, 1.0)


ROBOTS = {
    "Quadruped-v0": dict(source=QUADRUPED, feet=LEGS, reach=0.5, fall_contacts=["trunk"]),
    "Ant-v9": dict(source=ANT, feet=SHANKS, pose=POSE, servo="file"),
    "Trot-v0": dict(source=QUADRUPED, feet=LEGS, reach=0.5, baseline=trot(), baseline_period=0.5),
    "AntTrot-v0": dict(source=ANT, feet=SHANKS, pose=POSE, servo="file", baseline=stride, baseline_period=1.0),
}
