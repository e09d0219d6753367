"""Stiffness and friction per leg from measured forces, foot positions and slip velocities: linear least squares.

Friction: f = -F M v / reference_speed is linear in the symmetric 2 by 2 matrix M = mu (1 + w w^T) of a foot. A fit of
mu and w themselves could not start at w = 0: the gradient with respect to w vanishes there.

Stiffness: a loaded foot obeys F / K + height - pitch x + roll y + z - ground = 0, linear in its compliance 1 / K and
the pose of the frame. The pose is projected out frame by frame. With three loaded feet nothing remains: their loads do
not depend on stiffness, and tripod data cannot determine it. The result states what was determined.
"""

from dataclasses import dataclass

import numpy as np

from . import arrays

ROUNDING = 1e-12  # share of a robot's size


@dataclass(frozen=True)
class FrictionFit:
    """Anisotropic friction of each foot."""

    mu: np.ndarray  # (n,) the smaller eigenvalue of M; NaN if not determined
    anisotropy: np.ndarray  # (n, 2) w; its sign is arbitrary
    matrix: np.ndarray  # (n, 2, 2) M
    residual: np.ndarray  # (n,) rms of the traction left over [N]
    determined: np.ndarray  # (n,) False if the slips do not span M, or M came out not positive definite


def fit_friction(slip_vel, traction, load, reference_speed=1.0) -> FrictionFit:
    """Return the friction matrices that fit measured tractions best.

    Args:
        slip_vel: Velocities of the feet over the ground, body frame, shape (frames, n, 2) [m/s].
        traction: Horizontal forces on the feet, body frame, shape (frames, n, 2) [N].
        load: Normal forces, shape (frames, n) [N]; frames without load do not count.
        reference_speed: Of the viscous law, positive [m/s]. Data determine M / reference_speed only.

    Raises:
        ValueError: If a shape differs, an entry is not finite, or a load or the speed is not allowed.
    """
    v, f, weight = _slides(slip_vel, traction, load)
    x = v * weight[..., None] / arrays.number("reference_speed", arrays.positive("reference_speed", reference_speed))
    zero = np.zeros_like(x[..., 0])
    rows = -np.stack(
        [np.stack([x[..., 0], x[..., 1], zero], axis=-1), np.stack([zero, x[..., 0], x[..., 1]], axis=-1)], axis=-2
    )  # (frames, n, 2, 3) times (M11, M12, M22)
    rows, sides = rows.swapaxes(0, 1).reshape((v.shape[1], -1, 3)), f.swapaxes(0, 1).reshape((v.shape[1], -1))
    n = v.shape[1]
    mu, w = np.full(n, np.nan), np.full((n, 2), np.nan)
    matrix, residual = np.full((n, 2, 2), np.nan), np.full(n, np.nan)
    determined = np.zeros(n, dtype=bool)
    for k in range(n):
        (a, b, c), _, rank, _ = np.linalg.lstsq(rows[k], sides[k], rcond=1e-10)
        if rank < 3:
            continue
        matrix[k] = [[a, b], [b, c]]
        residual[k] = np.sqrt(np.mean((rows[k] @ (a, b, c) - sides[k]) ** 2) * 2.0)
        values, vectors = np.linalg.eigh(matrix[k])
        if values[0] > 0.0:
            mu[k] = values[0]
            w[k] = np.sqrt(values[1] / values[0] - 1.0) * vectors[:, 1]
            determined[k] = True
    return FrictionFit(mu, w, matrix, residual, determined)


@dataclass(frozen=True)
class CoulombFit:
    """Coulomb friction of each foot."""

    mu: np.ndarray  # (n,) [1]; NaN if not determined
    residual: np.ndarray  # (n,) rms of the traction left over, of the frames that count [N]
    frames: np.ndarray  # (n,) how many do: the foot is loaded, and slides faster than the slowest


def fit_coulomb(slip_vel, traction, load, slowest: float) -> CoulombFit:
    """Return the friction coefficient that fits measured tractions of sliding feet best: f = -mu F v / |v|.

    Args:
        slip_vel: Velocities of the feet over the ground, body frame, shape (frames, n, 2) [m/s].
        traction: Horizontal forces on the feet, body frame, shape (frames, n, 2) [N].
        load: Normal forces, shape (frames, n) [N]; frames without load do not count.
        slowest: Slip speed above which a foot slides, positive: one that sticks has any traction up to mu F [m/s].

    Raises:
        ValueError: If a shape differs, an entry is not finite, or a load or the speed is not allowed.
    """
    v, f, weight = _slides(slip_vel, traction, load)
    least = arrays.number("slowest", arrays.positive("slowest", slowest))
    speed = np.linalg.norm(v, axis=-1)
    counts = (speed > least) & (weight > 0.0)
    full = -v * np.where(counts, weight / np.where(counts, speed, 1.0), 0.0)[..., None]  # traction if mu were 1
    f = np.where(counts[..., None], f, 0.0)
    square, frames = np.sum(full * full, axis=(0, 2)), counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mu = np.sum(full * f, axis=(0, 2)) / square
        residual = np.sqrt(np.sum((f - mu[:, None] * full) ** 2, axis=(0, 2)) / frames)
    return CoulombFit(mu, residual, frames)


