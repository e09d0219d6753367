"""What a user's file has too little or too much of for a robot, mended in place and said, before all else is read.

Meshes and textures that are only drawn may be absent, and so may the floor that pairs name and the free joint, as in
files that others attach or include. What moves freely beside the robot goes. Links of a URDF that move and weigh
nothing are held.
"""

from pathlib import Path

import mujoco
import numpy as np

from .kinds import BALL, FREE, HFIELD, HINGE, MESH, PLANE

FLOORS = (PLANE, HFIELD)
LEAST_MASS, LEAST_INERTIA = 1e-6, 1e-9  # [kg], [kg m^2]
SIZES = {FREE: (7, 6), BALL: (4, 3)}  # of qpos and qvel; of others 1 each
RADIANS = 2 * np.pi  # degrees: a hinge with a smaller range is hardly one


def tiny_ranges(spec: mujoco.MjSpec) -> list[str]:
    """Return a question about ranges of hinges that look like radians where the file has degrees, MuJoCo's default."""
    if not spec.compiler.degree:
        return []
    spans = {joint.name or "a hinge": tuple(joint.range) for joint in spec.joints if joint.type == HINGE}
    spans = {name: span for name, span in spans.items() if span[0] < span[1]}
    name, (low, high) = max(spans.items(), key=lambda one: one[1][1] - one[1][0], default=("", (0.0, np.inf)))
    if high - low > RADIANS:
        return []
    return [
        f"the ranges of all hinges are tiny, of {name} {low:g} to {high:g} degrees: are they in radians? MuJoCo's "
        'default is degrees; <compiler angle="radian"/> says otherwise'
    ]


def leave_out_drawn(spec: mujoco.MjSpec) -> list[str]:
    """Leave out meshes and textures that are absent and only drawn; return a sentence on them."""
    folder = Path(spec.modelfiledir or ".")
    present = set(spec.assets)

    def absent(name: str, within: str) -> bool:
        return bool(name) and name not in present and not (folder / within / name).is_file()

    lost = {mesh.name or Path(mesh.file).stem: mesh for mesh in spec.meshes if absent(mesh.file, spec.meshdir)}
    solid = {
        geom.meshname for geom in spec.geoms if geom.contype or geom.conaffinity or not geom.parent.explicitinertial
    }
    lost = {name: mesh for name, mesh in lost.items() if name not in solid}
    for geom in [geom for geom in spec.geoms if geom.type == MESH and geom.meshname in lost]:
        spec.delete(geom)
    pictures = [one for one in spec.textures if absent(one.file, spec.texturedir)]
    names = {one.name for one in pictures}
    for material in spec.materials:
        for role, texture in enumerate(material.textures):
            material.textures[role] = "" if texture in names else texture
    for element in [*lost.values(), *pictures]:
        spec.delete(element)
    gone = [*lost, *names]
    return [f"files that are absent are not drawn: {', '.join(gone[:4])}{' ...' * (len(gone) > 4)}"] if gone else []


def check_keyframes(spec: mujoco.MjSpec) -> None:
    """Refuse keyframes of another robot; MuJoCo pads those that are shorter."""
    n, n_controls = sum(SIZES.get(joint.type, (1, 1))[0] for joint in spec.joints), len(spec.actuators)
    for number, key in enumerate(spec.keys):
        odd = ""
        if len(key.qpos) not in (0, n):
            odd = f"{len(key.qpos)} positions and the robot {n}: it is of another robot"
        elif 0 < len(key.ctrl) < n_controls:
            odd = f"{len(key.ctrl)} controls and the robot {n_controls}: it is of another robot"
        elif not np.isfinite([*key.qpos, *key.ctrl]).all():
            odd = "numbers that are not finite"
        if odd:
            raise ValueError(f"the keyframe {key.name or number!r} has {odd}; correct it, or take it out of the file")


