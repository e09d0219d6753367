"""The verdict on a user's robot when it is registered, from its file and its trial: warnings, or a refusal."""

import contextlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..analytic.terrain import Flat
from ..mjcf.own_feet import lowest
from ..mjcf.own_robot import OwnRobot, adapted, standing
from ..mjcf.terrain import GROUND
from . import own_clock
from .own_baseline import CLOCK
from .own_check import StandingCheck, standing_check
from .own_task import OwnRobotTask
from .own_trial import SETTLING, Trial, tried
from .steps import DIVERGED

FROUDE = 0.5  # speed over that of a fall from the body's height, of a robot that nothing else is known of
TRIAL = 6.0  # of a baseline [s]
LONG = 20.0  # of the trial of a baseline that turns [s]
TURNING = np.radians(30.0)  # by which it has turned in a trial
LEAST_SPEED = 0.02  # of a baseline that walks, as a share of the speed by `FROUDE`
LEAST_WAY = 0.3  # of a baseline that walks: the way made good, as a share of its path
LEAST_STRAIGHT = 0.8  # of a clock: speed ahead, as a share of the way made good
LEAST_HEIGHT, MOST_LOAD = 0.5, 0.3  # of a baseline: mean height over that at rest, mean weights off its feet
LEAST_COST = 0.2  # cost of transport below which `typical_power` does not go, of the most frugal walking machines
UNTRIED = ("randomise", "randomise_contact", "push_speed", "action_delay", "terrain", "terrain_difficulty", "engine")
SUNK = 5e-3  # below the ground at rest, from which on a part is named [m]


class RobotWarning(UserWarning):
    """A user's file whose robot is not as it says, or does not stand."""


def warn(name: str, sentences) -> None:
    """Warn of what is not as a file says."""
    for sentence in sentences:
        warnings.warn(f"{name}: {sentence}", RobotWarning, stacklevel=4)


def of_file(robot: OwnRobot, preset) -> list[str]:
    """Return a sentence on the options and contacts that a preset replaces, if any, and those on friction and floor."""
    _, options, notes = adapted(robot, Flat(), preset)
    said = [f"the preset replaces of the file: {', '.join(map(str, options))}"] if options else []
    return said + list(notes)


def check_diverged(trial: Trial, name: str) -> None:
    """Refuse a robot whose trial diverges."""
    if trial.ending.startswith(DIVERGED):
        raise ValueError(
            f"{name} diverges at an action of 0 after {trial.seconds:.2f} s: {trial.ending}; the joint {trial.where!r} "
            "moved most. Give it armature or damping, lower the gain of its actuator, or register with "
            "preset='reference', whose timestep is eight times shorter"
        )


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
    """Refuse a baseline that falls, lies or goes in circles."""
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


@dataclass(frozen=True)
class Verdict:
    """What was found of a robot."""

    standing: StandingCheck  # its check at an action of 0 without a baseline
    trial: Trial | None  # of its baseline, if it has one
    options: dict[str, Any]  # those of the environment that were found: baseline, typical speed and power
    sentences: tuple[str, ...]  # what is not as its file says, or does not stand


def is_sought(options: Mapping[str, Any]) -> bool:
    """Whether a clock is to be found: it is asked for, and its period is not said."""
    baseline = options.get("baseline")
    return isinstance(baseline, str) and baseline == CLOCK and options.get("baseline_period") is None


def examined(name: str, robot: OwnRobot, options: Mapping[str, Any], env_class) -> Verdict:
    """Return the findings of a robot's trial on flat ground; ValueError if it diverges, falls, lies or circles."""
    kept = {n: value for n, value in options.items() if n not in UNTRIED}
    asked, without = kept.get("baseline"), kept | {"baseline": None, "baseline_period": None}
    with contextlib.closing(env_class(params=robot, **without)) as env:
        standing = standing_check(env)
        check_diverged(standing.trial, name)
        said = [*of_file(robot, env.config.preset), *sunk(env.task), *standing.sentences()]
        made: dict[str, Any] = {}
        if is_sought(kept):
            trial, made, why = clocked(robot, without, env_class, standing)
            said += [] if trial or standing.trial.ending else [_no_clock(robot, without, env_class, standing, why)]
        elif asked is None:
            trial = None
        else:
            with contextlib.closing(env_class(params=robot, **kept)) as walking:
                trial = _tried(walking, name)
            said += backward(trial, env.task)
        return Verdict(standing, trial, made | typical(trial, env.task), tuple(said))


def _no_clock(robot: OwnRobot, options, env_class, standing: StandingCheck, why: str) -> str:
    """Return the sentence on a robot without a clock; a robot may face the other axis."""
    other = replace(robot, forward="y" if robot.forward == "x" else "x")
    trial, *_ = clocked(other, options, env_class, standing)
    aside = f"; along {other.forward} one walks at {trial.speed:.2f} m/s: forward={other.forward!r}" if trial else ""
    return f"no clock was found that walks ({why}): an action of 0 stands{aside}"


def _tried(env, name: str) -> Trial:
    trial = tried(env, TRIAL)
    if not trial.ending and abs(trial.turn) * (trial.seconds - SETTLING) > TURNING:
        trial = tried(env, LONG)
    check_diverged(trial, name)
    check_baseline(trial, env.task)
    return trial


def clocked(robot, options, env_class, standing: StandingCheck) -> tuple[Trial | None, dict[str, Any], str]:
    """Return the trial of the clock that walks fastest, and its options; None, nothing and why if none walks."""
    best, why = (None, {"baseline": None}), standing.trial.ending
    if standing.trial.ending:
        return *best, why
    try:
        env = env_class(params=robot, **{**options, "baseline": CLOCK})
    except ValueError as error:  # not every joint of a leg has a servo
        return *best, str(error)
    with contextlib.closing(env):
        for slowness in own_clock.PERIODS:
            period = env.task.corrections.period = own_clock.period_of(env.task.model, robot.g, slowness)
            try:
                trial = _tried(env, "the clock")
            except ValueError as error:
                why = str(error).split("; ")[0].replace("the baseline", "the slowest")
                continue
            why = f"it goes {trial.speed:.3f} m/s ahead and makes good {trial.way:.3f} m/s"
            walks = trial.speed > 5.0 * LEAST_SPEED * froude_speed(env.task)
            if walks and trial.speed > max(LEAST_STRAIGHT * trial.way, best[0].speed if best[0] else 0.0):
                best = trial, {"baseline": CLOCK, "baseline_period": period}
    return *best, why
