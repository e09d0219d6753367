"""Files that are robots, or baselines that were found for one: their environments, and how policies name them.

A policy stores its robot's file by a relative path and a hash of all that the file is made of, and what was found of
the robot: its clock, and what is typical of it. So a run's folder can be moved, and elsewhere the robot beside it is
the same, or said to be another.
"""

import contextlib
import json
import os
import re
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from tarsus.envs import ENVIRONMENTS, SURROGATES

ROBOTS, FOUND = (".urdf", ".xml"), ".npz"  # files that are robots, or a baseline that was found for one
BASELINE, TYPICAL = "baseline", ("baseline_period", "typical_speed", "typical_power")  # found of a robot


def is_file(name: str) -> bool:
    """Whether what names an environment is the file of a robot, or of a baseline that was found for one."""
    return Path(name).suffix.lower() in (*ROBOTS, FOUND)


def called(name: str) -> str:
    """Return an environment's registered name, without importing anything: of a file "My-Dog-v0" of my_dog.urdf.

    Where the package has one of that name already, as of dog.xml, "My-" stands before it.
    """
    if not is_file(name):
        return name.rpartition(":")[2]
    bare = f"{re.sub(r'[^A-Za-z0-9]+', '-', Path(name).stem).strip('-').title() or 'Robot'}-v0"
    return f"My-{bare}" if bare in (*ENVIRONMENTS, *SURROGATES) else bare


@dataclass(frozen=True)
class RobotFile:
    """A file whose robot is registered."""

    path: Path
    made_of: tuple  # stamps of all files, see `own_source.stamps`
    digest: str  # of their contents
    spec: EnvSpec  # what is registered


_FILES: dict[str, RobotFile] = {}  # by the name of the environment


def register(path: Path, found: Mapping[str, Any] | None = None) -> str:
    """Register the robot of a file, anew where a file of it has changed, and return what the environment is called.

    The file may be that of a baseline. A robot of which something was `found` before, see `to_store`, is not tried.
    ValueError if it is no robot.
    """
    from tarsus.envs import own_robot  # not above, as below: they import MuJoCo
    from tarsus.mjcf import own_source

    name, path = called(str(path)), path.absolute()
    known = file_of(name)
    if known and known.path == path and own_source.stamps(file for file, *_ in known.made_of) == known.made_of:
        return name
    robot, files, more = _parts(path)
    own_robot.register(name, robot, check=found is None, **{**(found or {}), **more})
    _FILES[name] = RobotFile(path, own_source.stamps(files), own_source.digest(files), gymnasium.spec(name))
    return name


def _parts(path: Path) -> tuple[Path, tuple[Path, ...], dict[str, Any]]:
    """Return the robot's file, all that it is made of, and what more is to be said of it."""
    from tarsus.mjcf import own_source

    if path.suffix.lower() != FOUND:
        return path, own_source.load(path).files, {}
    try:
        with np.load(path, allow_pickle=False) as found:
            about = json.loads(str(found["robot"]))
        name, digest = str(about["environment"]), about["robot"]["sha256"]
        if Path(name).suffix.lower() not in ROBOTS:
            raise ValueError(f"{name} is none")
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} names no robot's file, as the found.npz of `tarsus search baseline FILE` does ({error}); "
            "own_robot.register(..., baseline=...) takes any table"
        ) from None
    robot = _there(name, digest, path.parent)[0]
    return robot, (*own_source.load(robot).files, path), {"baseline": path}


def file_of(name: str) -> RobotFile | None:
    """Return the file of the robot that `register` registered by a name, if that is still so."""
    found = _FILES.get(name)
    return found if found and gymnasium.registry.get(name) is found.spec else None


def files() -> dict[str, RobotFile]:
    """Return the robots that `register` registered, by name, for other processes to `adopt`."""
    return {name: found for name in _FILES if (found := file_of(name))}


def adopt(robots: Mapping[str, RobotFile]) -> None:
    """Register what another process has, as it is, so that no robot is tried twice."""
    _FILES.update(robots)
    gymnasium.registry.update({name: robot.spec for name, robot in robots.items()})


def to_store(name: str, folder: Path = Path()) -> dict[str, Any]:
    """Return the fields of a policy's file for its environment: `environment`, and of a robot's file `robot`.

    The path is relative to a folder, by default the present one. `robot` has the hash of all that the file is made of,
    and what was found of the robot: so `again` makes the same one of it, elsewhere too, or says that it is another.
    """
    file = file_of(name)
    if file is None:
        return {"environment": name}
    try:
        place = Path(os.path.relpath(file.path, folder)).as_posix()
    except ValueError:  # on another drive
        place = file.path.as_posix()
    return {"environment": place, "robot": {"sha256": file.digest, "found": _found(file.spec.kwargs)}}


def _found(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the findings about a robot among options: its clock, and its typical values."""
    clock = {"baseline": options[BASELINE]} if isinstance(options.get(BASELINE, 0), str | None) else {}
    clock = clock if clock.get(BASELINE) in (None, "clock") else {}
    return clock | {name: float(options[name]) for name in TYPICAL if isinstance(options.get(name), float)}


def again(name: str, robot: Mapping[str, Any], folder: Path) -> str:
    """Register the robot that a policy names, without a trial if it is the same, and return its environment.

    The stored path is looked for relative to the policy's folder and those above, and in them; ValueError if it is no
    robot or not there.
    """
    path, same = _there(name, robot.get("sha256"), folder)
    found = robot.get("found") if same else None
    return register(path, _found(found) if isinstance(found, dict) else None)


def _there(name: str, digest: str | None, folder: Path) -> tuple[Path, bool]:
    """Return the path of a robot's file and whether it is what it was: the first that is, or the first of that name."""
    from tarsus.mjcf import own_source

    folder, place, here = folder.absolute(), Path(name), []
    for base in dict.fromkeys([Path.cwd(), folder, *folder.parents]):
        here += [path for path in (base / place, base / place.name) if path.is_file()]
    if not here:
        raise ValueError(
            f"the stored robot {name} is not there, nor in {folder.name} or a folder above it; put it there, or say "
            "where it is by --env FILE"
        )
    for path in here:
        with contextlib.suppress(ValueError):  # one of the same name may be no robot
            if digest in (None, own_source.digest(_parts(path)[1])):
                return path, True
    say_changed(here[0])
    return here[0], False


def say_changed(path: Path) -> None:
    """Warn of a robot that is not the one of a policy."""
    from tarsus.envs.own_robot import RobotWarning

    words = f"{path.name}: the robot is another than the policy was trained with: a file of it has changed since"
    warnings.warn(words, RobotWarning, stacklevel=2)
