"""Foot velocities that are hard for Coulomb friction, by kind; stances are in contact_frames."""

import numpy as np


def _spin(pos, twist):
    return twist[:2] + twist[2] * np.stack([-pos[:, 1], pos[:, 0]], axis=-1)


KINDS = {
    "random": lambda rng, pos: rng.normal(size=(len(pos), 2)),
    "all sticking": lambda rng, pos: _spin(pos, rng.normal(size=3)),
    "at rest": lambda rng, pos: np.zeros((len(pos), 2)),
    "pure spin": lambda rng, pos: rng.choice([-1, 1], len(pos))[:, None] * _spin(pos, [0, 0, 1.0]),
    "parallel": lambda rng, pos: np.outer(rng.normal(size=len(pos)), rng.normal(size=2)),
    "nearly sticking": lambda rng, pos: (
        _spin(pos, rng.normal(size=3)) + 10 ** rng.uniform(-12, -1) * rng.normal(size=(len(pos), 2))
    ),
    "one foot drags": lambda rng, pos: (
        _spin(pos, rng.normal(size=3)) + (np.arange(len(pos)) == 0)[:, None] * rng.normal(size=2)
    ),
    "ties": lambda rng, pos: rng.integers(-1, 2, (len(pos), 2)) * 1.0,
    "over 12 decades": lambda rng, pos: rng.normal(size=(len(pos), 2)) * 10 ** rng.uniform(-6, 6, (len(pos), 1)),
}
