"""The cube's tosses in our own time-stepping model of a rigid cube."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from tarsus.analytic.models.rigid_cube import RigidCube, simulate

from .rollouts import CubeContact, Rollout
from .tosses import GRAVITY, HALF_WIDTH, MASS, RATE, Convention, Toss

NAME = "rigid_cube"
SETTINGS = {"1 ms": 1e-3, "0.25 ms": 2.5e-4}  # about the length of a step; a whole number of them makes a frame [s]


def run(
    tosses: Sequence[Toss],
    convention: Convention,
    contact: CubeContact,
    step: float,
    progress: Callable[[], None] = lambda: None,
) -> list[Rollout]:
    """Return the rigid cube's rollouts of tosses in steps of about that length [s]; each begin calls `progress`."""
    params = RigidCube(
        half_width=HALF_WIDTH,
        mass=MASS,
        inertia=convention.inertia,
        corner_radius=contact.corner_radius,
        mu=contact.friction,
        restitution=contact.restitution,
        gravity=GRAVITY,
    )
    n_steps, found = max(1, round(1.0 / (RATE * step))), []
    for toss in tosses:
        progress()
        begin = time.process_time()
        start = np.concatenate([toss.start[:10], toss.spin_w])
        states = simulate(params, start, len(toss.time), 1.0 / RATE, n_steps)
        cost = (time.process_time() - begin) / toss.time[-1]
        found.append(Rollout(states[:, :3], states[:, 3:7], cost))
    return found
