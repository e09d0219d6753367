"""Which feet carry what load, and height, pitch and roll: a body on vertical springs, small angles.

Foot j stands at p_j = height - pitch x_j + roll y_j + z_j - ground_j and presses with F_j = stiffness_j max(0, -p_j).
Balance of force and moments is the stationarity of a convex energy, so that loads and height are unique; they exist if
the centre of mass lies over the convex hull of the feet. The tilt is unique unless the loaded feet are collinear.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, section 2.1, eqs. (15)-(20); solved here as a minimisation.
"""

from dataclasses import dataclass

import numpy as np

from . import arrays, kernels
from .results import Support, support_fields


def support(foot_pos, stiffness, weight, ground=0.0) -> Support:
    """Return the loads of the feet and the pose of the body at rest on them.

    Args:
        foot_pos: Foot positions in the body frame, origin at the centre of mass, shape (..., n, 3) [m].
        stiffness: Of the legs, a scalar, (n,) or (..., n) [N/m]; 0 is a leg that never touches.
        weight: Positive, a scalar or (...) [N].
        ground: Height of the horizontal ground under each foot, like `stiffness` [m].

    Returns:
        The support; leading dimensions broadcast. No equilibrium is a status, with NaN for loads and pose.

    Raises:
        ValueError: If an argument has a wrong shape, is not finite, or stiffness or weight are negative.
    """
    pos = arrays.vectors("foot_pos", foot_pos, (3,))
    table = foot_table(pos.shape[-2], stiffness, 0.0, None, ground)
    load = arrays.positive("weight", weight)
    batch = arrays.batch_shape(foot_pos=pos.shape[:-2], feet=table.shape[:-2], weight=load.shape)
    out, force, code = run_frames(pos, pos, table, load, batch, (kernels.SUPPORT_ONLY, 0.0), False, True)
    return Support(**support_fields(out, force, code))


def foot_table(n: int, stiffness, mu, anisotropy, ground) -> np.ndarray:
    """Return the parameters of n feet as the kernels take them, shape (..., n, 5)."""
    w = np.zeros((n, 2)) if anisotropy is None else arrays.vectors("anisotropy", anisotropy, (2,))
    columns = [
        arrays.per_foot("stiffness", stiffness, n),
        arrays.per_foot("mu", mu, n),
        arrays.per_foot("anisotropy", w[..., 0], n, arrays.finite),
        arrays.per_foot("anisotropy", w[..., 1], n, arrays.finite),
        arrays.per_foot("ground", ground, n, arrays.finite),
    ]
    names = ("stiffness", "mu", "anisotropy", "anisotropy", "ground")
    batch = arrays.batch_shape(**{name: column.shape[:-1] for name, column in zip(names, columns, strict=True)})
    return np.stack([np.broadcast_to(column, (*batch, n)) for column in columns], axis=-1)


def run_frames(pos, vel, table, weight, batch, law, tilt_terms, parallel):
    """Run the compiled loop over a batch of checked arguments; return its arrays with the batch's leading shape."""
    n = pos.shape[-2]
    pos = arrays.flat(pos, batch, (n, 3))
    vel = arrays.flat(vel, batch, vel.shape[-2:])
    table = arrays.flat(table, batch if table.ndim > 2 else (), (n, kernels.FOOT_COLUMNS))
    weight = arrays.flat(weight, batch if weight.ndim else (), ())
    count = len(pos)
    out, force = np.empty((count, kernels.OUT_COLUMNS)), np.empty((count, n, 3))
    code = np.empty(count, dtype=np.int64)
    arguments = (pos, vel, table, weight, *law, tilt_terms, out, force, code, kernels.with_coulomb(law))
    # A parallel loop costs some 20 us to start: not worth it for a few frames. Many chunks even out hard frames.
    if parallel and count >= 1000:
        kernels.frames_parallel(64, *arguments)
    else:
        kernels.frames_serial(*arguments)
    return out.reshape((*batch, kernels.OUT_COLUMNS)), force.reshape((*batch, n, 3)), code.reshape(batch)


