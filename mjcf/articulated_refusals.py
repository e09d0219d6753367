"""What of a MuJoCo model the exact engine does not cover, in sentences that name the element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import mujoco
import numpy as np

# Switches that change the motion; the rest are of MuJoCo's solver and its time stepping.
SWITCHES = "CONSTRAINT EQUALITY FRICTIONLOSS LIMIT CONTACT SPRING DAMPER GRAVITY CLAMPCTRL ACTUATION".split()
TRANSMISSIONS = ("JOINT", "JOINTINPARENT", "TENDON")
EQUALITIES = tuple(int(kind) for kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_JOINT))
SCALARS = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def refuse(model: mujoco.MjModel) -> None:
    """Refuse a model that has what is not covered.

    Raises:
        ValueError: The sentence names the elements.
    """
    parts = (_of_model, _of_bodies, _of_joints, _of_tendons, _of_equalities, _of_actuators)
    found = [what for part in parts for what in part(model)]
    if found:
        raise ValueError(f"the exact engine does not cover {'; '.join(found)}")


def name_of(model: mujoco.MjModel, kind: str, number: int) -> str:
    """Return the name of an element, or its number in the file's order where it has none."""
    name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), number)
    return repr(name) if name else f"number {number}"


def _of_model(model: mujoco.MjModel) -> Iterator[str]:
    if model.nflex:
        yield f"flexes: {name_of(model, 'flex', 0)}"
    if model.nplugin:
        yield f"plugins: {name_of(model, 'plugin', 0)}"
    if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
        yield "a fluid: density, viscosity and wind must be 0"
    off = [name for name in SWITCHES if model.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))]
    if off:
        yield f"what the file's flags switch off: {', '.join(off).lower()}; leave it out of the file instead"
    if model.opt.disableactuator:
        yield "groups of actuators that the file switches off: leave the actuators out instead"


def _of_bodies(model: mujoco.MjModel) -> Iterator[str]:
    for number in np.flatnonzero(model.body_mocapid >= 0):
        yield f"mocap bodies: {name_of(model, 'body', number)}"
    for number in np.flatnonzero(model.body_gravcomp):
        yield f"gravity compensation: gravcomp of the body {name_of(model, 'body', number)}"


def _of_joints(model: mujoco.MjModel) -> Iterator[str]:
    scalar = np.isin(model.jnt_type, SCALARS)
    for number in np.flatnonzero(~scalar & (model.jnt_stiffness != 0.0)):
        yield f"springs of free and ball joints: {name_of(model, 'joint', number)}"
    for number in np.flatnonzero(~scalar & model.jnt_limited.astype(bool)):
        yield f"limits of ball joints: {name_of(model, 'joint', number)}"
    for number in _any(model.jnt_stiffnesspoly, model.jnt_springyield):
        yield f"springs that are not linear: stiffness of the joint {name_of(model, 'joint', number)}"
    for number in np.unique(model.dof_jntid[_any(model.dof_dampingpoly)]):
        yield f"dampers that are not linear: damping of the joint {name_of(model, 'joint', number)}"


def _of_tendons(model: mujoco.MjModel) -> Iterator[str]:
    for number in range(model.ntendon):
        name = name_of(model, "tendon", number)
        if model.wrap_type[model.tendon_adr[number]] != int(mujoco.mjtWrap.mjWRAP_JOINT):
            yield f"spatial tendons: {name}"
    for what, found in (
        ("limits", _any(model.tendon_limited)),
        ("force ranges", _any(model.tendon_actfrclimited)),
        ("dry friction", _any(model.tendon_frictionloss)),
        ("armatures", _any(model.tendon_armature)),
        ("springs that are not linear", _any(model.tendon_stiffnesspoly, model.tendon_springyield)),
        ("dampers that are not linear", _any(model.tendon_dampingpoly)),
    ):
        for number in found:
            yield f"{what} of tendons: {name_of(model, 'tendon', number)}"


