"""What parameters of a robot are called in options and observations: the same on every machine.

Their fields are called as the machine's documents call them. In 0.2.0 that was their name here too; it is still taken,
with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
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


def take_old(config, options: Collection[str], names: Mapping[str, str]) -> None:
    """Replace old names in options of a new configuration, and warn of them in one line.

    Args:
        config: A frozen dataclass.
        options: Its fields that hold names.
        names: Names of today, by the old ones.
    """
    given = {option: getattr(config, option) for option in options}
    found = [old for old in names if any(old in value for value in given.values() if value is not None)]
    if not found:
        return
    for option, value in given.items():
        if value is not None and not set(found).isdisjoint(value):
            object.__setattr__(config, option, renamed(value, names))
    # Shown by default, as a DeprecationWarning is not: who chooses options seldom wrote the code that makes the robot.
    words = ", ".join(f"{old} is now called {names[old]}" for old in found)
    warnings.warn(f"{words}; the old name goes with the next release of tarsus", FutureWarning, stacklevel=2)
