"""A multipod's gait optimised on the sliding model, and walked in MuJoCo beside the gait it started from.

The start is the undulation (for turning, one that bends). A candidate is a wave along the body with three harmonics of
yaw and roll; for speed odd ones, which make the left half of the period the mirror image of the right one, so that it
goes straight; for turning also a yaw held by each pair and a share of the wave's yaw for each pair. Candidates are
scaled down to the start's largest yaw and roll and twice its largest joint speeds, and keep its frequency: what is
gained is gained by the shape of the gait alone.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from tarsus.analytic.contact import Feet, se2, solve
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.analytic.spelling import check_name
from tarsus.controllers.pair_gaits import PHASE_OFFSET, FourierGait, undulation
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Seed
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.search.found import Found, Parameter
from tarsus.scripts.library.search.searches import Search, Trials
from tarsus.scripts.library.sliding.prediction import measure
from tarsus.scripts.library.sliding.walks import Walk, record

HARMONICS = {"speed": (1, 3, 5), "turning": (1, 2, 3)}  # by goal
GOALS = tuple(HARMONICS)
UNITS = {"speed": "m/s", "turning": "rad/s"}
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
        check_name("goal", self.goal, GOALS)
        if self.start.n_legs != self.params.n_legs:
            raise ValueError(f"the gait is for {self.start.n_legs} legs, the robot has {self.params.n_legs}")

    @property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Largest yaw and roll [rad], and their largest rates [rad/s], shape (2,) each."""
        angle, rate = self.start(self.start.period * np.arange(FRAMES) / FRAMES)
        return np.abs(angle).max(axis=(0, 1)), FASTER_JOINTS * np.abs(rate).max(axis=(0, 1))

    @property
    def harmonics(self) -> np.ndarray:
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
        motion = _sampled(found, self.start.frequency)
        share = [limit / np.abs(values).max(axis=(1, 2)) for values, limit in zip(motion, self.limits, strict=True)]
        return found * np.minimum(1.0, np.minimum(*share))[:, None, :, None]

    def parameters_of_start(self, phase_offset: float) -> np.ndarray:
        """Return the parameters that give the start, an undulation of that phase offset."""
        first, n_pairs = self.start.coefficients[0, :, 1], self.params.n_segments
        waves = np.zeros((2, len(self.harmonics), 2))
        waves[:, 0] = np.stack([first.real, first.imag], axis=-1)
        held = [*self.start.coefficients[:, 0, 0].real, *np.ones(n_pairs)] if self.goal == "turning" else []
        return np.concatenate([[phase_offset], waves.ravel(), held])

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What is searched: the parameters of `coefficients`, with their ranges."""
        (yaw, roll), pairs = self.limits[0], range(self.params.n_segments)
        made = [Parameter("phase offset", 0.0, 2 * np.pi, "rad")]
        for joint, size in (("yaw", yaw), ("roll", roll)):
            for h in self.harmonics:
                parts = (f"{joint}, harmonic {h}, {part}" for part in ("real", "imaginary"))
                made += [Parameter(name, -size / h, size / h, "rad") for name in parts]
        if self.goal == "turning":
            made += [Parameter(f"yaw held by pair {k}", -yaw, yaw, "rad") for k in pairs]
            made += [Parameter(f"share of pair {k}", -1.0, 1.0) for k in pairs]
        return tuple(made)

    def results(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the mean forward speed [m/s] or turning rate [rad/s] of gaits' coefficients (n, ...), shape (n,)."""
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


def walked(params: MultipodParams, gait: FourierGait, goal: str, preset: str = "reference") -> float:
    """Return the mean forward speed [m/s] or turning rate [rad/s] of whole periods in MuJoCo."""
    seen = measure(record(Walk("confirmation", params, gait, n_periods=4, settle=2, preset=preset)))
    frames = round(gait.period / seen.dt)
    whole = slice(0, (len(seen.time) - 1) // frames * frames)
    return float(seen.twist[whole, {"speed": 0, "turning": 2}[goal]].mean())


@dataclass(frozen=True)
class MultipodSearch(Search):
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
    phase_offset: Annotated[float, arguments.number(-100, 100)] = PHASE_OFFSET

    population = POPULATION

    def __post_init__(self) -> None:
        _ = self.problem  # refuses what is impossible

    @functools.cached_property
    def problem(self) -> Problem:
        """What is optimised."""
        steering = STEERING if self.goal == "turning" else 0.0
        start = undulation(self.legs, phase_offset=self.phase_offset, steering=steering)
        return Problem(MultipodParams(n_legs=self.legs), start, self.goal)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """As `Problem.coefficients` takes them."""
        return self.problem.parameters

    @property
    def maximised(self) -> str:
        """In the sliding model."""
        return f"{self.goal} on the model [{UNITS[self.goal]}]"

    def first(self, rng: np.random.Generator) -> np.ndarray:
        """Return the start, and gaits around it."""
        bounds, x0 = self.bounds, self.problem.parameters_of_start(self.phase_offset)
        spread = SPREAD * rng.standard_normal((POPULATION, len(x0))) * np.ptp(bounds, axis=1)
        first = np.clip(x0 + spread, *bounds.T)
        first[0] = x0
        return first

    def score(self, points: np.ndarray, generation: int) -> tuple[np.ndarray, list]:
        """Return the model's results, all frames of all gaits as one batch."""
        return self.problem.results(self.problem.coefficients(points.T)), [None] * len(points)

    def finish(self, found: Found, trials: Trials, confirm: bool) -> Found:
        """Return the result with the gait, and its gain over the start: in the model and, confirmed, in MuJoCo."""
        problem = self.problem
        gait = FourierGait(problem.coefficients(found.point[:, None])[0], problem.start.frequency)
        model = (float(problem.results(one.coefficients[None])[0]) for one in (problem.start, gait))
        made = {"sliding model": tuple(model)}
        if confirm:
            made["MuJoCo, reference"] = tuple(walked(problem.params, one, self.goal) for one in (problem.start, gait))
        rows = [(name, f"{a:.4f}", f"{b:.4f}", f"{100 * (b / a - 1):+.0f} %") for name, (a, b) in made.items()]
        told = markdown_table((f"{self.goal} [{UNITS[self.goal]}]", "start", "optimised", "gain"), rows)
        return replace(found, made={"gait": gait} | made, told=told)
