"""The smallest tilt with the same loads, if loaded feet in line or in one point leave the tilt free.

The loads and the height are still unique. The tilt is limited by the feet in the air, which must stay in the air: to an
interval if the loaded feet are in line, to a polygon if they are in one point.
"""

import math

from ...compilation import jit
from .layout import FREE_TOL, LOAD, K, X, Y, Z
from .stance import line_of


@jit(fast=True)
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


@jit(fast=True)
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


@jit(fast=True)
def least_tilt(s, weight, p, pose, size2, shape):
    """Return the pose of least tilt among those with the same loads, and whether there was a choice.

    A load of a few units of its height's round-off, or of its parts', does not support the body: its foot is taken to
    touch without load.
    """
    h, bx, by = pose
    height = 0.0
    for j in range(s.shape[1]):
        height = max(height, abs(h) + abs(s[Z, j]) + abs(bx * s[X, j]) + abs(by * s[Y, j]))
    for j in range(s.shape[1]):
        k = s[K, j]
        if abs(s[p, j]) * k <= min(1e-14 * weight + 1e-15 * k * height, 1e-12 * weight):
            s[p, j] = max(s[p, j], 0.0)
    sk, cx, cy, tx, ty, itt, itn, inn, _, _, _ = line_of(s, p, False, shape)
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
