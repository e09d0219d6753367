"""Walks in MuJoCo steered and watched by the sliding model: how near a path, which payload, which leg, by what policy.

A case is a function and its arguments; its numbers are kept in a folder as soon as they are there, so that a study that
was interrupted goes on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tarsus.analytic import saving
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.controllers.connection_mpc import ConnectionMPC, Steering
from tarsus.controllers.connection_policy import SETTLE, origin_of
from tarsus.controllers.fault_bank import FaultBank
from tarsus.controllers.gaits import multipod_gait
from tarsus.controllers.observer import PayloadObserver
from tarsus.controllers.path import Path as Way
from tarsus.controllers.path import relative
from tarsus.scripts.laboratory.models.friction_ratios import FrictionRatios
from tarsus.scripts.library.learning import playing, steered
from tarsus.scripts.library.learning.evaluation import steps
from tarsus.scripts.library.machines.connection_walk import TURNED, FollowedPath, PathWalking, follow, pose_of
from tarsus.scripts.library.machines.multipod_mujoco import FPS, Walking, walk
from tarsus.scripts.library.search.multipod import MultipodSearch
from tarsus.scripts.library.sliding import ailing

PRESET = "rl"


def turns(radius: float, each: float, speed: float) -> Way:
    """Return an arc to the right of a length and radius [m], then one to the left, from points 0.1 m apart."""
    along = np.linspace(0.0, 2.0 * each, round(20.0 * each) + 1)
    heading = -np.where(along < each, along, 2.0 * each - along) / radius
    middle = 0.5 * (heading[1:] + heading[:-1])
    places = np.cumsum(np.stack([np.cos(middle), np.sin(middle)], axis=-1), axis=0) * (along[1] - along[0])
    return Way(np.concatenate([np.zeros((1, 2)), places]), speed)


LEGS = (6, 12)
PATHS = {
    "sine": Way.sine(0.2, 6.0, 6.0, 0.06),
    "bend": Way([[0.0, 0.0], [1.5, 0.0], [3.0, 0.15], [4.5, 0.55], [6.0, 1.3]], 0.06),
    "lane": Way([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.1], [4.0, 0.2], [5.0, 0.2], [6.0, 0.2]], 0.06),
    "turns": turns(5.5, 4.0, 0.06),
}
STRAIGHT = Way([[0.0, 0.0], [6.0, 0.0]], 0.06)
NOISE = (2e-3, 2e-3)  # of measured places [m] and headings [rad]
BEGUN = 10.0  # time on a path that does not count: the adaptation's first strides [s]
WATCHED = 40.0  # of a walk that is watched, and of its tare [s]
NAMED_WITHIN = 3.0  # of a leg's loss [s]
TOLD = 12.0  # how long a lost leg is waited for, longer than a payload must lead [s]
WET_FOR, WET_TOLD = (
    50.0,
    12.0,
)  # how long a robot walks on a wet foot while ratios are learned, or it is to be named [s]
LOADED = 20.0  # how long a bank watches a robot with a payload [s]
SOUND = 600.0  # of a sound robot's walk, without a false alarm [s]
TIMED = 200  # decisions
BODY = 3 * MultipodParams().segment_length  # length of a body of six legs [m]
GENERATIONS = 40  # of the search for the fastest gait


def kept(folder: Path | None, case: Callable, *arguments) -> dict:
    """Return the numbers of a case, from its file or computed and kept there."""
    name = "-".join([case.__name__, *(str(argument) for argument in arguments)])
    path = folder and folder / f"{name}.json"
    if path and path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    found = case(*arguments)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        saving.write_text(path, json.dumps(found) + "\n")
    return found


def following(legs: int, path: Way, seed: int, lost: tuple[int, ...] = ()) -> PathWalking:
    """Return the follower of a path with noise on its poses."""
    params = MultipodParams(n_legs=legs)
    gait, model = multipod_gait(params, "undulation", yaw=TURNED[0]), SlidingWalk(params, lost=lost)
    return PathWalking("multipod", params, gait, preset=PRESET, model=model, path=path, noise=NOISE, seed=seed)


def rms(values) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def followed(legs: int, name: str, seed: int) -> dict:
    """Return errors of a walk along a path, in lengths of the body."""
    made: FollowedPath = follow(following(legs, PATHS[name], seed), None)
    counted = made.track[:, 0] > BEGUN
    length = made.walking.params.segment_length * made.walking.params.n_segments
    return {
        "cross": rms(made.distance[counted]) / length,
        "worst": float(made.distance[counted].max()) / length,
        "end": float(made.distance[-1]) / length,
        "late": rms(made.late[counted]) / length,
        "completed": bool(made.completed),
    }


def decision_times(legs: int) -> dict:
    """Return the processor time of a decision of each steerer, median [s], along the sine."""
    model, path, found = SlidingWalk(MultipodParams(n_legs=legs)), PATHS["sine"], {}
    for kind in (Steering, ConnectionMPC):
        steerer, taken = kind(model, path), []
        for k in range(TIMED):
            t = 0.3 * k
            before = time.process_time()
            steerer(t, path(t) + [0.0, 0.01, 0.01], 2 * np.pi * model.frequency * t)
            taken.append(time.process_time() - before)
        found[kind.__name__] = float(np.median(taken))
    return found


def tared(legs: int, seed: int) -> tuple[MultipodParams, ailing.Observed]:
    """Return a robot, and what it sees of a sound walk."""
    params = MultipodParams(n_legs=legs)
    return params, ailing.watched(ailing.walk(params, ailing.Ailment(), ailing.SETTLED + WATCHED, PRESET), seed)


def payload(legs: int, seed: int) -> dict:
    """Return the errors of a payload at random, x and y [m]."""
    rng = np.random.default_rng(1000 + seed)
    truth = rng.uniform(-0.012, 0.012, 2)
    params, sound = tared(legs, 2 * seed)
    observer = PayloadObserver(params)
    observer.tare(sound.frames, sound.phase)
    ailment = ailing.Ailment(payload=tuple(truth))
    seen = ailing.watched(ailing.walk(params, ailment, ailing.SETTLED + WATCHED, PRESET), 2 * seed + 1)
    for frame, phase in zip(seen.frames, seen.phase, strict=True):
        found = observer.update(frame, phase, ailing.PERIOD)
    error = found.value - truth
    square = float(error @ np.linalg.solve(found.covariance, error))
    return {"error": error.tolist(), "deviation": np.sqrt(np.diag(found.covariance)).tolist(), "square": square}


def first_told(legs: int, kind: str, seed: int) -> dict:
    """Return the bank's first finding on a random payload, in 20 s, or on a random foot that gets wet, in 12 s.

    Args:
        legs: Of the robot.
        kind: "payload", as of `payload`, or "wet".
        seed: Of the ailment and of the noise.
    """
    params, sound = tared(legs, 0)
    bank = FaultBank(params)
    bank.tare(sound.frames, sound.phase)
    if kind == "payload":
        truth, foot, at = np.random.default_rng(1000 + seed).uniform(-0.012, 0.012, 2), None, ailing.SETTLED
        ailment, until, noise = ailing.Ailment(payload=tuple(truth)), ailing.SETTLED + LOADED, 2 * seed + 1
    else:
        foot, at = drawn(legs, seed)
        ailment, until, noise = ailing.Ailment(wet=(foot,), time=at), at + WET_TOLD, 200 + seed
    seen = ailing.watched(ailing.walk(params, ailment, until, PRESET), noise)
    for time_, frame, phase in zip(seen.time, seen.frames, seen.phase, strict=True):
        fault = bank.update(frame, phase)
        if fault:
            return {"foot": foot, "named": fault.leg, "kind": fault.kind, "delay": float(time_ - at)}
    return {"foot": foot, "named": None, "kind": None, "delay": None}


def drawn(legs: int, seed: int) -> tuple[int, float]:
    """Return a foot that gets wet, and when [s], within two strides."""
    rng = np.random.default_rng(3000 + seed)
    return int(rng.integers(legs)), float(rng.uniform(8.0, 8.0 + 2 / 0.3))


def lost_legs(legs: int, runs: int) -> list[dict]:
    """Return the bank's findings on legs lost at random: which, when, and the first named."""
    params, sound = tared(legs, 0)
    bank, rng, found = FaultBank(params), np.random.default_rng(7), []
    bank.tare(sound.frames, sound.phase)
    for run in range(runs):
        leg, at = int(rng.integers(legs)), float(rng.uniform(8.0, 8.0 + 2 / 0.3))
        seen = ailing.watched(ailing.walk(params, ailing.Ailment(leg=leg, time=at), at + TOLD, PRESET), 100 + run)
        bank.reset()
        told = (bank.update(frame, phase) for frame, phase in zip(seen.frames, seen.phase, strict=True))
        index, named = next(((k, fault) for k, fault in enumerate(told) if fault), (-1, None))
        delay = float(seen.time[index] - at)
        found.append({"leg": leg, "delay": delay, "named": named and named.leg, "kind": named and named.kind})
    return found


