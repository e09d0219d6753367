"""Measured impacts of a planar ellipse: their geometry, the sign in doubt, and how far laws of impact are from them.

State (x, y, theta), theta as in the data: clockwise, or x to the left. The published tangential row of the contact's
Jacobian, (1, 0, h), is of an ellipse that turns the other way; `SIGNS` says which is taken. Errors are of the
velocity after, in the metric of the kinetic energy, over the change of velocity that was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.contact.impact import LAWS
from tarsus.analytic.spelling import listed

SIGNS = {"published": +1.0, "corrected": -1.0}
FRICTIONS = tuple(np.round(np.arange(0.02, 0.301, 0.01), 2).tolist())
RESTITUTIONS = tuple(np.round(np.arange(0.40, 0.701, 0.01), 2).tolist())
STICKS = 100.0  # a friction that holds whatever the data show


@dataclass(frozen=True)
class Impacts:
    """Impacts of one body with the ground, n of them."""

    before: np.ndarray  # velocities (x, y, theta), shape (n, 3) [m/s, m/s, rad/s]
    after: np.ndarray  # the same [m/s, m/s, rad/s]
    normal: np.ndarray  # last entry of the normal row (0, 1, .) of the contact's Jacobian, shape (n,) [m]
    tangent: np.ndarray  # last entry of the tangential row (1, 0, .), shape (n,) [m]
    mass: float  # [kg]
    gyration: float  # radius of gyration [m]

    @property
    def inertia(self) -> np.ndarray:
        """Diagonal of the mass matrix, shape (3,) [kg, kg, kg m^2]."""
        return self.mass * np.array([1.0, 1.0, self.gyration**2])

    @property
    def jacobian(self) -> np.ndarray:
        """From velocities of the body to that of the contact (tangential, normal), shape (n, 2, 3)."""
        one, zero = np.ones(len(self.normal)), np.zeros(len(self.normal))
        rows = [[one, zero, self.tangent], [zero, one, self.normal]]
        return np.stack([np.stack(row, -1) for row in rows], -2)

    @property
    def mobility(self) -> np.ndarray:
        """W = J M^-1 J^T, shape (n, 2, 2) [1/kg]."""
        J = self.jacobian
        return np.einsum("nik,k,njk->nij", J, 1.0 / self.inertia, J)


def arms(theta: np.ndarray, semi_axes: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the last entries of the contact's normal and tangential rows, shapes (n,) [m].

    With the height of the centre h = sqrt(a^2 sin^2 + b^2 cos^2) over flat ground, at angles theta of the long axis to
    it, shape (n,) [rad]: -dh/dtheta, whichever way theta is counted, and h where theta turns counterclockwise, -h where
    clockwise, which is the sign.
    """
    a, b = semi_axes
    sine, cosine = np.sin(theta), np.cos(theta)
    height = np.sqrt(a**2 * sine**2 + b**2 * cosine**2)
    return -(a**2 - b**2) * sine * cosine / height, sign * height


def read(arrays: Mapping[str, np.ndarray], sign: str = "corrected", held_out: bool = True) -> Impacts:
    """Return the valid impacts of one half of the data, that no fit may see or the other, with one of `SIGNS`.

    With "published", the published rows are taken, which are of a frame before. ValueError if there is no such sign.
    """
    if sign not in SIGNS:
        raise ValueError(f"there is no sign {sign!r}; there are {listed(sign, SIGNS)}")
    chosen = arrays["valid"] & (arrays["held_out"] == held_out)
    if sign == "published":
        normal, tangent = (arrays[f"published_{row}"][chosen].astype(float) for row in ("normal", "tangent"))
    else:
        normal, tangent = arms(arrays["before"][chosen, 2], arrays["semi_axes"], SIGNS[sign])
    velocities = arrays["before"][chosen, 3:], arrays["after"][chosen, 3:]
    return Impacts(*velocities, normal, tangent, float(arrays["mass"]), float(arrays["gyration"]))


def predicted(impacts: Impacts, law: Callable, mu: float, restitution: float) -> np.ndarray:
    """Return the velocities after by a law, shape (n, 3) [m/s, m/s, rad/s]."""
    J = impacts.jacobian
    contact = np.einsum("nij,nj->ni", J, impacts.before)
    impulse = law(impacts.mobility, contact, mu, restitution)
    return impacts.before + np.einsum("nij,ni->nj", J, impulse) / impacts.inertia


def errors(impacts: Impacts, after: np.ndarray) -> np.ndarray:
    """Return the error of predicted velocities after, in percent, shape (n,)."""
    root = np.sqrt(impacts.inertia)
    missed = np.linalg.norm(root * (after - impacts.after), axis=1)
    return 100.0 * missed / np.linalg.norm(root * (impacts.after - impacts.before), axis=1)


def moment_residual(impacts: Impacts) -> np.ndarray:
    """Return the errors of the best impulse at the contact, whatever friction it needs, in percent, shape (n,).

    It is the floor of all laws, and uses none: the moment of the measured impulse, I dw = n3 P_n + d3 P_t, misses the
    measured change of spin by so much. A wrong sign of a row shows here.
    """
    change = impacts.after - impacts.before
    normal, tangential = impacts.mass * change[:, 1], impacts.mass * change[:, 0]
    inertia = impacts.inertia[2]
    missed = inertia * change[:, 2] - impacts.normal * normal - impacts.tangent * tangential
    weight = np.sqrt(inertia + impacts.mass * (impacts.normal**2 + impacts.tangent**2))
    scale = np.linalg.norm(np.sqrt(impacts.inertia) * change, axis=1)
    return 100.0 * np.abs(missed) / (weight * scale)


def fit(impacts: Impacts, law: Callable) -> tuple[float, float]:
    """Return friction and restitution of the least median error of a law that bounces, on a grid of hundredths."""
    grid = [(mu, e) for mu in FRICTIONS for e in RESTITUTIONS]
    return min(grid, key=lambda pair: np.median(errors(impacts, predicted(impacts, law, *pair))))


def study(
    arrays: Mapping[str, np.ndarray], sign: str = "corrected"
) -> dict[str, tuple[tuple[float, float], np.ndarray]]:
    """Return friction and restitution fitted on one half, and the errors of the other in percent, of every law.

    `best impulse` is the floor; `plastic, sticking` what a foot without restitution or slip would do. For the arguments
    see `read`.
    """
    seen, held_out = (read(arrays, sign, half) for half in (False, True))
    found = {"best impulse": ((np.nan, np.nan), moment_residual(held_out))}
    for name, law in LAWS.items():
        pair = (STICKS, 0.0) if name == "plastic" else fit(seen, law)
        words = "plastic, sticking" if name == "plastic" else name.replace("_", " ")
        found[words] = pair, errors(held_out, predicted(held_out, law, *pair))
    return found
