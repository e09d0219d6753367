"""How Sphinx makes the site: `make docs` writes it to out/site, and a broken link is an error."""

import re
import sys
import tomllib
from pathlib import Path

from tarsus import hybrid
from tarsus.scripts.laboratory.pages.environment_page import comments_of

sys.path.insert(0, str(Path(__file__).parent))  # for the extensions beside this file

project, author = "tarsus", "the authors of tarsus"
version = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "version"
]
project_copyright = "2026, the authors of tarsus"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "figure_ink",
    "mathml",
    "notebook_pages",
    "site_sections",
]
html_math_renderer = "mathml"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}  # autosummary writes the second: a page for a module
templates_path = ["templates"]
autosummary_context = {"described": hybrid.__all__}  # on the page of `tarsus.hybrid`, so not with its modules
html_theme = "furo"
html_title = "tarsus"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_js_files = [("figures.js", {"defer": "defer"})]
smartquotes = False  # they make a dash of the two hyphens of an option

# Pages link to each other's headings, as they do where the repository is read.
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_fence_as_directive = ["math"]  # as GitHub writes displayed equations

autodoc_default_options = {"members": True, "member-order": "bysource"}
suppress_warnings = ["ref.python", "myst.header"]  # words in brackets that are no types; parts that scripts insert
autodoc_mock_imports = ["stable_baselines3", "onnx", "torch"]  # extras that the pages do not need
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
toc_object_entries = False  # a line for every function would be a table of contents for nobody
highlight_language = "text"  # of blocks that name none, what a command prints
html_domain_indices = False
html_use_index = False  # the search finds more, and is narrower
html_search_scorer = str(Path(__file__).with_name("scorer.js"))  # pages first
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes that a class describes are described once


def as_plain_text(app, what, name, obj, options, lines):
    """Take docstrings as they are meant, as prose with code in backticks, and not as reStructuredText.

    Equations are taken as they stand: what follows `.. math::` by its indentation, and `:math:` in a line.
    """
    if what == "data" and obj.__doc__ == type(obj).__doc__:  # it has none of its own
        keys = ", ".join(f"``{key}``" for key in obj) if isinstance(obj, dict) else ""
        lines[:] = [f"A dictionary with the keys {keys}."] if keys else []
        return
    text, equation = [], None  # the indentation of the equation's directive
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if equation is not None and line.strip() and indent <= equation:
            equation = None
        if line.lstrip().startswith(".. math::"):
            equation = indent
        as_it_stands = what == "module" and line.startswith("    ")
        if equation is None and as_it_stands and text and not text[-1].strip():  # an example
            text += ["::", ""]
        text.append(line if as_it_stands or equation is not None else prose(line))
    lines[:] = text + (fields(obj) if what == "class" and "Attributes:" not in text else [])


def fields(described):
    """Return the section of a docstring that describes a record's fields, by the comments behind them."""
    names = getattr(described, "__dataclass_fields__", None) or getattr(described, "_fields", ())
    comments = comments_of(described) if names else {}
    found = [f"    {name}: {prose(comments[name])}" for name in names if comments.get(name)]
    return ["", "Attributes:", *found, ""] if found else []


def prose(line):
    """Return a line of a docstring with code in backticks as code, and nothing else of it as markup."""
    parts = re.split(r"(:math:`[^`]*`|`[^`]*`)", line)
    for i, part in enumerate(parts):
        if re.fullmatch("`.+`", part):
            parts[i] = f"`{part}`"
        elif not part.startswith(":math:"):
            parts[i] = re.sub(r"([*|_])", r"\\\1", part)
    return "".join(parts)


def setup(app):
    """Tell Sphinx of the docstrings' form."""
    app.connect("autodoc-process-docstring", as_plain_text, priority=400)  # before napoleon makes sections
