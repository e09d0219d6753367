"""The report's unexplained gain of energy at small masses, reproduced by switching its errors on.

Runtime: about a second, once the model is compiled. Source: Hauter, Leitner, Freisinger (TUM 2021), V.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.analytic.models.slip_leg_motion import com_energy
from tarsus.controllers.slip import SlipControl
from tarsus.controllers.slip_laws import D, leg_length
from tarsus.controllers.slip_parameters import DEFECTS
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.description import Experiment
from tarsus.scripts.library.machines.slip_leg import machine

MASSES = np.array([15.0, 10.0, 7.0, 5.0, 3.0, 2.0, 1.4, 1.0, 0.7, 0.5])  # of the whole leg [kg]; stiffness unchanged
CASES = {"none": (), "8": (8,), "9": (9,), "8+9": (8, 9), "10": (10,), "8+9+10": (8, 9, 10)}
ATOL = 1e-7  # J; gains of nothing are 1e-10, the error of the run, and another processor moves gains by 7e-13


def gain(mass: float, errata: tuple[int, ...]) -> tuple[float, float, float]:
    """Return energy gained per mass in one stance [J/kg], spring travel added by compensation and length lacking [m].

    It counts from the apex before to the moment after liftoff, so that later failures do not matter.
    """
    params = SlipLegParams().scaled(mass / SlipLegParams().total_mass)
    control = SlipControl(**{DEFECTS[number]: 1.0 for number in errata})
    landed = first_stance(Experiment(params, control))
    return (landed["energy"] - landed["apex_energy"]) / mass, landed["added"], control.rest_length - landed["length"]


def first_stance(experiment: Experiment) -> dict[str, float]:
    """Return energies of the mass centre at the start and after the first stance [J], and how the leg landed [m].

    `length` is from foot to mass centre at touchdown, `added` the travel of the spring that compensation asked for.
    """
    settings = {"params": machine().numbers(experiment), "record_period": None, "rtol": 1e-10}
    r = runners.simulator(machine()).run(machine().state(experiment), stop_at="liftoff", **settings)
    if r.status is not hy.Status.STOPPED:
        raise RuntimeError(f"the leg did not lift off: {r.message}")
    k = r.events.of("touchdown")[0]
    length, lost = leg_length(r.events.x_minus[k], r.p), r.events.d_plus[k, D.energy_lost]
    return {
        "apex_energy": r.events.d_plus[k, D.apex_energy],
        "energy": com_energy(r.x_end, r.p),
        "length": length,
        "added": np.copysign(np.sqrt(2 * abs(lost) / experiment.gains.stiffness), lost),
    }


def compute() -> dict[str, np.ndarray]:
    """Return the gain per stance over the mass, for several combinations of slips, and as predicted [J/kg]."""
    data = {"mass": MASSES}
    for name, errata in CASES.items():
        data[f"gain_{name}"] = np.array([gain(mass, errata)[0] for mass in MASSES])
    lacking = np.array([gain(mass, (8, 9))[1:] for mass in MASSES])
    travel, short = lacking.T
    stiffness, g = SlipControl().stiffness, SlipLegParams().g
    # The spring is loaded by travel + short instead of by travel; leaving at F = m g leaves (m g)^2 / 2 k in it.
    data["predicted_8+9"] = stiffness / MASSES * (travel * short + 0.5 * short**2)
    data["predicted_10"] = -0.5 * (MASSES * g) ** 2 / stiffness / MASSES
    return data


def draw(data, figure):
    figure.set_size_inches(8.5, 5)
    axis = figure.subplots()
    labels = {
        "none": "no slip, or erratum 8 or 9 alone",
        "8+9": "8 and 9: rest length from l0, leg lands short",
        "10": "10: lifts off at F = m g",
        "8+9+10": "8, 9 and 10, as in the report",
    }
    for (name, label), width in zip(labels.items(), (6, 6, 3, 2), strict=True):  # the last are on top, and thinner
        axis.plot(data["mass"], data[f"gain_{name}"], "o-", lw=width, ms=2 + width, alpha=0.7, label=label)
    for name in ("8+9", "10"):
        axis.plot(
            data["mass"], data[f"predicted_{name}"], "k--", linewidth=1, label="predicted" if name == "10" else None
        )
    axis.axhline(3.125, color="0.7", linewidth=1)
    axis.text(14.5, 3.17, "kinetic energy at the apex, 3.125 J/kg", fontsize=8, color="0.4")
    axis.set(xscale="log", xlabel="mass of the leg [kg], stiffness unchanged", ylabel="energy gained per stance [J/kg]")
    axis.set_xticks([0.5, 1, 2, 5, 10, 15], ["0.5", "1", "2", "5", "10", "15"])
    axis.invert_xaxis()
    axis.legend(fontsize=9)
