"""Friction of feet whose loads are known: the body's twist, the tractions, and the connection matrix for planning.

The twist xi = (u, v, omega) of the centre of mass gives foot k the slip velocity v_k = qdot_k + (u, v) + omega S q_k,
S = [[0, -1], [1, 0]]. The friction forces of all feet balance. For the viscous law that is linear, xi = -A(q) qdot; for
Coulomb's it is the minimum of the dissipation, a convex problem solved with a certified duality gap.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, sections 2.2, 2.3 and 5.5.
"""

import numpy as np

from . import arrays, iterated, kernels
from .connection import named_law
from .laws import SlidingLaw
from .results import Motion, motion
from .support import foot_table


def slide(foot_pos, foot_vel, load, mu, anisotropy=None, law="viscous") -> Motion:
    """Return body velocity and tractions for given loads; height and tilt of the result are NaN.

    Args:
        foot_pos: Shape (..., n, 2) or (..., n, 3), body frame [m].
        foot_vel: Likewise, relative to the body [m/s].
        load: Normal force on each foot, (n,) or (..., n), not negative [N].
        mu: Scalar, (n,) or (..., n).
        anisotropy: w of each foot, (n, 2) or (..., n, 2), or None.
        law: As in `connection.solve`.

    Raises:
        ValueError: If an argument has a wrong shape, is not finite, or a load or friction is negative.
    """
    law = named_law(law)
    pos = arrays.vectors("foot_pos", foot_pos, (2, 3))
    vel = arrays.vectors("foot_vel", foot_vel, (2, 3))
    n = pos.shape[-2]
    if vel.shape[-2] != n:
        raise ValueError(f"foot_vel must have as many feet as foot_pos: got {vel.shape[-2]} and {n}")
    table = foot_table(n, 0.0, mu, anisotropy, 0.0)
    load = arrays.per_foot("load", load, n, arrays.not_negative)
    batch = arrays.batch_shape(
        foot_pos=pos.shape[:-2], foot_vel=vel.shape[:-2], feet=table.shape[:-2], load=load.shape[:-1]
    )
    force = np.zeros((*batch, n, 3))
    force[..., 2] = load
    force = arrays.flat(force, batch, (n, 3))
    out = np.full((len(force), kernels.OUT_COLUMNS), np.nan)
    code = np.empty(len(force), dtype=np.int64)
    flat_table = arrays.flat(table, batch if table.ndim > 2 else (), (n, kernels.FOOT_COLUMNS))
    flat_pos, flat_vel = arrays.flat(pos, batch, pos.shape[-2:]), arrays.flat(vel, batch, vel.shape[-2:])
    setting = law.kernel_code
    kernels.slides(flat_pos, flat_vel, flat_table, *setting, False, out, force, code, kernels.with_coulomb(setting))
    found = motion(out.reshape((*batch, kernels.OUT_COLUMNS)), force.reshape((*batch, n, 3)), code.reshape(batch))
    if isinstance(law, SlidingLaw):
        full = np.zeros((*batch, n, 3))
        full[..., :2] = pos[..., :2]  # broadcasts
        return iterated.replace_friction(found, full, vel, table, law, False)
    return found


def connection_matrix(foot_pos, load, mu, anisotropy=None) -> np.ndarray:
    """Return the local connection A(q) of the viscous law: xi = -sum over feet of A[:, k] qdot_k.

    Args:
        foot_pos: Shape (..., n, 2) or (..., n, 3), body frame [m].
        load: (n,) or (..., n) [N].
        mu: Scalar, (n,) or (..., n).
        anisotropy: w of each foot, (n, 2) or (..., n, 2), or None.

    Returns:
        Shape (..., 3, n, 2); rows u, v [1] and omega [1/m]. NaN without traction. If all feet with traction coincide,
        omega is free and its row is zero.

    Raises:
        ValueError: If an argument has a wrong shape, is not finite, or a load or friction is negative.
    """
    pos = arrays.vectors("foot_pos", foot_pos, (2, 3))[..., :2]
    n = pos.shape[-2]
    w = np.zeros((n, 2)) if anisotropy is None else arrays.vectors("anisotropy", anisotropy, (2,))
    m = arrays.per_foot("load", load, n, arrays.not_negative) * arrays.per_foot("mu", mu, n)
    batch = arrays.batch_shape(foot_pos=pos.shape[:-2], load=m.shape[:-1], anisotropy=w.shape[:-2])
    pos, m = np.broadcast_to(pos, (*batch, n, 2)), np.broadcast_to(m, (*batch, n))
    total = m.sum(axis=-1, keepdims=True)
    bare = total[..., 0] == 0.0
    weight = m / np.where(total > 0.0, total, 1.0)
    centre = np.einsum("...n,...ni->...i", weight, pos)  # the balance is well conditioned about it
    r = pos - centre[..., None, :]
    inertia = np.einsum("...n,...ni,...ni->...", weight, r, r)
    far2 = np.max(np.where(m > 0.0, np.sum(pos**2, axis=-1), 0.0), axis=-1)
    point = inertia <= kernels.RANK_TOL * far2 + kernels.NOTHING**2
    b = np.zeros((*batch, n, 2, 3))
    b[..., 0, 0] = b[..., 1, 1] = 1.0
    b[..., 0, 2], b[..., 1, 2] = -r[..., 1], r[..., 0]
    b[point | bare, :, :, 2] = 0.0
    metric = np.eye(2) + w[..., :, None] * w[..., None, :]
    pull = np.einsum("...n,...nki,...nkl->...inl", weight, b, np.broadcast_to(metric, (*batch, n, 2, 2)))
    gram = np.einsum("...ink,...nkj->...ij", pull, b)
    gram[point | bare, 2, 2] = 1.0
    gram[bare, 0, 0] = gram[bare, 1, 1] = 1.0
    a = np.linalg.solve(gram, pull.reshape((*batch, 3, 2 * n))).reshape((*batch, 3, n, 2))
    a[..., 0, :, :] += centre[..., 1, None, None] * a[..., 2, :, :]
    a[..., 1, :, :] -= centre[..., 0, None, None] * a[..., 2, :, :]
    a[bare] = np.nan
    return a
