"""The document's smoothed Coulomb friction, eq. (22), with its continuation: for comparison, not for use.

f = -mu F (eps + u) / (eps + u^2) u / |u| with u = v / reference_speed. Known faults, each with a test:

- The equation adds eps to a speed and to a squared speed, so that the answer depends on the unit of speed: the
  reference speed here is the document's unspoken 1 m/s.
- The force falls once u exceeds 1 + sqrt(1 + eps): the law is not monotone, and several velocities can balance.
- The slope at rest is 1 whatever eps: a foot that should stick creeps at about sqrt(eps).

`laws.Coulomb` has none of them. Source: Wu, Zhao and Revzen, arXiv:2310.20669, eq. (22) and section 3.1.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import kernels
from .results import Motion


@dataclass(frozen=True)
class Epsilon:
    """The family (22), followed from `start` to smaller eps until the velocity settles."""

    start: float = 1e-5
    factor: float = 0.1  # of eps from one stage to the next, in (0, 1)
    settled: float = 1e-3  # relative change of the twist between two stages that ends it
    stages: int = 8  # 1 is the single approximation with `start`
    reference_speed: float = 1.0  # [m/s]

    def __post_init__(self) -> None:
        for name in ("start", "settled", "reference_speed"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0.0 < self.factor < 1.0:
            raise ValueError(f"factor must lie in (0, 1), got {self.factor}")
        if self.stages < 1:
            raise ValueError(f"stages must be at least 1, got {self.stages}")

    @property
    def kernel_code(self) -> tuple[int, float]:
        """Return the viscous law, whose velocity the continuation starts from."""
        return kernels.VISCOUS, 0.0


def traction_factor(speed: np.ndarray, eps: float, reference_speed: float = 1.0) -> np.ndarray:
    """Return (eps + u) / (eps + u^2) / reference_speed, which times -mu F v is the traction [s/m]."""
    u = speed / reference_speed
    return (eps + u) / (eps + u * u) / reference_speed


def _balance(twist, pos, vel, m, metric, eps, unit):
    """Return tractions and the wrench they sum to."""
    slip = vel + twist[:2] + twist[2] * np.stack([-pos[:, 1], pos[:, 0]], axis=-1)
    stretched = np.einsum("nij,nj->ni", metric, slip)
    speed = np.sqrt(np.maximum(np.einsum("ni,ni->n", slip, stretched), 0.0))
    f = -(m * traction_factor(speed, eps, unit))[:, None] * stretched
    return f, np.array([*f.sum(axis=0), np.sum(pos[:, 0] * f[:, 1] - pos[:, 1] * f[:, 0])])


def _frame(twist, pos, vel, m, metric, law):
    """Return the last twist, its tractions, and whether every stage converged; moments about the centre of m."""
    from scipy.optimize import root  # slow to import, and needed only here

    converged, eps = True, law.start
    for stage in range(law.stages):
        found = root(
            lambda x, eps=eps: _balance(x, pos, vel, m, metric, eps, law.reference_speed)[1],
            twist,
            method="lm",
            options={"xtol": 1e-12, "ftol": 1e-12},
        )
        converged = converged and bool(found.success)
        change = np.linalg.norm(found.x - twist)
        twist = found.x
        if stage and change <= law.settled * np.linalg.norm(twist):
            break
        eps *= law.factor
    f, wrench = _balance(twist, pos, vel, m, metric, eps, law.reference_speed)
    return twist, f, wrench, converged


def replace_friction(found: Motion, pos, vel, table, law: Epsilon, tilt_terms: bool) -> Motion:
    """Return the motion with velocity and tractions of the family instead of the viscous ones, frame by frame.

    A frame whose least-squares solver gave up has the status GAP_MISSED; `gap` is NaN, as no bound is proved.
    """
    if tilt_terms:
        raise ValueError("tilt_terms is for the laws viscous and coulomb")
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
        if not converged:
            code[i] = (code[i] & ~kernels.STATUS_MASK) | kernels.GAP_MISSED
    nothing = np.full(batch, np.nan)
    return replace(
        found,
        twist=twist,
        force=force,
        code=code,
        residual=residual,
        dissipation=dissipation,
        gap=nothing,
        reference_speed=np.full(batch, law.reference_speed),
    )
