"""What every printed result carries: versions, the computer, and tables in Markdown."""

import contextlib
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path


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


def interval(value: float, low: float, high: float, form: str = ".3g") -> str:
    """Return a value and the ends of its interval, for a cell of a table."""
    return f"{value:{form}} ({low:{form}} to {high:{form}})"
