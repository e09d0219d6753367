"""Files, sets of files and folders are there whole or not at all."""

import os
import platform

import pytest

from tarsus.analytic import saving

GONE = 4_194_305  # above Linux' largest number of a process


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_keeps_its_old_text_until_the_new_one_is_complete(tmp_path):
    place = tmp_path / "made" / "page.md"
    saving.write_text(place, "old")
    with saving.writing(place) as part:
        assert part.parent == place.parent and part.name.startswith(".page.partial-") and part.suffix == ".md"
        part.write_text("new")
        assert place.read_text() == "old"
    assert place.read_text() == "new" and names(place.parent) == ["page.md"]


@pytest.mark.parametrize("end", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_is_not_completed_leaves_no_trace(tmp_path, end):
    saving.write_text(tmp_path / "page.md", "old")
    with pytest.raises(type(end)), saving.together(tmp_path / "page.md", tmp_path / "run.nc") as parts:
        for part in parts:
            part.write_text("half")
        raise end
    assert names(tmp_path) == ["page.md"] and (tmp_path / "page.md").read_text() == "old"


def test_a_file_that_was_not_written_is_an_error_and_moves_none_of_its_set(tmp_path):
    with pytest.raises(FileNotFoundError), saving.together(tmp_path / "run.nc", tmp_path / "run.csv") as (first, _):
        first.write_text("complete")
    assert names(tmp_path) == []


@pytest.mark.parametrize("moved", range(3))
def test_killed_while_it_moves_a_set_no_file_is_beside_one_of_another_set(tmp_path, monkeypatch, moved):
    places = [tmp_path / name for name in ("run.nc", "run.csv", "run.png")]
    for place in (*places, tmp_path / "run.mp4"):
        place.write_text("old")
    replace, n = os.replace, 0

    def kill_after_some(source, target):
        nonlocal n
        if n == moved:
            raise RuntimeError("as if killed here")
        n += 1
        replace(source, target)

    monkeypatch.setattr(saving.os, "replace", kill_after_some)
    with (
        pytest.raises(RuntimeError),
        saving.together(*places, instead_of=[tmp_path / "run.mp4"]) as parts,
    ):
        for part in parts:
            part.write_text("new")
    assert not places[0].exists() and not (tmp_path / "run.mp4").exists()  # so there is no result


def test_ctrl_c_while_it_moves_a_set_comes_after_it(tmp_path, monkeypatch):
    replace = os.replace

    def interrupted_once(source, target):
        monkeypatch.setattr(saving.os, "replace", replace)
        raise KeyboardInterrupt

    monkeypatch.setattr(saving.os, "replace", interrupted_once)
    with pytest.raises(KeyboardInterrupt), saving.together(tmp_path / "run.nc", tmp_path / "run.csv") as parts:
        for part in parts:
            part.write_text("new")
    assert names(tmp_path) == ["run.csv", "run.nc"]


def write_folder(folder, text, end=None):
    with saving.writing_folder(folder, folder.with_name("previous")) as part:
        (part / "model").write_text(text)
        if end:
            raise end
        (part / "normaliser").write_text(text)


def texts(folder):
    return {path.read_text() for path in folder.iterdir()}, len(list(folder.iterdir()))


def test_a_folder_is_replaced_as_one_and_its_predecessor_kept(tmp_path):
    for text in ("first", "second", "third"):
        write_folder(tmp_path / "latest", text)
    with pytest.raises(OSError):
        write_folder(tmp_path / "latest", "fourth", OSError(28, "No space left on device"))
    assert names(tmp_path) == ["latest", "previous"]
    assert texts(tmp_path / "latest") == ({"third"}, 2) and texts(tmp_path / "previous") == ({"second"}, 2)


@pytest.mark.parametrize("moves", range(4))
def test_killed_between_the_moves_one_of_the_two_folders_is_the_newest_complete_one(tmp_path, monkeypatch, moves):
    folder, rename, n = type(tmp_path), type(tmp_path).rename, 0
    for text in ("first", "second"):
        write_folder(tmp_path / "latest", text)

    def kill_after_some(path, target):
        nonlocal n
        if n == moves:
            raise SystemExit("as if killed here")
        n += 1
        return rename(path, target)

    monkeypatch.setattr(folder, "rename", kill_after_some)
    if moves < 3:
        with pytest.raises(SystemExit):
            write_folder(tmp_path / "latest", "third")
    else:
        write_folder(tmp_path / "latest", "third")
    newest = tmp_path / "latest" if (tmp_path / "latest").exists() else tmp_path / "previous"
    assert texts(newest) == ({"third" if moves == 3 else "second"}, 2)


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_a_live_one_writes_is_not(tmp_path):
    host = platform.node()
    left = tmp_path / f".run.partial-{host}-{GONE}.nc"
    others = [f".run.partial-{host}-{os.getppid()}.nc", f".run.partial-elsewhere-{GONE}.nc", f".a.partial-{host}-9.nc"]
    for path in (left, *(tmp_path / name for name in others)):
        path.write_text("half")
    saving.write_text(tmp_path / "run.nc", "whole")
    assert names(tmp_path) == sorted([*others, "run.nc"])


def test_folders_and_devices_are_not_replaced_and_links_are_followed(tmp_path):
    with pytest.raises(OSError, match="a folder of that name is there"):
        saving.write_text(tmp_path, "text")
    with pytest.raises(OSError, match="not a regular file"):
        saving.write_text("/dev/null", "text")
    (tmp_path / "link").symlink_to(tmp_path / "page.md")
    saving.write_text(tmp_path / "link", "text")
    assert (tmp_path / "page.md").read_text() == "text" and (tmp_path / "link").is_symlink()


def test_numbers_begin_with_two(tmp_path):
    found = []
    for _ in range(3):
        found.append(saving.numbered(tmp_path / "gaits.png"))
        found[-1].touch()
    assert [path.name for path in found] == ["gaits.png", "gaits-2.png", "gaits-3.png"]
