"""The numbers of a run: pure functions of its labelled record.

Means are over whole strides in steady state. A stride is a period of the clock. The strides of the first `SETTLE`
seconds are left out, and what is left after the last whole stride; a run too short for that is taken from its start,
and `window` says what was used. Distance is counted along the ground from stride to stride, so that a turning robot's
speed is that along its arc and the sway within a stride does not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from tarsus.analytic.battery import BOOKKEEPINGS, OF_BUS, Battery, lifetime
from tarsus.scripts.library.records.electric import Electric, electric
from tarsus.scripts.library.records.electric import lines as electric_lines
from tarsus.scripts.library.records.layouts import IMPULSE
from tarsus.scripts.library.records.record import params_of, stride_of, terrain_of

SETTLE = 3.0  # the walk has settled after about two of the slowest strides; a start from rest takes one or two [s]
SATURATED = 1e-6  # torque asked for and not given that counts as saturation [N m]


@dataclass(frozen=True)
class Window:
    """The stretch of a record that means are taken over."""

    start: float  # [s]
    period: float  # of a stride [s]
    n_strides: int  # 0 if the record is shorter than a stride; then the window is all of it
    stop: float  # [s]

    @property
    def edges(self) -> np.ndarray:
        """Times at which strides begin and the last one ends, shape (n_strides + 1,) [s]."""
        return np.linspace(self.start, self.stop, max(self.n_strides, 1) + 1)

    @property
    def duration(self) -> float:
        """Length [s]."""
        return self.stop - self.start

    def holds(self, record: xr.Dataset) -> np.ndarray:
        """Return the mask of a record's rows in the window, shape (n,); rounding does not decide."""
        time = record["time"].values
        return (time >= self.start - 1e-9) & (time < self.stop - 1e-9)


def window(record: xr.Dataset, settle: float = SETTLE, period: float | None = None) -> Window:
    """Return the whole strides of the steady state.

    Args:
        record: The record.
        settle: What is left out at its start, rounded up to whole strides [s].
        period: Of a stride [s]; that of the gait's clock by default.

    Raises:
        ValueError: If the record has fewer than two rows, or no period where none is given.
    """
    time = record["time"].values
    if len(time) < 2:
        raise ValueError(f"a record needs two rows for a mean, got {len(time)}")
    period = stride_of(record) if period is None else period
    end = time[-1] + 1e-6 * period  # rounding must not cost a stride
    for skipped in (int(np.ceil(settle / period - 1e-9)), 0):
        start = time[0] + skipped * period
        n_strides = int((end - start) / period)
        if n_strides >= 1:
            return Window(start, period, n_strides, start + n_strides * period)
    return Window(time[0], period, 0, time[-1])


def mean(record: xr.Dataset, values: np.ndarray, over: Window) -> np.ndarray:
    """Return the mean over a window of values (n, ...) that belong to the rows; each row stands until the next."""
    return np.mean(values[over.holds(record)], axis=0)


def foot_force(record: xr.Dataset) -> np.ndarray:
    """Return the force on each foot, shape (n, legs, 3) [N], the impulses of impacts spread over their rows."""
    force = record["foot_force"].values
    if IMPULSE not in record:
        return force
    time = record["time"].values
    return force + record[IMPULSE].values / np.diff(time, append=2 * time[-1] - time[-2])[:, None, None]


def at(record: xr.Dataset, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return columns (n, k) of the record at some times, straight lines between the rows, (m, k)."""
    time = record["time"].values
    row = np.clip(np.searchsorted(time, times, side="right") - 1, 0, len(time) - 2)
    share = ((times - time[row]) / (time[row + 1] - time[row]))[:, None]
    return values[row] + share * (values[row + 1] - values[row])


def yaw(record: xr.Dataset) -> np.ndarray:
    """Return the heading of the body, positive to the left, unwrapped, shape (n,) [rad]."""
    w, x, y, z = record["body_orientation"].values.T
    return np.unwrap(np.arctan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)))  # of the body's y axis


def tilt(record: xr.Dataset) -> np.ndarray:
    """Return the angle between the body's up axis and the vertical, shape (n,) [rad]."""
    _, x, y, _ = record["body_orientation"].values.T
    return np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1))


