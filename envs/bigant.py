"""`BigAnt-v1`: BigANT, a hexapod with one motor and a four-bar linkage per leg, runs forward or as commanded."""

from dataclasses import dataclass, field

import numpy as np

from ..analytic.clock import profile
from ..analytic.models.bigant import N_LEGS, BigAntParams
from ..mjcf import bigant
from .gait_kernels import SHAFT_CLOCK
from .servos import Layout
from .vector import LeggedVectorEnv
from .walker import WalkerConfig, WalkerEnv, WalkerTask, by_baseline, following

# The legs in order; letters are the paper's names in figures 10 and 11.
LEGS = ("HR", "MR", "FR", "HL", "ML", "FL")
_SIDE = np.repeat([1.0, -1.0], 3)  # right, left
_FROM_REAR = np.tile([0, 1, 2], 2)
SHAFTS, SPRINGS = 4 * np.arange(N_LEGS) + 1, 4 * np.arange(N_LEGS)  # where they lie among the joints after the root
WALK = np.array([0.2, 0.5, np.pi / 2, 0.5, 0.0])  # the tripod that is corrected, in the order of `gait_ranges`
SPEED = 0.0314  # of that gait [m/s]
TURN = 10.0  # steering for a yaw rate of 1 rad/s
WIDTHS = (0.02, 0.015)  # least widths of the reward of speed [m/s] and yaw rate [rad/s], see `commands`


@dataclass(frozen=True)
class BigAntConfig(WalkerConfig):
    """The options of `BigAnt-v1`."""

    REWARDS = by_baseline(WIDTHS, SPEED, power=0.01)
    RANDOMISABLE = bigant.RANDOMISABLE

    params: BigAntParams = field(default_factory=BigAntParams)  # the robot
    terrain_distance: float = 0.5  # distance that counts as far in this curriculum [m]
    command_speed: tuple[float, float] = (0.0, 0.08)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.06, 0.06)  # range of the commanded yaw rate [rad/s], left positive
    action_mode: str = "residual"  # or "velocity", "torque", "gait"
    residual_lag: float = 0.4  # in the mode "residual", time constant of the correction after the action [s]
    tempo_range: float = 2.0  # in the mode "residual", factor on the tempo at a last entry of 1; 1: no such entry
    scaled: bool = True  # divide the entries by their typical values; else SI units


class BigAntTask(WalkerTask):
    """The task of `BigAnt-v1`; tables are in `docs/envs/bigant.md`."""

    config_class = BigAntConfig
    DEFAULT = (*WalkerTask.DEFAULT, "correction", "tempo")
    WIDTHS = WIDTHS
    GAIT = SHAFT_CLOCK
    TYPICAL = {"height": 0.1, "velocity": 0.04, "angular_velocity": 0.1, "joint_lead": 0.01, "compression": 0.002}
    TYPICAL |= {"correction": 0.2, "foot_force": 5.0, "accelerometer": 10.0, "height_scan": 0.1}
    TYPICAL |= {"command": 0.04, "pace": 0.04}
    PACE_TIME = 1.0
    gait_ranges = {
        "frequency": (0.05, 0.35),  # [Hz]
        "duty_factor": (0.4, 0.75),  # share of the cycle in stance
        "sweep_angle": (0.7, 2.0),  # of the stance [rad]
        "lag": (1 / 3, 1 / 2),  # phase lag of a leg behind its rear neighbour [cycle]: from a ripple to the tripod
        "steering": (-0.4, 0.4),  # right legs sweep 1 + steering, left legs 1 - steering as far; left if positive
    }
    spec_of = staticmethod(bigant.build)
    start_state = staticmethod(bigant.start_state)

    @staticmethod
    def layout_of(params: BigAntParams) -> Layout:
        """Return the names of shafts and legs, right legs from the rear, then left legs."""
        return Layout(tuple(f"shaft_{leg}" for leg in LEGS), LEGS, turning=True)

    def of_joints(self, values: np.ndarray) -> np.ndarray:
        """Return the entries of the shafts, shape (..., 6)."""
        return np.take(values, SHAFTS, axis=-1)

    def compression(self) -> np.ndarray:
        """Return the displacement of the legs' springs, which are vertical slides, shape (..., 6) [m]."""
        return np.take(self.qpos, 7 + SPRINGS, axis=-1)

    def gait_corrected(self, command: np.ndarray | None) -> np.ndarray:
        """Return the parameters of the tripod, shape (n,), or of what follows the command, shape (..., n)."""
        return WALK if command is None else following(WALK, command, SPEED, TURN, most=self.gait_ranges["steering"][1])

    def gait(self, parameters: np.ndarray, cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the clock of these parameters, as `WalkerTask.gait` does: stance around angle 0 at an even rate."""
        frequency, duty, sweep, lag, steering = (
            values[..., None] for values in np.moveaxis(parameters, -1, 0)
        )  # (..., 1)
        phase = np.where(_SIDE > 0, 0.0, 0.5) - lag * _FROM_REAR
        period = 1 / frequency
        swept = sweep * (1 + steering * _SIDE)
        return profile(np.asarray(cycles)[..., None] + phase, period, duty * period, swept)


class BigAntEnv(WalkerEnv):
    """One BigANT; see `WalkerEnv` for the arguments and `docs/envs/bigant.md` for the tables."""

    task_class = BigAntTask


class BigAntVectorEnv(LeggedVectorEnv):
    """Many BigANTs, each identical to a `BigAntEnv`."""

    task_class = BigAntTask
