r"""Derivatives of the body's twist by foot velocity, pose, friction, stiffness, weight and anisotropy, exact.

Feet that slide balance, :math:`\sum_j m_j B_j^\top t_j = 0`, and so does the support; the implicit function theorem
on both gives the derivatives at the cost of a small linear system. A foot that sticks is generic under Coulomb's law:
it pins a point of the body, and its traction is whatever balances. There is no derivative where two feet stick, a foot
just touches, or the tilt or the twist is not unique; such frames say so, and are NaN.

Source: the balances of Wu, Zhao and Revzen, arXiv:2310.20669, section 2; their derivative is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import arrays
from .connection import law_with_kernel, table_of
from .kernels import COULOMB, FOOT_COLUMNS, OMEGA, UX, derivative
from .support import run_frames


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
    velocity, position, mu, stiffness, anisotropy = parts_of(made.by_foot)
    return TwistDerivatives(
        velocity=velocity,
        position=position,
        mu=mu,
        stiffness=stiffness,
        anisotropy=anisotropy,
        weight=made.by_weight,
        twist=made.twist,
        sticking=made.sticking,
        exists=made.stuck != derivative.NO_DERIVATIVE,
    )


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
