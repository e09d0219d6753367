"""A robot of rigid bodies as arrays: what the exact engine knows of it, whatever file it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .layout import BODY_NUMBERS, COORDINATES, DOFS, FOOT_NUMBERS, MASS, MU, RADIUS, RESTITUTION, TYPE, Tables

LARGEST_MU = 100.0  # beyond, nothing slides: rigid contact has then no solution as soon as something does


@dataclass(frozen=True, eq=False)
class Robot:
    """A tree of rigid bodies with actuators, springs, limits and feet on a plane; `mjcf.articulated.convert` makes one.

    Attributes:
        tables: Its numbers, whose rows and columns `layout` describes; SI units.
        qpos0: Positions in which hinges and slides have not moved, shape (nq,) [m, rad].
        na: Number of activations, the states of actuators.
        body_names: With the world, as all that follow in the order of the tables.
        joint_names: Of all joints.
        actuator_names: Of all actuators.
        foot_names: Of all points that touch the ground.
    """

    tables: Tables
    qpos0: np.ndarray
    na: int
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    actuator_names: tuple[str, ...]
    foot_names: tuple[str, ...]

    def __post_init__(self) -> None:
        tables = self.tables
        types = tables.joint_index[:, TYPE]
        if len(self.qpos0) != sum(COORDINATES[k] for k in types) or self.nv != sum(DOFS[k] for k in types):
            raise ValueError(
                f"qpos0 has {len(self.qpos0)} numbers and `dof` {self.nv} rows; the joints have "
                f"{sum(COORDINATES[k] for k in types)} and {sum(DOFS[k] for k in types)}"
            )
        if tables.body.shape[1] != BODY_NUMBERS or tables.foot.shape[1] != FOOT_NUMBERS:
            raise ValueError("tables have the columns of `analytic.articulated.layout`, body and foot have others")
        if not self.nv:
            raise ValueError("nothing of the robot moves: it has no joint")
        _check_bodies(tables.body, self.body_names)
        for name, foot in zip(self.foot_names, tables.foot, strict=True):
            _check_foot(name, foot)

    @property
    def nq(self) -> int:
        """Number of positions."""
        return len(self.qpos0)

    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return len(self.tables.dof)

    @property
    def nu(self) -> int:
        """Number of controls."""
        return len(self.tables.control)

    @property
    def n_feet(self) -> int:
        """Number of points that touch the ground."""
        return len(self.tables.foot)

    def dof_name(self, dof: int) -> str:
        """Return the name of the joint of a degree of freedom."""
        first = self.tables.joint_index[:, 2]
        return self.joint_names[int(np.searchsorted(first, dof, side="right")) - 1]


def _check_bodies(body: np.ndarray, names: tuple[str, ...]) -> None:
    for name, row in zip(names, body, strict=True):
        if not np.isfinite(row).all():
            raise ValueError(f"the body {name!r} has NaN or infinity among its numbers")
        if row[MASS] < 0.0:
            raise ValueError(f"the mass of the body {name!r} must not be negative, got {row[MASS]:g} kg")


def _check_foot(name: str, foot: np.ndarray) -> None:
    if not np.isfinite(foot[:MU]).all() or foot[RADIUS] < 0.0:
        raise ValueError(f"the foot {name!r} needs a finite place and a radius that is not negative")
    if not 0.0 <= foot[MU] <= LARGEST_MU:
        raise ValueError(f"mu of the foot {name!r} must be from 0 to {LARGEST_MU:g}, got {foot[MU]:g}")
    if not 0.0 <= foot[RESTITUTION] <= 1.0:
        raise ValueError(f"the restitution of the foot {name!r} must be from 0 to 1, got {foot[RESTITUTION]:g}")
