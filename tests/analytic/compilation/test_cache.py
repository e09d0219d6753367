"""Compiled code lies where nobody else can write: numba unpickles it."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from tarsus.analytic.compilation import cache

needs_owners = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Let home, temporary folder and environment be ours; return the home's cache folder and the temporary one."""
    for name in ("TARSUS_CACHE_DIR", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    cache.warn_once.cache_clear()
    cache._temporary.cache_clear()
    yield home / "tarsus", temporary
    cache._temporary.cache_clear()


def no_home(home):
    """Put a file where the home's folder would be made, so that none can (the superuser could write to any folder)."""
    home.write_text("")


def private(folder):
    return stat.S_IMODE(folder.stat().st_mode) == 0o700 and not folder.is_symlink()


def test_the_first_folder_that_serves_is_taken(place, tmp_path, monkeypatch):
    import numba

    home, temporary = place
    assert cache.cache_folder("code") == home / "code"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "numba"))
    assert cache.cache_folder("code") == tmp_path / "numba" / "code"
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path / "ours" / "deep"))
    assert cache.cache_folder("code") == tmp_path / "ours" / "deep" / "code"
    assert private(tmp_path / "ours") and private(tmp_path / "ours" / "deep" / "code")


@needs_owners
def test_without_a_home_a_private_folder_in_the_temporary_one_is_made(place):
    home, temporary = place
    no_home(home)
    folder = cache.cache_folder("code")
    assert folder == temporary / f"tarsus-{os.getuid()}" / "code" == cache.cache_folder("code")
    assert private(folder) and private(folder.parent)


def open_to_others(folder, elsewhere):
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def open_to_the_group(folder, elsewhere):
    folder.mkdir(parents=True)
    folder.chmod(0o770)


def a_link(folder, elsewhere):
    elsewhere.mkdir(mode=0o700)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(elsewhere)


def a_dangling_link(folder, elsewhere):
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(elsewhere)


TRAPS = {
    open_to_others: "others can write to it",
    open_to_the_group: "others can write to it",
    a_link: "it is a symbolic link",
    a_dangling_link: "it is a symbolic link",
}


@needs_owners
@pytest.mark.parametrize("deep", [False, True], ids=["the user's", "the code's"])
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
def test_a_folder_that_another_user_may_have_prepared_is_not_used(place, tmp_path, trap, deep):
    home, temporary = place
    no_home(home)
    users = temporary / f"tarsus-{os.getuid()}"
    if deep:
        users.mkdir(mode=0o700)
    trap(users / "code" if deep else users, tmp_path / "elsewhere")
    with pytest.warns(UserWarning, match=f"compiled code is not kept in {users}/code: {TRAPS[trap]}"):
        folder = cache.cache_folder("code")
    assert folder.is_relative_to(temporary) and users not in folder.parents
    assert private(folder) and private(folder.parent) and cache.cache_folder("code") == folder
    cache._temporary.cache_clear()  # as at the end of the process
    assert not folder.parent.exists()
    assert not (tmp_path / "elsewhere" / "code").exists()


@needs_owners
def test_another_users_folders_and_files_are_not_used(place, monkeypatch):
    home, temporary = place
    mine = cache.cache_folder("code")
    cache.write_whole(mine / "a.nbc", b"code")
    assert cache.read_private(mine / "a.nbc") == b"code"
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.warns(UserWarning) as told:
        assert cache.cache_folder("code") != mine
    assert str(told[0].message) == f"compiled code is not kept in {mine}: it belongs to another user"
    with pytest.warns(UserWarning, match="a.nbc: it belongs to another user"):
        assert cache.read_private(mine / "a.nbc") is None


@needs_owners
def test_a_file_that_others_can_write_to_is_not_read(place):
    path = cache.cache_folder("code") / "a.nbc"
    cache.write_whole(path, b"code")
    path.chmod(0o666)
    with pytest.warns(UserWarning, match="not read from .*a.nbc: others can write to it"):
        assert cache.read_private(path) is None


@needs_owners
@pytest.mark.parametrize("variable", ["TARSUS_CACHE_DIR", "NUMBA_CACHE_DIR"])
def test_a_folder_that_was_asked_for_and_is_refused_is_named(place, tmp_path, monkeypatch, variable):
    home, _ = place
    import numba

    monkeypatch.setenv(variable, str(tmp_path / "asked"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", os.environ.get("NUMBA_CACHE_DIR", ""))
    open_to_others(tmp_path / "asked" / "code", None)
    with pytest.warns(UserWarning, match="asked/code: others can write to it"):
        assert cache.cache_folder("code") == home / "code"


def test_what_was_asked_for_and_cannot_be_made_is_named(place, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="file/code: it cannot be made"):
        assert cache.cache_folder("code") == place[0] / "code"


def test_a_users_own_link_above_is_followed(place, tmp_path, monkeypatch):
    """As to another disk: what is checked is the folder that holds the code."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path / "link"))
    assert cache.cache_folder("code") == tmp_path / "link" / "code"
    assert private(tmp_path / "disk" / "code")


def test_without_owners_nothing_is_asked_of_them(place, monkeypatch):
    monkeypatch.delattr(os, "getuid", raising=False)
    home, temporary = place
    assert cache.cache_folder("code") == home / "code"
    assert cache.not_private(home) == ""
    no_home(home.parent / "other")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home.parent / "other"))
    assert cache.cache_folder("code") == temporary / "tarsus-user" / "code"


def test_no_room_anywhere_is_no_error(place, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    monkeypatch.setattr(tempfile, "gettempdir", full)
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    assert cache.cache_folder("code") is None


def test_files_are_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "a.nbc"
    cache.write_whole(path, b"old")

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.write_whole(path, b"new")
    assert path.read_bytes() == b"old" and [*tmp_path.iterdir()] == [path]


def test_the_longest_unused_and_the_abandoned_are_removed(tmp_path):
    for age, name in (
        (4, "a.nbc"),
        (3, "b.nbc"),
        (2, "c.nbc"),
        (1, "d.nbc"),
        (2, "e.part"),
        (0, "f.part"),
        (9, "note"),
    ):
        (tmp_path / name).write_bytes(b"")
        then = (tmp_path / name).stat().st_mtime - age * cache.ABANDONED
        os.utime(tmp_path / name, (then, then))
    written = (tmp_path / "a.nbc").stat().st_mtime_ns
    cache.mark_used(tmp_path / "a.nbc")
    cache.clear(tmp_path, keep=2)
    assert {path.name for path in tmp_path.iterdir()} == {"a.nbc", "d.nbc", "f.part", "note"}
    assert (tmp_path / "a.nbc").stat().st_mtime_ns == written
