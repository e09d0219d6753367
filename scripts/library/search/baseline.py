"""The search for a baseline of a robot of the user's own: a table of controls over a turn, to register it with.

All actuators swing as sines of one frequency. Those that are as far along their legs share amplitude, phase and middle.
Rows of legs, from the front, have a phase each, and the left side one relative to the right, the same in all rows: what
one side does the other does later. A joint, or a tendon of several, swings the way in which it moves its foot forward,
or if it does not, upward, so that legs that are mirror images move alike.
The vector environment walks a generation at a time from rest: by default 1984 episodes of 5 s, in one to two
minutes on two cores for twelve or eighteen joints.
"""

import functools
import json
from dataclasses import dataclass, replace
from typing import Annotated

import gymnasium
import mujoco
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.envs.measure import heading
from tarsus.mjcf.own_feet import joints_to
from tarsus.mjcf.own_robot import standing
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Seed
from tarsus.scripts.library.learning import environments, robot_files
from tarsus.scripts.library.search.found import Found, Parameter
from tarsus.scripts.library.search.searches import Search, Trials

ROWS = 24  # of a table
AMPLITUDE, MIDDLE = (0.0, 0.7), (-0.3, 0.3)  # ranges, as shares of what an action of 1 adds
EPISODE = 20.0  # over which a gait's way is judged, at its mean yaw rate [s]
STILL = 1e-3  # a joint that moves its foot less does not move it [m/rad]


def rows_and_sides(task) -> tuple[np.ndarray, np.ndarray]:
    """Return of each leg its row from the front, and whether it is on the left, shape (n_feet,) both."""
    data = standing(task.model)
    at = np.array([data.site(f"foot_{leg}").xpos for leg in range(task.n_feet)])
    ahead, left = at[:, task.FORWARD], at[:, 1 - task.FORWARD] * (1.0 if task.FORWARD == 0 else -1.0) > 0
    row = np.zeros(task.n_feet, int)
    for side in (left, ~left):
        row[np.flatnonzero(side)[np.argsort(-ahead[side])]] = np.arange(side.sum())
    return row, left


