"""The lowest point of a geom, by its shape."""

import mujoco
import numpy as np

from .kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, SPHERE


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
