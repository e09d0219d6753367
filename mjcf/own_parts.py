"""What may be changed of a robot of the user's own, by the names of its parts: factors and offsets on a compiled model.

A change is a number for a quantity of all its parts ("KP"), of one ("KP.FL_knee"), or an array with one for each part
("KP.*"). Offsets of centres of mass have three numbers each. Quantities are in the table of `docs/bring_your_own.md`;
of all feet alike the friction is the ground's, no change.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from ..analytic.spelling import listed
from . import own_servos
from .terrain import GROUND

OFFSETS = ("com", "joint_offset")  # 0 changes nothing; of factors it is 1
WHOLE = ("body_mass", "leg_mass", "mass", "inertia", "com", "leg_k", "leg_d", "KP", "KD", "joint_offset", "max_torque")
GROUPS = {"body_mass": "mass", "leg_mass": "mass"}  # quantities of certain bodies
FIELDS = ("body_mass", "body_inertia", "body_ipos", "jnt_stiffness", "dof_damping", "actuator_gainprm")
FIELDS += ("actuator_biasprm", "actuator_forcerange", "jnt_actfrcrange", "qpos0", "qpos_spring", "jnt_range")


def quantity_of(name: str) -> str:
    """Return the quantity that a change is of."""
    return name.partition(".")[0]


def neutral(name: str, model: mujoco.MjModel, feet: tuple[str, ...]) -> np.ndarray:
    """Return the change of that name that changes nothing: a number, or an array with a row for each part."""
    rows = (len(parts_of(name, model, feet)),) if name.endswith(".*") else ()
    shape = (*rows, 3) if quantity_of(name) == "com" else rows
    return np.full(shape, 0.0 if quantity_of(name) in OFFSETS else 1.0)


def limited(model: mujoco.MjModel) -> np.ndarray:
    """Return the mask of actuators with a largest force, of their own or of their joint, shape (nu,)."""
    of_joint = model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT
    joints = np.where(of_joint, model.actuator_trnid[:, 0], 0)
    return model.actuator_forcelimited.astype(bool) | (of_joint & model.jnt_actfrclimited[joints].astype(bool))


def known_parts(quantity: str, model: mujoco.MjModel, feet: tuple[str, ...]) -> dict[str, int]:
    """Return the numbers of the parts that have a quantity, by name; of feet those of their geoms."""
    holds, _, kd = own_servos.gains_of(model)
    actuators = {model.actuator(k).name: k for k in range(model.nactuator)}
    offset = holds & (~own_servos.has_speed_line(model) | (model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT))
    chosen = {"KP": holds, "KD": holds & (kd > 0), "joint_offset": offset, "max_torque": limited(model) | ~holds}
    if quantity in chosen:
        return {name: k for name, k in actuators.items() if chosen[quantity][k]}
    if quantity in ("leg_k", "leg_d"):
        return {model.joint(k).name: k for k in range(1, model.njnt)}
    if quantity == "friction_coeff":
        return {name: model.geom(f"toe_{leg}").id for leg, name in enumerate(feet)}
    root = int(model.jnt_bodyid[0])
    moving = [k for k in range(1, model.nbody) if model.body_rootid[k] == root]
    if quantity in GROUPS:
        moving = [k for k in moving if (k == root) == (quantity == "body_mass")]
    return {model.body(k).name: k for k in moving}


def parts_of(name: str, model: mujoco.MjModel, feet: tuple[str, ...]) -> list[int]:
    """Return the numbers of the parts that a change is of.

    Raises:
        ValueError: If there is no such quantity or part; the message says what there is.
    """
    quantity, dot, part = name.partition(".")
    if quantity not in (*WHOLE, "friction_coeff") or (dot and quantity in GROUPS):
        there_are = listed(quantity, WHOLE, ", and QUANTITY.PART of most")
        raise ValueError(f"there is no {name!r} to change; there are {there_are}")
    known = known_parts(quantity, model, feet)
    if not known or (dot and part != "*" and part not in known):
        raise ValueError(f"{name!r}: {quantity} is of {listed(part, known) if known else 'nothing in this robot'}")
    return [known[part]] if dot and part != "*" else list(known.values())


@dataclass(frozen=True)
class Nominal:
    """The numbers of a compiled model that changes start from, by MuJoCo's names."""

    values: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, model: mujoco.MjModel) -> "Nominal":
        """Return the numbers of an unchanged model."""
        return cls({name: getattr(model, name).copy() for name in FIELDS})


