"""What the doctor finds: an ailment, where, its number, the reason, and the settings that mend it."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from tarsus.mjcf.presets import CONES, INTEGRATORS

ENUMS = {"cone": CONES, "integrator": INTEGRATORS}  # attributes whose values are words

AILMENTS = {
    "pyramidal cone": "friction is a pyramid, whose error on measured tosses is twice a cone's",
    "long timestep": "a spring, servo or contact is unstable at this timestep",
    "lengthened contact": "a time constant too short for the timestep, which MuJoCo lengthens silently",
    "blended contact": "two geoms ask for different contacts, and get a mixture",
    "greater friction": "a geom asks for less friction than the other's, and gets the other's",
    "early contact": "a contact is listed, and a flag that counts contacts is true, while no force acts",
    "hovering": "a margin holds geoms apart",
    "flicker": "a contact that stands breaks and returns",
    "loses force": "a contact that stands is listed, but has no force for a moment",
    "creep": "a contact that should hold slides",
    "sinks": "a contact that rests is deep in the ground",
}


class Mend(NamedTuple):
    """An attribute of an MJCF element to be set, all of them with MuJoCo's names.

    Attributes:
        element: `option`, `geom` or `pair`.
        number: Of the geom or pair; 0 of the option.
        attribute: What is set.
        value: As it stands in a file.
    """

    element: str
    number: int
    attribute: str
    value: str


@dataclass(frozen=True)
class Diagnosis:
    """One ailment of a model.

    Attributes:
        ailment: One of `AILMENTS`.
        where: Of a pair of geoms, a joint or the whole model.
        number: How bad it is.
        unit: Of the number.
        reason: A sentence.
        mends: What to set; all of it together.
        after: The number with that, where it was tried; else NaN.
    """

    ailment: str
    where: str
    number: float
    unit: str
    reason: str
    mends: tuple[Mend, ...] = ()
    after: float = np.nan

    def __str__(self) -> str:
        """Return it in words."""
        number = f"{self.number:.3g} {self.unit}".rstrip()
        return f"{self.ailment}, {self.where}: {number}. {self.reason}"


def numbers(*values: float) -> str:
    """Return numbers as an attribute has them."""
    return " ".join(f"{value:.6g}" for value in values)


def option(**settings: str) -> tuple[Mend, ...]:
    """Return settings of the whole model."""
    return tuple(Mend("option", 0, name, value) for name, value in settings.items())


def of_contact(model: mujoco.MjModel, geoms: tuple[int, int], **settings: str) -> tuple[Mend, ...]:
    """Return settings of a contact, by the pair that the file declares, or else of the later geom.

    A priority of its own makes its settings hold, where MuJoCo would mix them with the other's.
    """
    for pair in range(model.npair):
        if {int(model.pair_geom1[pair]), int(model.pair_geom2[pair])} == set(geoms):
            return tuple(Mend("pair", pair, name, value) for name, value in settings.items())
    mine, other = (int(model.geom_priority[geom]) for geom in reversed(geoms))
    settings |= {"priority": str(mine if mine > other else other + 1)}
    return tuple(Mend("geom", geoms[1], name, value) for name, value in settings.items())


def mended(model: mujoco.MjModel, mends: Iterable[Mend]) -> mujoco.MjModel:
    """Return a copy of a compiled model with these settings."""
    made = copy.copy(model)
    for element, number, attribute, value in mends:
        if element != "option":
            array = getattr(made, f"{element}_{attribute}")
            words = [float(word) for word in value.split()]
            array[number, ...] = words[0] if array.ndim == 1 else [*words, *array[number, len(words) :]]
        elif attribute in ENUMS:
            setattr(made.opt, attribute, ENUMS[attribute][value])
        else:
            setattr(made.opt, attribute, type(getattr(made.opt, attribute))(float(value)))
    return made


def as_xml(model: mujoco.MjModel, mends: Iterable[Mend]) -> list[str]:
    """Return settings as elements of a file, one for each that is changed."""
    words: dict[tuple[str, int], list[str]] = {}
    for element, number, attribute, value in mends:
        words.setdefault((element, number), []).append(f'{attribute}="{value}"')
    return [f"<{_tag(model, *key)}{' '.join(found)}/>" for key, found in words.items()]


def _tag(model: mujoco.MjModel, element: str, number: int) -> str:
    if element == "option":
        return "option "
    if element == "pair":
        geoms = (model.geom(int(one[number])).name for one in (model.pair_geom1, model.pair_geom2))
        return 'pair geom1="{}" geom2="{}" '.format(*geoms)
    return f'geom name="{name_of(model, number)}" '


def name_of(model: mujoco.MjModel, geom: int) -> str:
    """Return what a geom is called in a sentence: by its name, or its body's."""
    if name := model.geom(geom).name:
        return name
    body = int(model.geom_bodyid[geom])
    place = "the world" if body == 0 else model.body(body).name or f"body {body}"
    return f"geom {geom - int(model.body_geomadr[body])} of {place}"
