"""In which environments a policy may be played: who names one decides whose code is run.

What somebody types may be `MODULE:NAME`, and the module is imported. What a file says is looked up among the
environments that there are, or must be what was typed: a policy of a stranger's imports nothing. The file of a robot
is read in either case: it is data.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator

from tarsus.envs import ENVIRONMENTS, SURROGATES

ROBOTS = (".urdf", ".xml")  # files that are robots
OWN_ROBOT = "tarsus.envs.own_robot:OwnRobotEnv"  # behind what `own_robot.register` registers


def make(name: str, options: Mapping[str, Any], **more: Any) -> gymnasium.Env:
    """Return an environment made with options that somebody asked for.

    Args:
        name: Of the environment.
        options: Its keywords.
        more: Further keywords of `gymnasium.make`.

    Raises:
        ValueError: If an option is unknown or its value impossible.
    """
    try:
        return gymnasium.make(name, **options, **more)
    except TypeError as error:
        raise ValueError(f"{name} does not take these options: {error}") from error


def environment_of(name: str) -> str:
    """Return the registered name of an environment of ours, or of the user's own robot, without the package's prefix.

    Raises:
        ValueError: If there is no such environment.
    """
    own = [known for known, spec in gymnasium.registry.items() if spec.entry_point == OWN_ROBOT]
    bare, there_are = name.removeprefix("tarsus:"), (*ENVIRONMENTS, *SURROGATES, *own)
    if bare not in there_are:
        raise ValueError(f"unknown environment {name!r}; there are {', '.join(there_are)}")
    return bare


def asked_for(name: str) -> str:
    """Return the environment that somebody asks for.

    In `MODULE:NAME` the module registers it when it is imported; the file of a robot is registered with its defaults.

    Raises:
        ValueError: If there is none of that name, the module cannot be imported, or the file is no robot.
    """
    if is_file(name):
        return register_file(Path(name))
    module, colon, bare = name.partition(":")
    if not colon or module == "tarsus":
        return environment_of(name)
    try:
        import_here(module)
    except Exception as error:  # whatever somebody's module does
        raise ValueError(f"there is no environment {name!r}: {type(error).__name__}: {error}") from error
    return bare if is_simulation(bare) else environment_of(bare)


def is_file(name: str) -> bool:
    """Whether what names an environment is the file of a robot."""
    return Path(name).suffix.lower() in ROBOTS


def called(name: str) -> str:
    """Return what an environment is registered as, without importing anything: of a file "My-Dog-v0" of my_dog.urdf.

    Where the package has one of that name already, as of dog.xml, "My-" stands before it.
    """
    if not is_file(name):
        return name.rpartition(":")[2]
    bare = f"{re.sub(r'[^A-Za-z0-9]+', '-', Path(name).stem).strip('-').title() or 'Robot'}-v0"
    return f"My-{bare}" if bare in (*ENVIRONMENTS, *SURROGATES) else bare


def register_file(path: Path) -> str:
    """Register the robot of a file with its defaults, once, and return what the environment is called.

    Raises:
        ValueError: If it is no robot.
    """
    from tarsus.envs import own_robot  # not above: it imports MuJoCo

    name, path = called(str(path)), path.absolute()
    if file_of(name) != path:
        own_robot.register(name, path)
    return name


def file_of(name: str) -> Path | None:
    """Return the file of the robot that is registered by a name, if that is one of the user's own and has a file."""
    spec = gymnasium.registry.get(name)
    source = spec.kwargs["params"].source if spec and spec.entry_point == OWN_ROBOT else None
    return source if isinstance(source, Path) else None


def to_store(name: str) -> str:
    """Return how a policy's file names its environment: of a robot's file that file, from which `stored` makes it."""
    path = file_of(name)
    return str(path) if path and called(str(path)) == name else name


def is_own_robot(name: str) -> bool:
    """Whether an environment is one of a robot of the user's own, or `Dog-v0`."""
    return name == "Dog-v0" or gymnasium.registry[name].entry_point == OWN_ROBOT


def is_simulation(name: str) -> bool:
    """Return whether a registered environment of that name is a machine of ours, or a user's, in MuJoCo."""
    from tarsus.envs.base import LeggedEnv  # not above: it imports MuJoCo

    if name not in gymnasium.registry or name in SURROGATES:
        return False
    made_by = gymnasium.registry[name].entry_point
    made_by = load_env_creator(made_by) if isinstance(made_by, str) else made_by
    return isinstance(made_by, type) and issubclass(made_by, LeggedEnv)


def stored(name: str, asked: str | None) -> str:
    """Return the environment that a stored policy names, if it is one of ours, a robot's, or the one asked for.

    Args:
        name: As stored.
        asked: What `asked_for` returned, or None.

    Raises:
        ValueError: If it is none of these, or the robot's file is no more there.
    """
    if asked and called(name) == asked:
        return asked
    if is_file(name):
        if not Path(name).is_file():
            raise ValueError(f"the stored policy's robot {name} is not there; --env FILE says where it is now")
        return register_file(Path(name))
    try:
        return environment_of(name)
    except ValueError as error:
        raise ValueError(f"the stored policy names an {error}, and the one given by --env") from None


def import_here(module: str) -> ModuleType:
    """Return a module that the user named, looked for in this folder too."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(module)
    finally:
        sys.path.pop(0)
