"""The Gymnasium environments: their registrations, and nothing else.

Entry points are strings, so that importing this package imports neither MuJoCo nor the environments.
"""

from typing import Any

import gymnasium

from .frozen import TASKS, FrozenTask


def spec(classes: str, max_episode_steps: int = 1000) -> dict[str, Any]:
    """Return the arguments of Gymnasium's `register`: of `MODULE:Dog` the classes are `DogEnv` and `DogVectorEnv`."""
    entry_points = dict(entry_point=f"{classes}Env", vector_entry_point=f"{classes}VectorEnv")
    return entry_points | {"max_episode_steps": max_episode_steps}


ENVIRONMENTS = {
    "Hexapod-v0": spec("tarsus.envs.hexapod:Hexapod"),
    "SlipLeg-v1": spec("tarsus.envs.slip_leg:SlipLeg"),
    "HoppingLeg-v1": spec("tarsus.envs.hopping_leg:HoppingLeg"),
    "Multipod-v1": spec("tarsus.envs.multipod:Multipod"),
    "BigAnt-v1": spec("tarsus.envs.bigant:BigAnt"),
    "Dog-v0": spec("tarsus.envs.dog:Dog"),
}

# Environments without MuJoCo: what is promised of a simulation in MuJoCo (pictures, terrains) is not promised of them.
SURROGATES = {
    "MultipodQuasistatic-v1": spec("tarsus.envs.multipod_quasistatic:MultipodQuasistatic"),
}


def task_spec(task: FrozenTask) -> dict[str, Any]:
    """Return the arguments of Gymnasium's `register` of a frozen task."""
    more = dict(kwargs=dict(task.options), reward_threshold=task.reward_threshold)
    return ENVIRONMENTS[task.environment] | {"max_episode_steps": task.horizon} | more


def register_envs() -> None:
    """Register every environment of this package with Gymnasium, and the frozen tasks; silent when done twice."""
    frozen = {name: task_spec(task) for name, task in TASKS.items()}
    for name, registration in (ENVIRONMENTS | SURROGATES | frozen).items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, **registration)
