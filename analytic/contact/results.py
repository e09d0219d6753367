"""The results of the solvers: solutions, a status, and certificates."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from . import kernels


class SolverStatus(Enum):
    """How a frame ended; the value is a sentence."""

    SOLVED = "solved, and certified by the residual and the gap"
    NO_EQUILIBRIUM = (
        "no equilibrium: the centre of mass lies outside the feet; add feet (a belly) or hold the last pose"
    )
    NO_TRACTION = "no foot has traction: the body's velocity is undefined and given as zero"
    GAP_MISSED = "the duality gap was not reached; `gap` still bounds the excess dissipation"
    STALLED = "the support search did not end in balance, of weight or of moments; `residual` says how far it is"
    TO_ROUNDING = (
        "solved to round-off: the feet move so nearly as one body that the requested gap is finer than their velocities"
    )


STATUSES = tuple(SolverStatus)  # in the order of the kernels' codes


@dataclass(frozen=True)
class Support:
    """Loads and pose of resting bodies; leading dimensions as given.

    Heights, pitch and roll are relative to the ground's z = 0; pitch is positive nose down, roll left side up.
    """

    load: np.ndarray  # (..., n) normal force on each foot [N]; NaN without equilibrium
    height: np.ndarray  # (...) of the centre of mass [m]
    pitch: np.ndarray  # (...) [rad]
    roll: np.ndarray  # (...) [rad]
    residual: np.ndarray  # (...) imbalance over the weight, and of moments over weight times size; that of a solved
    # frame is below 2e-12, and its moments, if `tilt_unique`, within 1e-12 of the sum of load (|x| + |y|) over the feet
    code: np.ndarray  # (...) status and flags of the kernel

    @property
    def status(self):
        """The `Status`, or an array of them for a batch."""
        return np.array(STATUSES, dtype=object)[self.code & kernels.STATUS_MASK]

    @property
    def solved(self) -> np.ndarray:
        """Whether each frame was solved, to the gap asked for or to rounding, shape (...)."""
        status = self.code & kernels.STATUS_MASK
        return (status == kernels.SOLVED) | (status == kernels.TO_ROUNDING)

    @property
    def tilt_unique(self) -> np.ndarray:
        """Whether only one tilt balances, shape (...); else it is the smallest. Loads and height always are unique."""
        return (self.code & kernels.TILT_FREE) == 0


@dataclass(frozen=True)
class Motion(Support):
    """Support, body velocity and all foot forces; body frame, x forward, y left."""

    twist: np.ndarray  # (..., 3) forward and left velocity of the centre of mass [m/s], yaw rate [rad/s]
    force: (
        np.ndarray
    )  # (..., n, 3) on each foot [N], the last component its load; of feet that stick one choice of many
    dissipation: np.ndarray  # (...) power lost to friction [W]
    gap: np.ndarray  # (...) proved bound on how far the dissipation is from its least [W]; 0 for linear laws
    reference_speed: np.ndarray  # (...) of the viscous law [m/s]; NaN for others
    rounds: np.ndarray  # (...) Newton rounds of the friction law; 0 for linear laws

    @property
    def twist_unique(self) -> np.ndarray:
        """Whether only one twist balances, shape (...); else the one given is a deterministic choice."""
        return (self.code & kernels.TWIST_FREE) == 0


def support_fields(out: np.ndarray, force: np.ndarray, code: np.ndarray) -> dict[str, np.ndarray]:
    """Return the fields of `Support` from the kernel's arrays, shapes (..., columns), (..., n, 3) and (...)."""
    return {
        "load": force[..., 2],
        "height": out[..., kernels.HEIGHT],
        "pitch": out[..., kernels.PITCH],
        "roll": out[..., kernels.ROLL],
        "residual": out[..., kernels.RESIDUAL],
        "code": code,
    }


def motion(out: np.ndarray, force: np.ndarray, code: np.ndarray) -> Motion:
    """Return the kernel's arrays, of the same shapes, as a `Motion`."""
    return Motion(
        **support_fields(out, force, code),
        twist=out[..., kernels.UX : kernels.OMEGA + 1],
        force=force,
        dissipation=out[..., kernels.DISSIPATION],
        gap=out[..., kernels.GAP],
        reference_speed=out[..., kernels.REFERENCE_SPEED],
        rounds=out[..., kernels.ROUNDS],
    )
