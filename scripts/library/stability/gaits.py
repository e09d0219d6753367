"""Gaits of the exact engine that are fixed points of a return map: of models by name, and of a robot's own clock."""

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import simplest_walker
from tarsus.analytic.models.hexapod import HexapodParams, orbit
from tarsus.analytic.models.hexapod.state import SCALE, VELOCITY
from tarsus.analytic.terrain import Flat
from tarsus.controllers.clock_gaits import CLOCK_GAITS, RHEX_FOUND
from tarsus.scripts.library.learning import policies
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.system import MapSystem

WALKER_SLOPE = 0.009  # at which the simplest walker's gaits were published [rad]
WALKER_STEP = 2e-5  # of its differences: it bends within .2
PUSHED_RTOL = 1e-6  # of runs after a push
STRIDES = 40  # that are taken before Newton's method is
PATIENCE = 3  # strides over which that distance is compared: of a complex pair it falls unevenly
SETTLES = 0.85  # factor of the distance over these, at most, for a gait that is coming to its fixed point
ARRIVED = 1e-9  # distance of two strides that is none
SLOWNESS = 1e-6  # distance of Newton's fixed point from a map's value, at most


@dataclass(frozen=True)
class Gait:
    """A gait that a return map has as its fixed point."""

    name: str  # of it
    system: MapSystem  # the map, standing there
    period: float  # of a stride; in the model's units where it has no others
    lines: tuple[str, ...] = ()  # what is to be known of it, for people
    # coordinates some strides after a change of the body's velocity ahead and to its left, shape (2,) [m/s], at the
    # section; NaN if it fell. The whole state goes on: far from the gait feet stand that do not on it. None of a gait
    # that cannot be pushed
    pushed: Callable[[np.ndarray, int], np.ndarray] | None = None


def _walker(name: str, guess: tuple[float, float]) -> Gait:
    """Return a gait of the simplest walker; just after heelstrike the stance leg's angle and rate give the rest."""
    sim, run = hy.compile(simplest_walker.build()), {"rtol": 1e-13, "atol": 1e-15, "final_time": 20.0}
    lift, project = simplest_walker.lift, simplest_walker.project
    stride = sections.return_map(sim, "heelstrike", lift, project, {"slope": WALKER_SLOPE}, chart="swing", **run)
    z = newton(name, stride, np.array(guess), WALKER_STEP)
    period = sections.return_to(sim, "heelstrike", *lift(z), {"slope": WALKER_SLOPE}, chart="swing", **run).t_end
    lines = (f"down a slope of {WALKER_SLOPE:g} rad; times in units of the root of leg length over gravity",)
    return Gait(name, MapSystem(stride, z, ("stance angle", "its rate"), np.abs(z)), float(period), lines)


def hexapod(params: HexapodParams, gait: TripodGait, name: str = "hexapod") -> Gait:
    """Return a gait of the hexapod's clock from rest, in the coordinates of `orbit`; ValueError if none repeats."""
    from tarsus.scripts.library.machines import hexapod_exact

    return of_stride(orbit.settle(hexapod_exact.simulator(Flat()), params, gait), name)


def of_stride(stride: orbit.StrideMap, name: str) -> Gait:
    """Return the gait of the hexapod that repeats near a settled stride; ValueError if none does."""
    # A gait of two tripods is its own mirror image half a stride on.
    z = newton(name, stride.half if stride.gait.phase_difference == 0.5 else stride.full, stride.z0, tol=1e-9)
    lines = ("place and heading are no coordinates, nor is what standing toes fix",)
    pushed = functools.partial(_pushed, stride, z)
    return Gait(name, MapSystem(stride.full, z, stride.names), stride.gait.cycle_time, lines, pushed)


def _pushed(stride: orbit.StrideMap, z: np.ndarray, velocity: np.ndarray, strides: int) -> np.ndarray:
    """Return `Gait.pushed`; in the heading frame y points ahead and x to the right."""
    x = stride.lift(z)
    x[VELOCITY : VELOCITY + 2] += (-velocity[1], velocity[0])
    if not strides:
        return stride.project(x)
    how = stride.start(False)
    how |= {"count": strides * how["count"], "final_time": stride.t0 + (strides + 1) * stride.gait.cycle_time}
    how |= {"rtol": PUSHED_RTOL, "atol": PUSHED_RTOL * SCALE}
    r = sections.return_to(stride.sim, stride.section(False), x, stride.d0, stride.p, **how)
    return stride.project(r.x_end) if r.status is hy.Status.STOPPED else np.full(len(z), np.nan)


