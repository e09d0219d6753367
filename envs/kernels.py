"""The arithmetic of a step that all walkers share, compiled: every row of an array is a simulation.

NumPy takes half a microsecond for an operation on the six joints of one robot, and twice that when the physics has just
emptied the processor's caches: some fifty of them were a quarter of a step of `Hexapod-v0`. A kernel takes two to
five microseconds. Rows do not depend on each other, so that one simulation and many are bitwise identical.

`COMPILED.name` is the function of that name, compiled when it is first asked for, which imports numba; without numba
the functions run as they are. On a device they are translated to Warp; `warp.translation` says which Python that takes.

Kernels that write commands share arguments: `times`, the substeps and the end of the period from now, shape
(n_substeps + 1,) [s]; `lead`, 0 or 1 substep; `cycles`, which a gait has gone before and after, shape (n,); `reference`
and `rate`, set-points before and after and their speeds, shape (n, n_joints) [rad, rad/s]; `commands`, written, shape
(n, n_substeps, n_joints, 3), see `servos`. Where a gait is corrected `action`, shape (n, n_actions), begins with the
joints, `scale` is the correction that an action of 1 asks for [rad], `share` that by which the `correction`, before and
after, shape (n, n_joints) [rad], comes nearer to it in the period; 0 leaves it as it is.
"""

import numpy as np

from ..analytic.clock import TURN, fast_phase, slow_phase
from ..analytic.compilation import compiled
from .clock_kernels import legs_of_clock  # noqa: F401  one of COMPILED
from .gait_kernels import joints_of_gait, pose_of_gait  # noqa: F401  two more

MAX_LEAD = np.pi  # of a set-point ahead of its joint [rad]: what the documents' controller, which wraps, can see
# Columns of a walker's `table`; `servos.row_of` fills a row.
KP, KD, NO_LOAD_SPEED, MAX_TORQUE, CURRENT, RESISTANCE, BACK_EMF, SUPPLY, CHARGE, PEUKERT, RATED_TIME = range(11)


def body_frame(qpos, qvel, rotation, values, at, axes):
    """Measure free bodies along their own axes.

    Args:
        qpos: Shape (n, nq).
        qvel: Shape (n, nv).
        rotation: Receives the matrices from body to world, shape (n, 3, 3).
        values: Receives the direction of gravity, velocity [m/s] and angular velocity [rad/s] of the body, and the
            horizontal part of its forward axis in the world, shape (n, n_values).
        at: First column of each of the four, shape (4,).
        axes: Which axis is the first, which the second, and its sign; and which the body's forward axis is; shape
            (4,). The third is z.
    """
    gravity, velocity, spin, heading = at
    first, second, sign, forward = axes
    for i in range(len(qpos)):
        w, x, y, z = qpos[i, 3], qpos[i, 4], qpos[i, 5], qpos[i, 6]
        w2, x2, y2, z2 = 2.0 * w, 2.0 * x, 2.0 * y, 2.0 * z
        xx, yy, zz, xy, xz, yz, wx, wy, wz = x2 * x, y2 * y, z2 * z, x2 * y, x2 * z, y2 * z, w2 * x, w2 * y, w2 * z
        rotation[i, 0, 0], rotation[i, 0, 1], rotation[i, 0, 2] = 1.0 - (yy + zz), xy - wz, xz + wy
        rotation[i, 1, 0], rotation[i, 1, 1], rotation[i, 1, 2] = xy + wz, 1.0 - (xx + zz), yz - wx
        rotation[i, 2, 0], rotation[i, 2, 1], rotation[i, 2, 2] = xz - wy, yz + wx, 1.0 - (xx + yy)
        R = rotation[i]
        for k in range(3):
            axis, along = first if k == 0 else second if k == 1 else 2, float(sign) if k == 1 else 1.0
            values[i, gravity + k] = -along * R[2, axis]
            values[i, velocity + k] = along * (
                R[0, axis] * qvel[i, 0] + R[1, axis] * qvel[i, 1] + R[2, axis] * qvel[i, 2]
            )
            values[i, spin + k] = along * qvel[i, 3 + axis]
        values[i, heading], values[i, heading + 1] = R[first, forward], float(sign) * R[second, forward]


