"""What every printed result carries: versions, the computer, and tables in Markdown."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"  # whose pages commands write by default, from whatever folder they are run


def versions(*packages: str) -> str:
    """Return names and versions of the packages that are installed, in words."""
    found = []
    for name in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


def computer() -> str:
    """Return the processor, the number of cores, the system and Python's version, in words."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def markdown_table(head: Iterable[str], rows: Iterable[Iterable]) -> str:
    """Return a table in Markdown; cells are printed as they are."""
    head = list(head)
    first, *others = ("| " + " | ".join(map(str, line)) + " |" for line in (head, *rows))
    return "\n".join([first, "|" + "---|" * len(head), *others])


def insert(text: str, name: str, generated: str) -> str:
    """Return a page with the part between its markers `<!-- NAME: begin -->` and `<!-- NAME: end -->` replaced.

    Raises:
        ValueError: If the markers are missing or in the wrong order.
    """
    begin_mark, end_mark = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, begin, rest = text.partition(begin_mark)
    _, end, after = rest.partition(end_mark)
    if not (begin and end):
        raise ValueError(f"the page needs the lines {begin_mark} and {end_mark}, in this order")
    return f"{before}{begin_mark}\n\n{generated}\n\n{end_mark}{after}"


def check_page(page: Path, *names: str) -> str:
    """Return the text of a page that has these parts: asked before the work, which may take minutes.

    Raises:
        ValueError: If it cannot be read, or lacks a part's markers.
    """
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"the page {page} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the page {page} is not a text") from None
    for name in names:
        try:
            insert(text, name, "")
        except ValueError as error:
            raise ValueError(f"{page}: {error}") from None
    return text
