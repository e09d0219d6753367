"""The kernels of a step of walkers for a device: twins of those in `kernels`, in Warp, a thread for each simulation.

Names, arguments and arithmetic are those of the originals, which say what each is; in double precision as they are.
`tests/envs/test_warp_twins.py` compares them.
"""

from __future__ import annotations

import numpy as np
import warp as wp

from ..kernels import (
    BACK_EMF,
    CHARGE,
    CURRENT,
    KD,
    KP,
    MAX_LEAD,
    MAX_TORQUE,
    NO_LOAD_SPEED,
    PEUKERT,
    RATED_TIME,
    RESISTANCE,
    SUPPLY,
)
from .arrays import DeviceArray
from .clock_twins import TURN, F, Row, Rows, joints_of_gait, legs_of_clock, within

LEAD, Columns = wp.constant(F(MAX_LEAD)), wp.array[wp.int64]


@wp.kernel(enable_backward=False)
def body_frame(
    qpos: Rows, qvel: Rows, rotation: wp.array3d[F], values: Rows,
    gravity: int, velocity: int, spin: int, heading: int, first: int, second: int, sign: F, forward: int,
):  # fmt: skip
    """As `kernels.body_frame`."""
    i = wp.tid()
    w, x, y, z = qpos[i, 3], qpos[i, 4], qpos[i, 5], qpos[i, 6]
    two, one = F(2.0), F(1.0)
    rotation[i, 0, 0] = one - (two * y * y + two * z * z)
    rotation[i, 0, 1] = two * x * y - two * w * z
    rotation[i, 0, 2] = two * x * z + two * w * y
    rotation[i, 1, 0] = two * x * y + two * w * z
    rotation[i, 1, 1] = one - (two * x * x + two * z * z)
    rotation[i, 1, 2] = two * y * z - two * w * x
    rotation[i, 2, 0] = two * x * z - two * w * y
    rotation[i, 2, 1] = two * y * z + two * w * x
    rotation[i, 2, 2] = one - (two * x * x + two * y * y)
    for k in range(3):
        axis = wp.where(k == 0, first, wp.where(k == 1, second, 2))
        along = wp.where(k == 1, sign, one)
        speed = (
            rotation[i, 0, axis] * qvel[i, 0] + rotation[i, 1, axis] * qvel[i, 1] + rotation[i, 2, axis] * qvel[i, 2]
        )
        values[i, gravity + k] = -along * rotation[i, 2, axis]
        values[i, velocity + k] = along * speed
        values[i, spin + k] = along * qvel[i, 3 + axis]
    values[i, heading] = rotation[i, first, forward]
    values[i, heading + 1] = sign * rotation[i, second, forward]


@wp.kernel(enable_backward=False)
def joint_frame(
    qpos: Rows, qvel: Rows, values: Rows, joints: Columns, table: Rows, torques: bool,
    action: Rows, last_action: Rows, reference: Rows, rate: Rows, at: Columns,
):  # fmt: skip
    """As `kernels.joint_frame`."""
    i = wp.tid()
    s = i % table.shape[0]
    most, drawn, power = table[s, wp.static(MAX_TORQUE)], F(0.0), F(0.0)
    for j in range(joints.shape[0]):
        column = int(joints[j])
        angle, speed = qpos[i, column], qvel[i, column - 1]
        ahead = reference[i, j] - angle
        asked = table[s, wp.static(KP)] * ahead + table[s, wp.static(KD)] * (rate[i, j] - speed)
        if torques:
            asked = action[i, j] * most
        lost = speed * (most / table[s, wp.static(NO_LOAD_SPEED)])
        torque = within(asked, within(-most - lost, -most, most), within(most - lost, -most, most))
        current = torque * table[s, wp.static(CURRENT)]
        voltage = torque * table[s, wp.static(RESISTANCE)] + speed * table[s, wp.static(BACK_EMF)]
        values[i, int(at[0]) + j] = angle
        values[i, int(at[1]) + j] = speed
        values[i, int(at[2]) + j] = ahead
        values[i, int(at[3]) + j] = torque
        values[i, int(at[4]) + j] = current
        power += wp.abs(torque) * wp.abs(speed)
        drawn += wp.min(wp.abs(voltage) / table[s, wp.static(SUPPLY)], F(1.0)) * wp.abs(current)
    drained = wp.pow(drawn * table[s, wp.static(CHARGE)], table[s, wp.static(PEUKERT)])
    values[i, int(at[5])] = power
    values[i, int(at[6])] = drained / table[s, wp.static(RATED_TIME)]
    changed = F(0.0)
    for k in range(action.shape[1]):
        changed += (action[i, k] - last_action[i, k]) * (action[i, k] - last_action[i, k])
    values[i, int(at[7])] = changed


@wp.kernel(enable_backward=False)
def ramp(
    qpos: Rows, joints: Columns, table: Rows, limits: Row, times: Row, lead: int,
    action: Rows, reference: Rows, rate: Rows, commands: wp.array4d[F],
):  # fmt: skip
    """As `kernels.ramp`."""
    i = wp.tid()
    n = times.shape[0] - 1
    for j in range(joints.shape[0]):
        speed, limit = action[i, j] * table[i % table.shape[0], wp.static(NO_LOAD_SPEED)], limits[j]
        angle = qpos[i, int(joints[j])]
        start = angle + within(reference[i, j] - angle, -LEAD, LEAD)
        for k in range(n):
            commands[i, k, j, 0] = within(start + times[k + lead] * speed, -limit, limit)
            commands[i, k, j, 1] = speed
        rate[i, j] = speed
        reference[i, j] = within(start + times[n] * speed, -limit, limit)


