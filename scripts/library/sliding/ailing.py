"""Walks of a multipod in MuJoCo with a payload, a broken leg or wet feet; and what the robot measures of them."""

from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from tarsus.analytic.clock import TURN
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.controllers.gaits import multipod_gait
from tarsus.controllers.observer import Seen
from tarsus.scripts.library.machines.multipod_mujoco import FPS, MultipodWalk, Walking, WalkingStepper, walked

SOFT = 0.02  # of its stiffness that a broken leg keeps
NOISE = np.array([2e-3, 2e-3, 1e-2, 2e-3, 2e-3])  # of velocity, yaw rate, pitch and roll [m/s, m/s, rad/s, rad, rad]
SETTLED = 4.0  # when the start is forgotten [s]
PERIOD = 1.0 / FPS  # between samples of a walk [s]


@dataclass(frozen=True)
class Ailment:
    """What is wrong with a robot."""

    payload: tuple[float, float] = (0.0, 0.0)  # by which the whole robot's centre of mass is moved, x and y [m]
    leg: int | None = None  # that breaks
    time: float = 0.0  # when it does, or when feet get wet [s]
    wet: tuple[int, ...] = ()  # feet
    friction: float = 0.3  # of those, as a share of the others'


class AilingStepper(WalkingStepper):
    """Steps a robot with an ailment."""

    def __init__(self, walking: Walking, ailment: Ailment):
        """Build the model and move its centre of mass."""
        super().__init__(walking)
        self._ailment, self._ails, model = ailment, False, self.model
        torso = model.body("torso").id
        share = model.body_mass[torso] / model.body_mass.sum()
        model.body_ipos[torso, :2] += np.array(ailment.payload) / share
        mujoco.mj_setConst(model, mujoco.MjData(model))

    def command(self, data: mujoco.MjData) -> None:
        """Break the leg or wet the feet if it is time to, and command the servos."""
        if not self._ails and data.time >= self._ailment.time:
            self._ails = True
            self._strike()
        super().command(data)

    def _strike(self) -> None:
        model, ailment = self.model, self._ailment
        if ailment.leg is not None:
            joint = model.joint(f"leaf_{ailment.leg}").id
            model.jnt_stiffness[joint] *= SOFT
        if ailment.wet:
            ground = model.geom("ground").id
            for foot in ailment.wet:
                toe = model.geom(f"toe_{foot}").id
                # The ground has priority over the toes: changing a toe's friction alone would do nothing.
                for name in ("geom_solref", "geom_solimp", "geom_condim", "geom_solmix", "geom_margin", "geom_gap"):
                    getattr(model, name)[toe] = getattr(model, name)[ground]
                model.geom_priority[toe] = model.geom_priority[ground] + 1
                model.geom_friction[toe] = model.geom_friction[ground]
                model.geom_friction[toe, 0] *= ailment.friction


class Observed(NamedTuple):
    """What a walk looks like from within."""

    time: np.ndarray  # (m,) [s]
    phase: np.ndarray  # (m,) of the undulation [rad]
    frames: list[Seen]


def walk(params: MultipodParams, ailment: Ailment, seconds: float, preset: str = "rl") -> MultipodWalk:
    """Return a straight walk in MuJoCo."""
    walking = Walking("multipod", params, multipod_gait(params, "undulation", yaw=0.2), preset=preset)
    return walked(AilingStepper(walking, ailment), walking, seconds)


def watched(made: MultipodWalk, seed: int, every: int = 1) -> Observed:
    """Return a robot's measurements of its walk once the start is forgotten, with noise, every so many samples."""
    rng, params, record = np.random.default_rng(seed), made.walking.params, made.record
    rows = np.flatnonzero(made.time >= SETTLED)[::every]
    qpos, n = made.qpos[rows], params.n_segments
    angle, rate = (
        record[name].values[rows].reshape(len(rows), n, 4)[..., :2] for name in ("joint_angle", "joint_speed")
    )
    rotation = np.empty((len(rows), 9))
    for out, quaternion in zip(rotation, qpos[:, 3:7], strict=True):
        mujoco.mju_quat2Mat(out, quaternion)
    rotation = rotation.reshape(-1, 3, 3)
    heading = np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])
    up = rotation[:, 2]  # the vertical, in the body's axes
    tilt = np.stack([np.arcsin(-up[:, 0]), np.arctan2(up[:, 1], up[:, 2])], axis=-1)
    velocity, spin = record["body_velocity"].values[rows], record["body_angular_velocity_b"].values[rows]
    cos, sin = np.cos(heading), np.sin(heading)
    level = np.stack(
        [cos * velocity[:, 0] + sin * velocity[:, 1], cos * velocity[:, 1] - sin * velocity[:, 0]], axis=-1
    )
    frames = []
    for k in range(len(rows)):
        seen = Seen.of(params, angle[k], rate[k], level[k], spin[k], qpos[k, 2], tilt[k])
        frames.append(seen._replace(measured=seen.measured + NOISE * rng.standard_normal(5)))
    time = made.time[rows]
    return Observed(time, TURN * made.walking.gait.frequency * time, frames)
