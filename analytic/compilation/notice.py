"""A line on the terminal, or in a notebook, while something is compiled: what the half minute is for."""

import functools
import sys
import time
from typing import Any

from numba.core.event import Event, Listener, register

PATIENCE = 0.5  # [s]; what takes less is not worth a line
ERASE = "\r\x1b[K"


class Notice(Listener):
    """Shows how long the outermost compilation of ours has taken, whenever it comes to another function."""

    def __init__(self, ours: type) -> None:
        self._ours = ours  # class of the cache that our functions have
        self._depth = 0
        self._begin = 0.0
        self._shown = -1  # what the line says [s]; -1: there is none

    def on_start(self, event: Event) -> None:
        """Count a compilation that begins; numba calls this."""
        if not self._depth and not isinstance(event.data["dispatcher"]._cache, self._ours):
            return
        if not self._depth:
            self._begin = time.monotonic()
        self._depth += 1
        seconds = time.monotonic() - self._begin
        if seconds > PATIENCE and int(seconds) > self._shown and _is_seen():
            self._shown = int(seconds)
            self._write(f"{ERASE}compiling, this once, about half a minute: {self._shown} s")

    def on_end(self, event: Event) -> None:
        """Erase the line when the outermost compilation has ended, or failed; numba calls this."""
        self._depth = max(0, self._depth - 1)
        if not self._depth and self._shown >= 0:
            self._write(ERASE)
            self._shown = -1

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_seen() -> bool:
    """Return whether somebody waits and can be shown a line that changes: no log, no test."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@functools.cache
def show(ours: Any) -> None:
    """Show the line from now on, for functions whose cache is of the class `ours`."""
    register("numba:compile", Notice(ours))
