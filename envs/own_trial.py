"""A trial of a user's robot: an action of 0 on flat ground, and what the robot carries and does meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..mjcf.terrain import GROUND
from .steps import DIVERGED

SETTLING = 2.0  # when a trial begins to count [s]
SAMPLED = 1.0  # between the places whose distances are the path: longer than a stride, whose sway is no way [s]


@dataclass(frozen=True)
class Trial:
    """What an action of 0 did on flat ground, means after `SETTLING`, or until the end if that was before."""

    seconds: float  # how long it went on [s]
    ending: str  # why it ended; empty if it did not
    where: str  # of one that diverged, the joint that moved most; else empty
    feet: float  # vertical force on the feet, in weights
    others: float  # on parts that are no feet, in weights
    touching: tuple[str, ...]  # names of these
    height: float  # of the trunk, over that at rest
    path: float  # speed along its path [m/s]
    way: float  # speed of the way made good, whatever its direction [m/s]
    speed: float  # its forward part [m/s]
    turn: float  # yaw rate [rad/s]
    power: float  # of the actuators [W]


def tried(env, seconds: float, watch: Callable[[], None] | None = None) -> Trial:
    """Return the trial of a single environment of a user's robot at an action of 0; `watch` is called at every step."""
    env.reset(seed=0)
    task, action = env.task, np.zeros(env.action_space.shape, np.float32)
    rows, places, touching, ending, moved = [], [], {}, "", np.zeros(env.model.nv)
    for _ in range(round(seconds / env.ctrl_dt)):
        *_, terminated, _, info = env.step(action)
        if terminated and info["termination"].startswith(DIVERGED):
            ending = info["termination"]
            break
        moved = np.abs(env.data.qvel).copy()
        if watch is not None:
            watch()
        if info["time"] > SETTLING or terminated:
            touching |= dict.fromkeys(_others_touching(env.model, env.data))
        ahead = task.forward_axis
        heading = np.arctan2(ahead[1], ahead[0])
        feet = float(info["foot_force"][:, 2].sum()) / task.weight
        rows.append((feet, float(task.off_feet()), float(task.trunk_height), heading, float(task.power())))
        places.append(task.here.copy())
        if terminated:
            ending = info["termination"]
            break
    where = env.model.joint(int(env.model.dof_jntid[moved.argmax()])).name if ending.startswith(DIVERGED) else ""
    return _summary(env, rows, np.array(places), ending, where, tuple(touching))


def _summary(env, rows, places, ending, where, touching) -> Trial:
    """Return the means of a trial's rows: force on feet and on others, height, heading and power."""
    task, dt = env.task, env.ctrl_dt
    seconds, first = len(rows) * dt, round(SETTLING / dt)
    counted = np.array(rows[first:] or rows[-1:] or [(0.0, 0.0, 0.0, 0.0, 0.0)])
    feet, others, height, _, power = counted.mean(0).tolist()
    yaw, at = np.unwrap(counted[:, 3]), places[first:]
    lasted = max((len(counted) - 1) * dt, dt)
    sampled = at[:: round(SAMPLED / dt)] if len(at) else np.zeros((1, 2))
    gone = (len(sampled) - 1) * round(SAMPLED / dt) * dt
    path = float(np.linalg.norm(np.diff(sampled, axis=0), axis=1).sum() / gone) if gone else 0.0
    speed = float(task.forward(at[-1] - at[0]) / lasted) if len(at) > 1 else 0.0
    way = float(np.linalg.norm(at[-1] - at[0]) / lasted) if len(at) > 1 else 0.0
    share = height / task.stands_at if task.stands_at > 0 else 1.0
    turn = float((yaw[-1] - yaw[0]) / lasted)
    return Trial(seconds, ending, where, feet, others, touching, share, path, way, speed, turn, power)


def _others_touching(model, data) -> list[str]:
    """Return the parts that are no feet and touch the ground, by their geom's name or their body's."""
    ground, found = model.geom(GROUND).id, []
    for pair in data.contact.geom[: data.ncon]:
        for k in pair if ground in pair else ():
            name = model.geom(int(k)).name
            if k != ground and not name.startswith("toe_"):
                found.append(name or model.body(int(model.geom_bodyid[k])).name)
    return found
