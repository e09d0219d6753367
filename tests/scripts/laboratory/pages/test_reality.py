"""The page of contact against reality: order, paired differences, and results that are missing."""

import json

import numpy as np
import pytest

from tarsus.scripts.laboratory.frame import Table
from tarsus.scripts.laboratory.pages import reality
from tarsus.scripts.laboratory.pages import reality_pictures as pictures
from tarsus.scripts.library.reality import cube, offering
from tarsus.scripts.suite.running import About


def study(name, off):
    """Return the results of an engine whose errors are so far off, but for tosses alike."""
    rng = np.random.default_rng(0)
    errors = rng.exponential(10.0, (30, 1)) * np.ones(5) + off
    curve = np.ones((2, cube.FRAMES))
    untuned = cube.Scores(cube.UNTUNED, np.arange(30), errors, curve, 0.1, {})
    tuned = cube.Scores(cube.CubeContact(0.2, 0.1, 4e-3), np.arange(30), errors - 1.0, curve, 0.1, {})
    made = offering.study(About(name.upper(), "1"), name, {}, [])
    found = {"grid": [], "fitted_on": 30, "untuned": cube.as_stored(untuned), "tuned": cube.as_stored(tuned)}
    return made | {"results": {"defaults": {"corrected": found, "published": found}}}


@pytest.fixture
def folder(tmp_path):
    for name, off in (("alpha", 4.0), ("beta", 2.0)):
        (tmp_path / f"{name}.json").write_text(offering.file_text(study(name, off)))
    median = {"value": 5.5, "low": 5.2, "high": 5.9}
    law = {"law": "stronge", "mu": 0.17, "e": 0.56, "median": median, "p95": 14.0}
    counts = [1] * (len(offering.SLIPS) - 1)
    made = {"body": "ellipse", "impacts": 10, "laws": {"corrected": [law]}, "slips": {"corrected": counts}}
    made["spins"] = {"corrected": np.eye(len(offering.SPINS) - 1, dtype=int).tolist()}
    (tmp_path / "ellipse.json").write_text(json.dumps(made))
    return tmp_path


def test_rows_are_sorted_and_compared_with_the_best_toss_by_toss(folder):
    page = reality.tables(folder)
    shown = {part.title: part for part in reversed(page.parts) if isinstance(part, Table)}
    rows = shown["### Cube, published"].rows
    assert [row[0] for row in rows] == [
        "BETA, defaults, tuned", "BETA, defaults, untuned", "ALPHA, defaults, tuned", "ALPHA, defaults, untuned"
    ]  # fmt: skip
    assert rows[0][1:4] == ["0.2", "0.1", "4"]
    beside = shown["#### Difference from the first row"]
    assert beside.rows[0] == ["BETA, defaults, untuned", "+1.0 [+1.0, +1.0]", "+1.0 [+1.0, +1.0]"]
    assert beside.rows[2][1] == "+3.0 [+3.0, +3.0]"
    assert "| stronge | 0.17 | 0.56 | 5.50 [5.20, 5.90] | 14.0 |" in page.text("markdown", "")


def test_its_pictures_are_drawn(folder, monkeypatch):
    monkeypatch.setattr(pictures, "FRICTIONS", (0.18, 0.22))
    monkeypatch.setattr(pictures, "EVERY", 60)
    for path, draw in reality.tables(folder).files.items():
        assert draw().axes, path


def test_a_pyramid_needs_another_friction_and_is_worse(monkeypatch):
    monkeypatch.setattr(pictures, "FRICTIONS", (0.18, 0.22))
    monkeypatch.setattr(pictures, "EVERY", 20)
    cone, pyramid = (pictures.errors_over_friction(setting) for setting in pictures.CONES.values())
    assert cone[0] < cone[1] and pyramid[1] < pyramid[0] and min(pyramid) > 1.3 * min(cone)


def test_an_engine_that_ran_no_toss_says_why(folder):
    errors, why = np.full((30, 5), np.nan), {"cannot: it has no cubes": 30}
    none = cube.Scores(cube.UNTUNED, np.arange(30), errors, np.full((2, cube.FRAMES), np.nan), np.nan, why)
    made, stored = study("gamma", 0.0), cube.as_stored(none)
    found = {"grid": [], "fitted_on": 30, "untuned": stored, "tuned": stored}
    made["results"]["defaults"] = {"corrected": found, "published": found}
    (folder / "gamma.json").write_text(offering.file_text(made))
    assert "| GAMMA, defaults, untuned is best | 0.18 | 0 | 0 | cannot: it has no cubes | - |" in reality.tables(
        folder
    ).text("markdown", "")


def test_missing_results_are_refused(tmp_path):
    with pytest.raises(ValueError, match="`tarsus reality` and `tarsus reality ellipse` write them"):
        reality.tables(tmp_path)
