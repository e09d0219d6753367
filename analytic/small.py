"""Linear algebra of a few unknowns as plain loops: compiled into its caller it costs nanoseconds."""

from __future__ import annotations

import math

import numpy as np


def inverse_2x2(a: np.ndarray, out: np.ndarray) -> float:
    """Write the inverse of a (2, 2) matrix; return its determinant (the inverse is not finite where that is zero)."""
    determinant = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    out[0, 0], out[1, 1] = a[1, 1] / determinant, a[0, 0] / determinant
    out[0, 1], out[1, 0] = -a[0, 1] / determinant, -a[1, 0] / determinant
    return determinant


def inverse_spd(a: np.ndarray, out: np.ndarray) -> None:
    """Write the inverse of a symmetric positive definite matrix (n, n), by Cholesky's factors; NaN if it is none."""
    n = a.shape[0]
    low = np.zeros((n, n))  # inverse of the Cholesky factor L
    chol = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= chol[i, k] * chol[j, k]
            chol[i, j] = math.sqrt(s) if i == j else s / chol[j, j]
    for j in range(n):
        for i in range(j, n):
            s = 1.0 if i == j else 0.0
            for k in range(j, i):
                s -= chol[i, k] * low[k, j]
            low[i, j] = s / chol[i, i]
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(i, n):
                s += low[k, i] * low[k, j]
            out[i, j] = s
            out[j, i] = s


def product(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Write the product of (n, m) and (m, k) matrices."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            out[i, j] = s


def product_transposed(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Write a b^T of (n, m) and (k, m) matrices."""
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[j, k]
            out[i, j] = s
