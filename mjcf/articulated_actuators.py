"""Actuators and fixed tendons of a MuJoCo model as tables of the exact engine."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.articulated import layout as at

KINDS = {
    int(mujoco.mjtGain.mjGAIN_FIXED): at.AFFINE,
    int(mujoco.mjtGain.mjGAIN_AFFINE): at.AFFINE,
    int(mujoco.mjtGain.mjGAIN_DCMOTOR): at.DC_MOTOR,
    int(mujoco.mjtGain.mjGAIN_PID): at.PID,
}
FILTERS = (int(mujoco.mjtDyn.mjDYN_FILTER), int(mujoco.mjtDyn.mjDYN_FILTEREXACT))
SHORTEST = mujoco.mjMINVAL  # of time constants, as MuJoCo has them [s]


def tendon_tables(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Return the tables of tendons and actuators, by name; what is not covered was refused.

    Terms are first those of tendons, as MuJoCo has them, then one for each actuator of a joint.
    """
    wraps, terms = np.asarray(model.wrap_objid, int), []
    for wrap, joint in enumerate(wraps):
        terms.append((model.jnt_qposadr[joint], model.jnt_dofadr[joint], model.wrap_prm[wrap]))
    tendons = np.column_stack((model.tendon_adr, model.tendon_num)).reshape(-1, 2)
    indices, numbers = [], []
    for number in range(len(model.actuator_trntype)):
        gear, target = model.actuator_gear[model.actuator_outadr[number], 0], model.actuator_trnid[number, 0]
        joint = model.actuator_trntype[number] != int(mujoco.mjtTrn.mjTRN_TENDON)
        first = len(terms)
        if joint:
            terms.append((model.jnt_qposadr[target], model.jnt_dofadr[target], gear))
        else:
            first_wrap, count = tendons[target]
            terms += [(q, v, gear * c) for q, v, c in terms[first_wrap : first_wrap + count]]
        index, row = _actuator(model, number)
        index[[at.FIRST_TERM, at.N_TERMS]] = first, len(terms) - first
        indices.append(index)
        numbers.append(row)
    span = np.asarray(model.tendon_lengthspring, float).reshape(-1, 2)
    limited = np.asarray(model.actuator_ctrllimited, bool)[:, None]
    return {
        "term_index": np.array([term[:2] for term in terms], np.int64).reshape(-1, at.TERM_INTEGERS),
        "term": np.array([term[2:] for term in terms], float).reshape(-1, at.TERM_NUMBERS),
        "tendon_index": tendons.astype(np.int64),
        "tendon": np.column_stack((model.tendon_stiffness, model.tendon_damping, span)).reshape(-1, at.TENDON_NUMBERS),
        "actuator_index": np.array(indices, np.int64).reshape(-1, at.ACTUATOR_INTEGERS),
        "actuator": np.array(numbers, float).reshape(-1, at.ACTUATOR_NUMBERS),
        "control": np.where(limited, np.asarray(model.actuator_ctrlrange, float).reshape(-1, 2), (-np.inf, np.inf)),
    }


def _actuator(model: mujoco.MjModel, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return an actuator's rows of integers and of numbers, without its terms."""
    index, row = np.zeros(at.ACTUATOR_INTEGERS, np.int64), np.zeros(at.ACTUATOR_NUMBERS)
    kind = KINDS[int(model.actuator_gaintype[number])]
    index[at.KIND], index[at.CTRL] = kind, model.actuator_ctrladr[number]
    index[at.INPUTS], index[[at.ACT, at.CURRENT]] = model.actuator_ctrlspec[number], -1
    limited = model.actuator_forcelimited[number]
    row[[at.LOW, at.HIGH]] = model.actuator_forcerange[number] if limited else (-np.inf, np.inf)
    {at.AFFINE: _set_affine, at.DC_MOTOR: _set_motor, at.PID: _set_pid}[kind](model, number, index, row)
    return index, row


def _set_affine(model: mujoco.MjModel, number: int, index: np.ndarray, row: np.ndarray) -> None:
    dynamics = int(model.actuator_dyntype[number])
    if dynamics != int(mujoco.mjtDyn.mjDYN_NONE):
        index[at.DYNAMICS] = at.FILTER if dynamics in FILTERS else at.INTEGRATOR
        index[at.ACT] = model.actuator_actadr[number]
    row[at.TIME_CONSTANT] = max(SHORTEST, model.actuator_dynprm[number, 0])
    affine = model.actuator_gaintype[number] == int(mujoco.mjtGain.mjGAIN_AFFINE)
    row[at.GAIN : at.GAIN + 3] = model.actuator_gainprm[number, :3] * (1, affine, affine)
    if model.actuator_biastype[number] == int(mujoco.mjtBias.mjBIAS_AFFINE):
        row[at.BIAS : at.BIAS + 3] = model.actuator_biasprm[number, :3]


def _set_motor(model: mujoco.MjModel, number: int, index: np.ndarray, row: np.ndarray) -> None:
    gain, dynamics = model.actuator_gainprm[number], model.actuator_dynprm[number]
    state = int(model.actuator_actadr[number])
    if gain[5] > 0:  # the controller's integral comes first, the current last
        index[at.ACT], state = state, state + 1
    if dynamics[0] > 0:
        index[at.CURRENT] = state
    row[[at.RESISTANCE, at.MOTOR_CONSTANT, at.TIME_CONSTANT]] = gain[0], gain[1], dynamics[0]
    row[[at.KP, at.KI, at.KD]] = gain[4:7]
    row[at.VOLTAGE] = gain[7] if gain[7] > 0 else np.inf


def _set_pid(model: mujoco.MjModel, number: int, index: np.ndarray, row: np.ndarray) -> None:
    bias, integral = model.actuator_biasprm[number], model.actuator_gainprm[number, 0]
    if integral > 0:
        index[at.ACT] = model.actuator_actadr[number]
    row[[at.KP, at.KI, at.KD]] = -bias[1], integral, -bias[2]
    row[at.BIAS] = bias[0]
