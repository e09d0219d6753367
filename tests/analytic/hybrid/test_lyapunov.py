"""Lyapunov exponents: of linear motions in closed form, and of a chaotic ball, whose sum is known."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.hybrid.lyapunov import SpectrumStatus, spectrum
from tarsus.scripts.laboratory.models import table_ball

PERIOD, KICK = 0.5, 0.7


def kicked():
    """x' = 0.3 x + y, y' = -0.9 y, and y is multiplied by KICK at every tick of a clock."""
    model = hy.Model("kicked", state={"x": 1.0, "y": 0.5, "s": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0], dx[1], dx[2] = 0.3 * x[0] + x[1], -0.9 * x[1], 1.0

    @model.guard("run", to="run")
    def tick(t, x, d, p):
        return PERIOD - x[2]

    @model.reset("tick")
    def kick(t, x, d, p):
        x[1] *= KICK
        x[2] -= PERIOD

    return model


def test_exponents_of_a_kicked_linear_motion():
    """0.3 per second; 0 of the clock's phase; -0.9 and ln KICK at every tick."""
    found = spectrum(
        Derivatives(kicked(), 3, mode="python"), None, "tick", n_blocks=60, transient=40, chart="run",
        wrap=lambda x: np.array([1e-3 * x[0] / abs(x[0]), x[1], x[2]]), rtol=1e-9,
    )  # fmt: skip
    assert found.status is SpectrumStatus.DONE, found.message
    exact = np.array([0.3 * PERIOD, 0.0, -0.9 * PERIOD + math.log(KICK)])
    np.testing.assert_allclose(found.per_event, exact, atol=1e-8)
    np.testing.assert_allclose(found.per_second, exact / PERIOD, atol=1e-8)
    assert found.n_events == 60 and np.all(found.error < 1e-8)


@pytest.mark.parametrize(
    "mode, n, tol", [("python", 25, 1e-7), pytest.param("compiled", 300, 1e-10, marks=pytest.mark.extra)]
)
def test_the_exponents_of_a_chaotic_ball_add_up(mode, n, tol):
    """Two ln(restitution) per impact, in closed form, whatever the motion; interpreted, derivatives are differences."""
    start = table_ball.start(0.3, 30.0)
    found = spectrum(
        Derivatives(table_ball.build(), 3, mode=mode), start, "impact", n_blocks=n, transient=5, chart="flight",
        wrap=table_ball.wrap, rtol=1e-10,
    )  # fmt: skip
    assert found.status is SpectrumStatus.DONE, found.message
    assert found.sum == pytest.approx(2.0 * math.log(0.8), abs=tol)
    assert found.per_event[0] > 1.5


def test_what_cannot_be_trusted_is_said():
    by = Derivatives(table_ball.build(), 3, mode="python")
    start, how = table_ball.start(0.3, 30.0), {"chart": "flight", "wrap": table_ball.wrap, "rtol": 1e-8}
    long = spectrum(by, start, "impact", n_blocks=1, per_block=6, transient=0, **how)
    assert long.status is SpectrumStatus.TOO_LONG
    lost = spectrum(by, start, "impact", n_blocks=2, transient=0, final_time=1.0, **how)
    assert lost.status is SpectrumStatus.LOST and np.isnan(lost.per_event).all() and "final time" in lost.message
    with pytest.raises(ValueError, match="3 directions are needed, states and memory, got 2"):
        spectrum(Derivatives(table_ball.build(), 2, mode="python"), start, "impact", n_blocks=1, **how)
