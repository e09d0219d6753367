"""The numbers and the figure of a record of a robot of the user's own."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tarsus.scripts.library.records import summary
from tarsus.scripts.library.records.layouts import PERIOD
from tarsus.scripts.library.records.record import params_of
from tarsus.scripts.library.views.run_plot import draw_feet


@dataclass(frozen=True)
class Measures:
    """Means over whole strides, or over the whole record where none is known."""

    window: summary.Window  # of the means
    is_periodic: bool  # it is of strides
    speed: float  # forward, along the mean heading [m/s]
    yaw_rate: float  # positive to the left [rad/s]
    height: float  # of the body above the ground [m]
    max_tilt: float  # [rad]
    duty_factor: np.ndarray  # (n_feet,)
    load: np.ndarray  # (n_feet,) mean vertical force, impacts included, as a share of the weight
    foot_slip: np.ndarray  # (n_feet,) along the ground, per stride or in the whole record [m]
    power: float  # absolute power of the actuators [W]
    cost_of_transport: float  # that power over weight and speed [1]; infinite at rest


def measures(record: xr.Dataset, period: float | None = None, settle: float = 0.0) -> Measures:
    """Return the numbers of a record.

    Args:
        record: Of `rollout`.
        period: Of a stride [s]; by default that of the clock that `tarsus run` had; where there is none, the record is
            taken as one.
        settle: What is left out at its start, rounded up to whole strides [s].

    Raises:
        ValueError: If it is no such record or has less than two rows, or the period is not positive.
    """
    if record.attrs.get("robot") != "own":
        raise ValueError(f"the record must be one of own_robot.rollout, got one of {record.attrs.get('robot')!r}")
    if record.sizes["time"] < 2 or (period is not None and not period > 0):
        raise ValueError(f"measures need two rows and a positive period, got {record.sizes['time']} and {period}")
    time, about = record["time"].values, params_of(record)
    known = period or record.attrs.get(PERIOD)
    over = summary.window(record, settle, float(known or time[-1] - time[0]))
    yaw = heading(record)
    start, stop = summary.at(record, np.column_stack([record["body_position"].values, yaw]), over.edges[[0, -1]])
    middle = 0.5 * (start[3] + stop[3])
    way = np.cos(middle) * (stop[0] - start[0]) + np.sin(middle) * (stop[1] - start[1])
    speed, weight = way / over.duration, about.mass * about.g
    power = float(summary.mean(record, record["servo_power"].values, over))
    return Measures(
        over,
        bool(known) and over.n_strides > 0,
        float(speed),
        float((stop[3] - start[3]) / over.duration),
        float(summary.mean(record, summary.height(record), over)),
        float(summary.tilt(record).max()),
        summary.mean(record, record["foot_contact"].values, over),
        summary.mean(record, summary.foot_force(record)[..., 2], over) / weight,
        summary.foot_slip(record, over),
        power,
        power / (weight * abs(speed)) if speed else float("inf"),
    )


def heading(record: xr.Dataset) -> np.ndarray:
    """Return the direction of the body's forward axis from the world's x, unwrapped, shape (n,) [rad]."""
    w, x, y, z = record["body_orientation"].values.T
    if params_of(record).forward == "x":
        return np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))
    return np.unwrap(np.arctan2(1 - 2 * (x * x + z * z), 2 * (x * y - w * z)))


def lines(found: Measures, feet) -> list[tuple[str, str]]:
    """Return the measures as rows of a table: what, and how much with its unit."""
    feet, tilt, over = list(feet), np.rad2deg(found.max_tilt), found.window
    strides = f"{over.n_strides} strides of {over.period:.4g} s" if found.is_periodic else "no strides are told apart"
    rows = {"duty factor": (found.duty_factor, "{:.2f}", ""), "load": (found.load, "{:.3f}", " of the weight")}
    rows["foot slip"] = (
        1e3 * found.foot_slip,
        "{:.1f}",
        " mm per stride" if found.is_periodic else f" mm in {over.duration:.3g} s",
    )
    each = [
        (name, ", ".join(f"{foot} {form.format(v)}" for foot, v in zip(feet, values, strict=True)) + unit)
        for name, (values, form, unit) in rows.items()
    ]
    return [
        ("means over", f"{over.start:.3g} to {over.stop:.3g} s, {strides}"),
        ("speed", f"{found.speed:+.4f} m/s forward, {found.yaw_rate:+.4f} rad/s to the left"),
        ("body", f"{1e3 * found.height:.1f} mm above the ground, tilted by {tilt:.1f} deg at most"),
        *each,
        (
            "power",
            f"{found.power:.2f} W, cost of transport {found.cost_of_transport:.2f}, of absolute power of the actuators",
        ),
    ]


def draw(record: xr.Dataset) -> Figure:
    """Return the figure of a record: the body's height and forward way, and every foot's force over its stances."""
    about, time, yaw = params_of(record), record["time"].values, heading(record)
    n, position = about.n_legs, record["body_position"].values
    figure = Figure((9, 3.2 + 0.5 * n), layout="constrained")
    height, way, feet = figure.subplots(3, 1, sharex=True, height_ratios=[1, 1, 0.6 * n])
    height.plot(time, 1e3 * summary.height(record), color="0.2", lw=1)
    height.set(ylabel="height [mm]")
    moved = (position - position[0]) @ (np.cos(yaw[0]), np.sin(yaw[0]), 0.0)
    way.plot(time, moved, color="0.2", lw=1)
    way.set(ylabel="forward [m]")
    draw_feet(feet, record, about.feet, [f"C{k}" for k in range(10)])
    return figure
