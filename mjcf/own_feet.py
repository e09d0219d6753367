"""Which geoms of a user's robot are its feet: named by geom or by body, or found as what is lowest at rest.

A body's foot is its lowest geom that may touch anything; where others of its shape are as low, as spheres under a sole
are, the body with all its geoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from .feet import MESH, SHAPES, candidates, foot_of, points_of
from .lowest_points import lowest

NUMBERS = {int(shape) for shape in SHAPES}
AUTO = "auto"
AS_LOW = 0.2  # of the robot's height at rest: legs that end so far above the lowest end in feet too
SOLE = 0.01  # of the height: geoms that are so far above a body's lowest belong to its sole


@dataclass(frozen=True)
class Foot:
    """A foot: what the user calls it, and its geoms, which are of one body."""

    name: str
    geoms: tuple[str, ...]


class Tree:
    """A robot at rest: which bodies are rigid with each other, which geoms may touch anything, and how low they reach.

    Args:
        model: Of the file as it is.
        data: Its state at rest.
        drawn: Count also what the file keeps from touching anything, but for meshes.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, drawn: bool = False):
        self.model, root = model, _root(model)
        self.parts = [k for k in range(1, model.nbody) if model.body_rootid[k] == model.body_rootid[root]]
        paired = {int(k) for pair in range(model.npair) for k in (model.pair_geom1[pair], model.pair_geom2[pair])}
        self.solid = {
            k: lowest(model, data, k)
            for k in range(model.ngeom)
            if int(model.geom_bodyid[k]) in self.parts
            and int(model.geom_type[k]) in NUMBERS
            and (
                model.geom_contype[k]
                or model.geom_conaffinity[k]
                or k in paired
                or (drawn and model.geom_type[k] != MESH)
            )
        }
        self.low = min(self.solid.values(), default=0.0)
        highest = max([*self.solid.values(), float(data.xpos[root, 2])], default=0.0)
        self.height = max(highest - self.low, 1e-9)

    def rigid_with(self, body: int) -> list[int]:
        """Return the geoms that may touch anything of all bodies that are rigid with this one."""
        weld = self.model.body_weldid[body]
        return [k for k in self.solid if self.model.body_weldid[self.model.geom_bodyid[k]] == weld]

    def leaves(self) -> list[int]:
        """Return a body of each rigid part that carries no other, the trunk excepted."""
        welds = {int(self.model.body_weldid[k]) for k in self.parts}
        carry = {int(self.model.body_weldid[self.model.body_parentid[k]]) for k in welds}
        return sorted(welds - carry - {int(self.model.body_weldid[_root(self.model)])})

    def foot(self, geoms: Sequence[int]) -> tuple[int, ...]:
        """Return the geoms of the foot among those of a rigid part: the lowest, or all of its body."""
        k = min(geoms, key=self.solid.__getitem__)
        body, kind = self.model.geom_bodyid[k], self.model.geom_type[k]
        near = self.solid[k] + SOLE * self.height
        own = [j for j in geoms if self.model.geom_bodyid[j] == body]
        sole = [j for j in own if self.model.geom_type[j] == kind and self.solid[j] <= near]
        return (k,) if len(sole) == 1 else (*sole, *(j for j in own if j not in sole))


def found(spec: mujoco.MjSpec, model: mujoco.MjModel, data: mujoco.MjData) -> tuple[str, ...]:
    """Return names of the feet: of the parts that carry no other, those that end lowest at rest.

    Raises:
        ValueError: If nothing that carries nothing may touch the ground.
    """
    tree, names = Tree(model, data), []
    if not any(tree.rigid_with(leaf) for leaf in tree.leaves()):
        tree = Tree(model, data, drawn=True)
    for leaf in tree.leaves():
        geoms = tree.rigid_with(leaf)
        if geoms and min(tree.solid[k] for k in geoms) <= tree.low + AS_LOW * tree.height:
            foot = tree.foot(geoms)
            body = model.body(int(model.geom_bodyid[foot[0]])).name
            single = len(foot) == 1 and model.geom(foot[0]).name in _own_names(spec)
            names.append(model.geom(foot[0]).name if single else body)
    if not names:
        there_are = ", ".join(model.body(k).name for k in tree.leaves()) or "none"
        raise ValueError(
            "no feet were found: of the parts that carry no other, none has geoms that may touch the ground and are "
            f"lowest at rest; name them by feet=(...). Such parts are {there_are}"
        )
    return tuple(names)


