"""Sweeps mark what goes wrong and go on; their numbers are closed forms on records made by hand."""

import dataclasses

import numpy as np
import pytest

from tarsus.analytic import terrain
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod.state import toes_of
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import Case, Verdict
from tarsus.scripts.library.machines.outcome import Run, RunStatus
from tarsus.scripts.library.records import record


def made(ground=None, seconds=5.0, **values):
    """A record of a robot that does nothing, with some variables set; they broadcast over time."""
    time = np.arange(round(seconds / 0.01) + 1) * 0.01
    sizes = {"time": len(time), "leg": 6, "axis": 3, "quat": 4}
    described = record.describe("by hand", "reached the end", "none", HexapodParams(), TripodGait(), ground or FLAT)
    variables = {
        name: np.zeros([sizes[dim] for dim in dims], bool if name in record.BOOLEAN else float)
        for name, (dims, _, _) in record.layout_of("hexapod").schema.items()
    }
    variables["body_orientation"][:, 0] = 1.0
    for name, value in values.items():
        variables[name][...] = value
    return record.build(time, variables, described)


FLAT = terrain.Flat()


def about(axis, angle):
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.eye(3)[axis]])


@pytest.mark.parametrize("angle", [0.3, -0.3])
def test_clearance_is_that_of_the_lowest_corner(angle):
    pitched = made(body_position=[1.0, 2.0, 0.2], body_orientation=about(0, angle))
    np.testing.assert_allclose(study.clearance(pitched), 0.2 - 0.25 * np.sin(0.3) - 0.03 * np.cos(0.3))
    rolled = made(body_position=[1.0, 2.0, 0.2], body_orientation=about(1, angle))
    np.testing.assert_allclose(study.clearance(rolled), 0.2 - 0.075 * np.sin(0.3) - 0.03 * np.cos(0.3))


def test_clearance_is_above_the_ground_below_the_corner():
    sloped = made(terrain.Slope(0.0, 0.4), body_position=[0.0, 1.0, 0.8])
    np.testing.assert_allclose(study.clearance(sloped), 0.8 - 0.03 - 0.4 * 1.25)


def test_a_plate_along_the_slope_has_one_clearance():
    angle = np.arctan(0.4)
    along = made(terrain.Slope(0.0, 0.4), body_position=[0.3, 1.0, 0.6], body_orientation=about(0, angle))
    np.testing.assert_allclose(study.clearance(along), 0.6 - 0.4 - 0.03 / np.cos(angle))


def test_verdicts_tell_a_walk_from_a_plate_on_the_ground():
    high, low = made(body_position=[0, 0, 0.17]), made(body_position=[0, 0, 0.029])
    assert study.verdict_of(Run(high, RunStatus.COMPLETED, "")) is Verdict.WALKS
    assert study.verdict_of(Run(low, RunStatus.COMPLETED, "")) is Verdict.TIPS
    assert study.verdict_of(Run(low, RunStatus.TOPPLED, "")) is Verdict.TOPPLES
    assert study.verdict_of(Run(high, RunStatus.DIVERGED, "")) is Verdict.DIVERGES


def test_the_stance_rate_is_weighted_by_load():
    force = np.zeros((6, 3))
    force[:2, 2] = 30.0, 10.0
    loaded = made(hip_reference_rate=[-2.0, 6.0, 50, 50, 50, 50], foot_force=force)
    assert study.stance_rate(loaded) == pytest.approx(0.75 * 2 + 0.25 * 6)


def test_the_orbit_is_seen_along_the_heading():
    """A robot turned to the left by 90 degrees looks along -x; its right is +y."""
    turned = made(body_orientation=about(2, np.pi / 2), body_velocity=[-0.3, 0.1, 0.05], body_position=[5, 6, 0.2])
    columns = dict(zip(study.ORBIT, study.orbit(turned)[0], strict=True))
    assert (columns["forward"], columns["lateral"]) == pytest.approx((0.3, 0.1))
    assert (columns["height"], columns["vertical"], columns["pitch"]) == pytest.approx((0.2, 0.05, 0.0))


def test_a_push_moves_the_body_and_leaves_the_toes():
    gait = TripodGait()
    at_rest, pushed = study.start_of(Case(), gait), study.start_of(Case(push=(-0.6, 0.8)), gait)
    np.testing.assert_array_equal(pushed[7:10] - at_rest[7:10], [-0.6, 0.8, 0.0])
    np.testing.assert_array_equal(np.delete(pushed, (7, 8)), np.delete(at_rest, (7, 8)))