def pitch(record: xr.Dataset) -> np.ndarray:
    """Return the elevation of the body's forward axis, positive nose up, shape (n,) [rad]."""
    w, x, y, z = record["body_orientation"].values.T
    return np.arcsin(np.clip(2 * (y * z + w * x), -1, 1))


def roll(record: xr.Dataset) -> np.ndarray:
    """Return the angle turned about the body's forward axis from level, positive right side down, shape (n,) [rad]."""
    w, x, y, z = record["body_orientation"].values.T
    return np.arctan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y))


def height(record: xr.Dataset) -> np.ndarray:
    """Return the height of the body's centre above the ground below it, measured vertically, shape (n,) [m]."""
    x, y, z = record["body_position"].values.T
    return z - terrain_of(record).height(x, y)


def travel(record: xr.Dataset, over: Window) -> np.ndarray:
    """Return the way made in each stride, straight from its start to its end, negative backward, (n_strides,) [m].

    Forward is the body's y, unless the robot's parameters say x.
    """
    position = at(record, record["body_position"].values, over.edges)
    turned = -0.5 * np.pi if getattr(params_of(record), "forward", "y") == "x" else 0.0
    heading = at(record, yaw(record)[:, None], over.edges)[:-1, 0] + turned
    way = np.diff(position, axis=0)
    forward = -np.sin(heading) * way[:, 0] + np.cos(heading) * way[:, 1]
    return np.where(forward < 0, -1.0, 1.0) * np.linalg.norm(way, axis=-1)


def foot_slip(record: xr.Dataset, over: Window | None = None) -> np.ndarray:
    """Return the way that each foot slid along the ground while loaded, per stride, shape (n_legs,) [m].

    Between two rows a foot slides if it touches the ground in both; the motion along the ground's normal is its sinking
    into a soft contact, and does not count.
    """
    foot, touches = record["foot_position"].values, record["foot_contact"].values
    steps = np.diff(foot, axis=0)
    normal = terrain_of(record).normal(foot[:-1, :, 0], foot[:-1, :, 1])
    steps -= np.sum(steps * normal, axis=-1, keepdims=True) * normal
    over = over or window(record)
    slid = np.linalg.norm(steps, axis=-1) * (touches[1:] & touches[:-1])
    return slid[over.holds(record)[:-1]].sum(axis=0) / max(over.n_strides, 1)


def battery_life(
    record: xr.Dataset, over: Window | None = None, bookkeeping: str = "diode", battery: Battery | None = None
) -> float:
    """Return the life of a full battery, by default of the motors' voltage, at the mean drain of the window [s]."""
    _check_motors(record)
    current, voltage, motor = record["motor_current"].values, record["motor_voltage"].values, params_of(record).motor
    over, battery = over or window(record), battery or Battery(nominal_voltage=motor.supply_voltage)
    loss = motor.drive_loss(current, voltage)
    drain = mean(record, battery.drain_rate(current, voltage, bookkeeping, loss), over)
    return lifetime((0.0, over.duration), (drain, drain))


def _check_motors(record: xr.Dataset) -> None:
    if "motor_current" not in record:
        raise ValueError(
            f"a record of {record.attrs['robot']!r} has no currents of motors, which the hexapod's have; "
            "of a robot of one's own `own_robot.measures(record)` returns the numbers"
        )


@dataclass(frozen=True)
class Summary:
    """The numbers of a run; what they mean stands in `LINES` and in the functions of this module."""

    status: str
    window: Window
    speed: float
    yaw_rate: float
    stride_length: float
    duty_factor: np.ndarray
    height: float
    max_tilt: float
    cot_positive: float
    cot_absolute: float
    cot_electrical: float
    peak_torque: float
    rms_torque: float
    saturated: float
    current: float
    battery_life: dict[str, float]
    foot_slip: np.ndarray
    electric: Electric


