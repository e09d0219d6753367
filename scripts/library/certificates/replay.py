"""Episodes of a policy in one setting, and what is kept of each to tell where and why two of them part."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import mujoco
import numpy as np

from tarsus.mjcf.feet import clearance, n_feet
from tarsus.mjcf.presets import find
from tarsus.scripts.library.certificates.settings import FRICTIONS, NUDGE, Setting
from tarsus.scripts.library.learning import playing
from tarsus.scripts.library.learning.loading import Candidate

STILL = 0.1  # a shorter way has no cost of transport [m]
IN_CONE = 0.9  # of friction times the normal force: a foot with less tangential force has no reason to slide
# Options of a candidate that say where it was trained; a setting says its own.
SIMULATED = ("engine", "preset", "randomise_contact")
CORNERS = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij"), -1).reshape(-1, 3)


@dataclass(frozen=True)
class Track:
    """An episode. Arrays have a row for each control period, n in all."""

    seed: int  # of the episode
    ctrl_dt: float  # control period [s]
    total: float  # the return
    speed: float  # along the environment's forward axis, mean [m/s]
    cost_of_transport: float  # positive work of the joints over weight and way; NaN for none
    ending: str  # why the episode was terminated; "" if it was not
    position: np.ndarray = field(repr=False)  # of the body, shape (n, 3) [m]
    quat: np.ndarray = field(repr=False)  # its orientation, shape (n, 4)
    down: np.ndarray = field(repr=False)  # whether each foot is in contact, shape (n, n_feet)
    # how far the standing feet slid so far within their cones of friction, their mean, shape (n, 2) [m]
    creep: np.ndarray = field(repr=False)
    depth: np.ndarray = field(repr=False)  # of the feet in the ground, mean of those that touch, shape (n,) [m]
    body_down: np.ndarray = field(repr=False)  # whether anything but a foot is in the ground, shape (n,)


class NotFinite(ValueError):
    """A policy gave an action that is not finite."""


def play(candidate: Candidate, setting: Setting, seeds: Sequence[int], seconds: float | None = None) -> list[Track]:
    """Return an episode for each seed in a setting; see `play_together`."""
    return play_together(candidate, [setting], seeds, seconds)[0]


def play_together(
    candidate: Candidate, asked: Sequence[Setting], seeds: Sequence[int], seconds: float | None = None, n_threads=1
) -> list[list[Track]]:
    """Return an episode for each seed in each of some settings, all played in one vector environment.

    Other settings than the first differ from it in robot and contact alone, see `Task.settle`. ValueError if the
    environment does not take one, NotFinite if the policy gives an action that is not finite.
    """
    own = {name: value for name, value in candidate.options.items() if name not in SIMULATED}
    n_steps, acting = _actors(candidate, [own | dict(setting.options) for setting in asked], seeds, seconds)
    envs = gymnasium.make_vec(
        candidate.environment,
        len(asked) * len(seeds),
        vectorization_mode="vector_entry_point",
        n_threads=n_threads,
        **own | dict(asked[0].options) | {"max_episode_steps": n_steps},
    )
    _settle(envs.unwrapped, asked, len(seeds))
    observation, info = envs.reset(seed=[*seeds] * len(asked))
    _nudge(envs.unwrapped.task.qvel, asked, len(seeds))
    recorder = Recorder(envs, n_steps)
    over = np.zeros(envs.num_envs, bool)
    while recorder.running.any():
        action = _action(candidate, acting, observation, info, len(asked))
        if not (finite := np.isfinite(action).all(-1)).all():
            where = asked[np.argmin(finite) // len(seeds)].name
            raise NotFinite(f"the policy {candidate.name} gave an action that is not finite, in {where}")
        waited = over  # whose next episode begins in this step
        observation, reward, terminated, truncated, info = envs.step(action)
        recorder.add(reward, terminated, truncated, info)
        over = terminated | truncated
        if candidate.remembers:
            for policy, begins in zip(acting, waited.reshape(len(acting), -1), strict=True):
                policy.begin(begins)
    tracks = [recorder.track(k, seed) for k, seed in enumerate([*seeds] * len(asked))]
    envs.close()
    return [tracks[k : k + len(seeds)] for k in range(0, len(tracks), len(seeds))]


def _actors(candidate: Candidate, options: Sequence[Mapping], seeds, seconds) -> tuple[int, list]:
    """Return the number of steps in an episode, and the policies.

    There is one, or one with a memory for each setting, or one for each episode in its own environment.
    """
    acting: list = []
    for k, one in enumerate(options[:1] if candidate.batched and not candidate.remembers else options):
        env = playing.make(candidate.environment, one)
        if k == 0:
            n_steps = playing.steps_of(env) if seconds is None else max(2, round(seconds / env.unwrapped.ctrl_dt))
        env.reset(seed=seeds[0])
        acting += [candidate.make(env, seed) for seed in (seeds[:1] if candidate.batched else seeds)]
        env.close()
    return n_steps, acting


def _settle(envs, asked: Sequence[Setting], n_seeds: int) -> None:
    """Give the simulations of each setting but the first its robot and its contact."""
    config = envs.config
    for k, setting in enumerate(asked[1:], 1):
        robot = setting.options.get("params", config.params)
        preset = find(setting.options.get("preset", config.preset), config.PRESETS)
        for sim in range(k * n_seeds, (k + 1) * n_seeds):
            envs.task.models.settle(sim, robot, preset)


def _nudge(qvel: np.ndarray, asked: Sequence[Setting], n_seeds: int) -> None:
    """Change one velocity of the simulations of each setting that is nudged."""
    for k, setting in enumerate(asked):
        if setting.nudged is not None:
            qvel[k * n_seeds : (k + 1) * n_seeds, setting.nudged % qvel.shape[1]] += NUDGE


def _action(candidate: Candidate, acting: Sequence, observation, info: Mapping[str, Any], n_stacks: int) -> np.ndarray:
    """Return the actions, those of each setting as if it were alone: round-off depends on the number of rows."""
    if candidate.batched:
        stacks = observation.reshape(n_stacks, -1, *observation.shape[1:])
        acts = acting if candidate.remembers else acting * n_stacks
        found = (
            acting[0](stacks, info) if candidate.stacked else [a(r, info) for a, r in zip(acts, stacks, strict=True)]
        )
        return np.concatenate(np.asarray(found, float))
    rows = [{name: value[k] for name, value in info.items() if name[0] != "_"} for k in range(len(acting))]
    return np.array([policy(observation[k], rows[k]) for k, policy in enumerate(acting)], float)


class Recorder:
    """What a vector environment's first episodes are, step by step; they have begun, and `running` are not over."""

    def __init__(self, envs, n_steps: int):
        self.envs, self.task, n = envs, envs.unwrapped.task, envs.num_envs
        model = self.task.model
        self._qpos = np.zeros((n_steps, n, model.nq))
        self._feet = np.zeros((n_steps, n, self.task.n_feet, 4))
        self._driven = model.jnt_dofadr[model.actuator_trnid[:, 0]]
        self.running, self._n = np.ones(n, bool), np.zeros(n, int)
        self._total, self._work, self._way = np.zeros(n), np.zeros(n), np.zeros(n)
        self._ending = [""] * n
        self._ground = [copy.deepcopy(self.task.ground[k]) for k in range(n)]  # the next episode's may be another

    def add(self, reward: np.ndarray, terminated: np.ndarray, truncated: np.ndarray, info: Mapping[str, Any]) -> None:
        """Keep a step of the episodes that run."""
        task, now = self.task, self.running
        power = np.maximum(info["torque"] * task.qvel[:, self._driven], 0.0).sum(-1) if "torque" in info else np.nan
        k = int(self._n.max())
        self._qpos[k], self._feet[k] = task.qpos, task.foot
        self._total += np.where(now, reward, 0.0)
        self._work += np.where(now, power * task.ctrl_dt, 0.0)
        self._way = np.where(now, info["distance"], self._way)
        self._n += now
        for sim in np.flatnonzero(now & terminated):
            self._ending[sim] = self.envs.unwrapped.reasons[info["termination"][sim]]
        self.running = now & ~terminated & ~truncated

    def track(self, sim: int, seed: int) -> Track:
        """Return the episode of a simulation."""
        task, n, way = self.task, self._n[sim], float(self._way[sim])
        model = task.model
        weight = float(model.body_mass.sum() * np.linalg.norm(model.opt.gravity))
        cost = self._work[sim] / (weight * way) if way > STILL and self._work[sim] > 0 else np.nan
        qpos, feet = self._qpos[:n, sim], self._feet[:n, sim]
        position, quat, toes, lowest = poses(model, qpos, self._ground[sim])
        flags = feet[..., 0] > 0
        speed = way / (n * task.ctrl_dt)
        return Track(
            *(seed, task.ctrl_dt, float(self._total[sim]), speed, float(cost), self._ending[sim], position, quat),
            down=flags,
            creep=crept(toes, feet, friction_of(task.models.nominal[sim][0], self.envs.unwrapped.models[sim])),
            depth=np.where(flags, np.maximum(-toes[..., 2], 0.0), 0.0).sum(-1) / np.maximum(flags.sum(-1), 1),
            body_down=lowest < 0.0,
        )


