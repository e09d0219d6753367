"""The solver of one frame and its loops over frames, compiled: support, viscous friction, Coulomb friction.

Heights of the feet above their ground are p_j = h + b . q_j + z_j - ground_j with the slopes b = (-pitch, roll), in
the frame of the body with the centre of mass as origin. A foot is a row of `feet`: stiffness, mu, the two components
of its anisotropy w, ground height. A frame's answers are a row of `out` (names below) and `force` (n, 3), the force
on each foot in the body frame. The functions return a status and flags, and allocate nothing.

Everything stands in this one file because numba's cache notices an edited file, not an edited callee.
"""

from __future__ import annotations

import math

import numpy as np

from .jit import jit, jit_parallel, prange

STIFFNESS, MU, WX, WY, GROUND = range(5)
FOOT_COLUMNS = 5

HEIGHT, PITCH, ROLL, UX, UY, OMEGA, REFERENCE_SPEED, RESIDUAL, DISSIPATION, GAP, ROUNDS = range(11)
OUT_COLUMNS = 11

SUPPORT_ONLY, VISCOUS, COULOMB = range(3)  # friction laws

SOLVED, NO_EQUILIBRIUM, NO_TRACTION, GAP_MISSED, STALLED = range(5)  # statuses, the low bits of a code
STATUS_MASK, TILT_FREE, TWIST_FREE = 7, 8, 16

NEWTON, TILT, BALANCED, FALL = range(4)  # kinds of steps of the support search

# Rows of the scratch `s`, one foot per column: first of the support (P and Q are heights before and after a step),
# then of the friction, where the feet with traction are packed to the left.
SCRATCH_ROWS = 23
X, Y, Z, K, P, Q, LOAD, MASS, PX, PY, GX, GY, A11, A12, A22, BX, BY, YX, YY, RX, RY, OX, OY = range(SCRATCH_ROWS)

BALANCE_TOL = 1e-13  # of the weight, and of weight times size: a few hundred roundings
EDGE_TOL = 1e-12  # of the size: a centre of mass so close to the edge of the hull counts as on it
SNAP_TOL = 3e-13  # of the size: a stance so narrow is a line or a point (two of it are within EDGE_TOL)
RANK_TOL = 1e-30  # of stiffness times size squared: loaded feet within 1e-15 of a line or point are on it
FREE_TOL = 1e-24  # the same for "the tilt is free", if freeing it moves no load by more than 1e-12 of the weight
STICK_TOL = 1e-13  # of the dissipation of a body held still: slips so small are rounding, their forces would be noise
MAX_SUPPORT, MAX_COULOMB = 100, 80  # far above what was ever seen (13 and 30)
START_DELTA = 0.3  # of the mean slip, weighted by its dissipation: of little effect from 0.03 to 1
LOOSE_TOL = 1e-7  # a twist this much looser than the viscous problem's is free


# ------------------------------------------------------------------------------------------------ support


@jit
def _start(s, p):
    """Write the heights at the pose zero; return the sums over all feet and the squared size of the stance."""
    sk = sx = sy = sxx = sxy = syy = sp = spx = spy = size2 = 0.0
    for j in range(s.shape[1]):
        x, y, k = s[X, j], s[Y, j], s[K, j]
        s[p, j] = s[Z, j]
        sk += k
        sx += k * x
        sy += k * y
        sxx += k * x * x
        sxy += k * x * y
        syy += k * y * y
        sp += k * s[p, j]
        spx += k * s[p, j] * x
        spy += k * s[p, j] * y
        if k > 0.0:
            size2 = max(size2, x * x + y * y)
    return (sk, sx, sy, sxx, sxy, syy, sp, spx, spy, 0.0, 0.0, 0.0), size2


@jit
def _move(s, p, q, step):
    """Write to `q` the heights `p` after a step; return the sums over the feet then loaded, and what their energy did.

    A step is (dh, along, across, cx, cy, tx, ty): a lift and two slopes about the axes through the centroid c of the
    loads, t and its normal. Nearly collinear feet need the axes: in x and y their huge slopes would cancel.
    """
    dh, along, across, cx, cy, tx, ty = step
    sk = sx = sy = sxx = sxy = syy = sp = spx = spy = energy = rounding = changes = 0.0
    for j in range(s.shape[1]):
        x, y, k = s[X, j], s[Y, j], s[K, j]
        old = s[p, j]
        new = old + (dh + along * (tx * (x - cx) + ty * (y - cy)) + across * (tx * (y - cy) - ty * (x - cx)))
        s[q, j] = new
        low = min(new, 0.0)
        was = min(old, 0.0)
        change = 0.5 * k * (low - was) * (low + was)
        energy += change
        rounding += abs(change)
        changes += 1.0 if (new < 0.0) != (old < 0.0) else 0.0
        on = k if new < 0.0 else 0.0
        load = k * low
        sk += on
        sx += on * x
        sy += on * y
        sxx += on * x * x
        sxy += on * x * y
        syy += on * y * y
        sp += load
        spx += load * x
        spy += load * y
    return sk, sx, sy, sxx, sxy, syy, sp, spx, spy, energy, rounding, changes


