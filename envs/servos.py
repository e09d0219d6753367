"""Servos of a machine's joints: commands of a control period, delivered torque, and observations.

The commands have shape (n_substeps, ..., n_joints, 3): set-points of angle [rad] and speed [rad/s], and torque [N m],
the inputs of `mjcf.parts.add_servo`. Moving set-points are those of each substep's start, or with `lead` 1 of its end
(see `Preset.command_lead`). Leading dimensions `...` are for parallel simulations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from ..analytic.motor import Motor
from .observations import Observation, labelled

ACTION_MODES = ("velocity", "torque", "gait")
MAX_LEAD = np.pi  # of a set-point ahead of its joint [rad]: what the documents' controller, which wraps, can see
_BEHIND, _AHEAD = np.array(-MAX_LEAD), np.array(MAX_LEAD)


def no_commands(n_substeps: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return zeros of shape (n_substeps, *shape, 3), contiguous per simulation, as MuJoCo expects them."""
    n = len(shape) - 1  # leading dimensions
    if n == 0:
        return np.zeros((n_substeps, *shape, 3))
    return np.zeros((*shape[:-1], n_substeps, shape[-1], 3)).transpose(n, *range(n), n + 1, n + 2)


def velocity_commands(reference, angle, speed, times, lead=0):
    """Ramp the joints' set-points at the given speeds.

    Args:
        reference: Angle set-points now, shape (..., n_joints) [rad].
        angle: The joints' angles now [rad]; a set-point stays within `MAX_LEAD` of its joint.
        speed: Shape (..., n_joints) [rad/s].
        times: Substeps and the end of the period, from now, shape (n_substeps + 1,) [s].
        lead: 0 or 1 substep.

    Returns:
        The commands, and the set-points at the end of the period.
    """
    reference = angle + np.minimum(np.maximum(reference - angle, _BEHIND), _AHEAD)
    ramp = reference + times.reshape(-1, *[1] * speed.ndim) * speed
    commands = no_commands(len(times) - 1, speed.shape)
    commands[..., 0], commands[..., 1] = ramp[lead : len(times) - 1 + lead], speed
    return commands, ramp[-1]


def torque_commands(torque, n_substeps: int):
    """Hold the torques, shape (..., n_joints) [N m], for the control period."""
    commands = no_commands(n_substeps, np.shape(torque))
    commands[..., 2] = torque
    return commands


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
        angles = {"joint_angle": labelled(joints, 10, "rad", "of the driven joints", lambda t: t.joint_angle)}
        if self.turning:
            angles = {
                "joint_cosine": labelled(
                    joints, 1, "1", "cosines of the joints' angles", lambda t: np.cos(t.joint_angle)
                ),
                "joint_sine": labelled(joints, 1, "1", "sines of the joints' angles", lambda t: np.sin(t.joint_angle)),
            }
        return angles | {
            "joint_speed": labelled(joints, 1e3, "rad/s", "of the driven joints", lambda t: t.joint_speed),
            "joint_lead": labelled(
                joints, 100, "rad", "set-point before the joint", lambda t: t.joint_lead, "velocity or gait"
            ),
            "compression": labelled(
                legs, 10, "m", "by which a leg's spring lets its foot give way upward", lambda t: t.compression()
            ),
        }


def clock(task) -> np.ndarray:
    """Return cosine and sine of the gait's phase, shape (..., 2)."""
    angle = 2 * np.pi * np.asarray(task.cycles)[..., None]
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


class Servos:
    """Gains and motors of one robot, or, if robots are randomised, of one for each simulation.

    Each is one value for all, or an array of shape (..., 1) if robots are randomised.

    Attributes:
        motor: The motors.
        drive: Their coefficients.
        kp: Stiffness [N m/rad].
        kd: Damping [N m s/rad].
    """

    def __init__(self, params, shape: tuple[int, ...], drawn: bool):
        self.motor, self.kp, self.kd = params.motor, np.array(params.KP), np.array(params.KD)
        if drawn:
            values = {entry.name: getattr(params.motor, entry.name) for entry in fields(Motor)}
            self.motor = Motor(**{name: np.full((*shape, 1), value) for name, value in values.items()})
            self.kp, self.kd = np.full((*shape, 1), params.KP), np.full((*shape, 1), params.KD)
        self.drive = self.motor.drive

    def take(self, sim: int | tuple, params) -> None:
        """Set the gains and the motor of a simulation's robot."""
        motor = params.motor
        for entry in fields(Motor):
            getattr(self.motor, entry.name)[sim] = getattr(motor, entry.name)
        self.kp[sim], self.kd[sim] = params.KP, params.KD
        self.drive = self.motor.drive

    def torque(self, ahead, speed, rate) -> np.ndarray:
        """Return the torque in the current state, shape (..., n_joints) [N m].

        MuJoCo's `actuator_force` is that of the start of the last substep; with the integrator `discrete` it lacks the
        implicit part, and overestimates the torque of a hip in swing by 0.3 N m.

        Args:
            ahead: Set-points before the joints [rad].
            speed: Of the joints [rad/s].
            rate: Speeds of the set-points [rad/s].
        """
        return self.drive.limit(self.kp * ahead + self.kd * (rate - speed), speed)
