"""Actuators on joints and fixed tendons: affine laws with or without an activation, servos, and DC motors.

A DC motor of resistance R and constant K gives the torque K / R (V - K velocity) at a voltage V. Commanded by voltage
it is affine. With a controller its command is a torque, reached unless that takes more than the largest voltage V_max:
the torque stays within +-K V_max / R - K^2 / R velocity.
"""

import mujoco
import numpy as np

from ..analytic.articulated import layout

GAIN, DYN = mujoco.mjtGain, mujoco.mjtDyn
FIXED, AFFINE, PID = int(GAIN.mjGAIN_FIXED), int(GAIN.mjGAIN_AFFINE), int(GAIN.mjGAIN_PID)
RESISTANCE, MOTOR_CONSTANT, KP, KI, KD, VOLTAGE = 0, 1, 4, 5, 6, 7  # of a DC motor's `gainprm`
POS, VEL, FF, DIRECT = 1, 2, 4, 8  # bits of `ctrlspec`; the last is the raw voltage
SIMPLE = {int(DYN.mjDYN_INTEGRATOR): layout.INTEGRATOR, int(DYN.mjDYN_FILTER): layout.FILTER,
          int(DYN.mjDYN_FILTEREXACT): layout.FILTER}  # fmt: skip


def actuators(model: mujoco.MjModel, lines: dict) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers and addresses of all actuators; what `articulated_refusals.check` lets pass."""
    n = model.nactuator
    numbers, of = np.zeros((n, layout.ACTUATOR_COLUMNS)), np.full((n, 8), -1, np.int64)
    numbers[:, layout.STALL] = np.inf
    for k in range(n):
        kind = "tendon" if model.actuator_trntype[k] == int(mujoco.mjtTrn.mjTRN_TENDON) else "joint"
        of[k, layout.LINE] = lines[kind, int(model.actuator_trnid[k, 0])][0]
        of[k, layout.DYNAMICS] = 0
        numbers[k, layout.GEAR] = model.actuator_gear[k, 0]
        limited = model.actuator_forcelimited[k]
        bounds = model.actuator_forcerange[k] if limited else (-np.inf, np.inf)
        numbers[k, [layout.FORCE_LEAST, layout.FORCE_MOST]] = bounds
        if model.actuator_gaintype[k] in (FIXED, AFFINE):
            _affine(model, k, numbers[k], of[k])
        elif model.actuator_ctrlspec[k] & DIRECT:
            _voltage(model, k, numbers[k], of[k])
        else:
            _servo(model, k, numbers[k], of[k])
    return numbers, of


def _affine(model, k: int, numbers: np.ndarray, of: np.ndarray) -> None:
    of[layout.LAW] = layout.AFFINE
    _controls(model, k, of, (layout.U_POS,) * model.actuator_ctrlnum[k])
    n = 3 if model.actuator_gaintype[k] == AFFINE else 1
    numbers[layout.GAIN : layout.GAIN + n] = model.actuator_gainprm[k, :n]
    if model.actuator_biastype[k] == int(mujoco.mjtBias.mjBIAS_AFFINE):
        numbers[layout.BIAS : layout.BIAS + 3] = model.actuator_biasprm[k, :3]
    dynamics = SIMPLE.get(int(model.actuator_dyntype[k]))
    if dynamics is not None:
        of[layout.ACTADR], of[layout.DYNAMICS] = model.actuator_actadr[k], dynamics
        numbers[layout.TIMECONST] = max(model.actuator_dynprm[k, 0], mujoco.mjMINVAL)


def _voltage(model, k: int, numbers: np.ndarray, of: np.ndarray) -> None:
    """A DC motor whose control is its voltage."""
    of[layout.LAW] = layout.AFFINE
    _controls(model, k, of, (layout.U_POS,))
    r, constant = model.actuator_gainprm[k, [RESISTANCE, MOTOR_CONSTANT]]
    numbers[layout.GAIN], numbers[layout.BIAS + 2] = constant / r, -constant * constant / r
    _winding(model, k, numbers, of)


def _servo(model, k: int, numbers: np.ndarray, of: np.ndarray) -> None:
    """A controller of position and velocity, of a PID actuator or on a DC motor."""
    of[layout.LAW] = layout.SERVO
    spec = model.actuator_ctrlspec[k]
    inputs = ((POS, layout.U_POS), (VEL, layout.U_VEL), (FF, layout.U_FF))
    _controls(model, k, of, tuple(column for bit, column in inputs if spec & bit))
    if model.actuator_gaintype[k] == PID:
        numbers[[layout.KP, layout.KD]] = -model.actuator_biasprm[k, 1:3]
        _integral(model, k, model.actuator_gainprm[k, 0], numbers, of)
        return
    prm = model.actuator_gainprm[k]
    r, constant, voltage = prm[RESISTANCE], prm[MOTOR_CONSTANT], prm[VOLTAGE]
    numbers[[layout.KP, layout.KD]] = prm[[KP, KD]]
    _integral(model, k, prm[KI], numbers, of)
    if voltage > 0.0:
        numbers[layout.STALL], numbers[layout.BACK_EMF] = constant * voltage / r, constant * constant / r
    _winding(model, k, numbers, of)


def _integral(model, k: int, gain: float, numbers: np.ndarray, of: np.ndarray) -> None:
    """The integral of a controller's error is its first activation."""
    if gain:
        numbers[layout.KI], of[layout.INTEGRAL] = gain, model.actuator_actadr[k]


def _winding(model, k: int, numbers: np.ndarray, of: np.ndarray) -> None:
    """The current of a DC motor with inductance is its last activation."""
    if model.actuator_dynprm[k, 0] > 0.0:
        last = model.actuator_actadr[k] + model.actuator_actnum[k] - 1
        of[layout.ACTADR], of[layout.DYNAMICS] = last, layout.CURRENT
        numbers[layout.TIMECONST] = model.actuator_dynprm[k, 0]
        numbers[layout.CONSTANT] = model.actuator_gainprm[k, MOTOR_CONSTANT]


def _controls(model, k: int, of: np.ndarray, columns: tuple[int, ...]) -> None:
    """Write the addresses of the actuator's controls, in order."""
    for i, column in enumerate(columns):
        of[column] = model.actuator_ctrladr[k] + i
