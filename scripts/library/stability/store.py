"""Parts of a result, and trials, kept in a file as they are found: a run that was killed finds them there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Store:
    """Parts by name, each of what JSON holds; without a file they are kept in memory.

    The file's first line says what the result is of: one of something else is begun anew.
    """

    def __init__(self, path: Path | None = None, of: Any = None):
        self.path, self._parts = path, {}
        if path is None:
            return
        head = json.dumps({"of": of}, sort_keys=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines and lines[0] == head:
            for line in lines[1:]:
                try:
                    name, value = json.loads(line)
                except ValueError:  # the run was killed as it wrote this
                    break
                self._parts[name] = value
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([head, *map(json.dumps, self._parts.items())]) + "\n", encoding="utf-8")

    def part(self, name: str, found: Callable[[], Any]) -> Any:
        """Return a part, which is found and kept if it is not there yet."""
        if name not in self._parts:
            self._parts[name] = found()
            if self.path:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([name, self._parts[name]]) + "\n")
        return self._parts[name]