@jit
def _line(s, p, everyone, shape):
    """Return the loaded feet's stiffness, centroid, principal direction and moments, summed afresh about them.

    The moments about the origin lose the small ones to cancellation; these keep them when stiffnesses differ by
    twelve decades or the feet stand nearly in line.
    """
    sk = cx = cy = 0.0
    for _ in range(2):  # the second round removes the rounding of the first
        sk = mx = my = 0.0
        for j in range(s.shape[1]):
            k = s[K, j] if everyone or s[p, j] < 0.0 else 0.0
            sk += k
            mx += k * (s[X, j] - cx)
            my += k * (s[Y, j] - cy)
        if sk <= 0.0:
            return sk, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        cx += mx / sk
        cy += my / sk
    ixx = ixy = iyy = 0.0
    for j in range(s.shape[1]):
        if everyone or s[p, j] < 0.0:
            k, x, y = s[K, j], s[X, j] - cx, s[Y, j] - cy
            ixx += k * x * x
            ixy += k * x * y
            iyy += k * y * y
    angle = 0.5 * math.atan2(2.0 * ixy, ixx - iyy)
    rank, tx, ty = shape
    if rank == 2:
        tx, ty = math.cos(angle), math.sin(angle)
    itt = itn = inn = sp = st = sn = 0.0
    for j in range(s.shape[1]):
        if everyone or s[p, j] < 0.0:
            k, x, y = s[K, j], s[X, j] - cx, s[Y, j] - cy
            along, across = tx * x + ty * y, tx * y - ty * x
            itt += k * along * along
            itn += k * along * across
            inn += k * across * across
            sp += k * s[p, j]
            st += k * s[p, j] * along
            sn += k * s[p, j] * across
    return sk, cx, cy, tx, ty, itt, itn, inn, sp, st, sn


@jit
def _shape(s, size2):
    """Return the rank of the whole stance, 2, 1 (a line) or 0 (a point), and the direction of its longest side.

    Feet that all stand within the rounding of a line would be held only by an astronomical tilt: they are taken
    to be on the line, which moves no foot by more than SNAP_TOL of the size.
    """
    n, mx, my = 0, 0.0, 0.0
    for j in range(s.shape[1]):
        if s[K, j] > 0.0:
            n, mx, my = n + 1, mx + s[X, j], my + s[Y, j]
    tx, ty, far = 1.0, 0.0, 0.0
    for j in range(s.shape[1]):
        x, y = s[X, j] - mx / n, s[Y, j] - my / n
        if s[K, j] > 0.0 and math.hypot(x, y) > far:
            far = math.hypot(x, y)
            tx, ty = x / far, y / far
    wide = 0.0
    for j in range(s.shape[1]):
        if s[K, j] > 0.0:
            wide = max(wide, abs(tx * (s[Y, j] - my / n) - ty * (s[X, j] - mx / n)))
    tiny = SNAP_TOL * math.sqrt(size2)
    return (0 if far <= tiny else 1 if wide <= tiny else 2), tx, ty


