"""The sweep of contact settings and the grid of verdicts: fronts, and cells that fail without ending the sweep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.mjcf.presets import PRESETS, Preset
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.frame import Page
from tarsus.scripts.laboratory.pages import contact
from tarsus.scripts.laboratory.pages import verdicts as verdict_grid
from tarsus.scripts.laboratory.studies import contact_sweep
from tarsus.scripts.laboratory.studies.study import Verdict


def test_the_front_is_what_nothing_beats():
    speed = np.array([1.0, 2.0, 3.0, 3.0, 0.5, 4.0])
    error = np.array([0.1, 0.2, 0.2, 0.5, 0.1, np.nan])
    np.testing.assert_array_equal(contact_sweep.front(speed, error), [True, False, True, False, False, False])


values = st.floats(0.1, 100)


@given(st.lists(st.tuples(values, values), min_size=1, max_size=20))
def test_every_setting_is_on_the_front_or_beaten_by_one_on_it(points):
    speed, error = np.array(points).T
    on = contact_sweep.front(speed, error)
    assert on.any()
    for k in np.flatnonzero(~on):
        assert np.any((speed[on] >= speed[k]) & (error[on] <= error[k]))


def test_the_presets_and_the_defaults_are_among_the_settings():
    known = contact_sweep.settings()
    assert {contact_sweep.DEFAULTS, *PRESETS} <= set(known)
    assert all(known[name] == preset for name, preset in PRESETS.items())
    fields = ("timestep", "integrator", "cone", "impratio", "solref", "solimp", "noslip_iterations", "toe_radius")
    for name in fields:
        assert len({getattr(preset, name) for preset in known.values()}) > 1, name


def test_a_setting_that_cannot_run_stays_in_the_list_with_its_reason():
    soft = Preset(5e-2, "Euler", (0.1, 1.0))
    cells = contact_sweep.compute({"too long": soft}, n_jobs=1, progress=False)
    assert "timestep" in cells["too long"].failed and np.isnan(cells["too long"].force_error)
    rows = contact_sweep.frame({"too long": soft}, cells)
    assert "too long: " in Page(*contact.parts(rows)).text("markdown", "")


def test_a_failed_cell_is_no_agreement(monkeypatch):
    monkeypatch.setattr(verdict_grid, "CYCLE_TIMES", (0.5, 0.6, 0.7, 0.8))
    monkeypatch.setattr(verdict_grid, "SWEEP_ANGLES", (0.3,))
    monkeypatch.setattr(verdict_grid, "DUTIES", (0.5,))
    walks, tips, topples, failed = Verdict.WALKS, Verdict.TIPS, Verdict.TOPPLES, Verdict.REFUSED
    verdict = np.array([(walks, tips), (topples, topples), (failed, failed), (walks, topples)]).reshape(1, 4, 1, 2)
    assert verdict_grid.agreement(verdict).ravel().tolist() == [True, True, False, False]
    found = {"verdict": verdict, "ended": np.full(verdict.shape, 8.0), "speed": np.full(verdict.shape, 0.2)}
    part = Page(*verdict_grid.parts(found, "reference")).text("markdown", "")
    assert "**50.0 %**" in part and "**!!**" in part and "**wt**" in part and "| ww |" in part
    assert "t_c 0.8 s, phi_s 0.3 rad, duty 0.5: exact walks (8.00 s); MuJoCo topples (8.00 s)" in part


def test_a_page_keeps_what_stands_around_its_parts():
    page = "a\n<!-- one: begin -->old<!-- one: end -->\nb\n<!-- two: begin --><!-- two: end -->c"
    found = documents.insert(page, "one", "new")
    assert found.startswith("a\n<!-- one: begin -->") and "old" not in found and "new" in found
    assert found.endswith("b\n<!-- two: begin --><!-- two: end -->c")
    with pytest.raises(ValueError, match="three: begin"):
        documents.insert(page, "three", "")