def false_alarms(legs: int) -> dict:
    """Return the number of the bank's findings on a sound robot in ten minutes, and the largest evidence."""
    params, sound = tared(legs, 0)
    bank, alarms, largest = FaultBank(params), 0, 0.0
    bank.tare(sound.frames, sound.phase)
    seen = ailing.watched(ailing.walk(params, ailing.Ailment(), ailing.SETTLED + SOUND, PRESET), 5)
    for frame, phase in zip(seen.frames, seen.phase, strict=True):
        found = bank.update(frame, phase)
        largest = max(largest, float(bank.evidence.max()))
        if found:
            alarms += 1
            bank.reset()
    return {"alarms": alarms, "largest": largest, "threshold": bank.threshold}


def wet_foot(seed: int) -> dict:
    """Return the errors of log mu of six feet, at the end, of which one at random got wet, and what it was before."""
    params, sound = tared(6, 2 * seed)
    observer, (foot, at) = FrictionRatios(params), drawn(6, seed)
    observer.tare(sound.frames, sound.phase)
    ailment = ailing.Ailment(wet=(foot,), time=at)
    seen = ailing.watched(ailing.walk(params, ailment, at + WET_FOR, PRESET), 200 + seed)
    for frame, phase in zip(seen.frames, seen.phase, strict=True):
        found = observer.update(frame, phase, ailing.PERIOD)
    truth = np.where(np.arange(6) == foot, np.log(ailment.friction), 0.0)
    truth -= truth.mean()
    error = found.value - truth
    square = float(error @ np.linalg.pinv(found.covariance, rcond=1e-9) @ error)  # the mean is known: five of freedom
    deviation = np.sqrt(np.diag(found.covariance)).tolist()
    return {"error": error.tolist(), "deviation": deviation, "square": square, "prior": rms(truth)}


