"""Contact settings of a user's file: the friction of its feet on its floor, which is kept, and what is replaced.

MuJoCo takes of two geoms the settings of the one with the higher priority, else the larger friction; a `<pair>` of the
two stands before both. The ground here has the resulting friction, and all else of the preset.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

from . import own_feet, own_ground
from .own_options import Replaced
from .presets import Preset
from .terrain import contact_settings

FRICTION = 1.0  # MuJoCo's default, as are these
PLAIN = {"condim": 3, "margin": 0.0, "gap": 0.0, "solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0)}
PLAIN |= {"priority": 0}
SAME = 1e-9


def of_feet(model: mujoco.MjModel, at_rest: mujoco.MjData, feet: Sequence[str]) -> dict[str, float]:
    """Return the coefficient of friction of each foot on the file's floor; without a floor, the foot's own.

    Args:
        model: Of the file as it is.
        at_rest: Its state.
        feet: Names of geoms or bodies.
    """
    floor = own_ground.floors(model)
    geoms = {name: own_feet.geoms_of(model, at_rest, name, drawn=True) for name in feet}
    return {name: max(_friction(model, k, floor) for k in mine) for name, mine in geoms.items()}


def in_words(model: mujoco.MjModel, at_rest: mujoco.MjData, robot) -> str:
    """Return the ground's friction, and what the feet's own geoms say where the file's floor decides."""
    geoms = [k for name in robot.feet for k in own_feet.geoms_of(model, at_rest, name, drawn=True)]
    own = sorted({float(model.geom_friction[k, 0]) for k in geoms})
    if _equal(own, robot.friction) or not _equal([*of_feet(model, at_rest, robot.feet).values()], robot.friction):
        return f"{robot.friction:g}"
    feet = " and ".join(f"{mu:g}" for mu in own)
    return f"{robot.friction:g}, by the file's floor: its feet say {feet}, and of two geoms MuJoCo takes the larger"


def _friction(model: mujoco.MjModel, foot: int, floor: list[int]) -> float:
    pairs = _pairs(model, [foot], floor)
    if pairs:
        return float(model.pair_friction[pairs[0], 0])
    mine = float(model.geom_friction[foot, 0])
    ahead = [k for k in floor if model.geom_priority[k] >= model.geom_priority[foot]]
    higher = [k for k in ahead if model.geom_priority[k] > model.geom_priority[foot]]
    return float(max([*([] if higher else [mine]), *model.geom_friction[higher or ahead, 0]]))


def _pairs(model: mujoco.MjModel, feet: list[int], floor: list[int]) -> list[int]:
    ends = [(int(model.pair_geom1[k]), int(model.pair_geom2[k])) for k in range(model.npair)]
    return [k for k, (a, b) in enumerate(ends) if (a in feet and b in floor) or (b in feet and a in floor)]


def replaced(model: mujoco.MjModel, at_rest: mujoco.MjData, robot, preset: Preset) -> tuple[list[Replaced], list[str]]:
    """Return the contact settings of a file that are not used, and a sentence on its friction where that is not.

    What the file leaves at MuJoCo's default is no setting of the file, nor is a priority that chooses between nothing.

    Args:
        model: Of the file as it is.
        at_rest: Its state.
        robot: The `OwnRobot`.
        preset: Whose contact is used.
    """
    feet = [k for name in robot.feet for k in own_feet.geoms_of(model, at_rest, name, drawn=True)]
    floor, used = own_ground.floors(model), contact_settings(preset, robot.friction)
    found = [
        *_of(model, "geom", feet, "the feet", used | {"priority": 0}),
        *_of(model, "geom", floor, "the floor", used),
        *_of(model, "pair", _pairs(model, feet, floor), "pairs with the floor", used),
    ]
    said = _sentences(of_feet(model, at_rest, robot.feet), robot.friction)
    return found if said or any("priority" not in one.option for one in found) else [], said


def _of(model, kind: str, which: list[int], whose: str, used: dict) -> list[Replaced]:
    """Return the settings of some geoms or pairs that are neither MuJoCo's defaults nor used."""
    found = []
    for name in PLAIN if kind == "geom" else [name for name in PLAIN if name != "priority"]:
        field = getattr(model, f"{kind}_{'dim' if (kind, name) == ('pair', 'condim') else name}")
        values = {_value(field[k]): None for k in which}
        found += [
            Replaced(f"{name} of {whose}", value, used[name])
            for value in values
            if not _equal(value, PLAIN[name]) and not _equal(value, used[name])
        ]
    return found


def _value(value):
    return tuple(np.asarray(value).tolist()) if np.ndim(value) else np.asarray(value).item()


def _equal(a, b) -> bool:
    return bool(np.allclose(a, b, rtol=SAME, atol=SAME))


def _sentences(own: dict[str, float], friction: float) -> list[str]:
    values = sorted(set(own.values()))
    if _equal(values, friction) or (len(values) == 1 and _equal(values, FRICTION)):
        return []
    if len(values) == 1:
        return [f"friction {values[0]:g} of the feet is replaced by {friction:g}; `friction={values[0]:g}` keeps it"]
    other = {name: mu / friction for name, mu in own.items() if friction and not _equal(mu, friction)}
    factors = ", ".join(f"'friction_coeff.{name}': {factor:.4g}" for name, factor in other.items())
    words = ", ".join(f"{name} {mu:g}" for name, mu in own.items())
    keeps = f"; changes={{{factors}}} keeps them" if factors else ""
    return [f"friction of the feet differs ({words}), and is replaced by {friction:g} of all{keeps}"]
