"""The pose in which a user's robot starts: of a keyframe, of the file, given, or found.

A pose that is found has all feet at one height under the mass centre, no other part near the ground, legs that are
bent, and takes the least torque in the joints to hold. It is sought where the file has no keyframe and its own pose
does not stand so, as with the straight legs in which most URDFs are drawn.
"""

import functools
from collections.abc import Sequence

import mujoco
import numpy as np
from scipy.optimize import least_squares

from ..analytic.spelling import listed
from .feet import points_of
from .kinds import BOX, CYLINDER, HINGE, MESH
from .own_feet import Tree, joints_to, lowest, posed, sphere_of

FOUND = "found"
LEVEL = 0.05  # of the height at rest, by which heights of feet may differ
INSIDE = 0.3  # of the width of the feet's hull, least distance of the mass centre from its edge; 0.5 is the middle
ROOM = 0.1  # of a leg's length, least height of other parts above the feet
BENT, LEAST_BENT = 1.2, 0.45  # of a leg's knee, in a pose that is found and in one that is taken [rad]
FLAT = (int(BOX), int(CYLINDER))  # shapes of feet that are soles
ROUND, WIDE = 0.05, 1.5  # of a mesh that is a point: misfit over the sphere's radius, and that over the mesh's
SHORT = 0.2  # of a leg's length: what is shorter is no thigh or shank
# Of residuals, where those of torques over weight times leg weigh 1.
WEIGHTS = dict(level=20.0, room=20.0, bent=3.0, under=3.0, aside=3.0, ahead=0.5, tilt=5.0, near=0.2)
ROUNDING, TURN = 1e-3, 2.0 * np.pi  # by which a pose may be outside a range; of a hinge, beyond which no range begins
INNER = 0.05  # of its range, that a joint stays away from the ends


def take(spec: mujoco.MjSpec, model: mujoco.MjModel, feet: Sequence[int], pose, keyframe, forward: int) -> list[str]:
    """Write the pose at rest into the first keyframe, the only one kept; return sentences on it and on joints' ranges.

    Args:
        spec: The robot, with names.
        model: Of the same, as it is.
        feet: A geom of each foot.
        pose: Angles by joint [rad] or [m], or "found".
        keyframe: Name or number of a keyframe of the file; None is the first.
        forward: Index of the forward axis.

    Raises:
        ValueError: If there is no such joint or keyframe.
    """
    joints = [model.joint(k).name for k in range(1, model.njnt)]
    given = {} if pose == FOUND else pose
    if unknown := [name for name in given if name not in joints]:
        raise ValueError(f"pose: there is no joint {unknown[0]!r}; there are {listed(unknown[0], joints)}")
    qpos, ctrl = at_rest(model, keyframe, pose)
    notes = []
    if pose == FOUND or (not model.nkey and not given and not stands(model, qpos, feet)):
        qpos, ctrl = np.array(search(model, tuple(qpos.tolist()), tuple(feet), forward)), None
        moved = [(name, angle) for name, angle in zip(joints, qpos[7:], strict=True) if abs(angle) >= 0.005]
        angles = ", ".join(f"{name} {angle:.2f}" for name, angle in moved)
        notes.append(f"the pose at rest was found: {angles}; give another by pose={{...}} or a keyframe")
    for name, angle in given.items():
        qpos[7 + joints.index(name)] = angle
    notes += _odd_ranges(model, qpos)
    for key in list(spec.keys):
        spec.delete(key)
    key = spec.add_key(name="start")
    key.qpos = qpos
    if ctrl is not None and ctrl.any():
        key.ctrl = ctrl
    return notes


