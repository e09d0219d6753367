"""The gaits that RHex walked: a table of four speed settings, interpolated by command, and the triwheel of round legs.

A command in [-1, 1] is a share of the fastest setting; its sign is the direction. A turn in [-1, 1], left positive, is
a share of the table's turn offset; the robot's own walker knew only -1, 0 and 1. Our x is its c - 1/2, our leg offset
its `legOffset` times the direction, and its right side is ours, whatever the numbers of the legs.

Source: RHexLib, examples/exprunner/walk_test.rc (table), rhex/RHexWalker.cc and base/ExtProfiler.cc (interpolation,
triwheel), rhex/WalkMachine.cc (directions and turns).
"""

from typing import NamedTuple

import numpy as np

from .clock import TripodGait


class SpeedSetting(NamedTuple):
    """A row of the table."""

    cycle_time: float  # t_c [s]
    duty: float  # t_s / t_c
    sweep_angle: float  # phi_s [rad]
    forward_offset: float  # leg offset walking forward, the library's sign [rad]
    backward_offset: float  # and walking backward
    blend: float  # width of the blends, cubic [cycle]
    turn_offset: float  # of a turn while walking [rad]


SETTINGS = (
    SpeedSetting(0.9, 0.6875, 0.6, -0.15, 0.12, 0.09, 0.105),
    SpeedSetting(0.8, 0.69, 0.6109, -0.15, 0.15, 0.09, 0.131),
    SpeedSetting(0.53, 0.6226, 0.6981, -0.175, 0.15, 0.11, 0.113),
    SpeedSetting(0.53, 0.56, 0.6981, -0.175, 0.14, 0.11, 0.113),
)
FASTEST = len(SETTINGS) - 1
SLOWEST_TURN, FASTEST_TURN = 2.0, 0.3  # period of a turn of the triwheel at the commands 0 and 1 [s]
# Measured on the robot `rhex` with the motors `file`, flat ground, from rest in the exact engine, at these settings (3
# is no faster): speed [m/s] and yaw rate at the whole turn offset [rad/s]; and, at 2, shares of the one and the other.
MEASURED = (0.0, 1.0, 1.25, 1.5, 1.72, 2.0)
SPEEDS = (0.2204, 0.2555, 0.307, 0.381, 0.509, 0.5906)
YAW_RATES = (0.0945, 0.155, 0.134, 0.098, 0.217, 0.3195)
TURNS, YAW_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0), (0.0, 0.15, 0.39, 0.71, 1.0)
TRIWHEEL_TURN = 0.1  # difference of the sides' sweeps in its turn [rad]


def setting(speed: float) -> SpeedSetting:
    """Return the row of the table at a speed setting from 0 to 3, linear between whole ones.

    Raises:
        ValueError: If the table has no such speed.
    """
    if not 0.0 <= speed <= FASTEST:
        raise ValueError(f"the speed setting of RHex must lie from 0 to {FASTEST}, got {speed:g}")
    return SpeedSetting(*map(float, settings(speed)))


def settings(speed) -> SpeedSetting:
    """Return the columns of the table at speed settings of any shape; beyond its ends they stay."""
    return SpeedSetting(*(np.interp(speed, range(len(SETTINGS)), column) for column in zip(*SETTINGS, strict=True)))


def setting_at(speed):
    """Return the setting that walks at a speed of any shape [m/s], as measured; 0 or 2 beyond the range."""
    return np.interp(np.abs(speed), SPEEDS, MEASURED)


def turn_at(yaw_rate, speed_setting):
    """Return the turn in [-1, 1] that yaws at a rate [rad/s] while walking at a setting, as measured; of any shape."""
    share = np.abs(yaw_rate) / np.interp(speed_setting, MEASURED, YAW_RATES)
    return np.copysign(np.interp(share, YAW_SHARES, TURNS), yaw_rate)


def commanded(command: float) -> SpeedSetting:
    """Return the row of a command in [-1, 1], whose magnitude is a share of the fastest setting.

    Raises:
        ValueError: If it is beyond.
    """
    return setting(FASTEST * abs(within(command, "command")))


def gait(speed: float, heading: str = "forward", turn: float = 0.0) -> TripodGait:
    """Return the gait of a speed setting; in place, "left" or "right", all leg offsets are 0.

    Raises:
        ValueError: If the table has no such speed, the turn is beyond [-1, 1], or there is no such heading.
    """
    row, turn = setting(speed), within(turn, "turn")
    in_place = heading in ("left", "right")
    offset = {"forward": -row.forward_offset, "backward": row.backward_offset}.get(heading, 0.0)
    return TripodGait(
        row.cycle_time,
        row.duty * row.cycle_time,
        row.sweep_angle,
        offset,
        offset_difference=0.0 if in_place else -turn * row.turn_offset,
        heading=heading,
        blend=row.blend,
    )


def triwheel(command: float, turn: float = 0.0) -> TripodGait:
    """Return the gait in which round legs roll: both rates are equal, the tripods half a turn apart.

    Args:
        command: Share of the range of frequencies, in [-1, 1]; negative is backward.
        turn: In [-1, 1], left positive.
    """
    share = abs(within(command, "command"))
    period = 1.0 / (1.0 / SLOWEST_TURN + share * (1.0 / FASTEST_TURN - 1.0 / SLOWEST_TURN))
    heading = "forward" if command >= 0 else "backward"
    difference = -TRIWHEEL_TURN * within(turn, "turn")
    return TripodGait(period, 0.5 * period, np.pi, heading=heading, sweep_difference=difference, blend=0.1)


def within(value: float, name: str) -> float:
    """Return a command or turn, which must lie in [-1, 1].

    Raises:
        ValueError: If it does not.
    """
    if not -1.0 <= value <= 1.0:
        raise ValueError(f"the {name} of RHex must lie from -1 to 1, got {value:g}")
    return value
