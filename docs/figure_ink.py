"""A Sphinx extension: figures on white paper are of the class "drawn", and follow the dark theme (static/pages.css)."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from PIL import Image

WHITE = (255, 255, 255)


def is_on_white(picture: Path | io.BytesIO) -> bool:
    """Return whether all corners of a picture are white: scenes have a sky, films no paper."""
    with Image.open(picture) as image:
        if image.format != "PNG":
            return False
        corners = [(x, y) for x in (0, image.width - 1) for y in (0, image.height - 1)]
        return all(image.convert("RGB").getpixel(corner) == WHITE for corner in corners)


def mark(app, doctree):
    """Give the pictures of a page their class."""
    from docutils import nodes

    for image in doctree.findall(nodes.image):
        uri = image["uri"]
        if uri.startswith("data:image/png;base64,"):
            found = io.BytesIO(base64.b64decode(uri.partition(",")[2]))
        elif (Path(app.srcdir) / uri).is_file():
            found = Path(app.srcdir) / uri
        else:
            continue
        if is_on_white(found):
            image["classes"].append("drawn")


def setup(app):
    """Tell Sphinx of it."""
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True}
