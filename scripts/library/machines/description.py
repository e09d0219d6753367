"""A legged machine as one description, which both engines are run from (see `runners`)."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from tarsus.analytic.terrain import Flat, Terrain


@dataclass(frozen=True, eq=False)
class Experiment:
    """The experiment of a run: a machine, its controller, the ground, the start, and MuJoCo's settings."""

    params: Any
    gains: Any
    ground: Terrain = field(default_factory=Flat)
    preset: str = "reference"
    start: np.ndarray | None = None  # state, shape (2 n,); by default the machine's


class Rows(NamedTuple):
    """The rows of a run, as either engine keeps them."""

    t: np.ndarray  # (n,) [s]
    x: np.ndarray  # state, (n, nx)
    d: np.ndarray  # memory, (n, nd)
    phase: np.ndarray  # codes of the controller's phases, (n,)
    loads: np.ndarray  # torques and the ground's force, as the machine's `variables` wants them, (n, k)


@dataclass(frozen=True, eq=False)
class Machine:
    """What both engines must know of a machine with one foot. An experiment is an `Experiment`.

    Attributes:
        name: Of its record's layout.
        params: Class of its parameters.
        gains: Class of its controller's.
        control: `(experiment)` returns the automaton.
        plant: `(ground)` returns the plant that the automaton drives.
        model: `(automaton, ground)` returns the hybrid model of both.
        numbers: `(experiment)` returns the model's parameters by name.
        start: `(experiment)` returns the state at the start, (2 n,).
        mjcf: `(params, ground, preset)` returns MuJoCo's model.
        presets: Its settings of MuJoCo, by name.
        mujoco_loads: `(data)` returns what rows call loads, as MuJoCo measures it, (k,).
        variables: `(experiment, rows)` returns the variables of the record.
        columns: `(experiment, x, d)` returns those of the table of steps, (n,) each, of states and memory at sections.
        memory: The plant's memory: names with first values.
        exact_loads: `(aux, d)` returns the loads, (n, k), of the commands and forces that `closing.forces` writes.
        fallen: `(experiment, t, x, n)` returns how the machine has fallen after n steps in MuJoCo, or an empty string.
        section: The event at which steps are counted.
        since: Events whose last times before a section are columns of the table, and together the stances.
        of_ground: Whether the model is compiled for its ground; else the ground is among its numbers.
        touches: `(experiment, data, stands)` returns whether MuJoCo measures contact; None: it is predicted.
        believe: `(beliefs, x, ground)` writes what is measured of the ground under the foot.
        settle: See `Sampled`.
        leads: Whether a command is computed for the middle of the time for which it is held.
        follow: `(model)` returns what is called with MuJoCo's data before every step.
        to_exact: `(qpos, qvel)` returns the exact state.
        to_mujoco: `(x)` returns MuJoCo's positions and velocities.
    """

    name: str
    params: type
    gains: type
    control: Callable
    plant: Callable
    model: Callable
    numbers: Callable
    start: Callable
    mjcf: Callable
    presets: dict
    mujoco_loads: Callable
    variables: Callable
    columns: Callable
    memory: dict = field(default_factory=dict)
    exact_loads: Callable = lambda aux, d: aux
    fallen: Callable = lambda experiment, t, x, n: ""
    section: str = "apex"
    since: tuple[str, str] = ("touchdown", "liftoff")
    of_ground: bool = False
    touches: Callable | None = None
    believe: Callable | None = None
    settle: float = 0.0
    leads: bool = False
    follow: Callable | None = None
    to_exact: Callable = lambda qpos, qvel: np.concatenate([qpos, qvel])
    to_mujoco: Callable = lambda x: np.split(x, 2)

    def experiment(self, params: Any = None, gains: Any = None, *settings: Any, **others: Any) -> Experiment:
        """Return an experiment, by default with the machine's own parameters and gains on flat ground."""
        return Experiment(params or self.params(), gains or self.gains(), *settings, **others)

    def beliefs(self, experiment: Experiment) -> dict:
        """Return the parameters as the controller believes them, the ground level at zero until it is told of it."""
        return self.numbers(replace(experiment, ground=Flat()))

    def state(self, experiment: Experiment) -> np.ndarray:
        """Return the state at the start, (2 n,)."""
        return self.start(experiment) if experiment.start is None else np.asarray(experiment.start, float)
