"""A robot as arrays: what `mjcf.articulated.convert` makes of an MJCF file, and what the compiled functions read."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .layout import BALL, FREE, KIND, MU, QPOSADR, Tables


@dataclass(frozen=True)
class Robot:
    """A tree of rigid bodies with joints, actuators, joint limits, dry friction and feet over a plane.

    Attributes:
        tables: The numbers, in the columns that `layout` names.
        qpos0: Positions in which the tree was drawn, shape (nq,): MuJoCo's `qpos0`.
        na: Number of activations.
        foot_names: What each contact point belongs to, in the order of `tables.foot`.
        limit_names: The joint or tendon of each limit, in the order of `tables.limit`.
        dof_names: The joint of each degree of freedom.
        line_names: The joint or tendon of each line.
        row_names: The equality of each of its rows.
    """

    tables: Tables
    qpos0: np.ndarray
    na: int
    foot_names: tuple[str, ...]
    limit_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    line_names: tuple[str, ...]
    row_names: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (*self.tables, self.qpos0):
            array.setflags(write=False)
        wrong = [name for name, mu in zip(self.foot_names, self.tables.foot[:, MU], strict=True)
                 if not (0.0 <= mu < np.inf)]  # fmt: skip
        if wrong:
            raise ValueError(
                f"the friction of foot {wrong[0]!r} must be a finite number, not negative; give another mu"
            )

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
        """Number of contact points."""
        return len(self.tables.foot)

    def check_quaternions(self, qpos: np.ndarray) -> None:
        """Refuse positions in which a quaternion is zero.

        Raises:
            ValueError: If one is.
        """
        for q in self.quaternions:
            if not qpos[q : q + 4].any():
                raise ValueError(f"qpos[{q}:{q + 4}] is a quaternion and must not be zero; (1, 0, 0, 0) is no rotation")

    @cached_property
    def quaternions(self) -> list[int]:
        """The addresses in `qpos` of the quaternions of free and ball joints."""
        of = self.tables.joint_of
        return [int(q + 3 * (k == FREE)) for k, q in of[:, [KIND, QPOSADR]] if k in (FREE, BALL)]
