"""One thread at a time: MuJoCo releases Python's GIL while it steps, and two steps of one simulation would crash."""

from __future__ import annotations

from functools import wraps


def one_at_a_time(method):
    """Return a method of an environment that refuses to run while another call of the environment does.

    Python does not switch threads between reading the flag and setting it.

    Raises:
        RuntimeError: By the method, in that case.
    """

    @wraps(method)
    def guarded(self, *args, **kwargs):
        if self._busy:
            raise RuntimeError(
                f"{method.__name__}() was called while another call of this environment runs: an environment serves "
                "one thread at a time; make one per thread, or a vector environment, which has its own threads"
            )
        self._busy = True
        try:
            return method(self, *args, **kwargs)
        finally:
            self._busy = False

    return guarded
