"""The hexapod's gait as a fixed point of its stride map on flat ground, in coordinates of the robot's heading frame.

The clock repeats after a stride, and the machine is invariant to position and heading, so a gait repeats only up to a
translation and a rotation: three neutral directions. The heading frame has its origin on the ground below the body's
centre and turns with its heading; in it the state is

    (height, tilt 2, velocity 3, angular velocity 3, and of each toe what its mode leaves free:
     all six numbers in flight, position and velocity along the ground while it slides, position while it sticks)

taken just after tripod A ends its slow phase, an event of the clock and therefore at a fixed time. The rest of the
state is constrained there (toes on the ground) or neutral (position, heading, quaternion norm, energy counters).
A gait with equal sides maps to itself after half a stride and a left-right reflection: the half-stride map.

Source: Guckenheimer & Holmes, Nonlinear Oscillations (1983), 1.5, for return maps and multipliers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...clock import TripodGait
from ...hybrid import Simulator, Status, sections
from ...hybrid.derivatives import Derivatives
from ...terrain import Flat
from . import hybrid
from .layout import Variants
from .parameters import N_LEGS, HexapodParams
from .state import NAMES, QUATERNION, SCALE, TOES, WORK, lifted, toes_of
from .toes import toe_mode

SECTION = "kink_0"  # tripod A's clock; the event of the other tripod is its mirror image
MIRROR_SECTION = "kink_3"
# Step of the finite differences, for a friction that fades below 3 mm/s.
REL_STEP = 1e-5
N_DIRECTIONS = 4  # of a run with derivatives: one number for all that walks, so that it is compiled once
RTOL = 1e-10  # of the runs behind a map: Newton's residual reaches 1e-9, and differences keep seven digits
OTHER_SIDE = (np.arange(N_LEGS) + N_LEGS // 2) % N_LEGS  # the leg across
BODY = np.array([2, 4, 5, 7, 8, 9, 10, 11, 12])  # entries of the state: height, tilt, velocities
FREE_OF_MODE = (np.arange(6), np.array([0, 1]), np.array([0, 1, 3, 4]))  # a toe's free entries: flight, stick, slide


def turned(angle, vectors) -> np.ndarray:
    """Return vectors (..., 3) turned about the vertical by an angle [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return vectors @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def heading(x) -> float:
    """Return the heading of a state [rad], left positive: what remains of its rotation without the tilt.

    The rotation is a tilt about a horizontal axis followed by this turn about the vertical.
    """
    return 2.0 * np.arctan2(x[QUATERNION + 3], x[QUATERNION])


def moved(x, shift, turn: float) -> np.ndarray:
    """Return a state (n,) turned about the vertical axis through the origin [rad], then shifted by (2,) [m]."""
    y = np.array(x, float)
    c, s = np.cos(0.5 * turn), np.sin(0.5 * turn)
    w, a, b, k = x[QUATERNION : QUATERNION + 4]
    y[:3] = turned(turn, x[:3])
    y[QUATERNION : QUATERNION + 4] = c * w - s * k, c * a - s * b, c * b + s * a, c * k + s * w
    y[7:10] = turned(turn, x[7:10])
    y[:2] += shift
    toes, old = y[TOES:WORK].reshape(N_LEGS, 2, 3), np.stack(toes_of(x), axis=1)
    toes[:] = turned(turn, old)
    toes[:, 0, :2] += shift
    return y


def in_heading_frame(x) -> np.ndarray:
    """Return a state (n,) in its heading frame: body above the origin, heading zero, counters zero."""
    x = np.asarray(x, float)
    turn = -heading(x)
    y = moved(x, -turned(turn, x[:3])[:2], turn)
    y[QUATERNION : QUATERNION + 4] *= np.sign(y[QUATERNION]) / np.linalg.norm(y[QUATERNION : QUATERNION + 4])
    y[WORK:] = 0.0
    return y


def mirrored(x) -> np.ndarray:
    """Return a state (n,) reflected in the plane x = 0, every leg swapped with the opposite one."""
    y = np.array(x, float)
    y[[0, 5, 6, 7, 11, 12]] *= -1.0
    toes = y[TOES:WORK].reshape(N_LEGS, 2, 3)
    toes[:] = toes[OTHER_SIDE] * [-1.0, 1.0, 1.0]
    return y


def free_entries(chart: int) -> np.ndarray:
    """Return the entries of the state that are coordinates of the section in a chart's toe modes, shape (k,)."""
    toes = [TOES + 6 * leg + FREE_OF_MODE[toe_mode(chart, leg)] for leg in range(N_LEGS)]
    return np.concatenate([BODY, *toes])


@dataclass(frozen=True, eq=False)
class StrideMap:
    """The stride map of a gait on its section, in coordinates z = state / SCALE, shape (k,)."""

    sim: Simulator
    p: dict[str, float]
    gait: TripodGait
    t0: float  # of the section [s]
    chart: int
    x0: np.ndarray  # (52,) where the settled run met the section, heading frame
    d0: np.ndarray

    @property
    def free(self) -> np.ndarray:
        """Entries of the state that are coordinates, shape (k,)."""
        return free_entries(self.chart)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(NAMES[i] for i in self.free)

    @property
    def z0(self) -> np.ndarray:
        """Coordinates of the settled run, a start for Newton's method, shape (k,)."""
        return self.project(self.x0)

    def project(self, x) -> np.ndarray:
        """Return the coordinates (k,) of a state (52,), which may stand anywhere."""
        return (in_heading_frame(x) / SCALE)[self.free]

    def lift(self, z) -> np.ndarray:
        """Return the state (52,) in the heading frame that has coordinates z (k,)."""
        return lifted(z, self.free)

    def run(self, z, *, half: bool, **settings):
        """Return the engine's result of one pass through the map, and the end state, reflected after half a stride."""
        r = sections.return_to(
            self.sim, self.section(half), self.lift(z), self.d0, self.p, **self.start(half), **settings
        )
        return r, mirrored(r.x_end) if half else r.x_end

    def start(self, half: bool) -> dict[str, Any]:
        """Return the arguments of a run through the map: when and in which chart it starts, and where it ends."""
        count = n_kinks(self.gait, 0.5 if half else 1.0)
        settings = {"rtol": RTOL, "atol": RTOL * SCALE, "zeno": False, "final_time": self.t0 + 2 * self.gait.cycle_time}
        return {"chart": self.chart, "t0": self.t0, "count": count} | settings

    @staticmethod
    def section(half: bool) -> str:
        """Return the guard that ends a pass."""
        return MIRROR_SECTION if half else SECTION

    def half(self, z) -> np.ndarray:
        """Return the half-stride map of z with its reflection, shape (k,); NaN where the robot falls."""
        return self._map(z, True)

    def full(self, z) -> np.ndarray:
        """Return the stride map of z, shape (k,); NaN where the robot falls."""
        return self._map(z, False)

    def _map(self, z, half: bool) -> np.ndarray:
        z = np.asarray(z, float)
        if not np.all(np.isfinite(z)):
            return np.full(z.shape, np.nan)
        r, x = self.run(z, half=half)
        return self.project(x) if r.status is Status.STOPPED else np.full(z.shape, np.nan)


def n_kinks(gait: TripodGait, cycles: float = 1.0) -> int:
    """Return the number of kinks of a leg's clock in so many cycles, at most one, before the end of its slow phase.

    That is where its blend begins, if its corners are blended.
    """
    duty = gait.slow_time / gait.cycle_time
    kinks = np.unique([side * 0.5 * (duty + width) for width in (gait.blend, -gait.blend) for side in (1, -1)])
    end = 0.5 * (duty - gait.blend)
    return int(np.sum(np.where(kinks > end, kinks - 1.0, kinks) > end - cycles))


def derivatives_of(params: HexapodParams | None = None) -> Derivatives:
    """Return the walking hexapod with derivatives along `N_DIRECTIONS`; its chart and parameters come with a run."""
    return Derivatives(hybrid.build(params or HexapodParams(), Flat(), "open-loop"), N_DIRECTIONS, rel_step=REL_STEP)


def settle(
    sim: Simulator, params: HexapodParams, gait: TripodGait, n_strides: int = 20, *, variants: Variants | None = None
) -> StrideMap:
    """Walk from rest until the gait has settled, and return the stride map around that state.

    Args:
        sim: The compiled hexapod on flat ground.
        params: The robot.
        gait: The gait.
        n_strides: Number of strides; more of them leave Newton's method less to do.
        variants: Of the model.

    Raises:
        ValueError: If the robot falls before that.
    """
    model = hybrid.build(params, Flat(), "open-loop", gait=gait, variants=variants)
    p = dict(zip(model.param_names, model.p0, strict=True))
    count = n_kinks(gait) * n_strides + 1
    r = sections.return_to(sim, SECTION, model.x0, None, p, count=count, rtol=1e-8, atol=1e-8 * SCALE)
    if r.status is not Status.STOPPED:
        raise ValueError(f"the robot does not walk {n_strides} strides: {r.message}")
    return StrideMap(sim, p, gait, r.t_end, r.chart_end, in_heading_frame(r.x_end), r.d_end)
