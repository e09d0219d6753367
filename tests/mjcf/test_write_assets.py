"""The XML that lies beside the builders is what they make."""

import pytest

from tarsus.mjcf.write_assets import ASSETS, MACHINES, xml


@pytest.mark.parametrize("machine", MACHINES)
def test_an_asset_is_what_its_builder_makes(machine):
    assert (ASSETS / f"{machine}.xml").read_text() == xml(machine), "run: python -m tarsus.mjcf.write_assets"


def test_there_is_no_asset_without_a_builder():
    assert {path.stem for path in ASSETS.glob("*.xml")} == set(MACHINES)
