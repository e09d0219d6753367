"""`tarsus warm`: what it makes is there for others, what is there it leaves, and what cannot be kept it says."""

import time

import pytest

from tarsus.analytic.compilation import cache, has_numba
from tarsus.scripts.command.verbs import warm
from tarsus.scripts.library.base import warming

pytestmark = pytest.mark.skipif(not has_numba(), reason="nothing is compiled without numba")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and things to make that take no time."""
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    parts = [("kernel", lambda: make("kernel")), ("solver", lambda: make("solver"))]
    monkeypatch.setattr(warming, "parts", lambda methods: iter(parts))
    return cache.cache_folder(warming.store.FOLDER)


def make(name):
    path = cache.cache_folder(warming.store.FOLDER) / f"{name}.nbc"
    if path.exists():
        cache.mark_used(path)
    else:
        cache.write_whole(path, b"code")


def said(capsys, *words):
    return warm.main([*words]), capsys.readouterr().out.splitlines()


def test_what_is_missing_is_made_and_said(folder, capsys):
    status, lines = said(capsys)
    assert status == 0 and [line.partition(":")[0] for line in lines] == ["kernel", "solver", "warm"]
    assert all(line.endswith(" s") for line in lines[:2]) and lines[2] == f"warm: 2 new files in {folder}"


def test_the_clock_of_files_may_be_a_tick_behind(folder, capsys, monkeypatch):
    ahead = time.time_ns
    monkeypatch.setattr(warming.time, "time_ns", lambda: ahead() + 10_000_000)
    assert said(capsys)[0] == 0


def test_a_warm_cache_says_so_without_a_look_at_what_it_holds(folder, capsys, monkeypatch):
    said(capsys)
    monkeypatch.setattr(warming, "parts", None)  # not called
    assert said(capsys) == (0, [f"warm: all is in {folder}"])


def test_what_was_removed_is_made_again_and_the_rest_is_not(folder, capsys):
    said(capsys)
    (folder / "solver.nbc").unlink()
    assert said(capsys)[1][0] == "kernel: was there" and (folder / "solver.nbc").exists()
    [path] = folder.glob("warm-*.json")
    path.write_bytes(b"[")  # as no other program leaves it: read again
    assert said(capsys)[1] == ["kernel: was there", "solver: was there", f"warm: 0 new files in {folder}"]


def test_other_methods_and_other_sources_are_other_things(folder, capsys, monkeypatch):
    said(capsys)
    assert len(said(capsys, "--methods", "rk23")[1]) == 3
    monkeypatch.setattr(warming, "version", lambda name: "0.99.0")
    assert len(said(capsys)[1]) == 3


def test_what_cannot_be_kept_is_said(folder, capsys, monkeypatch):
    monkeypatch.setattr(warming, "parts", lambda methods: iter([("kernel", lambda: None)]))
    assert warm.main([]) == 1 and "nothing could be kept" in capsys.readouterr().err
    monkeypatch.setattr(warming.cache, "cache_folder", lambda name: None)
    assert warm.main([]) == 1 and warming.UNKEPT in capsys.readouterr().err
    monkeypatch.setattr(warm, "has_numba", lambda: False)
    assert warm.main([]) == 2 and warm.NO_NUMBA in capsys.readouterr().err


def test_a_method_that_there_is_not_is_refused(capsys):
    assert warm.main(["--methods", "euler"]) == 2 and "euler" in capsys.readouterr().err


@pytest.mark.extra
def test_after_it_a_model_finds_what_is_shared(new_process):
    """In the cache of all tests, which may hold most of it."""
    folder = cache.cache_folder(warming.store.FOLDER)
    for path in folder.glob("warm-*.json"):
        path.unlink()
    for text in ("kernel for rk23", "warm: all is in"):
        done = new_process("from tarsus.scripts.command.verbs import warm; warm.main(['--methods', 'rk23'])")
        assert done.returncode == 0 and done.stdout.startswith(text), done.stderr
    kept = {path.name.partition("-")[0] for path in folder.glob("*.nbc")}
    assert {"kernel", "steps_rk23", "pass_explicit", "rules", "frames_serial", "single"} <= kept
