"""A run as a labelled dataset, which a file keeps, and as a picture with its transitions."""

import numpy as np
import pytest
import xarray as xr

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import bouncing_ball


@pytest.fixture(scope="module")
def run():
    return hy.compile(bouncing_ball.build(), mode="python").run(final_time=1.5, record_period=0.01)


def test_a_dataset_has_every_column_and_event_by_name(run, tmp_path):
    data = run.to_xarray()
    for k, name in enumerate(run.names.state):
        np.testing.assert_array_equal(data[name], run.x[:, k])
        np.testing.assert_array_equal(data["event_state_before"].sel(state=name), run.events.x_minus[:, k])
        np.testing.assert_array_equal(data["event_state_after"].sel(state=name), run.events.x_plus[:, k])
    for k, name in enumerate(run.names.memory):
        np.testing.assert_array_equal(data[name], run.d[:, k])
    np.testing.assert_array_equal(data["time"], run.t)
    np.testing.assert_array_equal(data["event_time"], run.events.t)
    assert list(data["event_name"].values) == list(run.events.name) and len(run.events) > 2
    assert set(data["chart"].values) == {run.names.chart(int(code)) for code in run.chart}
    assert data.attrs["status"] == run.status.value and data.attrs["final_time"] == 1.5
    assert [data.attrs[f"parameter_{name}"] for name in run.names.params] == run.p.tolist()
    data.to_netcdf(tmp_path / "run.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "run.nc", engine="scipy") as stored:
        np.testing.assert_array_equal(stored[run.names.state[0]], run.x[:, 0])


def test_names_that_the_dataset_has_for_itself_get_a_stroke():
    model = hy.Model("clocks", state={"time": 0.0, "t": 5.0, "chart": 1.0}, charts=["on"])

    @model.field("on")
    def tick(t, x, d, p, dx):
        dx[0], dx[1], dx[2] = 1.0, 0.0, -1.0

    data = hy.compile(model, mode="python").run(final_time=1.0, record_period=0.5).to_xarray()
    np.testing.assert_allclose(data["time_"], data["time"])
    np.testing.assert_allclose(data["chart_"], 1.0 - data["time"], atol=1e-12)
    assert data["t"].values.tolist() == [5.0] * 3 and set(data["chart"].values) == {"on"}


def test_a_picture_has_a_row_for_each_column_and_a_line_for_each_transition(run):
    figure = run.plot()
    n = (run.events.kind == "transition").sum()
    for axes, name in zip(figure.axes, run.names.state, strict=True):
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), run.to_xarray()[name])
        assert axes.get_ylabel() == name and len(axes.collections[0].get_segments()) == n
    assert len(run.plot(run.names.state[1]).axes) == 1
    with pytest.raises(ValueError, match="no column 'wheels' to plot; there are"):
        run.plot(["wheels"])
    with pytest.raises(ValueError, match="nothing to plot"):
        run.plot([])
