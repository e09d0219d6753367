"""Whether the loads balance by the lever arms that bear them, and more steps of the support search where they do not.

The search ends when moments are small beside weight times size, the distance of the farthest foot. If that foot bears
almost nothing, the others may still be off by far more than their own rounding.
"""

from ...compilation import jit
from .layout import BALANCE_TOL, LEVER_TOL, LOAD, RANK_TOL, REFINE, K, X, Y
from .stance import line_of, move


@jit(fast=True)
def is_level(s, weight, p, moment, near2):
    """Return whether a moment is small beside the loads times their distances, of which the nearest squared is near2.

    With all the weight there the sum is least: of most frames that is enough, and spares it.
    """
    bound = LEVER_TOL * weight
    if moment * moment <= bound * bound * near2:
        return True
    lever = 0.0
    for j in range(s.shape[1]):
        lever -= s[K, j] * min(s[p, j], 0.0) * (abs(s[X, j]) + abs(s[Y, j]))
    return moment <= LEVER_TOL * lever


@jit(fast=True)
def refine(s, weight, p, q, sums, pose, sizes):
    """Repeat the last steps with moments about the centre of mass; return where the heights are, their sums and pose.

    About the centroid of the stiffnesses, as far away as the farthest foot, the moments of the others are rounding.
    An axis so far from a foot moves it by rounding too, so that a step may mislead, and the next mends it. Where none
    ends in balance all stays as it was.
    """
    size2, near2 = sizes
    if is_level(s, weight, p, max(abs(sums[7]), abs(sums[8])), near2):
        return p, sums, pose
    for j in range(s.shape[1]):
        s[LOAD, j] = s[p, j]
    h, bx, by = pose
    new = sums
    for _ in range(REFINE):
        sk, cx, cy, tx, ty, itt, itn, inn, _, _, _ = line_of(s, p, False, (2, 1.0, 0.0))
        tiny = RANK_TOL * sk * size2
        if itt <= tiny or inn - itn * itn / itt <= tiny:
            break
        total = weight + new[6]
        gt = tx * new[7] + ty * new[8] - total * (tx * cx + ty * cy)
        gn = tx * new[8] - ty * new[7] - total * (tx * cy - ty * cx)
        across = -(gn - itn / itt * gt) / (inn - itn * itn / itt)
        along = -(gt + itn * across) / itt
        dx, dy = along * tx - across * ty, along * ty + across * tx
        new = move(s, p, q, (-total / sk, along, across, cx, cy, tx, ty))
        if new[11] > 0.0:
            break
        h, bx, by = h - total / sk - dx * cx - dy * cy, bx + dx, by + dy
        p, q = q, p
        moment = max(abs(new[7]), abs(new[8]))
        if abs(weight + new[6]) <= BALANCE_TOL * weight and is_level(s, weight, p, moment, near2):
            return p, new, (h, bx, by)
    for j in range(s.shape[1]):
        s[p, j] = s[LOAD, j]
    return p, sums, pose
