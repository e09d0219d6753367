"""Steps of an explicit method, and the state between their ends."""

import math

from ..compilation import jit
from .constrained import field
from .guards import guards


@jit(views=True)
def try_step(robot, work, contact, path, scheme, setting, ctrl, x, size):
    """Write the state after a step, the field and the guards there; return the error by the tolerance, or NaN.

    Args:
        robot: Tables.
        work: Workspace.
        contact: Modes.
        path: What is written.
        scheme: The method.
        setting: See `flow.Setting`.
        ctrl: Controls, held.
        x: State at the start; the field there is `path.stage[0]`.
        size: Of the step [s].
    """
    n_stages = len(scheme.b)
    for k in range(len(path.low)):
        path.low[k] = math.inf
    stages(robot, work, contact, path, scheme, setting, ctrl, x, size, 1, n_stages)
    _sum(path.stage, scheme.b, n_stages, x, size, path.end)
    field(robot, work, contact, setting, ctrl, path.end, path.stage[n_stages], True)
    guards(robot, work, contact, setting, path.after, path.tol)
    return _error(path, scheme, setting.rtol, x, size)


@jit(views=True)
def stages(robot, work, contact, path, scheme, setting, ctrl, x, size, first, last):
    """Write stages of a step, and the least of the guards in them."""
    for s in range(first, last):
        _sum(path.stage, scheme.a[s], s, x, size, path.there)
        field(robot, work, contact, setting, ctrl, path.there, path.stage[s], True)
        guards(robot, work, contact, setting, path.now, path.tol)
        for k in range(len(path.now)):
            path.low[k] = min(path.low[k], path.now[k])


@jit(inline=True, views=True)
def _sum(stage, weights, n, x, size, out):
    """Write x + size times the weighted sum of the first n stages."""
    for i in range(len(x)):
        out[i] = 0.0
    for j in range(n):
        if weights[j] != 0.0:
            for i in range(len(x)):
                out[i] += weights[j] * stage[j, i]
    for i in range(len(x)):
        out[i] = x[i] + size * out[i]


@jit(views=True)
def _error(path, scheme, rtol, x, size):
    e5 = e3 = 0.0
    for i in range(len(x)):
        a = c = 0.0
        for j in range(len(scheme.e5)):
            a += scheme.e5[j] * path.stage[j, i]
            c += scheme.e3[j] * path.stage[j, i]
        scale = rtol * (0.1 + max(abs(x[i]), abs(path.end[i])))
        e5, e3 = e5 + (a / scale) ** 2, e3 + (c / scale) ** 2
    below = e5 + 0.01 * e3
    return math.sqrt(e5) * math.sqrt(e5 / (below * len(x))) * size if below > 0.0 else below


@jit(views=True)
def write_dense(robot, work, contact, path, scheme, setting, ctrl, x, size):
    """Write the coefficients of the dense output of a step that was made."""
    n_stages, n_rows, q = len(scheme.b), len(scheme.a), path.dense
    stages(robot, work, contact, path, scheme, setting, ctrl, x, size, n_stages + 1, n_rows)
    for i in range(len(x)):
        d = path.end[i] - x[i]
        q[0, i], q[1, i] = d, size * path.stage[0, i] - d
        q[2, i] = 2.0 * d - size * (path.stage[n_stages, i] + path.stage[0, i])
        for r in range(len(scheme.d)):
            total = 0.0
            for k in range(n_rows):
                total += scheme.d[r, k] * path.stage[k, i]
            q[3 + r, i] = size * total


@jit(views=True)
def write_between(path, x, fraction):
    """Write the state at a fraction of the step."""
    last = len(path.dense) - 1
    for i in range(len(x)):
        total = 0.0
        for q in range(last, -1, -1):
            total = (total + path.dense[q, i]) * (fraction if q % 2 == 0 else 1.0 - fraction)
        path.there[i] = x[i] + total
