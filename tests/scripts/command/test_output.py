"""Where commands put their files: looked at first, numbered or refused where there is a result, replaced when asked."""

import argparse
import os
from pathlib import Path

import pytest

from tarsus.scripts.command import output


def args(*words, default="out/run"):
    parser = argparse.ArgumentParser()
    output.add_options(parser, default, kind=Path)
    return parser.parse_args(words)


def write(made, *names, text="new"):
    with made.writing(*names) as parts:
        for part in parts:
            part.write_text(text)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_default_folder_is_numbered_where_it_holds_a_result(here):
    for name in ("run", "run-2", "run-3"):
        made = output.Output(args(), "run.nc", "run.png")
        assert str(made.folder) == f"out/{name}" and not (here / "out" / name).exists()
        write(made, "run.nc")
        write(made, "run.png")
        assert str(made) == f"out/{name}: run.nc, run.png"
    assert str(output.Output(args("--force"), "run.nc").folder) == "out/run"
    (here / "out" / "run" / "notes.txt").write_text("mine")
    assert str(output.Output(args(), "other.nc").folder) == "out/run"  # other files are no result of this kind


def test_a_named_folder_with_a_result_is_refused_and_replaced_with_force(here):
    old = here / "mine"
    old.mkdir()
    for name in ("run.csv", "run.mp4", "notes.txt"):
        (old / name).write_text("old")
    names = ("run.nc", "run.csv", "run.png", "run.mp4")
    with pytest.raises(ValueError, match="mine holds a result already; --force replaces it, another --out keeps it"):
        output.Output(args("--out", "mine"), *names)
    made = output.Output(args("--out", "mine", "--force"), *names)
    assert len(list(old.iterdir())) == 3  # the old result is there until the new one is
    write(made, "run.nc", "run.csv")
    assert {path.name: path.read_text() for path in old.iterdir()} == {
        "run.nc": "new",
        "run.csv": "new",
        "notes.txt": "old",
    }
    write(made, "run.png")
    assert (old / "run.nc").exists() and str(made) == "mine: run.nc, run.csv, run.png"


@pytest.mark.parametrize("words", [(), ("--out", "out/run")])
def test_of_two_runs_at_the_same_time_neither_overwrites_the_other(here, words):
    first, second = (output.Output(args(*words), "run.nc", "run.png") for _ in range(2))
    write(first, "run.nc", text="first")
    write(second, "run.nc", text="second")
    write(first, "run.png")
    write(second, "run.png")
    assert (first.folder.name, second.folder.name) == ("run", "run-2")
    assert (here / "out/run/run.nc").read_text() == "first" and (here / "out/run-2/run.nc").read_text() == "second"
    assert len(list((here / "out").rglob("*.png"))) == 2


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ("file", "a file stands where its folder should be"),
        ("file/below", "a file stands where its folder should be"),
        ("/proc/nowhere", "cannot be written"),
        ("x" * 300, "File name too long"),
        ("taken", "a folder of that name is there"),
    ],
)
def test_an_impossible_folder_is_a_sentence_and_nothing_is_left(here, out, why):
    (here / "file").write_text("text")
    (here / "taken" / "run.nc").mkdir(parents=True)
    with pytest.raises(ValueError, match=why) as refusal:
        output.Output(args("--out", out, "--force"), "run.nc")
    assert "\n" not in str(refusal.value) and out in str(refusal.value)
    assert sorted(path.name for path in here.rglob("*")) == ["file", "run.nc", "taken"]


def test_a_folder_without_the_right_to_write_is_refused(here, monkeypatch):
    def denied(path, *rest, **more):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(here), "touch", denied)  # a mode would not stop root
    with pytest.raises(ValueError, match=r"out.run.run\.nc cannot be written: Permission denied"):
        output.Output(args(), "run.nc")
    assert not (here / "out").exists()


def test_a_single_file_is_numbered_refused_or_replaced_likewise(here):
    assert output.file_from(args(default=None)) is None
    assert str(output.file_from(args(default="gaits.png"))) == "gaits.png"
    (here / "gaits.png").write_text("old")
    assert str(output.file_from(args(default="gaits.png"))) == "gaits-2.png"
    assert str(output.file_from(args("--force", default="gaits.png"))) == "gaits.png"
    with pytest.raises(ValueError, match="gaits.png exists already; --force replaces it"):
        output.file_from(args("--out", "gaits.png", default=None))
    assert str(output.file_from(args("--out", "gaits.png", "--force", default=None))) == "gaits.png"
    with pytest.raises(ValueError, match="not a regular file"):
        output.new_file(type(here)(os.devnull), force=True)
