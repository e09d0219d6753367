"""Energies of the articulated leg's mass centre over two steps: the virtual spring holds what the impact takes.

Runtime: about a second, once the model is compiled. Source: Hauter, Leitner, Freisinger (TUM 2021), figure 2.
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.slip_leg import machine

ATOL = 1e-6  # of energies to 60 J, which another processor moves by 6e-11 J


def compute() -> dict[str, np.ndarray]:
    """Return kinetic energy, energy of height and of the spring, from mid-stance on for two steps [J]."""
    experiment = machine().experiment()
    run = runners.exact(machine(), experiment, 3)
    middle = 0.5 * (run.steps["touchdown"][1] + run.steps["liftoff"][1])
    record = run.record.sel(time=slice(middle, middle + 2.0 * np.diff(run.steps["touchdown"][1:3])[0]))
    mass, stiffness = experiment.params.total_mass, experiment.gains.stiffness
    speed_squared = np.sum(record["com_velocity"].values ** 2, axis=1)
    data = {
        "time": record["time"].values,
        "kinetic": 0.5 * mass * speed_squared,
        "height": mass * experiment.params.g * record["com_position"].values[:, 2],
        "spring": 0.5 * stiffness * record["compression"].values ** 2,
        "touchdown": run.steps["touchdown"][2:4],
        "liftoff": run.steps["liftoff"][1:4],
        "lost": run.steps["energy_lost"][1:4],
    }
    return data


def draw(data, figure):
    figure.set_size_inches(9, 5)
    axis = figure.subplots()
    parts = [data[name] for name in ("height", "kinetic", "spring")]
    labels = ("height, m g z", "kinetic, m v²/2", "virtual spring, k Δl²/2")
    axis.stackplot(data["time"], *parts, labels=labels, colors=("#9ecae1", "#fdd0a2", "#a1d99b"))
    axis.plot(data["time"], sum(parts), "k", linewidth=1.5, label="sum")
    for name, style in (("touchdown", "--"), ("liftoff", ":")):
        for k, t in enumerate(data[name]):
            axis.axvline(t, color="0.3", linestyle=style, linewidth=1, label=name if k == 0 else None)
    axis.set(xlabel="t [s]", ylabel="energy of the mass centre [J]", ylim=(0, 118), xlim=data["time"][[0, -1]])
    axis.legend(loc="upper center", ncols=3, fontsize=9)
