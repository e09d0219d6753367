"""The page of reproductions names every figure of the five sources, and every figure of ours that is made after one."""

import re
from pathlib import Path

import pytest

from tarsus.scripts.laboratory import drawing

PAGE = (Path(__file__).parents[1] / "docs" / "reproduction.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE))
N_FIGURES = {  # numbered ones, from the documents' captions
    "SimSect user's manual": 8,
    "Modeling and analysis of a spatial compliant hexapod": 10,
    "Dynamic locomotion of simplified hopping robots": 6,
    "Modeling multi-legged robot locomotion with slipping": 15,
}


@pytest.mark.parametrize("document", N_FIGURES)
def test_every_figure_of_a_source_is_named(document):
    cells = re.findall(r"^\| ([\d, ()ab]+) \|", SECTIONS[document].partition("\n### ")[0], flags=re.MULTILINE)
    numbers = {int(number) for cell in cells for number in re.findall(r"\d+", cell)}
    assert numbers == set(range(1, N_FIGURES[document] + 1))


@pytest.mark.parametrize("name", drawing.names())
def test_every_figure_made_after_a_source_is_there(name):
    text = drawing.load(name).__doc__
    if re.search(r"After |figures? \d", text):
        assert f"`tarsus figure {name}`" in PAGE, text
