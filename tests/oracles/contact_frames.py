"""Hard frames for the contact solver, by kind, and independent answers for them: hull, subsets, a general optimiser."""

from itertools import combinations

import numpy as np
from scipy.linalg import expm
from scipy.optimize import minimize


def _generic(rng, n):
    return rng.uniform(-1, 1, (n, 2)), rng.uniform(-0.1, 0.1, n), 10 ** rng.uniform(0, 2, n), 10 ** rng.uniform(-1, 1)


def _ring(rng, xy, z, k, w):
    a = np.arange(len(z)) / len(z) * 2 * np.pi
    return 0.25 * np.stack([np.cos(a), np.sin(a)], axis=-1), z, k, w


def _line(rng, xy, z, k, w, spread=0.0):
    d = rng.normal(size=2)
    d /= np.hypot(*d)
    offset = 1e-3 * rng.normal() * (rng.random() < 0.3 and spread == 0.0) + spread * rng.normal(size=len(z))
    return np.outer(rng.uniform(-1, 1, len(z)), d) + np.outer(offset * np.ones(len(z)), [-d[1], d[0]]), z, k, w


def _on_edge(rng, xy, z, k, w, shift=0.0):
    if len(z) < 3:
        return xy, z, k, w
    a = rng.normal(size=2)
    a /= np.hypot(*a)
    normal, t = np.array([-a[1], a[0]]), rng.uniform(0.1, 0.9)
    xy = xy - np.outer(np.minimum(xy @ normal, 0) * 2, normal)
    xy[0], xy[1] = a, -a * t / (1 - t)
    return xy + shift * normal, z, k, w


def _at_com(rng, xy, z, k, w):
    xy, z = xy.copy(), z.copy()
    xy[: rng.integers(1, len(z) + 1)] = 0.0
    z[0] = rng.choice([-0.2, z[0]])
    return xy, z, k, w


def _trot(rng, xy, z, k, w):
    xy = np.array([[1, 0.5], [-1, -0.5], [1, -0.5], [-1, 0.5]]) * rng.uniform(0.1, 1)
    return xy, np.array([-0.02, -0.02, 0, 0]) + rng.uniform(-0.01, 0.01, 4) * rng.integers(2), k[:1] * np.ones(4), w


def _lattice(rng, xy, z, k, w):
    return rng.integers(-2, 3, xy.shape) * 0.1, rng.integers(-1, 2, len(z)) * 0.01, 0 * k + 10, w


def _clusters(rng, xy, z, k, w):
    ends = np.where((np.arange(len(z)) % 2)[:, None] == 0, [1, 0.3], [-1, -0.3])
    return ends + rng.normal(size=xy.shape) * 10 ** rng.uniform(-12, -1), z, k, w


KINDS = {
    "generic": lambda rng, *f: f,
    "ring": _ring,
    "equal heights": lambda rng, xy, z, k, w: (xy, 0 * z, k, w),
    "collinear": _line,
    "near collinear": lambda rng, *f: _line(rng, *f, spread=10 ** rng.uniform(-15, -5)),
    "coincident": lambda rng, xy, z, k, w: (0 * xy + xy[0] * rng.integers(2), z, k, w),
    "at the centre of mass": _at_com,
    "on the edge": _on_edge,
    "near the edge": lambda rng, *f: _on_edge(rng, *f, shift=10 ** rng.uniform(-14, -1) * rng.choice([-1, 1])),
    "trot": _trot,
    "lattice": _lattice,
    "two clusters": _clusters,
    "deep steps": lambda rng, xy, z, k, w: (xy, 1000 * z, k, w),
    "stiffness over 12 decades": lambda rng, xy, z, k, w: (xy, z, 10 ** rng.uniform(-6, 6, len(z)), w),
    "weight over 12 decades": lambda rng, xy, z, k, w: (xy, z, k, 10 ** rng.uniform(-6, 6)),
    "legs missing": lambda rng, xy, z, k, w: (xy, z, k * (rng.random(len(z)) > 0.4), w),
    "tiny": lambda rng, xy, z, k, w: (1e-6 * xy, z, k, w),
    "huge": lambda rng, xy, z, k, w: (1e6 * xy, z, k, w),
}


def stance(kind, rng, most=12):
    """Return positions (n, 3), stiffness (n,) and weight of a random stance of that kind, with 1 to `most` feet."""
    xy, z, k, w = KINDS[kind](rng, *_generic(rng, int(rng.integers(1, most + 1))))
    return np.column_stack([xy, z]), k, w


def hull_margin(xy):
    """Return how far the origin lies outside the hull of the points; negative inside, infinite without points."""
    if not len(xy):
        return np.inf
    normals = [q / np.hypot(*q) for q in xy if np.hypot(*q) > 0]
    for a, b in combinations(xy, 2):
        d = b - a
        if np.hypot(*d) > 0:
            normal = np.array([-d[1], d[0]]) / np.hypot(*d)
            normals += [normal, -normal]
    return max(((xy @ normal).min() for normal in normals), default=0.0)


def loads_by_subsets(pos, k, weight):
    """Return the loads found by trying every subset of feet, or None: exact for stances in general position."""
    n = len(k)
    phi = np.column_stack([np.ones(n), -pos[:, 0], pos[:, 1]])
    for size in range(3, n + 1):
        for subset in combinations(range(n), size):
            on = list(subset)
            hessian = (k[on, None] * phi[on]).T @ phi[on]
            if np.linalg.cond(hessian) > 1e10:
                continue
            side = -(k[on] * pos[on, 2]) @ phi[on] - weight * np.array([1.0, 0.0, 0.0])
            p = phi @ np.linalg.solve(hessian, side) + pos[:, 2]
            off = np.setdiff1d(np.arange(n), on)
            if np.all(p[on] <= 0) and np.all(p[off] >= 0):
                load = np.zeros(n)
                load[on] = -k[on] * p[on]
                return load
    return None


def least_dissipation(pos, vel, m, metric):
    """Return the value of the dual of the Coulomb problem by a general optimiser (SLSQP), a lower bound up to 1e-8."""
    n, scale, speed = len(m), m.sum(), np.abs(vel).max()
    sides = np.array([np.tile([1.0, 0.0], n), np.tile([0.0, 1.0], n), np.stack([-pos[:, 1], pos[:, 0]], -1).ravel()])
    inverse = np.linalg.inv(metric)

    def cone(y):
        pull = y.reshape(n, 2)
        return (m / scale) ** 2 - np.einsum("ni,nij,nj->n", pull, inverse, pull)

    found = minimize(
        lambda y: -y @ vel.ravel() / speed,
        np.zeros(2 * n),
        jac=lambda y: -vel.ravel() / speed,
        constraints=[
            {"type": "eq", "fun": lambda y: sides @ y, "jac": lambda y: sides},
            {"type": "ineq", "fun": cone},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return -found.fun * speed * scale, found.success


def poses_by_matrices(twist, dt):
    """Return the poses (x, y, theta) from products of matrix exponentials, theta modulo a turn."""
    g, poses = np.eye(3), []
    for u, v, omega in twist:
        g = g @ expm(dt * np.array([[0, -omega, u], [omega, 0, v], [0, 0, 0]]))
        poses.append([g[0, 2], g[1, 2], np.arctan2(g[1, 0], g[0, 0])])
    return np.array(poses)
