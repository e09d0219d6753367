"""What the pages share: formats, places, and that docs/ is touched only when asked."""

import csv
import io
import json
import types

import pandas as pd
import pytest

from tarsus.scripts.command import output
from tarsus.scripts.laboratory import documents, frame
from tarsus.scripts.laboratory.frame import Page, Place, Table

TABLE = Table(("leg", "speed [m/s]"), [("left, front", "0.1"), ("right", 2)], "### Speeds")


def page_of(work=lambda: None, **more):
    """Return a page as a module has it."""

    def tables(legs: int = 6) -> Page:
        """Return the table.

        Args:
            legs: How many.
        """
        work()
        return Page(
            TABLE,
            f"{legs} legs.",
            files={"data/legs.csv": lambda: pd.DataFrame({"leg": [1, 2], "speed": [0.1, 1 / 3]})},
        )

    return types.SimpleNamespace(
        __name__="tarsus.scripts.laboratory.pages.legs", __doc__="Legs.", PACKAGES=("numpy",), tables=tables, **more
    )


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder of documents with a part to fill; results go beside it."""
    monkeypatch.setattr(output, "FOLDER", tmp_path / "out")
    (tmp_path / "legs.md").write_text("before\n<!-- tables: begin -->old<!-- tables: end -->\nafter\n")
    return tmp_path


def test_a_page_is_printed_in_three_formats_and_docs_is_left_alone(docs, capsys):
    module = page_of(PLACE=Place("legs.md"))
    before = (docs / "legs.md").read_text()
    made = "Made by `tarsus page legs --legs 4` on "
    words = ["--legs", "4", "--docs", str(docs)]
    assert frame.main(module, words) == 0
    out = capsys.readouterr().out
    assert out.startswith(made) and "numpy" in out and "### Speeds\n\n| leg | speed [m/s] |\n" in out
    assert "| right | 2 |\n\n4 legs.\n\n" in out and out.endswith("page-legs: page.md, result.json\n")
    assert frame.main(module, [*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out.rpartition("\n\n")[0])
    assert found["made"].startswith(made) and found["parts"][1] == "4 legs."
    assert found["parts"][0] == {"head": ["leg", "speed [m/s]"], "rows": [["left, front", "0.1"], ["right", 2]],
                                 "title": "Speeds"}  # fmt: skip
    assert frame.main(module, [*words, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.rpartition("\n\n")[0].splitlines()
    assert lines[0].startswith(f"# {made}") and "# Speeds" in lines and "# 4 legs." in lines
    rows = [row for row in csv.reader(line for line in lines if line and line[0] != "#")]
    assert rows == [["leg", "speed [m/s]"], ["left, front", "0.1"], ["right", "2"]]
    assert (docs / "legs.md").read_text() == before and not (docs / "data").exists()


def test_a_page_is_written_into_its_part_with_what_lies_beside_it(docs, capsys):
    assert frame.main(page_of(PLACE=Place("legs.md")), ["--write", "--docs", str(docs)]) == 0
    text = (docs / "legs.md").read_text()
    assert text.startswith("before\n<!--") and text.endswith("-->\nafter\n") and "old" not in text
    assert "Made by `tarsus page legs` on " in text and "| right | 2 |" in text
    assert (docs / "data" / "legs.csv").read_text() == "leg,speed\n1,0.1\n2,0.333333\n"
    assert capsys.readouterr().out == f"{docs / 'legs.md'}\n"


def test_a_file_of_one_s_own_is_not_written_over(docs, capsys):
    module, path = page_of(), docs / "mine" / "page.csv"
    words = ["--format", "csv", "--out", str(path.parent)]
    assert frame.main(module, words) == 0 and "mine: page.csv" in capsys.readouterr().out
    text = path.read_text()
    assert list(csv.reader(io.StringIO(text)))[-1] == ["# 6 legs."]
    assert frame.main(module, words) == 2 and "--force replaces it" in capsys.readouterr().err
    assert path.read_text() == text and frame.main(module, [*words, "--force"]) == 0


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({}, "unrecognized arguments: --write"),
        ({"place": lambda legs: None if legs == 6 else Place("legs.md")}, "--write has no document"),
        ({"PLACE": Place("missing.md")}, "missing.md cannot be read"),
        ({"PLACE": Place("legs.md", "other")}, "legs.md: the page needs the lines <!-- other: begin -->"),
        ({"PLACE": Place("legs.md"), "check": lambda legs: float("legs")}, "could not convert"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_the_work(docs, capsys, more, sentence):
    module = page_of(work=lambda: pytest.fail("it worked"), **more)
    assert frame.main(module, ["--write", "--docs", str(docs)]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.err.count("\n") == 1 and captured.out == ""


def test_a_package_without_documents_says_where_they_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(documents, "DOCS", tmp_path / "docs")
    assert frame.main(page_of(PLACE=Place("legs.md")), ["--write"]) == 2
    assert f"there is no folder {tmp_path / 'docs'}; --docs names that of a clone" in capsys.readouterr().err
