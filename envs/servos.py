"""Servos of a machine's joints: commands of a control period, delivered torque, and observations.

The commands have shape (n_substeps, ..., n_joints, 3): set-points of angle [rad] and speed [rad/s], and torque [N m],
the inputs of `mjcf.parts.add_servo`. Moving set-points are those of each substep's start, or with `lead` 1 of its end
(see `Preset.command_lead`). Leading dimensions `...` are for parallel simulations.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..analytic.battery import Battery
from .observations import Observation, labelled


def no_commands(n_substeps: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return zeros of shape (n_substeps, *shape, 3), contiguous per simulation, as MuJoCo expects them."""
    n = len(shape) - 1  # leading dimensions
    return np.zeros((*shape[:-1], n_substeps, shape[-1], 3)).transpose(n, *range(n), n + 1, n + 2)


def torque_commands(torque):
    """Return the commands, a single row, that hold torques, shape (..., n_joints) [N m], for the control period."""
    none = np.zeros_like(torque)
    return np.stack([none, none, torque], -1)[None]


def gait_commands(gait: Callable, frequency, cycles, times, lead=0):
    """Follow a gait from its current phase, even if its parameters have changed.

    Args:
        gait: Angles [rad] and rates [rad/s] of the joints as a function of the elapsed cycles, shape (...).
        frequency: Of the gait, shape (...,) [Hz].
        cycles: Elapsed so far, shape (...,).
        times: Substeps and the end of the period, from now, shape (n_substeps + 1,) [s].
        lead: 0 or 1 substep.

    Returns:
        The commands, set-points and their rates at the end of the period, and the cycles then.
    """
    gone = cycles + np.multiply.outer(times, frequency)  # (n_substeps + 1, ...)
    angle, rate = gait(gone)
    n = len(times) - 1
    commands = no_commands(n, angle.shape[1:])
    commands[..., 0], commands[..., 1] = angle[lead : n + lead], rate[lead : n + lead]
    return commands, angle[-1], rate[-1], np.array(gone[-1])


@dataclass(frozen=True)
class Layout:
    """Names of a machine's joints and legs, and whether the joints rotate continuously."""

    joints: tuple[str, ...]  # the driven ones, in the order of actions and controls
    legs: tuple[str, ...]
    turning: bool

    def entries(self) -> dict[str, Observation]:
        """Return the observations of joints and leg springs."""
        joints, legs = self.joints, self.legs
        angles = {"joint_angle": labelled(joints, 10, "rad", "of the driven joints")}
        if self.turning:
            angles = {
                "joint_cosine": labelled(
                    joints, 1, "1", "cosines of the joints' angles", lambda t: np.cos(t.joint_angle)
                ),
                "joint_sine": labelled(joints, 1, "1", "sines of the joints' angles", lambda t: np.sin(t.joint_angle)),
            }
        return angles | {
            "joint_speed": labelled(joints, 1e3, "rad/s", "of the driven joints"),
            "joint_lead": labelled(
                joints, 100, "rad", "set-point before the joint", needs="velocity or gait or residual"
            ),
            "compression": labelled(
                legs, 10, "m", "by which a leg's spring lets its foot give way upward", lambda t: t.compression()
            ),
        }


def row_of(params) -> np.ndarray:
    """Return the row of a robot and its battery in the kernels' table of servos, shape (11,)."""
    motor = params.motor
    battery = Battery(nominal_voltage=motor.supply_voltage)
    geared, back_emf = motor.gear * motor.torque_constant, motor.gear / motor.speed_constant
    electric = 1.0 / geared, motor.armature_resist / geared, back_emf
    supply = battery.nominal_voltage, battery.rated_time / battery.capacity, battery.exponent, battery.rated_time
    return np.array((params.KP, params.KD, motor.no_load_speed, motor.max_torque, *electric, *supply))