def _own_names(spec: mujoco.MjSpec) -> set[str]:
    """Return the names of geoms that the file gives, not `own_source`."""
    made = {f"{body.name}_geom_{number}" for body in spec.bodies[1:] for number in range(len(body.geoms))}
    return {geom.name for geom in spec.geoms} - made


def named(spec: mujoco.MjSpec, model: mujoco.MjModel, data: mujoco.MjData, name: str) -> Foot:
    """Return the foot of a geom's or a body's name.

    Raises:
        ValueError: If there is neither, or nothing of the body may touch the ground; the message says what there is.
    """
    if name in candidates(spec):
        return Foot(name, (name,))
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if body <= 0:
        foot_of(spec, name)  # says what there is
    for drawn in (False, True):
        tree = Tree(model, data, drawn)
        geoms = [k for k in tree.solid if model.geom_bodyid[k] == body] or tree.rigid_with(body)
        if geoms:
            break
    else:
        raise ValueError(
            f"the body {name!r} has no geom that may touch the ground, to be a foot: it has none, or the file keeps "
            "them from touching (contype, conaffinity), or their mesh is missing"
        )
    return Foot(name, tuple(model.geom(k).name for k in tree.foot(geoms)))


def check_apart(feet: Sequence[Foot]) -> None:
    """Refuse feet that share a geom.

    Raises:
        ValueError: The message names two.
    """
    whose: dict[str, str] = {}
    for foot in feet:
        for geom in foot.geoms:
            if geom in whose:
                raise ValueError(f"the feet {whose[geom]!r} and {foot.name!r} are the same geom {geom!r}: name one")
            whose[geom] = foot.name


def sphere_of(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> tuple[float, float]:
    """Return the radius of the sphere that fits a mesh's lowest part best, and its largest error, both [m]."""
    if model.geom_type[geom] != MESH:
        return float(model.geom_size[geom, 0]), 0.0
    return sphere_through(points_of(model, data, geom))[1:]


def sphere_through(points: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return centre, radius and largest error of the sphere that fits the lowest of points, shape (n, 3), best [m].

    The least squares of distances to the lowest tenth of their height; a radius of 0 where that is fewer than five
    points. MuJoCo collides with a mesh's hull.
    """
    points = points[points[:, 2] <= points[:, 2].min() + 0.1 * np.ptp(points[:, 2]) + 1e-9]
    if len(points) < 5:
        return points.mean(0), 0.0, 0.0
    columns = np.column_stack([2.0 * points, np.ones(len(points))])
    (*centre, rest), *_ = np.linalg.lstsq(columns, np.square(points).sum(1), rcond=None)
    radius = float(np.sqrt(max(rest + np.square(centre).sum(), 0.0)))
    return np.array(centre), radius, float(np.abs(np.linalg.norm(points - centre, axis=1) - radius).max())


def posed(model: mujoco.MjModel, qpos: np.ndarray) -> mujoco.MjData:
    """Return a model's state in a pose, at rest."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def joints_to(model: mujoco.MjModel, body: int) -> list[int]:
    """Return the joints from the trunk to a body."""
    found, root = [], int(model.jnt_bodyid[0])
    while body not in (root, 0):
        first = int(model.body_jntadr[body])
        found = [*range(first, first + int(model.body_jntnum[body])), *found]
        body = int(model.body_parentid[body])
    return found


def _root(model: mujoco.MjModel) -> int:
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return int(model.jnt_bodyid[free[0]]) if len(free) else 1
