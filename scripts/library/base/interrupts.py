"""Ctrl-C: the first asks a run to end with what it has, the second ends it at once."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

EXIT_STATUS = 130  # of a command that Ctrl-C ended, as shells have it
NOTICE_PERIOD = 1.0  # of simulated time, after which a compiled run looks whether it shall end [s]


@contextlib.contextmanager
def heeded(until: str = "") -> Iterator[Callable[..., bool]]:
    """Make Ctrl-C a request within the block; give a function of any arguments that says whether it was made.

    Asked a second time, it raises KeyboardInterrupt as ever. Where Ctrl-C is ignored, it stays so. `until` is what is
    finished first, if that can take more than a second: it is said at once then.
    """
    asked: list[bool] = []

    def note(*_) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(True)
        if until:  # not by print, which may have been interrupted itself
            os.write(2, f"\nCtrl-C: {until} is finished first; Ctrl-C again ends without a result\n".encode())

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield lambda *_: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda *_: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def terminated() -> Iterator[None]:
    """Raise SystemExit at SIGTERM within the block: else the processes of joblib go on without their parent."""
    before = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or before is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def report(command: str, seconds: float, folder: Path) -> int:
    """Say that Ctrl-C ended a run and where its files are; return the exit status."""
    print(
        f"{command}: interrupted at t = {seconds:.6g} s; what was simulated until then is in {folder}", file=sys.stderr
    )
    return EXIT_STATUS
