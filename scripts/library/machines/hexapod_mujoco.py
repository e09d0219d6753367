"""Running a MuJoCo hexapod under the clock, into a labelled record.

Hip torques of a row are those of controller and motor in the recorded state, by the law of `controllers.pd` and
`analytic.motor`, which the model's motors follow to rounding: MuJoCo's own reading belongs to the command of the step,
not to the instant.
"""

from collections.abc import Callable

import mujoco
import numpy as np
import xarray as xr
from scipy.integrate import cumulative_trapezoid

from tarsus.analytic.battery import Battery
from tarsus.analytic.models.hexapod import N_LEGS
from tarsus.controllers.clock import ClockController
from tarsus.controllers.pd import torque
from tarsus.controllers.slope import SlopeEstimator, SlopeFollower
from tarsus.mjcf.hexapod_state import START, start_state
from tarsus.mjcf.presets import PRESETS, find
from tarsus.scripts.library.machines import stepping
from tarsus.scripts.library.machines.hexapod_experiment import HexapodExperiment
from tarsus.scripts.library.machines.outcome import Run, RunStatus
from tarsus.scripts.library.machines.stepping import NUDGE
from tarsus.scripts.library.records import electric, record


class HexapodStepper(stepping.Stepper):
    """Steps a hexapod under the clock: command the hips, let the ground follow the feet, step."""

    def __init__(self, experiment: HexapodExperiment):
        """Build the model and stand it at its start; by default at rest, legs where the gait wants them at t = 0."""
        model = experiment.model()
        data, begin = mujoco.MjData(model), experiment.begin
        mujoco.mj_resetDataKeyframe(model, data, model.key(START).id)
        if begin is None:
            angle = experiment.gait.clock()(0.0)[0]
            data.qpos[:] = start_state(experiment.params, experiment.ground, angle, experiment.legs)
        else:
            data.qpos[:], data.qvel[:] = begin.qpos, begin.qvel
        mujoco.mj_forward(model, data)
        super().__init__(model, data, experiment.ground, find(experiment.preset))
        self.experiment = experiment
        self._toes = experiment.legs == "toes"  # on half-circle legs it climbs stairs with its body up steeply
        self.controller, self._senses = ClockController(experiment.gait), experiment.slope_law is not None
        if self._senses:
            estimator = SlopeEstimator(experiment.params.g)
            self.controller = SlopeFollower(experiment.gait, experiment.slope_law, estimator)
        self._sites = np.array([model.site(f"foot_{leg}").id for leg in range(N_LEGS)])
        first = model.sensor("foot_0").adr[0]
        self._sensors = slice(first, first + 4 * N_LEGS)

    def command(self, data: mujoco.MjData) -> None:
        if self._senses:
            self.controller.estimator.sense(data.time, data.sensor("accelerometer").data[1])
        data.ctrl[:] = self.controller(data.time + self._command_lead, data.qpos[7::3]).ravel()

    def fallen(self) -> str:
        return self.posture() if self._toes else self.posture(0.0, RunStatus.OVERTURNED)

    def before(self) -> tuple:
        """Return time, state, and what the hips are asked for in it."""
        now = self.data.time + NUDGE * self.model.opt.timestep
        return *super().before(), self.controller(now, self.data.qpos[7::3])

    def after(self) -> tuple:
        """Return toes, contacts and forces on them, energies, and the contacts' generalised forces."""
        data = self.data
        contact = data.sensordata[self._sensors].reshape(N_LEGS, 4)
        return data.site_xpos[self._sites], contact, data.energy, data.qfrc_constraint


def simulate(
    experiment: HexapodExperiment,
    seconds: float,
    fine: bool = False,
    *,
    every: int | None = None,
    progress: bool = False,
    on_frame: Callable | None = None,
    stepper: HexapodStepper | None = None,
) -> Run:
    """Return the run from the experiment's start.

    Args:
        experiment: What to run.
        seconds: For how long [s].
        fine: Whether to look at every step, for contact times and the energy budget, and keep `every` one as a row.
        every: Physics steps between rows of the record; by default those in a millisecond.
        progress: Whether to show a progress bar.
        on_frame: See `stepping.simulate`.
        stepper: What steps it, if not the clock alone commands the hips.

    Raises:
        ValueError: If the time is shorter than a row.
    """
    stepper = stepper or HexapodStepper(experiment)
    stepper.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    every, _ = stepping.rows_in(seconds, stepper.model.opt.timestep, every)
    step = 1 if fine else every
    columns, status = stepping.simulate(stepper, seconds, step, on_frame=on_frame, progress=progress)
    made = _record(experiment, status, columns, stepper.model.dof_damping if step == 1 else None)
    return Run.of(made, status, stepper.warnings(), every // step)


def _record(experiment: HexapodExperiment, status: str, columns: list, damping: np.ndarray | None) -> xr.Dataset:
    """Return the record of a run; with its energy budget if these are all the steps, whose damping is given."""
    time, qpos, qvel, command, feet, contact, energy, contact_qfrc = columns
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
        "foot_position": feet,
        "foot_force": contact[..., 1:],
        "foot_contact": contact[..., 0] > 0,
        "motor_current": current,
        "motor_voltage": voltage,
        "battery_drain": Battery(nominal_voltage=motor.supply_voltage).drain_rate(current, voltage),
    } | electric.powers(motor, current, voltage)
    if damping is not None:
        powers = np.sum(hip_torque * hip_speed, axis=-1), qvel**2 @ damping
        variables |= _budget(time, qvel, energy, contact_qfrc, *powers)
    preset = next((name for name, known in PRESETS.items() if known == experiment.preset), experiment.preset)
    about = f"mujoco {mujoco.__version__}", status, preset
    attrs = record.describe(*about, params, experiment.gait, experiment.ground)
    return record.build(time, variables, attrs)


def _budget(time, qvel, energy, contact_qfrc, motor_power, damper_power) -> dict[str, np.ndarray]:
    """Return the energy budget of a record of every step.

    Powers of motors and dampers are trapezoids between instants. The ground's force holds for a step and moves at
    the mean of the velocities before and after it: a toe that a step stops loses m v^2 / 2, not m v^2.
    """
    taken = -np.sum(contact_qfrc[:-1] * 0.5 * (qvel[:-1] + qvel[1:]), axis=-1) * np.diff(time)
    return {
        "energy": energy.sum(axis=-1),
        "motor_work": cumulative_trapezoid(motor_power, time, initial=0.0),
        "damper_loss": cumulative_trapezoid(damper_power, time, initial=0.0),
        "contact_loss": np.concatenate([[0.0], np.cumsum(taken)]),
    }