def _odd_ranges(model: mujoco.MjModel, qpos: np.ndarray) -> list[str]:
    """Return sentences on joints whose ranges leave out the pose, have no inside, or seem to be in degrees."""
    outside, empty, degrees = [], [], []
    for k in range(1, model.njnt):
        low, high = model.jnt_range[k]
        angle, words = qpos[model.jnt_qposadr[k]], f"{model.joint(k).name} ({low:.4g} to {high:.4g})"
        if not model.jnt_limited[k]:
            empty += [words] * bool(low > high or low == high != 0.0)
        elif model.jnt_type[k] == HINGE and not (low < TURN and high > -TURN):
            degrees.append(words)
        elif not low - ROUNDING <= angle <= high + ROUNDING:
            outside.append(f"{words[:-1]}, at {angle:.4g})")
    said = {
        "the pose at rest is outside the range of {}: give another, or correct the range": outside,
        "the range of {} ends where it begins or before, so that it limits nothing": empty,
        "the range of {} is more than a turn away from 0: it may be in degrees, and angles are radians here": degrees,
    }
    return [text.format(", ".join(words[:4]) + " ..." * (len(words) > 4)) for text, words in said.items() if words]


def at_rest(model: mujoco.MjModel, keyframe=None, pose=None) -> tuple[np.ndarray, np.ndarray | None]:
    """Return `qpos` and controls of a keyframe; without one, joints as near to 0 as their ranges allow, and None.

    A pose that is "found" is sought from there too, unless the keyframe is named: the file's first may kneel.

    Raises:
        ValueError: If there is no such keyframe.
    """
    if keyframe is None and (not model.nkey or (isinstance(pose, str) and pose == FOUND)):
        limited, (low, high) = model.jnt_limited[1:].astype(bool), model.jnt_range[1:].T
        return np.concatenate([model.qpos0[:7], np.where(limited, np.clip(0.0, low, high), 0.0)]), None
    names = [model.key(k).name for k in range(model.nkey)]
    number = 0 if keyframe is None else names.index(keyframe) if keyframe in names else keyframe
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < model.nkey:
        there_are = listed(keyframe, map(repr, names))
        raise ValueError(f"there is no keyframe {keyframe!r}; there are {there_are}")
    return model.key_qpos[number].copy(), model.key_ctrl[number].copy()


def stands(model: mujoco.MjModel, qpos: np.ndarray, feet: Sequence[int]) -> bool:
    """Whether in a pose legs are bent, feet end at one height, nothing below them, the mass centre between them."""
    data = posed(model, qpos)
    tree = Tree(model, data)
    ends = np.array([lowest(model, data, k) for k in feet])
    others = [tree.solid[k] for k in _others(tree, feet)]
    level = np.ptp(ends) <= LEVEL * tree.height and min(others, default=np.inf) > ends.min() - 1e-3
    points = np.concatenate([points_of(model, data, k)[:, :2] for k in feet])
    bent = any(is_sole(tree, data, k) for k in feet) or _bend(model, data, feet) > LEAST_BENT
    return bool(level and bent and _between(data.subtree_com[int(model.jnt_bodyid[0]), :2], points))


def is_sole(tree: Tree, data: mujoco.MjData, foot: int) -> bool:
    """Whether a foot is one that would tilt with its leg: flat, of several geoms, or a mesh that no sphere fits."""
    model = tree.model
    if int(model.geom_type[foot]) == MESH:
        radius, error = sphere_of(model, data, foot)
        return not 0.0 < radius < np.inf or error > ROUND * radius or radius > WIDE * model.geom_rbound[foot]
    return int(model.geom_type[foot]) in FLAT or len(tree.sole_of(foot)) > 1


def _between(place: np.ndarray, points: np.ndarray) -> bool:
    """Whether a place, shape (2,), is in the hull of points, (n, 2), in each direction `INSIDE` of its width away."""
    away = points - place
    angles = np.arange(72) * (2.0 * np.pi / 72)
    reach = (np.column_stack([np.cos(angles), np.sin(angles)]) @ away.T).max(1)  # of the hull in each direction
    return bool((reach > INSIDE * (reach + np.roll(reach, 36))).all())