def test_a_walk_may_begin_elsewhere():
    ground, gait = terrain.Sinusoid(0.02), TripodGait()
    here, there = (study.start_of(Case(ground=ground, place=place), gait) for place in ((0.0, 0.0), (0.1, 0.05)))
    np.testing.assert_allclose(there[:2] - here[:2], [0.1, 0.05])
    toes = toes_of(there)[0]
    assert np.min(toes[:, 2] - ground.height(toes[:, 0], toes[:, 1])) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(toes - there[:3], toes_of(here)[0] - here[:3], atol=1e-12)
    with pytest.raises(ValueError, match="has no place"):
        study.start_of(Case(ground=terrain.Slope(), place=(1.0, 0.0)), gait)


def test_both_engines_start_from_the_same_state():
    """Pushed over uneven ground, the first row says so: body, toes, joints and their rates."""
    case = Case(ground=terrain.Sinusoid(0.01), seconds=0.02, push=(0.5, -0.3), place=(0.1, 0.2), row_period=1e-3)
    exact, other = (study.run(case, engine).record.isel(time=0) for engine in (study.EXACT, "reference"))
    for name in ("body_position", "body_orientation", "body_velocity", "hip_angle", "hip_speed", "foot_position"):
        np.testing.assert_allclose(other[name], exact[name], atol=1e-9, err_msg=name)


def test_a_sweep_goes_on_past_failed_cells_and_marks_them(monkeypatch, capsys):
    def run(case, engine):
        if case.seconds == 7.0:
            raise RuntimeError("the exact engine stopped: by the test")
        TripodGait(**case.gait)
        status = RunStatus.TOPPLED if engine == "rl" else RunStatus.COMPLETED
        return Run(made(body_position=[0, 0, 0.17]), status, "")

    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(study, "stance_rate", lambda record: 1.0)  # of a robot that stands on nothing: 0 / 0
    cases = [Case(), Case(dict(slow_time=1.2)), Case(dict(sweep_angle=7.0)), Case(seconds=7.0), Case()]
    found = study.sweep(cases, (study.EXACT, "rl"), 1, "test")
    wrong = [Verdict.REFUSED] * 2, [Verdict.REFUSED] * 2, [Verdict.FAILED] * 2
    walk = [Verdict.WALKS, Verdict.TOPPLES]
    np.testing.assert_array_equal(found["verdict"], [walk, *wrong, walk])
    assert np.all(np.isfinite(found["speed"][[0, 4], 0]))
    assert np.all(np.isnan(found["speed"][1:4])) and np.all(np.isnan(found["speed"][:, 1]))
    np.testing.assert_allclose(found["ended"][0], 5.0)
    written = capsys.readouterr()
    for words in ("slow_time must lie", "sweep_angle must lie", "the exact engine stopped: by the test"):
        assert words in written.out + written.err


def test_a_mistake_in_the_code_is_not_a_failed_cell(monkeypatch):
    def run(case, engine):
        raise TypeError("not physics")

    monkeypatch.setattr(study, "run", run)
    with pytest.raises(TypeError):
        study.cell(Case(), study.EXACT)


def test_refining_keeps_the_values_and_splits_the_intervals():
    np.testing.assert_allclose(study.refine((0.0, 1.0, 3.0), 1), (0.0, 1.0, 3.0))
    np.testing.assert_allclose(study.refine((0.0, 1.0, 3.0), 2), (0.0, 0.5, 1.0, 2.0, 3.0))
    np.testing.assert_allclose(study.refine((2.0,), 3), (2.0,))
    with pytest.raises(ValueError, match="fineness must be 1 or more, got 0"):
        study.refine((0.0, 1.0), 0)


def test_numbers_of_cells_say_what_did_not_walk():
    assert study.number(0.25, 0.0, "{:.2f}") == "0.25"
    assert study.number(0.25, 1.0, "{:.2f}") == "0.25 (tips)"
    assert study.number(np.nan, 2.0, "{:.2f}") == "topples"
    assert study.count(np.array([0.0, 0.0, 6.0])) == "2 walks, 1 failed"


def test_a_case_is_not_changed_by_its_run():
    x0 = study.start_of(Case(), TripodGait())
    case = dataclasses.replace(Case(), x0=x0.copy(), push=(1.0, 0.0))
    study.start_of(case, TripodGait())
    np.testing.assert_array_equal(case.x0, x0)
