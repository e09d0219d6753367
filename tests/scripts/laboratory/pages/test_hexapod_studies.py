"""The page of the studies: every study draws and tabulates what its golden data hold, and keeps to its place."""

import functools
from pathlib import Path

import numpy as np
import pytest

from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory import drawing as command
from tarsus.scripts.laboratory.figures import hexapod_pushes, hexapod_speed_map
from tarsus.scripts.laboratory.pages import hexapod_studies

GOLDEN = Path(__file__).parents[3] / "golden"
PAGE = Path(__file__).parents[4] / "docs" / "hexapod_studies.md"


@pytest.mark.parametrize("name", hexapod_studies.STUDIES)
def test_golden_data_are_drawn_and_tabulated(name):
    figure, data = command.load(name), dict(np.load(GOLDEN / f"figure_{name}.npz"))
    assert all(axis.has_data() for axis in command.picture(figure, data).axes)
    assert "|---|" in figure.table(data)


def test_a_study_leaves_its_picture_and_its_part_of_the_page(tmp_path):
    name = "hexapod_slope_speed"
    np.savez(tmp_path / f"{name}.npz", **np.load(GOLDEN / f"figure_{name}.npz"))
    part = hexapod_studies.study(name, tmp_path, tmp_path / "figures", jobs=1)
    assert (tmp_path / "figures" / f"{name}.png").stat().st_size > 5000
    assert part.startswith(f"![{name}]") and f"(figures/{name}.png)" in part and "|---|" in part


def test_every_study_of_the_hexapod_is_on_the_page():
    scripts = Path(hexapod_studies.__file__).parents[1].glob("figures/hexapod_*.py")
    names = {path.stem for path in scripts}
    parts = {"hexapod_clock", "hexapod_motor"}  # of the machine, on the page of reproductions
    assert names == {*hexapod_studies.STUDIES, *parts, "hexapod_families"}  # which are on a page of their own
    assert "figures/hexapod_families.png" in PAGE.with_name("families.md").read_text(encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    for name in ("made", *hexapod_studies.STUDIES):
        documents.insert(text, name, "")


def test_a_part_replaces_what_stood_between_its_markers():
    page = "a\n<!-- x: begin -->old<!-- x: end -->\nb <!-- y: begin --><!-- y: end -->"
    new = documents.insert(page, "x", "new")
    assert new == "a\n<!-- x: begin -->\n\nnew\n\n<!-- x: end -->\nb <!-- y: begin --><!-- y: end -->"
    with pytest.raises(ValueError, match="needs the lines <!-- z: begin -->"):
        documents.insert(page, "z", "")


def test_a_page_without_its_markers_is_refused_before_the_runs(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("nothing here")
    assert hexapod_studies.main(["--into", str(page), "--data", str(tmp_path)]) == 2
    assert "needs the lines" in capsys.readouterr().err and page.read_text() == "nothing here"


def test_a_push_to_the_left_goes_along_minus_x():
    np.testing.assert_allclose(hexapod_pushes.push(0.0, 0.7), (0.0, 0.7), atol=1e-15)
    np.testing.assert_allclose(hexapod_pushes.push(np.pi / 2, 0.7), (-0.7, 0.0), atol=1e-15)


def test_options_of_a_study_reach_its_compute(tmp_path, monkeypatch, capsys):
    golden, seen = dict(np.load(GOLDEN / "figure_hexapod_speed_map.npz")), {}

    @functools.wraps(hexapod_speed_map.compute)
    def compute(**options):
        seen.update(options)
        return golden

    monkeypatch.setattr(hexapod_speed_map, "compute", compute)
    assert command.main(hexapod_speed_map, f"--out {tmp_path} --fineness 2 --preset rl --jobs 1".split()) == 0
    assert seen == {"fineness": 2, "preset": "rl", "jobs": 1}
    assert (tmp_path / "hexapod_speed_map.png").exists()