@functools.lru_cache(maxsize=8)
def search(model: mujoco.MjModel, begin: tuple[float, ...], feet: tuple[int, ...], forward: int) -> tuple[float, ...]:
    """Return `qpos` of least torque with all feet down; joints of no leg stay where they are.

    Args:
        model: Of the robot.
        begin: `qpos` where the search begins; the root's orientation is kept.
        feet: A geom of each foot.
        forward: Index of the forward axis.
    """
    qpos, task = np.array(begin), _Residuals(model, np.array(begin), feet, forward)
    limited, (low, high) = model.jnt_limited[1:].astype(bool), model.jnt_range[1:].T
    low, high = np.where(limited, low, -np.pi), np.where(limited, high, np.pi)
    inner = INNER * (high - low)
    low, high, data = low + inner, high - inner, posed(model, qpos)
    moved = sorted({joint - 1 for foot in feet for joint in joints_to(model, int(model.geom_bodyid[foot]))})
    best = None
    for way in (0.0, 1.0, -1.0):
        start = qpos[7:] + way * _knees(model, data, feet, low + high)
        first, bounds = np.clip(start, low, high), (low[moved] - 1e-9, high[moved] + 1e-9)

        def judged(angles: np.ndarray, first=first) -> np.ndarray:
            joints = first.copy()
            joints[moved] = angles
            return task(joints)

        found = least_squares(judged, first[moved], bounds=bounds, max_nfev=40, diff_step=1e-4)
        if best is None or found.cost < best[0]:
            first[moved] = found.x
            best = found.cost, first
    return (*begin[:7], *best[1].tolist())


def _knees(model: mujoco.MjModel, data: mujoco.MjData, feet: Sequence[int], sides: np.ndarray) -> np.ndarray:
    """Return a bend of all legs, by joint [rad]: knees by `BENT`, parallel joints before and after by half of it back.

    `sides` are sums of the joints' ranges: of what side of 0 they are.
    """
    bend = np.zeros(model.njnt - 1)
    for foot in feet:
        chain = joints_to(model, int(model.geom_bodyid[foot]))
        if len(chain) < 2:
            continue
        knee = max(chain[1:], key=lambda joint: min(_parts(model, data, chain[0], joint, foot)[2:]))
        one_sided = model.jnt_limited[knee] and not model.jnt_range[knee, 0] < 0 < model.jnt_range[knee, 1]
        way = np.sign(sides[knee - 1]) if one_sided else 1.0
        for joint in chain:
            along = float(data.xaxis[joint] @ data.xaxis[knee])
            if abs(along) > 0.8:
                bend[joint - 1] = way * BENT * (1.0 if joint == knee else -0.5 * np.sign(along))
    return bend


