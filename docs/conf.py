"""How Sphinx makes the site: `make docs` writes it to out/site, and a broken link is an error."""

import re

project, author, version = "tarsus", "the authors of tarsus", "0.1.0"
project_copyright = "2026, the authors of tarsus"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "tarsus"
html_static_path = []

# Pages link to each other's headings, as they do where the repository is read.
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "colon_fence"]

autodoc_default_options = {"members": True, "undoc-members": False, "member-order": "bysource"}
suppress_warnings = ["ref.python", "myst.header"]  # words in brackets that are no types; parts that scripts insert
autodoc_typehints = "none"  # units and shapes are in the text
toc_object_entries = False  # a line for every function would be a table of contents for nobody
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes that a class describes are described once


def as_plain_text(app, what, name, obj, options, lines):
    """Take docstrings as they are meant, as prose with code in backticks, and not as reStructuredText."""
    text = []
    for line in lines:
        parts = re.split(r"(`[^`]*`)", line)
        quoted = [f"`{part}`" if re.fullmatch("`.+`", part) else re.sub(r"([*|_])", r"\\\1", part) for part in parts]
        begins_block = what == "module" and line.startswith("    ") and text and not text[-1].strip()
        if begins_block:  # formulas and examples, which are set as they stand
            text += ["::", ""]
        text.append(line if what == "module" and line.startswith("    ") else "".join(quoted))
    lines[:] = text


def setup(app):
    """Tell Sphinx of the docstrings' form."""
    app.connect("autodoc-process-docstring", as_plain_text, priority=400)  # before napoleon makes sections