@dataclass(frozen=True)
class LoadDerivatives:
    """Rates of change of the loads (rows) with the feet's parameters (columns); NaN where there is no derivative."""

    stiffness: np.ndarray  # (..., n, n) dF_i / dK_j [m]
    position: np.ndarray  # (..., n, n, 3) dF_i / d(x, y, z)_j [N/m]
    weight: np.ndarray  # (..., n) dF_i / d weight
    exists: np.ndarray  # (...) False without equilibrium, when the loaded feet stand in line, or a foot just touches


def load_derivatives(foot_pos, stiffness, weight, ground=0.0) -> LoadDerivatives:
    """Return the derivatives of the loads, by the implicit function theorem on the balances.

    Args:
        foot_pos: As in `support`.
        stiffness: As in `support`.
        weight: As in `support`.
        ground: As in `support`; its derivative is minus that of z.

    Raises:
        ValueError: As `support`.
    """
    found = support(foot_pos, stiffness, weight, ground)
    n = found.load.shape[-1]
    pos = np.broadcast_to(np.asarray(foot_pos, dtype=np.float64), (*found.load.shape, 3))
    k = np.broadcast_to(np.asarray(stiffness, dtype=np.float64), found.load.shape)
    floor = np.broadcast_to(np.asarray(ground, dtype=np.float64), found.load.shape)
    phi = np.stack([np.ones_like(k), -pos[..., 0], pos[..., 1]], axis=-1)  # (..., n, 3), dp/d(height, pitch, roll)
    pose = np.stack([found.height, found.pitch, found.roll], axis=-1)
    p = np.einsum("...nk,...k->...n", phi, pose) + pos[..., 2] - floor
    loaded = found.load > 0.0
    touching = (~loaded) & (k > 0.0) & (np.abs(p) <= 1e-12 * np.abs(found.height)[..., None])
    exists = found.solved & found.tilt_unique & ~touching.any(axis=-1)
    active = np.where(loaded & exists[..., None], k, 0.0)
    hessian = np.einsum("...n,...nk,...nl->...kl", active, phi, phi)
    hessian = np.where(exists[..., None, None], hessian, np.eye(3))
    p = np.where(loaded, p, 0.0)
    # dE/ds = sum K p phi + weight e_1 stays zero: hessian ds = -(the change at fixed pose), then dF = -dK p - K dp.
    dp = np.stack(
        [-pose[..., None, 1] + 0.0 * p, pose[..., None, 2] + 0.0 * p, np.ones_like(p)], axis=-1
    )  # (..., n, 3)
    dphi = np.zeros((3, 3))  # by coordinate, component of phi
    dphi[0, 1], dphi[1, 2] = -1.0, 1.0
    change = active[..., None, None] * (dp[..., None] * phi[..., None, :] + p[..., None, None] * dphi)  # (..., n, 3, 3)
    inverse = np.linalg.inv(hessian)
    ds_pos = -np.einsum("...kl,...jcl->...jck", inverse, change)
    ds_k = -np.einsum("...kl,...j,...jl->...jk", inverse, p * (active > 0.0), phi)
    ds_weight = -inverse[..., 0]
    slope = -active[..., None] * phi  # dF/ds
    d_pos = np.einsum("...ik,...jck->...ijc", slope, ds_pos)
    d_k = np.einsum("...ik,...jk->...ij", slope, ds_k)
    own = np.arange(n)
    d_pos[..., own, own, :] -= active[..., None] * dp
    d_k[..., own, own] -= p * (active > 0.0)
    gone = ~exists
    d_pos[gone], d_k[gone] = np.nan, np.nan
    d_weight = np.where(gone[..., None], np.nan, np.einsum("...ik,...k->...i", slope, ds_weight))
    return LoadDerivatives(d_k, d_pos, d_weight, exists)
