"""The table of docs/slip_leg.md: the articulated leg in the hybrid model and in MuJoCo, side by side.

Usage: tarsus page slip_leg [--write]. Runtime: about a minute, once everything is compiled.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from tarsus.controllers.slip import SlipControl
from tarsus.mjcf.slip_leg import PRESETS
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.slip_leg import machine

PLACE = Place("slip_leg.md", "table")
PACKAGES = ("tarsus", "mujoco", "numpy")
N_STEPS = 40
REGULATED = SlipControl(energy_gain=0.5)
FINE = replace(PRESETS["reference"], timestep=2e-5)


def row(label: str, run) -> tuple:
    """Return a line of the table."""
    steps = run.steps
    height, energy = steps["apex_height"], steps["apex_energy"]
    stance = steps["liftoff"] - steps["touchdown"]
    late = run.record.sel(time=slice(steps["touchdown"][1] + 0.02, steps["liftoff"][1]))
    impulse = float(np.trapezoid(late["foot_force"].sel(leg=0, axis="z"), late["time"]))
    return (
        label,
        f"{steps['touchdown'][1]:.6f}",
        f"{stance[1]:.6f}",
        f"{steps['energy_lost'][1]:.3f}",
        f"{impulse:.2f}",
        f"{height.min():.4f} to {height.max():.4f}",
        f"{100 * (energy[-1] / energy[0] - 1):+.2f}",
        str(run.n_steps),
    )


def rows() -> list[tuple]:
    """Return the lines of the table."""
    leg = machine()
    exact, mujoco = (functools.partial(run, leg) for run in (runners.exact, runners.in_mujoco))
    plain, regulated = leg.experiment(), leg.experiment(gains=REGULATED)
    without = leg.experiment(gains=SlipControl(compensate=0.0))
    return [
        row("hybrid", exact(plain, N_STEPS)),
        row("MuJoCo, timestep 2e-5", mujoco(plain, N_STEPS, preset=FINE)),
        row("MuJoCo, `reference`", mujoco(plain, N_STEPS)),
        row("the same, energy regulated", mujoco(regulated, N_STEPS)),
        row("MuJoCo, `rl`, torque held 2 ms, regulated", mujoco(regulated, N_STEPS, preset="rl", every=4)),
        row("the same, held 4 ms", mujoco(regulated, N_STEPS, preset="rl", every=8)),
        row("hybrid, no compensation", exact(without, N_STEPS)),
        row("MuJoCo, `reference`, no compensation", mujoco(without, N_STEPS)),
    ]


def tables() -> Page:
    """Return the table, and what its energy is."""
    head = ("run", "touchdown 1 [s]", "stance 1 [s]", "impact loss 1 [J]", "impulse 1 after 20 ms [N s]")
    table = Table((*head, "apexes [m]", "energy at the end [%]", "steps"), rows())
    return Page(table, "Energy is that of the mass centre at the last apex against the first.")
