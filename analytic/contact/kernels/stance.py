"""What the support search needs of the feet: sums over the loaded ones, and the shape of the stance.

Heights of the feet above their ground are p_j = h + b . q_j + z_j - ground_j with the slopes b = (-pitch, roll), in
the frame of the body with the centre of mass as origin. They are updated from step to step, not recomputed, so that
stiff feet balance to round-off; the sums are those of the energy sum K min(p, 0)^2 / 2 + weight h.
"""

import math

from ...compilation import jit
from .layout import NOTHING, SNAP_TOL, K, X, Y, Z


@jit(fast=True)
def start(s, p):
    """Write the heights at the pose zero; return the sums over all feet, and the squared distances that are extreme.

    The greatest is the size of the stance; the least is of the foot nearest to the centre of mass.
    """
    sk = sx = sy = sxx = sxy = syy = sp = spx = spy = size2 = 0.0
    near2 = math.inf
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
            near2 = min(near2, x * x + y * y)
    return (sk, sx, sy, sxx, sxy, syy, sp, spx, spy, 0.0, 0.0, 0.0), size2, near2


@jit(fast=True)
def move(s, p, q, step):
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


@jit(fast=True, inline=True)
def settle(s, p, step):
    """Add a full step to the heights `p`; return the sums over the feet then loaded.

    It is (dh, dx, dy, cx, cy): a lift, and slopes along x and y about the centroid c of the loads.
    """
    dh, dx, dy, cx, cy = step
    sk = sx = sy = sxx = sxy = syy = sp = spx = spy = 0.0
    for j in range(s.shape[1]):
        x, y, k = s[X, j], s[Y, j], s[K, j]
        height = s[p, j] + (dh + dx * (x - cx) + dy * (y - cy))
        s[p, j] = height
        on = k if height < 0.0 else 0.0
        load = on * height
        sk += on
        sx += on * x
        sy += on * y
        sxx += on * x * x
        sxy += on * x * y
        syy += on * y * y
        sp += load
        spx += load * x
        spy += load * y
    return sk, sx, sy, sxx, sxy, syy, sp, spx, spy, 0.0, 0.0, 0.0


@jit(fast=True)
def line_of(s, p, everyone, shape):
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


@jit(fast=True)
def shape_of(s, size2):
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
    tiny = SNAP_TOL * math.sqrt(size2) + NOTHING
    return (0 if far <= tiny else 1 if wide <= tiny else 2), tx, ty


@jit(fast=True)
def spans(sums, size2):
    """Return whether the loaded feet span the plane well enough for moments about the origin."""
    sk, sx, sy, sxx, sxy, syy = sums[:6]
    if sk <= 0.0:
        return False
    ixx, ixy, iyy = sxx - sx * sx / sk, sxy - sx * sy / sk, syy - sy * sy / sk
    trace = ixx + iyy
    return ixx * iyy - ixy * ixy > 1e-8 * trace * trace and trace > 1e-6 * sk * size2