def _of_equalities(model: mujoco.MjModel) -> Iterator[str]:
    for number in np.flatnonzero(model.eq_active0):
        kind, name = mujoco.mjtEq(int(model.eq_type[number])), name_of(model, "equality", number)
        if int(kind) not in EQUALITIES:
            what = kind.name.removeprefix("mjEQ_").lower()
            yield f"equalities of the kind {what}: {name}; covered are connect, weld and joint"
        ends = (model.eq_obj1id[number], model.eq_obj2id[number])
        if kind == mujoco.mjtEq.mjEQ_JOINT and any(
            joint >= 0 and model.jnt_type[joint] not in SCALARS for joint in ends
        ):
            yield f"equalities of free and ball joints: {name}"


def _any(*arrays: np.ndarray) -> np.ndarray:
    """Return the rows in which an array is not zero."""
    return np.flatnonzero(np.column_stack(arrays).any(axis=1))


def _of_actuators(model: mujoco.MjModel) -> Iterator[str]:
    for number in range(len(model.actuator_trntype)):
        for what in _of_actuator(model, number):
            yield f"the actuator {name_of(model, 'actuator', number)}: {what}"


def _of_actuator(model: mujoco.MjModel, number: int) -> Iterator[str]:
    transmission = mujoco.mjtTrn(int(model.actuator_trntype[number])).name.removeprefix("mjTRN_")
    if transmission not in TRANSMISSIONS:
        yield f"its transmission is {transmission.lower()}; it must act on a hinge, a slide or a fixed tendon"
    elif transmission != "TENDON" and model.jnt_type[model.actuator_trnid[number, 0]] not in SCALARS:
        yield "it acts on a free or a ball joint; it must act on a hinge, a slide or a fixed tendon"
    kinds = (
        ("gain", mujoco.mjtGain(int(model.actuator_gaintype[number])).name, {"FIXED", "AFFINE", "DCMOTOR", "PID"}),
        ("bias", mujoco.mjtBias(int(model.actuator_biastype[number])).name, {"NONE", "AFFINE", "DCMOTOR"}),
        (
            "dynamics",
            mujoco.mjtDyn(int(model.actuator_dyntype[number])).name,
            {"NONE", "INTEGRATOR", "FILTER", "FILTEREXACT", "DCMOTOR", "PID"},
        ),
    )
    for what, name, allowed in kinds:
        if name.split("_")[1] not in allowed:
            yield f"its {what} is {name.split('_')[1].lower()}; covered are {', '.join(sorted(allowed)).lower()}"
    if model.actuator_delay[number] or model.actuator_history[number].any():
        yield "it has a delay"
    if model.actuator_damping[number] or model.actuator_dampingpoly[number].any() or model.actuator_armature[number]:
        yield "it has a damping or an armature of its own; give them to the joint"
    if model.actuator_actlimited[number]:
        yield "its activation is limited (actrange)"
    yield from _of_motor(model, number)


def _of_motor(model: mujoco.MjModel, number: int) -> Iterable[str]:
    """Return what is not covered of a DC motor or a PID servo."""
    gain, dynamics, bias = (getattr(model, f"actuator_{name}prm")[number] for name in ("gain", "dyn", "bias"))
    kind = model.actuator_gaintype[number]
    position = bool(model.actuator_ctrlspec[number] & int(mujoco.mjtCtrlInput.mjINPUT_POS))
    if kind == int(mujoco.mjtGain.mjGAIN_PID):
        return _named(
            ("a limit of its integral", gain[0] > 0 and dynamics[0] > 0),
            ("a slew rate", dynamics[1] > 0),
            ("an integral without a position to follow", gain[0] > 0 and not position),
        )
    if kind != int(mujoco.mjtGain.mjGAIN_DCMOTOR):
        return ()
    return _named(
        ("a slew rate", dynamics[7] > 0),
        ("a limit of its integral", gain[5] > 0 and dynamics[8] > 0),
        ("an integral without a position to follow", gain[5] > 0 and not position),
        ("a temperature", dynamics[2] > 0),
        ("LuGre friction", dynamics[5] > 0),
        ("a limit of the current's rate", dynamics[0] > 0 and dynamics[1] > 0),
        ("cogging", bias[0] != 0),
        ("no resistance", not gain[0] > 0),
    )


def _named(*found: tuple[str, bool]) -> list[str]:
    return [f"it has {what}" for what, there in found if there]
