"""What a preset's error of raw foot forces is made of, and how often it loses a foot that its spring presses down."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.terrain import Flat
from tarsus.controllers import gaits
from tarsus.mjcf.presets import Preset, find
from tarsus.scripts.laboratory.studies import decomposition
from tarsus.scripts.library.comparison.compare import compare
from tarsus.scripts.library.machines import hexapod_exact, hexapod_mujoco
from tarsus.scripts.library.machines.hexapod import PlatelessExperiment
from tarsus.scripts.library.machines.multipod_mujoco import ROBOTS
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.sliding.walks import Walk, record

GAITS = {"walk": TripodGait(1.0, 0.6), "run": TripodGait(0.5, 0.3)}
SECONDS = 6.0  # of which the first 3 are left out
SLIDE_SPEED = 1e-3  # of the exact engine [m/s]
BENT = 0.1  # of its share of the weight: a spring that presses its foot down with that much is bent


@lru_cache(maxsize=8)
def _exact(gait: str, period: float) -> Run:
    experiment = PlatelessExperiment(HexapodParams(), GAITS[gait], Flat())
    return hexapod_exact.simulate(experiment, SECONDS, period, slide_speed=SLIDE_SPEED)


def decomposed(preset: str | Preset) -> dict[str, dict[str, float]]:
    """Return of each gait the raw error, its shares by `decomposition.KINDS`, and what a shift in time leaves of it.

    Every step is a row, where the contact sweep looks at one a millisecond.
    """
    found = {}
    for name, gait in GAITS.items():
        experiment = PlatelessExperiment(HexapodParams(), gait, Flat(), preset)
        mujoco = hexapod_mujoco.simulate(experiment, SECONDS, every=1)
        exact, stride = _exact(name, find(preset).timestep), gait.cycle_time
        error = compare(exact, mujoco, stride)
        raw = np.sqrt(np.mean(error.normal**2 + error.tangential**2) / np.mean(error.load**2))
        shift, left = decomposition.shifted(exact, mujoco, stride)
        parts = decomposition.shares(exact, mujoco, stride)
        found[name] = {"raw": float(raw), **parts, "shift": shift, "left": left}
    return found


def walkers(preset: str | Preset, sizes: tuple[int, ...] = (6, 8, 12)) -> dict[str, Walk]:
    """Return multipods of these sizes that undulate, and BigANT."""
    found = {}
    for n_legs in sizes:
        gait = gaits.make("undulation", n_legs, frequency=0.5)
        found[f"multipod, {n_legs} legs"] = Walk("", MultipodParams(n_legs=n_legs), gait, n_periods=2, preset=preset)
    bigant = BigAntParams()
    return found | {"BigANT": Walk("", bigant, ROBOTS["bigant"].gait(bigant), n_periods=2, preset=preset)}


def bent_without_contact(walk: Walk) -> float:
    """Return the share of frames, of those with a foot's spring bent, in which the ground does not push that foot."""
    seen = record(walk)
    force = seen["foot_force"].values[..., 2]
    sag = (seen["foot_position_b"].values - seen["unloaded_foot_position_b"].values)[..., 2]
    bent = sag * walk.stiffness > BENT * walk.weight / force.shape[1]
    return float(np.mean(force[bent] <= 0))
