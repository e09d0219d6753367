"""What a motion-capture laboratory records of a walking robot, and how it is kept in files.

A recording is an `xarray.Dataset` with the variables of `SCHEMA` at evenly spaced times, and the attribute `weight`.
It may come from MuJoCo (`slip_laboratory`) or from your own cameras and force plates: `load` reads NetCDF and CSV and
says what is wrong with a file. `docs/sliding_test.md` describes both.

World frame: z up. Body frame: origin at the centre of mass, x forward, y left, z up.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from tarsus.analytic import saving

AXES, QUAT = ("x", "y", "z"), ("w", "x", "y", "z")

# Every variable: its dimensions after time, unit, whether a recording may lack it, and what it is.
SCHEMA: dict[str, tuple[tuple[str, ...], str, bool, str]] = {
    "body_position": (("axis",), "m", False, "centre of mass, world frame"),
    "body_orientation": (("quat",), "1", False, "unit quaternion (w, x, y, z) that takes body axes to world axes"),
    "foot_position_b": (("leg", "axis"), "m", False, "feet as measured, body frame"),
    "unloaded_foot_position_b": (
        ("leg", "axis"),
        "m",
        True,
        "where the feet would be if their springs were not loaded, body frame",
    ),
    "foot_force": (("leg", "axis"), "N", True, "force of the ground on each foot, world frame"),
}
LARGEST = 1e9  # of any number: rates and products of larger ones leave what floats hold
SHORTEST = 1e-9  # between times [s]
SPACING = 1e-3  # by how much of a period times may be off
UNIT_QUATERNION = 1e-3  # by how much the norm of a quaternion may be off


def build(time, variables: dict, weight: float, name: str) -> xr.Dataset:
    """Return a recording.

    Args:
        time: Evenly spaced, shape (n,) [s].
        variables: An array for every name of `SCHEMA` (those that may be lacking may), of shape (n, ...).
        weight: Of the robot [N].
        name: What was recorded.

    Raises:
        ValueError: If something is missing, unknown, of a wrong shape, or cannot be.
    """
    time = np.asarray(time, float)
    if time.ndim != 1 or len(time) < 3 or not np.isfinite(time).all() or np.any(np.diff(time) <= 0):
        raise ValueError(f"the times of a recording must be three or more, and grow; got shape {time.shape}")
    period = np.diff(time)
    if np.ptp(period) > 2 * SPACING * period.mean():
        raise ValueError(
            f"the times of a recording must be evenly spaced; they are {period.min():.6g} to {period.max():.6g} s apart"
        )
    if not SHORTEST <= period.min() <= period.max() <= LARGEST:
        raise ValueError(f"the times of a recording must be at least {SHORTEST:g} s apart, got {period.min():.6g} s")
    missing = [name for name, entry in SCHEMA.items() if not entry[2] and name not in variables]
    unknown = [name for name in variables if name not in SCHEMA]
    if missing or unknown:
        raise ValueError(f"a recording lacks {missing} and has unknown {unknown}; there are {list(SCHEMA)}")
    n_legs = np.shape(variables["foot_position_b"])[1] if np.ndim(variables["foot_position_b"]) == 3 else 0
    if n_legs == 0:
        raise ValueError(
            f"foot_position_b must have the dimensions ('time', 'leg', 'axis') and a leg or more, got shape "
            f"{np.shape(variables['foot_position_b'])}"
        )
    sizes = {"axis": 3, "quat": 4, "leg": n_legs}
    columns = {
        name: (("time", *SCHEMA[name][0]), _checked(name, values, len(time), sizes), {"units": SCHEMA[name][1]})
        for name, values in variables.items()
    }
    norm = np.linalg.norm(columns["body_orientation"][1], axis=-1)
    if np.abs(norm - 1).max() > UNIT_QUATERNION:
        raise ValueError(
            f"body_orientation must hold unit quaternions (w, x, y, z); their norms are {norm.min():.4g} to "
            f"{norm.max():.4g}"
        )
    if not 0 < float(weight) <= LARGEST:
        raise ValueError(f"weight must be positive [N] and at most {LARGEST:g}, got {weight}")
    coords = {"time": ("time", time, {"units": "s"}), "leg": np.arange(n_legs), "axis": list(AXES), "quat": list(QUAT)}
    return xr.Dataset(columns, coords, {"name": str(name), "weight": float(weight)})


def _checked(name: str, values, n: int, sizes: dict[str, int]) -> np.ndarray:
    values = np.asarray(values, float)
    expected = (n, *(sizes[dim] for dim in SCHEMA[name][0]))
    if values.shape != expected:
        raise ValueError(
            f"{name} must have the dimensions {('time', *SCHEMA[name][0])} = {expected}, got {values.shape}"
        )
    bad = ~(np.abs(values.reshape(n, -1)) <= LARGEST).all(axis=1)
    if bad.any():
        raise ValueError(
            f"{name} must be finite and at most {LARGEST:g} in size: fill the gaps first; {bad.sum()} of {n} rows "
            f"have some, {bad.argmax()} first"
        )
    return values


def save(recording: xr.Dataset, path: Path | str) -> None:
    """Write a recording as NetCDF 3 (`.nc`) or as a table (`.csv`), by the file's ending."""
    path = Path(path)
    if _ending(path) == ".nc":
        with saving.writing(path) as part:
            recording.to_netcdf(part, engine="scipy")
        return
    columns = {"time": recording["time"].values}
    for name in recording.data_vars:
        for label, index in _columns(name, recording.sizes["leg"]):
            columns[label] = recording[name].values[(slice(None), *index)]
    with saving.writing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# name: {recording.attrs['name']}\n# weight: {recording.attrs['weight']!r}\n")
        pd.DataFrame(columns).to_csv(file, index=False)


