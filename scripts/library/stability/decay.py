"""How small displacements decay, observed in whole runs beside the prediction of the derivative of a stride.

Both begin with the same displacement, and their rates are fitted over the same strides: so transients of a matrix that
is not normal, or turns of a complex pair, are in both. A push to one side and to the other are runs of their own, since
a map with a kink has a rate for each; and each is observed at two sizes, from which curvature is extrapolated away.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.scripts.library.stability.multipliers import AGREE, FORGOTTEN, Multipliers
from tarsus.scripts.library.stability.system import System

STRIDES = 24  # that are observed at most
PUSHES = 3  # random displacements, besides the one along the largest multiplier's eigenvector
HEADROOM = 100.0  # times the noise: a smaller displacement is not looked at
SIZES = "observed", "halved", "predicted"
GROWN = 30.0  # times the first displacement: a larger one is not small any more


@dataclass(frozen=True)
class Decay:
    """How one displacement decayed. Sizes are in typical values, of each stride, that of the begin first."""

    name: str  # "along the largest", or "random 0" ..., with its sign
    observed: np.ndarray  # sizes, shape (m,); NaN from where it fell
    halved: np.ndarray  # the same of half the displacement
    predicted: np.ndarray  # of the whole one by the derivative
    window: tuple[int, int]  # first and last stride over which rates are fitted; equal if there is nothing to fit
    noise: float  # below which sizes are noise

    def stored(self) -> dict[str, Any]:
        """Return it as what JSON holds."""
        return vars(self) | {name: getattr(self, name).tolist() for name in SIZES}

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Decay":
        arrays = {name: np.array(stored[name], float) for name in SIZES}
        return cls(**stored | arrays | {"window": tuple(stored["window"])})

    @property
    def rates(self) -> tuple[float, float]:
        """Factors per stride, observed and predicted, of a displacement of no size; NaN where nothing can be fitted."""
        whole, half, predicted = (_rate(getattr(self, name), *self.window) for name in SIZES)
        return 2.0 * half - whole, predicted

    @property
    def forgotten(self) -> bool:
        """Whether next to nothing is left after a stride, as observed and as predicted, or it is soon in the noise."""
        after = max(self.observed[1], self.predicted[1])
        little = after <= max(FORGOTTEN * self.observed[0], HEADROOM * self.noise)
        first, last = self.window
        return bool(little and last <= first + 1)

    @property
    def agrees(self) -> bool:
        """Whether both rates are the same within 2 %, or there is nothing left to compare."""
        observed, predicted = self.rates
        return self.forgotten or abs(observed - predicted) <= AGREE * predicted


def pushes(system: System, found: Multipliers, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return displacements in typical values, shape (n,), by name: each of a size that is small, and its opposite."""
    along = found.vector.real if np.linalg.norm(found.vector.real) > 1e-3 else found.vector.imag
    pushed = found.left & ~system.hidden  # nobody pushes a memory
    directions = {"along the largest": along}
    directions |= {f"random {k}": pushed * rng.standard_normal(pushed.size) for k in range(PUSHES)}
    made = {}
    for name, direction in directions.items():
        if direction.any():
            by = found.step.widest * direction / np.linalg.norm(direction)
            made |= {f"{name} +": by, f"{name} -": -by}
    return made


def observe(system: System, found: Multipliers, name: str, by: np.ndarray, strides: int = STRIDES) -> Decay:
    """Return the decay of a displacement in typical values, shape (n,), over so many strides at most."""
    predicted = [by, found.matrix @ by]
    while len(predicted) <= strides and np.linalg.norm(predicted[-1]) > HEADROOM * found.step.noise:
        predicted.append(found.matrix @ predicted[-1])
    strides = len(predicted) - 1  # no rate is fitted to what is smaller
    runs = [system.deviations(size * by * system.scale, strides) / system.scale * found.left for size in (1.0, 0.5)]
    sizes = [np.linalg.norm(run, axis=1) for run in (*runs, np.array(predicted))]
    return Decay(name, *sizes, window_of(*sizes, found.step.noise), found.step.noise)


def motion(system: System, found: Multipliers, strides: int = STRIDES) -> float:
    """Return the mean step between sections of the run that is not displaced, in typical values."""
    return float(np.linalg.norm((system.motion(strides) / system.scale)[found.left])) / strides


def window_of(observed: np.ndarray, halved: np.ndarray, predicted: np.ndarray, noise: float) -> tuple[int, int]:
    """Return the strides over which rates are fitted: the second half of those above the noise and not yet large."""
    least = np.minimum(np.minimum(observed, predicted), 2.0 * halved)
    most = np.maximum(np.maximum(observed, predicted), 2.0 * halved)
    fine = np.isfinite(most) & (least > HEADROOM * noise) & (most < GROWN * observed[0])
    last = max((len(fine) if fine.all() else int(np.argmin(fine))) - 1, 0)
    return last // 2, last


def _rate(sizes: np.ndarray, first: int, last: int) -> float:
    if last <= first:
        return np.nan
    return float(np.exp(np.polyfit(np.arange(first, last + 1), np.log(sizes[first : last + 1]), 1)[0]))
