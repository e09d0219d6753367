"""The same run in both engines, compared: pure functions of two records and of the stances.

Errors are MuJoCo minus exact. Root mean squares are over the rows of whole strides in steady state
(`summary.window`). A foot's normal force is the part of the ground's force along the terrain's normal under that foot,
its tangential force the rest, compared as a vector. A smoothed force is the mean over `SMOOTH` around the row, with the
impulses of impacts.
"""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.ndimage import uniform_filter1d

from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import stances, summary
from tarsus.scripts.library.records.layouts import BUDGET, IMPULSE
from tarsus.scripts.library.records.record import params_of, terrain_of

SMOOTH = 0.02  # the mean that forces are smoothed by [s]
FIRST = summary.Window(0.0, 1.0, 1, 1.0)  # the first second
ENGINES = ("exact", "mujoco")
# Of each quantity of the body: unit and how it is read from a record.
BODY = {
    "height": ("m", summary.height),
    "pitch": ("rad", lambda record: -summary.roll(record) if _faces_x(record) else summary.pitch(record)),
    "roll": ("rad", lambda record: summary.pitch(record) if _faces_x(record) else summary.roll(record)),
    "heading": ("rad", summary.yaw),
    "velocity x": ("m/s", lambda record: record["body_velocity"].values[:, 0]),
    "velocity y": ("m/s", lambda record: record["body_velocity"].values[:, 1]),
    "velocity z": ("m/s", lambda record: record["body_velocity"].values[:, 2]),
}


def _faces_x(record: xr.Dataset) -> bool:
    return getattr(params_of(record), "forward", "y") == "x"


def align(exact: xr.Dataset, mujoco: xr.Dataset) -> xr.Dataset:
    """Return one record of both up to the shorter's end, along `engine`; ValueError if their rows' instants differ."""
    n = min(exact.sizes["time"], mujoco.sizes["time"])
    first, second = exact.isel(time=slice(n)), mujoco.isel(time=slice(n))
    apart = np.abs(first["time"].values - second["time"].values).max()
    if apart > 1e-9 * n:
        raise ValueError(f"the rows of two records to be aligned must be of the same instants; {apart:g} s lie between")
    second = second.assign_coords(time=first["time"])
    names = [name for name in first.data_vars if name in second.data_vars]
    both = xr.concat([first[names], second[names]], dim="engine", combine_attrs="drop_conflicts")
    return both.assign_coords(engine=list(ENGINES))