def ramp(qpos, joints, table, limits, times, lead: int, action, reference, rate, commands):
    """Ramp the joints' set-points at the speeds of an action, and write the commands of the substeps.

    Of its own, beside what the kernels share:
        qpos: Shape (n, nq).
        joints: Columns of the joints in it, shape (n_joints,).
        table: Of the servos, one row for all or one for each simulation.
        limits: Range of each joint either way, shape (n_joints,) [rad].
    """
    for i in range(len(qpos)):
        no_load_speed = table[i % len(table), NO_LOAD_SPEED]
        for j in range(len(joints)):
            angle, speed, limit = qpos[i, joints[j]], action[i, j] * no_load_speed, limits[j]
            start = angle + min(max(reference[i, j] - angle, -MAX_LEAD), MAX_LEAD)
            for k in range(len(times) - 1):
                commands[i, k, j, 0] = min(max(start + times[k + lead] * speed, -limit), limit)
                commands[i, k, j, 1] = speed
            rate[i, j] = speed
            reference[i, j] = min(max(start + times[-1] * speed, -limit), limit)


def turn(reference, table, gait, period, modulation, action, speeds):
    """Ask for the speeds that carry each leg through its own slow and fast turn, at a rate that the action changes.

    Args:
        reference: Set-points, shape (n, n_joints) [rad]; minus the profile's angle F (`analytic.clock`).
        table: Of the servos, one row for all or one for each simulation.
        gait: Cycle time [s], slow time [s] and sweep angle [rad] of the turn at rate 1, shape (3,).
        period: Over which the speeds hold [s].
        modulation: Share of the rate that an action of 1 adds.
        action: Shape (n, n_joints).
        speeds: Receives the speeds as shares of the no-load speed, within -1 and 1, shape (n, n_joints).
    """
    cycle_time, slow_time, sweep = gait
    fast_rate = (TURN - sweep) / (cycle_time - slow_time)
    for i in range(len(action)):
        fastest = table[i % len(table), NO_LOAD_SPEED]
        for j in range(action.shape[1]):
            angle = -reference[i, j]
            angle -= TURN * np.floor(angle / TURN + 0.5)  # within half a turn of mid-stance
            beyond = abs(angle) - 0.5 * sweep
            tau = angle * slow_time / sweep
            if beyond > 0.0:
                tau = np.copysign(0.5 * slow_time + beyond / fast_rate, angle)
            tau += period * (1.0 + modulation * action[i, j])
            turns = np.floor(tau / cycle_time + 0.5)
            tau -= turns * cycle_time
            if abs(tau) <= 0.5 * slow_time:
                target, _ = slow_phase(tau, slow_time, sweep)
            else:
                target, _ = fast_phase(tau, np.copysign(0.5, tau), cycle_time, slow_time, sweep)
            share = (angle - target - TURN * turns) / (period * fastest)
            speeds[i, j] = min(max(share, -1.0), 1.0)


