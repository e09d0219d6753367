import numpy as np
import pytest

from tarsus.scripts import draw_gait


def test_the_clocks_tripods_alternate():
    gait = draw_gait.compute("clock", {"reset_noise": 0.0}, start=2.0, seconds=1.0)
    a, b = gait["touches"][:, [0, 2, 4]].mean(1), gait["touches"][:, [1, 3, 5]].mean(1)
    assert gait["time"][0] == pytest.approx(2.0, abs=0.021) and gait["speed"] == pytest.approx(0.26, rel=0.05)
    assert np.corrcoef(a, b)[0, 1] < -0.4
    figure = draw_gait.draw({"clock": gait, "again": gait})
    assert [panel.get_title(loc="left")[:5] for panel in figure.axes] == ["clock", "again"]
