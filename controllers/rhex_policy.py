"""RHex's walker as a policy of `Hexapod-v0` that follows a commanded speed and yaw rate.

Commands are met by the speed setting that was measured to walk at that speed, and by a share of its turn offset; beyond
the table's range it does what is nearest. Slower than the slowest setting the same gait runs at a lower frequency, down
to half of it; below that the robot stands. The robot's own walker had neither: it knew full turns, or none. Its
supervisor raised the command by and by, as this does (RHexLib, examples/esp/Supervisor.cc).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ..analytic import rhex_gaits
from ..analytic.clock import TripodGait, wrap
from .rhex import STAND, Order, Walker

# As `rhex_gaits.SPEEDS`: yaw rate of the turn in place [rad/s].
SETTINGS_IN_PLACE, IN_PLACE = (0.0, 1.0, 2.0), (0.739, 0.847, 1.577)
FASTEST = rhex_gaits.MEASURED[-1]  # the setting from which on nothing is faster
SLOWEST = 0.5  # of the frequencies, as a share of the table's
FIRST, RAMP = 0.75, 2.0  # setting at which it begins to walk, and its greatest rise [1/s]: at once 2 may throw it over


def steered(speed: float, yaw_rate: float = 0.0, fastest_setting: float = FASTEST) -> Order:
    """Return the order to walk at a speed [m/s], forward positive, and a yaw rate [rad/s], left positive."""
    if abs(speed) >= SLOWEST * rhex_gaits.SPEEDS[0]:
        setting = min(float(rhex_gaits.setting_at(speed)), fastest_setting)
        way = 1.0 if speed > 0 else -1.0  # backward the same offset yaws the other way, as a car's wheels do
        turn = float(rhex_gaits.turn_at(way * yaw_rate, setting))
        gait = rhex_gaits.gait(setting, "forward" if speed > 0 else "backward", turn)
        return Order(_slowed(gait, abs(speed) / rhex_gaits.SPEEDS[0]))
    if abs(yaw_rate) >= SLOWEST * IN_PLACE[0]:
        setting = min(float(np.interp(abs(yaw_rate), IN_PLACE, SETTINGS_IN_PLACE)), fastest_setting)
        gait = rhex_gaits.gait(setting, "left" if yaw_rate > 0 else "right")
        return Order(_slowed(gait, abs(yaw_rate) / IN_PLACE[0]))
    return STAND


def _slowed(gait: TripodGait, share: float) -> TripodGait:
    """Return a gait at a share of its frequency; a share above 1 counts as 1."""
    longer = 1.0 / min(share, 1.0)
    return replace(gait, cycle_time=longer * gait.cycle_time, slow_time=longer * gait.slow_time)


class RhexPolicy:
    """The walker in the action mode "velocity": `policy(observation, info)` returns an action.

    Args:
        command: Returns speed [m/s] and yaw rate [rad/s] asked for now.
        ctrl_dt: The environment's control period [s].
        scale: The joint speed of an action of 1 [rad/s].
        compensate: Changes the gait of every half cycle, as for a slope.
    """

    def __init__(
        self,
        command: Callable[[], tuple[float, float]],
        ctrl_dt: float,
        scale: float,
        compensate: Callable[[TripodGait], TripodGait] = lambda gait: gait,
    ):
        self.command, self.ctrl_dt, self.scale, self.compensate = command, ctrl_dt, scale, compensate
        self.walker: Walker | None = None
        self._time, self._reach = np.inf, FIRST

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the speeds (6,) that move the set-points in `info`, the short way, to the walker's a period later."""
        if info["time"] < self._time or self.walker is None:  # an episode begins
            self.walker = Walker(info["hip_reference"], info["time"], stands=True, compensate=self.compensate)
            self._time = info["time"]
        self._reach = self._reach + RAMP * (info["time"] - self._time) if self.walker.walking else FIRST
        self._time = info["time"]
        self.walker.order = steered(*self.command(), min(self._reach, FASTEST))
        angle, _ = self.walker(info["time"] + self.ctrl_dt)
        speed = wrap(angle - info["hip_reference"]) / self.ctrl_dt
        return np.clip(speed / self.scale, -1.0, 1.0).astype(np.float32)
