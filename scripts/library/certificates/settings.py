"""The simulations in which a policy is certified: presets, the exact engine, other contacts, frictions and legs.

What the base preset itself makes of a nudge at the start is the noise that all others are judged against.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tarsus.mjcf.presets import contacts, find

BASE = "rl"  # the preset that all others are compared with
SIMULATOR, CONTACT, ROBOT = "simulator", "contact", "robot"
BETWEEN = "between"  # two simulations compared with each other, neither the base
ITSELF = "itself"  # the base again, nudged at the start: what chance does
NUDGE = 1e-6  # of one velocity of the state at the start [m/s] or [rad/s]
NUDGED, NUDGES = "itself, nudged by 1e-6", 3  # name of the row, and episodes of each seed, nudged in other velocities
FRICTIONS = ("friction_coeff", "friction")  # what the parameter is called in the machines' parameters
STIFFNESSES = ("rho_k", "leaf_k", "leg_k")
FRICTION_FACTORS, STIFFNESS_FACTORS = (0.8, 1.25), (0.9, 1.1)


@dataclass(frozen=True)
class Setting:
    """A simulation of the same machine."""

    name: str  # in tables
    # `SIMULATOR`, `CONTACT` or `ROBOT`: whether another simulation of the same robot, or another robot; `ITSELF` of the
    # base, nudged; `BETWEEN` of a comparison
    kind: str
    options: Mapping[str, Any]  # of the environment
    nudged: int | None = None  # which of the machine's velocities is nudged at the start; None for none


def groups(asked: Sequence[Setting]) -> list[list[int]]:
    """Return the groups of settings that one simulation plays together, by index: those with the base's timestep."""
    alike = [k for k, setting in enumerate(asked) if setting.name == BASE or setting.kind in (ITSELF, CONTACT, ROBOT)]
    return [alike, *([k] for k in range(len(asked)) if k not in alike)]


def fan(config, exact: bool = True) -> list[Setting]:
    """Return the settings for an environment's configuration, the base first; ValueError without a preset `rl`."""
    base, params = find(BASE, config.PRESETS), config.params
    found = [Setting(BASE, SIMULATOR, {"preset": BASE})]
    found += [Setting(NUDGED, ITSELF, {"preset": BASE}, nudged=k) for k in range(NUDGES)]
    found += [Setting("reference", SIMULATOR, {"preset": "reference"})]
    found += [Setting("exact", SIMULATOR, {"engine": "exact"})] if exact else []
    found += [
        Setting(name, CONTACT, {"preset": preset})
        for name, preset in contacts(base, find("reference", config.PRESETS)).items()
    ]
    for word, names, factors in (
        ("friction", FRICTIONS, FRICTION_FACTORS),
        ("stiffness", STIFFNESSES, STIFFNESS_FACTORS),
    ):
        name = next((name for name in names if hasattr(params, name)), None)
        for factor in factors:
            changed: dict[str, Any] = {}
            if name:
                changed = {"params": replace(params, **{name: factor * getattr(params, name)})}
                changed |= {"friction": None} if hasattr(config, "friction") else {}  # it is in these parameters
            elif word == "friction" and hasattr(base, "friction"):  # the hopping leg's is the preset's
                changed = {"preset": replace(base, friction=tuple(factor * mu for mu in base.friction))}
            if changed:
                found.append(Setting(f"{word} x {factor:g}", ROBOT, {"preset": BASE} | changed))
    return found