def load(path: Path | str) -> xr.Dataset:
    """Read a recording from a `.nc` or `.csv` file.

    Raises:
        ValueError: If the file is not a recording; the sentence says why.
    """
    path = Path(path)
    try:
        parts = _read_netcdf(path) if _ending(path) == ".nc" else _read_csv(path)
        return build(*parts)
    except OSError as error:
        raise ValueError(f"{path}: it cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _ending(path: Path) -> str:
    if path.suffix not in (".nc", ".csv"):
        raise ValueError(f"a recording is a .nc or a .csv file, got {path.name!r}")
    return path.suffix


def _weight(attrs) -> float:
    if "weight" not in attrs:
        raise ValueError(
            "a recording needs the attribute weight [N]; write 1 if it is not known, with forces as shares of it"
        )
    try:
        return float(attrs["weight"])
    except (TypeError, ValueError):
        raise ValueError(f"weight must be a number [N], got {attrs['weight']!r}") from None


def _read_netcdf(path: Path) -> tuple:
    """Return the arguments of `build` that a NetCDF file holds."""
    try:
        stored = xr.load_dataset(path, engine="scipy", decode_times=False)
    except OSError:
        raise
    except Exception as error:  # a file cut short, or of another kind, makes the reader stumble in many ways
        raise ValueError("it is not a whole NetCDF 3 file") from error
    if "time" not in stored.variables:
        raise ValueError("a recording needs the variable time")
    if (units := stored["time"].attrs.get("units", "s")) != "s":
        raise ValueError(f"time must be in s, its units are {units!r}")
    variables = {name: _in_order(stored, name) for name in stored.data_vars}
    return stored["time"].values, variables, _weight(stored.attrs), stored.attrs.get("name", path.stem)


def _in_order(stored: xr.Dataset, name: str) -> np.ndarray:
    """Return a variable's array with the dimensions in the order of `SCHEMA`, whatever their order in the file."""
    dims = ("time", *SCHEMA[name][0]) if name in SCHEMA else stored[name].dims
    if set(dims) != set(stored[name].dims):
        raise ValueError(f"{name} must have the dimensions {dims}, got {stored[name].dims}")
    units = stored[name].attrs.get("units", SCHEMA[name][1] if name in SCHEMA else "")
    if name in SCHEMA and units != SCHEMA[name][1]:
        raise ValueError(f"{name} must be in {SCHEMA[name][1]}, its units are {units!r}")
    return stored[name].transpose(*dims).values


def _read_csv(path: Path) -> tuple:
    """Return the arguments of `build` that a table holds."""
    attrs, n_comments = {}, 0
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#"):
                    break
                key, _, value = line[1:].strip().partition(": ")
                attrs[key], n_comments = value, n_comments + 1
        flat = pd.read_csv(path, skiprows=n_comments, dtype=str, encoding="utf-8")
    except pd.errors.EmptyDataError:
        raise ValueError("it is empty") from None
    except (UnicodeDecodeError, pd.errors.ParserError) as error:
        raise ValueError(f"it is not a table with commas between its columns: {error}") from error
    if len(flat.columns) == 1 and ";" in flat.columns[0]:
        raise ValueError("its columns must be separated by commas, not semicolons")
    flat = flat.apply(_numbers)
    n_legs = len({label.split("_")[-2] for label in flat.columns if label.startswith("foot_position_b_")})
    labels = {name: [label for label, _ in _columns(name, n_legs)] for name in SCHEMA}
    present = {name: [label for label in wanted if label in flat.columns] for name, wanted in labels.items()}
    unknown = set(flat.columns) - {"time"} - {label for wanted in labels.values() for label in wanted}
    lacking = [
        label for name in SCHEMA if present[name] or not SCHEMA[name][2] for label in labels[name]
        if label not in flat.columns
    ]  # fmt: skip
    if unknown or lacking or "time" not in flat.columns or n_legs == 0:
        raise ValueError(
            f"columns lacking: {lacking or 'none'}, unknown: {sorted(unknown) or 'none'}; a recording has time, "
            "body_position_x, ..., foot_position_b_0_x, ... and one such column for every leg and axis"
        )
    sizes = {"axis": 3, "quat": 4, "leg": n_legs}
    variables = {
        name: flat[wanted].to_numpy(float).reshape(-1, *(sizes[dim] for dim in SCHEMA[name][0]))
        for name, wanted in labels.items()
        if present[name]
    }
    return flat["time"].to_numpy(float), variables, _weight(attrs), attrs.get("name", path.stem)


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column of words as numbers; pandas' own parser may lose the last bit."""
    try:
        return column.astype(float)
    except ValueError as error:
        raise ValueError(f"the column {column.name} must hold numbers: {error}") from None


def _columns(name: str, n_legs: int) -> list[tuple[str, tuple[int, ...]]]:
    """Return label and index of every column of a variable: `foot_force_0_x`, (0, 0); ..."""
    labels = {"axis": AXES, "quat": QUAT, "leg": range(n_legs)}
    dims = SCHEMA[name][0]
    return [
        ("_".join([name, *(str(labels[dim][k]) for dim, k in zip(dims, index, strict=True))]), index)
        for index in np.ndindex(*(len(labels[dim]) for dim in dims))
    ]
