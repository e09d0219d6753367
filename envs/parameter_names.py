"""What parameters of a robot are called in options and observations: the same on every machine.

Their fields are called as the machine's documents call them, as are they in policies stored by 0.2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMMON = {  # names here of fields that are called otherwise
    "friction": "friction_coeff",
    "base_mass": "body_mass",
    "segment_mass": "body_mass",
    "rho_k": "leg_k",
    "rho_d": "leg_d",
    "leaf_k": "leg_k",
    "leaf_d": "leg_d",
    "max_shaft_torque": "max_torque",
}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a mapping or a sequence of names with those in `names` replaced, in the same order."""
    if isinstance(value, Mapping):
        return {names.get(name, name): entry for name, entry in value.items()}
    return tuple(names.get(name, name) for name in value)
