"""The verdict on a user's robot when it is registered, from its file and its trial: warnings, or a refusal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..analytic.terrain import Flat
from ..mjcf.lowest_points import lowest
from ..mjcf.own_robot import OwnRobot, adapted, standing
from ..mjcf.terrain import GROUND
from .own_task import OwnRobotTask
from .own_trial import SETTLING, Trial, tried
from .steps import DIVERGED

FROUDE = 0.5  # speed over that of a fall from the body's height, of a robot that nothing else is known of
STANDING, TRIAL = 3.0, 6.0  # of a trial without and with a baseline [s]
LONG = 20.0  # of the trial of a baseline that turns [s]
TURNING = np.radians(30.0)  # by which it has turned in a trial
LEAST_SPEED = 0.02  # of a baseline that walks, as a share of the speed by `FROUDE`
LEAST_WAY = 0.3  # of a baseline that walks: the way made good, as a share of its path
LEAST_HEIGHT, MOST_LOAD = 0.5, 0.3  # of a baseline: mean height over that at rest, mean weights off its feet
LEAST_COST = 0.2  # cost of transport below which `typical_power` does not go, of the most frugal walking machines
TOLERANCE = 0.02  # of the force on standing feet, over the weight
UNTRIED = ("randomise", "randomise_contact", "push_speed", "action_delay", "terrain", "terrain_difficulty", "engine")
SUNK = 5e-3  # below the ground at rest, from which on a part is named [m]


class RobotWarning(UserWarning):
    """A user's file whose robot is not as it says, or does not stand."""


def warn(name: str, sentences) -> None:
    """Warn of what is not as a file says."""
    for sentence in sentences:
        warnings.warn(f"{name}: {sentence}", RobotWarning, stacklevel=4)


def of_file(robot: OwnRobot, preset) -> list[str]:
    """Return a sentence on the options that a preset replaces, if there are any, and those on the floor."""
    _, options, notes = adapted(robot, Flat(), preset)
    said = [f"the preset replaces of the file's options: {', '.join(map(str, options))}"] if options else []
    return said + list(notes)


def check_diverged(trial: Trial, name: str) -> None:
    """Refuse a robot whose trial diverges.

    Raises:
        ValueError: The sentence says when, where and what to do.
    """
    if trial.ending.startswith(DIVERGED):
        raise ValueError(
            f"{name} diverges at an action of 0 after {trial.seconds:.2f} s: {trial.ending}; the joint {trial.where!r} "
            "moved most. Give it armature or damping, lower the gain of its actuator, or register with "
            "preset='reference', whose timestep is eight times shorter"
        )


def unsteady(trial: Trial, task: OwnRobotTask) -> list[str]:
    """Return sentences on a robot that does not stand at an action of 0."""
    parts = f", touching with {', '.join(trial.touching[:6])}" if trial.touching else ""
    if trial.ending:
        return [f"at an action of 0 the robot does not stand: after {trial.seconds:.2f} s {trial.ending}{parts}"]
    said = []
    if abs(trial.feet - 1.0) > TOLERANCE:
        held = [task.model.body(k).name for k in np.flatnonzero(task.model.body_gravcomp)]
        cure = "; gravcomp carries " + ", ".join(held) if held else ""
        cure += f"; {task.model.neq} equality constraints act" if task.model.neq and not held else ""
        said.append(
            f"at an action of 0 the feet carry {trial.feet:.3f} of the weight, other parts {trial.others:.3f}"
            f"{parts}{cure}"
        )
    return said


def sunk(task: OwnRobotTask) -> list[str]:
    """Return a sentence on parts that are below the ground where the robot stands at rest, if there are any."""
    model = task.model
    data, found = standing(model), {}
    height = data.geom(GROUND).xpos[2]
    for k in range(model.ngeom):
        if model.body_rootid[model.geom_bodyid[k]] != model.jnt_bodyid[0] or model.geom(k).name.startswith("toe_"):
            continue
        depth = height - lowest(model, data, k)
        if depth > SUNK:
            name = model.geom(k).name or model.body(int(model.geom_bodyid[k])).name
            way = "touches it" if model.geom_contype[k] & 1 else "cannot touch it"
            found[name] = f"{name} by {1e3 * depth:.0f} mm, which {way}"
    return [f"at rest parts are below the ground: {', '.join(found.values())}"] if found else []


