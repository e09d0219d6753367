"""The integration methods: tableaux as data, one entry of METHODS each.

The order of `error` sets the exponent of the step size control, 1 / (error_order + 1).
"""

from dataclasses import dataclass, field

import numpy as np

from . import tableau_dop853 as dop853
from . import tableau_rodas5p as rodas5p


@dataclass(frozen=True)
class Method:
    """An embedded Runge-Kutta or Rosenbrock method with dense output."""

    name: str
    order: int  # of the solution that is carried on
    error_order: int  # of the embedded one the error estimate comes from
    n_stages: int
    n_rows: int  # stages kept, with those for the dense output
    n_dense: int  # rows of dense-output coefficients
    file: str  # of the kernel: its error estimate and dense output
    polish: bool  # re-compute events with a full step
    arrays: dict[str, np.ndarray] = field(repr=False)  # what the kernel calls them: A B C and E P, or E3 E5 D
    source: str = ""
    gamma: float = 0.0  # of a Rosenbrock method, whose stages are solutions of linear systems; explicit methods: 0

    @property
    def exponent(self) -> float:
        """Exponent of the step control."""
        return 1.0 / (self.error_order + 1)


def _square(rows: list[list[float]]) -> np.ndarray:
    table = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


DOP853 = Method(
    "dop853",
    order=8,
    error_order=7,
    n_stages=12,
    n_rows=16,
    n_dense=7,
    file="dense_dop853",
    polish=True,
    arrays={name: getattr(dop853, name) for name in ("A", "B", "C", "D", "E3", "E5")},
    source="Hairer, Norsett & Wanner (1993), section II.5",
)

DOPRI5 = Method(
    "dopri5",
    order=5,
    error_order=4,
    n_stages=6,
    n_rows=7,
    n_dense=4,
    file="dense_quartic",
    polish=False,
    arrays={
        "A": _square(
            [
                [],
                [1 / 5],
                [3 / 40, 9 / 40],
                [44 / 45, -56 / 15, 32 / 9],
                [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
                [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
            ]
        ),
        "B": np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
        "C": np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1]),
        "E": np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40]),
        "P": np.array(
            [
                [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
                [0, 0, 0, 0],
                [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
                [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
                [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
                [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
                [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
            ]
        ),
    },
    source="Dormand & Prince (1980); dense output Shampine (1986)",
)

# SimSect's class of method: an embedded 2(3) pair, which is what its default exponent 0.33 belongs to.
RK23 = Method(
    "rk23",
    order=3,
    error_order=2,
    n_stages=3,
    n_rows=4,
    n_dense=4,
    file="dense_quartic",
    polish=False,
    arrays={
        "A": _square([[], [1 / 2], [0, 3 / 4]]),
        "B": np.array([2 / 9, 1 / 3, 4 / 9]),
        "C": np.array([0, 1 / 2, 3 / 4]),
        "E": np.array([5 / 72, -1 / 12, -1 / 9, 1 / 8]),
        # The cubic Hermite interpolant: its fourth power is zero.
        "P": np.array([[1, -4 / 3, 5 / 9, 0], [0, 1, -2 / 3, 0], [0, 4 / 3, -8 / 9, 0], [0, -1, 1, 0]]),
    },
    source="Bogacki & Shampine (1989)",
)

# For stiff fields. Rows of stages: the field at the start, the eight solutions, the field at the end.
RODAS5P = Method(
    "rodas5p",
    order=5,
    error_order=4,
    n_stages=rodas5p.N_STAGES + 1,
    n_rows=rodas5p.N_STAGES + 2,
    n_dense=4,
    file="dense_rodas5p",
    polish=True,
    arrays={name: getattr(rodas5p, name) for name in ("A", "C", "D", "H", "TIMES")},
    source="Steinebach (2023)",
    gamma=rodas5p.GAMMA,
)

METHODS = {method.name: method for method in (DOP853, DOPRI5, RK23, RODAS5P)}