def friction_of(robot, model: mujoco.MjModel) -> float:
    """Return the coefficient of friction along a robot's way; where it is the contact's, its model knows it."""
    found = [getattr(robot, name) for name in FRICTIONS if hasattr(robot, name)]
    return float(found[0] if found else max(model.pair_friction[:, 0], default=1.0))


def poses(model: mujoco.MjModel, qpos: np.ndarray, ground) -> tuple[np.ndarray, ...]:
    """Return positions (n, 3) [m], quaternions (n, 4), places of feet (n, n_feet, 3) and clearances (n,) of states.

    The last of a foot's place is its height above the ground [m]; the clearance is the height of the lowest corner of
    all other parts that may touch it [m].
    """
    data, n = mujoco.MjData(model), len(qpos)
    free = model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    named = (k for k in range(model.nbody) if model.body(k).name in ("torso", "thigh"))
    torso = int(model.jnt_bodyid[0]) if free else next(named)
    sites = [model.site(f"foot_{leg}").id for leg in range(n_feet(model))]
    toes = model.site_bodyid[sites]
    parts = [k for k in range(model.ngeom) if _may_touch(model, k) and model.geom_bodyid[k] not in toes]
    position, quat = np.empty((n, 3)), np.empty((n, 4))
    feet, corner = np.empty((n, len(sites), 3)), np.full((n, len(parts), 8, 3), np.inf)
    boxes = model.geom_aabb[parts, None, :3] + CORNERS * model.geom_aabb[parts, None, 3:]
    for k in range(n):
        data.qpos[:] = qpos[k]
        mujoco.mj_kinematics(model, data)
        position[k], quat[k], feet[k] = data.xpos[torso], data.xquat[torso], data.site_xpos[sites]
        corner[k] = data.geom_xpos[parts, None] + boxes @ data.geom_xmat[parts].reshape(-1, 3, 3).swapaxes(1, 2)
    feet[..., 2] -= ground.height(feet[..., 0], feet[..., 1])  # round toes stand on lower ground: their centres count
    feet[..., 2] -= clearance(model)
    flat = corner.reshape(n, -1, 3)
    height = flat[..., 2] - ground.height(flat[..., 0], flat[..., 1])
    return position, quat, feet, height.min(-1, initial=np.inf)


def _may_touch(model: mujoco.MjModel, geom: int) -> bool:
    body, paired = model.geom_bodyid[geom], geom in model.pair_geom1 or geom in model.pair_geom2
    solid = model.geom_contype[geom] or model.geom_conaffinity[geom] or paired
    return bool(body and model.body_mocapid[body] < 0 and solid)


def crept(toes: np.ndarray, feet: np.ndarray, friction: float) -> np.ndarray:
    """Return the creep so far: the mean way of standing feet within their cones of friction, shape (n, 2) [m].

    `toes` are places, shape (n, n_feet, 3) [m]; `feet` whether they touch, and the ground's force in the world, (...,
    4).
    """
    normal, tangential = np.abs(feet[..., 3]), np.linalg.norm(feet[..., 1:3], axis=-1)
    stands = (feet[..., 0] > 0) & (tangential <= IN_CONE * friction * normal)
    both = np.concatenate([np.zeros_like(stands[:1]), stands[1:] & stands[:-1]])
    moved = np.concatenate([np.zeros_like(toes[:1, :, :2]), np.diff(toes[..., :2], axis=0)])
    share = both / np.maximum(both.sum(-1, keepdims=True), 1)
    return np.cumsum((moved * share[..., None]).sum(1), axis=0)
