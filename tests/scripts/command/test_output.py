"""Where commands put their files: looked at first, numbered or refused where there is a result, replaced when asked."""

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tarsus.scripts.command import output


@dataclass
class Ending:
    at: int
    why: str


def args(*words, name="run"):
    parser = argparse.ArgumentParser()
    output.add_options(parser, name)
    return parser.parse_args(words)


def write(made, *names, text="new"):
    with made.writing(*names) as parts:
        for part in parts:
            part.write_text(text)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(output, "FOLDER", Path("out"))
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
        output.Output(argparse.Namespace(**vars(args("--force")) | {"out": Path(out)}), "run.nc")
    assert "\n" not in str(refusal.value) and out in str(refusal.value)
    assert sorted(path.name for path in here.rglob("*")) == ["file", "run.nc", "taken"]


def test_a_folder_without_the_right_to_write_is_refused(here, monkeypatch):
    def denied(path, *rest, **more):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(here), "touch", denied)  # a mode would not stop root
    with pytest.raises(ValueError, match=r"out.run.run\.nc cannot be written: Permission denied"):
        output.Output(args(), "run.nc")
    assert not (here / "out").exists()


def test_a_result_is_printed_and_kept_with_what_was_asked_for(here, capsys):
    made = output.Output(args("--out", "mine"), "run.nc", of="unused")
    write(made, "run.nc")
    numbers = {"speed": np.float64(0.25), "hips": np.array([1.0, np.nan]), "end": Ending(3, "fell")}
    made.report("tarsus do this", "it walked", **numbers)
    assert capsys.readouterr().out == "it walked\n\nmine: run.nc, result.json\n"
    kept = json.loads((here / "mine" / "result.json").read_text())
    assert kept["result"] == {"speed": 0.25, "hips": [1.0, None], "end": {"at": 3, "why": "fell"}}
    assert (kept["command"], kept["text"], kept["files"]) == ("tarsus do this", "it walked", ["run.nc"])
    assert "tarsus" in kept["versions"] and kept["inputs"] == {}


def test_with_json_nothing_else_is_printed(here, capsys):
    output.Output(args("--json")).report("tarsus do", "it walked", speed=1.0)
    out = capsys.readouterr().out
    assert json.loads(out)["result"] == {"speed": 1.0} and out == (here / "out/run/result.json").read_text()


def test_a_folder_is_called_after_what_it_is_of(here):
    for of, name in (("runs/walk-3/best", "walk-3-best"), ("mine:walk", "mine-walk"), ("..", "it"), ("a b/..c", "c")):
        assert str(output.Output(args(name="evaluate-*"), of=of).folder) == f"out/evaluate-{name}"


def test_a_file_where_the_folder_belongs_is_refused(here):
    with pytest.raises(ValueError, match=r"--out is a folder, in which table.md will lie; got the file mine.md"):
        output.Output(args("--out", "mine.md"), "table.md")
    (here / "mine.md").mkdir()  # a folder may be called anything
    assert str(output.Output(args("--out", "mine.md"), "table.md").folder) == "mine.md"


def test_a_device_is_no_file_to_write(here):
    with pytest.raises(ValueError, match="not a regular file"):
        output.new_file(Path(os.devnull), force=True)


def test_the_suffix_of_a_robot_s_file_is_no_part_of_a_folder():
    assert [output.word(name) for name in ("a/quad soft.xml", "b.URDF", "walk-0", "net.v2")] == [
        "quad-soft", "b", "walk-0", "net.v2"
    ]  # fmt: skip
