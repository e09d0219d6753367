"""The doctor's findings: an ailment, its place, its number, the reason, and the settings that mend it."""

import copy
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from tarsus.mjcf.presets import CONES, INTEGRATORS

SOLVERS = {"PGS": mujoco.mjtSolver.mjSOL_PGS, "CG": mujoco.mjtSolver.mjSOL_CG, "Newton": mujoco.mjtSolver.mjSOL_NEWTON}
ENUMS = {"cone": CONES, "integrator": INTEGRATORS, "solver": SOLVERS}  # attributes whose values are words


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
    """One ailment of a model, wherever it has it.

    Attributes:
        ailment: What it is called, see `docs/crossvalidation.md`.
        places: Where: pairs of geoms, joints, or the whole model; the worst first.
        number: How bad it is, where it is worst.
        unit: Of the number.
        reason: A sentence, of the worst place.
        mends: What to set for it; what mended an earlier finding, and this one with it, stands there.
        after: The number with all the mends of the report together; NaN if none was found.
        refused: What was tried and is not advised, with what it would break or leave; sentences.
        joint: Those of `mends` of which none alone mends it, as elements of a file.
    """

    ailment: str
    places: tuple[str, ...]
    number: float
    unit: str
    reason: str
    mends: tuple[Mend, ...] = ()
    after: float = np.nan
    refused: tuple[str, ...] = ()
    joint: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """Its places in words."""
        return joined(self.places)

    def __str__(self) -> str:
        return f"{self.ailment}, {self.where}: {with_unit(self.number, self.unit)}. {self.reason}"


def with_unit(number: float, unit: str) -> str:
    """Return a number and its unit in words: `12 % of its stances`, `3 mm`."""
    return f"{number:.3g} {unit}".rstrip()


def numbers(*values: float) -> str:
    """Return numbers as an attribute has them."""
    return " ".join(f"{value:.6g}" for value in values)


def option(**settings: str) -> tuple[Mend, ...]:
    """Return settings of the whole model."""
    return tuple(Mend("option", 0, name, value) for name, value in settings.items())


def of_contact(model: mujoco.MjModel, geoms: tuple[int, int], **settings: str) -> tuple[Mend, ...]:
    """Return settings of a contact, by the pair that the file declares, or else of its geom that moves, or the later.

    A priority of its own makes its settings hold, where MuJoCo would mix them with the other's.
    """
    if (pair := pair_of(model, geoms)) is not None:
        return tuple(Mend("pair", pair, name, value) for name, value in settings.items())
    geom, against = movable(model, geoms)
    mine, other = int(model.geom_priority[geom]), int(model.geom_priority[against])
    settings |= {"priority": str(mine if mine > other else other + 1)}
    return tuple(Mend("geom", geom, name, value) for name, value in settings.items())


def pair_of(model: mujoco.MjModel, geoms: tuple[int, int]) -> int | None:
    """Return the number of the pair that the file declares of two geoms, if it does."""
    declared = ({int(one), int(other)} for one, other in zip(model.pair_geom1, model.pair_geom2, strict=True))
    return next((k for k, both in enumerate(declared) if both == set(geoms)), None)


def movable(model: mujoco.MjModel, geoms: tuple[int, int]) -> tuple[int, int]:
    """Return two geoms, the later one first, unless it alone cannot move."""
    moves = [model.body_treeid[model.geom_bodyid[geom]] >= 0 for geom in geoms]
    return (geoms[0], geoms[1]) if moves[0] and not moves[1] else (geoms[1], geoms[0])


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


def merged(*parts: Iterable[Mend]) -> tuple[Mend, ...]:
    """Return lists of settings as one. Of an attribute that two set, the safer of the whole model, else the later.

    Safer are the shorter timestep, and the greater number of all others.
    """
    found: dict[tuple[str, int, str], Mend] = {}
    for one in itertools.chain(*parts):
        key = one.element, one.number, one.attribute
        if key in found and one.element == "option" and one.attribute not in ENUMS:
            least = one.attribute == "timestep"
            one = (min if least else max)(found[key], one, key=lambda mend: float(mend.value))
        found[key] = one
    return tuple(found.values())


def differing(model: mujoco.MjModel, mends: Iterable[Mend]) -> tuple[Mend, ...]:
    """Return the settings that a model does not have already."""
    return tuple(one for one in mends if not _has(model, one))


def as_xml(model: mujoco.MjModel, mends: Iterable[Mend]) -> list[str]:
    """Return settings as they stand in a file; elements that are to get the same are taken together.

    A geom without a name has none in the file: it is described.
    """
    words: dict[tuple[str, int], list[str]] = {}
    for element, number, attribute, value in mends:
        words.setdefault((element, number), []).append(f'{attribute}="{value}"')
    alike: dict[tuple[str, str], list[int]] = {}
    for (element, number), found in words.items():
        alike.setdefault((element, " ".join(found)), []).append(number)
    return [_element(model, element, which, found) for (element, found), which in alike.items()]


def _element(model: mujoco.MjModel, element: str, which: list[int], found: str) -> str:
    if element == "option":
        return f"<option {found}/>"
    if element == "pair":
        pairs = ((model.geom(int(one[k])).name for one in (model.pair_geom1, model.pair_geom2)) for k in which)
        return " ".join('<pair geom1="{}" geom2="{}" {}/>'.format(*geoms, found) for geoms in pairs)
    if len(which) == 1 and (name := model.geom(which[0]).name):
        return f'<geom name="{name}" {found}/>'
    return f"{found} of {', '.join(name_of(model, geom) for geom in which)}"


def _has(model: mujoco.MjModel, mend: Mend) -> bool:
    element, number, attribute, value = mend
    if element != "option":
        has = np.atleast_1d(getattr(model, f"{element}_{attribute}")[number])
        words = [float(word) for word in value.split()]
        return bool(np.allclose(has[: len(words)], words, rtol=1e-9, atol=0))
    has = getattr(model.opt, attribute)
    return has == ENUMS[attribute][value] if attribute in ENUMS else bool(np.isclose(has, float(value), rtol=1e-9))


def name_of(model: mujoco.MjModel, geom: int) -> str:
    """Return the words for a geom: its name, or its place in its body, counted from 0."""
    body = int(model.geom_bodyid[geom])
    return model.geom(geom).name or f"geom {geom - int(model.body_geomadr[body])} of {body_of(model, body)} (unnamed)"


def joint_of(model: mujoco.MjModel, joint: int) -> str:
    """Return the words for a joint, likewise."""
    body = int(model.jnt_bodyid[joint])
    place = joint - int(model.body_jntadr[body])
    return model.joint(joint).name or f"joint {place} of {body_of(model, body)} (unnamed)"


def body_of(model: mujoco.MjModel, body: int) -> str:
    """Return the words for a body: its name, or its place in the file and in a body with a name."""
    if body == 0:
        return "the world"
    if name := model.body(body).name:
        return f"body {name}"
    above = int(model.body_parentid[body])
    while above and not model.body(above).name:
        above = int(model.body_parentid[above])
    inside = f", in body {model.body(above).name}" if above else ""
    return f"the file's body number {body}{inside}"


def joined(names: Sequence[str]) -> str:
    """Return names of contacts in words, those on the same geom together: `FL, FR on floor; box on shelf`."""
    on: dict[str, list[str]] = {}
    for name in names:
        first, _, ground = name.rpartition(" on ")
        on.setdefault(ground, []).append(first)
    return "; ".join(", ".join(firsts) + f" on {ground}" if all(firsts) else ground for ground, firsts in on.items())
