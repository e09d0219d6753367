"""A Sphinx extension: equations become MathML in the build, so that a browser needs neither script nor network.

LaTeX is translated by latex2mathml; what it does not know is an error of the build, and never shows as raw LaTeX.
"""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

LOG = logging.getLogger(__name__)
UNREAD = re.compile(r"<(mi|mo|mtext)>(\\[^<]*|&(?!#)[^<]*)</")  # a command it passes through, a stray alignment


def mathml(latex: str, display: str) -> str:
    """Return an equation as MathML.

    Args:
        latex: The equation, without its dollars.
        display: "inline" or "block".

    Raises:
        ValueError: If something in it is not translated.
    """
    # GitHub knows `aligned`, latex2mathml the same under the name of `split`.
    latex = re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{split}", latex)
    try:
        found = convert(latex, display=display)
    except Exception as error:  # its exceptions have no class in common
        raise ValueError(f"cannot be read as LaTeX: {type(error).__name__} {error}") from error
    if unread := UNREAD.search(found):
        raise ValueError(f"has {unread[2]!r}, which latex2mathml does not know")
    return found


def visit(writer, node: nodes.Element, display: str) -> None:
    """Write an equation's MathML into the page, in the place of its node."""
    try:
        found = mathml(node.astext(), display)
    except ValueError as error:
        LOG.warning("the equation %r %s", node.astext(), error, location=node)
        found = ""
    writer.body.append(f'<div class="equation">{found}</div>\n' if display == "block" else found)
    raise nodes.SkipNode


def setup(app) -> dict:
    """Register the renderer, which `html_math_renderer` names."""
    app.add_html_math_renderer(
        "mathml",
        (lambda writer, node: visit(writer, node, "inline"), None),
        (lambda writer, node: visit(writer, node, "block"), None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
