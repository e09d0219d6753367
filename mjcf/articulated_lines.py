"""Hinges, slides and fixed tendons as lines: sums of joint positions, with springs, dampers, friction and limits."""

import mujoco
import numpy as np

from ..analytic.articulated import layout
from .articulated_feet import name_of

HINGE_OR_SLIDE = (layout.SLIDE, layout.HINGE)


def lines_of(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict, tuple[str, ...]]:
    """Return the lines' numbers, their rows, where those are not zero, and their names.

    The last but one is, by ("joint" or "tendon", number), the line and its length at `qpos0`.
    """
    numbers, rows, spans, lines, names = [], [], [], {}, []
    joints = [j for j in range(model.njnt) if model.jnt_type[j] in HINGE_OR_SLIDE]
    tendons = [t for t in range(model.ntendon) if is_fixed(model, t)]
    for kind, k in [*(("joint", j) for j in joints), *(("tendon", t) for t in tendons)]:
        terms = [(k, 1.0)]
        if kind == "tendon":
            first, n = model.tendon_adr[k], model.tendon_num[k]
            terms = zip(model.wrap_objid[first : first + n], model.wrap_prm[first : first + n], strict=True)
        row, length = np.zeros(model.nv), 0.0
        for joint, coefficient in terms:
            row[model.jnt_dofadr[joint]] += coefficient
            length += coefficient * model.qpos0[model.jnt_qposadr[joint]]
        lines[kind, k] = len(rows), length
        numbers.append((_joint if kind == "joint" else _tendon)(model, k))
        rows.append(row)
        dofs = np.flatnonzero(row)
        spans.append((dofs[0], dofs[-1] + 1) if len(dofs) else (0, 0))
        names.append(name_of(model, kind, k))
    return (np.array(numbers).reshape(-1, layout.LINE_COLUMNS), np.array(rows).reshape(-1, model.nv),
            np.array(spans, np.int64).reshape(-1, 2), lines, tuple(names))  # fmt: skip


def is_fixed(model: mujoco.MjModel, t: int) -> bool:
    """Return whether a tendon is a sum of joint positions."""
    return bool(model.wrap_type[model.tendon_adr[t]] == int(mujoco.mjtWrap.mjWRAP_JOINT))


def _joint(model, j: int) -> np.ndarray:
    """Return the numbers of a joint; its damper is that of its degree of freedom."""
    dof, slack = model.jnt_dofadr[j], model.qpos_spring[model.jnt_qposadr[j]]
    spring = model.jnt_stiffness[j], *model.jnt_stiffnesspoly[j]
    return np.array([*spring, slack, slack, 0.0, 0.0, 0.0, model.dof_frictionloss[dof]])


def _tendon(model, t: int) -> np.ndarray:
    spring, damper = (
        (linear[t], *rest[t])
        for linear, rest in (
            (model.tendon_stiffness, model.tendon_stiffnesspoly),
            (model.tendon_damping, model.tendon_dampingpoly),
        )
    )
    return np.array([*spring, *model.tendon_lengthspring[t], *damper, model.tendon_frictionloss[t]])


def limits_of(model: mujoco.MjModel, lines: dict) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return both bounds of all limited lines, the lines, and their names."""
    limit, of, names = [], [], []
    for (kind, k), (line, _) in lines.items():
        limited, bounds = (
            (model.jnt_limited, model.jnt_range) if kind == "joint" else (model.tendon_limited, model.tendon_range)
        )
        if limited[k]:
            limit += list(zip((1.0, -1.0), bounds[k], strict=True))
            of += [line] * 2
            names += [name_of(model, kind, k)] * 2
    return np.array(limit).reshape(-1, 2), np.array(of, np.int64), tuple(names)
