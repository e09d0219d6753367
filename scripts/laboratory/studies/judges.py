"""Ways to the motion of a robot in contact: the exact run, rigid and soft time stepping, and MuJoCo.

A judge has `start(qpos, qvel, ctrl)` and `advance(ctrl, time)`, which returns qpos and qvel. Those of the oracle
`tests/oracles/contact_stepping.py` take MuJoCo's M, h and J, and nothing of its contact.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import mujoco
import numpy as np

from tarsus.analytic.articulated.simulation import Options, RunStatus, Simulation, start
from tarsus.mjcf.articulated import convert
from tarsus.mjcf.presets import find
from tarsus.scripts.laboratory.studies.walkers import Walker

STEPPING = Path(__file__).parents[3] / "tests" / "oracles" / "contact_stepping.py"
ACCURACY = Options(rtol=1e-8, hold_speed=1e-6)  # of the exact run


def stepping() -> ModuleType:
    """Return the oracle that steps rigid and soft contact."""
    name = STEPPING.stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, STEPPING)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


class Exact:
    """The exact run as a judge."""

    def __init__(self, walker: Walker, options: Options = ACCURACY) -> None:
        self.robot = convert(walker.model(), walker.feet, ground=walker.ground, mu=walker.mu)
        self.options = options

    def start(self, qpos, qvel, ctrl) -> Exact:
        """Begin at a state."""
        self.run: Simulation = start(self.robot, qpos, qvel, ctrl, options=self.options)
        return self

    def advance(self, ctrl: np.ndarray, time: float) -> np.ndarray:
        """Run to a time with these set-points and return qpos and qvel."""
        self.run.set_controls(ctrl)
        if self.run.to(time) is not RunStatus.FINAL_TIME:
            raise RuntimeError(f"the exact run stopped at {self.run.time:g} s: {self.run.status.value}")
        return np.concatenate([self.run.qpos, self.run.qvel])


class Mujoco:
    """MuJoCo as a judge, as stiff and as well solved as it can be, or in the preset `reference`.

    Args:
        walker: Who walks.
        time_constant: Of contact [s]; None: the preset.
        ratio: Of the time constant to the timestep.
        damping_ratio: Of contact.
    """

    def __init__(
        self, walker: Walker, time_constant: float | None, ratio: float = 40.0, damping_ratio: float = 1.0
    ) -> None:
        self.model = model = walker.model()
        touching = [model.geom(name).id for name in (*walker.feet, walker.ground)]
        model.geom_friction[touching, 0] = walker.mu
        if not walker.mu:
            model.geom_condim[touching] = 1
        if time_constant is None:
            preset = find("reference")
            preset.apply(model.opt)
            solref, solimp = preset.solref, preset.solimp
        else:
            _solved_well(model.opt, walker.held / round(walker.held * ratio / time_constant))
            solref, solimp = (time_constant, damping_ratio), (0.95, 0.9999, 1e-4)
        model.geom_solref[touching], model.geom_solimp[touching, :3] = solref, solimp
        self.data = mujoco.MjData(model)

    def start(self, qpos, qvel, ctrl) -> Mujoco:
        """Begin at a state."""
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = qpos, qvel, ctrl
        return self

    def advance(self, ctrl: np.ndarray, time: float) -> np.ndarray:
        """Run to a time with these set-points and return qpos and qvel."""
        self.data.ctrl[:] = ctrl
        mujoco.mj_step(self.model, self.data, round((time - self.data.time) / self.model.opt.timestep))
        return np.concatenate([self.data.qpos, self.data.qvel])


def _solved_well(option, timestep: float) -> None:
    option.timestep, option.cone, option.impratio = timestep, mujoco.mjtCone.mjCONE_ELLIPTIC, 100
    option.integrator, option.solver = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtSolver.mjSOL_NEWTON
    option.tolerance, option.iterations = 1e-12, 200


def rigid(walker: Walker, dt: float, law: str = "coulomb"):
    """Return Moreau's time stepping as a judge; by the law "convex" it is Anitescu's."""
    model, oracle = walker.model(), stepping()
    return oracle.Rigid(model, walker.feet, walker.mu, dt, getattr(oracle, law), model.geom(walker.ground).pos[2])


def soft(walker: Walker, law: str, time_constant: float, ratio: float = 20.0, damping_ratio: float = 1.0):
    """Return the soft contact of the oracle as a judge; `law` is "coulomb" or "convex"."""
    oracle = stepping()
    dt = walker.held / round(walker.held * ratio / time_constant)
    model, spring = walker.model(), oracle.Spring(time_constant, damping_ratio)
    height = model.geom(walker.ground).pos[2]
    return oracle.Soft(model, walker.feet, walker.mu, dt, getattr(oracle, law), spring, height)


def walk(walker: Walker, judge, seconds: float, state: np.ndarray | None = None, clock: Callable | None = None):
    """Return qpos and qvel at the ends of all held set-points, the start first, shape (n + 1, nq + nv).

    Args:
        walker: Who walks.
        judge: By whom.
        seconds: How long.
        state: At the start, at a time at which the clock begins anew; None: at rest above the ground.
        clock: Set-points as a function of time; None: the walker's.
    """
    clock = clock or walker.clock
    state = walker.at_start() if state is None else state
    nq = (len(state) + 1) // 2
    judge.start(state[:nq], state[nq:], clock(0.0))
    rows = [state]
    for k in range(round(seconds / walker.held)):
        rows.append(judge.advance(clock(k * walker.held), (k + 1) * walker.held))
    return np.array(rows)
