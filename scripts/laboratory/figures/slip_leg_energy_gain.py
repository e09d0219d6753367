"""The report's unexplained gain of energy at small masses, reproduced by switching its slips on.

Runtime: about a second, once the model is compiled. Source: Hauter, Leitner, Freisinger (TUM 2021), V.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.controllers.slip import SlipControl
from tarsus.controllers.slip_parameters import DEFECTS
from tarsus.scripts.library.machines import slip_leg_exact as runs

MASSES = np.array([15.0, 10.0, 7.0, 5.0, 3.0, 2.0, 1.4, 1.0, 0.7, 0.5])  # of the whole leg [kg]; stiffness unchanged
CASES = {"none": (), "8": (8,), "9": (9,), "8+9": (8, 9), "10": (10,), "8+9+10": (8, 9, 10)}
ATOL = 1e-7  # J; gains of nothing are 1e-10, the error of the run, and another processor moves gains by 7e-13


def gain(mass: float, errata: tuple[int, ...]) -> tuple[float, float, float]:
    """Return energy gained per mass in one stance [J/kg], spring travel added by compensation and length lacking [m].

    It counts from the apex before to the moment after liftoff, so that later failures do not matter.
    """
    params = SlipLegParams().scaled(mass / SlipLegParams().total_mass)
    control = SlipControl(**{DEFECTS[number]: 1.0 for number in errata})
    landed = runs.first_stance(runs.SlipLegExperiment(params, control))
    return (landed["energy"] - landed["apex_energy"]) / mass, landed["added"], control.rest_length - landed["length"]


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
