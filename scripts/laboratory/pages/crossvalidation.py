"""The hexapod's default walk in both engines: what differs.

Usage: tarsus page crossvalidation [--seconds 6] [--write]. Runtime: half a minute, and once a minute of compiling.
"""

from __future__ import annotations

from functools import partial

import tarsus
from tarsus.scripts.command.signature import Seconds
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.comparison import crossvalidate, shown
from tarsus.scripts.library.records import record

PACKAGES = record.PACKAGES
PLACE = Place("crossvalidation.md", "walk")
PICTURES = {
    f"figures/crossvalidation_walk_{name}.png": draw
    for name, draw in (("body", shown.draw_body), ("feet", shown.draw_feet))
}
FILES = tuple(PICTURES)


def tables(seconds: Seconds = 6.0) -> Page:
    """Return the runs compared, the pictures, and a table for each kind of quantity.

    Args:
        seconds: How long it walks.
    """
    made = tarsus.crossvalidate("hexapod", seconds=seconds)
    facts = "\n".join(f"* {fact}" for fact in crossvalidate.facts(*made)[:-1])  # the page's first line has the last
    images = "\n\n".join(f"![walk, {name.rpartition('_')[2].removesuffix('.png')}]({name})" for name in FILES)
    tables = [Table(one.head, one.rows, f"#### {one.title}\n\n{one.text}") for one in shown.sections(made[2])]
    return Page(facts, images, *tables, files={name: partial(draw, *made) for name, draw in PICTURES.items()})
