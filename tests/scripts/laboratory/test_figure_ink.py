"""What the site takes for a figure, whose paper is clear and whose ink is light on a dark page."""

import importlib.util

import pytest

from tarsus.scripts.laboratory import documents

SPEC = importlib.util.spec_from_file_location("figure_ink", documents.DOCS / "figure_ink.py")
INK = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(INK)


@pytest.mark.parametrize(
    ("name", "drawn"),
    [("contact_pareto.png", True), ("stability_walk.png", True), ("hexapod.png", False), ("dog.gif", False)],
)
def test_figures_are_told_from_scenes(name, drawn):
    assert INK.is_on_white(documents.DOCS / "figures" / name) is drawn


def test_what_is_marked_is_what_the_style_sheet_knows():
    styles = (documents.DOCS / "static" / "pages.css").read_text(encoding="utf-8")
    assert styles.count("img.drawn {\n") == styles.count("hue-rotate(180deg)") == 2
