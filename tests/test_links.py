"""Every link of the pages leads to a file of the project, and to a heading in it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|mailto:|project:)([^()\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Return the names of a page's headings as MyST and GitHub make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#{1,4} +(.*?) *$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page):
    lost = []
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            lost.append(target)
    assert not lost
