"""Lines, sums of joint positions (hinges, slides, fixed tendons), and equalities that joints and tendons follow."""

import mujoco
import numpy as np

from ..analytic.articulated import layout
from .articulated_feet import name_of

EQ = mujoco.mjtEq
KINDS = {int(EQ.mjEQ_CONNECT): layout.CONNECT, int(EQ.mjEQ_WELD): layout.WELD, int(EQ.mjEQ_JOINT): layout.LINES,
         int(EQ.mjEQ_TENDON): layout.LINES}  # fmt: skip

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


def equalities_of(model: mujoco.MjModel, lines: dict) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return numbers and addresses of the equalities that are active at the start, and the equality of each row.

    `lines`: the line of a joint or tendon, and its length at `qpos0`, by ("joint" or "tendon", number).
    """
    numbers, of, names = [], [], []
    for k in np.flatnonzero(model.eq_active0):
        kind = KINDS[int(model.eq_type[k])]
        row, ends = _lines(model, k, lines) if kind == layout.LINES else _bodies(model, k)
        of.append((kind, len(names), *ends))
        numbers.append(row)
        names += [name_of(model, "equality", k)] * layout.ROWS[kind]
    return (np.array(numbers, float).reshape(-1, layout.EQUALITY_COLUMNS),
            np.array(of, np.int64).reshape(-1, 4), tuple(names))  # fmt: skip


def _lines(model, k: int, lines: dict) -> tuple[np.ndarray, tuple[int, int]]:
    """Return polynomial and references of two lines; without a second the constant alone counts."""
    row, ends = np.zeros(layout.EQUALITY_COLUMNS), [-1, -1]
    row[layout.POLYNOMIAL : layout.POLYNOMIAL + 5] = model.eq_data[k, :5]
    kind = "joint" if model.eq_type[k] == int(EQ.mjEQ_JOINT) else "tendon"
    for end, element in enumerate((model.eq_obj1id[k], model.eq_obj2id[k])):
        if element >= 0:
            ends[end], row[(layout.REFERENCE_1, layout.REFERENCE_2)[end]] = lines[kind, int(element)]
    return row, tuple(ends)


def _bodies(model, k: int) -> tuple[np.ndarray, tuple[int, int]]:
    """Return a point in the frame of each of two bodies, and the turn of the second in the first."""
    one, two, data = model.eq_obj1id[k], model.eq_obj2id[k], model.eq_data[k]
    if model.eq_objtype[k] == int(mujoco.mjtObj.mjOBJ_SITE):
        back, relative = np.empty(4), np.empty(4)
        mujoco.mju_negQuat(back, model.site_quat[two])
        mujoco.mju_mulQuat(relative, model.site_quat[one], back)
        row = [*model.site_pos[one], *model.site_pos[two], *relative]
        return np.array(row), (model.site_bodyid[one], model.site_bodyid[two])
    weld = model.eq_type[k] == int(EQ.mjEQ_WELD)
    points = (data[3:6], data[:3]) if weld else (data[:3], data[3:6])  # MuJoCo has those of a weld the other way
    return np.array([*points[0], *points[1], *(data[6:10] if weld else (1, 0, 0, 0))]), (one, two)
