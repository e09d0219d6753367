"""The ground in MuJoCo: one plane for plane terrain, otherwise tangent planes under the feet.

MuJoCo's height fields consist of prisms, and a toe of a tenth of a millimetre that penetrates near a prism's wall is
pushed out sideways: on rough ground most contact normals are wrong. So a height field is only drawn, and supports the
torso in a fall. Each foot stands on its own plane, the terrain's tangent plane at the foot, which
`GroundPatches.follow` moves along: normal and height are the exact terrain's. A model on curved terrain must be stepped
with it; on `flat` and `slope` it does nothing.

The ground is lower by the toe's radius, so that the toe's centre, the exact model's point toe, is at the height of the
terrain in contact. It has priority over the toes, so that its contact settings are used; otherwise MuJoCo averages both
and the toes sink by millimetres.
"""

import mujoco
import numpy as np

from ..analytic.terrain import Flat, Slope, Terrain
from .kinds import HFIELD, PLANE
from .presets import Preset

GROUND = "ground"
LOWERED = "ground_lowered"  # the numeric that says by how much, if not by a preset's toe radius [m]
HALF_EXTENT = 20.0  # of a height field, from the origin along x and y [m]
NONE = np.zeros(4)
EDGE = HALF_EXTENT - 1.0  # how far a machine may go on it [m]
LEAST_RELIEF = 1e-6  # MuJoCo refuses a height field without relief, such as a sinusoid of amplitude 0 [m]
GRID = np.linspace(-HALF_EXTENT, HALF_EXTENT, 801)  # coordinates of its samples along x, the same along y [m]
FOOT_BITS = range(1, 31)  # contact bits: 0 is the torso's (and, on a plane, the feet's), then one for each foot's patch


def is_plane(terrain: Terrain) -> bool:
    """Return whether the terrain is a single MuJoCo plane."""
    return isinstance(terrain, Flat | Slope)


def foot_bits(terrain: Terrain, foot: int) -> tuple[int, int]:
    """Return `contype` and `conaffinity` with which a foot touches the ground it stands on, and no other foot's.

    Bits are scarce: feet from the thirty-first on use theirs the other way round, as affinity instead of type.
    """
    if is_plane(terrain):
        return 1, 0
    turn, bit = divmod(foot, len(FOOT_BITS))
    return (1 << FOOT_BITS[bit], 0) if turn == 0 else (0, 1 << FOOT_BITS[bit])


def add_ground(
    spec: mujoco.MjSpec, terrain: Terrain, preset: Preset, friction: float, n_feet: int, lowered: float | None = None
) -> list[str]:
    """Add the geom `ground` with its material, and on curved terrain a mocap body `patch_i` for each foot.

    Args:
        spec: The model under construction.
        terrain: The terrain.
        preset: Settings of contact.
        friction: Coefficient.
        n_feet: How many.
        lowered: By how much the ground is lower than the terrain [m]; by default the preset's `toe_radius`.

    Returns:
        The name of the geom that each foot stands on.
    """
    if lowered is None:
        lowered = preset.toe_radius
    else:
        spec.add_numeric(name=LOWERED, data=[lowered])
    _add_material(spec)
    contact = contact_settings(preset, friction)
    ground = spec.worldbody.add_geom(name=GROUND, material="grid", contype=0, conaffinity=1, **contact)
    if is_plane(terrain):
        ground.type = PLANE
        ground.size = (0, 0, 1)  # infinite, drawn with a grid of 1 m
        ground.pos, ground.quat = _plane_pose(terrain, preset.sink - lowered)
        return [GROUND] * n_feet
    _add_height_field(spec, ground, terrain)
    for foot in range(n_feet):
        patch = spec.worldbody.add_body(name=f"patch_{foot}", mocap=True)
        affinity, kind = foot_bits(terrain, foot)
        patch.add_geom(
            name=f"patch_{foot}",
            type=PLANE,
            size=(0.05, 0.05, 1),
            pos=(0, 0, preset.sink - lowered),
            rgba=(0, 0, 0, 0),
            contype=kind,
            conaffinity=affinity,
            **contact,
        )
    return [f"patch_{foot}" for foot in range(n_feet)]


def contact_settings(preset: Preset, friction: float) -> dict:
    """Return the contact settings of the ground's geom, which count instead of the feet's."""
    return dict(
        priority=1,
        condim=3,
        friction=(friction, 0, 0),
        solref=preset.solref,
        solimp=(*preset.solimp, 0.5, 2),
        margin=0.0,
        gap=0.0,  # neither the defaults of somebody's file
    )


def _plane_pose(terrain: Terrain, height: float) -> tuple[np.ndarray, np.ndarray]:
    return height * terrain.normal(0.0, 0.0), tilt(*terrain.gradient(0.0, 0.0))


