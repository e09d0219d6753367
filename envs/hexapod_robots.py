"""The robots of `Hexapod-v0`, as drawn at the start of an episode, and the torque that their hips deliver."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from ..analytic.models.hexapod import N_LEGS, HexapodParams
from ..analytic.motor import Motor
from .hexapod_config import HexapodConfig


def modelled(params: HexapodParams, action_mode: str) -> HexapodParams:
    """Return the parameters of the model; torques are commanded past the servo."""
    return replace(params, KP=0.0, KD=0.0) if action_mode == "torque" else params


class Robots:
    """What a step needs to know of one robot, or of one for each of many simulations.

    Each is one value for all, or where robots are drawn an array of shape (..., 1).

    Attributes:
        motor: Their motors.
        rest_length: Of their legs, shape (6,), or (..., 6) where drawn [m].
    """

    def __init__(self, config: HexapodConfig, shape: tuple[int, ...]):
        self._config = config
        params = config.params
        self.motor, self.rest_length = params.motor, params.rho_r0
        self._kp, self._kd = params.KP, params.KD
        if config.randomise:
            values = {field.name: getattr(params.motor, field.name) for field in fields(Motor)}
            self.motor = Motor(**{name: np.full((*shape, 1), value) for name, value in values.items()})
            self._kp, self._kd = np.full((*shape, 1), params.KP), np.full((*shape, 1), params.KD)
            self.rest_length = np.broadcast_to(params.rho_r0, (*shape, N_LEGS)).copy()

    def take(self, sim: int | tuple, params: HexapodParams) -> None:
        """Take what a step needs of a simulation's robot."""
        motor = params.motor
        for field in fields(Motor):
            getattr(self.motor, field.name)[sim] = getattr(motor, field.name)
        self._kp[sim], self._kd[sim], self.rest_length[sim] = params.KP, params.KD, params.rho_r0

    def hip_torque(self, angle, speed, reference, rate, action) -> np.ndarray:
        """Return the motors' torque in the present state, shape (..., 6) [N m].

        MuJoCo's own `actuator_force` belongs to the last substep's start; with the integrator `discrete` it lacks the
        implicit part, and overstates the torque of a hip in swing by 0.3 N m.

        Args:
            angle: Of the hips, shape (..., 6) as all [rad].
            speed: Of the hips [rad/s].
            reference: Their set-points [rad].
            rate: Speeds of the set-points [rad/s].
            action: The action, which is the torque asked for in the action mode "torque".
        """
        if self._config.action_mode == "torque":
            asked = action * self.motor.max_torque
        else:
            asked = self._kp * (reference - angle) + self._kd * (rate - speed)
        return self.motor.limit(asked, speed)
