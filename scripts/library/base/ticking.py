"""A bar that goes on while one long call runs: its time is shown anew each second, and what others have counted."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tqdm import tqdm

EVERY, LOGGED = 1.0, 10.0  # time after which it is shown anew, on a terminal and in a log [s]


@contextlib.contextmanager
def ticking(count: Callable[[], int] | None = None, every: float | None = None, **bar: Any) -> Iterator[tqdm]:
    """Give a bar that is shown anew by itself; `count` returns where it is, `bar` are settings of tqdm's."""
    over, every = threading.Event(), every or (EVERY if sys.stderr.isatty() else LOGGED)

    def tick() -> None:
        while not over.wait(every):
            line.n = count() if count else line.n
            line.refresh()

    with tqdm(leave=False, **bar) as line:
        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield line
        finally:
            over.set()
            thread.join()
