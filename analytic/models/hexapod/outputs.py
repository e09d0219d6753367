"""Outputs of the exact hexapod: auxiliary functions of state and chart, and the lines of its picture.

`make_readings` shows what MuJoCo's model would: joint coordinates, whose hip angles count full turns, and sensors.
"""

import math
from collections.abc import Callable

import numpy as np

from .contact import FLIGHT, SLIDE, friction, normal
from .layout import N_MACHINE, P
from .leg import motion, place, rotation, to_body
from .parameters import N_LEGS, HexapodParams
from .servo import S, servo_error
from .state import TOES, rotation_matrix, toes_of
from .toes import N_MEMORY, ToeFunctions, toe_mode

LEG_OUTPUTS = ("hip_torque", "torque_command", "force_x", "force_y", "force_z", "current", "voltage")
BODY = ("t", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
NAMES = (*BODY, *(f"leg{leg}_{what}" for leg in range(N_LEGS) for what in LEG_OUTPUTS))
FIRST, EACH = len(BODY), len(LEG_OUTPUTS)
FORCE = LEG_OUTPUTS.index("force_x")


def make_outputs(m: ToeFunctions) -> Callable:
    """Return the auxiliary functions: time and body; of each leg the hip torque after and before the motor's limit.

    Then the ground's force on the toe (3, world frame) [N], and the motor's armature current [A] and voltage [V]
    (hexapod report 3.7, errata 18 and 19).
    """
    load, contact, gradient = m.load, m.contact, m.gradient

    def outputs(t, x, d, p, chart, out):
        out[0] = t
        for i in range(13):
            out[1 + i] = x[i]
        R = rotation(x)
        for leg in range(N_LEGS):
            k, o = TOES + 6 * leg, len(BODY) + len(LEG_OUTPUTS) * leg
            at = place(x, p, leg, R)
            mode = toe_mode(chart, leg)
            if mode == FLIGHT:
                pushed = load(t, x, d, p, chart, leg, R, at, x[k + 3], x[k + 4], x[k + 5])
                fx, fy, fz = 0.0, 0.0, 0.0
            else:
                n = normal(gradient, x[k], x[k + 1], p)
                pressure, tx, ty, tz, _, vx, vy, vz, pushed = contact(t, x, d, p, chart, leg, R, at, n)
                fx, fy, fz = pressure * n[0] - tx, pressure * n[1] - ty, pressure * n[2] - tz
                if mode == SLIDE and p[P.first_order_slide] == 0.0:
                    drag = friction(p, pressure, vx, vy, vz)
                    fx, fy, fz = pressure * n[0] - drag * vx, pressure * n[1] - drag * vy, pressure * n[2] - drag * vz
            out[o], out[o + 1], out[o + 2], out[o + 3], out[o + 4] = pushed[6], pushed[7], fx, fy, fz
            current = pushed[6] * p[P.gear_ratio] / p[P.torque_constant]
            out[o + 5] = current
            out[o + 6] = current * p[P.armature_resist] + pushed[5] / (p[P.gear_ratio] * p[P.speed_constant])

    return outputs


def make_lines(params: HexapodParams) -> Callable:
    """Return the picture: the body's outline, a leg from each hip to its toe, and the feet on and off the ground."""
    middle, half = params.attach.mean(axis=0), np.ptp(params.attach, axis=0) / 2 + [0.0, 0.05, 0.0]
    corners = middle + half * np.array([[1, -1, 0], [1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])

    def lines(t, x, d, p, chart):
        matrix, toes = rotation_matrix(x[3:7]), toes_of(x)[0]
        hips = x[:3] + params.attach @ matrix.T
        on_ground = toe_mode(chart, np.arange(N_LEGS)) != FLIGHT
        legs = {f"leg{leg}": np.stack([hips[leg], toes[leg]]) for leg in range(N_LEGS)}
        feet = {"feet_on_ground": toes[on_ground], "feet_in_air": toes[~on_ground]}
        return {"body": x[:3] + corners @ matrix.T} | legs | feet

    return lines


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
