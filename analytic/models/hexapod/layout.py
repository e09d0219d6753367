"""The exact hexapod's parameter vector: Table 2's symbols by their names there, then the choices of its variants."""

from dataclasses import dataclass

import numpy as np

from ...finite import check_signs
from ...hybrid import indices
from .parameters import HexapodParams, element_symbols

PLATFORM = (
    *("body_mass", "leg_mass", "friction_coeff", "q_rt", "q_rl", "g", "max_torque", "max_speed", "speed_constant"),
    *("torque_constant", "armature_resist", "gear_ratio", "torque_loss"),
)


@dataclass(frozen=True)
class Variants:
    """Variants where the documents leave a choice or err: the default is correct, the other is as printed.

    A toe slides with its mass and a friction that is regularised below `slide_speed`: the bias of the walking speed is
    +0.15 % at 3 mm/s, +0.02 % at 1 mm/s.

    Raises:
        ValueError: If a switch is neither 0 nor 1, or a value is out of its range.
    """

    third_law: float = 1.0  # 0: legs in flight do not push the body, and energy is lost for nothing (erratum 7)
    full_stop: float = 0.0  # 1: a toe that touches down stops dead, whatever its friction cone (erratum 26)
    first_order_slide: float = 0.0  # 1: a sliding toe has a velocity but no mass (erratum 8, in the form that works)
    slide_mobility: float = 1.0  # of the first-order toe: force per velocity added to the leg's own damping [N s/m]
    stop_force: float = 0.0  # of the exponential end stop beyond the rest length [N]; 0: no stop (erratum 9)
    stop_length: float = 2e-3  # over which the stop's force grows e-fold [m]
    slide_speed: float = 3e-3  # below it sliding friction fades, and a toe may stick [m/s]
    upright: float = 0.5  # a run ends when the vertical part of the body's up axis is less, or its centre reaches the
    # ground; -1: neither ends it

    def __post_init__(self) -> None:
        for name in ("third_law", "full_stop", "first_order_slide"):
            if getattr(self, name) not in (0, 1):
                raise ValueError(f"{name} is a switch, 0 or 1, got {getattr(self, name)}")
        check_signs(self, ("slide_mobility", "stop_length", "slide_speed"))
        if not self.stop_force >= 0:
            raise ValueError(f"stop_force must not be negative, got {self.stop_force} N")


def machine_params(params: HexapodParams, variants: Variants | None = None) -> dict[str, float]:
    """Return the machine's part of the parameter vector by name, in its order."""
    table = {name: float(getattr(params, name)) for name in PLATFORM}
    elements = element_symbols().items()
    table |= {symbol: float(np.asarray(getattr(params, name))[index]) for symbol, (name, index) in elements}
    return table | {name: float(value) for name, value in vars(variants or Variants()).items()}


P = indices(machine_params(HexapodParams()))
N_MACHINE = len(P)
