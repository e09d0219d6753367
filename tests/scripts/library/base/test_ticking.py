"""A bar that goes on while one long call runs."""

import io
import threading

from tarsus.scripts.library.base.ticking import ticking


class Shown(io.StringIO):
    """A stream that tells when something was written to it for the third time."""

    def __init__(self):
        super().__init__()
        self.n, self.thrice = 0, threading.Event()

    def write(self, text):
        self.n += bool(text.strip())
        if self.n == 3:
            self.thrice.set()
        return super().write(text)


def test_it_is_shown_again_and_again_though_nobody_updates_it():
    shown = Shown()
    with ticking(every=1e-3, desc="asked", bar_format="{desc} [{elapsed}]", file=shown):
        assert shown.thrice.wait(60.0)
    assert shown.getvalue().count("asked [") >= 3 and shown.getvalue().endswith("\r")


def test_it_is_silent_where_it_is_disabled():
    shown = Shown()
    with ticking(every=1e-3, disable=True, file=shown) as bar:
        bar.set_description_str("asked")
    assert shown.getvalue() == ""


def test_what_is_over_at_once_shows_nothing_and_what_was_said_is_cleared():
    shown = Shown()
    with ticking(desc="asked", bar_format="{desc} [{elapsed}]", file=shown):
        pass
    assert shown.getvalue() == ""
    with ticking(desc="asked", bar_format="{desc}", file=shown) as bar:
        bar.set_description_str("stride 3")
    assert shown.getvalue().startswith("\rstride 3\r") and shown.getvalue().rpartition("3")[2].strip() == ""
    assert shown.getvalue().endswith("\r")
