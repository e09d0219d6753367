"""The entry points: one frame, loops over frames on one thread or all, and friction for given loads.

The last argument of those that Python calls is None for laws without Coulomb friction, which then is not compiled.
All arrays are checked by the callers in Python, except by `single`, which is called without them. The functions
return a status and flags and allocate nothing but scratch and, in `single`, the answer.
"""

import math

import numpy as np

from ...compilation import jit
from ...compilation.parallel import prange
from . import layout as at
from .friction import solve_friction
from .support_search import solve_support


def with_coulomb(law):
    """Return an entry point's flag for Coulomb's law: True, or None to be compiled without it."""
    return True if law[0] == at.COULOMB else None


@jit(fast=True, inline=True)
def _frame(i, pos, vel, feet, f, weight, law, setting, tilt_terms, s, out, force, coulomb):
    """Solve frame `i` with the feet `f`, support first; return the code."""
    for j in range(s.shape[1]):
        s[at.X, j], s[at.Y, j], s[at.Z, j] = pos[i, j, 0], pos[i, j, 1], pos[i, j, 2] - feet[f, j, at.GROUND]
        s[at.K, j] = feet[f, j, at.STIFFNESS]
    code, h, bx, by, imbalance = solve_support(weight, s)
    out[i, at.HEIGHT], out[i, at.PITCH], out[i, at.ROLL], out[i, at.RESIDUAL] = h, -bx, by, imbalance
    for j in range(s.shape[1]):
        force[i, j, 2] = s[at.LOAD, j]
    if law == at.SUPPORT_ONLY:
        return code
    if code & at.STATUS_MASK == at.NO_EQUILIBRIUM:
        for k in range(at.UX, at.OUT_COLUMNS):
            out[i, k] = math.nan
        for j in range(s.shape[1]):
            force[i, j, 0] = force[i, j, 1] = math.nan
        return code | at.TWIST_FREE
    sliding = solve_friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force, coulomb)
    if code & at.STATUS_MASK == at.SOLVED:
        return code | sliding
    return code | (sliding & ~at.STATUS_MASK)


@jit(fast=True)
def frames(first, last, pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code):
    """Solve the frames `first` to `last` of a batch; `feet` and `weight` hold one entry per frame or one for all.

    `s` is scratch, shape (SCRATCH_ROWS, n feet).
    """
    _frames(first, last, pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code, True)


@jit(fast=True)
def _frames(first, last, pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code, coulomb):
    each_feet, each_weight = feet.shape[0] > 1, weight.shape[0] > 1
    for i in range(first, last):
        f = i if each_feet else 0
        load = weight[i if each_weight else 0]
        code[i] = _frame(i, pos, vel, feet, f, load, law, setting, tilt_terms, s, out, force, coulomb)


@jit(fast=True)
def frames_serial(pos, vel, feet, weight, law, setting, tilt_terms, out, force, code, coulomb=True):
    """Solve a batch on one thread."""
    s = np.empty((at.SCRATCH_ROWS, pos.shape[1]))
    _frames(0, pos.shape[0], pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code, coulomb)


@jit(fast=True, parallel=True)
def frames_parallel(chunks, pos, vel, feet, weight, law, setting, tilt_terms, out, force, code, coulomb=True):
    """Solve a batch in so many chunks, spread over the threads."""
    n = pos.shape[0]
    for c in prange(chunks):
        s = np.empty((at.SCRATCH_ROWS, pos.shape[1]))
        a, b = n * c // chunks, n * (c + 1) // chunks
        _frames(a, b, pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code, coulomb)


@jit(fast=True)
def slides(pos, vel, feet, law, setting, tilt_terms, out, force, code, coulomb=True):
    """Solve the friction of a batch whose loads are already in `force` and tilts in `out`."""
    s = np.empty((at.SCRATCH_ROWS, pos.shape[1]))
    for i in range(pos.shape[0]):
        out[i, at.RESIDUAL] = 0.0
        for j in range(pos.shape[1]):
            s[at.LOAD, j] = force[i, j, 2]
        f = i if feet.shape[0] > 1 else 0
        code[i] = at.TILT_FREE | solve_friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force, coulomb)


@jit(fast=True)
def single(pos, vel, feet, weight, law, setting, tilt_terms, s, coulomb=True):
    """Solve one frame from (n, 3) and (n, 2) arrays; return a new array (4 + n, 3): answers and code, then forces."""
    n = s.shape[1]
    if pos.shape[0] != n or pos.shape[1] != 3:
        raise ValueError("foot_pos must have shape (n, 3), with the n of the solver")
    if vel.shape[0] != n or vel.shape[1] < (3 if tilt_terms else 2):
        raise ValueError("foot_vel must have shape (n, 2), with the n of the solver, or (n, 3)")
    largest = 0.0
    for j in range(n):
        place = pos[j, 0] * pos[j, 0] + pos[j, 1] * pos[j, 1] + pos[j, 2] * pos[j, 2]
        largest += place + vel[j, 0] * vel[j, 0] + vel[j, 1] * vel[j, 1]
        if tilt_terms:
            largest += vel[j, 2] * vel[j, 2]
    if not largest <= at.LARGEST * at.LARGEST:
        raise ValueError("foot_pos and foot_vel must be finite, and not beyond 1e50 in size")
    answer = np.empty((at.ANSWER_ROWS + n, 3))
    out = answer[: at.ANSWER_ROWS].reshape((1, at.ANSWER_ROWS * 3))
    force = answer[at.ANSWER_ROWS :].reshape((1, n, 3))
    frame = pos[np.newaxis, :, :], vel[np.newaxis, :, :]
    code = _frame(0, *frame, feet, 0, weight, law, setting, tilt_terms, s, out, force, coulomb)
    out[0, at.OUT_COLUMNS] = code
    return answer