@wp.func
def phase_time(reference: F, slow_time: F, sweep: F, fast_rate: F):
    """Return the angle of a leg's own turn, within half a turn of mid-stance, and the time since mid-stance."""
    angle = -reference
    angle = angle - TURN * wp.floor(angle / TURN + F(0.5))
    beyond = wp.abs(angle) - F(0.5) * sweep
    tau = angle * slow_time / sweep
    if beyond > F(0.0):
        tau = wp.sign(angle) * (F(0.5) * slow_time + beyond / fast_rate)
    return angle, tau


@wp.kernel(enable_backward=False)
def turn(
    reference: Rows, table: Rows, period_of: F, slow_time: F, sweep: F, period: F, modulation: F,
    action: Rows, speeds: Rows,
):  # fmt: skip
    """As `kernels.turn`."""
    i = wp.tid()
    fast_rate, fastest = (TURN - sweep) / (period_of - slow_time), table[i % table.shape[0], wp.static(NO_LOAD_SPEED)]
    for j in range(action.shape[1]):
        angle, tau = phase_time(reference[i, j], slow_time, sweep, fast_rate)
        tau = tau + period * (F(1.0) + modulation * action[i, j])
        turns = wp.floor(tau / period_of + F(0.5))
        tau = tau - turns * period_of
        target = sweep / slow_time * tau
        if wp.abs(tau) > F(0.5) * slow_time:
            edge = wp.sign(tau) * F(0.5)
            target = edge * sweep + fast_rate * (tau - edge * slow_time)
        speeds[i, j] = within((angle - target - TURN * turns) / (period * fastest), F(-1.0), F(1.0))


@wp.kernel(enable_backward=False)
def pull(
    reference: Rows, period_of: F, slow_time: F, sweep: F, phase: Row, coupling: F, action: Rows, pulled: Rows,
):  # fmt: skip
    """As `kernels.pull`."""
    i = wp.tid()
    fast_rate = (TURN - sweep) / (period_of - slow_time)
    cosine, sine = F(0.0), F(0.0)
    for j in range(action.shape[1]):
        _angle, tau = phase_time(reference[i, j], slow_time, sweep, fast_rate)
        pulled[i, j] = TURN * (tau / period_of - phase[j])
        cosine += wp.cos(pulled[i, j])
        sine += wp.sin(pulled[i, j])
    mean = wp.atan2(sine, cosine)
    for j in range(action.shape[1]):
        behind = mean - pulled[i, j]
        behind = behind - TURN * wp.floor(behind / TURN + F(0.5))
        pulled[i, j] = within(action[i, j] + coupling * behind, F(-1.0), F(1.0))


class Twins:
    """The kernels by their names, with the arguments of the originals; arrays are `DeviceArray`s.

    Args:
        device: Where they run.
    """

    def __init__(self, device: str):
        wp.init()
        self._device = device

    def _launch(self, kernel, n: int, *values) -> None:
        wp.launch(kernel, dim=n, inputs=[self._given(value) for value in values], device=self._device)

    def _given(self, value):
        """Return an argument as Warp takes it."""
        if isinstance(value, DeviceArray):
            return wp.from_torch(value.tensor)
        if isinstance(value, np.ndarray):
            return wp.array(value, dtype=F, device=self._device)
        return F(value) if isinstance(value, float) else value

    def body_frame(self, qpos, qvel, rotation, values, at, axes) -> None:
        """As `kernels.body_frame`."""
        self._launch(body_frame, len(qpos), qpos, qvel, rotation, values, *at, *axes)

    def walker_frame(self, qpos, qvel, rotation, values, body_at, axes, joints, table, torques, *rest) -> None:
        """As `kernels.walker_frame`."""
        self.body_frame(qpos, qvel, rotation, values, body_at, axes)
        self._launch(joint_frame, len(qpos), qpos, qvel, values, joints, table, torques, *rest)

    def ramp(self, qpos, *rest) -> None:
        """As `kernels.ramp`."""
        self._launch(ramp, len(qpos), qpos, *rest)

    def turn(self, reference, table, gait, period, modulation, action, speeds) -> None:
        """As `kernels.turn`."""
        self._launch(turn, len(action), reference, table, *map(float, gait), period, modulation, action, speeds)

    def pull(self, reference, gait, phase, coupling, action, pulled) -> None:
        """As `kernels.pull`."""
        self._launch(pull, len(action), reference, *map(float, gait), phase, coupling, action, pulled)

    def legs_of_clock(self, gait, *rest) -> None:
        """As `clock_kernels.legs_of_clock`."""
        self._launch(legs_of_clock, len(gait), gait, *rest)

    def joints_of_gait(self, kind, gait, *rest) -> None:
        """As `gait_kernels.joints_of_gait`."""
        self._launch(joints_of_gait, len(gait), kind, gait, *rest)
