"""The table of docs/slip_leg.md: the articulated leg in the hybrid model and in MuJoCo, side by side.

Usage: tarsus page slip_leg [--write]. Runtime: about a minute, once everything is compiled.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.controllers.slip import SlipControl
from tarsus.mjcf.slip_leg import PRESETS
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.machines import slip_leg_exact as runs
from tarsus.scripts.library.machines.slip_leg_mujoco import simulate as mujoco_run

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
    plain, regulated = runs.SlipLegExperiment(), runs.SlipLegExperiment(control=REGULATED)
    made = [row("hybrid", runs.simulate(plain, N_STEPS))]
    made += [row("MuJoCo, timestep 2e-5", mujoco_run(plain, N_STEPS, preset=FINE))]
    made += [row("MuJoCo, `reference`", mujoco_run(plain, N_STEPS))]
    made += [row("the same, energy regulated", mujoco_run(regulated, N_STEPS))]
    made += [row("MuJoCo, `rl`, torque held 2 ms, regulated", mujoco_run(regulated, N_STEPS, preset="rl", every=4))]
    made += [row("the same, held 4 ms", mujoco_run(regulated, N_STEPS, preset="rl", every=8))]
    without = runs.SlipLegExperiment(control=SlipControl(compensate=0.0))
    made += [row("hybrid, no compensation", runs.simulate(without, N_STEPS))]
    return [*made, row("MuJoCo, `reference`, no compensation", mujoco_run(without, N_STEPS))]


def tables() -> Page:
    """Return the table, and what its energy is."""
    head = ("run", "touchdown 1 [s]", "stance 1 [s]", "impact loss 1 [J]", "impulse 1 after 20 ms [N s]")
    table = Table((*head, "apexes [m]", "energy at the end [%]", "steps"), rows())
    return Page(table, "Energy is that of the mass centre at the last apex against the first.")
