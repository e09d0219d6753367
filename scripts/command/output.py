"""Where a command puts its files: looked at before the work is done, and never over a result unless asked.

A place that a command takes by itself, `out/VERB-NAME`, is numbered where it holds a result already. One that the
command line names is refused then, unless it says `--force`. Beside the other files lies `result.json`.
"""

import argparse
import contextlib
import dataclasses
import json
import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.analytic import saving
from tarsus.scripts.command import paths
from tarsus.scripts.library.base import stamp

FOLDER = Path("out")
RESULT = "result.json"
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "scipy", "numba", "torch", "stable-baselines3")
WHERE = ("out", "default_out", "was", "force", "json", "draws")  # of a command line: says nothing about the result


def add_options(parser: argparse.ArgumentParser, name: str) -> None:
    """Add `--out`, `--force` and `--json`; a `*` in the name VERB-NAME stands for what `Output` is told."""
    shown = f"{FOLDER / name}".replace("*", "NAME")
    words = f"folder for the files; default {shown}, with a number if that holds a result"
    parser.add_argument("--out", type=paths.folder_to_write, help=words)
    parser.add_argument("--force", action="store_true", help="replace an existing result")
    parser.add_argument("--json", action="store_true", help=f"print the content of {RESULT} instead of tables")
    parser.set_defaults(default_out=FOLDER / name)


def called(text: str) -> str:
    """Return a name, of a path its last part, and of `best` and `latest` of a training its folder's name too."""
    path = Path(text)
    return "/".join(path.parts[-2:]) if re.fullmatch("(best|latest)(-previous)?", path.name) else path.name


def word(text: str) -> str:
    """Return a name as part of a folder's, of a robot's file without its suffix."""
    name = Path(text).stem if Path(text).suffix.lower() in (".xml", ".urdf") else called(text)
    return re.sub(r"[^\w.]+", "-", name).strip("-.") or "it"


class Output:
    """The folder of a result, `folder`, and the names of what is `written` there, in order.

    A result may have these files beside `result.json`; the first of them is always there. `of` stands for the `*` in
    the folder's name. ValueError if files cannot be written there, or it holds a result and `--force` was not said.
    """

    def __init__(self, args: argparse.Namespace, *names: str, of: str = "") -> None:
        self._args, self._names, self._force = args, (*names, RESULT), args.force
        self._named = args.out is not None
        default = args.default_out.with_name(args.default_out.name.replace("*", word(of)))
        self.folder: Path = args.out if self._named else default
        self.written: list[str] = []
        same = [name for name in self._names if self._named and args.out.suffix == Path(name).suffix != ""]
        if same and not args.out.is_dir():
            raise ValueError(f"--out is a folder, in which {same[0]} will lie; got the file {args.out}")
        if self._named and self._holds_a_result(self.folder) and not self._force:
            raise ValueError(f"{self.folder} holds a result already; --force replaces it, another --out keeps it")
        self._number()
        check(self.folder / self._names[0])

    def _holds_a_result(self, folder: Path) -> bool:
        return any(os.path.lexists(folder / name) for name in self._names)

    def _number(self) -> None:
        if not self._force:
            self.folder = next(path for path in saving.numbers(self.folder) if not self._holds_a_result(path))

    @contextlib.contextmanager
    def writing(self, *names: str) -> Iterator[list[Path]]:
        """Give the paths under which to write some of the files; they are moved to their places together.

        The first call begins the result: an older one gives way to it then, whole. Should another run have been
        faster, the folder gets a number after all.
        """
        old: list[Path] = []
        if not self.written:
            self._number()
            old = [self.folder / name for name in self._names if name not in names]
        with saving.together(*(self.folder / name for name in names), instead_of=old) as parts:
            yield parts
        self.written += names

    def keep(self, name: str, text: str) -> None:
        """Write one of the files, a text; an empty one is left out."""
        if text:
            with self.writing(name) as (part,):
                part.write_text(text, encoding="utf-8")

    def report(self, prog: str, shown: str, **found: Any) -> None:
        """Write `result.json`, and print what is shown and where it is; with `--json` that file instead."""
        told = as_json(prog, self._args, shown, found, list(self.written))
        self.keep(RESULT, told + "\n")
        print(told if self._args.json else f"{shown}\n\n{self}".lstrip())

    def __str__(self) -> str:
        """Return the folder and what was written into it, in words."""
        return f"{self.folder}: {', '.join(self.written)}"


def new_file(path: Path, force: bool) -> Path:
    """Return a path to which a file can be written; ValueError if not, or if it exists and shall not be replaced."""
    check(path)
    if path.exists() and not force:
        raise ValueError(f"{path} exists already; --force replaces it, another name keeps it")
    return path


def check(path: Path) -> None:
    """Refuse by ValueError a file that cannot be written, in a folder that may not be there; leave nothing behind."""
    made: list[Path] = []
    try:
        place = saving.place_of(path)
        made = [folder for folder in place.parents if not folder.exists()]
        place.parent.mkdir(parents=True, exist_ok=True)
        probe = saving.partial(place)
        probe.touch()
        probe.unlink()
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        why = "a file stands where its folder should be" if in_the_way else error.strerror or error
        raise ValueError(f"{path} cannot be written: {why}") from error
    finally:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()


def as_json(prog: str, args: argparse.Namespace, shown: str, found: Mapping[str, Any], files: list[str]) -> str:
    """Return a result as JSON: of a command's words and options, what it shows and found, and the files beside it."""
    told = {
        "command": prog,
        "inputs": {name: value for name, value in vars(args).items() if name not in WHERE},
        "result": found,
        "text": shown,
        "files": files,
        "made": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "versions": stamp.versions(*PACKAGES),
        "computer": stamp.computer(),
    }
    return json.dumps(plain(told), indent=1, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: dataclasses as objects, arrays as lists, null for what is not finite."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
