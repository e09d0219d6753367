"""Linear systems whose right-hand sides are flat jets, for `tangent_rosenbrock`.

As in the kernel's `linear`: stored by columns, eliminated from the last state to the first so that the limbs of a body
cause no fill-in; zeros are skipped, and a row of a right-hand side holds all directions.
"""

from __future__ import annotations

from collections.abc import Callable


def factorising(n: int) -> Callable:
    """Return `factorise(w, diagonal)`, of diagonal I - J."""

    def factorise(w, diagonal):
        jac, lu = w.matrix[0], w.matrix[1]
        for j in range(n):
            for i in range(n):
                lu[j, i] = -jac[j, i]
            lu[j, j] += diagonal
        for row in range(n - 1, -1, -1):
            best = row
            for i in range(row):
                if abs(lu[row, i]) > abs(lu[row, best]):
                    best = i
            w.swap[row] = best
            if best != row:
                for j in range(row + 1):
                    lu[j, row], lu[j, best] = lu[j, best], lu[j, row]
            lu[row, row] = 1.0 / lu[row, row]
            for i in range(row):
                lu[row, i] *= lu[row, row]
            for j in range(row):
                top = lu[j, row]
                if top != 0.0:
                    for i in range(row):
                        lu[j, i] -= top * lu[row, i]

    return factorise


def solving(n: int, m: int) -> Callable:
    """Return `solve(w, b, first, last)`, for those of the m numbers of each jet in b."""

    def solve(w, b, first, last):
        lu = w.matrix[1]
        for row in range(n - 1, -1, -1):
            best = w.swap[row]
            for c in range(first, last):
                b[row * m + c], b[best * m + c] = b[best * m + c], b[row * m + c]
            for i in range(row):
                by = lu[row, i]
                if by != 0.0:
                    for c in range(first, last):
                        b[i * m + c] -= by * b[row * m + c]
        for row in range(n):
            for c in range(first, last):
                b[row * m + c] *= lu[row, row]
            for i in range(row + 1, n):
                by = lu[row, i]
                if by != 0.0:
                    for c in range(first, last):
                        b[i * m + c] -= by * b[row * m + c]

    return solve
