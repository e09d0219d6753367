"""What the contacts of a model do, step by step, while it is held in its first keyframe or commanded.

A pair is two geoms that touch; its contacts, four of a box on a plane, are taken together. A row is what MuJoCo found
for the state that a step starts from, and the forces of that step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from tarsus.mjcf.contact_law import ContactLaw
from tarsus.mjcf.own_robot import rest_controls
from tarsus.mjcf.presets import INTEGRATORS
from tarsus.scripts.library.doctor import convergence, stance
from tarsus.scripts.library.doctor.finding import movable, name_of, pair_of
from tarsus.scripts.library.doctor.moving import distance, mass_of, velocity_at

BAD = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]


@dataclass(frozen=True)
class Pair:
    """Two geoms that touch."""

    geoms: tuple[int, int]  # their numbers, the one whose body moves last
    name: str  # in words
    # of their contact along the normal, for the mass that their contacts moved together when last they pressed
    law: ContactLaw
    friction: float  # coefficient of sliding
    presses: float  # distance below which they press, the sum of their margins [m]
    listed: float  # distance below which MuJoCo lists their contact, that and the sum of their gaps [m]
    height: float  # of the centre of mass of the moving body's tree over the contact, against gravity [m]


@dataclass(frozen=True)
class Watched:
    """A model that was watched. Arrays have a row for each step, n in all, and a column for each of p pairs."""

    model: mujoco.MjModel  # the model
    time: np.ndarray  # at the start of each step, shape (n,) [s]
    pairs: tuple[Pair, ...]  # those that touched
    listed: np.ndarray = field(repr=False)  # whether MuJoCo listed a contact, pressing or not, shape (n, p)
    # distance of the geoms, negative within; infinite where it was not measured, shape (n, p) [m]
    gap: np.ndarray = field(repr=False)
    force: np.ndarray = field(repr=False)  # normal force, shape (n, p) [N]
    tangential: np.ndarray = field(repr=False)  # friction, shape (n, p) [N]
    # of the later geom against the other along their contact, world frame, shape (n, p, 3) [m/s]
    slip_velocity: np.ndarray = field(repr=False)
    stance: stance.WholeModel = field(repr=False)  # the model as a whole
    error: float = 0.0  # of the solver's contact forces, in the mean over the rows at rest, over the weight
    ended: str = ""  # why it ended before its time, or ""
    immovable: tuple[str, ...] = ()  # pairs that touched, and that no joint can move along their normal, in words

    @property
    def at_rest(self) -> slice:
        """The rows in which a model that can rest has come to rest: the second half."""
        return at_rest(len(self.time))

    @property
    def drift(self) -> float:
        """Speed at which the model moves sideways at rest, of its fastest body [m/s]."""
        return self.stance.drift(self.at_rest)

    def column(self, geoms: tuple[int, int]) -> int | None:
        """Return the column of two geoms, if they touched."""
        places = [pair.geoms for pair in self.pairs]
        return places.index(geoms) if geoms in places else None


def at_rest(n: int) -> slice:
    """Return the second half of n rows."""
    return slice(n // 2, None)


def watch(model: mujoco.MjModel, seconds: float, controls: np.ndarray | None = None) -> Watched:
    """Step a model from its first keyframe, or from where the file puts it, and keep what its contacts do.

    Controls, shape (n, nu), are held from the last on; by default they hold the first keyframe. ValueError as of
    `check`.
    """
    n = check(model, seconds, controls)
    data, rows = mujoco.MjData(model), _Rows(model, n)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = rest_controls(model)
    ended = ""
    for k in range(n):
        if controls is not None:
            data.ctrl[:] = controls[min(k, len(controls) - 1)]
        rows.solver.before(k, data)
        mujoco.mj_step(model, data)
        if any(data.warning[kind].number for kind in BAD):
            n, ended = k, f"it diverged after {k * model.opt.timestep:.3g} s"  # what is kept is before
            break
        rows.add(k, data)
    return rows.watched(n, ended)


def check(model: mujoco.MjModel, seconds: float, controls: np.ndarray | None) -> int:
    """Return the number of steps for which a model is watched; ValueError if it cannot be watched so."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | np.number) or not np.isfinite(seconds):
        raise ValueError(f"seconds must be a number of simulated seconds, got {seconds!r}")
    n = round(float(seconds) / model.opt.timestep)
    if n < 10:
        raise ValueError(f"seconds must be at least ten steps of {model.opt.timestep:g} s, got {seconds:g}")
    if controls is not None and not isinstance(controls, np.ndarray):
        raise ValueError(f"controls must be an array of shape (n, {model.nu}), got {type(controls).__name__}")
    if controls is not None and (controls.ndim != 2 or controls.shape[1] != model.nu or not len(controls)):
        raise ValueError(f"controls must have a row for each step and {model.nu} columns, got {controls.shape}")
    if controls is not None and not (controls.dtype.kind in "biuf" and np.isfinite(controls).all()):
        raise ValueError("controls must be finite numbers")
    return n


