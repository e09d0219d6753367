"""`MultipodQuasistatic-v0` as `version0` has the others: apart, since it imports the contact solver."""

from __future__ import annotations

from dataclasses import dataclass

from .multipod_quasistatic import MultipodQuasistaticEnv, MultipodQuasistaticVectorEnv
from .surrogate import QuasistaticConfig
from .version0 import reweighed


@dataclass(frozen=True)
class Quasistatic0Config(QuasistaticConfig):
    """The options of `MultipodQuasistatic-v0`."""

    FORMER = {"forward": 1.0, "drift": -0.2, "dissipation": -0.002, "action_change": -0.005, "healthy": 0.05}
    REWARDS = reweighed({"forward": QuasistaticConfig.REWARDS}, forward=FORMER)["forward"]
    action_mode: str = "velocity"
    scaled: bool = False


class MultipodQuasistatic0VectorEnv(MultipodQuasistaticVectorEnv):
    """Many quasi-static multipods as they were."""

    config_class = Quasistatic0Config


class MultipodQuasistatic0Env(MultipodQuasistaticEnv):
    """One of them."""

    vector_class = MultipodQuasistatic0VectorEnv
