"""The walks on which the sliding model is tested, and what each friction law makes of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.contact import Feet, lag_filter
from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.controllers import gaits
from tarsus.scripts.library.sliding.fitted import fitted_feet
from tarsus.scripts.library.sliding.prediction import Measured, Predicted, measure, naive_feet, predict
from tarsus.scripts.library.sliding.walks import Walk, record

LAWS = ("viscous", "coulomb")
MULTIPOD_LEGS = (6, 8, 10, 12)  # paper, 3.2.1
PAPER_GAMMA = 0.15  # of the lag filter at 100 frames per second (paper, 3.2.2)
QUANTITIES = ("u", "v", "omega", "roll", "pitch", "F_x", "F_y", "F_z")


def tripod(cycle_time: float = 10.0, **settings) -> Walk:
    """Return BigANT's tripod gait, at 0.1 Hz as in the paper."""
    gait = gaits.make("tripod", 6, cycle_time=cycle_time)
    return Walk(f"BigANT, tripod, {cycle_time:g} s", BigAntParams(), gait, **{"n_periods": 2} | settings)


def metachronal(cycle_time: float = 10.0, **settings) -> Walk:
    """Return BigANT's metachronal gait, which slips."""
    gait = gaits.make("metachronal", 6, cycle_time=cycle_time)
    return Walk(f"BigANT, metachronal, {cycle_time:g} s", BigAntParams(), gait, **{"n_periods": 2} | settings)


def undulation(n_legs: int, frequency: float = 0.3, **settings) -> Walk:
    """Return a multipod's undulation, at 0.3 Hz as in the paper."""
    gait = gaits.make("undulation", n_legs, frequency=frequency)
    return Walk(f"multipod, {n_legs} legs, {frequency:g} Hz", MultipodParams(n_legs=n_legs), gait, **settings)


def trot(frequency: float = 1.0, **settings) -> Walk:
    """Return the trot of a multipod of four legs, by default as fast as the paper's quadruped, for nine cycles."""
    gait = gaits.make("pair_trot", 4, frequency=frequency)
    settings = {"n_periods": 9, "settle": 3} | settings
    return Walk(f"quadruped, trot, {frequency:g} Hz", MultipodParams(n_legs=4), gait, **settings)


def own_feet(walk: Walk) -> Feet:
    """Return the parameters that the simulated robot really has."""
    return Feet(walk.stiffness, walk.params.friction_coeff, walk.weight)


@dataclass(frozen=True)
class Outcome:
    """A walk, what was measured of it, and what each law predicts."""

    walk: Walk
    measured: Measured
    predicted: dict[str, Predicted]  # by law

    def whole(self) -> slice:
        """Return the frames of whole periods; the filter has cut the recording's ends, so one is lost."""
        frames = round(self.walk.gait.period / self.measured.dt)
        n = (len(self.measured.time) - 1) // frames
        return slice(0, n * frames)

    def mean_twist(self, law: str | None = None) -> np.ndarray:
        """Return the mean of u, v and omega over whole periods, measured or predicted, shape (3,)."""
        twist = self.measured.twist if law is None else self.predicted[law].twist
        return twist[self.whole()].mean(axis=0)

    def error_of_speed(self, law: str) -> float:
        """Return by how much the predicted mean forward velocity is off, as a share of the measured one."""
        return float(self.mean_twist(law)[0] / self.mean_twist()[0] - 1)


@functools.lru_cache(maxsize=64)
def _measured(walk_of, arguments, settings) -> tuple[Walk, Measured]:
    walk = walk_of(*arguments, **dict(settings))
    return walk, measure(record(walk))


def outcome(walk_of, *arguments, feet_of=own_feet, **settings) -> Outcome:
    """Return the outcome of one of the walks above, simulated once per process.

    Args:
        walk_of: `tripod`, `metachronal`, `undulation` or `trot`.
        arguments: Its arguments.
        feet_of: Gives the model's parameters for a walk.
        settings: Fields of `Walk`.
    """
    walk, measured = _measured(walk_of, arguments, tuple(sorted(settings.items())))
    feet = feet_of(walk)
    return Outcome(walk, measured, {law: predict(measured, feet, law) for law in LAWS})


def residuals(measured: Measured, predicted: Predicted) -> dict[str, np.ndarray]:
    """Return predicted minus measured by quantity: SI units, forces of all feet in one row as shares of the weight."""
    force = (predicted.force - measured.force) / measured.weight
    twist = predicted.twist - measured.twist
    tilt = (predicted.roll - measured.roll, predicted.pitch - measured.pitch)
    return dict(zip(QUANTITIES, (*twist.T, *tilt, *np.moveaxis(force, -1, 0).reshape(3, -1)), strict=True))


def scatter(measured: Measured) -> dict[str, np.ndarray]:
    """Return measured minus its mean by quantity: what a prediction that knew only the mean would leave."""
    off = (measured.force - measured.force.mean(axis=0)) / measured.weight
    rows = (*measured.twist.T, measured.roll, measured.pitch)
    forces = np.moveaxis(off, -1, 0).reshape(3, -1)
    return dict(zip(QUANTITIES, (*(row - row.mean() for row in rows), *forces), strict=True))


def rms(values: np.ndarray) -> float:
    """Return the root of the mean square of what is not NaN."""
    return float(np.sqrt(np.nanmean(np.square(values))))


def best_gamma(result: Outcome, law: str) -> float:
    """Return the gamma of the lag filter with the least rms error of the forward velocity, to 0.01."""
    gammas = np.arange(0.0, 1.0, 0.01)
    twist, seen = result.predicted[law].twist, result.measured.twist[:, 0]
    return float(min(gammas, key=lambda gamma: rms(lag_filter(twist, gamma)[:, 0] - seen)))


def fit_against_naive(result: Outcome) -> dict[str, dict[str, float]]:
    """Return the rms errors under the viscous law on the second half of a recording, by parameters and quantity.

    The parameters are naive, or fitted to the first half.
    """
    n = len(result.measured.time)
    first, second = result.measured.part(slice(0, n // 2)), result.measured.part(slice(n // 2, n))
    choices = {"naive": naive_feet(first), "fitted": fitted_feet(first), "own": own_feet(result.walk)}
    errors = {}
    for name, feet in choices.items():
        found = residuals(second, predict(second, feet, "viscous"))
        errors[name] = {quantity: rms(values) for quantity, values in found.items()}
    return errors
