"""The command that installs an optional part of the package, from where the package itself was installed."""

import importlib.metadata
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]  # of the package: a checkout's has pyproject.toml, an installed wheel's has none
CONSTRAINTS = {"ray": "constraints-ray.txt"}  # RLlib pins an older Gymnasium


def install(*extras: str) -> str:
    """Return the shell command that installs extras for this interpreter.

    In a checkout it installs the checkout with them. Elsewhere it names their requirements, since a wheel need not have
    come from an index. Paths in the working directory are relative to it.
    """
    pip = [_path(Path(sys.executable)), "-m", "pip", "install"]
    if (ROOT / "pyproject.toml").is_file():
        constraints = ROOT / next((CONSTRAINTS[name] for name in extras if name in CONSTRAINTS), "constraints.txt")
        return shlex.join([*pip, "-c", _path(constraints), "-e", f"{_path(ROOT)}[{','.join(extras)}]"])
    return shlex.join(pip + [needed for name in extras for needed in requirements(name)])


def requirements(extra: str) -> list[str]:
    """Return the requirements of an extra, as the installed package states them."""
    found = [
        re.fullmatch(r"(.*?)\s*;\s*extra == ['\"](.+)['\"]", line) for line in importlib.metadata.requires("tarsus")
    ]
    return [match[1] for match in found if match and match[2] == extra]


def _path(path: Path) -> str:
    """Return a path relative to the working directory if it is in there."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
