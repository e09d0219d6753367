"""`examine` of a map of arrays, from wherever it stands: its cycle is found first."""

import numpy as np

from tarsus.scripts.library.stability.cycle import classify
from tarsus.scripts.library.stability.examining import RANDOM, Examined, examine, not_periodic
from tarsus.scripts.library.stability.system import MapSystem, iterated
from tarsus.scripts.library.stability.verdict import Kind, Verdict

SETTLED = 200  # strides before it is looked at
SECTIONS = 192  # that are compared
TINY = 1e-7  # displacement whose growth tells chaos, in typical values


def examine_map(system: MapSystem) -> Examined:
    """Return the verdict on a map, and what it is from, after some strides."""
    begun = [iterated(system.stride, system.at, SECTIONS) for _ in range(2)]
    if not np.array_equal(*begun, equal_nan=True):
        return Examined(Verdict(Kind.STOCHASTIC, RANDOM))
    path = iterated(system.stride, system.at, SETTLED + SECTIONS)
    if not np.isfinite(path).all():
        return Examined(Verdict(Kind.FALLS, f"it ends in stride {int(np.isfinite(path).all(1).argmin())}."))
    known = system.names, system.scale, system.symmetric, system.hidden
    settled = MapSystem(system.stride, path[SETTLED], *known)
    moving = np.array([name not in system.symmetric for name in system.names]) & ~system.hidden
    tiny = settled.deviations(TINY * system.scale * moving, SECTIONS)
    growth = np.linalg.norm((tiny / system.scale)[:, moving], axis=1)
    cycle = classify((path[SETTLED:] / system.scale)[:, moving], growth[-1] / growth[0])
    if not cycle.periodic:
        return Examined(not_periodic(cycle, [n for n, kept in zip(system.names, moving, strict=True) if kept]))
    k = cycle.multiple
    many = MapSystem(lambda z: iterated(system.stride, z, k)[-1], path[-1], *known)
    found = examine(many)
    if k == 1:
        return found
    words = Verdict(found.verdict.kind, f"it repeats after {k} strides, not one: {found.verdict.reason}")
    return Examined(words, found.multipliers, found.decays, found.kink)
