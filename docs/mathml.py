"""A Sphinx extension: equations become MathML in the build, so that a browser needs neither script nor network.

LaTeX is translated by latex2mathml; what it does not know is an error of the build, and never shows as raw LaTeX.
"""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

LOG = logging.getLogger(__name__)
# What it reads otherwise than LaTeX sets it: `aligned` (GitHub's), bars that are a pair, ...
BEFORE = [
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{split}"),
    (re.compile(r"(?<!\\left)(\\l[vV]ert)"), r"\\left\1"),
    (re.compile(r"(?<!\\right)(\\r[vV]ert)"), r"\\right\1"),
]
THIN = '<mspace width="0.167em" />'
NAMED = r"<mi>(?:sin|cos|tan|arcsin|arccos|arctan|sinh|cosh|tanh|ln|log|exp|det|sgn)</mi>"
# ... dots at the height of an accent, capital Greek letters upright, an operator that is no letter; and the room about
# a sign behind a bracket, a function's name and a full stop, which MathML takes for operators between two operands.
AFTER = [
    (re.compile(r"<mover>((?:(?!<mover>).)*?<mo>(?:&#x002D9;|&#x000A8;)</mo></mover>)"), r'<mover accent="true">\1'),
    (re.compile(r"<mi>(&#x003(?:9[3-9A-F]|A[0-9]);)</mi>"), r'<mi mathvariant="normal">\1</mi>'),
    (re.compile(r"<mi>&#x000B1;</mi>"), "<mo>&#x000B1;</mo>"),
    (
        re.compile(
            r"((?:&#x000(?:28|2C|3D);|\()</mo>(?:<mspace[^>]*>|<mtext>&#x000A0;</mtext>)*)<mo>(&#x0(?:2212|00B1);)"
        ),
        r'\1<mo form="prefix" rspace="0">\2',
    ),
    (re.compile(r"<mo>([a-z]{2,})</mo>"), r'<mo lspace="0.167em" rspace="0">\1</mo>'),
    (re.compile(r"<mo>(&#x0002E;|\.)</mo>"), r'<mo lspace="0">\1</mo>'),
    # the thin spaces before a named function and between it and an argument without brackets
    (
        re.compile(rf"(</(?:mi|mn|msup|msub|msubsup|mfrac|msqrt|mover)>|&#x00029;</mo>)(?=(?:<msup>|<msub>)?{NAMED})"),
        rf"\1{THIN}",
    ),
    (
        re.compile(rf"(<msup>{NAMED}<(m[in])>[^<]*</\2></msup>|(?<!<msup>)(?<!<msub>){NAMED})(?=<m(?!o[ >]))"),
        rf"\1{THIN}",
    ),
]
UNREAD = re.compile(r"<(mi|mo|mtext)>(\\[^<]*|&(?!#)[^<]*)</")  # a command it passes through, a stray alignment


def mathml(latex: str, display: str) -> str:
    """Return an equation as MathML.

    Args:
        latex: The equation, without its dollars.
        display: "inline" or "block".

    Raises:
        ValueError: If something in it is not translated.
    """
    for pattern, put in BEFORE:
        latex = pattern.sub(put, latex)
    try:
        found = convert(latex, display=display)
    except Exception as error:  # its exceptions have no class in common
        raise ValueError(f"cannot be read as LaTeX: {type(error).__name__} {error}") from error
    if unread := UNREAD.search(found):
        raise ValueError(f"has {unread[2]!r}, which latex2mathml does not know")
    for pattern, put in AFTER:
        found = pattern.sub(put, found)
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
