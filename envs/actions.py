"""What an action means: hip speeds, hip torques, or a gait. Each turns an action into hip commands for the substeps.

The commands have shape (n_substeps, ..., 6, 3): set-points of angle [rad] and speed [rad/s], and torque [N m], for
MuJoCo's hip actuators. Moving set-points are those of each substep's start, or with `lead` 1 of its end (see
`Preset.command_lead`). Leading dimensions `...` serve parallel simulations. Actions lie in [-1, 1].
"""

from __future__ import annotations

import numpy as np

from ..analytic.clock import RIGHT, TRIPOD_PHASE, profile

N_ACTIONS = 6
ACTION_MODES = ("velocity", "torque", "gait")

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
MAX_LEAD = np.pi  # of a set-point before its hip [rad]: what the documents' controller, which wraps, can see


def gait_parameters(action: np.ndarray) -> np.ndarray:
    """Return the gait parameters an action names, in the order of `GAIT_RANGES`, shape (..., 6)."""
    return _LOW + 0.5 * (np.asarray(action, float) + 1.0) * (_HIGH - _LOW)


def no_commands(n_substeps: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return zeros of shape (n_substeps, *shape, 3), one simulation after another in memory, as MuJoCo takes them."""
    n = len(shape) - 1  # leading dimensions
    return np.zeros((*shape[:-1], n_substeps, shape[-1], 3)).transpose(n, *range(n), n + 1, n + 2)


def velocity_commands(reference, hip_angle, speed, times, lead=0):
    """Ramp the hips' set-points at the given speeds.

    Args:
        reference: Angle set-points now, shape (..., 6) [rad].
        hip_angle: Hip angles now, shape (..., 6) [rad]; a set-point stays within `MAX_LEAD` of its hip.
        speed: Shape (..., 6) [rad/s].
        times: Substeps and the end of the period, from now, shape (n_substeps + 1,) [s].
        lead: 0 or 1 substep.

    Returns:
        The commands, and the set-points at the end of the period.
    """
    reference = hip_angle + np.minimum(np.maximum(reference - hip_angle, -MAX_LEAD), MAX_LEAD)
    ramp = reference + np.multiply.outer(times, speed)
    commands = no_commands(len(times) - 1, speed.shape)
    commands[..., 0], commands[..., 1] = ramp[lead : len(times) - 1 + lead], speed
    return commands, ramp[-1]


def torque_commands(torque, n_substeps: int):
    """Hold the hip torques, shape (..., 6) [N m], for the control period."""
    commands = no_commands(n_substeps, np.shape(torque))
    commands[..., 2] = torque
    return commands


def gait_commands(action, cycles, times, lead=0):
    """Follow the alternating-tripod clock whose parameters the action names.

    Args:
        action: Shape (..., 6), in the order of `GAIT_RANGES`.
        cycles: Cycles the clock has gone, shape (...,). It goes on from here whatever the gait was before.
        times: Substeps and the end of the period, from now, shape (n_substeps + 1,) [s].
        lead: 0 or 1 substep.

    Returns:
        The commands, set-points and their rates at the end of the period, and the cycles then.
    """
    gait = gait_parameters(action)[..., None]  # (..., 6, 1): broadcasts over the legs
    cycle_time, duty, sweep, offset, duty_difference, offset_difference = np.moveaxis(gait, -2, 0)
    slow_time = (duty + _SIDE * duty_difference) * cycle_time
    gone = np.asarray(cycles)[..., None] + np.multiply.outer(times, 1.0 / cycle_time)  # (n_substeps + 1, ..., 1)
    angle, rate = profile(gone + TRIPOD_PHASE, cycle_time, slow_time, sweep)
    angle = -(angle + offset + _SIDE * offset_difference)  # the minus is forward
    commands = no_commands(len(times) - 1, angle.shape[1:])
    window = slice(lead, len(times) - 1 + lead)
    commands[..., 0], commands[..., 1] = angle[window], -rate[window]
    return commands, angle[-1], -rate[-1], gone[-1, ..., 0]
