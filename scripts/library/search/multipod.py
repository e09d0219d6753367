"""A multipod's gait optimised on the sliding model, and walked in MuJoCo beside the gait it started from.

The start is the undulation (for turning, one that bends). A candidate is a wave along the body with three harmonics of
yaw and roll; for speed odd ones, which make the left half of the period the mirror image of the right one, so that it
goes straight; for turning also a yaw held by each pair and a share of the wave's yaw for each pair. Candidates are
scaled down to the start's largest yaw and roll and twice its largest joint speeds, and keep its frequency: what is
gained is gained by the shape of the gait alone.
`scipy.optimize.differential_evolution` hands over a generation at a time, and the solver takes all frames of all its
gaits as one batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from scipy.optimize import differential_evolution
from tqdm import tqdm

from tarsus.analytic.contact import Feet, se2, solve
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.controllers.pair_gaits import FourierGait, undulation
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Seed
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.sliding.prediction import measure
from tarsus.scripts.library.sliding.walks import Walk, record

HARMONICS = {"speed": (1, 3, 5), "turning": (1, 2, 3)}  # by goal
GOALS = tuple(HARMONICS)
FRAMES = 48  # of a period that the model is asked for; 96 move the result by less than 1 %
FASTER_JOINTS = 2.0  # largest joint speed over the start's
STEERING = 0.1  # of the gait that turning starts from [rad]
SPREAD = 0.15  # of the first generation about the start, as a share of the parameters' ranges
POPULATION = 200  # gaits in a generation


@dataclass(frozen=True)
class Problem:
    """What is optimised, from which start, within which limits."""

    params: MultipodParams
    start: FourierGait
    goal: str  # one of GOALS
    law: str = "coulomb"

    def __post_init__(self) -> None:
        if self.goal not in GOALS:
            raise ValueError(f"unknown goal {self.goal!r}; there are {', '.join(GOALS)}")
        if self.start.n_legs != self.params.n_legs:
            raise ValueError(f"the gait is for {self.start.n_legs} legs, the robot has {self.params.n_legs}")

    @property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Largest yaw and roll [rad], and their largest rates [rad/s], shape (2,) each."""
        angle, rate = self.start(self.start.period * np.arange(FRAMES) / FRAMES)
        return np.abs(angle).max(axis=(0, 1)), FASTER_JOINTS * np.abs(rate).max(axis=(0, 1))

    @property
    def harmonics(self) -> np.ndarray:
        """The harmonics of a candidate."""
        return np.array(HARMONICS[self.goal])

    def coefficients(self, x: np.ndarray) -> np.ndarray:
        """Return the coefficients of gaits from parameters (n, candidates), shape (candidates, n_pairs, 2, harmonics).

        The parameters are the phase offset, then real and imaginary parts of the harmonics of yaw and of roll, then,
        for turning, the held yaw of each pair and each pair's share of the yaw's wave.
        """
        h, pairs = self.harmonics, np.arange(self.params.n_segments)
        offset, waves, rest = np.split(x, [1, 1 + 4 * len(h)])
        waves = waves.reshape(2, len(h), 2, -1)  # joint, harmonic, real and imaginary, candidate
        behind = np.exp(-1j * pairs[:, None, None] * h[:, None] * offset)  # pair, harmonic, candidate
        travelling = (waves[:, :, 0] + 1j * waves[:, :, 1])[None] * behind[:, None]  # pair, joint, harmonic, candidate
        found = np.zeros((x.shape[1], len(pairs), 2, 1 + h[-1]), complex)
        found[..., h] = np.moveaxis(travelling, -1, 0)
        if self.goal == "turning":
            held, share = np.split(rest, 2)
            found[:, :, 0] *= share.T[..., None]
            found[:, :, 0, 0] = held.T
        return self._scaled(found)

    def _scaled(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the gaits with yaws and rolls scaled down to the limits where they exceed them."""
        motion = _sampled(coefficients, self.start.frequency)
        share = [limit / np.abs(values).max(axis=(1, 2)) for values, limit in zip(motion, self.limits, strict=True)]
        return coefficients * np.minimum(1.0, np.minimum(*share))[:, None, :, None]

    def parameters_of_start(self, phase_offset: float) -> np.ndarray:
        """Return the parameters that give the start, an undulation of that phase offset."""
        first, n_pairs = self.start.coefficients[0, :, 1], self.params.n_segments
        waves = np.zeros((2, len(self.harmonics), 2))
        waves[:, 0] = np.stack([first.real, first.imag], axis=-1)
        held = [*self.start.coefficients[:, 0, 0].real, *np.ones(n_pairs)] if self.goal == "turning" else []
        return np.concatenate([[phase_offset], waves.ravel(), held])

    def bounds(self) -> np.ndarray:
        """Return the range of each parameter, shape (n, 2)."""
        yaw, roll = self.limits[0]
        n_pairs = self.params.n_segments
        sizes = [size / h for size in (yaw, roll) for h in self.harmonics for _ in range(2)]
        sizes += [yaw] * n_pairs + [1.0] * n_pairs if self.goal == "turning" else []
        return np.array([(0.0, 2 * np.pi), *((-size, size) for size in sizes)])

    def results(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the mean forward speed [m/s] or turning rate [rad/s] of gaits, shape (candidates,).

        Args:
            coefficients: Shape (candidates, n_pairs, 2, 1 + harmonics).
        """
        angle, rate = _sampled(coefficients, self.start.frequency)
        feet = Feet(self.params.leaf_k, self.params.friction_coeff, self.params.total_mass * self.params.g)
        motion = foot_positions(self.params, angle), foot_velocities(self.params, angle, rate)
        found = solve(*motion, feet, self.law, parallel=False)
        twist = np.where(found.solved[..., None], found.twist, 0.0)
        if self.goal == "turning":
            return twist[..., 2].mean(axis=-1)
        return se2.integrate(twist, self.start.period / FRAMES)[:, -1, 0] / self.start.period


def _sampled(coefficients: np.ndarray, frequency: float) -> tuple[np.ndarray, np.ndarray]:
    """Return angles and rates of gaits over a period, shape (candidates, FRAMES, n_pairs, 2) both."""
    turn = 2j * np.pi * np.arange(coefficients.shape[-1])
    phases = np.exp(np.outer(turn, np.arange(FRAMES) / FRAMES))  # (harmonics, frames)
    rates = coefficients * turn * frequency
    return tuple(np.moveaxis(np.real(values @ phases), -1, 1) for values in (coefficients, rates))


@dataclass(frozen=True)
class Found:
    """An optimised gait."""

    gait: FourierGait
    predicted_start: float  # [m/s] or [rad/s]
    predicted: float
    evaluations: int  # gaits that the model was asked about


def optimise(
    problem: Problem,
    phase_offset: float,
    generations: int = 150,
    seed: int = 0,
    progress: bool = True,
    stop: Callable[[], bool] | None = None,
) -> Found:
    """Return the best gait found.

    Args:
        problem: What to optimise.
        phase_offset: Of the undulation it starts from [rad].
        generations: Of the differential evolution.
        seed: Of its random numbers.
        progress: Whether to show a progress bar.
        stop: Asked after every generation whether it shall be the last.
    """
    rng, bounds = np.random.default_rng(seed), problem.bounds()
    x0 = problem.parameters_of_start(phase_offset)
    spread = SPREAD * rng.standard_normal((POPULATION, len(x0))) * np.ptp(bounds, axis=1)
    first = np.clip(x0 + spread, *bounds.T)
    first[0] = x0
    with tqdm(total=generations, unit="generation", disable=not progress) as bar:

        def stops(*_) -> bool:
            bar.update()
            return stop is not None and stop()

        best = differential_evolution(
            lambda x: -problem.results(problem.coefficients(x)),
            bounds,
            init=first,
            maxiter=generations,
            tol=0.0,
            rng=rng,
            polish=False,
            updating="deferred",
            vectorized=True,
            callback=stops,
        )
    gait = FourierGait(problem.coefficients(best.x[:, None])[0], problem.start.frequency)
    results = problem.results(problem.start.coefficients[None]), problem.results(gait.coefficients[None])
    return Found(gait, *(float(value[0]) for value in results), POPULATION * best.nfev)


def walked(params: MultipodParams, gait: FourierGait, goal: str, preset: str = "reference") -> float:
    """Return the mean forward speed [m/s] or turning rate [rad/s] of whole periods in MuJoCo."""
    seen = measure(record(Walk("confirmation", params, gait, n_periods=4, settle=2, preset=preset)))
    frames = round(gait.period / seen.dt)
    whole = slice(0, (len(seen.time) - 1) // frames * frames)
    return float(seen.twist[whole, {"speed": 0, "turning": 2}[goal]].mean())


@dataclass(frozen=True)
class MultipodSearch:
    """A search for a gait of a multipod.

    Attributes:
        legs: Of the multipod, an even number.
        goal: Forward speed, or turning rate.
        generations: Of the differential evolution.
        seed: Of its random numbers.
        phase_offset: Of the undulation it starts from [rad].

    Raises:
        ValueError: If there is no such multipod or undulation.
    """

    legs: Count = 8
    goal: Literal["speed", "turning"] = "speed"
    generations: Count = 150
    seed: Seed = 0
    phase_offset: Annotated[float, arguments.number(-100, 100)] = 1.35 * np.pi

    def __post_init__(self) -> None:
        _ = self.problem  # refuses what is impossible

    @property
    def problem(self) -> Problem:
        """What is optimised."""
        steering = STEERING if self.goal == "turning" else 0.0
        start = undulation(self.legs, phase_offset=self.phase_offset, steering=steering)
        return Problem(MultipodParams(n_legs=self.legs), start, self.goal)

    def run(self, stop: Callable[[], bool] | None = None) -> Found:
        """Return the best gait found; `stop` is asked after every generation whether it shall be the last."""
        return optimise(self.problem, self.phase_offset, self.generations, self.seed, stop=stop)

    def table(self, found: Found, walk: bool) -> str:
        """Return the gain in the model as a table, and if asked for that of walks in MuJoCo."""
        problem = self.problem
        unit = {"speed": "mm/s", "turning": "mrad/s"}[self.goal]
        rows = [("sliding model", found.predicted_start, found.predicted)]
        if walk:
            walks = (walked(problem.params, gait, self.goal) for gait in (problem.start, found.gait))
            rows += [("MuJoCo, reference", *walks)]
        cells = [(name, f"{1e3 * a:.1f}", f"{1e3 * b:.1f}", f"{100 * (b / a - 1):+.0f} %") for name, a, b in rows]
        head = (f"{self.goal} [{unit}]", "start", "optimised", "gain")
        return f"{markdown_table(head, cells)}\n{found.evaluations} gaits of {FRAMES} frames asked of the model"
