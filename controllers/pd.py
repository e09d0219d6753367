"""PD control of the hips as in the documents: the angle error is wrapped."""

import numpy as np

from ..analytic.clock import wrap


def nearest_turn(reference, angle) -> np.ndarray:
    """Return the reference plus the whole turns that bring it within half a turn of `angle` [rad]; they broadcast.

    A servo that subtracts unwrapped angles then computes the error wrap(reference - angle).
    """
    return angle + wrap(np.asarray(reference) - angle)


def torque(reference, rate, angle, speed, kp, kd) -> np.ndarray:
    """Return kp wrap(reference - angle) + kd (rate - speed), before the motor's limit.

    Args:
        reference: Angle to follow [rad]; any shape, as all arguments.
        rate: Its rate [rad/s].
        angle: Joint angle [rad].
        speed: Joint speed [rad/s].
        kp: Stiffness [N m/rad].
        kd: Damping [N m s/rad].

    Source: SimSect manual, Table 2 (KP, KD); hexapod report 5.1.
    """
    return kp * wrap(np.asarray(reference) - angle) + kd * (np.asarray(rate) - speed)
