"""The hexapod's gait as a fixed point that moves with the gait, the friction or the robot: maps for `hybrid.families`.

The section is tripod A's mid-stance, t = 0 of the clock, where the toes' modes stay the same over wide ranges of a
parameter: at the kinks of `orbit` they change. The map is half a cycle and the left-right reflection; the coordinates
are those of `orbit`, in its units. Where the modes at mid-stance change, the coordinates do, and a family ends.

The derivative is exact, along a few directions per run: z and the parameter move start, gait and end. With x' = f, an
end at time T(p) moves by f T_p besides.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.compilation.rebuild import interpreted
from tarsus.analytic.hybrid import Simulator, Status, compile
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence, Tangent
from tarsus.analytic.hybrid.directions import Directions
from tarsus.analytic.hybrid.expand import to_functions
from tarsus.analytic.hybrid.families import Family, FamilyEnd, follow
from tarsus.analytic.models.hexapod import hybrid
from tarsus.analytic.models.hexapod.orbit import (
    N_DIRECTIONS,
    REL_STEP,
    RTOL,
    free_entries,
    heading,
    in_heading_frame,
    mirrored,
    moved,
)
from tarsus.analytic.models.hexapod.parameters import HexapodParams
from tarsus.analytic.models.hexapod.state import NAMES, QUATERNION, SCALE, lifted
from tarsus.analytic.spelling import listed
from tarsus.analytic.terrain import Flat

PARAMETERS = ("cycle_time", "sweep_angle", "friction_coeff")  # [s] at constant duty, [rad], Coulomb's
SPREAD = 10.0  # of the coordinates along a family
TOL = 1e-6  # of a fixed point; the map's own error is 1e-9
RESETTLED = 10.0  # seconds of walking with other modes
UNSETTLED = 0.05  # from here Newton's method is on its own
# Of runs with derivatives. Where a slow toe grips, an error of its speed comes back a thousandfold in the event's time.
SETTINGS = {"rtol": 1e-8, "atol": 1e-8 * SCALE, "zeno": False}


def lifted_by(x: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the Jacobian of `lifted` by z at the state x, shape (52, k)."""
    by, tilt = np.zeros((x.size, len(free))), slice(QUATERNION + 1, QUATERNION + 3)
    by[free, np.arange(len(free))] = SCALE[free]
    by[QUATERNION] = -(x[tilt] @ by[tilt]) / x[QUATERNION]
    return by


def moves(name: str, gait: TripodGait) -> dict[str, float]:
    """Return the derivative of the engine's parameters by one of `PARAMETERS`; the flight keeps its share of the cycle.

    Raises:
        ValueError: If there is no such parameter.
    """
    if name not in PARAMETERS:
        raise ValueError(f"unknown parameter {name!r}; known: {listed(name, PARAMETERS)}")
    share = 1.0 - gait.slow_time / gait.cycle_time
    return {name: 1.0} | ({"flight_time": share} if name == "cycle_time" else {})


