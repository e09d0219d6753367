"""The rooms of the house: what each folder holds, and which others it imports.

Usage: tarsus page architecture [--write]. Table and picture are read from the files, and a test compares the
table with them.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tarsus.scripts.laboratory.frame import Page, Place, Table

ROOT = Path(__file__).parents[3]
PACKAGES = ("tarsus",)
PLACE = Place("architecture.md", "rooms")
PICTURE = "figures/architecture.png"
# From the ground up: a room stands on those below it.
FLOORS = (
    ("analytic/compilation", "analytic"),
    ("analytic/contact", "analytic/hybrid", "analytic/articulated"),
    ("analytic/models",),
    ("analytic/simsect", "mjcf", "controllers"),
    ("envs", "scripts/library/base"),
    ("scripts/suite", "scripts/command"),
    ("scripts/library",),
    ("scripts/laboratory",),
    ("scripts/command/verbs",),
)
# Where they are drawn on their floors, from 0 to 1, such that no arrow goes behind a room.
ACROSS = (
    (0.3, 0.62),
    (0.1, 0.38, 0.66),
    (0.36,),
    (0.08, 0.34, 0.6),
    (0.32, 0.57),
    (0.64, 0.9),
    (0.5,),
    (0.64,),
    (0.38,),
)
ROOMS = [room for floor in FLOORS for room in floor]


def room_of(path: Path) -> str:
    """Return the room a file of the package lies in."""
    folders = path.relative_to(ROOT).parts[:-1]
    within = ["/".join(folders[:n]) for n in range(len(folders), 0, -1)]
    return next(name for name in within if name in ROOMS)


def files() -> list[Path]:
    """Return the package's modules that lie in a room."""
    return sorted({path for room in ROOMS for path in (ROOT / room).rglob("*.py")})


def imports(path: Path) -> set[str]:
    """Return the rooms whose modules a file imports, its own left out."""
    package = ("tarsus", *path.relative_to(ROOT).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = (*base, *(node.module.split(".") if node.module else ()))
            named = [(*stem, alias.name) for alias in node.names]
        else:
            continue
        for parts in named:
            folders = ["/".join(parts[1:n]) for n in range(len(parts), 1, -1)] if parts[0] == "tarsus" else []
            found |= {next((name for name in folders if name in ROOMS), room_of(path))}
    return found - {room_of(path)}


def doors() -> Counter:
    """Return the number of files of a room that import another, by (room, other)."""
    return Counter((room_of(path), other) for path in files() for other in imports(path))


def what(room: str) -> str:
    """Return the first sentence of a room's docstring."""
    text = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def tables() -> Page:
    """Return the table of rooms, with its picture."""
    found, rows = doors(), []
    for room in reversed(ROOMS):
        others = ", ".join(f"`{other}`" for other in ROOMS if found[room, other])
        rows.append((f"`{room}`", what(room), others or "none of ours"))
    return Page(Table(["room", "what it holds", "imports"], rows), files={PICTURE: draw})


def steps(found: Counter) -> list[tuple[str, str]]:
    """Return the imports that no chain of others implies."""

    def reached(room: str) -> set[str]:
        nearest = {other for one, other in found if one == room}
        return nearest.union(*map(reached, nearest))

    over = {(room, far) for room, other in found for far in reached(other)}
    return sorted(set(found) - over)


def draw():
    """Return a matplotlib figure: rooms by floors, an arrow for an import that no chain of others implies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 9), layout="constrained")
    axis = figure.subplots()
    place = {room: (x, k) for k, floor in enumerate(FLOORS) for room, x in zip(floor, ACROSS[k], strict=True)}
    n_files, boxes = Counter(map(room_of, files())), {}
    for room, (x, y) in place.items():
        box = dict(boxstyle="round,pad=0.5", facecolor="#e8eef7", edgecolor="#34568b")
        text = axis.text(x, y, f"{room}\n{n_files[room]} files", ha="center", va="center", bbox=box, fontsize=10)
        boxes[room] = text.get_bbox_patch()
    figure.draw_without_rendering()  # the boxes take their sizes, at which the arrows end
    for room, other in steps(doors()):
        ends = dict(patchA=boxes[room], patchB=boxes[other], shrinkA=2, shrinkB=2)
        arrow = dict(arrowstyle="-|>", color="0.4", linewidth=1.2, mutation_scale=14, **ends)
        axis.annotate("", place[other], place[room], arrowprops=arrow, zorder=4)
    axis.set(xlim=(0, 1), ylim=(-0.4, len(FLOORS) - 0.6))
    axis.axis("off")
    return figure
