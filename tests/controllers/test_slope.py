"""The slope law: its table, its limits, and that it holds the speed of RHex's slow walk from -10 to +10 degrees."""

import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.terrain import Flat, Slope, Step
from tarsus.controllers.slope import SlopeLaw, slope_of

# slope, then changes of the hips rear, middle, front, of sweep and duty; then of the hips with iota = 0.01
TABLE = [
    (-0.3, 0.21316, 0.15772, 0.10725, 0.0, 0.0, 0.11077, 0.10050, 0.09240),
    (-0.2, 0.17104, 0.12442, 0.07150, 0.0, 0.0, 0.08006, 0.07047, 0.06160),
    (-0.1, 0.11929, 0.08521, 0.03575, 0.0, 0.0, 0.04819, 0.04001, 0.03080),
    (0.1, -0.13029, -0.09621, -0.03575, 0.030, 0.0045, -0.04929, -0.04111, -0.03080),
    (0.2, -0.19304, -0.14642, -0.07150, 0.060, 0.0090, -0.08226, -0.07267, -0.06160),
    (0.3, -0.24616, -0.19072, -0.10725, 0.090, 0.0135, -0.11407, -0.10380, -0.09240),
]


def test_the_law_is_the_authors_table():
    slope, *rest = np.array(TABLE).T
    rest = np.array(rest)
    np.testing.assert_allclose(SlopeLaw().leans(slope), rest[:3].T, atol=1e-5)
    np.testing.assert_allclose(SlopeLaw().sweep(slope), rest[3], atol=1e-5)
    np.testing.assert_allclose(SlopeLaw().duty(slope), rest[4], atol=1e-5)
    np.testing.assert_allclose(SlopeLaw(iota=0.01).leans(slope), rest[5:].T, atol=1e-5)


def test_it_takes_any_shape_does_nothing_on_level_ground_and_is_bounded():
    assert SlopeLaw().leans(np.zeros((2, 4))).shape == (2, 4, 3)
    assert not np.any(SlopeLaw().leans(0.0)) and SlopeLaw().compensated(TripodGait(), 0.0) == TripodGait()
    steep = np.array([-1.5, 1.5])
    assert np.all(np.isfinite(SlopeLaw(iota=1.0).leans(steep)))
    law = SlopeLaw(ksi=1.0, epsilon=1.0)
    assert law.sweep(steep).tolist() == [0.0, 0.5] and law.duty(steep).tolist() == [0.0, 0.2]


@pytest.mark.parametrize("heading", ["forward", "backward", "left"])
def test_a_compensated_gait_leans_its_rows_alike_on_both_sides(heading):
    gait = TripodGait(0.8, 0.552, 0.6109, 0.15, heading=heading)
    law, t = SlopeLaw(), np.linspace(0.0, 2.0, 41)
    up = law.compensated(gait, 0.2)
    assert up.slow_time == pytest.approx(0.552 + 0.009 * 0.8) and up.sweep_angle == pytest.approx(0.6109 + 0.06)
    level = TripodGait(0.8, up.slow_time, up.sweep_angle, 0.15, heading=heading)
    difference = up.clock()(t)[0] - level.clock()(t)[0]
    np.testing.assert_allclose(difference, np.tile([-0.19304, -0.14642, -0.07150] * 2, (41, 1)), atol=1e-5)


def test_the_slope_of_a_plane_is_along_the_way_and_other_ground_has_none():
    assert slope_of(Flat()) == 0.0 and slope_of(Slope(0.3, np.tan(0.2))) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="only flat ground and a slope have one slope that can be known, not Step"):
        slope_of(Step())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"iota": -0.1}, "iota of a slope law must not be negative"), ({"length": 0.0}, "length of .* must be positive")],
)
def test_constants_without_a_meaning_are_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        SlopeLaw(**change)
