"""The options of a robot of the user's own, and the terms of its reward."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..analytic.spelling import listed
from ..mjcf import own_parts
from ..mjcf.own_robot import OwnRobot
from . import own_baseline
from .commands import reweighed, tracked
from .free_body import FreeBodyConfig

_SHARED = {
    "power": (-0.05, "absolute mechanical power of the actuators over `typical_power`, if that is given"),
    "contact": (-0.2, "number of the parts `cost_contacts` that touch the ground"),
    "air_time": (
        0.2,
        "over feet that land: time in the air over sqrt(h / g), less a half, from -0.5 to 0.5; h is the trunk's height",
    ),
    "action_change": (-0.02, "squared change of the action, mean over its entries"),
    "healthy": (0.25, "1 until the episode terminates"),
}
_FORWARD = {
    "forward": (0.8, "forward speed over `typical_speed`, from -1 to 10"),
    "drift": (-0.1, "sideways speed over `typical_speed`, absolute"),
    "heading": (-0.1, "angle from the forward direction [rad], absolute"),
}


@dataclass(frozen=True)
class OwnRobotConfig(FreeBodyConfig):
    """The options of a robot of the user's own."""

    REWARDS = {
        "forward": _FORWARD | _SHARED,
        "commanded": tracked() | reweighed(_SHARED) | {"power": (-0.005, _SHARED["power"][1])},
    }
    RANDOMISABLE = ("g", "friction", *own_parts.WHOLE)
    FIXED = (*FreeBodyConfig.FIXED, "baseline", "baseline_period", "friction", "fall_contacts", "cost_contacts")

    params: OwnRobot | None = None
    friction: float | None = None  # coefficient of the ground instead of the robot's; the clock is that of the robot's
    command_speed: tuple[float, float] | None = None  # range [m/s]; by default 0 to 0.3 sqrt(g l), l of the legs
    command_yaw_rate: tuple[float, float] | None = None  # range [rad/s]; by default 0.09 sqrt(g / l) to either side
    scaled: bool = True
    typical_speed: float = 0.5  # of the robot [m/s]
    typical_power: float | None = None  # of its actuators [W]
    baseline: Any = None  # what an action of 0 does: "clock", function(time, task), a table; None stands
    baseline_period: float | None = None  # how long a turn takes [s]; of a function, if it has one
    residual_range: float = 0.5  # the largest correction to a baseline, as a share of the robot's reach
    residual_lag: float = 0.09  # time constant with which corrections follow the action [s]
    tempo_range: float = 2.0  # how much faster than its own the baseline is at a tempo of 1, slower at -1
    tempo_lag: float = 0.4  # time constant with which the tempo follows the action [s]
    fall_contacts: Sequence[str] = ()  # bodies or geoms whose touching the ground ends an episode
    fall_height: float = 0.4  # of the trunk's height at rest, below which an episode ends; 0 is the ground
    fall_load: float = 0.5  # of the weight, on parts that are no feet for 0.2 s, that ends an episode; 1000 is never
    cost_contacts: Sequence[str] = ()  # those that the term `contact` counts

    def __post_init__(self) -> None:
        if self.params is None:
            raise ValueError("params must be an OwnRobot(source); own_robot.register makes it")
        if self.friction is not None:
            object.__setattr__(self, "params", replace(self.params, friction=self.friction))
        super().__post_init__()
        own_baseline.check(self)
        if not 0 <= self.fall_height < 1:
            raise ValueError(f"fall_height must be a share of the height at rest, in [0, 1), got {self.fall_height}")
        if not self.fall_load > 0:
            raise ValueError(f"fall_load must be positive, a share of the weight, got {self.fall_load}")
        for name in ("typical_speed", "typical_power"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be positive, got {value}")

    def check_drawn(self, name: str, low: float, high: float) -> None:
        """Refuse a range of factors that are not positive, of offsets one that is empty; parts need the model."""
        quantity, known = own_parts.quantity_of(name), self.randomisable()
        if quantity not in known:
            raise ValueError(f"cannot randomise {name!r}; there are {listed(name, known)}")
        if quantity in own_parts.OFFSETS and not low <= high:
            raise ValueError(f"the offsets of {name!r} need low <= high, got ({low}, {high})")
        if quantity not in own_parts.OFFSETS and not 0 < low <= high:
            raise ValueError(f"the factors of {name!r} need 0 < low <= high, got ({low}, {high})")

    @classmethod
    def randomisable(cls) -> dict[str, str]:
        """Return the quantities that `randomise` takes of all parts alike; it also takes those of one, "KP.FL_knee"."""
        return super().randomisable() | dict.fromkeys(own_parts.WHOLE, "changes")
