"""What a critic may see besides the policy: entries without noise, and the parameters of each episode's robot."""

from functools import partial

import numpy as np

from . import disturbances, user_functions
from .extras import Extra
from .observations import Observation, numbered, select, slices

UNBOUNDED = 1e9  # of parameters, whose units differ


class Parameters(Extra):
    """The parameters of each simulation's robot that may be randomised.

    Attributes:
        values: All of them side by side, shape (..., n).
        places: Where each is, by name.
    """

    KEPT = ("values",)

    def __init__(self, task):
        entries = parameters_of(task)
        self.places = slices(entries)
        self.values = np.zeros((*task.shape, sum(entry.size for entry in entries.values())))

    def begin(self, task, sim, data) -> None:
        """Note the parameters of the robot that was drawn."""
        for name, place in self.places.items():
            self.values[sim][place] = np.ravel(task.parameter(task.params[sim], name))


def parameters_of(task) -> dict[str, Observation]:
    """Return an entry for each parameter that may be randomised."""
    robot = task.config.robot
    return {
        name: numbered(np.size(task.parameter(robot, name)), UNBOUNDED, "SI", "of the robot", partial(_parameter, name))
        for name in dict.fromkeys((*task.config.randomisable(), *task.config.randomise))  # a part's may be but here
    }


def _parameter(name: str, task) -> np.ndarray:
    parameters = task.extras["parameters"]
    return parameters.values[..., parameters.places[name]]


def available(task) -> dict[str, Observation]:
    """Return the entries that may be observed: the machine's, those of disturbances and parameters, the user's own.

    Where a name is both the machine's and a parameter's, it is the machine's.
    """
    known = parameters_of(task) | disturbances.entries_of(task) | task.machine_entries()
    return known | user_functions.entries_of(task.config, {*known, *task.parts()})


def observed(task) -> dict[str, Observation]:
    """Return the entries of the observation; the user's own are the last unless they are chosen by name."""
    config, known = task.config, _varying(task)
    names = tuple(config.observations or task.default_observations())
    names += tuple(name for name in config.observe if name not in (*names, *config.privileged))
    return _select(task, names, known)


def _varying(task) -> dict[str, Observation]:
    """Return the available entries without those that are constant with the current options."""
    config = task.config
    constant = set(parameters_of(task)) - set(config.randomise)
    constant |= {"push"} if not config.push_speed else set()
    constant |= {"action_delay"} if config.action_delay[0] == config.action_delay[1] else set()
    constant -= set(task.machine_entries()) | set(config.observe)
    return {name: entry for name, entry in available(task).items() if name not in constant}


def needs_parameters(task) -> bool:
    """Return whether the configuration may read the parameters of each simulation's robot."""
    config = task.config
    chosen = {*(config.observations or ()), *config.privileged}
    return bool(
        config.rewards or config.observe or config.terminate or chosen & {*config.randomisable(), *config.randomise}
    )


def _select(task, names, known) -> dict[str, Observation]:
    return select(names, getattr(task.config, "action_mode", ""), task.config.task, known)


def for_critic(task) -> dict[str, Observation]:
    """Return the entries in `info["privileged"]`.

    Raises:
        ValueError: If one is unknown, named twice, or would be constant.
    """
    try:
        return _select(task, task.config.privileged, available(task))
    except ValueError as error:
        raise ValueError(f"privileged: {error}") from None