def policy_on(policy: str, environment: str, name: str, seed: int) -> dict:
    """Return the distance from a path and the speed of a policy with six legs, from where it stands, or of the planner.

    Args:
        policy: A name, "connection-mpc" for the planner.
        environment: The policy's.
        name: Of the path; "straight" too.
        seed: Of the episode.
    """
    path = {"straight": STRAIGHT, **PATHS}[name]
    planned = policy == "connection-mpc"
    count = round((path.duration + SETTLE) / 0.02)
    env, act = playing.start(policy, environment, {"preset": PRESET}, seed, max_episode_steps=count)
    if planned:
        act = steered.connection_mpc(env, seed, path, noise=NOISE)
    true, poses, ended = steered.pose_of(env.unwrapped), [], False
    for _, terminated, info in steps(env, act, seed):
        poses.append(true(info))
        ended = ended or terminated
    env.close()
    return as_far_as_the_path(path, np.array(poses)[round(SETTLE / 0.02) :], 0.02) | {"fell": bool(ended)}


def as_far_as_the_path(path: Way, poses: np.ndarray, dt: float) -> dict:
    """Return distances of world poses (m, 3), `dt` apart, from a path that begins at the first, over its length."""
    track = relative(poses, origin_of(poses[0], path(0.0)))
    far = np.hypot(*(track[:, :2] - track[0, :2]).T)
    over = far >= np.hypot(*(path.points[-1] - path.points[0]))
    last = int(np.argmax(over)) if over.any() else len(track) - 1
    away = path.distance(track[: last + 1, :2]) / BODY
    return {"cross": rms(away), "end": float(away[-1]), "speed": float(far[last] / (last * dt))}


def gait_on(name: str) -> dict:
    """Return the same of the fastest gait that the search finds on the model, which knows no path."""
    path, params = {"straight": STRAIGHT, **PATHS}[name], MultipodParams()
    search = MultipodSearch(params.n_legs, generations=GENERATIONS)
    gait = search.run(confirm=False, progress=False).made["gait"]
    made = walk(Walking("multipod", params, gait, preset=PRESET), path.duration + SETTLE)
    poses = pose_of(made.qpos[made.time >= SETTLE])
    return as_far_as_the_path(path, poses, 1 / FPS) | {"fell": not made.completed}