def write(model: mujoco.MjModel, nominal: Nominal, robot) -> None:
    """Give a compiled robot its gravity, friction and changes, in place.

    Args:
        model: Of the robot on any terrain.
        nominal: Its numbers without changes.
        robot: The `OwnRobot`.
    """
    for name, values in nominal.values.items():
        getattr(model, name)[...] = values
    model.opt.gravity[:] = (0.0, 0.0, -robot.g)
    ground = [k for k in range(model.ngeom) if model.geom(k).name == GROUND or model.geom(k).name.startswith("patch_")]
    model.geom_friction[ground, 0] = robot.friction
    for name, value in robot.changes.items():
        quantity, parts = quantity_of(name), parts_of(name, model, robot.feet)
        if quantity == "friction_coeff":
            for toe, factor in zip(parts, np.broadcast_to(value, len(parts)), strict=True):
                _stand_by_itself(model, toe, ground[-1], factor * robot.friction)
        else:
            _change(model, quantity, parts, np.asarray(value, float))
    mujoco.mj_setConst(model, mujoco.MjData(model))


def _stand_by_itself(model: mujoco.MjModel, toe: int, ground: int, friction: float) -> None:
    """Let a foot's contact have its own friction, else the ground's settings."""
    model.geom_priority[toe] = model.geom_priority[ground] + 1
    for field in (model.geom_friction, model.geom_solref, model.geom_solimp):
        field[toe] = field[ground]
    model.geom_friction[toe, 0] = friction


def _change(model: mujoco.MjModel, quantity: str, parts: list[int], value: np.ndarray) -> None:
    column = value[..., None]
    if quantity in ("body_mass", "leg_mass", "mass"):
        model.body_mass[parts] *= value
        model.body_inertia[parts] *= column
    elif quantity == "inertia":
        model.body_inertia[parts] *= column
    elif quantity == "com":
        model.body_ipos[parts] += value
    elif quantity == "leg_k":
        model.jnt_stiffness[parts] *= value
    elif quantity == "leg_d":
        model.dof_damping[model.jnt_dofadr[parts]] *= value
    elif quantity in ("KP", "KD"):
        _regain(model, quantity, np.array(parts), np.broadcast_to(value, len(parts)))
    elif quantity == "joint_offset":
        _offset(model, np.array(parts), np.broadcast_to(value, len(parts)))
    elif quantity == "max_torque":
        _weaken(model, np.array(parts), np.broadcast_to(value, len(parts)))


def _offset(model: mujoco.MjModel, parts: np.ndarray, by: np.ndarray) -> None:
    """Let servos hold more than they are told; DC motors, without a term for it, by a joint that reads less."""
    line = own_servos.has_speed_line(model)[parts]
    model.actuator_biasprm[parts[~line], 0] += model.actuator_gainprm[parts[~line], 0] * by[~line]
    joints, turned = model.actuator_trnid[parts[line], 0], by[line] / model.actuator_gear[parts[line], 0]
    for field in (model.qpos0, model.qpos_spring):
        field[model.jnt_qposadr[joints]] -= turned
    model.jnt_range[joints] -= turned[:, None]


def _regain(model: mujoco.MjModel, quantity: str, parts: np.ndarray, factors: np.ndarray) -> None:
    """Multiply stiffness or damping of servos: entries of the bias, or of a DC motor's controller."""
    of_bias, of_motor = (1, 4) if quantity == "KP" else (2, 6)
    model.actuator_biasprm[parts, of_bias] *= factors
    line = own_servos.has_speed_line(model)[parts]
    model.actuator_gainprm[parts[line], of_motor] *= factors[line]
    if quantity == "KP":
        model.actuator_gainprm[parts[~line], 0] *= factors[~line]


def _weaken(model: mujoco.MjModel, parts: np.ndarray, factors: np.ndarray) -> None:
    """Multiply the largest force of actuators, at every speed, or of those without a limit the gain."""
    has_limit, of_joint = limited(model)[parts], model.actuator_trntype[parts] == mujoco.mjtTrn.mjTRN_JOINT
    model.actuator_forcerange[parts] *= factors[:, None]
    holds, line = own_servos.gains_of(model)[0][parts], own_servos.has_speed_line(model)[parts]
    model.actuator_gainprm[parts[line], 0] /= factors[line]  # the resistance: less torque at the same no-load speed
    model.actuator_gainprm[parts[~(holds | line)], 0] *= factors[~(holds | line)]
    joints = model.actuator_trnid[parts, 0][of_joint & has_limit]
    model.jnt_actfrcrange[joints] *= factors[of_joint & has_limit][:, None]