def newton(
    name: str,
    stride: Callable[[np.ndarray], np.ndarray],
    guess: np.ndarray,
    step: float = 1e-4,
    tol: float = 1e-12,
    said: Callable[[str], Any] = lambda words: None,
) -> np.ndarray:
    """Return the fixed point of a stride near a guess: where strides come to, or by Newton's method; or ValueError."""
    apart, nearest = [np.inf] * PATIENCE, guess
    for k in range(STRIDES):  # a stride is one evaluation, a step of Newton's method four for each coordinate
        after = stride(guess)
        apart.append(float(np.linalg.norm(after - guess)))
        said(f"fixed point: stride {k + 1} ends {apart[-1]:.1e} from its beginning")
        if apart[-1] < ARRIVED:
            return after
        nearest = guess if apart[-1] < min(apart[:-1]) else nearest
        if not apart[-1] < SETTLES * apart[-1 - PATIENCE]:
            break
        guess = after
    count = itertools.count(1)

    def told(z: np.ndarray) -> np.ndarray:
        said(f"fixed point: Newton's method, stride {next(count)}")
        return stride(z)

    found = sections.fixed_point(told, nearest, tol=tol, step=step, max_iter=8)
    if not found.residual < SLOWNESS:
        raise ValueError(f"{name} has no gait that repeats: {found.status.value}")
    return found.z


FROM_REST = ("rhex-cheap", "rhex-fast", "rhex-pronk")
MODELS: dict[str, Callable[[], Gait]] = {
    **{
        f"hexapod-{name}": functools.partial(hexapod, HexapodParams(), gait, f"hexapod-{name}")
        for name, gait in CLOCK_GAITS.items()
    },
    **{name: functools.partial(hexapod, HexapodParams.rhex("drive"), RHEX_FOUND[name], name) for name in FROM_REST},
    "simplest-walker": lambda: _walker("simplest-walker", simplest_walker.LONG),
    "simplest-walker-short": lambda: _walker("simplest-walker-short", simplest_walker.SHORT),
}


def listed() -> str:
    """Return every name that stability may be asked of, as lines of a help."""
    return policies.listed({"orbits of the exact engine": MODELS})


def of_robot(
    path: Path, period: float | None = None, store: Store | None = None, said: Callable[[str], Any] = lambda words: None
) -> Gait:
    """Return the gait of a robot's clock in the exact engine, its fixed point kept in the store; `said` is told of it.

    A turn of the clock takes `period` [s], by default a middling one. ValueError if there is no robot that the exact
    engine has, or it does not come to a gait that repeats.
    """
    from tarsus.mjcf import own_robot
    from tarsus.scripts.library.own_robot import strides

    robot, store = own_robot.OwnRobot(path), store or Store()
    clock = strides.clock(robot, period=period)
    said("strides from rest")
    stride = strides.stride_map(robot, clock.controls, clock.period)
    return _fixed(path, clock, stride, store, said, strides.names_of_speeds(own_robot.model(robot)))


def _fixed(path: Path, clock, stride, store: Store, said: Callable[[str], Any], names_of: Sequence[str]) -> Gait:
    """Return the gait that is the fixed point of a clock's return map; coordinates are called after what most moves."""
    begin, at = stride.base.x.tolist(), np.zeros(stride.size)  # of another robot it is another
    z = np.array(
        store.part(f"fixed point {begin}", lambda: newton(path.name, stride, at, tol=ARRIVED, said=said).tolist())
    )
    most = [[names_of[k] for k in np.abs(basis).argmax(axis=0)] for basis in (stride.positions, stride.speeds)]
    names = [f"position {k}, {name}" for k, name in enumerate(most[0])]
    names += [f"speed {k}, {name}" for k, name in enumerate(most[1])]
    scale = np.where(np.arange(stride.size) < stride.positions.shape[1], 1e-2, 1e-1)
    lines = (
        f"its clock's turn takes {clock.period:g} s",
        "its clock is held for 2 ms; place, heading and what closed contacts fix are left out of its coordinates",
    )
    system = MapSystem(stride, z, names, scale, derivative=functools.partial(stride.derivative, z))
    return Gait(path.name, system, clock.period, lines)