def _add_material(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="grid",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=(0.74, 0.78, 0.80),
        rgb2=(0.64, 0.69, 0.72),
        markrgb=(0.50, 0.56, 0.60),
        width=256,
        height=256,
    )
    material = spec.add_material(name="grid", texrepeat=(5, 5), texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "grid"


def _add_height_field(spec: mujoco.MjSpec, geom, terrain: Terrain) -> None:
    heights = terrain.grid(GRID, GRID)  # row by row along y, as MuJoCo stores them
    low, high = terrain.height_range(heights)
    heights[0, 0], heights[-1, -1] = low, high  # MuJoCo scales the data to [0, 1]: two far corners fix the scale
    spec.add_hfield(
        name=GROUND,
        nrow=len(GRID),
        ncol=len(GRID),
        size=(HALF_EXTENT, HALF_EXTENT, max(high - low, LEAST_RELIEF), 0.5),
        userdata=heights.astype(np.float32).ravel(),
    )
    geom.type = HFIELD
    geom.hfieldname = GROUND
    geom.pos = (0, 0, low)


def reroll(model: mujoco.MjModel, terrain: Terrain, preset: Preset) -> None:
    """Write another terrain of the same class into a compiled model, in place, its heights within the first one's."""
    if is_plane(terrain):
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_NUMERIC, LOWERED)
        lowered = preset.toe_radius if number < 0 else model.numeric_data[model.numeric_adr[number]]
        model.geom(GROUND).pos[:], model.geom(GROUND).quat[:] = _plane_pose(terrain, preset.sink - lowered)
        return
    low, span = model.geom(GROUND).pos[2], model.hfield_size[0, 2]
    shares = (terrain.grid(GRID, GRID) - low) / span
    model.hfield_data[:] = np.clip(shares, 0.0, 1.0).astype(np.float32).ravel()


class GroundPatches:
    """Keeps each foot's plane tangent to the terrain under that foot; on plane terrain it does nothing.

    Attributes:
        terrain: The terrain; assign another after `reroll`.
    """

    def __init__(self, model: mujoco.MjModel, terrain: Terrain):
        """Look up the patches of `model` and the sites `foot_i` of the feet on them."""
        self.terrain = terrain
        patches = [model.body(k) for k in range(model.nbody) if model.body(k).name.startswith("patch_")]
        self._mocap = np.array([patch.mocapid[0] for patch in patches], int)
        self._sites = np.array([model.site(f"foot_{k}").id for k in range(len(patches))], int)

    def __bool__(self) -> bool:
        """Whether there is anything to follow."""
        return len(self._sites) > 0

    def follow(self, data, terrain=None) -> None:
        """Move the patches to the feet's positions in `data`; call it before every physics step.

        Args:
            data: A `mujoco.MjData`, or the bound arrays of many simulations, with any leading dimensions.
            terrain: Object with their `height` and `gradient`; by default the attribute of that name.
        """
        if not self:
            return
        terrain = self.terrain if terrain is None else terrain
        feet = data.site_xpos[..., self._sites, :]  # (..., n, 3)
        x, y = feet[..., 0], feet[..., 1]
        feet[..., 2] = terrain.height(x, y)
        data.mocap_pos[..., self._mocap, :] = feet
        data.mocap_quat[..., self._mocap, :] = tilt(*terrain.gradient(x, y))


def stand(feet: np.ndarray, terrain: Terrain) -> np.ndarray:
    """Return position and quaternion, shape (7,), of a body at the origin whose lowest foot just touches the ground.

    The body is level, but parallel to the ground on an infinite slope: from a level start there the hind legs would
    drop first, and on a slope of 0.2 the hexapod would fall over backward before its first step.

    Args:
        feet: Body frame, shape (n, 3) [m].
        terrain: The ground.
    """
    pose = np.zeros(7)
    if isinstance(terrain, Slope):
        pose[:3] = -np.min(feet[:, 2]) * terrain.normal(0.0, 0.0)
        pose[3:] = tilt(*terrain.gradient(0.0, 0.0))
    else:
        pose[2] = terrain.height_to_clear(feet)
        pose[3] = 1.0
    return pose


def tilt(h_x: np.ndarray, h_y: np.ndarray) -> np.ndarray:
    """Return the least rotation that takes +z to the normal of a slope (h_x, h_y), shape (..., 4), as (w, x, y, z)."""
    cosine = 1.0 / np.sqrt(1.0 + h_x * h_x + h_y * h_y)  # of the angle of the slope
    quat = cosine[..., None] * NONE  # an array of its kind, in half the time of `np.stack`
    w = np.sqrt(0.5 * (1.0 + cosine))
    quat[..., 0], quat[..., 1], quat[..., 2] = w, 0.5 * cosine * h_y / w, -0.5 * cosine * h_x / w
    return quat
