"""Every notebook of docs/notebooks runs to its end, and what is committed is what its script makes."""

import ast
import importlib.util
import json
from pathlib import Path

import pytest

from tarsus.scripts.laboratory.pages import cells, notebooks

DOCS = Path(__file__).parents[1] / "docs"
SCRIPTS = notebooks.scripts(DOCS)
EXTRAS = {"torch", "stable_baselines3", "onnxruntime", "viser"}  # packages that a notebook may do without
EXAMPLE = """# %% [markdown]
# # A title
#
# Text with $x$.

# %%
import matplotlib.pyplot as plt

value = 2.5
print("value", value)

# %%
plt.plot([0, 1], [0, value])
print("drawn")
"""


def needs(script: Path) -> set[str]:
    """Return the optional packages that a script imports."""
    nodes = ast.walk(ast.parse(script.read_text(encoding="utf-8")))
    names = [[one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
             for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]  # fmt: skip
    return EXTRAS & {name.partition(".")[0] for some in names for name in some}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_notebook_runs_and_its_page_shows_what_it_makes(name):
    for package in needs(SCRIPTS[name]):
        pytest.importorskip(package, reason=f"it needs {package}, of an extra")
    made = cells.run(cells.read(SCRIPTS[name]), SCRIPTS[name])
    _, shown = cells.stored(SCRIPTS[name].with_suffix(".ipynb").read_text(encoding="utf-8"))
    for here, there in zip(made, shown, strict=True):
        assert cells.agree(cells.printed(here), cells.printed(there)), f"tarsus page notebooks --write --only {name}"
        assert len(cells.pictures(here)) == len(cells.pictures(there))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_notebook_is_its_script(name):
    assert not notebooks.is_stale(SCRIPTS[name]), f"tarsus page notebooks --write --only {name}"
    _, shown = cells.stored(SCRIPTS[name].with_suffix(".ipynb").read_text(encoding="utf-8"))
    pictures = [picture for outputs in shown for picture in cells.pictures(outputs)]
    assert not pictures or SCRIPTS[name].with_suffix(".png").read_bytes() == pictures[-1]


@pytest.fixture
def docs(tmp_path):
    """A folder of documents with a notebook."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "example.py").write_text(EXAMPLE)
    return tmp_path


def test_a_script_becomes_a_notebook(docs, capsys):
    words = ["--docs", str(docs)]
    assert notebooks.main(words) == 0 and "example: stale" in capsys.readouterr().out
    assert notebooks.main([*words, "--write", "--only", "example"]) == 0
    made = docs / "notebooks" / "example.ipynb"
    whole = json.loads(made.read_text())
    assert [cell["cell_type"] for cell in whole["cells"]] == ["markdown", "code", "code"]
    assert whole["cells"][0]["source"] == ["# A title\n", "\n", "Text with $x$."]
    _, (text, first, second) = cells.stored(made.read_text())
    assert text == [] and cells.printed(first) == "value 2.5\n" and cells.printed(second) == "drawn\n"
    (picture,) = cells.pictures(second)
    assert picture.startswith(b"\x89PNG") and (docs / "notebooks" / "example.png").read_bytes() == picture
    before = made.read_bytes()
    assert notebooks.main([*words, "--write"]) == 0 and made.read_bytes() == before
    capsys.readouterr()
    assert notebooks.main(words) == 0 and "example: up to date" in capsys.readouterr().out
    (docs / "notebooks" / "example.py").write_text(EXAMPLE.replace("2.5", "2.6"))
    assert notebooks.main(words) == 0 and "example: stale" in capsys.readouterr().out


def test_a_notebook_that_there_is_not_is_refused(docs, capsys):
    assert notebooks.main(["--docs", str(docs), "--only", "exmaple"]) == 2
    assert "--only must be of example, got exmaple" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (EXAMPLE.replace("# # A title", "# A title"), "must begin with"),
        (EXAMPLE.replace("# Text", "Text"), "line 4: text stands in comments"),
        (EXAMPLE.replace("# %%\nplt", "# %% plot\nplt"), "line 12: a cell begins with"),
        ("", "must begin with"),
        ("value = 1\n" + EXAMPLE, "must begin with"),
    ],
)
def test_a_script_in_another_form_is_refused(docs, text, sentence):
    path = docs / "notebooks" / "example.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        cells.read(path)


def test_a_value_at_the_end_of_a_cell_is_refused(docs):
    path = docs / "notebooks" / "example.py"
    path.write_text(EXAMPLE + "\n# %%\nvalue\n")
    with pytest.raises(ValueError, match="line 17: a cell ends with a value"):
        cells.run(cells.read(path), path)


def test_an_exception_names_the_line_of_the_script(docs):
    path = docs / "notebooks" / "example.py"
    path.write_text(EXAMPLE + "assert value < 2.0\n")
    with pytest.raises(AssertionError) as raised:
        cells.run(cells.read(path), path)
    last = raised.traceback[-1]
    assert (str(last.path), last.lineno + 1) == (str(path), EXAMPLE.count("\n") + 1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("speed 1.0004 m/s", "speed 1.0000 m/s", True),
        ("speed 1.004 m/s", "speed 1.000 m/s", False),
        ("speed 0.96 m/s", "speed 0.95 m/s", True),  # a unit in the last place: .9551 and .9549
        ("speed 0.97 m/s", "speed 0.95 m/s", False),
        ("139 events", "140 events", False),
        ("speed 1.0 m/s", "speed 1.0 mm/s", False),
        ("angle -0.5", "angle 0.5", False),
        ("error 1e-9", "error 1e-8", False),
        ("1 2", "1", False),
    ],
)
def test_printed_texts_agree_in_words_and_numbers(one, other, same):
    assert cells.agree(one, other) is same


def test_a_notebook_becomes_a_page():
    pytest.importorskip("myst_parser", reason="it needs the extra `docs`")
    spec = importlib.util.spec_from_file_location("notebook_pages", DOCS / "notebook_pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    found = [cells.Cell("markdown", "# A title\n\nText.\n\n## One *part*", 2), cells.Cell("code", 'print("```")', 9)]
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["```\n"]}]
    outputs += [{"output_type": "display_data", "metadata": {}, "data": {"image/png": "QQ=="}}]
    page = pages.markdown(cells.notebook(found, [[], outputs]), "example")
    assert page.splitlines()[:3] == ["# A title", "", "{download}`example.ipynb` {download}`example.py`"]
    assert '````python\nprint("```")\n````' in page and "````text\n```\n````" in page
    assert "![One part](data:image/png;base64,QQ==)" in page
    assert page.index("{download}") < page.index("Text.") < page.index("## One") < page.index("print(")
