"""The hexapod's fastest gait by its gradient: sequential linear programming over exact derivatives of walks from rest.

One run gives a walk from rest with its derivatives by the gait, through every event: the speed of the last stride, and
the tilt at the clock's kinks while the robot starts, which decides whether it falls. A linear program (SciPy) makes the
most of the speed within a trust region and keeps the tilt; if the robot then walks faster the step is taken, else the
region shrinks. Walks that fall end early and cost little.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import linprog

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid.derivatives import DerivedRun, Existence
from tarsus.analytic.hybrid.directions import Directions, along, pick
from tarsus.analytic.models.hexapod import HexapodParams, hybrid
from tarsus.analytic.models.hexapod.orbit import MIRROR_SECTION, SECTION, derivatives_of
from tarsus.analytic.models.hexapod.state import QUATERNION, SCALE
from tarsus.analytic.terrain import Flat
from tarsus.scripts.library.search.design import moves, speed_between
from tarsus.scripts.library.search.gait_proof import JUDGED, SECONDS, ExactWalk, ways

# Derivatives take the steps of the state: good to 1e-3 where a torque reaches its limit within one, enough for a step.
SETTINGS = {"rtol": 1e-8, "atol": 1e-8 * SCALE, "looser": np.inf, "zeno": False}
STARTING = 5  # cycles in which the tilt is watched
TILT = 0.35  # that a gait may start with [rad]; the fastest ones that are known to walk from rest reach .4
NEARLY = 0.05  # variation of the last strides of a gait that is passed through, though it is not steady itself
RADIUS, LEAST_RADIUS = 0.05, 1e-3  # of the trust region, shares of the ranges
LONGER, SHORTER, TRUSTED = 2.0, 0.4, 0.5  # of the region, and the share of the predicted gain from which it grows


@dataclass(frozen=True)
class DerivedWalk:
    """A walk from rest: how it went, and if it is steady its speed and tilts with their derivatives by the gait."""

    walk: ExactWalk
    strides: float  # that were run
    speed_by: np.ndarray = field(default_factory=lambda: np.full(4, np.nan))
    upright: np.ndarray = field(default_factory=lambda: np.zeros(0))  # cosines of the tilt at kinks, shape (m,)
    upright_by: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))


class RestWalks:
    """Walks of a robot from rest, with derivatives.

    `gait_at` makes a gait of a point (4,): cycle time [s], duty, sweep and offset [rad].
    """

    def __init__(self, params: HexapodParams, gait_at: Callable[[np.ndarray], TripodGait]) -> None:
        self.params, self.gait_at = params, gait_at
        self.derivatives = derivatives_of(params)

    def start(self, point: np.ndarray) -> np.ndarray:
        """Return the state at rest in which a gait begins (52,): the legs stand where its clock has them."""
        return hybrid.build(self.params, Flat(), "open-loop", gait=self.gait_at(point)).x0

    def __call__(self, point: np.ndarray) -> DerivedWalk:
        gait = self.gait_at(point)
        model, v = self.derivatives.model, pick(self.derivatives.model, moves(gait))
        by_x = np.stack([along(self.start, (point,), (one,)) for one in np.eye(4)], axis=1)
        n = int(np.ceil(SECONDS / gait.cycle_time))
        run = self.derivatives.run(
            Directions(v.names, by_x, v.d, v.p), self.start(point), None,
            hybrid.build(self.params, Flat(), "open-loop", gait=gait).p0,
            stop_at=SECTION, stop_count=2 * n - 1, final_time=(n + 1) * gait.cycle_time, **SETTINGS,
        )  # fmt: skip
        strides, lasted = float(run.result.t_end / gait.cycle_time), float(run.result.t_end / (n * gait.cycle_time))
        assert model.x0.size == by_x.shape[0]
        if run.existence is not Existence.EXISTS:
            return DerivedWalk(ExactWalk(min(lasted, 0.999), 0.0, 1.0), strides)
        return replace(self._measured(run, gait, n), strides=strides)

    def _measured(self, run: DerivedRun, gait: TripodGait, n: int) -> DerivedWalk:
        ends = [run.at(SECTION, k) for k in range(0, 2 * n - 1, 2)]  # a leg's clock has two kinks in a cycle
        judged = max(3, int(np.ceil(JUDGED / gait.cycle_time)))
        lengths = ways([end.x for end in ends])[-judged:]
        speed, by = speed_between(ends[-2], ends[-1], gait.cycle_time)
        tilts = [
            upright(run, name, k) for name in (SECTION, MIRROR_SECTION) for k in range(min(2 * STARTING, 2 * n - 2))
        ]
        cosines, slopes = (np.array(part) for part in zip(*tilts, strict=True))
        walk = ExactWalk(1.0, speed, float(np.ptp(lengths) / max(np.abs(lengths).max(), 1e-9)))
        return DerivedWalk(walk, 0.0, by, cosines, slopes)


def upright(run: DerivedRun, section: str, occurrence: int) -> tuple[float, np.ndarray]:
    """Return the cosine of the body's tilt at an event, and its derivatives, shape (k,)."""
    at = run.at(section, occurrence)
    a, b = at.x[QUATERNION + 1 : QUATERNION + 3]
    by = at.x_by[QUATERNION + 1 : QUATERNION + 3]
    return 1.0 - 2.0 * (a * a + b * b), -4.0 * (a * by[0] + b * by[1])


def step(made: DerivedWalk, unit: np.ndarray, widths: np.ndarray, radius: float) -> np.ndarray | None:
    """Return the step (4,) to most speed, within the ranges and a radius, that keeps the tilt; None if there is none.

    `unit` is the gait's place in the ranges, 0 to 1 each, and `widths` are theirs.
    """
    bounds = np.stack([np.maximum(-radius, -unit), np.minimum(radius, 1.0 - unit)], axis=1)
    room = np.maximum(made.upright - np.cos(TILT), 0.0)
    found = linprog(-made.speed_by * widths, -made.upright_by * widths, room, bounds=bounds)
    return found.x if found.status == 0 else None


def climb(
    walks: RestWalks, point: np.ndarray, bounds: np.ndarray, budget: float, told: Callable | None = None
) -> list[tuple[np.ndarray, DerivedWalk]]:
    """Return every gait tried on the way to the fastest one near a point (4,), which walks from rest, with its walk.

    Bounds have the shape (4, 2); after a budget of strides no step is begun. What `told` returns of each gait and its
    walk ends the climb if it is true.
    """
    widths, radius = np.ptp(bounds, axis=1), RADIUS
    best = walks(point)
    tried = [(point, best)]
    if not best.walk.steady:
        return tried
    while radius > LEAST_RADIUS and sum(made.strides for _, made in tried) < budget:
        unit = (point - bounds[:, 0]) / widths
        way = step(best, unit, widths, radius)
        if way is None:
            break
        ahead = bounds[:, 0] + np.clip(unit + way, 0.0, 1.0) * widths
        made = walks(ahead)
        tried.append((ahead, made))
        if told is not None and told(ahead, made):
            break
        gain = made.walk.speed - best.walk.speed
        if made.walk.lasted == 1.0 and made.walk.variation < NEARLY and gain > 0.0:
            radius *= LONGER if gain > TRUSTED * (best.speed_by * widths) @ way else 1.0
            point, best = ahead, made
        else:
            radius *= SHORTER
    return tried
