"""In which environments a policy may be played: who names one decides whose code is run.

What somebody types may be `MODULE:NAME`, and the module is imported. What a file says is looked up among the
environments that there are, or must be what was typed: a policy of a stranger's imports nothing. The file of a robot
is read in either case: it is data.
"""

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator

from tarsus.analytic.spelling import listed
from tarsus.envs import ENVIRONMENTS, SURROGATES, TASKS
from tarsus.scripts.library.learning import robot_files
from tarsus.scripts.library.learning.robot_files import called, is_file

OWN_ROBOT = "tarsus.envs.own_robot:OwnRobotEnv"  # behind what `own_robot.register` registers


def make(name: str, options: Mapping[str, Any], **more: Any) -> gymnasium.Env:
    """Return an environment made with options that somebody asked for; ValueError if one is unknown or impossible."""
    try:
        return gymnasium.make(name, **options, **more)
    except TypeError as error:
        raise ValueError(f"{name} does not take these options: {error}") from error


def environment_of(name: str) -> str:
    """Return the registered name of an environment, task or robot, without prefix; ValueError if there is none."""
    own = [known for known, spec in gymnasium.registry.items() if spec.entry_point == OWN_ROBOT]
    bare, there_are = name.removeprefix("tarsus:"), (*ENVIRONMENTS, *SURROGATES, *TASKS, *own)
    if bare not in there_are:
        raise ValueError(f"unknown environment {name!r}; there are {listed(name, there_are)}")
    return bare


def asked_for(name: str) -> str:
    """Return the environment that somebody asks for; ValueError if there is none.

    In `MODULE:NAME` the module registers it when it is imported; the file of a robot is registered with its defaults.
    """
    if is_file(name):
        return robot_files.register(Path(name))
    module, colon, bare = name.partition(":")
    if not colon or module == "tarsus":
        return environment_of(name)
    try:
        import_here(module)
    except Exception as error:  # whatever somebody's module does
        raise ValueError(f"there is no environment {name!r}: {type(error).__name__}: {error}") from error
    return bare if is_simulation(bare) else environment_of(bare)


def is_simulation(name: str) -> bool:
    """Return whether a registered environment of that name is a machine of ours, or a user's, in MuJoCo."""
    from tarsus.envs.base import LeggedEnv  # not above: it imports MuJoCo

    if name not in gymnasium.registry or name in SURROGATES:
        return False
    made_by = gymnasium.registry[name].entry_point
    made_by = load_env_creator(made_by) if isinstance(made_by, str) else made_by
    return isinstance(made_by, type) and issubclass(made_by, LeggedEnv)


def stored(about: Mapping[str, Any], asked: str | None, folder: Path) -> str:
    """Return the environment that a stored policy names, if it is one of ours, a robot's, or what `asked_for` returned.

    A robot's file is looked for where it was, relative to the folders above the policy, and beside it and them. A
    policy of an environment may play the frozen tasks made of it. ValueError if it is none of these, or the file is no
    more there.
    """
    name, robot = about["environment"], about.get("robot")
    robot = robot if isinstance(robot, dict) else {}
    if asked and called(name) == asked:
        file = robot_files.file_of(asked)
        if file and robot.get("sha256", file.digest) != file.digest:
            robot_files.say_changed(file.path)
        return asked
    if is_file(name):
        return robot_files.again(name, robot, folder)
    try:
        found = environment_of(name)
        return asked if asked in TASKS and TASKS[asked].environment == found else found
    except ValueError as error:
        raise ValueError(f"of the stored policy, where --env names no other: {error}") from None


def import_here(module: str) -> ModuleType:
    """Return a module that the user named, looked for in this folder too."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(module)
    finally:
        sys.path.pop(0)
