"""What parameters of a robot are called in options and observations: the same on every machine.

Their fields are called as the machine's documents call them.
"""

from __future__ import annotations

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
