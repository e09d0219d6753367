"""Walking and running of one spring-mass model over its energy, and the forces of one leg in each.

Runtime: about 3 s, and 10 s to compile the model the first time.

Geyer, Seyfarth & Blickhan, Compliant leg behaviour explains basic dynamics of walking and running, Proc. Royal Society
B 273 (2006): 80 kg, legs of 1 m and 14 kN/m, angle of attack 69 degrees for walking; running at 65 degrees.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import families, sections
from tarsus.analytic.models import spring_walker

WALKING = (math.radians(69.0), 816.0, 0.971)  # angle of attack, an energy [J] and about the height upright [m]
RUNNING = (math.radians(65.0), 1550.0, 0.84)
N_ENERGIES, N_TIMES = 41, 101
RTOL, ATOL = 1e-6, 1e-7  # of fixed points found to 1e-10, and multipliers from differences


def upright_map(sim: hy.Simulator, angle: float):
    """Return the map from one upright stance to the next, `(z, energy) -> z'`."""
    values = {"attack_angle": angle}
    p = hy.vector(spring_walker.SpringWalker(**values))
    settings = {"chart": "single", "rtol": 1e-11, "atol": 1e-13, "final_time": 5.0}
    return families.section_map(
        sim, "upright", lambda z, e: spring_walker.lift(z, e, p), spring_walker.project, params=values, **settings
    )


def over_energy(sim: hy.Simulator, gait: tuple, energies: np.ndarray) -> dict[str, np.ndarray]:
    """Return height upright and largest modulus of a multiplier over energies (m, 2), NaN where there is no gait.

    The second column is the gait that is met at the fold; and where gaits meet, double or lose stability to a circle.
    """
    angle, energy, height = gait
    mapping, settings = upright_map(sim, angle), {"bounds": (energies[0], energies[-1]), "scale": (0.2, 0.3, 200.0)}
    up = families.follow(mapping, [height, 0.0], energy, **settings)
    family = families.follow(mapping, up.z[-1], up.p[-1], direction=-1, **settings)
    energies = energies[1:-1]  # on a bound a family only begins or ends
    heights, largest = np.full((2, energies.size, 2), np.nan)
    for i, one in enumerate(energies):
        z, multipliers = family.at(one)
        heights[i, : len(z)], largest[i, : len(z)] = z[:, 0], np.abs(multipliers).max(axis=1)
    passed = {b.kind.name.lower(): np.array([b.p, b.z[0]]) for b in family.bifurcations}
    return {"energy": energies, "height": heights, "largest": largest} | passed


def leg_force(sim: hy.Simulator, gait: tuple) -> dict[str, np.ndarray]:
    """Return one leg's vertical force over its stance [N], and the time since its touchdown [s]."""
    angle, energy, height = gait
    mapping = upright_map(sim, angle)
    orbit = sections.fixed_point(lambda z: mapping(z, energy), [height, 0.0], step=1e-5)
    p = hy.vector(spring_walker.SpringWalker(attack_angle=angle))
    x, d = spring_walker.lift(orbit.z, energy, p)
    r = sim.run(x, d, p, chart="single", final_time=3.0, record_period=1e-3, rtol=1e-11, max_charts=9)
    e, steps = r.events, r.d[:, 2]
    force = spring_walker.ground_forces(r.p, r.x, r.d, r.chart)[..., 1]
    loaded = np.where(steps == 1.0, force[:, 0], np.where(steps == 2.0, force[:, 1], 0.0))
    begin = e.t[e.d_plus[:, 2] == 1.0][0]
    lifted = ((e.name == "liftoff") & (e.d_plus[:, 2] == 1.0)) | ((e.name == "rear_liftoff") & (e.d_plus[:, 2] == 2.0))
    times = np.linspace(0.0, e.t[lifted][0] - begin, N_TIMES)
    return {"time": times, "force": np.interp(times, r.t - begin, loaded)}


def compute() -> dict[str, np.ndarray]:
    """Return both gaits' families, with bifurcations, and their forces."""
    sim = hy.compile(spring_walker.build())
    data = {}
    for name, gait, energies in (
        ("walking", WALKING, np.linspace(775.0, 845.0, N_ENERGIES)),
        ("running", RUNNING, np.linspace(1440.0, 2000.0, N_ENERGIES)),
    ):
        found = over_energy(sim, gait, energies) | leg_force(sim, gait)
        data |= {f"{name}_{key}": values for key, values in found.items()}
    return data


def draw(data, figure):
    figure.set_size_inches(12, 4.2)
    axes = figure.subplots(1, 3)
    for ax, name in ((axes[0], "walking"), (axes[1], "running")):
        energy, height = data[f"{name}_energy"], data[f"{name}_height"]
        ax.plot(energy, height, "C0--", linewidth=0.8)
        stable = np.where(data[f"{name}_largest"] < 1.0, height, np.nan)
        ax.plot(energy, stable, "C0", linewidth=2.5, label=["stable", "_"])
        for kind, marker in (("fold", "o"), ("period_doubling", "s"), ("neimark_sacker", "D")):
            if f"{name}_{kind}" in data:
                ax.plot(*data[f"{name}_{kind}"], f"k{marker}", label=kind.replace("_", " "))
        ax.set(xlabel="energy [J]", title=name.capitalize())
        ax.legend()
        axes[2].plot(data[f"{name}_time"], data[f"{name}_force"] / (80.0 * 9.81), label=name)
    axes[0].set_ylabel("height upright [m]")
    axes[2].set(xlabel="time since touchdown [s]", ylabel="force over weight", title="One leg, vertical")
    axes[2].legend()
