"""A bar that goes on while one long call runs: its time is shown anew each second, and what others have counted."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from tqdm import tqdm

FIRST, LOGGED = 1.0, 10.0  # when it is shown first, and every which time in a log; each second on a terminal [s]


@contextlib.contextmanager
def ticking(count: Callable[[], int] | None = None, every: float | None = None, **bar: Any) -> Iterator[tqdm]:
    """Give a bar that is shown anew by itself; `count` returns where it is, `bar` are settings of tqdm's.

    What is over before the first second, and sets no description, shows nothing.
    """
    over, every, ticks = threading.Event(), every or (FIRST if sys.stderr.isatty() else LOGGED), []

    def tick() -> None:
        while not over.wait(every if ticks else min(every, FIRST)):
            line.n = count() if count else line.n
            line.refresh()
            ticks.append(line.n)

    with tqdm(leave=False, delay=1e-3, **bar) as line:  # a delay: not before it is asked to
        begun, thread = getattr(line, "desc", ""), threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield line
        finally:
            over.set()
            thread.join()
            if ticks or getattr(line, "desc", "") != begun:
                line.last_print_t = time.time() + 1.0  # else tqdm takes it for never shown, and leaves it
