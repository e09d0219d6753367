"""A closed loop of an environment and a policy, as a deterministic map from one control period to the next.

Its state is all that the next periods follow from: the simulation with its warm start, what the environment and the
policy remember, the last observation, the clock. `state` and `restore` keep it bit for bit, in either engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.spelling import check_name
from tarsus.envs.state import State as Simulated
from tarsus.scripts.library.learning import environments, loading, playing
from tarsus.scripts.library.learning.loading import Candidate
from tarsus.scripts.library.learning.wrappers import UNSAID, Wrappers
from tarsus.scripts.library.stability import calm, displacements, remembered
from tarsus.scripts.library.stability.tangent import Chart

ENGINES = ("mujoco", "exact")
RTOL = 1e-8  # of the exact engine, at most: differences of strides are taken
ENDLESS = 10**9  # control periods: no time limit ends an episode
# Arrays of a saved state that are no coordinates of their own: the simulation, what is measured of it, and inputs.
NO_COORDINATES = (
    *("physics", "sensordata", "site_xpos", "actuator_force", "actuator_velocity"),
    *("velocity", "steps", "over", "command", "command_reach", "difficulty"),
)


class Ended(ValueError):
    """The episode of a loop ended: it fell, or what else ends an episode."""


@dataclass(frozen=True)
class State:
    """All from which a loop goes on bit for bit."""

    simulated: Simulated = field(repr=False)  # of the environment
    memory: Mapping[str, Any] = field(repr=False)  # of the policy
    observation: np.ndarray = field(repr=False)  # the last
    info: Mapping[str, Any] = field(repr=False)  # the last
    # position, shape (nq,), and `qvel`, velocity, shape (nv,), for coordinates about this state
    qpos: np.ndarray = field(repr=False)
    qvel: np.ndarray = field(repr=False)
    arrays: Mapping[str, np.ndarray] = field(repr=False)  # further coordinates by name, arrays of shape (k,)


class Loop:
    """The loop of a policy and an environment of one simulation; make it by `Loop.of`.

    Attributes:
        lines: What was left out or fixed for the loop to be deterministic, for people.
        steps_per_period: Control periods in one period of the gait; None until it was found, see `cycle`.
        ended: Why the episode ended; "" if it goes on.
    """

    def __init__(self, env: gymnasium.Env, candidate: Candidate, reset_options: Mapping[str, Any] | None = None):
        self.env, self.base, self.candidate = env, env.unwrapped, candidate
        self.lines: tuple[str, ...] = ()
        self.steps_per_period: int | None = None
        self.ended = ""
        self._options = dict(reset_options or {})
        self.chart = Chart(self.base.model, getattr(self.base.task, "FORWARD", 0))
        if self.exact:
            self.base._sim.tighten(RTOL)
        self.reset(0)

    @classmethod
    def of(
        cls,
        policy: str,
        environment: str | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        engine: str = "mujoco",
        wrappers: Wrappers = UNSAID,
    ) -> "Loop":
        """Return the loop of a policy in "mujoco" or "exact", without noise and random draws; or ValueError.

        The environment is by default the policy's own, or Hexapod-v0.
        """
        check_name("engine", engine, ENGINES)
        asked = dict(options or {}) | ({"engine": engine} if engine != "mujoco" else {})
        candidate = loading.load(policy, environment, asked, wrappers=wrappers)
        if not environments.is_simulation(candidate.environment):
            raise ValueError(f"{candidate.environment} is no simulation whose state can be restored bit for bit")
        endless = {"max_episode_steps": ENDLESS}
        env = playing.make(candidate.environment, {**candidate.options, **endless})
        changes, reset_options, lines = calm.calmed(env.unwrapped.config)
        if changes:
            env.close()
            candidate = replace(candidate, options={**candidate.options, **changes})
            env = playing.make(candidate.environment, {**candidate.options, **endless})
        playing.check_acts(candidate.name, env, candidate.make)
        loop = cls(env, candidate, reset_options)
        loop.lines = lines
        return loop

    # Episodes.

    def reset(self, seed: int) -> None:
        """Begin an episode."""
        self.policy = self.candidate.make(self.env, seed)
        self.observation, self.info = self.env.reset(seed=seed, options=self._options or None)
        self.ended = ""

    def advance(self, steps: int = 1) -> bool:
        """Continue by some control periods; return False, and do no more, once the episode has ended: see `ended`."""
        for _ in range(steps):
            if self.ended:
                return False
            action = np.asarray(self.policy(self.observation, self.info), float)
            if not np.isfinite(action).all():
                self.ended = f"the policy gave an action that is not finite: {action}"
                return False
            self.observation, _, over, cut, self.info = self.base.step(action)
            if over or cut:
                self.ended = self.info["termination"] or self.info["truncation"]
        return not self.ended

    def steady(self, seconds: float = 20.0, seed: int = 0) -> State:
        """Return the state some seconds after a start; Ended if the episode ends before."""
        self.reset(seed)
        if not self.advance(max(1, round(seconds / self.ctrl_dt))):
            raise Ended(f"{self.candidate.name} does not stay up: after {self.time:.2f} s: {self.ended}")
        return self.state()

    @property
    def ctrl_dt(self) -> float:
        """The control period [s]."""
        return self.base.ctrl_dt

    @property
    def time(self) -> float:
        """Time since the episode began [s]."""
        return float(self.base.task.data.time)

    @property
    def cycles(self) -> float | None:
        """Cycles that the environment's clock has gone, 0 where an action does not ask for it; None without a clock."""
        task = self.base.task
        if hasattr(task, "cycles"):
            return float(task.cycles)
        period = getattr(getattr(task, "corrections", None), "period", None)
        return float(task.gone) / period if period else None

    # States.

    def state(self) -> State:
        simulated, kept = self.base.get_state(), remembered.memory(self.policy)
        task = self.base.task
        arrays = {name: array[0].ravel() for name, array in simulated.arrays.items() if _is_coordinate(name, array)}
        arrays |= displacements.measured(task, self.chart.free)
        arrays |= {name: array.ravel() for name, array in remembered.numbers(kept)}
        place = task.qpos.copy(), task.qvel.copy()
        return State(simulated, kept, self.observation, self.info, *place, arrays)

    def restore(self, state: State) -> None:
        """Continue from a state, bit for bit."""
        self.base.set_state(state.simulated)
        self.base.task.refresh()  # what a policy may read of the task itself
        remembered.recall(self.policy, state.memory)
        self.observation, self.info, self.ended = state.observation, state.info, ""

    def push(self, velocity=(0.0, 0.0, 0.0), angular=(0.0, 0.0, 0.0)) -> None:
        """Add to the body's velocity, forward, left and up [m/s], and about these [rad/s], which is observed next.

        ValueError if the machine cannot move in such a direction.
        """
        task, (v, w) = self.base.task, (np.asarray(velocity, float), np.asarray(angular, float))
        if self.chart.free:
            quick, spin = self.chart.along(task.qpos, v), self.chart.about(task.qpos, w)
            task.qvel[:3] += quick
            task.qvel[3:6] += spin
        elif v[1] or w.any():
            raise ValueError("a leg on a boom or a rail moves forward and up: left and turns of a push must be 0")
        else:
            task.qvel[task.PLACE] += v[0] / task.place_scale
            task.qvel[1] += v[2]
        self.observe()

    def observe(self) -> None:
        """Measure and observe anew what was written to the simulation."""
        task = self.base.task
        task.refresh()
        self.observation, self.info = task.observe(), task.measurements() | {"termination": "", "truncation": ""}

    @property
    def exact(self) -> bool:
        """Whether its engine is the exact one."""
        return self.base.config.engine == "exact"

    @property
    def closed(self) -> tuple[str, ...]:
        """Names of feet and joints that are closed now, and cannot be displaced; none in MuJoCo."""
        return self.base._sim.closed() if self.exact else ()

    # Coordinates.

    def names_about(self, state: State) -> tuple[str, ...]:
        """Names of the coordinates about a state, shape (n,)."""
        sizes = {name: array.size for name, array in state.arrays.items()}
        more = [f"{name} {k}" if size > 1 else name for name, size in sizes.items() for k in range(size)]
        return (*self.chart.names, *more)

    def apart(self, about: State, state: State) -> np.ndarray:
        """Return the coordinates of a state about another, shape (n,)."""
        moved = self.chart.apart(about.qpos, about.qvel, state.qpos, state.qvel)
        with np.errstate(invalid="ignore"):
            more = [np.nan_to_num(state.arrays[name] - about.arrays[name], nan=0.0) for name in about.arrays]
        return np.concatenate([moved, *more])


def _is_coordinate(name: str, array: np.ndarray) -> bool:
    """Whether an array of a saved state is floating, and no input or count."""
    return array.dtype.kind == "f" and not name.startswith("_") and name not in NO_COORDINATES
