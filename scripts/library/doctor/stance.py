"""How a model stands as a whole: what its ground bears, where its bodies go, and whether they fell.

A body here is a kinematic tree: what moves, with all that hangs on it. The ground is what does not move.
"""

from dataclasses import dataclass, field

import mujoco
import numpy as np

FALLEN = 0.55  # of the height of the centre of mass over the contacts with which a body first stood: less has fallen
LASTS = 0.05  # for which it has so little: a box that slides may touch with one edge for a moment [s]
SINKING = 0.92  # of that height: from the last time it had so much, a body that fell was falling
UPRIGHT = 0.9  # cosine between gravity and a slide along which a body counts as free to fall


@dataclass(frozen=True)
class WholeModel:
    """A model as a whole, with a row for each of n steps and a column for each of t bodies."""

    names: tuple[str, ...]  # of the bodies
    place: np.ndarray = field(repr=False)  # centres of mass, shape (n, t, 3) [m]
    # of the centres of mass over the lowest of the body's contacts, NaN without one, shape (n, t) [m]
    height: np.ndarray = field(repr=False)
    force: np.ndarray = field(repr=False)  # that the ground bears against gravity, shape (n,) [N]
    weight: float  # of all that moves [N]
    is_free: bool  # whether all that moves may fall, so that the ground bears all of the weight at rest
    up: np.ndarray  # against gravity; zero without gravity
    timestep: float  # between rows [s]

    def bears(self, rows: slice) -> float:
        """Return the mean vertical force of the ground over the weight; NaN of what weighs nothing."""
        return float(self.force[rows].mean() / self.weight) if self.weight > 0 and len(self.force[rows]) else np.nan

    def unrest(self, rows: slice) -> float:
        """Return the standard deviation of that force over the weight; NaN of what weighs nothing."""
        return float(self.force[rows].std() / self.weight) if self.weight > 0 and len(self.force[rows]) else np.nan

    def drift(self, rows: slice) -> float:
        """Return the speed at which centres of mass move sideways on the whole, of the fastest body [m/s]."""
        place = self.place[rows]
        if len(place) < 2 or not place.shape[1]:
            return 0.0
        way = (place[-1] - place[0]) / ((len(place) - 1) * self.timestep)  # (t, 3)
        return float(np.linalg.norm(way - np.outer(way @ self.up, self.up), axis=1).max())

    def falls(self) -> list[tuple[int, int, int, float]]:
        """Return of each body that fell its column, the rows in which it began to and had, and what height was left.

        The height is that over the lowest contact, so that a ball may roll downhill; of a body that has come off or
        gone through its ground it is over where it stood.
        """
        found = []
        for column, height in enumerate(self.height.T):
            rows = np.flatnonzero(np.isfinite(height))
            if not len(rows) or not (first := height[rows[0]]) > 0:
                continue
            lost = (self.place[rows[0], column] - self.place[:, column]) @ self.up
            share = np.where(np.isfinite(height), height, np.maximum(first - lost, 0.0)) / first
            share[: rows[0]] = 1.0
            airborne = ~np.isfinite(height) & (lost < first)
            low = np.flatnonzero(_lasts((share < FALLEN) & ~airborne, max(2, round(LASTS / self.timestep))))
            if len(low):
                high = np.flatnonzero(share[: low[0]] >= SINKING)
                found.append((column, int(high[-1]) if len(high) else 0, int(low[0]), float(share[low[0]])))
        return found


def _lasts(flags: np.ndarray, n: int) -> np.ndarray:
    """Return in which rows flags are true that are true in the n rows from there on."""
    total = np.concatenate([[0], np.cumsum(flags)])
    runs = np.zeros(len(flags), bool)
    runs[: max(0, len(flags) - n + 1)] = total[n:] - total[:-n] == n if len(flags) >= n else False
    return runs


class WholeRecorder:
    """The rows of a `WholeModel`, added step by step."""

    def __init__(self, model: mujoco.MjModel, n: int) -> None:
        self.model, self.roots = model, np.array(model.tree_bodyadr, int)
        gravity = -np.array(model.opt.gravity) * (not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        self.g = float(np.linalg.norm(gravity))
        self.up = gravity / (self.g or 1.0)
        self.tree = np.array(model.body_treeid)[np.array(model.geom_bodyid)]  # of each geom; -1 of the ground
        shape = (n, len(self.roots))
        self.place, self.height, self.force = np.zeros((*shape, 3)), np.full(shape, np.nan), np.zeros(n)

    def add(self, k: int, data: mujoco.MjData) -> None:
        """Keep where the bodies are in a step."""
        self.place[k] = data.subtree_com[self.roots]

    def contact(self, k: int, geoms: tuple[int, int], place: np.ndarray, force: np.ndarray) -> None:
        """Keep a contact of that step: its place, and the force on its second geom, world frame [N]."""
        first, second = self.tree[list(geoms)]
        for tree in {int(first), int(second)} - {-1} if first != second else ():
            over = float((self.place[k, tree] - place) @ self.up)
            self.height[k, tree] = over if np.isnan(self.height[k, tree]) else max(over, self.height[k, tree])
        if (first < 0) != (second < 0):
            self.force[k] += float(force @ self.up) * (1.0 if first < 0 else -1.0)

    def stance(self, n: int) -> WholeModel:
        """Return the record of n steps."""
        model = self.model
        names = tuple(model.body(body).name or f"body {body} (unnamed)" for body in self.roots)
        weighs = model.body_mass * (1.0 - model.body_gravcomp) * (np.array(model.body_treeid) >= 0)
        weight = self.g * float(weighs.sum())
        kept = (one[:n] for one in (self.place, self.height, self.force))
        return WholeModel(names, *kept, weight, self._is_free(), self.up, float(model.opt.timestep))

    def _is_free(self) -> bool:
        """Return whether each tree has a free joint, or a slide along gravity, at its root."""
        model = self.model
        for body in self.roots:
            joints = range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body])
            types, slide = model.jnt_type[list(joints)], mujoco.mjtJoint.mjJNT_SLIDE
            slides = [abs(model.jnt_axis[k] @ self.up) > UPRIGHT for k in joints if model.jnt_type[k] == slide]
            springy = any(model.jnt_stiffness[k] > 0 for k in joints)
            if springy or not (mujoco.mjtJoint.mjJNT_FREE in types or any(slides)):
                return False
        return len(self.roots) > 0
