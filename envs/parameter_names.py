"""What parameters of a robot are called in options and observations: the same on every machine.

Their fields are called as the machine's documents call them; so did options in 0.2.0, of which policies are stored.
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


def renamed(value: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a mapping with those of its names that are in `names` replaced, in the same order."""
    return {names.get(name, name): entry for name, entry in value.items()}
