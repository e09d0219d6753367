"""The picture of survival: what is drawn is where it was tried."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from tarsus.scripts.library.stability.ensembles import ensemble
from tarsus.scripts.library.stability.margins import Margin
from tarsus.scripts.library.stability.survival import threshold
from tarsus.scripts.library.stability.survival_panel import draw, rings


def margin(name, angle, top, island=False):
    def survives(trials):
        sizes = np.array([trial.size for trial in trials])
        return (sizes < top) | (island & (sizes > 2.2) & (sizes < 2.7))

    return Margin(name, "m/s", threshold(survives, ensemble(), 3.0), angle=angle)


def test_rings_are_of_the_sizes_and_reach_to_what_is_shown():
    found = list(rings(margin("forward", 0.0, 1.0).threshold, 2.0))
    first, last, share = (np.array(column) for column in zip(*found, strict=True))
    assert first[0] == 0.0 and last[-1] == 2.0
    np.testing.assert_array_equal(first[1:], last[:-1])
    assert set(share[last < 1.0]) == {1.0} and set(share[first > 1.0]) == {0.0}


def test_sectors_have_forward_upward_and_left_on_the_left():
    axes = Figure().subplots()
    draw(axes, [margin("forward", 0.0, 1.0), margin("left", np.pi / 2, 2.0, island=True), Margin("payload", "")])
    middles = {0.5 * (patch.theta1 + patch.theta2) for patch in axes.patches if isinstance(patch, Wedge)}
    assert middles == {90.0, 180.0}
    (outlined,) = (patch for patch in axes.patches if isinstance(patch, Wedge) and not patch.get_fill())
    assert 0.5 * (outlined.theta1 + outlined.theta2) == 180.0
    assert 2.0 < outlined.r - outlined.width < 2.5 < outlined.r <= 3.0
    solid = [line for line in axes.lines if line.get_linestyle() == "-"]
    radii = [np.hypot(*line.get_xydata()[0]) for line in solid]
    assert radii == pytest.approx([1.0, 2.0], abs=0.07)
    assert {text.get_text() for text in axes.texts} >= {"forward", "left", "0.8 m/s"}


def test_without_pushes_that_is_said():
    axes = Figure().subplots()
    draw(axes, [Margin("payload", "", reason="none")])
    assert [text.get_text() for text in axes.texts] == ["no pushes were tried"]
