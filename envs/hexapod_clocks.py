"""The clocks of `Hexapod-v0`: what the modes "gait" and "residual" follow. The option `clock` selects one by name.

A clock's gait is an array of parameters in the order of `PARAMETERS`; those that are left out are 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..analytic import rhex_gaits
from ..analytic.clock import RIGHT, TRIPOD_PHASE, profile

# The gait parameters an action moves, and their ranges: low at -1, high at +1. Duty factors are t_s / t_c, so that
# every action is a possible gait.
GAIT_RANGES = {
    "cycle_time": (0.3, 2.0),  # t_c [s]
    "duty_factor": (0.4, 0.8),  # t_s / t_c
    "sweep_angle": (0.3, 2.0),  # phi_s [rad]
    "leg_offset": (-0.6, 0.6),  # phi_o [rad]
    "duty_difference": (-0.15, 0.15),  # dt_s / t_c; left legs plus, right legs minus
    "offset_difference": (-0.3, 0.3),  # dphi_o [rad]; left legs plus, right legs minus
}
_LOW, _HIGH = np.array(list(GAIT_RANGES.values())).T
_SIDE = np.where(RIGHT, -1.0, 1.0)
# Of RHex's clock, the same and two more: blends are never wider than the shorter phase.
RHEX_RANGES = GAIT_RANGES | {
    "cycle_time": (0.3, 1.2),
    "duty_factor": (0.5, 0.8),
    "duty_difference": (-0.05, 0.05),
    "sweep_difference": (-0.3, 0.3),  # dphi_s [rad]; left legs plus, right legs minus
    "blend": (0.0, 0.12),  # width of cubic blends [cycle]
}
PARAMETERS = tuple(RHEX_RANGES)
WALK = np.array([1.0, 0.6, 0.75, 0.0, 0.0, 0.0])  # the documents' gait, in the order of `GAIT_RANGES`
# Of the clock that follows commands: speeds [m/s], and what was measured to walk at them and to turn best: cycle time
# [s], sweep angle [rad], and the yaw rate where the sides differ most [rad/s].
STEERING = (
    (0.0, 0.1, 0.25, 0.35, 0.45, 0.53),
    (1.3, 1.0, 0.75, 0.6, 0.53, 0.5),
    (-0.2, 0.0, 0.375, 0.375, 0.5, 0.75),
    (0.5, 0.5, 0.5, 0.75, 0.75, 0.75),
)
SLOWEST = 0.5  # frequency of RHex's clock, as a share of its slowest setting's


def gait_parameters(action: np.ndarray) -> np.ndarray:
    """Return the gait parameters an action names, in the order of `GAIT_RANGES`, shape (..., 6)."""
    return _LOW + 0.5 * (np.asarray(action, float) + 1.0) * (_HIGH - _LOW)


def tripod_gait(parameters: np.ndarray, cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return hip angles [rad] and their rates [rad/s] of the alternating-tripod clock, shape (..., 6) both.

    Parameters are the first n of `PARAMETERS`, shape (..., n) with n from 6 to 8; its cycles have the shape (...,).
    """
    gait = parameters[..., None]  # (..., n, 1): broadcasts over the legs
    cycle_time, duty, sweep, offset, duty_difference, offset_difference, *more = np.moveaxis(gait, -2, 0)
    sweep = sweep + _SIDE * more[0] if more else sweep
    blend = more[1] if more[1:] else 0.0
    slow_time = (duty + _SIDE * duty_difference) * cycle_time
    angle, rate = profile(np.asarray(cycles)[..., None] + TRIPOD_PHASE, cycle_time, slow_time, sweep, blend)
    return -(angle + offset + _SIDE * offset_difference), -rate  # the minus is forward


def steered(command: np.ndarray) -> np.ndarray:
    """Return the parameters of a clock that follows a command, as `tripod_gait` takes them, shape (..., 7).

    The command is of forward speed [m/s] and yaw rate [rad/s]. Between the points of `STEERING` they are interpolated.
    In a turn the outer legs sweep more and begin farther ahead, the inner ones less and farther back. The clock stops
    where the robot is to stand.
    """
    speed, yaw_rate = command[..., 0], command[..., 1]
    cycle_time, sweep, fastest = (np.interp(speed, STEERING[0], row) for row in STEERING[1:])
    cycle_time = np.where(_stands(speed, yaw_rate), 1e6, cycle_time)
    turn = np.clip(yaw_rate / fastest, -1.0, 1.0)
    duty, none = np.full_like(turn, WALK[1]), np.zeros_like(turn)
    return np.stack([cycle_time, duty, sweep, none, none, -0.1 * turn, -0.7 * turn], axis=-1)


def _stands(speed: np.ndarray, yaw_rate: np.ndarray) -> np.ndarray:
    return (np.abs(speed) < 0.01) & (np.abs(yaw_rate) < 0.01)


def rhex_steered(command: np.ndarray) -> np.ndarray:
    """Return the parameters of RHex's own clock that follow a command [m/s, rad/s], shape (..., 8).

    Slower than its slowest setting it runs at a lower frequency, down to half of it. It neither goes backward nor turns
    in place: the policy `rhex` does.
    """
    speed, yaw_rate = command[..., 0], command[..., 1]
    at = rhex_gaits.setting_at(np.maximum(speed, 0.0))
    row, turn = rhex_gaits.settings(at), rhex_gaits.turn_at(yaw_rate, at)
    cycle_time = row.cycle_time / np.clip(speed / rhex_gaits.SPEEDS[0], SLOWEST, 1.0)
    cycle_time, none = np.where(_stands(speed, yaw_rate), 1e6, cycle_time), np.zeros_like(turn)
    offset = -row.forward_offset, none, -turn * row.turn_offset
    return np.stack([cycle_time, row.duty, row.sweep_angle, *offset, none, row.blend], axis=-1)


def _rhex_walk() -> np.ndarray:
    row = rhex_gaits.setting(2.0)
    return np.array([row.cycle_time, row.duty, row.sweep_angle, -row.forward_offset, 0.0, 0.0, 0.0, row.blend])


@dataclass(frozen=True)
class HexapodClock:
    """A clock to choose."""

    ranges: Mapping[str, tuple[float, float]]  # of the parameters that an action sets in the mode "gait"
    walk: np.ndarray  # parameters of the gait that "residual" corrects without a command
    steered: Callable[[np.ndarray], np.ndarray]  # of that which follows a command


CLOCKS = {
    "table2": HexapodClock(GAIT_RANGES, WALK, steered),
    "rhex": HexapodClock(RHEX_RANGES, _rhex_walk(), rhex_steered),
}
