"""How the cases are made: the functions that `MAKERS` lists return them, and this package writes them as JSON.

`python -m tarsus.scripts.suite.making` writes them all anew; a test holds the files against the makers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tarsus.analytic import saving

from ..case import CASES
from . import cradle, drop, hard, impact, legged, painleve, sliding, statics, stride, swept, walker, wheel

MAKERS = (
    *statics.MAKERS,
    *sliding.MAKERS,
    *impact.MAKERS,
    *cradle.MAKERS,
    *wheel.MAKERS,
    *walker.MAKERS,
    *drop.MAKERS,
    *stride.MAKERS,
    *painleve.MAKERS,
    *hard.MAKERS,
    *legged.MAKERS,
    *swept.MAKERS,
)
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
