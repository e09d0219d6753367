"""Lyapunov exponents of hybrid models: how fast neighbouring motions part, events included.

Directions are carried through blocks of events by exact derivatives and made orthonormal between them (QR); the
logarithms of R's diagonal, averaged, are the exponents. Their sum is the mean logarithm of how volumes change, which
for many impacts is known in closed form.

Blocks must be short: within one the directions all turn towards the fastest, and once they differ by 1e8 the smaller
exponents are round-off. The phase of what drives the model is made a state of it, since the derivative is taken at
fixed times.

Source: Benettin, Galgani, Giorgilli & Strelcyn, Meccanica 15 (1980); through events, Mueller, Calculation of Lyapunov
exponents for dynamic systems with discontinuities, Chaos, Solitons & Fractals 5 (1995).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from .derivatives import Derivatives
from .directions import Directions
from .existence import Existence

MOST_PARTED = 1e8  # largest over smallest stretch in a block
BATCHES = 20  # of blocks, whose means give the standard error


class SpectrumStatus(Enum):
    """Whether the exponents can be trusted; the values are sentences."""

    DONE = "all blocks were run"
    TOO_LONG = "within a block directions parted by more than 1e8: take fewer events per block"
    LOST = "the motion ended, or had no derivative: the averages end there"


@dataclass(frozen=True)
class Spectrum:
    """Exponents, the largest first, of the model's n states and memory entries. Check `status`."""

    status: SpectrumStatus
    message: str
    per_event: np.ndarray  # (n,)
    per_second: np.ndarray  # (n,) [1/s]
    error: np.ndarray  # (n,) standard error of `per_event`, by means of batches of blocks; NaN for few blocks
    n_events: int
    n_restarts: int
    x: np.ndarray  # where it ended, a start for more
    d: np.ndarray

    @property
    def sum(self) -> float:
        """The sum of all exponents per event: the mean logarithm of the change of volume."""
        return float(self.per_event.sum())


def spectrum(
    derivatives: Derivatives,
    x0: Any,
    section: str,
    *,
    n_blocks: int,
    per_block: int = 1,
    transient: int = 10,
    d0: Any = None,
    params: Any = None,
    wrap: Callable | None = None,
    restart: Callable | None = None,
    **how: Any,
) -> Spectrum:
    """Return the Lyapunov exponents along a motion.

    Args:
        derivatives: The model with as many directions as it has states and memory entries.
        x0: Where the motion begins; as `d0` and `params` in `Simulator.run`.
        section: The guard whose events end the blocks.
        n_blocks: Blocks that are averaged.
        per_block: Events in each; see above.
        transient: Blocks before them, in which directions turn to where they belong.
        d0: Initial memory.
        params: Parameters.
        wrap: `wrap(x) -> x`, an equivalent state: for instance with a phase between 0 and 2 pi.
        restart: `restart(i) -> x`, where to go on if block i is lost, for instance at an impact that grazes; None: the
            averages end there.
        **how: `chart`, the one behind the section, and settings; `final_time` [s] is that of a block.

    Raises:
        ValueError: If the directions are not as many, or a number is not positive.
    """
    model = derivatives.model
    n = model.x0.size + model.d0.size
    if derivatives.n_directions != n:
        raise ValueError(f"{n} directions are needed, states and memory, got {derivatives.n_directions}")
    if min(n_blocks, per_block) < 1 or transient < 0:
        raise ValueError(f"n_blocks and per_block must be positive, got {n_blocks} and {per_block}")
    start, _ = derivatives.sim.start.of(x0, d0, params)
    x, d, q = start.x, start.d, np.eye(n)
    logs, times, n_restarts = [], [], 0
    status, message = SpectrumStatus.DONE, SpectrumStatus.DONE.value
    for i in range(transient + n_blocks):
        made = derivatives.run(
            Directions.of_start(model, q), x, d, params, stop_at=section, stop_count=per_block, looser=np.inf,
            **({"final_time": 1e6, "zeno": False} | how),
        )  # fmt: skip
        if made.existence is not Existence.EXISTS:
            if restart is None:
                status, message = SpectrumStatus.LOST, f"{SpectrumStatus.LOST.value}: {made.message}"
                break
            x, d, n_restarts = np.array(restart(i), dtype=float), start.d, n_restarts + 1
            continue
        q, r = np.linalg.qr(made.end.matrix)
        stretch = np.abs(np.diag(r))
        if i >= transient:
            logs.append(np.log(np.maximum(stretch, 1e-300)))
            times.append(made.end.t - made.result.t[0])
        if stretch.max() > MOST_PARTED * max(float(stretch.min()), 1e-300) and np.all(stretch > 0.0):
            status, message = SpectrumStatus.TOO_LONG, SpectrumStatus.TOO_LONG.value
        x, d = made.end.x if wrap is None else np.array(wrap(made.end.x.copy()), dtype=float), made.end.d
    return _averaged(status, message, np.array(logs).reshape(-1, n), np.array(times), per_block, n_restarts, x, d)


def _averaged(status, message, logs, times, per_block: int, n_restarts: int, x, d) -> Spectrum:
    """Return the exponents of blocks (m, n), sorted."""
    if not len(logs):
        none = np.full(logs.shape[1], np.nan)
        return Spectrum(status, message, none, none, none, 0, n_restarts, x, d)
    mean = logs.mean(axis=0)
    error = np.full(mean.shape, np.nan)
    if len(logs) >= 2 * BATCHES:
        means = logs[: len(logs) // BATCHES * BATCHES].reshape(BATCHES, -1, logs.shape[1]).mean(axis=1)
        error = means.std(axis=0, ddof=1) / np.sqrt(BATCHES) / per_block
    order = np.argsort(-mean)
    per_second = logs.sum(axis=0) / times.sum()
    n_events = per_block * len(logs)
    return Spectrum(
        status, message, (mean / per_block)[order], per_second[order], error[order], n_events, n_restarts, x, d
    )
