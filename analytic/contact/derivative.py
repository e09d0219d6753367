r"""Derivatives of the body's twist and of the forces on the feet by all that a frame is solved from, exact.

Feet that slide balance, :math:`\sum_j m_j B_j^\top t_j = 0`, and so does the support; the implicit function theorem
on both gives the derivatives at the cost of a small linear system. A foot that sticks is generic under Coulomb's law:
it pins a point of the body, and its traction is whatever balances. There is no derivative where two feet stick, a foot
just touches, or the tilt or the twist is not unique; such frames say so, and are NaN.

Source: the balances of Wu, Zhao and Revzen, arXiv:2310.20669, section 2; their derivative is ours.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import arrays
from .connection import law_with_kernel, table_of
from .kernels import COULOMB, FOOT_COLUMNS, GROUND, MU, OMEGA, STIFFNESS, UX, WX, WY, derivative
from .laws import Viscous
from .support import load_derivatives, run_frames


@dataclass(frozen=True)
class TwistDerivatives:
    """Rates of change of the twist (u, v, omega) with what it was solved from; NaN where there is no derivative.

    The derivative by a foot's ground height is minus that by its z.
    """

    velocity: np.ndarray  # (..., 3, n, 2) by foot velocities [1], and [1/m] for omega
    position: np.ndarray  # (..., 3, n, 3) by foot positions [1/s], and [1/(m s)] for omega
    mu: np.ndarray  # (..., 3, n) by friction [m/s, m/s, rad/s]
    stiffness: np.ndarray  # (..., 3, n) by stiffness [m^2/(N s)], and [m/(N s)] for omega
    anisotropy: np.ndarray  # (..., 3, n, 2) by w [m/s, m/s, rad/s]
    weight: np.ndarray  # (..., 3) by weight [m/(N s)], and [1/(N s)] for omega
    twist: np.ndarray  # (..., 3) itself [m/s, m/s, rad/s]
    sticking: np.ndarray  # (..., n) whether the foot sticks: at most one does where there are derivatives
    exists: np.ndarray  # (...) whether there is a derivative

    @property
    def centre_of_mass(self) -> np.ndarray:
        """By the place of the centre of mass in the body, x and y, of the twist of that centre, shape (..., 3, 2)."""
        return -self.position[..., :2].sum(axis=-2)


def twist_derivatives(foot_pos, foot_vel, feet, law="coulomb", *, ground=0.0) -> TwistDerivatives:
    """Return the derivatives of the twist of every frame.

    Args:
        foot_pos: As in `solve`.
        foot_vel: As in `solve`; the vertical velocity changes nothing.
        feet: As in `solve`.
        law: "viscous", "coulomb", or a `Viscous` or `Coulomb`. The error follows Coulomb's gap: at 1e-9 it is 1e-8 of
            the largest entry for 95 % of random frames, at 1e-6 3e-5.
        ground: As in `solve`.

    Raises:
        ValueError: As `solve`, or if the law has no kernel, or its gap is looser than 1e-6.
    """
    made = solved(foot_pos, foot_vel, feet, law, ground)
    exists = made.stuck != derivative.NO_DERIVATIVE
    return TwistDerivatives(*parts_of(made.by_foot), made.by_weight, made.twist, made.sticking, exists)


class SolvedFrames(NamedTuple):
    """Frames, their answers, and the kernel's derivatives of their twists; all with the batch's leading shape."""

    pos: np.ndarray  # (..., n, 3)
    vel: np.ndarray  # (..., n, 2)
    table: np.ndarray  # (..., n, 5)
    twist: np.ndarray  # (..., 3)
    force: np.ndarray  # (..., n, 3)
    by_foot: np.ndarray  # (..., 3, n, 9)
    by_weight: np.ndarray  # (..., 3)
    stuck: np.ndarray  # (...) index of the foot that sticks, or a code of the kernel

    @property
    def sticking(self) -> np.ndarray:
        """Whether each foot sticks, shape (..., n)."""
        return np.arange(self.pos.shape[-2]) == self.stuck[..., None]


def solved(foot_pos, foot_vel, feet, law, ground) -> SolvedFrames:
    """Return solved frames with the derivatives of their twists."""
    code = law_with_kernel(law).kernel_code
    if code[0] == COULOMB and code[1] > derivative.LOOSEST_GAP:
        raise ValueError(
            f"derivatives need a gap of at most {derivative.LOOSEST_GAP:g}, got {code[1]:g}: a twist known so loosely "
            "says nothing of its slope; give Coulomb(gap=1e-9)"
        )
    pos, vel = arrays.vectors("foot_pos", foot_pos, (3,)), arrays.vectors("foot_vel", foot_vel, (2, 3))[..., :2]
    n = pos.shape[-2]
    if vel.shape[-2] != n:
        raise ValueError(f"foot_vel must have as many feet as foot_pos: got {vel.shape[-2]} and {n}")
    table, weight = table_of(feet, n, ground), arrays.positive("weight", feet.weight)
    batch = arrays.batch_shape(
        foot_pos=pos.shape[:-2], foot_vel=vel.shape[:-2], feet=table.shape[:-2], weight=weight.shape
    )
    out, force, status = run_frames(pos, vel, table, weight, batch, code, False, True)
    pos, vel = arrays.flat(pos, batch, (n, 3)), arrays.flat(vel, batch, (n, 2))
    table = arrays.flat(table, batch, (n, FOOT_COLUMNS))
    by_foot, by_weight = np.empty((len(pos), 3, n, derivative.FOOT_DERIVATIVES)), np.empty((len(pos), 3))
    stuck = np.empty(len(pos), np.int64)
    answers = out.reshape((len(pos), -1)), force.reshape((len(pos), n, 3)), status.reshape(len(pos))
    derivative.jacobians(pos, vel, table, *code, *answers, by_foot, by_weight, stuck)
    found = pos, vel, table, answers[0][:, UX : OMEGA + 1], answers[1], by_foot, by_weight, stuck
    return SolvedFrames(*(array.reshape((*batch, *array.shape[1:])) for array in found))


def parts_of(columns: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the kernel's columns (..., 9) by velocity (..., 2), position (..., 3), mu, stiffness and w (..., 2)."""
    velocity, position, mu, stiffness, anisotropy = np.split(columns, (2, 5, 6, 7), axis=-1)
    return velocity, position, mu[..., 0], stiffness[..., 0], anisotropy


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
    return ForceDerivatives(*parts_of(by_foot), whole[..., -1], made.force, exists)


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