def forces(record: xr.Dataset, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return parts of the force on each foot, (n, legs, 3) [N]: along the normal, (n, legs), and the rest."""
    foot = record["foot_position"].values
    direction = terrain_of(record).normal(foot[..., 0], foot[..., 1])
    normal = np.sum(force * direction, axis=-1)
    return normal, force - normal[..., None] * direction


def feet_of(record: xr.Dataset) -> list[str]:
    """Return the names of the feet, or their numbers where they have none."""
    return list(map(str, getattr(params_of(record), "feet", record["leg"].values)))


def smoothed(values: np.ndarray, period: float) -> np.ndarray:
    """Return the moving mean over `SMOOTH` of rows a period apart."""
    return uniform_filter1d(values, max(1, round(SMOOTH / period)), axis=0, mode="nearest")


@dataclass(frozen=True)
class Comparison:
    """What two engines make of one experiment. Arrays are over the legs."""

    status: dict[str, str]  # of each engine
    window: summary.Window  # that means are taken over
    body: dict[str, float]  # root mean square errors of BODY
    body_first: dict[str, float]  # the same over the first second
    speed: dict[str, float]  # of each engine, mean over strides [m/s]
    normal: np.ndarray  # root mean square errors [N]
    normal_smooth: np.ndarray
    tangential: np.ndarray
    tangential_smooth: np.ndarray
    load: np.ndarray  # root mean square of the exact normal force [N]
    vertical: dict[str, float]  # of each engine, mean on all feet, impacts included [N]; empty where none has them
    feet: list[str]  # their names
    stances: tuple[stances.Match, ...]
    budget: dict[str, dict[str, float]]  # of each engine, over the window [J]; empty if a record has none

    @property
    def speed_ratio(self) -> float:
        """MuJoCo's mean speed over the exact one."""
        return self.speed["mujoco"] / self.speed["exact"]


def compare(exact: Run, mujoco: Run, stride: float) -> Comparison:
    """Compare two trials of an experiment with a stride of that period [s].

    Raises:
        ValueError: If their rows do not fit, or one ended before it had begun.
    """
    both = align(exact.record, mujoco.record)
    records = {"exact": exact.record, "mujoco": mujoco.record}
    records = {name: record.isel(time=slice(both.sizes["time"])) for name, record in records.items()}
    over = summary.window(both, period=stride)
    pair = tuple(records.values())
    return Comparison(
        status={name: record.attrs["status"] for name, record in records.items()},
        window=over,
        body=body_errors(*pair, over),
        body_first=body_errors(*pair, FIRST),
        speed={name: float(summary.travel(record, over).sum() / over.duration) for name, record in records.items()},
        **force_errors(*pair, over),
        vertical={name: _vertical(record, over) for name, record in records.items() if IMPULSE in exact.record},
        feet=feet_of(exact.record),
        stances=tuple(
            stances.match(stances.debounce(a), stances.debounce(b), over.start, over.stop)
            for a, b in zip(exact.stances, mujoco.stances, strict=True)
        ),
        budget={name: budget(record, over) for name, record in records.items() if set(BUDGET) <= set(record)},
    )


def body_errors(exact: xr.Dataset, mujoco: xr.Dataset, over: summary.Window) -> dict[str, float]:
    """Return the root mean square error of each quantity of the body over a window."""
    rows = over.holds(exact)
    return {name: _rms(read(mujoco)[rows] - read(exact)[rows]) for name, (_, read) in BODY.items()}


def force_errors(exact: xr.Dataset, mujoco: xr.Dataset, over: summary.Window) -> dict[str, np.ndarray]:
    """Return the root mean square errors of each foot's forces, and the exact load, shape (legs,) [N]."""
    rows, period = over.holds(exact), float(exact["time"][1] - exact["time"][0])
    at_once, means = (
        [forces(record, read(record)) for record in (exact, mujoco)]
        for read in (lambda record: record["foot_force"].values, summary.foot_force)
    )
    (normal, tangential), (normal_mean, tangential_mean) = (
        (b - a for a, b in zip(*pair, strict=True)) for pair in (at_once, means)
    )
    return {
        "normal": _rms(normal[rows], 0),
        "normal_smooth": _rms(smoothed(normal_mean, period)[rows], 0),
        "tangential": _rms(np.linalg.norm(tangential[rows], axis=-1), 0),
        "tangential_smooth": _rms(np.linalg.norm(smoothed(tangential_mean, period)[rows], axis=-1), 0),
        "load": _rms(at_once[0][0][rows], 0),
    }


def budget(record: xr.Dataset, over: summary.Window) -> dict[str, float]:
    """Return the change of each term of the energy budget over the window, and the unexplained rest [J].

    The rest is gain of energy plus losses minus work: zero if nothing is lost or made by the integration.
    """
    ends = summary.at(record, np.stack([record[name].values for name in BUDGET], axis=-1), over.edges[[0, -1]])
    change = dict(zip(BUDGET, map(float, ends[1] - ends[0]), strict=True))
    rest = change["energy"] + change["damper_loss"] + change["contact_loss"] - change["motor_work"]
    return change | {"rest": rest}


def _vertical(record: xr.Dataset, over: summary.Window) -> float:
    return float(summary.mean(record, summary.foot_force(record)[..., 2], over).sum())


def _rms(values: np.ndarray, axis=None) -> np.ndarray | float:
    return np.sqrt(np.mean(np.square(values), axis=axis)) if np.size(values) else np.nan
