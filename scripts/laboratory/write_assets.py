"""The folder `mjcf/assets`: the XML of every machine with default parameters, to read and to use without this package.

`python -m tarsus.scripts.laboratory.write_assets` rewrites it; a test keeps it up to date with the builders. Numbers
have enough digits to reproduce the builder's compiled model to round-off; MuJoCo's own writer keeps only six.
"""

from __future__ import annotations

import ctypes
import inspect
import re
from collections.abc import Callable
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import mujoco
import numpy as np

from tarsus import mjcf
from tarsus.analytic import saving

FOLDER = Path(mjcf.__file__).parent
ASSETS = FOLDER / "assets"
DIGITS = 15  # of a number in the XML: all that a decimal fraction keeps through a double
NUMBER = re.compile(r"(?<=[\" ])-?\d[\d.]*(?:e[+-]\d+)?(?=[\" ])")
TINY = 1e-15  # of lengths and quaternions: what is left of a sine of pi


def machines() -> dict[str, Callable]:
    """Return the builder of each machine, by its name: of the modules of `mjcf` whose `build` needs no argument."""
    modules = {path.stem: import_module(f"{mjcf.__name__}.{path.stem}") for path in sorted(FOLDER.glob("[a-z]*.py"))}
    builders = {name: module.build for name, module in modules.items() if hasattr(module, "build")}
    return {name: build for name, build in builders.items() if not _needed(build)}


def _needed(build: Callable) -> list[str]:
    parameters = inspect.signature(build).parameters.values()
    return [one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]


def xml(build: Callable) -> str:
    """Return the XML of a default machine, as `assets` keeps it."""
    spec = build()
    spec.compile()
    with _all_digits():
        text = spec.to_xml()
    return NUMBER.sub(lambda found: _shortened(found[0]), text)


def _shortened(digits: str) -> str:
    """Return a number with the fewest digits that keep it; a colour's is of single precision."""
    short, number = f"{float(digits):.6g}", float(digits)
    if abs(number) < TINY:
        return "0"
    return short if number in (float(short), float(np.float32(short))) else f"{number:.{DIGITS}g}"


@contextmanager
def _all_digits():
    """Make MuJoCo write doubles in full; its library has the setting, its Python package does not show it."""
    files = Path(mujoco.__file__).parent.iterdir()
    library = ctypes.CDLL(str(next(file for file in files if re.match(r"(lib)?mujoco\.(so|\d|dll)", file.name))))
    before = library._mjPRIVATE__get_xml_precision()
    library._mjPRIVATE__set_xml_precision(17)
    try:
        yield
    finally:
        library._mjPRIVATE__set_xml_precision(before)


if __name__ == "__main__":
    for name, build in machines().items():
        saving.write_text(ASSETS / f"{name}.xml", xml(build))
