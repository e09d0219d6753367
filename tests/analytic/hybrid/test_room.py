"""The tables of a run grow, whatever the number of guards."""

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import driver


def test_the_log_grows_with_more_guards_than_it_has_rows(monkeypatch):
    monkeypatch.setattr(driver, "ROOM", 16)  # a log of 8 rows, and one for each guard
    n = 40
    model = hy.Model("many", state={"x": 0.0}, memory={"k": 0.0})

    def field(t, x, d, p, chart, dx):
        dx[0] = 1.0

    def guards(t, x, d, p, chart, g):
        for i in range(n):
            g[i] = 1.0 - x[0] if i == 0 else 1.0
        return n

    def transition(t, x, d, p, chart, fired):
        x[0] = 0.0
        d[0] += 1.0
        return chart

    table = [f"g{i}" for i in range(n)]
    model.functions(field=field, guards=guards, transition=transition, table=table, field_key=lambda chart: 0)
    r = hy.compile(model, mode="python").run(final_time=60.5, max_steps=10_000)
    assert r.status is hy.Status.FINAL_TIME
    assert len(r.events) == r.d_end[0] == 60
    assert np.allclose(r.events.t, np.arange(1, 61), rtol=0, atol=1e-12)  # sixty roundings of time
