"""Stiffness and friction of every leg, fitted to the forces of a recording.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.1.4; Coulomb's friction is fitted here as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.contact import Feet
from tarsus.analytic.contact.fit import CoulombFit, FrictionFit, fit_coulomb, fit_friction, fit_stiffness
from tarsus.scripts.library.sliding.prediction import Measured, naive_feet, slips

LOADED = 0.01  # share of the weight that a foot must carry to count as loaded when parameters are fitted


@dataclass(frozen=True)
class Fitted:
    """Parameters fitted to measured forces. What the data do not determine is NaN."""

    stiffness: np.ndarray  # (legs,) [N/m]
    viscous: FrictionFit  # at `reference_speed`
    reference_speed: float  # mean slip speed of the loaded feet, at which the viscous law's traction is mu F [m/s]
    coulomb: CoulombFit


def fit(measured: Measured, regulariser: float = 0.1) -> Fitted:
    """Return stiffness and friction of each leg fitted to measured forces, as the paper does, and Coulomb's friction.

    Raises:
        ValueError: If there are no forces, no foot carries a load, or no loaded one ever moves over the ground.
    """
    if measured.force is None:
        raise ValueError("a recording without foot_force does not determine stiffness and friction")
    load = np.maximum(measured.force[..., 2], 0.0)
    load = np.where(load > LOADED * measured.weight, load, 0.0)
    if not load.any():
        raise ValueError(
            f"foot_force holds no load of more than {LOADED:.0%} of the weight; forces act on the feet, z up"
        )
    slip, traction = slips(measured), measured.force[..., :2]
    if not np.linalg.norm(slip, axis=-1)[load > 0].any():
        raise ValueError("no loaded foot moves over the ground, so that friction cannot be fitted")
    stiffness = fit_stiffness(measured.foot_pos, load, regulariser=regulariser, tolerance=1e-3).stiffness
    speed = _mean_speed(slip, load)
    return Fitted(stiffness, fit_friction(slip, traction, load, speed), speed, fit_coulomb(slip, traction, load, speed))


def fitted_feet(measured: Measured, regulariser: float = 0.1) -> Feet:
    """Return stiffness and anisotropic friction of each leg as `fit` finds them, for the viscous law.

    What the data do not determine keeps its naive value: tripod data say nothing of stiffness.

    Raises:
        ValueError: As `fit`.
    """
    naive, found = naive_feet(measured), fit(measured, regulariser)
    known = found.viscous.determined
    mu, w = np.where(known, found.viscous.mu, naive.mu), np.where(known[:, None], found.viscous.anisotropy, 0.0)
    stiffness = np.where(np.isnan(found.stiffness), naive.stiffness, found.stiffness)
    return Feet(stiffness, mu, measured.weight, w)


def head(found: Fitted) -> tuple[str, ...]:
    """Return the head of a table of fitted parameters, with units."""
    speed = f"{1e3 * found.reference_speed:.1f} mm/s"
    viscous = (f"viscous mu at {speed} [1]", "largest, along its axis [1]", "axis [deg]", "left over [N]")
    return ("leg", "stiffness [N/m]", *viscous, "Coulomb mu [1]", "left over [N]", "frames that slide")


def rows(found: Fitted, names: Sequence[str] | None = None) -> list[tuple[str, ...]]:
    """Return a row of fitted parameters for every leg; a dash is what the data do not determine."""
    w = found.viscous.anisotropy
    largest, axis = found.viscous.mu * (1 + np.sum(w * w, axis=-1)), np.rad2deg(np.arctan2(w[:, 1], w[:, 0]))
    axis = (axis + 90.0) % 180.0 - 90.0  # an axis has no sign
    columns = {
        "{:.0f}": (found.stiffness,),
        "{:.3f}": (found.viscous.mu, largest),
        "{:+.0f}": (axis,),
        "{:.2f}": (found.viscous.residual,),
    }
    cells = [[_cell(form, v) for v in values] for form, group in columns.items() for values in group]
    cells += [[_cell("{:.3f}", v) for v in found.coulomb.mu], [_cell("{:.2f}", v) for v in found.coulomb.residual]]
    cells.append([str(int(n)) for n in found.coulomb.frames])
    legs = names if names is not None else [str(k) for k in range(len(found.stiffness))]
    return list(zip(legs, *cells, strict=True))


def _cell(form: str, value: float) -> str:
    return form.format(value) if np.isfinite(value) else "-"


def _mean_speed(slip: np.ndarray, load: np.ndarray) -> float:
    speed = np.linalg.norm(slip, axis=-1)
    return float(np.sum(load * speed**2) / np.sum(load * speed))
