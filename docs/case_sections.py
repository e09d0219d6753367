"""A Sphinx extension: the page of the contact suite's cases gets a section for every case, read from the case's file.

The document in the repository has a sentence on each. The names of cases, there and on the page of the suite, become
links to the sections.
"""

from __future__ import annotations

import re

from tarsus.scripts.laboratory.pages import contact_cases
from tarsus.scripts.suite import case as cases

CASES, SUITE = "contact_cases", "contact_suite"


def linked(text: str, page: str) -> str:
    """Return a page whose names of cases are links."""
    target = "" if page == CASES else f"{CASES}.md"
    names = "|".join(cases.ids())
    return re.sub(rf"(?<!\[)`({names})`", rf"[`\1`]({target}#\1)", text)


def whole(text: str) -> str:
    """Return the page of the cases with the sections behind its tables."""
    sections = [contact_cases.section(cases.load(name)) for name in cases.ids()]
    return "\n\n".join([linked(text, CASES), "## Answers and where they come from", *sections]) + "\n"


def add(app, name, source):
    """Change the pages as Sphinx reads them."""
    if name == CASES:
        source[0] = whole(source[0])
    elif name == SUITE:
        source[0] = linked(source[0], SUITE)


def setup(app):
    """Tell Sphinx of the pages."""
    app.connect("source-read", add)
    return {"parallel_read_safe": True}
