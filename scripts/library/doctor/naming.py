"""The names of geoms, joints and contacts: those of the file, else by their place in it."""

from collections.abc import Sequence

import mujoco


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
