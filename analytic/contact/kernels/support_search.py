"""The support search: Newton on a convex energy whose gradient is the balance of force and moments.

The energy sum K min(p, 0)^2 / 2 + weight h is piecewise quadratic; a full step is exact as long as the contacts do not
change, so that the search is finite. A full step that does not descend is shortened by an exact line search; if the
loaded feet cannot support the body, it tilts to the next contact.
"""

import math

from ...compilation import jit
from . import layout as at
from .stance import line_of, move, settle, shape_of, spans, start
from .support_balance import is_level, refine
from .support_tilt import least_tilt


@jit(fast=True)
def _careful_step(s, weight, p, first, size2, shape):
    """Return the kind of the step and the step for loaded feet that are, or nearly are, in line or in one point."""
    sk, cx, cy, tx, ty, itt, itn, inn, sp, st, sn = line_of(s, p, first, shape)
    if sk <= 0.0:  # all in the air: down
        return at.TILT, (-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    tiny = at.RANK_TOL * sk * size2
    edge = weight * (at.EDGE_TOL * math.sqrt(size2) + at.NOTHING)
    dh = -(weight + sp) / sk
    gt = st - weight * (tx * cx + ty * cy)
    gn = sn - weight * (tx * cy - ty * cx)
    rank = shape[0]
    if rank == 0 or itt <= tiny:  # one point: the body falls towards the side of its centre of mass
        far = math.hypot(cx, cy)
        if weight * far > edge and not first:
            return at.TILT if rank else at.FALL, (0.0, 1.0, 0.0, cx, cy, cx / far, cy / far)
        kind = at.NEWTON if first or abs(dh) * sk > at.BALANCE_TOL * weight else at.BALANCED
        return kind, (dh, 0.0, 0.0, cx, cy, tx, ty)
    schur = inn - itn * itn / itt
    if rank == 2 and schur > tiny:
        across = -(gn - itn / itt * gt) / schur
        along = -(gt + itn * across) / itt
        return at.NEWTON, (dh, along, across, cx, cy, tx, ty)
    if abs(gn) > edge and not first:
        return at.TILT if rank == 2 else at.FALL, (0.0, 0.0, -1.0 if gn > 0.0 else 1.0, cx, cy, tx, ty)
    along = -gt / itt
    done = abs(dh) * sk <= at.BALANCE_TOL * weight and abs(gt) <= 0.1 * edge
    return (at.BALANCED if done and not first else at.NEWTON), (dh, along, 0.0, cx, cy, tx, ty)


@jit(fast=True)
def line_search(s, weight, p, step, size2):
    """Return the exact minimiser of the energy along a step, as a share of it; negative when the energy falls for ever.

    The slope of the energy along the step is piecewise linear and rises; it is followed from one change of contact
    to the next.
    """
    dh, along, across, cx, cy, tx, ty = step
    n = s.shape[1]
    flat = 3e-15 * (abs(along) + abs(across)) * math.sqrt(size2)  # a foot on the axis of the tilt
    t = 0.0
    for _ in range(n + 1):
        slope = weight * (dh - along * (tx * cx + ty * cy) - across * (tx * cy - ty * cx))
        curvature = 0.0
        following = math.inf
        for j in range(n):
            k = s[at.K, j]
            x, y = s[at.X, j] - cx, s[at.Y, j] - cy
            rate = dh + along * (tx * x + ty * y) + across * (tx * y - ty * x)
            if k == 0.0 or (dh == 0.0 and abs(rate) <= flat) or rate == 0.0:
                continue
            change = -s[p, j] / rate
            if (rate < 0.0 and change <= t) or (rate > 0.0 and change > t):
                slope += k * (s[p, j] + t * rate) * rate
                curvature += k * rate * rate
            if change > t:
                following = min(following, change)
        if slope >= 0.0:
            return t
        stop = t - slope / curvature if curvature > 0.0 else math.inf
        if stop <= following:
            return stop if stop < math.inf else -1.0
        t = following
    return t


@jit(fast=True)
def full_step(weight, sums):
    """Return the full Newton step of loaded feet that span the plane: a lift, slopes along x and y, their centroid."""
    sk, sx, sy, sxx, sxy, syy, sp, spx, spy, _, _, _ = sums
    cx, cy = sx / sk, sy / sk
    ixx, ixy, iyy = sxx - sx * cx, sxy - sx * cy, syy - sy * cy
    det = ixx * iyy - ixy * ixy
    total = weight + sp
    gx = spx - cx * total
    gy = spy - cy * total
    return -total / sk, (ixy * gy - iyy * gx) / det, (ixy * gx - ixx * gy) / det, cx, cy


@jit(fast=True)
def next_step(s, weight, p, sums, first, size2, shape):
    """Return the kind of the next step and the step."""
    if spans(sums, size2):
        return at.NEWTON, (*full_step(weight, sums), 1.0, 0.0)
    return _careful_step(s, weight, p, first, size2, shape)


@jit(fast=True)
def descends(weight, sums, new, step):
    """Return whether a full step lowers the energy by a fair part of what its slope promised (Armijo).

    Without a change of contacts the step is exact; near the end, energies differ by less than their round-off.
    """
    if new[11] == 0.0:
        return True
    dh, along, across, cx, cy, tx, ty = step
    sink_t, sink_n = along * (tx * cx + ty * cy), across * (tx * cy - ty * cx)
    rise = dh - sink_t - sink_n
    dx, dy = along * tx - across * ty, along * ty + across * tx
    slope = (weight + sums[6]) * rise + dx * sums[7] + dy * sums[8]
    rounding = 1e-15 * (new[10] + weight * (abs(dh) + abs(sink_t) + abs(sink_n)))
    return new[9] + weight * rise <= 1e-4 * slope + rounding


@jit(fast=True, inline=True)
def solve_support(weight, s):
    """Compute the loads for the positions and heights in `s`; leave them there; return code, pose and imbalance.

    Full Newton steps end most searches. What certifies them is the balance: no energy is summed and no step checked.
    Steps much longer than what they sum to would leave their rounding in the heights.
    """
    sums, size2, near2 = start(s, at.P)
    size = math.sqrt(size2)
    tolerance = at.BALANCE_TOL * weight
    h = bx = by = travel = 0.0
    for _ in range(at.FULL_STEPS):
        if not spans(sums, size2):
            break
        step = full_step(weight, sums)
        sums = settle(s, at.P, step)
        rise = step[0] - step[1] * step[3] - step[2] * step[4]
        h += rise
        bx += step[1]
        by += step[2]
        travel += abs(rise) + size * (abs(step[1]) + abs(step[2]))
        moment = max(abs(sums[7]), abs(sums[8]))
        if abs(weight + sums[6]) <= tolerance and moment <= tolerance * size:
            if not is_level(s, weight, at.P, moment, near2):
                continue
            if travel > at.DETOUR * (abs(h) + size * (abs(bx) + abs(by))):
                break
            return _finish_support(s, weight, at.P, sums, (h, bx, by), (size2, near2), (2, 1.0, 0.0), at.SOLVED)
    return careful_search(weight, s)


@jit(fast=True)
def careful_search(weight, s):
    """Solve the support step by step where full steps do not end in balance.

    Newton on the convex energy sum K min(p, 0)^2 / 2 + weight h from the plane of all feet, with an exact line search
    where a full step does not descend, and a pure tilt where the loaded feet cannot support the body. Heights are
    updated, not recomputed, so that stiff feet balance to round-off.
    """
    p, q = at.P, at.Q
    sums, size2, near2 = start(s, p)
    tolerance = at.BALANCE_TOL * weight
    lever = tolerance * math.sqrt(size2)
    h = bx = by = 0.0
    shape = (2, 1.0, 0.0)
    if sums[0] > 0.0 and not spans(sums, size2):
        shape = shape_of(s, size2)
    status = at.STALLED if sums[0] > 0.0 else at.NO_EQUILIBRIUM
    steps = at.MAX_SUPPORT if sums[0] > 0.0 else 0
    for k in range(steps):
        first = k == 0
        level = abs(sums[7]) <= lever and abs(sums[8]) <= lever and abs(weight + sums[6]) <= tolerance
        if level and not first:
            status = at.SOLVED
            break
        kind, step = next_step(s, weight, p, sums, first, size2, shape)
        if kind == at.BALANCED:
            status = at.SOLVED
            break
        new = sums
        if kind == at.NEWTON:
            new = move(s, p, q, step)
        if not first and (kind != at.NEWTON or not descends(weight, sums, new, step)):
            t = line_search(s, weight, p, step, size2)
            if t < 0.0 or kind == at.FALL:
                status = at.NO_EQUILIBRIUM
                break
            step = (t * step[0], t * step[1], t * step[2], step[3], step[4], step[5], step[6])
            new = move(s, p, q, step)
        dx, dy = step[1] * step[5] - step[2] * step[6], step[1] * step[6] + step[2] * step[5]
        h += step[0] - dx * step[3] - dy * step[4]
        bx += dx
        by += dy
        p, q, sums = q, p, new
    pose = h, bx, by
    if status == at.SOLVED and shape[0] == 2:
        p, sums, pose = refine(s, weight, p, q, sums, pose, (size2, near2))
    return _finish_support(s, weight, p, sums, pose, (size2, near2), shape, status)


@jit(fast=True, inline=True)
def _finish_support(s, weight, p, sums, pose, sizes, shape, status):
    """Write the loads; choose the least tilt where it is free; return the code, the pose and the imbalance."""
    if status == at.NO_EQUILIBRIUM:
        for j in range(s.shape[1]):
            s[at.LOAD, j] = math.nan
        return status | at.TILT_FREE, math.nan, math.nan, math.nan, math.nan
    size2, near2 = sizes
    least = weight
    for j in range(s.shape[1]):
        load = s[at.K, j] * max(-s[p, j], 0.0)
        s[at.LOAD, j] = load
        least = min(least, load if load > 0.0 else least)
    h, bx, by = pose
    free = False
    total, mx, my = -sums[6], -sums[7], -sums[8]
    if least < 1e-9 * weight or not spans(sums, size2):
        free, h, bx, by = least_tilt(s, weight, p, pose, size2, shape)
        total = mx = my = 0.0
        for j in range(s.shape[1]):
            total += s[at.LOAD, j]
            mx += s[at.LOAD, j] * s[at.X, j]
            my += s[at.LOAD, j] * s[at.Y, j]
    moment = max(max(abs(mx), abs(my)) - weight * at.NOTHING, 0.0)
    off = max(abs(total - weight), moment / math.sqrt(size2) if size2 > 0.0 else 0.0) / weight
    if off > at.UNBALANCED or not (free or is_level(s, weight, p, moment, near2)):
        status = at.STALLED
    return status | at.TILT_FREE if free else status, h, bx, by, off
