"""Forked children: which process this is, and what a child must not destroy."""

import ctypes
import os
import weakref

from mujoco.batch import Batch

_BATCHES: weakref.WeakSet[Batch] = weakref.WeakSet()
_pid = os.getpid()  # noted, so that no step needs to ask the system


def pid() -> int:
    """Return the number of this process."""
    return _pid


def kept_in_children(batch: Batch) -> Batch:
    """Return a batch that forked children never destroy: they would wait for threads that a fork does not copy."""
    _BATCHES.add(batch)
    return batch


def _begin_child() -> None:
    global _pid
    _pid = os.getpid()
    for batch in _BATCHES:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(batch))  # a reference of a module's would go when Python ends


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)