def pull(reference, gait, phase, coupling, action, pulled):
    """Add to the action of each leg's turn what pulls its phase to the mean of all, relative to a tripod's phases.

    Args:
        reference: Set-points, shape (n, n_joints) [rad]; minus the profile's angle F (`analytic.clock`).
        gait: As in `turn`.
        phase: Of each leg in a tripod, shape (n_joints,) [cycle].
        coupling: Added for a radian that a leg's phase is behind.
        action: Shape (n, n_joints).
        pulled: Receives the sum, within -1 and 1, shape (n, n_joints).
    """
    cycle_time, slow_time, sweep = gait
    fast_rate = (TURN - sweep) / (cycle_time - slow_time)
    for i in range(len(action)):
        cosine, sine = 0.0, 0.0
        for j in range(action.shape[1]):
            angle = -reference[i, j]
            angle -= TURN * np.floor(angle / TURN + 0.5)  # within half a turn of mid-stance
            tau, beyond = angle * slow_time / sweep, abs(angle) - 0.5 * sweep
            if beyond > 0.0:
                tau = np.copysign(0.5 * slow_time + beyond / fast_rate, angle)
            pulled[i, j] = TURN * (tau / cycle_time - phase[j])
            cosine, sine = cosine + np.cos(pulled[i, j]), sine + np.sin(pulled[i, j])
        mean = np.arctan2(sine, cosine)
        for j in range(action.shape[1]):
            behind = mean - pulled[i, j]
            behind -= TURN * np.floor(behind / TURN + 0.5)
            pulled[i, j] = min(max(action[i, j] + coupling * behind, -1.0), 1.0)


def walker_frame(
    qpos, qvel, rotation, values, body_at, axes, joints, table, torques, action, last_action, reference, rate, at
):
    """Measure bodies and joints: `body_frame` and `joint_frame`, one call for both."""
    body_frame(qpos, qvel, rotation, values, body_at, axes)
    joint_frame(qpos, qvel, values, joints, table, torques, action, last_action, reference, rate, at)


def joint_frame(qpos, qvel, values, joints, table, torques: bool, action, last_action, reference, rate, at):
    """Measure joints and servos.

    A servo's torque is that of the current state: MuJoCo's `actuator_force` is that of the start of the last substep,
    and with the integrator `discrete` lacks the implicit part: 0.3 N m too much for a hip in swing.

    Args:
        qpos: Shape (n, nq).
        qvel: Shape (n, nv).
        values: Receives, of each joint, angle [rad], speed [rad/s], lead of the set-point [rad], torque [N m] and
            current [A], then the mechanical power of all [W], the share of the battery's charge that they drain per
            second (`Battery.drain_rate`), and the squared change of the action.
        joints: Columns of the joints in `qpos`, shape (n_joints,); in `qvel` they are one less.
        table: Of the servos, one row for all or one for each simulation.
        torques: Whether the action means torques.
        action: Shape (n, n_actions).
        last_action: The one before it.
        reference: Set-points, shape (n, n_joints) [rad].
        rate: Their speeds [rad/s].
        at: First column in `values` of each of the eight.
    """
    n = len(joints)
    for i in range(len(qpos)):
        servo = table[i % len(table)]
        most, drawn, power = servo[MAX_TORQUE], 0.0, 0.0
        for j in range(n):
            angle, speed = qpos[i, joints[j]], qvel[i, joints[j] - 1]
            ahead = reference[i, j] - angle
            asked = action[i, j] * most if torques else servo[KP] * ahead + servo[KD] * (rate[i, j] - speed)
            lost = speed * (most / servo[NO_LOAD_SPEED])
            torque = min(max(asked, min(max(-most - lost, -most), most)), min(max(most - lost, -most), most))
            current = torque * servo[CURRENT]
            voltage = torque * servo[RESISTANCE] + speed * servo[BACK_EMF]
            values[i, at[0] + j], values[i, at[1] + j], values[i, at[2] + j] = angle, speed, ahead
            values[i, at[3] + j], values[i, at[4] + j] = torque, current
            power += abs(torque) * abs(speed)
            drawn += min(abs(voltage) / servo[SUPPLY], 1.0) * abs(current)
        values[i, at[5]], values[i, at[7]] = power, 0.0
        values[i, at[6]] = (drawn * servo[CHARGE]) ** servo[PEUKERT] / servo[RATED_TIME]
        for k in range(action.shape[1]):
            change = action[i, k] - last_action[i, k]
            values[i, at[7]] += change * change


class _Compiled:
    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        function = compiled(globals()[name])
        setattr(self, name, function)
        return function


COMPILED = _Compiled()