def _slides(slip_vel, traction, load) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return checked slip velocities, tractions (frames, n, 2) and loads (frames, n)."""
    v, f = arrays.vectors("slip_vel", slip_vel, (2,)), arrays.vectors("traction", traction, (2,))
    if v.ndim != 3 or f.shape != v.shape:
        raise ValueError(f"slip_vel and traction must both have shape (frames, n, 2), got {v.shape} and {f.shape}")
    return v, f, np.broadcast_to(arrays.per_foot("load", load, v.shape[1], arrays.not_negative), v.shape[:2])


@dataclass(frozen=True)
class StiffnessFit:
    """Stiffness of each leg, and how well the data determine it."""

    stiffness: np.ndarray  # (n,) [N/m]; NaN if not determined or the compliance came out negative
    information: np.ndarray  # (n,) singular values of the data in the compliances, relative to their scale, descending
    rank: int  # directions of compliance that the data determine; n without a regulariser's help
    residual: float  # rms of the foot heights left over [m]


def fit_stiffness(foot_pos, load, ground=0.0, regulariser=0.0, tolerance=1e-8) -> StiffnessFit:
    """Return the stiffnesses that fit measured loads best, in one linear least squares.

    Args:
        foot_pos: Measured foot positions, body frame, shape (frames, n, 3) [m].
        load: Measured normal forces, shape (frames, n), 0 in the air [N].
        ground: As in `support`.
        regulariser: Weight of the compliances' deviation from their mean, relative to the data; 0 for none.
        tolerance: Relative singular value below which a direction counts as undetermined: raise it to the relative
            noise of the data.

    Raises:
        ValueError: If a shape differs, an entry is not finite, or a load or the regulariser is negative.
    """
    pos = arrays.vectors("foot_pos", foot_pos, (3,))
    if pos.ndim != 3:
        raise ValueError(f"foot_pos must have shape (frames, n, 3), got {pos.shape}")
    n = pos.shape[1]
    force = np.broadcast_to(arrays.per_foot("load", load, n, arrays.not_negative), pos.shape[:2])
    strength = arrays.number("regulariser", arrays.not_negative("regulariser", regulariser))
    tolerance = arrays.number("tolerance", arrays.not_negative("tolerance", tolerance))
    height = pos[..., 2] - np.broadcast_to(arrays.per_foot("ground", ground, n, arrays.finite), pos.shape[:2])
    blocks, sides = [], []
    for q, f, z in zip(pos, force, height, strict=True):
        on = np.flatnonzero(f > 0.0)
        if len(on) < 4:
            continue
        phi = np.stack([np.ones(len(on)), -q[on, 0], q[on, 1]], axis=-1)
        left, values, _ = np.linalg.svd(phi)
        free = left[:, np.sum(values > 1e-12 * values[0]) :].T  # what no pose can explain
        row = np.zeros((len(free), n))
        row[:, on] = free * f[on]
        blocks.append(row)
        sides.append(-free @ z[on])
    a = np.concatenate(blocks) if blocks else np.zeros((0, n))
    b = np.concatenate(sides) if sides else np.zeros(0)
    scale = max(force.max(initial=0.0) * np.sqrt(max(len(a), 1)), 1e-300)
    information = np.zeros(n)
    found = np.linalg.svd(a, compute_uv=False)
    information[: len(found)] = found / scale
    rank = int(np.sum(information > tolerance))
    scatter = np.sqrt(strength) * scale * (np.eye(n) - 1.0 / n)
    whole, sides_whole = np.concatenate([a, scatter]), np.concatenate([b, np.zeros(n)])
    compliance, _, whole_rank, _ = np.linalg.lstsq(whole, sides_whole, rcond=tolerance)
    with np.errstate(divide="ignore"):
        sinking = compliance * force.max(initial=0.0)  # less than round-off of the positions: the data have no scale
        good = (sinking > ROUNDING * np.abs(pos).max(initial=0.0)) & (whole_rank == n)
        stiffness = np.where(good, 1.0 / compliance, np.nan)
    residual = float(np.sqrt(np.mean((a @ compliance - b) ** 2))) if len(a) else 0.0
    return StiffnessFit(stiffness, information, rank, residual)
