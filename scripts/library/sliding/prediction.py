"""What the sliding model says of a recording, beside what was measured.

Positions are filtered and differentiated, and forces filtered, as the paper does: `scipy.signal.savgol_filter` of
second order over 25 frames. The model gets the feet in the body frame and their velocities, and nothing of the body's
motion.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.1.
"""

from dataclasses import dataclass, fields

import numpy as np
import xarray as xr
from scipy.signal import savgol_filter

from tarsus.analytic.contact import Feet, force_scale, se2, solve
from tarsus.scripts.library.sliding.walks import rotated_back

WINDOW, ORDER = 25, 2  # of the Savitzky-Golay filter (paper, 3.1.1) [frames], [1]


@dataclass(frozen=True)
class Measured:
    """A recording, filtered; the frames at either end, where the filter lacks neighbours, are cut off."""

    time: np.ndarray  # (n,) [s]
    foot_pos: np.ndarray  # (n, legs, 3) what the model is given, body frame [m]
    foot_vel: np.ndarray  # (n, legs, 3) [m/s]
    seen_pos: np.ndarray  # (n, legs, 3) the feet where they really were, body frame [m]
    seen_vel: np.ndarray  # (n, legs, 3) [m/s]
    pose: np.ndarray  # (n, 3) x, y [m] and heading, unwrapped [rad]
    twist: np.ndarray  # (n, 3) of the body, in the frame of its heading [m/s, m/s, rad/s]
    height: np.ndarray  # (n,) [m]
    pitch: np.ndarray  # (n,) positive nose down [rad]
    roll: np.ndarray  # (n,) positive left side up [rad]
    force: np.ndarray | None  # (n, legs, 3) on each foot, in the frame of the heading [N]
    weight: float  # [N]

    @property
    def dt(self) -> float:
        """Time between frames [s]."""
        return float((self.time[-1] - self.time[0]) / (len(self.time) - 1))

    def part(self, frames: slice) -> "Measured":
        """Return some of the frames."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return Measured(**{k: v[frames] if isinstance(v, np.ndarray) else v for k, v in values.items()})


def filtered(values, dt: float, rate: bool = False) -> np.ndarray:
    """Return values (frames, ...), or their rates of change, by the paper's filter."""
    return savgol_filter(values, WINDOW, ORDER, deriv=int(rate), delta=dt, axis=0)


def measure(recording: xr.Dataset) -> Measured:
    """Return the feet, the body and the forces of a recording.

    Raises:
        ValueError: If it is shorter than three windows of the filter.
    """
    n = recording.sizes["time"]
    if n < 3 * WINDOW:
        raise ValueError(f"a recording must have {3 * WINDOW} frames or more to be filtered, got {n}")
    time = recording["time"].values
    dt = float((time[-1] - time[0]) / (n - 1))
    whole = slice(WINDOW // 2, n - WINDOW // 2)
    seen = recording["foot_position_b"].values
    given = recording["unloaded_foot_position_b"].values if "unloaded_foot_position_b" in recording else seen
    quat = recording["body_orientation"].values
    yaw, pitch, roll = angles(quat)
    position = recording["body_position"].values
    heading = filtered(yaw, dt)
    velocity = filtered(position[:, :2], dt, rate=True)
    force = None
    if "foot_force" in recording:
        upright = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], axis=-1)
        force = filtered(rotated_back(upright, recording["foot_force"].values), dt)[whole]
    forward = np.cos(heading) * velocity[:, 0] + np.sin(heading) * velocity[:, 1]
    sideways = -np.sin(heading) * velocity[:, 0] + np.cos(heading) * velocity[:, 1]
    return Measured(
        time[whole],
        filtered(given, dt)[whole],
        filtered(given, dt, rate=True)[whole],
        filtered(seen, dt)[whole],
        filtered(seen, dt, rate=True)[whole],
        np.column_stack([filtered(position[:, :2], dt), heading])[whole],
        np.column_stack([forward, sideways, filtered(yaw, dt, rate=True)])[whole],
        filtered(position[:, 2], dt)[whole],
        filtered(pitch, dt)[whole],
        filtered(roll, dt)[whole],
        force,
        float(recording.attrs["weight"]),
    )


def angles(quat: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return yaw (unwrapped), pitch and roll [rad] of R_z(yaw) R_y(pitch) R_x(roll) for quaternions (n, 4)."""
    w, x, y, z = quat.T
    yaw = np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1, 1))
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    return yaw, pitch, roll


@dataclass(frozen=True)
class Predicted:
    """What a friction law makes of the feet."""

    twist: np.ndarray  # (n, 3) [m/s, m/s, rad/s]
    pose: np.ndarray  # (n, 3) integrated from the measured first pose
    pitch: np.ndarray  # (n,) [rad]
    roll: np.ndarray  # (n,) [rad]
    force: np.ndarray  # (n, legs, 3) tractions brought to the measured ones by one factor per frame, if measured [N]
    solved: np.ndarray  # (n,) whether the model found an equilibrium


def predict(measured: Measured, feet: Feet, law="coulomb") -> Predicted:
    """Return the model's prediction of body and forces from the feet's motion alone.

    Where the model finds no equilibrium, velocities are held from the frame before (zero at the start), tilt and
    forces are NaN.
    """
    found = solve(measured.foot_pos, measured.foot_vel, feet, law)
    ok = found.solved
    twist = held(found.twist, ok)
    pose = se2.integrate(0.5 * (twist[1:] + twist[:-1]), measured.dt, measured.pose[0])
    force = found.force.copy()
    if measured.force is not None:
        scale = force_scale(np.nan_to_num(force[..., :2]), measured.force[..., :2])
        force[..., :2] *= np.nan_to_num(scale)[:, None, None]
    tilt = [np.where(ok, value, np.nan) for value in (found.pitch, found.roll)]
    return Predicted(twist, pose, *tilt, np.where(ok[:, None, None], force, np.nan), ok)


def held(values: np.ndarray, ok: np.ndarray) -> np.ndarray:
    """Return rows with those that are not `ok` replaced by the last one that is, or by zero before the first."""
    last = np.maximum.accumulate(np.where(ok, np.arange(len(ok)), -1))
    return np.where((last >= 0)[:, None], values[last], 0.0)


def naive_feet(measured: Measured) -> Feet:
    """Return the paper's parameters for data nobody fitted: 10 weights per metre for each leg, friction 1 (3.1.4)."""
    return Feet(10.0 * measured.weight, 1.0, measured.weight)


def slips(measured: Measured) -> np.ndarray:
    """Return the measured velocities of the feet over the ground, in the frame of the heading, (n, legs, 2) [m/s]."""
    pos, twist = measured.seen_pos, measured.twist[:, None]
    turning = twist[..., 2:] * np.stack([-pos[..., 1], pos[..., 0]], axis=-1)
    return measured.seen_vel[..., :2] + twist[..., :2] + turning
