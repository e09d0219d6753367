"""Running a MuJoCo hexapod under a controller, into a labelled record.

A row of the record is the state before a physics step, with the forces of that same instant: MuJoCo computes forces,
toe positions and sensors for the state a step starts from, and moves the state afterwards. So state is read before
`mj_step` and everything derived from it after; reading all of it after the step would mix two instants. Hip torques are
those of controller and motor in the recorded state, by the law of `controllers.pd` and `analytic.motor`, which the
model's motors follow to rounding: MuJoCo's own reading belongs to the command of the step, not to the instant.

A run that diverges or topples ends there, and its status says so. MuJoCo itself would only count a warning, put the
robot back to the start, and go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import mujoco
import numpy as np
import xarray as xr
from tqdm import tqdm

from tarsus.analytic.battery import Battery
from tarsus.analytic.models.hexapod import N_LEGS
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.pd import torque
from tarsus.envs.measure import UPRIGHT
from tarsus.mjcf import parts
from tarsus.scripts.runs import record
from tarsus.scripts.runs.experiment import NUDGE, Experiment, Stepper

SAMPLE_PERIOD = 1e-3  # between rows of a record by default [s]; a longer timestep records every step


class Status(Enum):
    """How a run ended."""

    COMPLETED = "reached the end"
    TOPPLED = "toppled: the body tilted by more than 60 degrees"
    FELL = "fell: the centre of the body went below the ground"
    STOPPED = "stopped before its end, as asked"
    DIVERGED = "diverged: MuJoCo found numbers that are not finite or far too large"


@dataclass(frozen=True)
class Run:
    """What a simulation gave."""

    record: xr.Dataset  # up to the last good state
    status: Status
    warnings: str  # MuJoCo's, in words; empty if there were none

    @property
    def completed(self) -> bool:
        """Whether the robot was on its legs to the end."""
        return self.status is Status.COMPLETED


def simulate(
    experiment: Experiment,
    seconds: float,
    *,
    every: int | None = None,
    progress: bool = True,
    stop: Callable[[], bool] | None = None,
) -> Run:
    """Return the record of a run from the experiment's start.

    Args:
        experiment: What to run.
        seconds: For how long [s].
        every: Physics steps between two rows; by default those in `SAMPLE_PERIOD`, at least one. Forces of an impact
            last a few milliseconds, and rows further apart than that miss some.
        progress: Whether to show a progress bar.
        stop: Asked at every row whether to end the run there.

    Raises:
        ValueError: If the time is shorter than a row.
    """
    stepper = Stepper(experiment)
    timestep = stepper.model.opt.timestep
    every, n_rows = rows_in(seconds, timestep, every)
    rows = _Rows(n_rows + 1, stepper)
    with tqdm(total=n_rows, unit_scale=every * timestep, disable=not progress, bar_format=_BAR) as bar:
        for row in range(n_rows + 1):
            status = _advance(
                stepper, rows, every if row < n_rows else 1, experiment
            )  # one step more closes the record
            if status is Status.COMPLETED and row < n_rows and stop is not None and stop():
                status = Status.STOPPED
            if status is not Status.COMPLETED:
                break
            bar.update(int(row < n_rows))
    return Run(rows.record(experiment, status, every), status, stepper.warnings())


def rows_in(seconds: float, timestep: float, every: int | None = None) -> tuple[int, int]:
    """Return the physics steps between two rows of a record, and how many rows follow the first.

    Raises:
        ValueError: If the time is shorter than a row.
    """
    every = max(1, round(SAMPLE_PERIOD / timestep)) if every is None else every
    n_rows = round(seconds / (every * timestep))
    if n_rows < 1:
        raise ValueError(f"a run must last at least one row of {every * timestep:g} s, got {seconds} s")
    return every, n_rows


_BAR = "{desc}{percentage:3.0f} %|{bar}| {n:.1f}/{total:.1f} s simulated [{elapsed}]"


def _advance(stepper: Stepper, rows: _Rows, every: int, experiment: Experiment) -> Status:
    """Record one row and step up to the next; return how that went."""
    for k in range(every):
        if k == 0:
            rows.before(stepper)
        stepper.step()
        if _diverged(stepper.data):
            return Status.DIVERGED  # a row begun is given up: MuJoCo has reset the state
        if k == 0:
            rows.after(stepper)
    return _posture(stepper.data, experiment.ground)


_BAD = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)


def _diverged(data: mujoco.MjData) -> bool:
    return any(data.warning[kind].number for kind in _BAD)


def _posture(data: mujoco.MjData, ground: Terrain) -> Status:
    x, y, z = data.qpos[:3]
    _, q_x, q_y, _ = data.qpos[3:7]
    if 1 - 2 * (q_x * q_x + q_y * q_y) < UPRIGHT:  # the vertical part of the body's up axis
        return Status.TOPPLED
    return Status.FELL if z < ground.height(x, y) else Status.COMPLETED


class _Rows:
    """The arrays of a record, filled row by row."""

    def __init__(self, n: int, stepper: Stepper):
        model = stepper.model
        self.n = 0
        self.time = np.zeros(n)
        self.qpos, self.qvel = np.zeros((n, model.nq)), np.zeros((n, model.nv))
        self.command = np.zeros((n, N_LEGS, len(parts.SERVO_INPUTS)))
        self.feet = np.zeros((n, N_LEGS, 3))
        self.contact = np.zeros((n, N_LEGS, 4))
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        self.energy, self.contact_qfrc = np.zeros((n, 2)), np.zeros((n, model.nv))
        self._damping = model.dof_damping
        self._sites = np.array([model.site(f"foot_{leg}").id for leg in range(N_LEGS)])
        first = model.sensor("foot_0").adr[0]
        self._sensors = slice(first, first + 4 * N_LEGS)

    def before(self, stepper: Stepper) -> None:
        """Read the state, and what the hips are asked for in it."""
        data = stepper.data
        self.time[self.n], self.qpos[self.n], self.qvel[self.n] = data.time, data.qpos, data.qvel
        now = data.time + NUDGE * stepper.model.opt.timestep
        self.command[self.n] = stepper.controller(now, data.qpos[7::3])

    def after(self, stepper: Stepper) -> None:
        """Read, after the step, what MuJoCo derived from the state before it."""
        data = stepper.data
        self.feet[self.n] = data.site_xpos[self._sites]
        self.contact[self.n] = data.sensordata[self._sensors].reshape(N_LEGS, 4)
        self.energy[self.n], self.contact_qfrc[self.n] = data.energy, data.qfrc_constraint
        self.n += 1

    def budget(self, kept: slice, motor_power: np.ndarray) -> dict[str, np.ndarray]:
        """Return the energy budget of a record of every step.

        Powers of motors and dampers are trapezoids between instants. The ground's force holds for a step and moves at
        the mean of the velocities before and after it: a toe that a step stops loses m v^2 / 2, not m v^2.
        """
        qvel, step = self.qvel[kept], np.diff(self.time[kept])
        damper_power = qvel**2 @ self._damping
        taken = -np.sum(self.contact_qfrc[kept][:-1] * 0.5 * (qvel[:-1] + qvel[1:]), axis=-1) * step
        return {
            "energy": self.energy[kept].sum(axis=-1),
            "motor_work": _integral(motor_power, step),
            "damper_loss": _integral(damper_power, step),
            "contact_loss": np.concatenate([[0.0], np.cumsum(taken)]),
        }

    def record(self, experiment: Experiment, status: Status, every: int) -> xr.Dataset:
        """Return what was filled in, with what follows from it; the energy budget if these are all the steps."""
        kept = slice(0, self.n)
        qpos, qvel, command = self.qpos[kept], self.qvel[kept], self.command[kept]
        params, motor = experiment.params, experiment.params.motor
        hip_angle, hip_speed = qpos[:, 7::3], qvel[:, 6::3]
        reference, rate, feedforward = np.moveaxis(command, -1, 0)
        torque_command = torque(reference, rate, hip_angle, hip_speed, params.KP, params.KD) + feedforward
        hip_torque = motor.limit(torque_command, hip_speed)
        current, voltage = motor.current(hip_torque), motor.voltage(hip_torque, hip_speed)
        variables = {
            "body_position": qpos[:, :3],
            "body_orientation": qpos[:, 3:7],
            "body_velocity": qvel[:, :3],
            "body_angular_velocity_b": qvel[:, 3:6],
            "hip_angle": hip_angle,
            "hip_speed": hip_speed,
            "hip_reference": reference,
            "hip_reference_rate": rate,
            "splay": qpos[:, 8::3],
            "leg_length": qpos[:, 9::3],
            "hip_torque": hip_torque,
            "torque_command": torque_command,
            "foot_position": self.feet[kept],
            "foot_force": self.contact[kept, :, 1:],
            "foot_contact": self.contact[kept, :, 0] > 0,
            "motor_current": current,
            "motor_voltage": voltage,
            "battery_drain": Battery().drain_rate(current, voltage),
        }
        if every == 1:
            variables |= self.budget(kept, np.sum(hip_torque * hip_speed, axis=-1))
        attrs = record.describe(
            f"mujoco {mujoco.__version__}",
            status.value,
            experiment.preset_name,
            params,
            experiment.gait,
            experiment.ground,
        )
        return record.build(self.time[kept], variables, attrs)


def _integral(power: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return the energy since the first row, by trapezoids [J]."""
    return np.concatenate([[0.0], np.cumsum(0.5 * step * (power[:-1] + power[1:]))])
