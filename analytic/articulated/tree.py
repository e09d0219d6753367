"""The factor of the mass matrix along the tree, M = L^T L, which has entries only where M has them.

A degree of freedom has entries with those that carry it (`NEXT`), so that a leg's rows leave the other legs alone
(Featherstone, Rigid Body Dynamics Algorithms, 2008, tables 6.3 to 6.5). What is zero is left out: rows of few entries
are cheap.
"""

import math

from ..compilation import jit
from .layout import NEXT


@jit(views=True)
def factorise_tree(robot, mass, factor):
    """Write L, lower triangular, with one over its diagonal, of a positive definite mass matrix; else NaN."""
    for k in range(len(robot.dof)):
        i = k
        while i >= 0:
            factor[k, i] = mass[k, i]
            i = robot.dof_of[i, NEXT]
    for k in range(len(robot.dof) - 1, -1, -1):
        factor[k, k] = 1.0 / math.sqrt(factor[k, k])
        i = robot.dof_of[k, NEXT]
        while i >= 0:
            factor[k, i] *= factor[k, k]
            i = robot.dof_of[i, NEXT]
        i = robot.dof_of[k, NEXT]
        while i >= 0:
            j = i
            while j >= 0:
                factor[i, j] -= factor[k, i] * factor[k, j]
                j = robot.dof_of[j, NEXT]
            i = robot.dof_of[i, NEXT]


@jit(views=True)
def solve_upper(robot, factor, vector):
    """Replace a force by L^-T of it."""
    for i in range(len(vector) - 1, -1, -1):
        if vector[i] != 0.0:
            vector[i] *= factor[i, i]
            j = robot.dof_of[i, NEXT]
            while j >= 0:
                vector[j] -= factor[i, j] * vector[i]
                j = robot.dof_of[j, NEXT]


@jit(views=True)
def solve_lower(robot, factor, vector):
    """Replace a vector by L^-1 of it; M^-1 of a force is that of `solve_upper`."""
    for i in range(len(vector)):
        s = vector[i]
        j = robot.dof_of[i, NEXT]
        while j >= 0:
            s -= factor[i, j] * vector[j]
            j = robot.dof_of[j, NEXT]
        vector[i] = s * factor[i, i]
