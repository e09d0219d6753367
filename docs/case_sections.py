"""A Sphinx extension: the page of the contact suite's cases gets a section for every case, read from the case's file.

The document in the repository has a sentence on each; the names in its tables become links to the sections.
"""

from __future__ import annotations

import re

from tarsus.scripts.laboratory.pages import contact_cases
from tarsus.scripts.suite import case as cases

PAGE = "contact_cases"


def whole(text: str) -> str:
    """Return the page with the sections behind its tables."""
    known = [cases.load(name) for name in cases.ids()]
    for case in known:
        text = re.sub(rf"^\| `{case['id']}` \|", f"| [`{case['id']}`](#{case['id']}) |", text, flags=re.MULTILINE)
    return "\n\n".join([text, "## Answers and where they come from", *map(contact_cases.section, known)]) + "\n"


def add(app, name, source):
    """Extend the page as Sphinx reads it."""
    if name == PAGE:
        source[0] = whole(source[0])


def setup(app):
    """Tell Sphinx of the page."""
    app.connect("source-read", add)
    return {"parallel_read_safe": True}