def summarise(record: xr.Dataset, settle: float = SETTLE) -> Summary:
    """Return the numbers of a run.

    Costs of transport are energy over weight and way: positive work of the hips (braking is lost), absolute work
    (braking costs as much), and electrical energy (terminal voltage times current where positive: the bridge gives
    nothing back). They are infinite where there is no way.

    Raises:
        ValueError: If the record has fewer than two rows, or is not of a hexapod.
    """
    _check_motors(record)
    over = window(record, settle)
    params, ways = params_of(record), travel(record, over)
    torque, command = record["hip_torque"].values, record["torque_command"].values
    current, voltage = record["motor_current"].values, record["motor_voltage"].values
    power = torque * record["hip_speed"].values
    weight_and_speed = params.total_mass * params.g * np.abs(ways).sum() / over.duration

    def cost(values: np.ndarray) -> float:
        watts = float(mean(record, values.sum(axis=-1), over))
        return watts / weight_and_speed if weight_and_speed > 0 else float("inf")

    heading = at(record, yaw(record)[:, None], over.edges)[:, 0]
    return Summary(
        status=record.attrs["status"],
        window=over,
        speed=float(ways.sum() / over.duration),
        yaw_rate=float((heading[-1] - heading[0]) / over.duration),
        stride_length=float(ways.mean()),
        duty_factor=mean(record, record["foot_contact"].values, over),
        height=float(mean(record, height(record), over)),
        max_tilt=float(tilt(record).max()),
        cot_positive=cost(np.maximum(power, 0)),
        cot_absolute=cost(np.abs(power)),
        cot_electrical=cost(np.maximum(current * voltage, 0)),
        peak_torque=float(np.abs(torque).max()),
        rms_torque=float(np.sqrt(np.mean(mean(record, torque**2, over)))),
        saturated=float(np.mean(mean(record, np.abs(command - torque) > SATURATED, over))),
        current=float(mean(record, np.abs(current).sum(axis=-1), over)),
        battery_life={name: battery_life(record, over, name) for name in BOOKKEEPINGS + OF_BUS},
        foot_slip=foot_slip(record, over),
        electric=electric(record, params, over.holds(record), np.abs(ways).sum() / over.duration),
    )


def lines(summary: Summary) -> Sequence[tuple[str, str]]:
    """Return the summary as rows of a table: what, and how much with its unit."""
    over = summary.window
    strides = f"{over.n_strides} strides of {over.period:g} s" if over.n_strides else "no whole stride: all of the run"
    return [
        ("status", summary.status),
        ("means over", f"{over.start:.3g} to {over.stop:.3g} s, {strides}"),
        ("mean speed", f"{summary.speed:.4f} m/s"),
        ("yaw rate", f"{summary.yaw_rate:+.4f} rad/s (positive is left)"),
        ("stride", f"{1e3 * summary.stride_length:.1f} mm in {over.period:g} s"),
        ("duty factor, legs 0-5", _row(summary.duty_factor, "{:.2f}")),
        ("mean height", f"{1e3 * summary.height:.1f} mm above the ground"),
        ("greatest tilt", f"{np.rad2deg(summary.max_tilt):.1f} deg"),
        ("cost of transport", f"{summary.cot_positive:.3f} (positive work of the hips)"),
        ("", f"{summary.cot_absolute:.3f} (absolute work), {summary.cot_electrical:.3f} (electrical)"),
        *electric_lines(summary.electric),
        ("hip torque", f"peak {summary.peak_torque:.2f} N m, RMS {summary.rms_torque:.2f} N m"),
        ("at the motor's limit", f"{100 * summary.saturated:.1f} % of time and legs"),
        ("mean current", f"{summary.current:.2f} A, sum of six motors"),
        ("battery life", _life(summary)),
        ("", _others(summary)),
        ("foot slip, legs 0-5", _row(1e3 * summary.foot_slip, "{:.1f}") + " mm per stride"),
    ]


def _life(summary: Summary) -> str:
    """Return the life of a battery at the power on the bus, of all motors together, in words."""
    life, bus = summary.battery_life["diode"], summary.electric
    return f"{life / 60:.0f} min, of {bus.bus_current:.2f} A at {bus.supply_voltage:g} V on average"


def _others(summary: Summary) -> str:
    lives = ", ".join(f"{summary.battery_life[name] / 60:.0f} min ({name})" for name in BOOKKEEPINGS)
    return f"{lives} as the documents count it"


def text(rows: Sequence[tuple[str, str]]) -> str:
    """Return rows of names and values as lines of text."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _row(values: np.ndarray, form: str) -> str:
    return " ".join(form.format(value) for value in values)