class _Residuals:
    """What a pose is judged by, as a function of the joints: its squares add up to the cost."""

    def __init__(self, model: mujoco.MjModel, qpos: np.ndarray, feet: Sequence[int], forward: int):
        self.model, self.data, self.first, self.feet = model, mujoco.MjData(model), qpos.copy(), list(feet)
        root = int(model.jnt_bodyid[0])
        self.weight = float(model.body_subtreemass[root]) * 9.81
        self.leg = max(float(np.mean([_reach(model, int(model.geom_bodyid[k]), root) for k in self.feet])), 1e-3)
        self.forward, data = forward, posed(model, qpos)
        tree = Tree(model, data)
        self.aside = data.geom_xpos[self.feet, 1 - forward].copy()
        self.soles = [k for k in self.feet if is_sole(tree, data, k)]
        self.level = data.geom_xmat[self.soles, 2::3].copy()  # the third column: a geom's own axis in the world
        chains = [joints_to(model, int(model.geom_bodyid[k])) for k in self.feet]
        self.hips = np.array([data.xanchor[chain[0], forward] if chain else 0.0 for chain in chains])
        self.others = _others(tree, self.feet)

    def __call__(self, joints: np.ndarray) -> np.ndarray:
        """Return torques over weight times leg, and what is amiss of heights and the mass centre, over the leg."""
        model, data, leg = self.model, self.data, self.leg
        data.qpos[:] = np.concatenate([self.first[:7], joints])
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        ends = np.array([lowest(model, data, k) for k in self.feet])
        torque, jacobian = np.zeros(model.nv), np.zeros((3, model.nv))
        for k, end in zip(self.feet, ends, strict=True):
            point = np.append(data.geom_xpos[k, :2], end)
            mujoco.mj_jac(model, data, jacobian, None, point, int(model.geom_bodyid[k]))
            torque += jacobian[2] * self.weight / len(self.feet)
        above = min((lowest(model, data, k) for k in self.others), default=np.inf) - ends.min()
        under = data.subtree_com[int(model.jnt_bodyid[0]), :2] - data.geom_xpos[self.feet, :2].mean(0)
        room = max(0.0, ROOM - above / leg) if np.isfinite(above) else 0.0
        parts = [torque[6:] / (self.weight * leg), WEIGHTS["level"] * (ends - ends.mean()) / leg]
        aside = data.geom_xpos[self.feet, 1 - self.forward] - self.aside
        ahead = data.geom_xpos[self.feet, self.forward] - self.hips
        tilt = (data.geom_xmat[self.soles, 2::3] - self.level).ravel()
        parts += [WEIGHTS["aside"] * aside / leg, WEIGHTS["ahead"] * ahead / leg, WEIGHTS["tilt"] * tilt]
        parts += [[WEIGHTS["bent"] * max(0.0, BENT - _bend(model, data, self.feet))]]
        parts += [[WEIGHTS["room"] * room], WEIGHTS["under"] * under / leg, WEIGHTS["near"] * (joints - self.first[7:])]
        return np.concatenate(parts)


def _others(tree: Tree, feet: Sequence[int]) -> list[int]:
    """Return the geoms that may touch anything and are rigid with no foot."""
    weld = tree.model.body_weldid[tree.model.geom_bodyid]
    return [k for k in tree.solid if weld[k] not in weld[list(feet)]]


def _bend(model: mujoco.MjModel, data: mujoco.MjData, feet: Sequence[int]) -> float:
    """Return the angle about a knee's axis between thigh and shank, of the straightest leg [rad]; a leg of one is pi.

    A knee is the joint of a leg at which it bends most.
    """
    least = np.pi
    for foot in feet:
        chain = joints_to(model, int(model.geom_bodyid[foot]))
        if len(chain) > 1:
            least = min(least, max(_angle(model, data, chain[0], joint, foot) for joint in chain[1:]))
    return least


def _angle(model: mujoco.MjModel, data: mujoco.MjData, first: int, joint: int, foot: int) -> float:
    u, v, long, short = _parts(model, data, first, joint, foot)
    if min(long, short) <= SHORT * (long + short):
        return 0.0
    return float(np.arccos(np.clip(u @ v / (long * short), -1.0, 1.0)))


def _parts(model, data, first: int, joint: int, foot: int):
    """Return a leg before and behind a joint, across its axis, shape (3,) both, and their lengths [m]."""
    axis, knee = data.xaxis[joint], data.xanchor[joint]
    u, v = (part - (part @ axis) * axis for part in (knee - data.xanchor[first], data.geom_xpos[foot] - knee))
    return u, v, float(np.linalg.norm(u)), float(np.linalg.norm(v))


def _reach(model: mujoco.MjModel, body: int, root: int) -> float:
    """Return the length of the chain from the first joint of a leg to its foot's body [m]."""
    length = 0.0
    while body not in (root, 0) and int(model.body_parentid[body]) not in (root, 0):
        length += float(np.linalg.norm(model.body_pos[body]))
        body = int(model.body_parentid[body])
    return length
