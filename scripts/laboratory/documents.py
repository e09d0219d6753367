"""The documents that pages and studies are written into: parts between marker comments."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"  # whose pages commands write by default, from whatever folder they are run


def insert(text: str, name: str, generated: str) -> str:
    """Return a page with the part between its markers `<!-- NAME: begin -->` and `<!-- NAME: end -->` replaced.

    Raises:
        ValueError: If the markers are missing or in the wrong order.
    """
    begin_mark, end_mark = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, begin, rest = text.partition(begin_mark)
    _, end, after = rest.partition(end_mark)
    if not (begin and end):
        raise ValueError(f"the page needs the lines {begin_mark} and {end_mark}, in this order")
    return f"{before}{begin_mark}\n\n{generated}\n\n{end_mark}{after}"


def check_page(page: Path, *names: str) -> str:
    """Return the text of a page that has these parts: asked before the work, which may take minutes.

    Raises:
        ValueError: If it cannot be read, or lacks a part's markers.
    """
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"the page {page} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the page {page} is not a text") from None
    for name in names:
        try:
            insert(text, name, "")
        except ValueError as error:
            raise ValueError(f"{page}: {error}") from None
    return text
