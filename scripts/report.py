"""What every printed result carries: versions, the machine, and tables in Markdown."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
from collections.abc import Iterable
from pathlib import Path


def versions(*packages: str) -> str:
    """Return names and versions of the packages that are installed, in words."""
    found = [name for name in packages if importlib.util.find_spec(name)]
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in found)


def machine() -> str:
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
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
