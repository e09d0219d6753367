"""Derivatives of the forces on the feet by all that a frame is solved from: of loads and of twist, joined.

A foot that slides has the traction of its law at its own slip; one that sticks has what the others leave unbalanced.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .connection import law_with_kernel
from .derivative import SolvedFrames, parts_of, solved
from .kernels import GROUND, MU, STIFFNESS, WX, WY, derivative
from .laws import Viscous
from .support import load_derivatives


@dataclass(frozen=True)
class ForceDerivatives:
    """Rates of change of the forces (..., n, 3) on the feet, the last component the load; NaN where there is none.

    The feet of the parameters come last, as in `TwistDerivatives`.
    """

    velocity: np.ndarray  # (..., n, 3, n, 2) [N s/m]
    position: np.ndarray  # (..., n, 3, n, 3) [N/m]
    mu: np.ndarray  # (..., n, 3, n) [N]
    stiffness: np.ndarray  # (..., n, 3, n) [m]
    anisotropy: np.ndarray  # (..., n, 3, n, 2) [N]
    weight: np.ndarray  # (..., n, 3) [1]
    force: np.ndarray  # (..., n, 3) itself [N]
    exists: np.ndarray  # (...) whether there is a derivative


def force_derivatives(foot_pos, foot_vel, feet, law="coulomb", *, ground=0.0) -> ForceDerivatives:
    """Return the derivatives of the forces on the feet of every frame; arguments and errors as `twist_derivatives`.

    Viscous forces have the law's reference speed, or that at which the feet dissipate what they would under Coulomb's
    law, which then changes too.
    """
    made, law = solved(foot_pos, foot_vel, feet, law, ground), law_with_kernel(law)
    loads = load_derivatives(made.pos, made.table[..., STIFFNESS], feet.weight, made.table[..., GROUND])
    change = _Change(made, loads)
    tractions = _viscous(made, change, law.reference_speed) if isinstance(law, Viscous) else _coulomb(made, change)
    # The one foot that sticks takes what balances the others.
    stuck = made.sticking[..., None, None]
    tractions = np.where(stuck, 0.0, tractions)
    tractions = np.where(stuck, -tractions.sum(axis=-3, keepdims=True), tractions)
    whole = np.concatenate([tractions, change.load[..., None, :]], axis=-2)  # (..., n, 3, 9 n + 1)
    exists = made.stuck != derivative.NO_DERIVATIVE
    whole[~exists] = np.nan
    by_foot = whole[..., :-1].reshape((*whole.shape[:-1], -1, derivative.FOOT_DERIVATIVES))
    velocity, position, mu, stiffness, anisotropy = parts_of(by_foot)
    return ForceDerivatives(velocity, position, mu, stiffness, anisotropy, whole[..., -1], made.force, exists)


class _Change:
    """What each parameter, along the last dimension of 9 n + 1, changes of each foot, shapes (..., n, [2,] 9 n + 1)."""

    def __init__(self, made: SolvedFrames, loads) -> None:
        n, omega = made.pos.shape[-2], made.twist[..., 2, None]
        x, y = made.pos[..., 0], made.pos[..., 1]
        own = np.arange(n)
        twist = np.concatenate([made.by_foot.reshape((*made.stuck.shape, 3, -1)), made.by_weight[..., None]], axis=-1)
        u, v, w = (twist[..., None, k, :] for k in range(3))
        self.slip = np.stack([u - y[..., None] * w, v + x[..., None] * w], axis=-2)  # by the twist
        columns = self.slip[..., :-1].reshape((*self.slip.shape[:-1], n, -1))  # a view: (..., n, 2, n, 9)
        columns[..., own, 0, own, derivative.BY_VX] += 1.0
        columns[..., own, 1, own, derivative.BY_VY] += 1.0
        columns[..., own, 1, own, derivative.BY_X] += omega
        columns[..., own, 0, own, derivative.BY_Y] -= omega
        self.slip[..., :-1] = columns.reshape((*self.slip.shape[:-1], -1))
        load = np.zeros((*made.pos.shape[:-1], n, derivative.FOOT_DERIVATIVES))
        load[..., derivative.BY_X : derivative.BY_Z + 1] = loads.position
        load[..., derivative.BY_STIFFNESS] = loads.stiffness
        self.load = np.concatenate([load.reshape((*made.pos.shape[:-1], -1)), loads.weight[..., None]], axis=-1)
        self.m = made.table[..., MU, None] * self.load
        by_mu = np.arange(n) * derivative.FOOT_DERIVATIVES + derivative.BY_MU
        self.m[..., own, by_mu] += made.force[..., 2]
        self.w = np.zeros_like(self.slip)  # (..., n, 2, 9 n + 1)
        first = np.arange(n) * derivative.FOOT_DERIVATIVES
        self.w[..., own, 0, first + derivative.BY_WX] = 1.0
        self.w[..., own, 1, first + derivative.BY_WY] = 1.0


def _pulls(made: SolvedFrames, change: _Change):
    """Return m, A v and the slip speed s, and the changes of A v and of s^2; A = 1 + w w^T and s^2 = v^T A v."""
    x, y, (u, v, omega) = made.pos[..., 0], made.pos[..., 1], (made.twist[..., k, None] for k in range(3))
    slip = made.vel + np.stack([u - omega * y, v + omega * x], axis=-1)  # (..., n, 2)
    w = made.table[..., WX : WY + 1]
    along = np.sum(w * slip, axis=-1)
    d_along = np.einsum("...i,...ip->...p", slip, change.w) + np.einsum("...i,...ip->...p", w, change.slip)
    pull = slip + along[..., None] * w
    d_pull = change.slip + along[..., None, None] * change.w + w[..., None] * d_along[..., None, :]
    d_square = 2.0 * (np.einsum("...i,...ip->...p", slip, change.slip) + along[..., None] * d_along)
    return made.table[..., MU] * made.force[..., 2], pull, np.sqrt(np.sum(slip * pull, axis=-1)), d_pull, d_square


def _coulomb(made: SolvedFrames, change: _Change) -> np.ndarray:
    """Return the changes of the tractions -m A v / s, shape (..., n, 2, 9 n + 1); of unloaded feet zero."""
    m, pull, speed, d_pull, d_square = _pulls(made, change)
    speed = np.where(speed > 0.0, speed, 1.0)[..., None, None]
    t = pull[..., None] / speed
    d_t = d_pull / speed - 0.5 * t * d_square[..., None, :] / speed**2
    return -change.m[..., None, :] * t - m[..., None, None] * d_t


def _viscous(made: SolvedFrames, change: _Change, reference: float | None) -> np.ndarray:
    """Return the changes of the tractions -m A v / r, shape (..., n, 2, 9 n + 1), with r = sum m s^2 / sum m s."""
    m, pull, speed, d_pull, d_square = _pulls(made, change)
    d_reference = np.zeros((*made.stuck.shape, change.m.shape[-1]))
    if reference is None:
        total = np.sum(m * speed, axis=-1)[..., None]
        total = np.where(total > 0.0, total, 1.0)
        reference = np.sum(m * speed**2, axis=-1)[..., None] / total
        moving = np.where(speed > 0.0, speed, np.inf)
        d_power = np.einsum("...n,...np->...p", speed**2, change.m) + np.einsum("...n,...np->...p", m, d_square)
        d_total = np.einsum("...n,...np->...p", speed, change.m)
        d_total += np.einsum("...n,...np->...p", 0.5 * m / moving, d_square)
        d_reference = (d_power - reference * d_total) / total
        reference = reference[..., None, None]
    d_t = d_pull / reference - pull[..., None] * d_reference[..., None, None, :] / reference**2
    return -change.m[..., None, :] * pull[..., None] / reference - m[..., None, None] * d_t
