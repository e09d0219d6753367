"""Notebooks made of scripts: cells in percent format, what they print and draw, and the .ipynb of both.

A notebook is the script `docs/notebooks/NAME.py`. A line `# %% [markdown]` begins text, in comments, the first one with
the title; a line `# %%` begins code. What a cell prints and the figures that it leaves open are its outputs, as in
Jupyter, which is not needed here.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import itertools
import json
import linecache
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEXT, CODE = "# %% [markdown]", "# %%"
DPI = 100  # 7.2 inches are as wide as a page of the site
COLOURS = 256  # of a picture; a palette halves the file
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
NEAR = 1e-3  # relative: printed numbers that differ by less are the same on another processor


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook."""

    kind: str  # "markdown" or "code"
    source: str
    line: int  # of the script, where the source begins


def read(path: Path) -> list[Cell]:
    """Return the cells of a script.

    Raises:
        ValueError: If it is not in percent format, or does not begin with a title.
    """
    cells, lines = [], path.read_text(encoding="utf-8").splitlines()
    begins = [i for i, line in enumerate(lines) if line.startswith("# %%")]
    for begin, end in itertools.pairwise([*begins, len(lines)]):
        if lines[begin] not in (TEXT, CODE):
            raise ValueError(f"{path.name}, line {begin + 1}: a cell begins with {TEXT!r} or {CODE!r}")
        kind, found = ("markdown", "code")[lines[begin] == CODE], lines[begin + 1 : end]
        if kind == "markdown":
            found = [_text(line, f"{path.name}, line {begin + 2 + i}") for i, line in enumerate(found)]
        blank = next((i for i, line in enumerate(found) if line.strip()), len(found))
        cells.append(Cell(kind, "\n".join(found[blank:]).rstrip(), begin + 2 + blank))
    if not cells or begins[0] != 0 or not re.match("# .", cells[0].source):
        raise ValueError(f"{path.name} must begin with {TEXT!r} and a title, '# # ...'")
    return cells


def _text(line: str, where: str) -> str:
    if line and line != "#" and not line.startswith("# "):
        raise ValueError(f"{where}: text stands in comments, '# ...', got {line!r}")
    return line[2:]


def run(cells: Sequence[Cell], path: Path) -> list[list[dict[str, Any]]]:
    """Run the code in an empty folder and return the outputs of each cell, in Jupyter's form.

    Args:
        cells: Of the script.
        path: Of the script, for tracebacks.

    Raises:
        ValueError: If a cell ends with a value: Jupyter would show it, and the script would not.
        Exception: Whatever the code raises.
    """
    import matplotlib
    from matplotlib import pyplot

    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    linecache.cache[str(path)] = (sum(map(len, lines)), None, lines, str(path))
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    found = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), matplotlib.rc_context():
        pyplot.switch_backend("agg")
        pyplot.close("all")
        try:
            for cell in cells:
                found.append(_outputs(cell, path, names) if cell.kind == "code" else [])
        finally:
            pyplot.close("all")
    return found


def _outputs(cell: Cell, path: Path, names: dict[str, Any]) -> list[dict[str, Any]]:
    from matplotlib import pyplot

    printed, found = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        _execute(cell, path, names)
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    for number in pyplot.get_fignums():
        data = {"image/png": base64.b64encode(_png(pyplot.figure(number))).decode()}
        found.append({"data": data, "metadata": {}, "output_type": "display_data"})
    pyplot.close("all")
    return found


def _execute(cell: Cell, path: Path, names: dict[str, Any]) -> None:
    tree = ast.parse("\n" * (cell.line - 1) + cell.source, str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(path), "exec"), names)
    if last and eval(compile(ast.Expression(last.value), str(path), "eval"), names) is not None:
        raise ValueError(f"{path.name}, line {last.lineno}: a cell ends with a value; print it, or give it a name")


def _png(figure: Any) -> bytes:
    from PIL import Image

    drawn, small = io.BytesIO(), io.BytesIO()
    figure.canvas.print_figure(drawn, format="png", dpi=DPI, bbox_inches="tight", facecolor="white")
    image = Image.open(drawn).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def notebook(cells: Sequence[Cell], outputs: Sequence[Sequence[dict[str, Any]]]) -> str:
    """Return the text of an .ipynb file (version 4.5 of the format)."""
    made, count = [], 0
    for i, (cell, shown) in enumerate(zip(cells, outputs, strict=True)):
        one = {"cell_type": cell.kind, "id": f"cell-{i}", "metadata": {}, "source": _lines(cell.source)}
        if cell.kind == "code":
            count += 1
            one |= {"execution_count": count, "outputs": list(shown)}
        made.append(dict(sorted(one.items())))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def stored(text: str) -> tuple[list[tuple[str, str]], list[list[dict[str, Any]]]]:
    """Return kind and source of the cells of an .ipynb file, and the outputs of each."""
    cells = json.loads(text)["cells"]
    return [(one["cell_type"], "".join(one["source"])) for one in cells], [one.get("outputs", []) for one in cells]


def printed(outputs: Sequence[dict[str, Any]]) -> str:
    """Return the output of a cell."""
    return "".join("".join(one["text"]) for one in outputs if one["output_type"] == "stream")


def pictures(outputs: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return the pictures of a cell as PNG files."""
    return [base64.b64decode(one["data"]["image/png"]) for one in outputs if one["output_type"] == "display_data"]


def agree(text: str, other: str) -> bool:
    """Return whether two printed texts have the same words, and numbers within `NEAR` or a unit of the last decimal."""
    if NUMBER.sub("#", text).split() != NUMBER.sub("#", other).split():
        return False
    return all(map(_near, NUMBER.findall(text), NUMBER.findall(other)))


def _near(number: str, other: str) -> bool:
    """Return whether two printed numbers are the same, as another processor rounds; counts must be equal."""
    a, b = float(number), float(other)
    unit = 10.0 ** -len(number.partition(".")[2]) if "." in number and "e" not in number else 0.0
    return abs(a - b) <= max(NEAR * max(abs(a), abs(b)), 1.001 * unit)