def levels(task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of each actuator its leg, its place along it, and which way it swings, shape (nu,) each.

    Tendons move several joints of a leg, each by its lever arm. ValueError names an actuator that drives nothing, or
    more.
    """
    model, found, places = task.model, [], []
    data, arms = standing(model), np.zeros((model.nactuator, model.nv))
    mujoco.mju_sparse2dense(
        arms, data.actuator_moment.ravel(), data.moment_rownnz, data.moment_rowadr, data.moment_colind.ravel()
    )
    for k, (name, arm) in enumerate(zip(task.actuators, arms, strict=True)):
        driven = {int(model.dof_jntid[column]) for column in np.flatnonzero(arm)}
        for leg in range(task.n_feet if driven else 0):
            jacobian, site = np.zeros((3, model.nv)), model.site(f"foot_{leg}").id
            joints = joints_to(model, int(model.site_bodyid[site]))
            if driven <= set(joints):
                mujoco.mj_jacSite(model, data, jacobian, None, site)
                ahead, up = jacobian[[task.FORWARD, 2]] @ arm / np.linalg.norm(arm)
                found.append((leg, -1.0 if (ahead if abs(ahead) > STILL else up) < 0 else 1.0))
                places.append((min(map(joints.index, driven)), len(driven), k))
                break
        else:
            raise ValueError(
                f"the actuator {name} does not drive joints of one leg with a foot, of {list(task.config.params.feet)}"
            )
    leg, way = np.array(found).T
    level = [sum(places[j] < places[k] for j in np.flatnonzero(leg == leg[k])) for k in range(len(places))]
    return leg.astype(int), np.array(level), way


@dataclass(frozen=True)
class Shape:
    """How numbers make a table for a robot."""

    # leg, level, way: of each actuator, see `levels`
    leg: np.ndarray
    level: np.ndarray
    way: np.ndarray
    # row, left: of each leg, see `rows_and_sides`
    row: np.ndarray
    left: np.ndarray
    rest: np.ndarray  # controls at rest, shape (nu,)
    reach: np.ndarray  # what an action of 1 adds to them, shape (nu,)
    periods: tuple[float, float]  # least and greatest period of a turn [s]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Of the numbers: period, amplitudes, phases and middles by level, phases of rows and of the left side."""
        levels, rows = range(self.level.max() + 1), range(1, self.row.max() + 1)
        share = "of an action of 1"
        return (
            Parameter("period", *self.periods, "s"),
            *(Parameter(f"amplitude of joint {k}", *AMPLITUDE, share) for k in levels),
            *(Parameter(f"phase of joint {k}", 0.0, 1.0, "turn") for k in levels),
            *(Parameter(f"middle of joint {k}", *MIDDLE, share) for k in levels),
            *(Parameter(f"phase of row {k}", 0.0, 1.0, "turn") for k in rows),
            Parameter("phase of the left side", 0.0, 1.0, "turn"),
        )

    def actions(self, numbers: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Return the actions of baselines of these numbers, (n, k), at a time [s], shape (n,): (n, nu)."""
        n = self.level.max() + 1
        parts = np.split(numbers, np.cumsum([1, n, n, n]), axis=1)
        period, amplitude, phase, middle, rest = parts
        rows, side = np.hstack([np.zeros((len(numbers), 1)), rest[:, :-1]]), rest[:, -1:]
        legs = rows[:, self.row] + side * self.left
        turn = time[:, None] / period + phase[:, self.level] + legs[:, self.leg]
        return self.way * (middle[:, self.level] + amplitude[:, self.level] * np.sin(2 * np.pi * turn))

    def table(self, numbers: np.ndarray) -> np.ndarray:
        """Return the controls over a turn, shape (ROWS, nu)."""
        times = np.arange(ROWS) / ROWS * numbers[0]
        return self.rest + self.reach * self.actions(np.tile(numbers, (ROWS, 1)), times)


@dataclass(frozen=True)
class BaselineSearch(Search):
    """A search for the baseline with the highest return, from rest on flat ground.

    Attributes:
        env: A robot of the user's own, its file or MODULE:NAME, of which the module is imported.
        num_envs: Baselines in a generation.
        generations: Of the search.
        steps: Of an episode in the search, 20 ms each.
        period: Range of the period of a turn [s].
        seed: Of the search.
        threads: Of the physics; 0 is one for each processor.
    """

    env: str
    num_envs: Annotated[int, arguments.integer(8, 100_000)] = 64
    generations: Count = 30
    steps: Count = 250
    period: tuple[float, float] = (0.3, 1.5)
    seed: Seed = 0
    threads: Annotated[int, arguments.threads] = 0

    evolution = {"mutation": (0.4, 0.9)}

    @property
    def population(self) -> int:
        """Baselines in a generation."""
        return self.num_envs

    @property
    def maximised(self) -> str:
        """The reward, without that for turning."""
        return f"return of {self.steps} steps, made good"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Period, then of the joints at each place along a leg, then of rows of legs and the left side."""
        return self.shape.parameters

    def check(self) -> None:
        """Refuse what is no robot of the user's own.

        Raises:
            ValueError: If there is no such environment, or it has a baseline.
        """
        name = environments.asked_for(self.env)
        if name != "Dog-v0" and gymnasium.registry[name].entry_point != environments.OWN_ROBOT:
            raise ValueError(f"{name} is no robot of the user's own: a search is for what own_robot.register registers")
        if not 0 < self.period[0] <= self.period[1]:
            raise ValueError(f"period must be a range of seconds, its lowest first, got {self.period}")
        _ = self.shape

    @functools.cached_property
    def envs(self) -> gymnasium.vector.VectorEnv:
        """What walks a generation: without a baseline, so that actions are controls."""
        raw = {"baseline": None, "baseline_period": None, "residual_lag": 1e-9, "task": "forward"}
        settings = {"vectorization_mode": "vector_entry_point", "max_episode_steps": 10**9, "n_threads": self.threads}
        return gymnasium.make_vec(environments.asked_for(self.env), self.num_envs, **settings, **raw)

    @functools.cached_property
    def shape(self) -> Shape:
        """What makes tables of numbers."""
        task = self.envs.unwrapped.task
        return Shape(*levels(task), *rows_and_sides(task), task.rest, task.action_scale, tuple(self.period))

    def score(self, points: np.ndarray, generation: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the returns, and the speeds forward [m/s]."""
        return walked(self.envs, self.shape, points, self.steps)

    def finish(self, found: Found, trials: Trials, confirm: bool) -> Found:
        """Return the result with the table, by the names with which a robot is registered."""
        table, period, speed = self.shape.table(found.point), float(found.point[0]), float(trials.best.about)
        self.__dict__.pop("envs").close()  # another run makes others
        robot = json.dumps(robot_files.to_store(environments.asked_for(self.env)))
        made = {"baseline": table, "baseline_period": period, "speed": speed, "robot": robot}
        return replace(found, made=made, told=f"speed made good {speed:.3f} m/s")


def walked(envs, shape: Shape, numbers: np.ndarray, n_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return return and speed forward [m/s] of baselines of these numbers, (n, k), shape (n,) both; a fall ends one.

    Both are of the way that an episode of `EPISODE` makes good: a gait that turns at its mean rate goes on in an arc,
    along which `sin(angle) / angle` of the way is forward, `angle` being that by which it turns in the episode.
    """
    numbers = np.pad(numbers, ((0, envs.num_envs - len(numbers)), (0, 0)), mode="edge")
    _, info = envs.reset(seed=0)
    task, total, alive = envs.unwrapped.task, np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    path, turned, seconds = (np.zeros(envs.num_envs) for _ in range(3))
    faced, place = task.forward_axis.copy(), task.here.copy()
    for _ in range(n_steps):
        actions = np.clip(shape.actions(numbers, info["time"]), -1.0, 1.0)
        _, reward, terminated, _, info = envs.step(actions.astype(np.float32))
        total += np.where(alive, reward, 0.0)
        now, ahead = task.forward_axis.copy(), np.vecdot(task.here - place, heading(task.rotation, task.FORWARD))
        path, seconds = path + np.where(alive, ahead, 0.0), seconds + np.where(alive, task.ctrl_dt, 0.0)
        (x, y), (u, v) = (faced.T, now.T)
        turned += np.where(alive, np.arctan2(x * v - y * u, x * u + y * v), 0.0)
        faced, place = now, task.here.copy()
        alive &= ~terminated
    angle = turned / np.maximum(seconds, task.ctrl_dt) * EPISODE
    straight = np.sinc(angle / np.pi)
    return total * np.where(total > 0, np.maximum(straight, 0.0), 1.0), path * straight / (n_steps * task.ctrl_dt)
