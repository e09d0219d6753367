"""What `MultipodQuasistatic-v0` asks for: its options and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..analytic.models.multipod import MultipodParams
from .kinds import check_fields

# Weight and meaning of each term of the reward.
REWARDS = {
    "forward": (1.0, "forward speed along the world's x [m/s]"),
    "drift": (-0.2, "sideways speed along the world's y, absolute [m/s]"),
    "dissipation": (-0.002, "power that the sliding feet dissipate [W]"),
    "action_change": (-0.005, "squared change of the action, mean over its entries"),
    "healthy": (0.05, "1 until the episode terminates"),
}


@dataclass(frozen=True)
class QuasistaticConfig:
    """The options of `MultipodQuasistatic-v0`."""

    params: MultipodParams = field(default_factory=MultipodParams)  # the robot
    n_legs: int | None = None  # even, 4 to 50; by default that of `params`
    law: str | object = "viscous"  # or "coulomb": closer to MuJoCo, at under half the speed
    ctrl_dt: float = 0.02  # control period [s]
    reset_noise: float = 0.02  # standard deviation of the joint angles at the start [rad]
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # of terms to weigh differently

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.law, str) or hasattr(self.law, "kernel_code")):
            raise ValueError(f"law must be viscous, coulomb or a law with a kernel of its own, got {self.law!r}")
        if not self.ctrl_dt > 0:
            raise ValueError(f"ctrl_dt must be positive, got {self.ctrl_dt}")
        if not self.reset_noise >= 0:
            raise ValueError(f"reset_noise must not be negative, got {self.reset_noise}")
        for name in self.reward_weights:
            if name not in REWARDS:
                raise ValueError(f"reward_weights: unknown reward term {name!r}; there are {', '.join(REWARDS)}")
        self.robot  # noqa: B018  refuses impossible numbers of legs

    @property
    def robot(self) -> MultipodParams:
        """The parameters of the robot, with the number of legs asked for."""
        return self.params if self.n_legs is None else replace(self.params, n_legs=self.n_legs)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each term of the reward."""
        return {name: weight for name, (weight, _) in REWARDS.items()} | dict(self.reward_weights)
