"""What of a model the exact mechanics does not cover, each refused by the element's name."""

from collections.abc import Iterator

import mujoco
import numpy as np

from .articulated_feet import name_of
from .articulated_lines import KINDS, is_fixed
from .kinds import BALL, FREE

TURNING = (int(FREE), int(BALL))
GAIN, DYN, TRN = mujoco.mjtGain, mujoco.mjtDyn, mujoco.mjtTrn
# Numbers: those of a model's arrays are not found among MuJoCo's enumerations.
GAINS = {int(getattr(GAIN, f"mjGAIN_{name}")) for name in ("FIXED", "AFFINE", "DCMOTOR", "PID")}
BIASES = {int(getattr(mujoco.mjtBias, f"mjBIAS_{name}")) for name in ("NONE", "AFFINE", "DCMOTOR")}
SIMPLE = {int(getattr(DYN, f"mjDYN_{name}")) for name in ("NONE", "INTEGRATOR", "FILTER", "FILTEREXACT")}
JOINTS = {int(TRN.mjTRN_JOINT), int(TRN.mjTRN_JOINTINPARENT)}
DCMOTOR, PID = int(GAIN.mjGAIN_DCMOTOR), int(GAIN.mjGAIN_PID)
# Flags that take a force or a bound away. Others are MuJoCo's own affairs.
FLAGS = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "SPRING", "DAMPER", "GRAVITY", "CLAMPCTRL", "ACTUATION")
INDUCTANCE = 1  # of a DC motor's `dynprm`, the first: all others are of parts that are not covered
MOTOR_EXTRAS = [2, 3, 8, 9]  # of its `gainprm`: thermal resistance; the last two are reserved


def check(model: mujoco.MjModel) -> None:
    """Refuse a model with an element whose mechanics is not covered."""
    for sentence in refusals(model):
        raise ValueError(
            f"{sentence}; the exact mechanics does not cover that: take it out of the model, or use MuJoCo"
        )


def refusals(model: mujoco.MjModel) -> Iterator[str]:
    """Return a clause for each element that is not covered."""
    yield from _options(model)
    yield from _bodies(model)
    yield from _joints(model)
    for k in np.flatnonzero(model.eq_active0):
        what = _equality(model, k)
        if what:
            yield f"equality {name_of(model, 'equality', k)!r} {what}"
    for k in range(model.ntendon):
        what = _tendon(model, k)
        if what:
            yield f"tendon {name_of(model, 'tendon', k)!r} {what}"
    for k in range(model.nactuator):
        what = _actuator(model, k)
        if what:
            yield f"actuator {name_of(model, 'actuator', k)!r} {what}"


def _options(model) -> Iterator[str]:
    option = model.opt
    if option.density or option.viscosity:
        yield f"option has a fluid (density {option.density:g}, viscosity {option.viscosity:g})"
    for flag in FLAGS:
        if option.disableflags & getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"):
            yield f"option flag {flag.lower()!r} is disabled"
    if option.disableactuator:
        yield "option disables groups of actuators"
    if model.nflex:
        yield f"flex {name_of(model, 'flex', 0)!r} is deformable"
    if model.nplugin:
        yield "the model has plugins"


def _bodies(model) -> Iterator[str]:
    for k in range(model.nbody):
        if model.body_mocapid[k] >= 0:
            yield f"body {name_of(model, 'body', k)!r} is moved by mocap"


def _joints(model) -> Iterator[str]:
    for k in range(model.njnt):
        name, dof, turns = name_of(model, "joint", k), model.jnt_dofadr[k], model.jnt_type[k] in TURNING
        if turns and model.jnt_stiffness[k]:
            yield f"joint {name!r} is a free or ball joint with a spring"
        if turns and model.jnt_limited[k]:
            yield f"joint {name!r} is a ball joint with a limit"
        if turns and model.dof_frictionloss[dof]:
            yield f"joint {name!r} is a free or ball joint with frictionloss"
        if model.jnt_actgravcomp[k] and model.jnt_actfrclimited[k] and model.body_gravcomp.any():
            yield f"joint {name!r} has actuators with a bounded sum, of which gravcomp is one"
        if np.any(model.jnt_springyield[k]):
            yield f"joint {name!r} has a spring that yields"


def _equality(model, k: int) -> str:
    """Return the part of an equality that is not covered, "" if none."""
    kind, ends = int(model.eq_type[k]), (model.eq_obj1id[k], model.eq_obj2id[k])
    if kind not in KINDS:
        return f"is a {_word(mujoco.mjtEq, kind)} constraint"
    if kind == int(mujoco.mjtEq.mjEQ_TENDON) and any(t >= 0 and not is_fixed(model, t) for t in ends):
        return "is of a spatial tendon"
    return ""


def _tendon(model, k: int) -> str:
    """Return the part of a tendon that is not covered, "" if none."""
    forces = (model.tendon_stiffness, model.tendon_damping, model.tendon_frictionloss, model.tendon_limited)
    if not is_fixed(model, k) and any(force[k].any() for force in forces):
        return "is spatial and has a spring, a damper, friction or a limit"
    if model.tendon_armature[k]:
        return "has armature"
    if model.tendon_actfrclimited[k]:
        return "has actuators with a bounded sum"
    return "has a spring that yields" if model.tendon_springyield[k] else ""


def _actuator(model, k: int) -> str:
    """Return the part of an actuator that is not covered, "" if none."""
    gain, dyn, prm = int(model.actuator_gaintype[k]), int(model.actuator_dyntype[k]), model.actuator_gainprm[k]
    tendon, end = model.actuator_trntype[k] == int(TRN.mjTRN_TENDON), model.actuator_trnid[k, 0]
    if tendon and not is_fixed(model, end):
        return "drives a spatial tendon"
    if not tendon and model.actuator_trntype[k] not in JOINTS:
        return f"drives a {_word(TRN, model.actuator_trntype[k])}, not a joint or a fixed tendon"
    if not tendon and model.jnt_type[end] in TURNING:
        return "drives a free or ball joint"
    if gain not in GAINS or model.actuator_biastype[k] not in BIASES or model.actuator_plugin[k] >= 0:
        return f"has gain and bias of kind {_word(GAIN, gain)} and {_word(mujoco.mjtBias, model.actuator_biastype[k])}"
    if model.actuator_actlimited[k]:
        return "has an activation with limits"
    if np.any(model.actuator_history[k]) or model.actuator_delay[k]:
        return "has a delay"
    if model.actuator_damping[k] or model.actuator_armature[k] or np.any(model.actuator_dampingpoly[k]):
        return "has damping or armature of its own"
    if gain == DCMOTOR:
        if (
            np.any(prm[MOTOR_EXTRAS])
            or np.any(model.actuator_biasprm[k])
            or np.any(model.actuator_dynprm[k, INDUCTANCE:])
        ):
            return "is a DC motor with more than resistance, inductance, voltage limit and gains"
    elif gain == PID and np.any(model.actuator_dynprm[k]):
        return "is a PID controller with a limit of its integral or its rate"
    elif dyn not in SIMPLE and gain != PID:
        return f"has an activation of kind {_word(DYN, dyn)}"
    return "has more than one activation" if model.actuator_actnum[k] > 1 and gain != DCMOTOR else ""


def _word(kinds, value) -> str:
    """Return MuJoCo's word for a number of one of its enumerations."""
    return kinds(value).name.split("_", 1)[1].lower()
