"""How the cases are made: the functions that `MAKERS` lists return them, and this package writes them as JSON.

`python -m tarsus.scripts.suite.making` writes them all anew; a test holds the files against the makers.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from tarsus.analytic import saving

from ..case import CASES

NAMES = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
MODULES = [importlib.import_module(f"{__name__}.{name}") for name in NAMES]
MAKERS = [maker for module in MODULES for maker in getattr(module, "MAKERS", ())]
FORMAT = 1


def made() -> Iterator[dict]:
    """Make the cases, in the order of their numbers."""
    yield from sorted(
        ({"format": FORMAT, **maker()} for maker in MAKERS), key=lambda case: (case["number"], case["id"])
    )


def text(case: dict) -> str:
    """Return a case as its file has it: a line for every part of its lists."""
    parts = []
    for key, value in case.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f' "{key}": [\n  {rows}\n ]')
        else:
            parts.append(f' "{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write(folder: Path = CASES) -> None:
    """Write all cases into a folder."""
    for case in made():
        saving.write_text(folder / f"{case['id']}.json", text(case))
