"""Equalities of a MuJoCo model as tables of the exact engine: connections, welds and joints that follow others."""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.articulated import layout as at

KINDS = {
    int(mujoco.mjtEq.mjEQ_CONNECT): at.CONNECT,
    int(mujoco.mjtEq.mjEQ_WELD): at.WELD,
    int(mujoco.mjtEq.mjEQ_JOINT): at.JOINTS,
}


def equality_tables(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Return the tables of the equalities that are active at the start; what is not covered was refused."""
    indices, rows, first = [], [], 0
    for number in np.flatnonzero(model.eq_active0):
        kind = KINDS[int(model.eq_type[number])]
        ends, row = (_joints if kind == at.JOINTS else _bodies)(model, number)
        indices.append((kind, first, *ends))
        rows.append(row)
        first += at.ROWS[kind]
    return {
        "equality_index": np.array(indices, np.int64).reshape(-1, at.EQUALITY_INTEGERS),
        "equality": np.array(rows, float).reshape(-1, at.EQUALITY_NUMBERS),
    }


def _joints(model: mujoco.MjModel, number: int) -> tuple[tuple[int, ...], np.ndarray]:
    """Return the addresses of two joints, and the polynomial; without a second its constant alone counts."""
    row, addresses = np.zeros(at.EQUALITY_NUMBERS), [-1, -1, -1, -1]
    row[at.POLYNOMIAL : at.POLYNOMIAL + 5] = model.eq_data[number, :5]
    for end, joint in enumerate((model.eq_obj1id[number], model.eq_obj2id[number])):
        if joint >= 0:
            addresses[2 * end : 2 * end + 2] = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            row[(at.REFERENCE_1, at.REFERENCE_2)[end]] = model.qpos0[model.jnt_qposadr[joint]]
    return tuple(addresses), row


def _bodies(model: mujoco.MjModel, number: int) -> tuple[tuple[int, ...], np.ndarray]:
    """Return two bodies, a point in the frame of each, and the orientation of the second in the first's."""
    ends, data, row = (model.eq_obj1id[number], model.eq_obj2id[number]), model.eq_data[number], []
    if model.eq_objtype[number] == int(mujoco.mjtObj.mjOBJ_SITE):
        back, relative = np.empty(4), np.empty(4)
        mujoco.mju_negQuat(back, model.site_quat[ends[1]])
        mujoco.mju_mulQuat(relative, model.site_quat[ends[0]], back)
        bodies = (model.site_bodyid[ends[0]], model.site_bodyid[ends[1]])
        row = [*model.site_pos[ends[0]], *model.site_pos[ends[1]], *relative]
    else:
        weld = model.eq_type[number] == int(mujoco.mjtEq.mjEQ_WELD)
        points = (data[3:6], data[:3]) if weld else (data[:3], data[3:6])  # MuJoCo has those of a weld the other way
        bodies, row = ends, [*points[0], *points[1], *(data[6:10] if weld else (1, 0, 0, 0))]
    return (*bodies, -1, -1), np.array(row)
