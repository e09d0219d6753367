"""Impacts of the ellipse: geometry, errors, and the sign of the tangential row, on made and on measured impacts.

The measured ones are not shipped: TARSUS_MEASURED names the folder that `convert.py` made.
"""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tarsus.analytic.contact import impact
from tarsus.scripts.library.reality import data, ellipse, offering
from tarsus.scripts.library.reality.ellipse import Impacts

AXES = np.array([0.035, 0.025])
MEASURED = os.environ.get("TARSUS_MEASURED", "")


def made(n=400, sign=-1.0, mu=0.2, e=0.5):
    """Return impacts made by Stronge's law."""
    rng = np.random.default_rng(0)
    normal, tangent = ellipse.arms(rng.uniform(-3, 3, n), AXES, sign)
    before = np.stack([rng.normal(0, 0.5, n), rng.uniform(-2.6, -2.2, n), rng.normal(0, 10, n)], -1)
    impacts = Impacts(before, before, normal, tangent, 0.0364, 0.0192)
    return replace(impacts, after=ellipse.predicted(impacts, impact.stronge, mu, e))


def test_the_arms_are_those_of_the_lowest_point():
    """Of a dense outline, turned counterclockwise: its lowest point r moves at v + omega (-r_y, r_x)."""
    t = np.linspace(0, 2 * np.pi, 200_001)
    outline = np.stack([AXES[0] * np.cos(t), AXES[1] * np.sin(t)])
    for theta in (-2.0, -0.7, 0.3, 1.2, 2.9):
        turned = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]]) @ outline
        x, y = turned[:, np.argmin(turned[1])]
        normal, tangent = ellipse.arms(np.array([theta]), AXES, +1.0)
        assert [normal[0], tangent[0]] == pytest.approx([x, -y], abs=1e-6)
        normal, tangent = ellipse.arms(np.array([-theta]), AXES, -1.0)  # the same, counted clockwise
        assert [normal[0], tangent[0]] == pytest.approx([-x, y], abs=1e-6)


def test_impulses_at_the_contact_leave_no_moment_over():
    assert ellipse.moment_residual(made()).max() < 1e-10


def test_a_wrong_sign_shows_in_the_moments():
    impacts = made()
    wrong = replace(impacts, tangent=-impacts.tangent)
    assert np.median(ellipse.moment_residual(wrong)) > 10.0


def test_the_residual_is_the_error_of_the_best_impulse():
    impacts = made(40)
    rng = np.random.default_rng(1)
    impacts = replace(impacts, after=impacts.after + rng.normal(0, [0.1, 0.1, 3.0], (40, 3)))
    J, root = impacts.jacobian, np.sqrt(impacts.inertia)
    for k, found in enumerate(ellipse.moment_residual(impacts)):
        change = root * (impacts.after - impacts.before)[k]
        columns = (J[k] / root).T
        best = columns @ np.linalg.lstsq(columns, change, rcond=None)[0]
        assert found == pytest.approx(100 * np.linalg.norm(change - best) / np.linalg.norm(change))


def test_errors_are_in_the_metric_of_the_kinetic_energy():
    impacts = Impacts(np.array([[0.0, -1.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]), np.zeros(1), np.zeros(1), 2.0, 0.5)
    assert ellipse.errors(impacts, np.array([[0.3, 1.0, 0.8]])) == pytest.approx([100 * np.hypot(0.3, 0.4) / 2])


def test_friction_and_restitution_are_found_again():
    impacts = made(200, mu=0.17, e=0.56)
    assert ellipse.fit(impacts, impact.stronge) == pytest.approx((0.17, 0.56))
    assert ellipse.errors(impacts, ellipse.predicted(impacts, impact.stronge, 0.17, 0.56)).max() < 1e-9


def test_an_unknown_sign_is_refused():
    with pytest.raises(ValueError, match="there is no sign 'left'; there are published, corrected"):
        ellipse.read({}, "left")


@pytest.mark.extra
def test_a_study_holds_both_signs_and_no_impact():
    impacts, rng = made(60), np.random.default_rng(0)  # its angles are drawn first, as there
    arrays = {
        "valid": np.ones(60, bool),
        "held_out": np.arange(60) % 2 == 0,
        "before": np.c_[np.zeros((60, 2)), rng.uniform(-3, 3, 60), impacts.before],
        "after": np.c_[np.zeros((60, 3)), impacts.after],
        "published_normal": impacts.normal,
        "published_tangent": -impacts.tangent,
        "semi_axes": AXES,
        "mass": np.array(impacts.mass),
        "gyration": np.array(impacts.gyration),
    }
    found = offering.ellipse_study(arrays)
    assert found["impacts"] == 30 and sum(found["slips"]["corrected"]) == 30
    spins = np.array(found["spins"]["corrected"])
    assert spins.sum() <= 30 and np.abs(np.subtract(*np.nonzero(spins))).max() <= 1  # near the diagonal
    assert json.loads(offering.ellipse_file(found)) == found
    assert len(offering.ellipse_rows(found, "published")) == len(impact.LAWS) + 1
    assert "stronge" in offering.ellipse_text(found) and len(str(found)) < 15_000


measured = pytest.mark.skipif(not MEASURED, reason="TARSUS_MEASURED names no folder with the ellipse's data")


@measured
def test_the_published_tangential_row_has_the_wrong_sign():
    arrays = data.read("ellipse_impacts", Path(MEASURED))
    residual = {sign: np.median(ellipse.moment_residual(ellipse.read(arrays, sign))) for sign in ellipse.SIGNS}
    assert residual["corrected"] < 2.0 and residual["published"] > 15.0


@measured
def test_routh_is_within_six_percent_of_the_ellipse():
    arrays = data.read("ellipse_impacts", Path(MEASURED))
    impacts = ellipse.read(arrays)
    errors = ellipse.errors(impacts, ellipse.predicted(impacts, impact.stronge, 0.17, 0.56))
    assert len(errors) == 852 and np.median(errors) < 5.7
