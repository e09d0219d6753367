"""Friction laws without a kernel: the balance of one frame by a general root finder, about a thousand times slower."""

from dataclasses import replace

import numpy as np

from . import kernels
from .laws import SlidingLaw
from .results import Motion

BALANCED = 1e-6  # largest imbalance of the tractions, relative to all that friction can bear


def _balance(twist, pos, vel, m, metric, factor):
    """Return tractions and the wrench they sum to."""
    slip = vel + twist[:2] + twist[2] * np.stack([-pos[:, 1], pos[:, 0]], axis=-1)
    stretched = np.einsum("nij,nj->ni", metric, slip)
    speed = np.sqrt(np.maximum(np.einsum("ni,ni->n", slip, stretched), 0.0))
    f = -(m * factor(speed))[:, None] * stretched
    return f, np.array([*f.sum(axis=0), np.sum(pos[:, 0] * f[:, 1] - pos[:, 1] * f[:, 0])])


def _frame(twist, pos, vel, m, metric, law):
    """Return the last twist, its tractions, and whether every stage converged; moments about the centre of m."""
    from scipy.optimize import root  # slow to import, and needed only here

    converged = True
    for stage, factor in enumerate(law.factors()):
        found = root(
            lambda x, factor=factor: _balance(x, pos, vel, m, metric, factor)[1],
            twist,
            method="lm",
            options={"xtol": 1e-12, "ftol": 1e-12},
        )
        converged = converged and bool(found.success)
        change = np.linalg.norm(found.x - twist)
        twist = found.x
        if stage and change <= law.settled * np.linalg.norm(twist):
            break
    f, wrench = _balance(twist, pos, vel, m, metric, factor)
    return twist, f, wrench, converged


def replace_friction(found: Motion, pos, vel, table, law: SlidingLaw, tilt_terms: bool) -> Motion:
    """Return the motion with velocity and tractions of the law instead of the viscous ones, frame by frame.

    A frame whose root finder failed, or ended out of balance, has the status GAP_MISSED; `gap` is NaN, as there is no
    certified bound.
    """
    if tilt_terms:
        raise ValueError("tilt_terms needs a law with a kernel, viscous or coulomb; leave it out for others")
    batch, n = found.code.shape, found.load.shape[-1]
    pos, vel = np.broadcast_to(pos, (*batch, n, 3)), np.broadcast_to(vel, (*batch, n, vel.shape[-1]))
    table = np.broadcast_to(table, (*batch, n, kernels.FOOT_COLUMNS))
    twist, force, code = found.twist.copy(), found.force.copy(), found.code.copy()
    residual, dissipation = found.residual.copy(), found.dissipation.copy()
    for i in np.ndindex(batch):
        status = code[i] & kernels.STATUS_MASK
        if status in (kernels.NO_EQUILIBRIUM, kernels.NO_TRACTION):
            continue
        m = table[i][:, kernels.MU] * found.load[i]
        w = table[i][:, kernels.WX : kernels.WY + 1]
        metric = np.eye(2) + w[:, :, None] * w[:, None, :]
        twist[i], force[i][:, :2], wrench, converged = _frame(twist[i], pos[i][:, :2], vel[i][:, :2], m, metric, law)
        slip = vel[i][:, :2] + twist[i][:2] + twist[i][2] * np.stack([-pos[i][:, 1], pos[i][:, 0]], axis=-1)
        dissipation[i] = -np.sum(force[i][:, :2] * slip)
        size = np.linalg.norm(pos[i][:, :2], axis=-1).max()
        residual[i] = max(residual[i], np.abs(wrench[:2]).max() / m.sum(), abs(wrench[2]) / (size * m.sum()))
        if not converged or residual[i] > BALANCED:
            code[i] = (code[i] & ~kernels.STATUS_MASK) | kernels.GAP_MISSED
    nothing = np.full(batch, np.nan)
    changed = dict(twist=twist, force=force, code=code, residual=residual, dissipation=dissipation)
    return replace(found, **changed, gap=nothing, reference_speed=nothing)