def leave_out_others(spec: mujoco.MjSpec) -> list[str]:
    """Leave out bodies that move freely beside the robot, which is the one with most joints; return a sentence."""
    free = {joint.parent: joint for joint in spec.joints if joint.type == FREE}
    if len(free) < 2:
        return []
    robot = max(free, key=lambda body: len(_joints_of(body)))
    others = [body for body in free if body.name != robot.name or body.id != robot.id]
    gone, names = (
        [joint.id for body in others for joint in _joints_of(body)],
        [body.name or "without a name" for body in others],
    )
    sizes = [(joint.id in gone, *SIZES.get(joint.type, (1, 1))) for joint in spec.joints]
    for key in spec.keys:
        for field, column in (("qpos", 1), ("qvel", 2)):
            keep = np.concatenate([np.full(row[column], not row[0]) for row in sizes])
            if len(values := np.array(getattr(key, field))) == len(keep):
                setattr(key, field, values[keep])
    for body in others:
        spec.delete(body)
    return [f"bodies that move freely and are no part of the robot are left out: {', '.join(names)}"]


def _joints_of(body) -> list:
    return [joint for one in (body, *_below(body)) for joint in one.joints]


def add_floor(spec: mujoco.MjSpec) -> list[str]:
    """Add the floor that pairs name, to a file without one; return a sentence on it."""
    if any(geom.type in FLOORS for geom in spec.geoms):
        return []
    there_are = {geom.name for geom in spec.geoms}
    absent = {name for pair in spec.pairs for name in (pair.geomname1, pair.geomname2)} - there_are
    if len(absent) != 1:
        return []  # none, or more than a floor: MuJoCo says so
    spec.worldbody.add_geom(name=absent.copy().pop(), type=FLOORS[0], size=(1.0, 1.0, 1.0))
    return [f"its pairs name {absent.pop()!r}, which is not in the file and taken for the ground"]


def add_free_joint(spec: mujoco.MjSpec) -> list[str]:
    """Free the only robot of a file in which nothing moves freely; return a sentence on it."""
    moving = [body for body in spec.worldbody.bodies if _joints_of(body)]
    if len(moving) != 1 or moving[0].joints or any(len(key.qpos) for key in spec.keys):
        return []
    moving[0].add_freejoint()
    return [f"the file has no free joint: {moving[0].name or 'its body'} moves freely here"]


def hold_weightless(spec: mujoco.MjSpec) -> list[str]:
    """Hold the links of a URDF that move and weigh nothing, with all that they carry; return a sentence on them.

    One that carries what weighs something, as between two hinges of a hip, moves on, with as little as MuJoCo takes.
    """
    none = _weightless(spec)
    for body in [body for body in none if any(map(_weighs, _below(body)))]:
        body.explicitinertial, body.mass, body.inertia = True, LEAST_MASS, (LEAST_INERTIA,) * 3
    held = [body for body in none if not any(map(_weighs, _below(body)))]
    gone = [joint for body in held for joint in body.joints]
    names = {joint.name for joint in gone}
    for element in [*(tie for tie in spec.equalities if names & {tie.name1, tie.name2}), *gone]:
        spec.delete(element)
    words = ", ".join(body.name for body in held[:4]) + " ..." * (len(held) > 4)
    return [f"{len(held)} links that move and weigh nothing are held: {words}"] if held else []


def cure(error: str, spec: mujoco.MjSpec) -> str:
    """Return the cure of an error of MuJoCo's compiler, in words, where one is known."""
    if "opening file" in error:
        return "; put it there, or give its geoms contype and conaffinity 0 and their body an <inertial>"
    if "mjMINVAL" not in error:
        return ""
    names = ", ".join(body.name for body in _weightless(spec))
    words = "give each an <inertial> of positive mass and inertia, or <compiler boundmass= boundinertia=>"
    return (f"; these move and weigh nothing: {names}" if names else "") + f"; {words}"


def _weightless(spec: mujoco.MjSpec) -> list:
    """Return the bodies that move and, with all that is rigid with them, weigh nothing."""
    return [body for body in spec.bodies[1:] if body.joints and not any(map(_weighs, _rigid(body)))]


def _weighs(body) -> bool:
    return bool(body.mass) or any(geom.mass != 0 for geom in body.geoms)


def _rigid(body) -> list:
    return [body, *(other for child in body.bodies if not child.joints for other in _rigid(child))]


def _below(body) -> list:
    return [other for child in body.bodies for other in (child, *_below(child))]