def check_baseline(trial: Trial, task: OwnRobotTask) -> None:
    """Refuse a baseline that falls, lies or goes in circles.

    Raises:
        ValueError: The sentence has its numbers.
    """
    state = (
        f"its trunk is at {trial.height * task.stands_at:.3f} m ({task.stands_at:.3f} m at rest), parts that are no "
        f"feet carry {trial.others:.2f} of the weight"
    )
    demand = f"an action of 0 has to stand or walk for {TRIAL:g} s on flat ground"
    if trial.ending:
        raise ValueError(f"the baseline falls by itself after {trial.seconds:.2f} s: {trial.ending}; {state}; {demand}")
    if trial.height < LEAST_HEIGHT or trial.others > MOST_LOAD:
        raise ValueError(f"the baseline lies: {state}; {demand}")
    walks = trial.path > 5.0 * LEAST_SPEED * froude_speed(task)
    lost = walks and trial.way < LEAST_WAY * trial.path
    if task.config.task == "forward" and (lost or abs(trial.turn) * LONG > np.pi):
        raise ValueError(
            f"the baseline goes round: {trial.path:.3f} m/s along its path, of which it makes good "
            f"{trial.way:.3f} m/s, turning by {np.degrees(trial.turn):.1f} deg/s; {demand}"
        )


def backward(trial: Trial, task: OwnRobotTask) -> list[str]:
    """Return a sentence on a baseline that walks, but not forward."""
    walks = trial.way > 5.0 * LEAST_SPEED * froude_speed(task)
    if task.config.task != "forward" or not walks or trial.speed > LEAST_WAY * trial.way:
        return []
    return [
        f"the baseline walks {trial.way:.3f} m/s, of which {trial.speed:.3f} m/s are forward, so that "
        f"typical_speed is not its own; forward is the world's {task.config.params.forward} axis at rest"
    ]


def froude_speed(task: OwnRobotTask) -> float:
    """Return half the root of gravity times the trunk's height at rest [m/s]."""
    return FROUDE * float(np.sqrt(task.config.params.g * max(task.stands_at, 1e-3)))


def typical(trial: Trial | None, task: OwnRobotTask) -> dict[str, float]:
    """Return the typical speed [m/s], and of a baseline the typical power [W], at least that of a frugal walk."""
    found = {"typical_speed": froude_speed(task)}
    if trial is not None:
        if trial.speed > LEAST_SPEED * found["typical_speed"]:
            found = {"typical_speed": trial.speed}
        found["typical_power"] = max(trial.power, LEAST_COST * task.weight * found["typical_speed"])
    return found


def examined(name: str, robot: OwnRobot, options: Mapping[str, Any], task: OwnRobotTask, env_class) -> Trial:
    """Return the trial of a robot, after warnings of what is not as its file says or does not stand.

    Raises:
        ValueError: If it diverges, or its baseline falls, lies or circles.
    """
    kept = {n: value for n, value in options.items() if n not in UNTRIED}
    env = env_class(params=robot, **kept)
    try:
        trial = tried(env, TRIAL if task.config.baseline is not None else STANDING)
        turned = abs(trial.turn) * (trial.seconds - SETTLING)
        if task.config.baseline is not None and not trial.ending and turned > TURNING:
            trial = tried(env, LONG)
        check_diverged(trial, name)
        if task.config.baseline is not None:
            check_baseline(trial, env.task)
        said = unsteady(trial, env.task) if task.config.baseline is None else backward(trial, env.task)
        warn(name, [*of_file(robot, env.config.preset), *sunk(env.task), *said])
    finally:
        env.close()
    return trial