@jit
def _careful_step(s, weight, p, first, size2, shape):
    """Return the kind of the step and the step for loaded feet that are, or nearly are, in line or in one point."""
    sk, cx, cy, tx, ty, itt, itn, inn, sp, st, sn = _line(s, p, first, shape)
    if sk <= 0.0:  # all in the air: down
        return TILT, (-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    tiny = RANK_TOL * sk * size2
    edge = EDGE_TOL * weight * math.sqrt(size2)
    dh = -(weight + sp) / sk
    gt = st - weight * (tx * cx + ty * cy)
    gn = sn - weight * (tx * cy - ty * cx)
    rank = shape[0]
    if rank == 0 or itt <= tiny:  # one point: the body falls towards the side of its centre of mass
        far = math.hypot(cx, cy)
        if weight * far > edge and not first:
            return TILT if rank else FALL, (0.0, 1.0, 0.0, cx, cy, cx / far, cy / far)
        kind = NEWTON if first or abs(dh) * sk > BALANCE_TOL * weight else BALANCED
        return kind, (dh, 0.0, 0.0, cx, cy, tx, ty)
    schur = inn - itn * itn / itt
    if rank == 2 and schur > tiny:
        across = -(gn - itn / itt * gt) / schur
        along = -(gt + itn * across) / itt
        return NEWTON, (dh, along, across, cx, cy, tx, ty)
    if abs(gn) > edge and not first:
        return TILT if rank == 2 else FALL, (0.0, 0.0, -1.0 if gn > 0.0 else 1.0, cx, cy, tx, ty)
    along = -gt / itt
    done = abs(dh) * sk <= BALANCE_TOL * weight and abs(gt) <= 0.1 * edge
    return (BALANCED if done and not first else NEWTON), (dh, along, 0.0, cx, cy, tx, ty)


@jit
def _line_search(s, weight, p, step, size2):
    """Return how far along a step the energy is least, exactly; negative when it falls for ever.

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
            k = s[K, j]
            x, y = s[X, j] - cx, s[Y, j] - cy
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


@jit
def _nearest_on_line(s, p, upto, place, line):
    """Return the c in reach at which the slopes b + d + c t are smallest, the first `upto` feet in the air staying up.

    `place` is (cx, cy, bx, by), the centroid of the loads and the slopes now; `line` is (dx, dy, tx, ty).
    """
    cx, cy, bx, by = place
    dx, dy, tx, ty = line
    low, high = -math.inf, math.inf
    for j in range(upto):
        x, y = s[X, j] - cx, s[Y, j] - cy
        rate = tx * x + ty * y
        if s[K, j] > 0.0 and s[p, j] >= 0.0 and rate != 0.0:
            touch = -(s[p, j] + dx * x + dy * y) / rate
            if rate > 0.0:
                low = max(low, touch)
            else:
                high = min(high, touch)
    return min(max(-((bx + dx) * tx + (by + dy) * ty), low), max(high, low))


@jit
def _nearest_in_plane(s, p, place):
    """Return the change of slopes that makes them smallest while the feet in the air stay up (Seidel's method)."""
    cx, cy, bx, by = place
    dx, dy = -bx, -by
    for j in range(s.shape[1]):
        x, y = s[X, j] - cx, s[Y, j] - cy
        far2 = x * x + y * y
        if s[K, j] > 0.0 and s[p, j] >= 0.0 and far2 > 0.0 and s[p, j] + dx * x + dy * y < 0.0:
            far = math.sqrt(far2)
            dx, dy, tx, ty = -s[p, j] * x / far2, -s[p, j] * y / far2, -y / far, x / far
            d = _nearest_on_line(s, p, j, place, (dx, dy, tx, ty))
            dx += d * tx
            dy += d * ty
    return dx, dy


@jit
def _least_tilt(s, weight, p, pose, size2, shape):
    """Return the pose of least tilt among those with the same loads, and whether there was a choice.

    A load of a few roundings does not hold the body: its foot is taken to touch and carry nothing.
    """
    h, bx, by = pose
    height = abs(h)
    for j in range(s.shape[1]):
        height = max(height, abs(s[Z, j]))
    for j in range(s.shape[1]):
        k = s[K, j]
        if abs(s[p, j]) * k <= 1e-14 * weight + 1e-15 * k * height:
            s[p, j] = max(s[p, j], 0.0)
    sk, cx, cy, tx, ty, itt, itn, inn, _, _, _ = _line(s, p, False, shape)
    tiny = FREE_TOL * sk * size2
    if shape[0] == 2 and itt > tiny and inn - itn * itn / itt > tiny:
        return False, h, bx, by
    dx = dy = held = 0.0
    if shape[0] == 2 and itt > tiny:
        d = _nearest_on_line(s, p, s.shape[1], (cx, cy, bx, by), (0.0, 0.0, -ty, tx))
        dx, dy, held = -d * ty, d * tx, inn
    elif shape[0] == 2:
        dx, dy = _nearest_in_plane(s, p, (cx, cy, bx, by))
        held = itt + inn
    if (abs(dx) + abs(dy)) * math.sqrt(held * sk) > 1e-12 * weight:
        return True, h, bx, by
    for j in range(s.shape[1]):
        s[LOAD, j] = s[K, j] * max(-s[p, j], 0.0)
    return True, h - dx * cx - dy * cy, bx + dx, by + dy


@jit
def _spans(sums, size2):
    """Return whether the loaded feet span the plane well enough for moments about the origin."""
    sk, sx, sy, sxx, sxy, syy = sums[:6]
    if sk <= 0.0:
        return False
    ixx, ixy, iyy = sxx - sx * sx / sk, sxy - sx * sy / sk, syy - sy * sy / sk
    trace = ixx + iyy
    return ixx * iyy - ixy * ixy > 1e-8 * trace * trace and trace > 1e-6 * sk * size2


@jit
def _step(s, weight, p, sums, first, size2, shape):
    """Return the kind of the next step and the step."""
    sk, sx, sy, sxx, sxy, syy, sp, spx, spy, _, _, _ = sums
    if _spans(sums, size2):
        cx, cy = sx / sk, sy / sk
        ixx, ixy, iyy = sxx - sx * cx, sxy - sx * cy, syy - sy * cy
        det = ixx * iyy - ixy * ixy
        total = weight + sp
        gx = spx - cx * total
        gy = spy - cy * total
        return NEWTON, (-total / sk, (ixy * gy - iyy * gx) / det, (ixy * gx - ixx * gy) / det, cx, cy, 1.0, 0.0)
    return _careful_step(s, weight, p, first, size2, shape)


@jit
def _descends(weight, sums, new, step):
    """Return whether a full step lowers the energy by a fair part of what its slope promised (Armijo).

    Without a change of contacts the step is exact; near the end, energies differ by less than their rounding.
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


@jit
def _support(weight, s):
    """Solve which feet carry what for the places and heights in `s`; leave the loads there; return code and pose.

    Newton on the convex energy sum K min(p, 0)^2 / 2 + weight h from the plane of all feet, with an exact line search
    where a full step does not descend, and a pure tilt where the loaded feet cannot hold the body. Heights are
    moved, not recomputed, so that stiff feet balance to rounding.
    """
    p, q = P, Q
    sums, size2 = _start(s, p)
    tolerance = BALANCE_TOL * weight
    lever = tolerance * math.sqrt(size2)
    h = bx = by = 0.0
    shape = (2, 1.0, 0.0)
    if sums[0] > 0.0 and not _spans(sums, size2):
        shape = _shape(s, size2)
    status = STALLED if sums[0] > 0.0 else NO_EQUILIBRIUM
    steps = MAX_SUPPORT if sums[0] > 0.0 else 0
    for k in range(steps):
        first = k == 0
        level = abs(sums[7]) <= lever and abs(sums[8]) <= lever and abs(weight + sums[6]) <= tolerance
        if level and not first:
            status = SOLVED
            break
        kind, step = _step(s, weight, p, sums, first, size2, shape)
        if kind == BALANCED:
            status = SOLVED
            break
        new = sums
        if kind == NEWTON:
            new = _move(s, p, q, step)
        if not first and (kind != NEWTON or not _descends(weight, sums, new, step)):
            t = _line_search(s, weight, p, step, size2)
            if t < 0.0 or kind == FALL:
                status = NO_EQUILIBRIUM
                break
            step = (t * step[0], t * step[1], t * step[2], step[3], step[4], step[5], step[6])
            new = _move(s, p, q, step)
        dx, dy = step[1] * step[5] - step[2] * step[6], step[1] * step[6] + step[2] * step[5]
        h += step[0] - dx * step[3] - dy * step[4]
        bx += dx
        by += dy
        p, q, sums = q, p, new
    return _finish_support(s, weight, p, sums, (h, bx, by), size2, shape, status)


@jit
def _finish_support(s, weight, p, sums, pose, size2, shape, status):
    """Write the loads; choose the least tilt where it is free; return the code, the pose and the imbalance."""
    if status == NO_EQUILIBRIUM:
        for j in range(s.shape[1]):
            s[LOAD, j] = math.nan
        return status, math.nan, math.nan, math.nan, math.nan
    least = weight
    for j in range(s.shape[1]):
        load = s[K, j] * max(-s[p, j], 0.0)
        s[LOAD, j] = load
        least = min(least, load if load > 0.0 else least)
    h, bx, by = pose
    if least < 1e-9 * weight or not _spans(sums, size2):
        free, h, bx, by = _least_tilt(s, weight, p, pose, size2, shape)
        status = status | TILT_FREE if free else status
    total = mx = my = 0.0
    for j in range(s.shape[1]):
        total += s[LOAD, j]
        mx += s[LOAD, j] * s[X, j]
        my += s[LOAD, j] * s[Y, j]
    lever = max(abs(mx), abs(my)) / math.sqrt(size2) if size2 > 0.0 else 0.0
    return status, h, bx, by, max(abs(total - weight), lever) / weight


# ------------------------------------------------------------------------------------------------ friction


@jit
def _gather(i, pos, vel, feet, f, out, tilt_terms, packed, s):
    """Write m = mu F, place and velocity of the feet to `s`; return their number, and sums that the balance needs.

    The sums are m, m x, m y, m u, m v, the largest squared distance of a foot with traction from the centre of mass,
    and m |velocity|. Rows used: MASS, PX and PY for the place, BX and BY for the velocity, A11 and A12 for w.
    `packed` leaves feet without traction out. With `tilt_terms` the first-order effect of the tilt on place and
    velocity is kept.
    """
    n = 0
    total = sx = sy = su = sv = far2 = held = 0.0
    ax, ay = (out[i, PITCH], -out[i, ROLL]) if tilt_terms else (0.0, 0.0)
    for j in range(s.shape[1]):
        m = max(feet[f, j, MU] * s[LOAD, j], 0.0)
        x, y, u, v = pos[i, j, 0], pos[i, j, 1], vel[i, j, 0], vel[i, j, 1]
        if tilt_terms:
            x, y = x + ax * pos[i, j, 2], y + ay * pos[i, j, 2]
            u, v = u + ax * vel[i, j, 2], v + ay * vel[i, j, 2]
        s[MASS, n], s[PX, n], s[PY, n], s[BX, n], s[BY, n] = m, x, y, u, v
        if packed:
            s[A11, n], s[A12, n] = feet[f, j, WX], feet[f, j, WY]
        total += m
        sx, sy, su, sv = sx + m * x, sy + m * y, su + m * u, sv + m * v
        far2 = max(far2, x * x + y * y if m > 0.0 else 0.0)
        held += m * (abs(u) + abs(v))
        n += 1 if m > 0.0 or not packed else 0
    return n, (total, sx, sy, su, sv, far2, held)


@jit
def _isotropic(i, n, sums, reference, s, out, force):
    """Solve the linear balance of isotropic feet in closed form and write the answer; return code and imbalance."""
    total, sx, sy, su, sv, far2, held = sums
    cx, cy, mean_u, mean_v = sx / total, sy / total, su / total, sv / total
    inertia = torque = 0.0
    for k in range(n):
        rx, ry = s[PX, k] - cx, s[PY, k] - cy
        inertia += s[MASS, k] * (rx * rx + ry * ry)
        torque += s[MASS, k] * (rx * (s[BY, k] - mean_v) - ry * (s[BX, k] - mean_u))
    free = inertia <= RANK_TOL * total * far2
    omega = 0.0 if free else -torque / inertia
    dissipation = power = 0.0
    for k in range(n):
        bx = s[BX, k] - mean_u - omega * (s[PY, k] - cy)
        by = s[BY, k] - mean_v + omega * (s[PX, k] - cx)
        b2 = bx * bx + by * by
        power += s[MASS, k] * b2
        dissipation += s[MASS, k] * math.sqrt(b2)
    if reference == 0.0 and dissipation > STICK_TOL * held:
        reference = power / dissipation
    scale = 1.0 / reference if reference > 0.0 else 0.0
    fx = fy = moment = 0.0
    for k in range(n):
        drag = -scale * s[MASS, k]
        tx = drag * (s[BX, k] - mean_u - omega * (s[PY, k] - cy))
        ty = drag * (s[BY, k] - mean_v + omega * (s[PX, k] - cx))
        force[i, k, 0], force[i, k, 1] = tx, ty
        fx += tx
        fy += ty
        moment += s[PX, k] * ty - s[PY, k] * tx
    out[i, UX], out[i, UY], out[i, OMEGA] = omega * cy - mean_u, -mean_v - omega * cx, omega
    out[i, REFERENCE_SPEED], out[i, DISSIPATION], out[i, GAP], out[i, ROUNDS] = reference, power * scale, 0.0, 0.0
    lever = abs(moment) / math.sqrt(far2) if far2 > 0.0 else 0.0
    return SOLVED | TWIST_FREE if free else SOLVED, max(abs(fx), abs(fy), lever) / total


@jit
def _factor(h11, h12, h13, h22, h23, h33):
    """Return the factors of a symmetric positive definite 3 by 3 matrix, L D L^T, diagonals inverted."""
    d1 = 1.0 / h11
    l21, l31 = h12 * d1, h13 * d1
    d2 = 1.0 / (h22 - l21 * h12)
    r23 = h23 - l21 * h13
    l32 = r23 * d2
    d3 = 1.0 / (h33 - l31 * h13 - l32 * r23)
    return d1, d2, d3, l21, l31, l32


@jit
def _solve(factors, b1, b2, b3):
    """Return x with L D L^T x = b."""
    d1, d2, d3, l21, l31, l32 = factors
    y2 = b2 - l21 * b1
    y3 = b3 - l31 * b1 - l32 * y2
    x3 = y3 * d3
    x2 = y2 * d2 - l32 * x3
    return b1 * d1 - l21 * x2 - l31 * x3, x2, x3


@jit
def _anisotropic(n, sums, s):
    """Solve the linear balance about the centre of m; leave in `s` the metric slips and the maps from twist to them.

    Returns the twist (u, v, omega) there, whether it was free, the sums m |b| and m |b|^2, the factors of the matrix,
    and the sum m |b| of a body held still. The metric slip of foot k is b = A^(1/2) v with A = 1 + w w^T, so that
    the traction law is isotropic in it; the rows (A11 A12 GX), (A12 A22 GY) map a change of twist to its change.
    """
    total, sx, sy, su, sv, far2, _ = sums
    cx, cy, mean_u, mean_v = sx / total, sy / total, su / total, sv / total
    h11 = h12 = h13 = h22 = h23 = h33 = g1 = g2 = g3 = inertia = still = 0.0
    for k in range(n):
        m, wx, wy = s[MASS, k], s[A11, k], s[A12, k]
        rx, ry = s[PX, k] - cx, s[PY, k] - cy
        inertia += m * (rx * rx + ry * ry)
        root = wx * wx + wy * wy
        a = 1.0 / (1.0 + math.sqrt(1.0 + root))
        a11, a12, a22 = 1.0 + a * wx * wx, a * wx * wy, 1.0 + a * wy * wy
        gx, gy = a12 * rx - a11 * ry, a22 * rx - a12 * ry
        u, v = s[BX, k], s[BY, k]
        bx, by = a11 * u + a12 * v, a12 * u + a22 * v
        still += m * math.sqrt(bx * bx + by * by)
        bx -= a11 * mean_u + a12 * mean_v
        by -= a12 * mean_u + a22 * mean_v
        s[A11, k], s[A12, k], s[A22, k], s[GX, k], s[GY, k], s[BX, k], s[BY, k] = a11, a12, a22, gx, gy, bx, by
        h11 += m * (a11 * a11 + a12 * a12)
        h12 += m * (a11 * a12 + a12 * a22)
        h22 += m * (a12 * a12 + a22 * a22)
        h13 += m * (a11 * gx + a12 * gy)
        h23 += m * (a12 * gx + a22 * gy)
        h33 += m * (gx * gx + gy * gy)
        g1 += m * (a11 * bx + a12 * by)
        g2 += m * (a12 * bx + a22 * by)
        g3 += m * (gx * bx + gy * by)
    free = inertia <= RANK_TOL * total * far2 or n < 2
    if free:  # one point: it may spin; the choice is not to
        h13 = h23 = g3 = 0.0
        h33 = 1.0
        for k in range(n):
            s[GX, k] = s[GY, k] = 0.0
    factors = _factor(h11, h12, h13, h22, h23, h33)
    u, v, omega = _solve(factors, -g1, -g2, -g3)
    dissipation = power = 0.0
    for k in range(n):
        bx = s[BX, k] + s[A11, k] * u + s[A12, k] * v + s[GX, k] * omega
        by = s[BY, k] + s[A12, k] * u + s[A22, k] * v + s[GY, k] * omega
        s[BX, k], s[BY, k] = bx, by
        power += s[MASS, k] * (bx * bx + by * by)
        dissipation += s[MASS, k] * math.sqrt(bx * bx + by * by)
    return u - mean_u, v - mean_v, omega, free, dissipation, power, factors, still


@jit
def _newton_direction(n, delta, s):
    """Return the primal-dual Newton step of the smoothed dissipation sum m e, its slope and that sum.

    e = sqrt(r^2 + delta^2). The matrix holds the dual y of the last round and is not symmetric; its symmetric part is
    positive definite while |y| <= m, so that the step descends and elimination needs no pivots.
    """
    value = g1 = g2 = g3 = 0.0
    h11 = h12 = h13 = h21 = h22 = h23 = h31 = h32 = h33 = 0.0
    for k in range(n):
        m, rx, ry = s[MASS, k], s[RX, k], s[RY, k]
        a11, a12, a22, gx, gy = s[A11, k], s[A12, k], s[A22, k], s[GX, k], s[GY, k]
        e2 = rx * rx + ry * ry + delta * delta
        inverse = 1.0 / math.sqrt(e2)
        stiff = m * inverse
        value += stiff * e2
        fx, fy = stiff * rx, stiff * ry
        g1 += a11 * fx + a12 * fy
        g2 += a12 * fx + a22 * fy
        g3 += gx * fx + gy * fy
        yx, yy = s[YX, k] * inverse * inverse, s[YY, k] * inverse * inverse
        p11, p12, p21, p22 = stiff - yx * rx, -yx * ry, -yy * rx, stiff - yy * ry
        q11, q12, q13 = p11 * a11 + p12 * a12, p11 * a12 + p12 * a22, p11 * gx + p12 * gy
        q21, q22, q23 = p21 * a11 + p22 * a12, p21 * a12 + p22 * a22, p21 * gx + p22 * gy
        h11 += a11 * q11 + a12 * q21
        h12 += a11 * q12 + a12 * q22
        h13 += a11 * q13 + a12 * q23
        h21 += a12 * q11 + a22 * q21
        h22 += a12 * q12 + a22 * q22
        h23 += a12 * q13 + a22 * q23
        h31 += gx * q11 + gy * q21
        h32 += gx * q12 + gy * q22
        h33 += gx * q13 + gy * q23
    if h33 == 0.0:  # one point
        h33 = 1.0
    l21, l31 = h21 / h11, h31 / h11
    h22, h23, b2 = h22 - l21 * h12, h23 - l21 * h13, -g2 + l21 * g1
    l32 = (h32 - l31 * h12) / h22
    omega = (-g3 + l31 * g1 - l32 * b2) / (h33 - l31 * h13 - l32 * h23)
    v = (b2 - h23 * omega) / h22
    u = (-g1 - h12 * v - h13 * omega) / h11
    return u, v, omega, u * g1 + v * g2 + omega * g3, value


@jit
def _advance(n, delta, u, v, omega, s):
    """Take the step: slips, duals clipped to the cone; return both dissipations, the dual value and its imbalance."""
    smooth = sharp = dual = c1 = c2 = c3 = 0.0
    for k in range(n):
        m, rx, ry = s[MASS, k], s[RX, k], s[RY, k]
        a11, a12, a22, gx, gy = s[A11, k], s[A12, k], s[A22, k], s[GX, k], s[GY, k]
        dx = a11 * u + a12 * v + gx * omega
        dy = a12 * u + a22 * v + gy * omega
        inverse = 1.0 / math.sqrt(rx * rx + ry * ry + delta * delta)
        turn = (rx * dx + ry * dy) * inverse
        s[OX, k], s[OY, k] = rx, ry
        rx += dx
        ry += dy
        yx = (m * rx - s[YX, k] * turn) * inverse
        yy = (m * ry - s[YY, k] * turn) * inverse
        y2 = yx * yx + yy * yy
        clip = m / math.sqrt(max(y2, m * m))
        yx *= clip
        yy *= clip
        s[RX, k], s[RY, k], s[YX, k], s[YY, k] = rx, ry, yx, yy
        r2 = rx * rx + ry * ry
        smooth += m * math.sqrt(r2 + delta * delta)
        sharp += m * math.sqrt(r2)
        dual += yx * s[BX, k] + yy * s[BY, k]
        c1 += a11 * yx + a12 * yy
        c2 += a12 * yx + a22 * yy
        c3 += gx * yx + gy * yy
    return smooth, sharp, dual, c1, c2, c3


@jit
def _retreat(n, delta, u, v, omega, s):
    """Put the slips a shorter way from where they were, the duals left alone; return both dissipations."""
    smooth = sharp = 0.0
    for k in range(n):
        rx = s[OX, k] + s[A11, k] * u + s[A12, k] * v + s[GX, k] * omega
        ry = s[OY, k] + s[A12, k] * u + s[A22, k] * v + s[GY, k] * omega
        s[RX, k], s[RY, k] = rx, ry
        smooth += s[MASS, k] * math.sqrt(rx * rx + ry * ry + delta * delta)
        sharp += s[MASS, k] * math.sqrt(rx * rx + ry * ry)
    return smooth, sharp


@jit
def _overshoot(n, u, v, omega, s):
    """Return by how much the duals leave the cone, at most, once balanced by m C (u, v, omega): a factor >= 1."""
    worst = 1.0
    for k in range(n):
        m = s[MASS, k]
        yx = s[YX, k] + m * (s[A11, k] * u + s[A12, k] * v + s[GX, k] * omega)
        yy = s[YY, k] + m * (s[A12, k] * u + s[A22, k] * v + s[GY, k] * omega)
        worst = max(worst, (yx * yx + yy * yy) / (m * m))
    return math.sqrt(worst)


@jit
def _settle(n, factors, s):
    """Compute the twist from the slips and the slips from the twist again; return the twist and the dissipation.

    Long steps leave their rounding in the slips; the fit weighs the heaviest feet most, where it costs most.
    """
    c1 = c2 = c3 = 0.0
    for k in range(n):
        dx, dy = s[MASS, k] * (s[RX, k] - s[BX, k]), s[MASS, k] * (s[RY, k] - s[BY, k])
        c1 += s[A11, k] * dx + s[A12, k] * dy
        c2 += s[A12, k] * dx + s[A22, k] * dy
        c3 += s[GX, k] * dx + s[GY, k] * dy
    u, v, omega = _solve(factors, c1, c2, c3)
    sharp = 0.0
    for k in range(n):
        rx = s[BX, k] + s[A11, k] * u + s[A12, k] * v + s[GX, k] * omega
        ry = s[BY, k] + s[A12, k] * u + s[A22, k] * v + s[GY, k] * omega
        s[RX, k], s[RY, k] = rx, ry
        sharp += s[MASS, k] * math.sqrt(rx * rx + ry * ry)
    return u, v, omega, sharp


@jit
def _coulomb(n, total, factors, dissipation, power, still, tolerance, s):
    """Minimise the dissipation sum m |r| by primal-dual Newton steps on its smoothing; return what was reached.

    Starts at the viscous slips b. The duals are balanced by a least-squares correction and shrunk into the cone; the
    dual value then bounds the least dissipation from below, whatever the path. Returns the change of twist, the
    dissipation, the gap, the correction and the shrinking, and whether the gap was reached.
    """
    floor = 1e-14 * still  # below it all is rounding: feet that move as one body stick
    for k in range(n):
        s[RX, k], s[RY, k] = s[BX, k], s[BY, k]
    delta = START_DELTA * power / dissipation if dissipation > 0.0 else 0.0  # a slip of the feet that dissipate
    for k in range(n):
        inverse = s[MASS, k] / math.sqrt(s[RX, k] ** 2 + s[RY, k] ** 2 + delta * delta) if delta > 0.0 else 0.0
        s[YX, k], s[YY, k] = s[RX, k] * inverse, s[RY, k] * inverse
    gap = sharp = dissipation
    tu = tv = to = 0.0
    l1 = l2 = l3 = 0.0
    shrink = dual = 0.0
    rounds = 0
    while gap > tolerance * sharp + floor and rounds < MAX_COULOMB:
        rounds += 1
        u, v, omega, slope, before = _newton_direction(n, delta, s)
        smooth, sharp, dual, c1, c2, c3 = _advance(n, delta, u, v, omega, s)
        t = 1.0
        while smooth > before + 1e-4 * t * slope + 1e-15 * before and t > 1e-30:
            t *= min(0.5, 2.0 * before / smooth)  # the dissipation grows in proportion to a step far too long
            smooth, sharp = _retreat(n, delta, t * u, t * v, t * omega, s)
        l1, l2, l3 = _solve(factors, -c1, -c2, -c3)
        shrink = 1.0 / _overshoot(n, l1, l2, l3, s)
        gap = sharp - shrink * max(dual, 0.0)
        if gap <= tolerance * sharp + floor:
            tu, tv, to, sharp = _settle(n, factors, s)
            gap = sharp - shrink * max(dual, 0.0)
        speed = gap / total
        aim = 0.1 * speed * min(1.0, 3.0 * math.sqrt(max(gap, 0.0) / dissipation))
        least = 0.25 * (tolerance * sharp + floor) / total
        delta = max(min(0.5 * delta, aim), 1e-3 * delta, least)
    if rounds == MAX_COULOMB:
        tu, tv, to, sharp = _settle(n, factors, s)
        gap = max(gap, sharp - shrink * max(dual, 0.0))
    return tu, tv, to, sharp, gap, l1, l2, l3, shrink, rounds


@jit
def _is_loose(n, lambdas, shrink, relative_gap, s):
    """Return whether some twist changes the dissipation by no more than the gap can tell: the velocity is not unique.

    It is loose when one motion keeps every slip on its own ray, that is when sum m C^T (1 - y y^T / m^2) C is
    singular beside sum m C^T C; the inverse of the trace of the quotient is within a factor 3 of the least eigenvalue.
    """
    l1, l2, l3 = lambdas
    q11 = q12 = q13 = q22 = q23 = q33 = 0.0
    g11 = g12 = g13 = g22 = g23 = g33 = 0.0
    for k in range(n):
        m, a11, a12, a22, gx, gy = s[MASS, k], s[A11, k], s[A12, k], s[A22, k], s[GX, k], s[GY, k]
        yx = shrink * (s[YX, k] / m + a11 * l1 + a12 * l2 + gx * l3)
        yy = shrink * (s[YY, k] / m + a12 * l1 + a22 * l2 + gy * l3)
        c1, c2, c3 = a11 * yx + a12 * yy, a12 * yx + a22 * yy, gx * yx + gy * yy
        k11, k12, k22 = a11 * a11 + a12 * a12, a11 * a12 + a12 * a22, a12 * a12 + a22 * a22
        k13, k23, k33 = a11 * gx + a12 * gy, a12 * gx + a22 * gy, gx * gx + gy * gy
        g11, g12, g13 = g11 + m * k11, g12 + m * k12, g13 + m * k13
        g22, g23, g33 = g22 + m * k22, g23 + m * k23, g33 + m * k33
        q11, q12, q13 = q11 + m * (k11 - c1 * c1), q12 + m * (k12 - c1 * c2), q13 + m * (k13 - c1 * c3)
        q22, q23, q33 = q22 + m * (k22 - c2 * c2), q23 + m * (k23 - c2 * c3), q33 + m * (k33 - c3 * c3)
    if g33 == 0.0:
        g33 = q33 = 1.0
    factors = _factor(q11, q12, q13, q22, q23, q33)
    if not (factors[0] > 0.0 and factors[1] > 0.0 and factors[2] > 0.0):
        return True
    trace = _solve(factors, g11, g12, g13)[0] + _solve(factors, g12, g22, g23)[1] + _solve(factors, g13, g23, g33)[2]
    return not trace * max(LOOSE_TOL, 100.0 * relative_gap) < 1.0


@jit
def _write_tractions(i, feet, f, law, scale, lambdas, force, s):
    """Write the tractions, -scale m A^(1/2) b or the balanced duals; return what they miss of balance, relative."""
    l1, l2, l3 = lambdas
    k = 0
    total = fx = fy = moment = size2 = 0.0
    for j in range(s.shape[1]):
        m = feet[f, j, MU] * s[LOAD, j]
        tx = ty = 0.0
        if m > 0.0:
            a11, a12, a22, x, y = s[A11, k], s[A12, k], s[A22, k], s[PX, k], s[PY, k]
            if law == VISCOUS:
                yx, yy = m * s[BX, k], m * s[BY, k]
            else:
                yx = s[YX, k] + m * (a11 * l1 + a12 * l2 + s[GX, k] * l3)
                yy = s[YY, k] + m * (a12 * l1 + a22 * l2 + s[GY, k] * l3)
            tx = -scale * (a11 * yx + a12 * yy)
            ty = -scale * (a12 * yx + a22 * yy)
            fx += tx
            fy += ty
            moment += x * ty - y * tx
            size2 = max(size2, x * x + y * y)
            total += m
            k += 1
        force[i, j, 0], force[i, j, 1] = tx, ty
    lever = abs(moment) / math.sqrt(size2) if size2 > 0.0 else 0.0
    return max(abs(fx), abs(fy), lever) / total


@jit
def _friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force):
    """Solve the body's twist and the tractions for the loads in `s`; write both, return status and flags.

    `setting` is the reference speed of the viscous law (0: that at which the feet dissipate what they would under
    Coulomb's law), or the gap at which Coulomb's law is solved, relative to the dissipation.
    """
    plain = law == VISCOUS
    for j in range(s.shape[1]):
        if feet[f, j, WX] != 0.0 or feet[f, j, WY] != 0.0:
            plain = False
            break
    n, sums = _gather(i, pos, vel, feet, f, out, tilt_terms, not plain, s)
    total, sx, sy = sums[:3]
    if total == 0.0:
        for j in range(s.shape[1]):
            force[i, j, 0] = force[i, j, 1] = 0.0
        for k in range(UX, OUT_COLUMNS):
            out[i, k] = 0.0 if k != RESIDUAL else out[i, k]
        return NO_TRACTION | TWIST_FREE
    if plain:
        code, imbalance = _isotropic(i, n, sums, setting, s, out, force)
        out[i, RESIDUAL] = max(out[i, RESIDUAL], imbalance)
        return code
    cx, cy = sx / total, sy / total
    code = SOLVED
    reference, gap, rounds = math.nan, 0.0, 0
    scale, lambdas = 0.0, (0.0, 0.0, 0.0)
    u, v, omega, free, dissipation, power, factors, still = _anisotropic(n, sums, s)
    if law == VISCOUS:
        reference = setting
        if setting == 0.0 and dissipation > STICK_TOL * sums[6]:
            reference = power / dissipation
        scale = 1.0 / reference if reference > 0.0 else 0.0
        dissipation = power * scale
    else:
        du, dv, domega, dissipation, gap, l1, l2, l3, scale, rounds = _coulomb(
            n, total, factors, dissipation, power, still, setting, s
        )
        u, v, omega, lambdas = u + du, v + dv, omega + domega, (l1, l2, l3)
        code = SOLVED if rounds < MAX_COULOMB else GAP_MISSED
        if scale > 0.0:
            free = _is_loose(n, lambdas, scale, gap / dissipation, s) or free
    out[i, UX], out[i, UY], out[i, OMEGA] = u + omega * cy, v - omega * cx, omega
    out[i, REFERENCE_SPEED], out[i, DISSIPATION], out[i, GAP], out[i, ROUNDS] = reference, dissipation, gap, rounds
    imbalance = _write_tractions(i, feet, f, law, scale, lambdas, force, s)
    out[i, RESIDUAL] = max(out[i, RESIDUAL], imbalance)
    return code | TWIST_FREE if free else code


# ------------------------------------------------------------------------------------------------ frames


@jit
def _frame(i, pos, vel, feet, f, weight, law, setting, tilt_terms, s, out, force):
    """Solve frame `i` with the feet `f`, support first; return the code."""
    for j in range(s.shape[1]):
        s[X, j], s[Y, j], s[Z, j] = pos[i, j, 0], pos[i, j, 1], pos[i, j, 2] - feet[f, j, GROUND]
        s[K, j] = feet[f, j, STIFFNESS]
    code, h, bx, by, imbalance = _support(weight, s)
    out[i, HEIGHT], out[i, PITCH], out[i, ROLL], out[i, RESIDUAL] = h, -bx, by, imbalance
    for j in range(s.shape[1]):
        force[i, j, 2] = s[LOAD, j]
    if law == SUPPORT_ONLY:
        return code
    if code & STATUS_MASK == NO_EQUILIBRIUM:
        for k in range(UX, OUT_COLUMNS):
            out[i, k] = math.nan
        for j in range(s.shape[1]):
            force[i, j, 0] = force[i, j, 1] = math.nan
        return code
    sliding = _friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force)
    if code & STATUS_MASK == SOLVED:
        return code | sliding
    return code | (sliding & ~STATUS_MASK)


@jit
def frames(first, last, pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code):
    """Solve the frames `first` to `last` of a batch; `feet` and `weight` hold one entry per frame or one for all.

    `s` is scratch, shape (SCRATCH_ROWS, n feet).
    """
    each_feet, each_weight = feet.shape[0] > 1, weight.shape[0] > 1
    for i in range(first, last):
        f = i if each_feet else 0
        load = weight[i if each_weight else 0]
        code[i] = _frame(i, pos, vel, feet, f, load, law, setting, tilt_terms, s, out, force)


@jit
def frames_serial(pos, vel, feet, weight, law, setting, tilt_terms, out, force, code):
    """Solve a batch on one thread."""
    s = np.empty((SCRATCH_ROWS, pos.shape[1]))
    frames(0, pos.shape[0], pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code)


@jit_parallel
def frames_parallel(chunks, pos, vel, feet, weight, law, setting, tilt_terms, out, force, code):
    """Solve a batch in so many chunks, spread over the threads."""
    n = pos.shape[0]
    for c in prange(chunks):
        s = np.empty((SCRATCH_ROWS, pos.shape[1]))
        a, b = n * c // chunks, n * (c + 1) // chunks
        frames(a, b, pos, vel, feet, weight, law, setting, tilt_terms, s, out, force, code)


@jit
def slides(pos, vel, feet, law, setting, tilt_terms, out, force, code):
    """Solve the friction of a batch whose loads are already in `force` and tilts in `out`."""
    s = np.empty((SCRATCH_ROWS, pos.shape[1]))
    for i in range(pos.shape[0]):
        out[i, RESIDUAL] = 0.0
        for j in range(pos.shape[1]):
            s[LOAD, j] = force[i, j, 2]
        f = i if feet.shape[0] > 1 else 0
        code[i] = _friction(i, pos, vel, feet, f, law, setting, tilt_terms, s, out, force)


ANSWER_ROWS = 4  # of an answer of `single` before the forces: the columns of `out` and the code, three in a row


@jit
def single(pos, vel, feet, weight, law, setting, tilt_terms, s):
    """Solve one frame from (n, 3) and (n, 2) arrays; return a new array (4 + n, 3): answers and code, then forces."""
    n = s.shape[1]
    if pos.shape[0] != n or pos.shape[1] != 3:
        raise ValueError("foot_pos must have shape (n, 3), with the n of the solver")
    if vel.shape[0] != n or vel.shape[1] < (3 if tilt_terms else 2):
        raise ValueError("foot_vel must have shape (n, 2), with the n of the solver, or (n, 3)")
    total = 0.0
    for j in range(n):
        total += 0.0 * (pos[j, 0] + pos[j, 1] + pos[j, 2] + vel[j, 0] + vel[j, 1])
    if total != 0.0:
        raise ValueError("foot_pos and foot_vel must be finite; they hold NaN or infinity")
    answer = np.empty((ANSWER_ROWS + n, 3))
    out = answer[:ANSWER_ROWS].reshape((1, ANSWER_ROWS * 3))
    force = answer[ANSWER_ROWS:].reshape((1, n, 3))
    code = _frame(
        0, pos[np.newaxis, :, :], vel[np.newaxis, :, :], feet, 0, weight, law, setting, tilt_terms, s, out, force
    )
    out[0, OUT_COLUMNS] = code
    return answer
