"""What MuJoCo's model of the hexapod would show of a state of the exact one: joint coordinates and sensors.

Scalar arithmetic, to be compiled. Hip angles count full turns, from the set-points of `servo`.
"""

import math
from collections.abc import Callable

from .contact import FLIGHT
from .layout import N_MACHINE, P
from .leg import motion, place, rotation, to_body
from .outputs import BODY, LEG_OUTPUTS
from .parameters import N_LEGS
from .servo import S, servo_error
from .state import TOES
from .toes import N_MEMORY, toe_mode

FIRST, EACH = len(BODY), len(LEG_OUTPUTS)
FORCE = LEG_OUTPUTS.index("force_x")


def make_readings(outputs: Callable) -> Callable:
    """Return the readings of a model under the control `servo`, whose auxiliary functions are `outputs`."""

    def readings(t, x, d, p, chart, rates, out, qpos, qvel, feet, gyro, accelerometer):
        """Write joint coordinates and sensors.

        Args:
            t: Time [s].
            x: State.
            d: Memory.
            p: Parameters.
            chart: Code of the chart.
            rates: The field of the state.
            out: Room for the auxiliary functions.
            qpos: Receives position, quaternion, and hip, splay [rad] and length [m] of each leg, shape (25,).
            qvel: Receives their rates, shape (24,).
            feet: Receives whether each foot touches, and the force on it [N], world frame, shape (24,).
            gyro: Receives the angular velocity, body frame [rad/s], shape (3,).
            accelerometer: Receives the body's acceleration less gravity, body frame [m/s^2], shape (3,).
        """
        R = rotation(x)
        norm = math.sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6])
        for k in range(3):
            qpos[k], qvel[k], qvel[3 + k], gyro[k] = x[k], x[7 + k], x[10 + k], x[10 + k]
        for k in range(3, 7):
            qpos[k] = x[k] / norm
        outputs(t, x, d, p, chart, out)
        own = p[N_MACHINE:]
        for leg in range(N_LEGS):
            k, joint = TOES + 6 * leg, 3 * leg
            at = place(x, p, leg, R)
            rho_rate, theta_rate, phi_rate = motion(x, R, at, x[k + 3], x[k + 4], x[k + 5])
            asked = own[S.angle_0 + leg] + own[S.rate_0 + leg] * (t - own[S.since])
            error = servo_error(t, d[N_MEMORY:], own, leg, math.atan2(at[6], at[7]))
            qpos[7 + joint], qpos[8 + joint], qpos[9 + joint] = asked - error, math.atan2(at[4], at[5]), at[3]
            qvel[6 + joint], qvel[7 + joint], qvel[8 + joint] = phi_rate, theta_rate, rho_rate
            feet[4 * leg] = 0.0 if toe_mode(chart, leg) == FLIGHT else 1.0
            for i in range(3):
                feet[4 * leg + 1 + i] = out[FIRST + EACH * leg + FORCE + i]
        a, b, c = to_body(R, rates[7], rates[8], rates[9] + p[P.g])
        accelerometer[0], accelerometer[1], accelerometer[2] = a, b, c

    return readings