@dataclass(frozen=True, eq=False)
class GaitMap:
    """The map from one mid-stance to the next, as a function of (z, p); `settled` makes one.

    Attributes:
        name: What p is, of `PARAMETERS`.
        gait: The gait, but for p.
        numbers: The engine's parameters, but for p.
        chart: At mid-stance.
        d0: Memory there.
        z0: Coordinates of the settled run, shape (k,).
    """

    sim: Simulator
    name: str
    gait: TripodGait
    numbers: np.ndarray
    chart: int
    d0: np.ndarray
    z0: np.ndarray
    derivatives: list[Derivatives] = field(default_factory=list)  # compiled when first asked for

    @property
    def free(self) -> np.ndarray:
        """Entries of the state that are coordinates, shape (k,)."""
        return free_entries(self.chart)

    def cycle_time(self, p: float) -> float:
        """Return the gait's cycle time [s]."""
        return p if self.name == "cycle_time" else self.gait.cycle_time

    def params(self, p: float) -> np.ndarray:
        """Return the engine's parameters, shape (n_params,)."""
        names, values = self.sim.model.param_names, self.numbers.copy()
        first = values[names.index(self.name)]
        for name, rate in moves(self.name, self.gait).items():
            values[names.index(name)] += rate * (p - first)
        return values

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return the coordinates (k,) of a state (52,), which may stand anywhere."""
        return (in_heading_frame(x) / SCALE)[self.free]

    def lift(self, z: np.ndarray) -> np.ndarray:
        """Return the state (52,), in its heading frame, at coordinates z (k,)."""
        return lifted(z, self.free)

    def half(self, z: np.ndarray, p: float):
        """Return the engine's result of half a cycle from z (k,)."""
        settings = {"rtol": RTOL, "atol": RTOL * SCALE, "zeno": False, "record_period": None}
        end = 0.5 * self.cycle_time(p)
        return self.sim.run(self.lift(z), self.d0, self.params(p), chart=self.chart, final_time=end, **settings)

    def __call__(self, z: np.ndarray, p: float) -> np.ndarray:
        """Return the coordinates after z, shape (k,); NaN where the robot goes down or the toes' modes are others."""
        if not np.all(np.isfinite(z)):
            return np.full(len(z), np.nan)
        r = self.half(z, p)
        same = np.array_equal(free_entries(mirrored_modes(r.chart_end)), self.free)
        return self.project(mirrored(r.x_end)) if r.status is Status.FINAL_TIME and same else np.full(len(z), np.nan)

    def speed(self, z: np.ndarray, p: float) -> float:
        """Return the forward speed [m/s] of the half cycle from z (k,)."""
        r = self.half(z, p)
        middle = 0.5 * heading(r.x_end)  # a gait turns left and right by the same angle
        return float(moved(np.pad(r.x_end[:2], (0, 50)), (0, 0), -middle)[1] / r.t_end)

    def walked(self, x: np.ndarray, p: float, seconds: float, start: dict | None = None) -> GaitMap:
        """Return the map after so long a walk from a state (52,) at mid-stance.

        Raises:
            ValueError: If the robot falls, or its strides still differ.
        """
        n, period = int(np.ceil(seconds / self.cycle_time(p))), self.cycle_time(p)
        start = {"chart": self.chart, "d0": self.d0} if start is None else start
        settings = {"record_period": None, "rtol": 1e-8, "atol": 1e-8 * SCALE}
        r = self.sim.run(x, params=self.params(p), final_time=n * period, **start, **settings)
        if r.status is not Status.FINAL_TIME:
            raise ValueError(f"the robot does not walk {n} strides: {r.message}")
        d = r.d_end.copy()
        for i, entry in enumerate(self.sim.model.memory_names):
            d[i] -= n if entry.startswith("turn") else n * period if entry.startswith("released") else 0.0
        made = replace(self, chart=int(r.chart_end), d0=d)
        made = replace(made, z0=made.project(r.x_end))
        if not np.abs(made(made.z0, p) - made.z0).max() < UNSETTLED:
            raise ValueError(f"the robot walks {n} strides, and the next one still differs from the last")
        return made

    def derivative(self, z: np.ndarray, p: float) -> np.ndarray:
        """Return the derivatives by z and p, shape (k, k + 1); NaN where they do not exist."""
        if not self.derivatives:
            self.derivatives.append(Derivatives(self.sim.model, N_DIRECTIONS, rel_step=REL_STEP))
        k, x = len(self.free), self.lift(z)
        by_x, by_p = np.pad(lifted_by(x, self.free), ((0, 0), (0, 1))), np.zeros((self.numbers.size, k + 1))
        for name, rate in moves(self.name, self.gait).items():
            by_p[self.sim.model.param_names.index(name), k] = rate
        names = (*(NAMES[i] for i in self.free), self.name)
        by = Directions(names, by_x, np.zeros((self.d0.size, k + 1)), by_p)
        return np.hstack([self._along(x, v, p) for v in by.passes(N_DIRECTIONS)])[:, : k + 1]

    def _along(self, x: np.ndarray, v: Directions, p: float) -> np.ndarray:
        """Return the derivatives along N_DIRECTIONS directions, shape (k, N_DIRECTIONS)."""
        end = 0.5 * self.cycle_time(p)
        run = self.derivatives[0].run(v, x, self.d0, self.params(p), chart=self.chart, final_time=end, **SETTINGS)
        if run.existence is not Existence.EXISTS:
            return np.full((len(self.free), N_DIRECTIONS), np.nan)
        at = self._moved_end(run.end, int(run.result.chart_end), v.p) if self.name == "cycle_time" else run.end
        return at.measure(lambda t, x, d, p: self.project(mirrored(x)))[1]

    def _moved_end(self, end: Tangent, chart: int, by_p: np.ndarray) -> Tangent:
        """Return the end at half a cycle, which moves with the cycle's time."""
        rate = np.zeros(end.x.size)
        interpreted(to_functions(self.sim.model).field)(end.t, end.x, end.d, end.p, chart, rate)
        late = 0.5 * by_p[self.sim.model.param_names.index("cycle_time")]
        return replace(end, x_by=end.x_by + np.outer(rate, late))


def mirrored_modes(chart: int) -> int:
    """Return the toes' modes of a chart with every leg swapped for the one across."""
    toes = chart & 0xFFF
    return (toes >> 6) | (toes & 0x3F) << 6


def settled(
    name: str, p: float, params: HexapodParams | None = None, gait: TripodGait | None = None, seconds: float = 20.0
) -> GaitMap:
    """Return the map of a gait that walks from rest, and has settled.

    Args:
        name: The parameter, of `PARAMETERS`.
        p: Its value.
        params: The robot.
        gait: The gait, but for p.
        seconds: Of walking.

    Raises:
        ValueError: If the robot falls.
    """
    params, gait = params or HexapodParams(), gait or TripodGait()
    sim = compile(hybrid.build(params, Flat(), "open-loop", gait=gait))
    model = sim.model
    made = GaitMap(sim, name, gait, model.p0.copy(), 0, model.d0.copy(), np.zeros(0))
    return made.walked(model.x0, p, seconds, start={"chart": None, "d0": None})


def walk_through(
    made: GaitMap, p: float, bounds: tuple[float, float], direction: int, hop: float, **settings: Any
) -> list[Family]:
    """Follow a gait through changes of the toes' modes at mid-stance: a family for each stretch without one.

    At the end of a stretch the robot walks on with p a little further and settles in the new modes; where it does not,
    its gait is no longer stable, and the last family is the last one.

    Args:
        made: The map, settled at p.
        p: Where to begin.
        bounds: Of the parameter.
        direction: +1 or -1.
        hop: How far beyond the end of a stretch the robot walks on.
        **settings: Of `families.follow`.
    """
    found = []
    while True:
        scale = (*np.full(len(made.z0), SPREAD), bounds[1] - bounds[0])
        family = follow(made, made.z0, p, bounds=bounds, direction=direction, scale=scale, tol=TOL,
                        derivative=made.derivative, **settings)  # fmt: skip
        found.append(family)
        if family.status in (FamilyEnd.BOUND, FamilyEnd.BIFURCATION) or not len(family.p):
            return found
        p = family.p[-1] + direction * hop
        if not bounds[0] < p < bounds[1]:
            return found
        try:
            made = made.walked(made.lift(family.z[-1]), p, RESETTLED)
        except ValueError:
            return found
