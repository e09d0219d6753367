"""A ball on a moving table: its impact, and a table that stands still."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.scripts.laboratory.models import table_ball


def test_an_impact_turns_the_velocity_relative_to_the_table():
    model = table_ball.build()
    x = np.array([0.0, -3.0, 0.7])
    model.resets["impact"](0.0, x, None, model.p0)
    table = 10.0 * math.cos(0.7)
    assert x[1] - table == pytest.approx(0.8 * (3.0 + table))


def test_over_a_still_table_the_ball_flies_twice_its_speed_long():
    sim = hy.compile(table_ball.build(table_ball.TableBall(0.5, 0.0)), mode="python")
    r = sim.run([0.0, 2.0, 0.0], chart="flight", final_time=5.5)
    np.testing.assert_allclose(r.events.t, [4.0], rtol=1e-12)
    assert r.x_end[1] == pytest.approx(1.0 - 1.5) and r.x_end[2] == pytest.approx(5.5)


def test_a_start_lies_on_the_table_and_phases_wrap():
    x = table_ball.start(0.4, 2.0, table_ball.TableBall(amplitude=3.0))
    np.testing.assert_allclose(x, [3.0 * math.sin(0.4), 2.0, 0.4])
    np.testing.assert_allclose(table_ball.wrap(np.array([1.0, 2.0, 7.0])), [1.0, 2.0, 7.0 - 2 * math.pi])


def test_misuse_is_explained():
    with pytest.raises(ValueError, match=r"restitution must lie in \(0, 1\], got 1.2"):
        table_ball.TableBall(restitution=1.2)
    with pytest.raises(ValueError, match="amplitude must not be negative"):
        table_ball.TableBall(amplitude=-1.0)
