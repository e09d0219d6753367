"""The questions asked of a system in turn, each answer stored as soon as it is found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.scripts.library.stability import decay, multipliers, verdict
from tarsus.scripts.library.stability.cycle import Cycle, Repetition
from tarsus.scripts.library.stability.decay import Decay
from tarsus.scripts.library.stability.multipliers import Multipliers, Step
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.system import System
from tarsus.scripts.library.stability.verdict import Kind, Verdict

WIDTH = 16  # columns of the derivative that are stored together


@dataclass(frozen=True)
class Examined:
    """What was found of a system."""

    verdict: Verdict  # of it
    multipliers: Multipliers | None = None  # None if it is not periodic
    decays: tuple[Decay, ...] = ()  # of small displacements; none if it is not periodic
    kink: float = 0.0  # see `verdict.kink`
    lines: tuple[str, ...] = ()  # how the multipliers were found, for people, if not by differences at two steps


def examine(system: System, store: Store | None = None, said: Callable[[str], Any] = lambda words: None) -> Examined:
    """Return the multipliers of a system that repeats at its section, the decay beside them, and the verdict.

    Parts are kept in the store, so that a run that was stopped goes on there; `said` is told what is done next.
    """
    store = store or Store()
    nothing = np.zeros(len(system.names))
    doubt = "" if not np.any(system.deviations(nothing, 1)[-1]) else RANDOM
    if doubt:
        return Examined(Verdict(Kind.STOCHASTIC, doubt))
    said("step of the differences")
    found = store.part("step", lambda: vars(multipliers.best_step(system, np.random.default_rng(0))))
    step, matrices = Step(**found), []
    if not np.isfinite(step.error):
        return Examined(Verdict(Kind.NOT_DETERMINED, verdict.NO_DERIVATIVE))
    saltation, lines = _by_saltation(system, store, said)
    for size in (step.size,) if saltation is not None else (step.size, 0.5 * step.size):

        def block(first: int, last: int, size: float = size) -> np.ndarray:
            said(f"derivative, columns {first} to {last} of {len(system.names)} at a step of {size:.1e}")
            name = f"derivative {size:.3e} {first}"
            return np.array(store.part(name, lambda: multipliers.columns(system, size, first, last).tolist()))

        matrices.append(multipliers.derivative(system, size, block, WIDTH))
    matrices += [] if saltation is None else [saltation]
    made = multipliers.multipliers(system, step, *matrices, np.random.default_rng(1))
    if not np.isfinite(made.interval).all():
        return Examined(verdict.judged(made, (), 0.0), made, lines=lines)
    decays = []
    for name, by in decay.pushes(system, made, np.random.default_rng(2)).items():
        said(f"decay of a displacement, {name}")
        seen = store.part(f"decay {name}", lambda n=name, by=by: decay.observe(system, made, n, by).stored())
        decays.append(Decay.restored(seen))
    kinked = float(store.part("kink", lambda: verdict.kink(system, made)))
    moved = store.part("motion", lambda: decay.motion(system, made))
    return Examined(verdict.judged(made, tuple(decays), kinked, moved), made, tuple(decays), kinked, lines)


def _by_saltation(
    system: System, store: Store, said: Callable[[str], Any]
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Return the derivative of a stride in typical values by saltation matrices, if it has one, and words about it."""
    if system.derivative is None:
        return None, ()

    def found() -> list | str:
        try:
            return (system.derivative() * system.scale / system.scale[:, None]).tolist()
        except ValueError as error:
            return str(error)

    said("derivative by saltation matrices")
    matrix = store.part("saltation", found)
    if isinstance(matrix, str):
        return None, (f"multipliers by differences alone, as by saltation matrices: {matrix}",)
    return np.array(matrix), ("multipliers by saltation matrices, their interval by differences beside them",)


RANDOM = (
    "the same state gives different runs: something draws at random, or is remembered where it cannot be put back, so "
    "that there is no derivative."
)


def not_periodic(cycle: Cycle, names) -> Verdict:
    """Return the verdict on what does not repeat."""
    if cycle.kind is Repetition.DRIFT and cycle.drift:
        k, change = cycle.drift
        return Verdict(Kind.NOT_PERIODIC, f"{names[k]} goes on by {change:.3g} typical values a stride.")
    near = f" (nearest {cycle.residual:.2g} typical values)" if np.isfinite(cycle.residual) else ""
    return Verdict(Kind.NOT_PERIODIC, f"{cycle.kind.value}{near}.")
