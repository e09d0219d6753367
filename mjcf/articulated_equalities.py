"""Equalities of a model as tables: connections, welds, and joints and fixed tendons that follow others."""

import mujoco
import numpy as np

from ..analytic.articulated import layout
from .articulated_feet import name_of

EQ = mujoco.mjtEq
KINDS = {int(EQ.mjEQ_CONNECT): layout.CONNECT, int(EQ.mjEQ_WELD): layout.WELD, int(EQ.mjEQ_JOINT): layout.LINES,
         int(EQ.mjEQ_TENDON): layout.LINES}  # fmt: skip


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
