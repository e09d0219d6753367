"""The figure of a run: what the body did, how the hips followed, and what every foot carried."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from tarsus.analytic.clock import wrap
from tarsus.scripts.library.records import summary
from tarsus.scripts.library.records.record import gait_of, terrain_of

NAMES = ("right rear", "right middle", "right front", "left rear", "left middle", "left front")
TRIPODS = ("#b8860b", "#1f77b4")  # of legs 0, 2, 4 and of legs 1, 3, 5


def draw(record: xr.Dataset, strides: float = 3.0) -> Figure:
    """Return the figure of a run.

    Left, the whole run: height, pitch, speed. Right, its last strides: hip angles against their references (dashed),
    and each foot's normal force over a bar where it touches the ground.
    """
    figure = Figure((13, 8), layout="constrained")
    panels = [["height", "hip"], ["pitch", "hip"], ["speed", "feet"], ["speed", "feet"]]
    axes = figure.subplot_mosaic(panels, height_ratios=[1, 1, 0.4, 1.0])
    time = record["time"].values
    first = max(time[0], time[-1] - strides * gait_of(record).cycle_time)
    _draw_body(axes, record, first)
    last = record.sel(time=slice(first, None))
    _draw_hips(axes["hip"], last)
    draw_feet(axes["feet"], last, [f"{leg} {name}" for leg, name in enumerate(NAMES)], TRIPODS)
    attrs = record.attrs
    figure.suptitle(f"{attrs['engine']}, preset {attrs['preset']}: {attrs['status']}", fontsize=11)
    return figure


def _draw_body(axes, record: xr.Dataset, first: float) -> None:
    time = record["time"].values
    heading = summary.yaw(record)
    velocity = record["body_velocity"].values
    forward = -np.sin(heading) * velocity[:, 0] + np.cos(heading) * velocity[:, 1]
    rows = {
        "height": (1e3 * summary.height(record), "height above ground [mm]"),
        "pitch": (np.rad2deg(summary.pitch(record)), "pitch, nose up [deg]"),
        "speed": (forward, "forward speed [m/s]"),
    }
    for name, (values, label) in rows.items():
        axes[name].plot(time, values, color="0.2", lw=0.8)
        axes[name].axvspan(first, time[-1], color="0.93", lw=0)
        axes[name].set(ylabel=label, xlim=(time[0], time[-1]))
    if len(time) > 1:
        speed = summary.summarise(record).speed
        axes["speed"].axhline(speed, color="tab:red", lw=1)
        axes["speed"].set_title(f"red: mean over whole strides, {speed:.4f} m/s", fontsize=9)
    axes["height"].set_title("grey: the time that the panels on the right show", fontsize=9)
    axes["speed"].set_xlabel("time [s]")


def _draw_hips(axis, record: xr.Dataset) -> None:
    time = record["time"].values
    for leg in range(6):
        color = TRIPODS[leg % 2]
        for name, style in (("hip_angle", dict(lw=0.9)), ("hip_reference", dict(lw=0.9, ls="--", alpha=0.7))):
            angle = wrap(record[name].values[:, leg])
            angle[np.abs(np.diff(angle, prepend=angle[0])) > np.pi] = np.nan  # no line where a turn ends
            axis.plot(time, angle, color=color, **style)
    axis.set(ylabel="hip angle [rad]", xlim=(time[0], time[-1]), ylim=(-np.pi, np.pi))
    axis.set_title("hips: legs 0, 2, 4 yellow, 1, 3, 5 blue; references dashed", fontsize=9)


def draw_feet(axis, record: xr.Dataset, names: Sequence[str], colors: Sequence[str]) -> None:
    """Draw a row for each leg: force against time, above the bar of its stance; colours take turns."""
    time, n = record["time"].values, len(names)
    x, y = np.moveaxis(record["foot_position"].values[..., :2], -1, 0)
    normal_force = np.sum(record["foot_force"].values * terrain_of(record).normal(x, y), axis=-1)  # (rows, n)
    scale = max(float(np.percentile(normal_force, 99.5)), 1.0)
    for leg in range(n):
        base, shown = n - 1.0 - leg, np.clip(normal_force[:, leg] / scale, 0.0, 1.1)
        axis.fill_between(time, base, base + 0.8 * shown, color=colors[leg % len(colors)], lw=0)
        touches = record["foot_contact"].values[:, leg]
        axis.fill_between(time, base - 0.12, base - 0.03, where=touches, color="0.15", lw=0, step="post")
    axis.set_yticks(n - 1.0 - np.arange(n), names, fontsize=8)
    axis.set(xlim=(time[0], time[-1]), ylim=(-0.2, n), xlabel="time [s]")
    axis.set_title(f"normal forces, a row is {scale / 0.8:.0f} N high; bars: foot on the ground", fontsize=9)
