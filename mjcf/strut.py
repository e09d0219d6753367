"""A drawn leg that has the model's present length: a strut from the hip to the toe, with its spring around it.

No body of the hexapod turns with a leg without sliding along it, and one more would change the physics. So the strut is
a skin, which MuJoCo draws in every viewer and which nothing touches: of each vertex a share `s` stays at the hip, the
rest moves with the toe. In the toe's frame that is at `d - s (L0 - rho) z` where it is at `d` with the leg at its rest
length L0: a cylinder at the hip (s near 1), a piston at the toe (s = 0), a spring between them.

A skin's bone turns its vertices with its body, but the share at the hip must not turn with the torso. Four bones of the
torso, turned by half a turn about each axis and not at all, have a mean of zero: what is left is the hip itself.
"""

import mujoco
import numpy as np

from .look import PARTS

HALF_TURNS = np.eye(4)  # the quaternions of no turn and of half a turn about x, y and z
SIDES = 8  # of the strut's cross-section
ROD, CYLINDER, FOLD_IN, FOLD_OUT = 0.006, 0.011, 0.009, 0.0165  # radii of piston, cylinder and the spring's folds [m]
FOLDS = 6  # of the spring
GRAIN = 64  # shares are multiples of 1 / GRAIN: MuJoCo scales them to a sum of 1, in single precision
FIXED = (
    1 - 1 / GRAIN
)  # share of the cylinder that stays at the hip; 1 would leave its vertices no place in the toe's frame
# Height above the toe and radius of the drawn foot [m], whose tip is the toe: clear of the ground to 53 degrees.
FOOT = np.array([(0.0, 0.0), (0.012, 0.009), (0.018, 0.010), (0.024, 0.008), (0.027, 0.0)])


def profile(length: float) -> np.ndarray:
    """Return height above the toe [m], radius [m] and share at the hip of the strut's rings, shape (n, 3)."""
    seat, top = 0.30 * length, 0.72 * length  # of the spring
    folds = np.linspace(0.0, 1.0, 2 * FOLDS + 1)
    radii = np.where(np.arange(len(folds)) % 2, FOLD_IN, FOLD_OUT)
    spring = np.column_stack([seat + (top - seat) * folds, radii, np.round(GRAIN * FIXED * folds) / GRAIN])
    piston = [(FOOT[0, 0], 0.0, 0.0), (FOOT[1, 0], ROD, 0.0), (seat, ROD, 0.0)]
    cylinder = [(top, CYLINDER, FIXED), (length, CYLINDER, FIXED), (length, 0.0, FIXED)]
    return np.concatenate([piston, spring, cylinder])


def surface(length: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return vertices in the toe's frame at rest (n, 3) [m], triangles (m, 3) and shares at the hip (n,)."""
    rings = profile(length)
    return *revolve(rings[:, :2]), np.repeat(rings[:, 2], SIDES)


def revolve(rings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) [m] and triangles (m, 3) of a surface about +z, from height and radius of its rings."""
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    around = np.stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)], axis=-1)
    vertices = rings[:, 1, None, None] * around + rings[:, 0, None, None] * (0.0, 0.0, 1.0)  # (rings, SIDES, 3)
    here = np.arange(SIDES) + SIDES * np.arange(len(rings) - 1)[:, None]
    beside = np.roll(here, -1, axis=1)
    faces = np.stack([here, beside, beside + SIDES, here, beside + SIDES, here + SIDES], axis=-1)
    return vertices.reshape(-1, 3), faces.reshape(-1, 3)


def draw_foot(spec: mujoco.MjSpec, name: str, toe: str) -> None:
    """Draw a foot on a body whose origin is the toe, as the skin of that name."""
    vertices, faces = foot()
    skin = spec.add_skin(name=name, material="dark", group=PARTS)
    skin.vert, skin.face = vertices.round(6).ravel(), faces.ravel()
    skin.bodyname, skin.bindpos, skin.bindquat = [toe], np.zeros(3), HALF_TURNS[0]
    skin.vertid, skin.vertweight = [np.arange(len(vertices))], [np.ones(len(vertices))]


def foot() -> tuple[np.ndarray, np.ndarray]:
    """Return vertices in the toe's frame (n, 3) [m] and triangles (m, 3) of a foot."""
    inner = FOOT[1:-1]
    vertices, sides = revolve(inner)
    tip, top = len(vertices), len(vertices) + 1
    here = np.arange(SIDES)
    beside, last = np.roll(here, -1), SIDES * (len(inner) - 1)
    caps = [
        np.stack(ends, axis=-1)
        for ends in ((beside, here, 0 * here + tip), (last + here, last + beside, 0 * here + top))
    ]
    points = np.concatenate([vertices, [(0, 0, FOOT[0, 0]), (0, 0, FOOT[-1, 0])]])
    return points, np.concatenate([sides, *caps])


def draw_strut(spec: mujoco.MjSpec, name: str, torso: str, toe: str, hip, length: float, material: str) -> None:
    """Draw a leg of one material, a skin, from a hip in the torso's frame (3,) [m] to the origin of the toe.

    The toe's z axis points at the hip; `length` is the leg's at rest [m].
    """
    at_rest, faces, share = surface(length)
    axis = share[:, None] * (0.0, 0.0, length)
    vertices = (at_rest - axis) / (1.0 - share[:, None])  # the toe's bone multiplies them by 1 - share again
    turned = np.array([_turned(turn, hip) for turn in HALF_TURNS])
    held = np.flatnonzero(share)
    skin = spec.add_skin(name=name, material=material, group=PARTS)
    skin.vert, skin.face = vertices.round(6).ravel(), faces.ravel()  # short in XML
    skin.bodyname = [toe] + [torso] * len(HALF_TURNS)
    skin.bindpos = np.concatenate([np.zeros(3), -turned.ravel()])
    skin.bindquat = np.concatenate([HALF_TURNS[0], HALF_TURNS.ravel()])
    skin.vertid = [np.arange(len(share))] + [held] * len(HALF_TURNS)
    skin.vertweight = [1.0 - share] + [0.25 * share[held]] * len(HALF_TURNS)


def _turned(quat: np.ndarray, vector) -> np.ndarray:
    out = np.zeros(3)
    mujoco.mju_rotVecQuat(out, np.asarray(vector, float), quat)
    return out
