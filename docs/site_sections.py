"""A Sphinx extension: pages of reference whose details are read from the code as the site is built, as docstrings are.

In the repository `verbs.md` has the verbs, the site adds names and options; `figures.md` says how figures are made, the
site shows them all, and links to their pictures lead there; `contact_cases.md` has a sentence on each case, the site
adds answers and derivations. The names of cases, there and on the page of the suite, become links to the sections.
"""

from __future__ import annotations

import re

from tarsus.scripts.laboratory import drawing
from tarsus.scripts.laboratory.pages import contact_cases, gallery, verb_pages
from tarsus.scripts.suite import case as cases

CASES, SUITE = "contact_cases", "contact_suite"


def linked(text: str, page: str) -> str:
    """Return a page whose names of cases are links."""
    target = "" if page == CASES else f"{CASES}.md"
    names = "|".join(cases.ids())
    return re.sub(rf"(?<!\[)`({names})`", rf"[`\1`]({target}#\1)", text)


def with_cases(text: str) -> str:
    """Return the page of the cases with the sections behind its tables."""
    sections = [contact_cases.section(cases.load(name)) for name in cases.ids()]
    return "\n\n".join([linked(text, CASES), "## Answers and where they come from", *sections]) + "\n"


def with_figures(text: str) -> str:
    """Return a page whose links to pictures of figures lead to their sections."""
    return re.sub(rf"(?<!!)(\[[^]]*\])\(figures/({'|'.join(drawing.names())})\.png\)", r"\1(figures.md#\2)", text)


PAGES = {
    CASES: with_cases,
    SUITE: lambda text: linked(text, SUITE),
    "verbs": lambda text: verb_pages.whole(),
    "figures": gallery.whole,
}


def add(app, name, source):
    """Change the pages as Sphinx reads them."""
    if name in PAGES:
        source[0] = PAGES[name](source[0])
    if name != "figures":
        source[0] = with_figures(source[0])


def setup(app):
    """Tell Sphinx of the pages."""
    app.connect("source-read", add)
    return {"parallel_read_safe": True}
