"""Import paths of tarsus 0.2.0, for this release: each gives the module of today and says where it is.

Whatever was imported, stored or pickled under an old name is the same object as under the new one.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

HERE = "tarsus.scripts"
# Old paths and new ones, in HERE; what lies below a path moves with it, unless it has a line of its own.
MOVED = {
    "certificates": "library.certificates",
    "certificates.loading": "library.learning.loading",
    "certify": "command.verbs.certify",
    "cli": "command.cli",
    "comparison": "library.comparison",
    "comparison.both": "library.comparison.crossvalidate",
    "comparison.stances": "library.records.stances",
    "learning": "library.learning",
    "machines": "library.machines",
    "own_robot": "library.own_robot",
    "runs": "library.records",
    "runs.interrupts": "library.base.interrupts",
    "runs.output": "command.output",
    "sliding": "library.sliding",
    "sliding.cases": "laboratory.sliding.cases",
    "sliding.laboratory": "library.sliding.walks",
    "sliding.pictures": "laboratory.sliding.pictures",
    "studies": "laboratory.studies",
    "studies.design": "library.search.design",
    "studies.gait_gradient": "library.search.gait_gradient",
    "studies.gait_proof": "library.search.gait_proof",
    "views": "library.views",
}
# `from tarsus.scripts.studies import design` looks for `design` where `studies` is today.
_BELOW = [(old.rpartition("."), new) for old, new in MOVED.items() if "." in old]
MOVED |= {f"{MOVED[folder]}.{name}": new for (folder, _, name), new in _BELOW}


def new_path(name: str) -> str | None:
    """Return today's dotted name of a module, None if its name is not an old one."""
    head, tail = name.removeprefix(f"{HERE}."), ""
    while name.startswith(f"{HERE}.") and head:
        if head in MOVED:
            return f"{HERE}.{MOVED[head]}{tail}"
        head, dot, last = head.rpartition(".")
        tail = f"{dot}{last}{tail}"
    return None


class OldPath:
    """Loads the module of today under its old name: the loader of the specification that `Finder` gives."""

    def __init__(self, new: str):
        self.new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of today, and warn whoever imports it by the old name."""
        import warnings

        words = f"{spec.name} has moved to {self.new}; the old path goes with the next release of tarsus"
        warnings.warn(words, DeprecationWarning, stacklevel=2)  # Python leaves its own frames of the import out
        module = importlib.import_module(self.new)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own specification back, which the import has replaced."""
        module.__spec__ = self.spec

    def get_code(self, name: str):
        """Return what `python -m` runs under the old name."""
        return importlib.util.find_spec(self.new).loader.get_code(self.new)


class Finder:
    """Finds old paths, before a folder that has moved is searched for what lies in it."""

    @staticmethod
    def find_spec(name: str, path=None, target=None) -> ModuleSpec | None:
        """Return the specification of a module with an old name."""
        today = importlib.util.find_spec(new) if (new := new_path(name)) else None
        return ModuleSpec(name, OldPath(new), origin=today.origin) if today else None


def install() -> None:
    """Let Python find old paths."""
    sys.meta_path.insert(0, Finder)
