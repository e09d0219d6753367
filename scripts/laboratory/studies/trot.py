"""A trot of the example's quadruped under its servos, by every judge of contact: exact, rigid steps, soft, MuJoCo.

A clock sets the servos every hundredth of a second and holds them in between, so that all judges are given the same.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import mujoco
import numpy as np

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.simulation import Options, RunStatus, Simulation, start
from tarsus.mjcf import own_robot
from tarsus.mjcf.articulated import convert

FILE = Path(own_robot.__file__).parent / "assets" / "examples" / "quadruped.xml"
STEPPING = Path(__file__).parents[3] / "tests" / "oracles" / "contact_stepping.py"
FEET = ("FL", "FR", "RL", "RR")
OFFSETS = (0.0, 0.5, 0.5, 0.0)  # of the legs [cycle]
PERIOD, HELD = 0.5, 0.01  # of the clock; for which the servos' set-points are held [s]
SWING, LIFT, DUTY = 0.2, 0.5, 0.6  # of hips and of knees in the air [rad]; share of the cycle on the ground
MU = 0.7
ABOVE = 1e-4  # of the lowest foot over the ground at the start [m]


def clock(time: float) -> np.ndarray:
    """Return the set-points of hips and knees, leg by leg, shape (8,) [rad]."""
    phase = (time / PERIOD + np.array(OFFSETS)) % 1.0
    air = np.maximum(phase - DUTY, 0.0) / (1.0 - DUTY)
    knee = -LIFT * np.sin(np.pi * air)
    hip = SWING * np.where(phase < DUTY, 2.0 * phase / DUTY - 1.0, 1.0 - 2.0 * air) - 0.5 * knee
    return np.column_stack([hip, knee]).ravel()


def bare() -> mujoco.MjModel:
    """Return the robot without ground."""
    return mujoco.MjModel.from_xml_path(str(FILE))


def on_plane(time_constant: float, ratio: float, mu: float = MU, damping_ratio: float = 1.0) -> mujoco.MjModel:
    """Return the robot on MuJoCo's ground, of which only the feet know, as stiff and as well solved as it can be.

    Args:
        time_constant: Of `solref` [s].
        ratio: Of the time constant to the timestep.
        mu: Friction; 0 is contact of dimension one.
        damping_ratio: Of `solref`.
    """
    spec = mujoco.MjSpec.from_file(str(FILE))
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20, 20, 1])
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = (2, 1) if geom.name in FEET else (0, 0)
        geom.friction, geom.condim = [mu, 0, 0], 3 if mu else 1
        geom.solref, geom.solimp = [time_constant, damping_ratio], [0.95, 0.9999, 1e-4, 0.5, 2]
    spec.geom("floor").contype, spec.geom("floor").conaffinity = 1, 2
    option = spec.option
    option.timestep = HELD / round(HELD * ratio / time_constant)
    option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100
    option.integrator, option.solver = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtSolver.mjSOL_NEWTON
    option.tolerance, option.iterations = 1e-12, 200
    return spec.compile()


@lru_cache(maxsize=1)
def stepping() -> ModuleType:
    """Return the oracle that steps rigid and soft contact, `tests/oracles/contact_stepping.py`."""
    spec = importlib.util.spec_from_file_location("contact_stepping", STEPPING)
    module = sys.modules.setdefault("contact_stepping", importlib.util.module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


def at_start() -> np.ndarray:
    """Return the positions at the start, just above the ground, shape (15,)."""
    model = bare()
    qpos = model.qpos0.copy()
    qpos[2] += 1.0
    qpos[2] += ABOVE - mechanics(convert(model, FEET), qpos, np.zeros(model.nv)).gap.min()
    return qpos


class Exact:
    """The exact run, with the methods of a stepper."""

    def __init__(self, mu: float = MU, options: Options | None = None) -> None:
        self.robot, self.options = convert(bare(), FEET, mu=mu), options or Options(rtol=1e-8, hold_speed=1e-6)

    def start(self, qpos, qvel, ctrl) -> Exact:
        """Begin at a state."""
        self.run: Simulation = start(self.robot, qpos, np.zeros(self.robot.nv) + qvel, ctrl, options=self.options)
        return self

    def advance(self, ctrl: np.ndarray, time: float) -> np.ndarray:
        """Run to a time with these set-points and return the state, qpos and qvel."""
        self.run.set_controls(ctrl)
        if self.run.to(time) is not RunStatus.FINAL_TIME:
            raise RuntimeError(f"the exact run stopped at {self.run.time:g} s: {self.run.status.value}")
        return np.concatenate([self.run.qpos, self.run.qvel])


class Mujoco:
    """MuJoCo, with the methods of a stepper."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.data = model, mujoco.MjData(model)

    def start(self, qpos, qvel, ctrl) -> Mujoco:
        """Begin at a state."""
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = qpos, qvel, ctrl
        return self

    def advance(self, ctrl: np.ndarray, time: float) -> np.ndarray:
        """Run to a time with these set-points and return the state, qpos and qvel."""
        self.data.ctrl[:] = ctrl
        mujoco.mj_step(self.model, self.data, round((time - self.data.time) / self.model.opt.timestep))
        return np.concatenate([self.data.qpos, self.data.qvel])


def walk(judge, seconds: float, state: np.ndarray | None = None, law: Callable = clock) -> np.ndarray:
    """Return qpos and qvel at the ends of all held set-points, the start first, shape (n + 1, nq + nv).

    Args:
        judge: What runs: `Exact`, `Mujoco`, or a stepper of the oracle.
        seconds: How long.
        state: At the start, at a time at which the clock begins anew; None: at rest above the ground.
        law: Set-points as a function of time.
    """
    qpos, qvel = (at_start(), np.zeros(14)) if state is None else (state[:15], state[15:])
    judge.start(qpos, qvel, law(0.0))
    rows = [np.concatenate([qpos, qvel])]
    for k in range(round(seconds / HELD)):
        rows.append(judge.advance(law(k * HELD), (k + 1) * HELD))
    return np.array(rows)
