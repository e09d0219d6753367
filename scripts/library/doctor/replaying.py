"""A motion that is known, from a log or another engine, replayed: when its feet touch, and what its flags say.

A file of NumPy's `.npz` has `time` (n,) [s], `qpos` (n, nq) of the model, and may have `contact` (n, k), a flag for
each of k `geoms`, their names. Without `contact` the flags are whether they touch in those postures, up to round-off.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from tarsus.scripts.library.doctor import flicker
from tarsus.scripts.library.doctor.watching import distance

NAMES = ("time", "qpos", "geoms", "contact")


@dataclass(frozen=True)
class Postures:
    """A motion; see the module."""

    time: np.ndarray
    qpos: np.ndarray
    geoms: tuple[str, ...]
    contact: np.ndarray | None = None


def load(path: Path) -> Postures:
    """Return the motion of a file; ValueError if it is no such file."""
    stored = _read(path)
    if isinstance(stored, np.ndarray):
        raise ValueError(f"{path} holds one array; a motion is an .npz of {', '.join(NAMES[:3])}")
    found = {name: stored[name] for name in NAMES if name in stored}
    if missing := [name for name in NAMES[:3] if name not in found]:
        raise ValueError(f"{path} lacks {missing[0]!r}; a motion has {', '.join(NAMES[:3])}, and may have contact")
    return Postures(found["time"], found["qpos"], tuple(map(str, found["geoms"])), found.get("contact"))


def controls(path: Path) -> np.ndarray:
    """Return the controls of a file, shape (n, nu); ValueError if it is no such file."""
    stored = _read(path)
    if not isinstance(stored, np.ndarray):
        raise ValueError(f"{path} must hold one array, the controls for each step")
    return stored


def flags_of(model: mujoco.MjModel, motion: Postures) -> dict[str, flicker.Flicker]:
    """Return the verdict on a motion's contact flags, by the names of its geoms; ValueError if the model is another."""
    ids = check(model, motion)
    grounds = [geom for geom in range(model.ngeom) if model.body_weldid[model.geom_bodyid[geom]] == 0]
    data, n = mujoco.MjData(model), len(motion.time)
    gap = np.full((n, len(ids)), np.inf)
    for row in range(n):
        data.qpos[:] = motion.qpos[row]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        touching = {geom: contact for contact in data.contact for geom in (contact.geom1, contact.geom2)}
        for column, geom in enumerate(ids):
            near = [distance(model, data, (other, geom)) for other in grounds if _collide(model, other, geom)]
            contact = touching.get(geom)
            listed = np.inf if contact is None else float(contact.dist)
            gap[row, column] = min([listed, *near])
    flags = gap < flicker.TOUCH if motion.contact is None else motion.contact.astype(bool)
    return {name: flicker.compare(motion.time, gap[:, k], flags[:, k]) for k, name in enumerate(motion.geoms)}


def check(model: mujoco.MjModel, motion: Postures) -> list[int]:
    """Return the numbers of the geoms of a motion; ValueError if it does not fit the model."""
    n, k = len(np.atleast_1d(motion.time)), len(motion.geoms)
    shapes = {"time": (n,), "qpos": (n, model.nq)} | ({} if motion.contact is None else {"contact": (n, k)})
    for name, shape in shapes.items():
        array = getattr(motion, name)
        if array.shape != shape or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
            raise ValueError(f"{name} of the motion must be finite numbers of shape {shape}, got {array.shape}")
    if n < 3 or not (np.diff(motion.time) > 0).all():
        raise ValueError("time of the motion must increase, over three rows at least")
    ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in motion.geoms]
    for name, found in zip(motion.geoms, ids, strict=True):
        if found < 0:
            raise ValueError(f"there is no geom {name!r} in the model")
    return ids


def _collide(model: mujoco.MjModel, first: int, second: int) -> bool:
    one, other = ((model.geom_contype[geom], model.geom_conaffinity[geom]) for geom in (first, second))
    return bool(one[0] & other[1] or other[0] & one[1])


def _read(path: Path) -> np.ndarray | dict[str, np.ndarray]:
    try:
        stored = np.load(path, allow_pickle=False)
        return stored if isinstance(stored, np.ndarray) else dict(stored)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read as an array or arrays of NumPy: {error}") from None
