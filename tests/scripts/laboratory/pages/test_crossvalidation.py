"""The page of both engines: the part that `tarsus page crossvalidation --write` fills."""

from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import crossvalidation


def test_the_walk_fills_its_part_of_the_page_with_facts_tables_and_pictures(tmp_path):
    page = tmp_path / "crossvalidation.md"
    page.write_text("before <!-- walk: begin --><!-- walk: end --> after")
    (tmp_path / "figures").mkdir()
    assert frame.main(crossvalidation, ["--seconds", "1", "--write", "--docs", str(tmp_path)]) == 0
    text = page.read_text()
    assert text.startswith("before") and text.endswith("after")
    assert "\n* MuJoCo: mujoco" in text and "#### Forces on the feet\n\nRoot mean square" in text
    for picture in crossvalidation.FILES:
        assert f"]({picture})" in text and (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
