"""The line that says that something is compiled: on a terminal, only then, and never left behind."""

import io
import sys

import pytest

from tarsus.analytic.compilation import compiled, functions

numba = pytest.importorskip("numba")

from tarsus.analytic.compilation import notice  # noqa: E402


def helper(x):
    return 3.0 * x


def law(x):
    return helper(x) + 1.0


def wrong(x):
    return helper(x) + "one"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def screen(tmp_path, monkeypatch):
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(notice, "PATIENCE", -1.0)
    return Terminal()


def fresh(monkeypatch, function, screen):
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(functions, "_COMPILED", {})
    return compiled(function)


def test_compiling_shows_and_a_loaded_function_does_not(screen, monkeypatch):
    fresh(monkeypatch, law, screen)(2.0)
    assert "compiling, this once, about half a minute: 0 s" in screen.getvalue()
    assert screen.getvalue().endswith(notice.ERASE)
    screen.truncate(0)
    assert fresh(monkeypatch, law, screen)(2.0) == 7.0
    assert "compiling" not in screen.getvalue()


def test_nothing_is_shown_where_nobody_looks(screen, monkeypatch):
    monkeypatch.setattr(screen, "isatty", lambda: False)
    fresh(monkeypatch, law, screen)(2.0)
    assert screen.getvalue() == ""


def test_a_notebook_is_looked_at(screen, monkeypatch):
    monkeypatch.setattr(screen, "isatty", lambda: False)
    monkeypatch.setitem(sys.modules, "ipykernel", notice)
    fresh(monkeypatch, law, screen)(2.0)
    assert "compiling" in screen.getvalue() and screen.getvalue().endswith(notice.ERASE)


def test_the_line_goes_when_compiling_fails(screen, monkeypatch):
    with pytest.raises(numba.core.errors.TypingError):
        fresh(monkeypatch, wrong, screen)(2.0)
    assert screen.getvalue().endswith(notice.ERASE)
    screen.truncate(0)
    fresh(monkeypatch, law, screen)(2.0)
    assert "compiling, this once, about half a minute: 0 s" in screen.getvalue() and screen.getvalue().endswith(
        notice.ERASE
    )


def test_what_is_not_ours_is_not_shown(screen, monkeypatch):
    fresh(monkeypatch, law, screen)
    assert numba.njit(lambda x: x + 1)(1) == 2
    assert screen.getvalue() == ""
