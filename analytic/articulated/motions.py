"""Motions, of as many numbers as there are degrees of freedom, between positions of a run."""

import numpy as np

from .layout import FREE as FREE_JOINT
from .simulation import Simulation
from .vectors import product


def moved_by(run: Simulation, by: np.ndarray) -> np.ndarray:
    """Return a run's positions moved by a motion, shape (nv,); quaternions turn by rotation vectors on body axes."""
    out = run.qpos
    for kind, q, v in run.robot.tables.joint_of:
        if kind > FREE_JOINT + 1:
            out[q] += by[v]
            continue
        if kind == FREE_JOINT:
            out[q : q + 3] += by[v : v + 3]
            q, v = q + 3, v + 3
        angle = float(np.linalg.norm(by[v : v + 3]))
        half = np.sinc(0.5 * angle / np.pi) * 0.5 * by[v : v + 3]
        out[q : q + 4] = quaternion_product(out[q : q + 4], (np.cos(0.5 * angle), *half))
        out[q : q + 4] /= np.linalg.norm(out[q : q + 4])
    return out


def apart(run: Simulation, qpos: np.ndarray) -> np.ndarray:
    """Return the motion, shape (nv,), that takes the run's positions to these; the inverse of `moved_by`."""
    by = np.zeros(run.robot.nv)
    for kind, q, v in run.robot.tables.joint_of:
        if kind > FREE_JOINT + 1:
            by[v] = qpos[q] - run.x[q]
            continue
        if kind == FREE_JOINT:
            by[v : v + 3] = qpos[q : q + 3] - run.x[q : q + 3]
            q, v = q + 3, v + 3
        w, *axis = quaternion_product(run.x[q : q + 4] * (1.0, -1.0, -1.0, -1.0), qpos[q : q + 4])
        size = float(np.linalg.norm(axis))
        by[v : v + 3] = np.array(axis) * (2.0 * np.arctan2(size, abs(w)) / size if size > 1e-300 else 2.0)
        by[v : v + 3] *= np.sign(w) if w else 1.0
    return by


def quaternion_product(p, q) -> np.ndarray:
    """Return the product of two quaternions."""
    return np.array(product(*map(float, p), *map(float, q)))
