"""A run as a labelled dataset, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spelling import listed

if TYPE_CHECKING:
    import xarray as xr

    from .result import Result

EVENT_LINES = 200  # transitions that are drawn at most
SIZE = (8.0, 1.6)  # width of a picture, and height of each of its rows [inch]


def dataset(run: Result) -> xr.Dataset:
    """Return a run as a dataset; see `Result.to_xarray`."""
    import xarray as xr

    names, log = run.names, run.events
    columns = dict(zip((*names.state, *names.memory), (*run.x.T, *run.d.T), strict=True))
    if names.aux:
        columns |= {name: column for name, column in zip(names.aux, run.aux.T, strict=True) if name not in columns}
    rows = {
        "chart": ("time", charts(run, run.chart)),
        "event_time": ("event", log.t),
        "event_name": ("event", log.name),
        "event_kind": ("event", log.kind),
        "event_chart_before": ("event", charts(run, log.chart_before)),
        "event_chart_after": ("event", charts(run, log.chart_after)),
        "event_state_before": (("event", "state"), log.x_minus),
        "event_state_after": (("event", "state"), log.x_plus),
    }
    taken = {*rows, "time", "state", "event"}
    rows |= {f"{name}_" if name in taken else name: ("time", column) for name, column in columns.items()}
    attrs = {"status": run.status.value, "message": run.message, "final_time": run.t_end}
    attrs |= {f"parameter_{name}": float(value) for name, value in zip(names.params, run.p, strict=True)}
    return xr.Dataset(rows, {"time": run.t, "state": list(names.state)}, attrs)


def charts(run: Result, codes: np.ndarray) -> np.ndarray:
    """Return the names of charts as text, of any shape; their codes where they have none."""
    return np.array([str(run.names.chart(code)) for code in codes], dtype=str)


def plot(run: Result, names: Sequence[str] | None = None) -> Any:
    """Return a figure of a run; see `Result.plot`."""
    data = dataset(run)
    known = [name for name in data.data_vars if data[name].dims == ("time",) and name != "chart"]
    names = known[: len(run.names.state)] if names is None else [names] if isinstance(names, str) else list(names)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"the run has no column {unknown[0]!r} to plot; there are {listed(unknown[0], known)}")
    if not names or data.sizes["time"] < 2:
        raise ValueError("there is nothing to plot: give names of columns, and run(..., record_period=...) for rows")
    size = SIZE[0], max(SIZE[1] * len(names), 2.0)
    transitions = data["event_time"].values[data["event_kind"].values == "transition"][:EVENT_LINES]
    columns = data[names].to_dataarray("column")
    rows = columns.plot.line(x="time", row="column", figsize=size, sharey=False, linewidth=1.2)
    rows.set_titles("")
    rows.fig.set_layout_engine("constrained")
    for axes, name in zip(rows.axs[:, 0], names, strict=True):
        axes.vlines(transitions, 0.0, 1.0, color="0.8", linewidth=0.6, transform=axes.get_xaxis_transform())
        axes.set(ylabel=name)
        axes.margins(x=0.0)
    rows.axs[-1, 0].set_xlabel("time [s]")
    return rows.fig
