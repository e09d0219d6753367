"""The articulated leg's running over its angle of attack at constant energy, against the SLIP it imitates.

Runtime: about 1 min of processor time, once the models are compiled.

In stance the leg's mass centre moves like SLIP's. The difference is the impact at touchdown, which SLIP does not have.
It turns the velocity, so that the leg lands steeper for the same gait, and removes the period doubling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import families
from tarsus.analytic.models import slip
from tarsus.analytic.models.slip_leg import com_state
from tarsus.controllers.slip import SlipControl
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.slip_leg import apex_of, machine

CONTROL = SlipControl()
ANGLE = CONTROL.angle_of_attack
TEMPLATE = (math.radians(70.0), 0.62)  # an angle of SLIP's and about the apex height there [m]
# Fixed points are found to 1e-10; multipliers are differences, and are steep beside SLIP's period doubling.
RTOL, ATOL = 1e-6, 1e-6
GOLDEN = dict(n=9, steepest=79.5)


def specific_energy(params) -> float:
    """Return the energy of the wanted apex per mass [J/kg]."""
    return 0.5 * CONTROL.speed**2 + params.g * CONTROL.apex_height


def leg_map(gain: float) -> Callable:
    """Return the articulated leg's map of apex heights, `(z, angle of attack) -> z'`, with an apex law's gain."""
    experiment = machine().experiment(gains=replace(CONTROL, apex_gain=gain))
    params, sim = experiment.params, runners.simulator(machine())
    energy = specific_energy(params)

    def lift(z, angle):
        control = replace(experiment.gains, angle_of_attack=angle)
        speed = math.sqrt(2.0 * (energy - params.g * z[0]))
        return apex_of(params, control, z[0], speed), None

    def project(x, d):
        com = np.empty(4)
        com_state(x, sim.start.model.p0, com)
        return com[1:2]

    numbers = machine().numbers(experiment)
    return families.section_map(sim, "apex", lift, project, "angle_of_attack", numbers, rtol=1e-11, final_time=5.0)


def template_map() -> Callable:
    """Return the same map of the SLIP with the leg's mass, rest length and stiffness."""
    params = machine().experiment().params
    q, energy = CONTROL.rest_length, specific_energy(params)
    leg = slip.Slip(
        body_mass=params.total_mass, q_0=q, q_rt=q, q_rl=q, k=CONTROL.stiffness, spri=2.0, sprj=1.0,
        g_stance=params.g, g_flight=params.g,
    )  # fmt: skip

    def lift(z, angle):
        speed = math.sqrt(2.0 * (energy - params.g * z[0]))
        return np.array([0.0, z[0], speed, 0.0]), np.array([0.0, 0.0, 0.5 * math.pi - angle])

    settings = {"chart": "descent", "rtol": 1e-11, "final_time": 5.0}
    return families.section_map(hy.compile(slip.build("fixed", leg)), "apex", lift, lambda x, d: x[1:2], **settings)


def through(mapping: Callable, angle: float, height: float, steepest: float, n: int) -> dict[str, np.ndarray]:
    """Return both gaits over the angle (m, 2), NaN where there is none, and where they meet and double.

    The first column is the gait on which the family was entered from its shallow end.
    """
    low = angle - math.radians(3.0)
    settings = {"bounds": (low, steepest), "scale": (0.1, math.radians(8.0)), "max_step": 0.1, "min_step": 1e-4}
    down = families.follow(mapping, [height], angle, direction=-1, **settings)
    up = families.follow(mapping, [height], angle, **settings)
    angles = np.linspace(low, steepest, n)[1:-1]
    heights, slopes = np.full((2, angles.size, 3), np.nan)
    for i, one in enumerate(angles):
        found = [family.at(one) for family in (up, down)]
        z, values = (np.concatenate(part) for part in zip(*found, strict=True))
        heights[i, : len(z)], slopes[i, : len(z)] = z[:, 0], values[:, 0].real
    passed = {b.kind.name.lower(): np.array([b.p, b.z[0]]) for b in down.bifurcations + up.bifurcations}
    return {"angle": angles, "height": heights, "multiplier": slopes} | passed


def compute(*, steepest: float = 84.0, n: int = 385) -> dict[str, np.ndarray]:
    """Return apex heights and multipliers over the angle of attack [rad] of template and leg, without and with its law.

    Args:
        steepest: Greatest angle [deg].
        n: Angles.
    """
    data, limit = {}, math.radians(steepest)
    for name, mapping, angle, height in (
        ("template", template_map(), *TEMPLATE),
        ("held", leg_map(0.0), ANGLE, CONTROL.apex_height),
        ("law", leg_map(CONTROL.apex_gain), ANGLE, CONTROL.apex_height),
    ):
        data |= {f"{name}_{key}": values for key, values in through(mapping, angle, height, limit, n).items()}
    return data


def draw(data, figure):
    figure.set_size_inches(11, 4.2)
    axes = figure.subplots(1, 2)
    labels = (("template", "SLIP"), ("held", "leg, angle held"), ("law", "leg, apex law"))
    for colour, (name, label) in zip(("C0", "C1", "C2"), labels, strict=True):
        angle, height, slope = np.degrees(data[f"{name}_angle"]), data[f"{name}_height"], data[f"{name}_multiplier"]
        for ax, lines in ((axes[0], height), (axes[1], slope)):
            ax.plot(angle, lines, ".", color=colour, markersize=2, markevery=4)
            stable = np.where(np.abs(slope) < 1.0, lines, np.nan)
            ax.plot(angle, stable, color=colour, linewidth=2.5, label=[label, *"__"])
        for kind, marker in (("fold", "o"), ("period_doubling", "s")):
            if f"{name}_{kind}" in data:
                at, apex = data[f"{name}_{kind}"]
                axes[0].plot(np.degrees(at), apex, f"k{marker}")
    axes[0].set(
        xlabel="angle of attack [deg]", ylabel="apex height [m]", title="circles: folds; square: period doubling"
    )
    axes[0].legend()
    for border in (-1.0, 1.0):
        axes[1].axhline(border, color="0.7", linewidth=0.8)
    axes[1].set(xlabel="angle of attack [deg]", ylabel="multiplier", ylim=(-1.5, 3.0))