class _Rows:
    """The columns of a `Watched`, which get a place for each pair when it first touches."""

    def __init__(self, model: mujoco.MjModel, n: int) -> None:
        self.model, self.n, self.columns, self.pairs, self.immovable = model, n, {}, {}, {}
        self.time, self.wrench = np.zeros(n), np.zeros(6)
        self.stance, self.solver = stance.WholeRecorder(model, n), convergence.ForceErrors(model, n)

    def add(self, k: int, data: mujoco.MjData) -> None:
        """Keep a step that was taken: contacts, places and velocities are still those that it started from."""
        self.time[k] = data.time - self.model.opt.timestep
        self.stance.add(k, data)
        found: dict[tuple[int, int], list[int]] = {}
        for index in range(data.ncon):
            geoms = data.contact[index].geom1, data.contact[index].geom2
            if min(geoms) >= 0:  # flexes have none
                found.setdefault(geoms, []).append(index)
        for geoms in [pair for pair in found if pair not in self.columns]:
            self.columns[geoms] = {
                "listed": np.zeros(self.n, bool),
                "gap": np.full(self.n, np.inf),
                "force": np.zeros(self.n),
                "tangential": np.zeros(self.n),
                "slip_velocity": np.zeros((self.n, 3)),
            }
        for geoms, column in self.columns.items():
            if contacts := found.get(geoms):
                self._contact(k, data, geoms, column, contacts)
            else:
                column["gap"][k] = distance(self.model, data, geoms)

    def _contact(self, k: int, data: mujoco.MjData, geoms: tuple[int, int], column: dict, contacts: list[int]) -> None:
        column["listed"][k] = True
        column["gap"][k] = min(data.contact[index].dist for index in contacts)
        total = np.zeros(3)
        for index in contacts:
            mujoco.mj_contactForce(self.model, data, index, self.wrench)
            column["force"][k] += self.wrench[0]
            frame = data.contact[index].frame.reshape(3, 3).T
            total += frame @ [0.0, *self.wrench[1:3]]
            self.stance.contact(k, geoms, data.contact[index].pos, frame @ self.wrench[:3])
        column["tangential"][k] = np.linalg.norm(total)
        contact = data.contact[contacts[0]]
        velocity = velocity_at(self.model, data, geoms[1], contact.pos) - velocity_at(
            self.model, data, geoms[0], contact.pos
        )
        normal = contact.frame[:3]
        column["slip_velocity"][k] = velocity - (velocity @ normal) * normal
        if column["force"][k] > 0 or geoms not in self.pairs:
            pressing = [index for index in contacts if data.contact[index].efc_address >= 0]
            if (pair := self._pair(data, geoms, pressing or contacts)) is not None:
                self.pairs[geoms] = pair

    def _pair(self, data: mujoco.MjData, geoms: tuple[int, int], contacts: list[int]) -> Pair | None:
        model, contact = self.model, data.contact[contacts[0]]
        name = "{} on {}".format(*(name_of(model, geom) for geom in movable(model, geoms)))
        if (moved := mass_of(model, data, contacts)) is None:
            self.immovable[geoms] = name
            return None
        mass, estimate = moved
        integrator = next(name for name, value in INTEGRATORS.items() if value == model.opt.integrator)
        refsafe = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_REFSAFE
        solref, solimp = tuple(map(float, contact.solref)), tuple(map(float, contact.solimp))
        law = ContactLaw(model.opt.timestep, solref, solimp, integrator, mass, estimate, refsafe)
        root = model.body_rootid[model.geom_bodyid[movable(model, geoms)[0]]]
        declared = pair_of(model, geoms)
        return Pair(
            geoms=geoms,
            name=name,
            law=law,
            friction=float(contact.friction[0]) if contact.dim > 1 else 0.0,
            presses=float(contact.includemargin),
            listed=float(
                contact.includemargin
                + (model.geom_gap[list(geoms)].sum() if declared is None else model.pair_gap[declared])
            ),
            height=float(self.stance.up @ (data.subtree_com[root] - contact.pos)),
        )

    def watched(self, n: int, ended: str) -> Watched:
        names = ("listed", "gap", "force", "tangential", "slip_velocity")
        shapes = {"slip_velocity": (n, 0, 3)}
        stacks = {
            name: np.stack([self.columns[geoms][name][:n] for geoms in self.pairs], 1)
            if self.pairs
            else np.zeros(shapes.get(name, (n, 0)))
            for name in names
        }
        whole = self.stance.stance(n)
        return Watched(
            self.model,
            self.time[:n],
            tuple(self.pairs.values()),
            **stacks,
            stance=whole,
            error=self.solver.error(at_rest(n), n, whole.weight),
            ended=ended,
            immovable=tuple(name for geoms, name in self.immovable.items() if geoms not in self.pairs),
        )
