"""The Gymnasium environments: their registrations, and nothing else.

Entry points are strings, so that importing this package imports neither MuJoCo nor the environments.
"""

import gymnasium

ENVIRONMENTS = {
    "Hexapod-v0": dict(
        entry_point="tarsus.envs.hexapod:HexapodEnv",
        vector_entry_point="tarsus.envs.hexapod:HexapodVectorEnv",
        max_episode_steps=1000,
    ),
    "SlipLeg-v0": dict(
        entry_point="tarsus.envs.slip_leg:SlipLegEnv",
        vector_entry_point="tarsus.envs.slip_leg:SlipLegVectorEnv",
        max_episode_steps=5000,
    ),
    "HoppingLeg-v0": dict(
        entry_point="tarsus.envs.hopping_leg:HoppingLegEnv",
        vector_entry_point="tarsus.envs.hopping_leg:HoppingLegVectorEnv",
        max_episode_steps=2000,
    ),
    "Multipod-v0": dict(
        entry_point="tarsus.envs.multipod:MultipodEnv",
        vector_entry_point="tarsus.envs.multipod:MultipodVectorEnv",
        max_episode_steps=1000,
    ),
    "BigAnt-v0": dict(
        entry_point="tarsus.envs.bigant:BigAntEnv",
        vector_entry_point="tarsus.envs.bigant:BigAntVectorEnv",
        max_episode_steps=1000,
    ),
}

# Environments without MuJoCo: what is promised of a simulation in MuJoCo (pictures, terrains) is not promised of them.
SURROGATES = {
    "MultipodQuasistatic-v0": dict(
        entry_point="tarsus.envs.multipod_quasistatic:MultipodQuasistaticEnv",
        vector_entry_point="tarsus.envs.multipod_quasistatic:MultipodQuasistaticVectorEnv",
        max_episode_steps=1000,
    ),
}


def register_envs() -> None:
    """Register every environment of this package with Gymnasium; silent when done twice."""
    for name, spec in (ENVIRONMENTS | SURROGATES).items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, **spec)
