"""What is said of a user's robot, on a command line: a line each, once, without the line of code it comes from."""

import contextlib
import warnings
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def shown(where: TextIO | None) -> Iterator[None]:
    """Print each `RobotWarning` of a `with` block there, or if that is None nowhere; other warnings are as ever."""
    before, said = warnings.showwarning, set()

    def show(message, category, *at, **more) -> None:
        if category.__name__ != "RobotWarning":  # by name: importing it takes MuJoCo
            before(message, category, *at, **more)
        elif where and str(message) not in said:
            said.add(str(message))
            print(message, file=where)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before
