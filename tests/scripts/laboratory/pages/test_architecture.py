"""docs/architecture.md says what is there: its table is the code's, its walks lead through files that exist."""

import re

from tarsus.scripts.laboratory.pages import architecture

TEXT = (architecture.ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_table_of_rooms_is_read_from_the_code():
    assert architecture.tables().text("markdown", "").strip() in TEXT


def test_the_walks_lead_through_files_that_exist():
    named = re.findall(r"`([\w/]+\.py)`", TEXT)
    rooms = [
        architecture.ROOT / room
        for room in ("", "analytic/articulated", "analytic/compilation", "analytic/hybrid", "analytic/hybrid/kernel")
    ]
    assert len(named) > 20
    assert not [name for name in named if not any((room / name).exists() for room in rooms)]
