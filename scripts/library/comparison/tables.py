"""Tables with their titles as a page: Markdown, or one HTML that needs no other file."""

import base64
import html
from pathlib import Path
from typing import NamedTuple

from tarsus.scripts.library.base.stamp import markdown_table


class Section(NamedTuple):
    """A table of the page."""

    title: str
    text: str
    head: list[str]
    rows: list[list[str]]


def tables(shown: list[Section]) -> str:
    """Return the tables in Markdown, under headings of the second level."""
    parts = []
    for section in shown:
        parts += [f"## {section.title}", section.text, markdown_table(section.head, section.rows)]
    return "\n\n".join(parts)


def markdown(title: str, facts: list[str], shown: list[Section], pictures: dict[str, Path]) -> str:
    """Return the page in Markdown; pictures are linked by their file's name."""
    parts = [f"# {title}", "\n".join(f"* {fact}" for fact in facts), tables(shown)]
    parts += [f"![{name}]({path.name})" for name, path in pictures.items()]
    return "\n\n".join(parts) + "\n"


STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}"
    "td,th{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
    "img{max-width:100%}"
)


def page(title: str, facts: list[str], shown: list[Section], pictures: dict[str, Path]) -> str:
    """Return the page as HTML that needs no other file."""
    listed = "".join(f"<li>{html.escape(fact)}</li>" for fact in facts)
    parts = [f"<h1>{html.escape(title)}</h1><ul>{listed}</ul>"]
    for section in shown:
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in section.head)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in section.rows)
        parts += [f"<h2>{html.escape(section.title)}</h2>", f"<p>{html.escape(section.text)}</p>"]
        parts.append(f"<table><tr>{head}</tr>{body}</table>")
    for name, path in pictures.items():
        data = base64.b64encode(path.read_bytes()).decode()
        parts.append(f'<p><img alt="{html.escape(name)}" src="data:image/png;base64,{data}"></p>')
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"
