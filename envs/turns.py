"""One thread at a time: MuJoCo lets go of Python's lock while it steps, and two steps of one simulation would crash."""

from __future__ import annotations

import threading
from functools import wraps


class Turn:
    """Whose turn it is to use an environment; a copy begins with nobody's."""

    def __init__(self):
        self.lock = threading.Lock()

    def __reduce__(self):
        return Turn, ()


def alone(method):
    """Return a method of an environment that refuses to run while another thread is in one of its methods.

    The environment has its `Turn` as `_turn`. The check costs half a microsecond.
    """

    @wraps(method)
    def guarded(self, *args, **kwargs):
        lock = self._turn.lock
        if not lock.acquire(blocking=False):
            raise RuntimeError(
                f"{method.__name__}() was called while another call of this environment runs: an environment serves "
                "one thread; make one for each, or a vector environment, which has threads of its own"
            )
        try:
            return method(self, *args, **kwargs)
        finally:
            lock.release()

    return guarded
