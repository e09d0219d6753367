"""Which geoms of a user's robot are its feet: named by geom or by body, or found as what is lowest at rest.

A body's foot is its lowest geom that may touch anything; where others of its shape are as low, as spheres under a sole
are, the body with all its geoms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from .feet import OTHER, SHAPES, no_foot, points_of
from .kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE
from .own_urdf import LOST

NUMBERS = {int(shape) for shape in SHAPES}
AUTO = "auto"
AS_LOW = 0.2  # of the robot's height at rest: legs that end so far above the lowest end in feet too
MORE = "; `tarsus robot FILE` finds feet that have no name"
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

    def sole_of(self, geom: int) -> list[int]:
        """Return the geoms of a geom's body that have its shape and end as low as it does, itself among them."""
        body, kind = self.model.geom_bodyid[geom], self.model.geom_type[geom]
        near = self.solid.get(geom, -np.inf) + SOLE * self.height
        alike = [j for j in self.solid if self.model.geom_bodyid[j] == body and self.model.geom_type[j] == kind]
        return [j for j in alike if self.solid[j] <= near] or [geom]

    def foot(self, geoms: Sequence[int]) -> tuple[int, ...]:
        """Return the geoms of the foot among those of a rigid part: the lowest, or all of its body."""
        k = min(geoms, key=self.solid.__getitem__)
        sole = self.sole_of(k)
        own = [j for j in geoms if self.model.geom_bodyid[j] == self.model.geom_bodyid[k]]
        return (k,) if len(sole) == 1 else (*sole, *(j for j in own if j not in sole))


def found(model: mujoco.MjModel, data: mujoco.MjData, notes: Sequence[str] = ()) -> tuple[str, ...]:
    """Return names of the feet: of the parts that carry no other, those that end lowest at rest.

    Args:
        model: Of the file as it is.
        data: Its state at rest.
        notes: Sentences on what is not as in the file, of which those on meshes may say why there are none.

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
            single = len(foot) == 1 and has_own_name(model, foot[0])
            names.append(model.geom(foot[0]).name if single else body)
    if not names:
        there_are = ", ".join(model.body(k).name for k in tree.leaves()) or "none"
        bare = "" if tree.solid else ": nothing of it may touch anything, as geoms of contype and <collision> may"
        raise ValueError(
            "no feet were found: of the parts that carry no other, none has geoms that may touch the ground and are "
            f"lowest at rest{bare}; name them by feet=(...), or give another pose. Such parts are {there_are}"
            + "".join(f"; {note}" for note in notes if LOST in note)
        )
    return tuple(names)


def has_own_name(model: mujoco.MjModel, geom: int) -> bool:
    """Whether a geom's name is the file's, not one that `own_source` gave."""
    body = model.body(int(model.geom_bodyid[geom]))
    made = f"{body.name}_geom_{geom - int(body.geomadr[0])}"
    return model.geom(geom).name not in ("", made, f"{made}_")


def geoms_of(model: mujoco.MjModel, data: mujoco.MjData, name: str, known=(), drawn: bool = False) -> tuple[int, ...]:
    """Return the geoms of a foot: the one of a name, or those by which the body of that name stands.

    Args:
        model: Compiled.
        data: Its state.
        name: Of a geom or a body.
        known: Names to say instead of the geoms' and those of the bodies that carry no other.
        drawn: Take also what the file keeps from touching anything, where there is nothing else.

    Raises:
        ValueError: If there is neither, or nothing of the body may touch the ground; the message says what there is.
    """
    kinds = ("geom", "body", "site", "joint")
    at = {kind: mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name) for kind in kinds}
    geom, body = at["geom"], at["body"]
    if geom >= 0 and model.geom_bodyid[geom] > 0 and model.geom_type[geom] in NUMBERS:
        return (geom,)
    if geom >= 0 or body <= 0:
        others = {OTHER if kind == "geom" else kind: (name,) for kind, number in at.items() if number >= 0}
        named_here, more = (known, "") if known else _candidates(model)
        raise ValueError(no_foot(name, "geom or body", named_here, others, more))
    for count_drawn in (False, True)[: 1 + drawn]:
        tree = Tree(model, data, count_drawn)
        if geoms := [k for k in tree.solid if model.geom_bodyid[k] == body] or tree.rigid_with(body):
            return tree.foot(geoms)
    raise ValueError(
        f"the body {name!r} has no geom that may touch the ground, to be a foot: it has none, or the file keeps "
        "them from touching (contype, conaffinity), or their mesh is missing"
    )


def _candidates(model: mujoco.MjModel) -> tuple[list[str], str]:
    """Return candidates for feet by their names, geoms and bodies that carry no other; and the places of the rest."""
    convex = [k for k in range(model.ngeom) if model.geom_bodyid[k] > 0 and model.geom_type[k] in NUMBERS]
    geoms = [k for k in convex if has_own_name(model, k)]
    leaves = sorted(set(range(1, model.nbody)) - {int(k) for k in model.body_parentid})
    bodies = [model.body(k).name for k in leaves if model.body(k).name not in ("", f"body_{k - 1}")]
    more = MORE if len(geoms) < len(convex) else ""
    return [*(model.geom(k).name for k in geoms), *bodies], more


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
    """Return the radius of the sphere that fits a mesh's lowest part best, and its largest error, both [m].

    The least squares of distances to the lowest tenth of the mesh's height; MuJoCo collides with the mesh's hull.
    """
    model_type = model.geom_type[geom]
    if model_type != MESH:
        return float(model.geom_size[geom, 0]), 0.0
    points = points_of(model, data, geom)
    points = points[points[:, 2] <= points[:, 2].min() + 0.1 * np.ptp(points[:, 2]) + 1e-9]
    if len(points) < 5:
        return 0.0, 0.0
    columns = np.column_stack([2.0 * points, np.ones(len(points))])
    (*centre, rest), *_ = np.linalg.lstsq(columns, np.square(points).sum(1), rcond=None)
    radius = float(np.sqrt(max(rest + np.square(centre).sum(), 0.0)))
    return radius, float(np.abs(np.linalg.norm(points - centre, axis=1) - radius).max())


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


def lowest(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Return the height of a geom's lowest point [m], of a shape that is not listed that of its centre."""
    down, size, centre = data.geom_xmat[geom].reshape(3, 3)[2], model.geom_size[geom], data.geom_xpos[geom, 2]
    kind = model.geom_type[geom]
    if kind == SPHERE:
        return float(centre - size[0])
    if kind == CAPSULE:
        return float(centre - size[0] - size[1] * abs(down[2]))
    if kind == CYLINDER:
        return float(centre - size[0] * np.hypot(down[0], down[1]) - size[1] * abs(down[2]))
    if kind == BOX:
        return float(centre - np.abs(down) @ size)
    if kind == ELLIPSOID:
        return float(centre - np.linalg.norm(down * size))
    if kind == MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        return float(centre + (model.mesh_vert[first : first + model.mesh_vertnum[mesh]] @ down).min())
    return float(centre)
