"""`Multipod-v1`: a multipod of 4 to 50 legs runs forward, or as commanded, on a terrain of choice."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..analytic.models.multipod import MultipodParams
from ..analytic.undulation import undulation_angles
from ..mjcf import multipod
from .gait_kernels import UNDULATION
from .servos import Layout
from .vector import LeggedVectorEnv
from .walker import WIDTHS, WalkerConfig, WalkerEnv, WalkerTask, by_baseline, following

WALK = np.array([0.3, 1.35 * np.pi, 0.3, 0.15, 0.0])  # the gait that is corrected, in the order of `gait_ranges`
SPEED = 0.085  # of that gait [m/s]
TURN = 10.0  # steering for a yaw rate of 1 rad/s
FASTEST = 3.3  # frequency at which that gait is fastest, with 6 and 12 legs [Hz]; yaws reach 94 % of the no-load speed


@dataclass(frozen=True)
class MultipodConfig(WalkerConfig):
    """The options of `Multipod-v1`."""

    REWARDS = by_baseline(WIDTHS, SPEED, power=0.01)
    RANDOMISABLE = multipod.RANDOMISABLE
    FIXED = (*WalkerConfig.FIXED, "n_legs")

    params: MultipodParams = field(default_factory=MultipodParams)  # the robot
    terrain_distance: float = 1.0  # distance that counts as far in this curriculum [m]
    n_legs: int | None = None  # even, 4 to 50; by default that of `params`
    action_mode: str = "residual"  # or "velocity", "torque", "gait"
    residual_lag: float = 0.4  # in the mode "residual", time constant of the correction after the action [s]
    tempo_range: float = 2.0  # in the mode "residual", factor on the tempo at a last entry of 1; 1: no such entry
    scaled: bool = True  # divide the entries by their typical values; else SI units

    @property
    def robot(self) -> MultipodParams:
        """The parameters of the robot, with the requested number of legs."""
        return self.params if self.n_legs is None else replace(self.params, n_legs=self.n_legs)


class MultipodTask(WalkerTask):
    """The task of `Multipod-v1`; tables are in `docs/envs/multipod.md`."""

    config_class = MultipodConfig
    DEFAULT = (*WalkerTask.DEFAULT, "correction", "tempo")
    GAIT = UNDULATION
    TYPICAL = {"height": 0.1, "velocity": 0.1, "angular_velocity": 0.5, "joint_angle": 0.2, "joint_lead": 0.05}
    TYPICAL |= {"compression": 0.005, "correction": 0.2, "foot_force": 5.0, "accelerometer": 10.0, "height_scan": 0.1}
    TYPICAL |= {"command": 0.1, "pace": 0.1}
    PACE_TIME = 1.5  # the front segment yaws by 0.3 rad to either side within a stride of 1.7 s
    gait_ranges = {
        "frequency": (0.1, 0.6),  # [Hz]
        "phase_offset": (np.pi, 5 / 3 * np.pi),  # phase lag of a pair behind the one in front [rad]
        "yaw": (0.0, 0.3),  # amplitude [rad]
        "roll": (-0.2, 0.2),  # amplitude [rad]; negative walks backward
        "steering": (-0.1, 0.1),  # constant yaw, front pairs plus, rear pairs minus [rad]; left if positive
    }
    spec_of = staticmethod(multipod.build)

    @staticmethod
    def layout_of(params: MultipodParams) -> Layout:
        """Return the names of joints and legs, segment by segment from the front."""
        joints = tuple(f"{joint}_{k}" for k in range(params.n_segments) for joint in multipod.JOINTS)
        return Layout(joints, tuple(params.leg_names()), turning=False)

    def prepare(self) -> None:
        """Find the names, and where yaw and roll, and where the leaves, lie among the joints."""
        super().prepare()
        where = np.arange(4 * self.config.robot.n_segments).reshape(-1, 4)
        self._joints, self._leaves = where[:, :2].ravel(), where[:, 2:].ravel()

    def of_joints(self, values: np.ndarray) -> np.ndarray:
        """Return the entries of yaw and roll, segment by segment, shape (..., n_joints)."""
        # `take` gives rows in the memory's order, as indexing does not: sums would round by how many rows there are.
        return np.take(values, self._joints, axis=-1)

    def compression(self) -> np.ndarray:
        """Return the bending of the leaf springs, times their lever, shape (..., n_legs) [m]."""
        return self.config.robot.lever * np.take(self.qpos, 7 + self._leaves, axis=-1)

    def limits_of(self, params: MultipodParams) -> np.ndarray:
        """Return the ranges of yaw and roll, shape (n_joints,) [rad]."""
        return np.tile([params.yaw_range, params.roll_range], params.n_segments)

    @staticmethod
    def start_state(params: MultipodParams, ground, angle: np.ndarray) -> np.ndarray:
        """Return `qpos` of the multipod standing with these angles, shape (n_joints,) [rad]."""
        return multipod.start_state(params, ground, angle.reshape(-1, 2))

    def gait_corrected(self, command: np.ndarray | None) -> np.ndarray:
        """Return the parameters of the undulation, shape (n,), or of what follows the command, shape (..., n)."""
        bounds = self.gait_ranges["steering"][1], FASTEST
        return WALK if command is None else following(WALK, command, SPEED, TURN, *bounds)

    def gait(self, parameters: np.ndarray, cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return angles and rates of the undulation of these parameters, as `WalkerTask.gait` does."""
        n_pairs = self.config.robot.n_segments
        found = undulation_angles(cycles, *np.moveaxis(parameters, -1, 0), n_pairs=n_pairs)
        return tuple(values.reshape(*values.shape[:-2], -1) for values in found)


class MultipodEnv(WalkerEnv):
    """One multipod; for the arguments see `WalkerEnv`, for the tables `docs/envs/multipod.md`."""

    task_class = MultipodTask


class MultipodVectorEnv(LeggedVectorEnv):
    """Many multipods, each identical to a `MultipodEnv`."""

    task_class = MultipodTask
