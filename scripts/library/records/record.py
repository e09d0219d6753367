"""The labelled record of a run: one `xarray.Dataset`, with the same names and dimensions for every engine.

`build` makes a record from arrays and refuses what does not fit the robot's layout (`robots.LAYOUTS`); `save`
and `load` keep it as NetCDF, `save_csv` and `load_csv` as a flat table with columns such as `hip_angle_0` or
`body_position_x`. What belongs to an instant is taken at that instant: forces are those in the state whose positions
stand in the same row.

World frame unless a name ends in `_b`: z up; of the hexapod, y forward at the start, x to the right.
"""

import datetime
import itertools
import json
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from tarsus.analytic import saving
from tarsus.analytic import terrain as terrains
from tarsus.analytic.spelling import listed
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.records.layouts import BOOLEAN, PERIOD, SOMETIMES, RecordLayout
from tarsus.scripts.library.records.robots import LAYOUTS

ATTRS = ("robot", "engine", "status", "preset", "parameters", "gait", "terrain", "versions", "computer", "date")
PACKAGES = ("tarsus", "mujoco", "numpy", "xarray")


def layout_of(robot: str) -> RecordLayout:
    """Return a robot's layout; ValueError if no robot has that name."""
    if robot not in LAYOUTS:
        raise ValueError(f"no record is known of a robot {robot!r}; there are {listed(robot, LAYOUTS)}")
    return LAYOUTS[robot]


def _layout(attrs: dict[str, str]) -> RecordLayout:
    """Return the layout of the robot that ran, of its size."""
    layout = layout_of(attrs["robot"])
    return layout.sized(json.loads(attrs["parameters"])) if layout.listed or not layout.legs else layout


def build(time, variables: dict[str, np.ndarray], attrs: dict[str, str]) -> xr.Dataset:
    """Return the record of a run.

    Args:
        time: Increasing times, shape (n,) [s].
        variables: An array for every name of the robot's schema, of its dimensions; those of `SOMETIMES` may be
            there.
        attrs: What is known of the run; all of `ATTRS` (see `describe`).

    Raises:
        ValueError: If a variable is missing, unknown, or of another shape; or an attribute is missing.
    """
    time = np.asarray(time, float)
    if time.ndim != 1 or np.any(np.diff(time) <= 0):
        raise ValueError(f"time must be one increasing row, got shape {time.shape}")
    missing = [name for name in ATTRS if name not in attrs]
    if missing:
        raise ValueError(f"a record needs the attributes {', '.join(ATTRS)}; missing are {', '.join(missing)}")
    layout = _layout(attrs)
    schema = _schema(layout, variables)
    _same_names("variables", variables, schema)
    sizes = {"time": len(time)} | {name: len(labels) for name, labels in layout.labels.items()}
    columns = {}
    for name, (dims, units, long_name) in schema.items():
        values = np.asarray(variables[name], bool if name in BOOLEAN else float)
        expected = tuple(sizes[dim] for dim in dims)
        if values.shape != expected:
            raise ValueError(f"{name} must have the dimensions {dims} = {expected}, got shape {values.shape}")
        columns[name] = (dims, values, {"units": units, "long_name": long_name})
    coords = {"time": ("time", time, {"units": "s", "long_name": "time since the start"})}
    coords |= {name: (name, np.array(labels)) for name, labels in layout.labels.items()}
    coords["leg"] = ("leg", np.array(layout.labels["leg"], np.int32), {"long_name": layout.leg_names})
    return xr.Dataset(columns, coords, attrs)


def _schema(layout: RecordLayout, given) -> dict:
    """Return the variables a record must hold, and those that it may hold and that are given."""
    return layout.schema | {name: entry for name, entry in SOMETIMES.items() if name in given}


def _same_names(what: str, given, wanted) -> None:
    missing, unknown = [name for name in wanted if name not in given], [name for name in given if name not in wanted]
    if missing or unknown:
        raise ValueError(f"{what} of a record: missing are {missing}, unknown are {unknown}; there are {list(wanted)}")


def describe(
    engine: str,
    status: str,
    preset: Any,
    params: Any,
    gait: Any,
    ground: terrains.Terrain,
    robot: str = "hexapod",
) -> dict[str, str]:
    """Return the attributes of a run that happens here and now; dictionaries as JSON, since NetCDF has none.

    The engine has its version, the status is a sentence, the preset may be a name; params and gait are dataclasses, or
    of the gait words for what moved it; `robot` is a name in `robots.LAYOUTS`.
    """
    return {
        "robot": robot,
        "engine": engine,
        "status": str(status),
        "preset": preset if isinstance(preset, str) else repr(preset),
        "parameters": _as_json(params),
        "gait": _as_json(gait) if is_dataclass(gait) else " ".join(gait.split()),
        "terrain": json.dumps({"name": terrains.name_of(ground), **asdict(ground)}),
        "versions": stamp.versions(*PACKAGES),
        "computer": stamp.computer(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _as_json(table: Any) -> str:
    """Return the fields of a dataclass as JSON: arrays as lists, dataclasses as dictionaries."""
    return json.dumps(
        vars(table), default=lambda value: value.tolist() if isinstance(value, np.ndarray) else vars(value)
    )


def params_of(record: xr.Dataset) -> Any:
    """Return the parameters of the robot that ran."""
    return layout_of(record.attrs["robot"]).params(**json.loads(record.attrs["parameters"]))


def gait_of(record: xr.Dataset) -> Any:
    """Return the gait that the robot ran.

    Raises:
        ValueError: If the record has words for it: a robot of one's own, whose clock is a table, or a function.
    """
    words = record.attrs["gait"]
    if not words.startswith("{"):
        raise ValueError(
            f"the record names no gait with parameters, but {words!r}; `own_robot.measures` has its numbers"
        )
    return layout_of(record.attrs["robot"]).gait(**json.loads(words))


def stride_of(record: xr.Dataset) -> float:
    """Return the period of the gait that the robot ran [s]; ValueError if the record names none."""
    return float(record.attrs[PERIOD]) if PERIOD in record.attrs else gait_of(record).cycle_time


def terrain_of(record: xr.Dataset) -> terrains.Terrain:
    fields = json.loads(record.attrs["terrain"])
    return terrains.TERRAINS[fields.pop("name")](**fields)


def save(record: xr.Dataset, path: Path | str) -> None:
    """Write the record as NetCDF 3, which needs no library but SciPy and which every tool reads."""
    with saving.writing(path) as part:
        record.to_netcdf(part, engine="scipy")


def load(path: Path | str) -> xr.Dataset:
    """Read a record that `save` wrote, into memory.

    Raises:
        ValueError: If it is not a record.
    """
    return rebuilt(dataset(path))


def dataset(path: Path | str) -> xr.Dataset:
    """Return a NetCDF file as a dataset, in memory; ValueError if it is none."""
    try:
        with xr.open_dataset(path, engine="scipy") as stored:
            return stored.load()
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(f"{path} is no NetCDF 3 file, or broken: {error}") from None


def rebuilt(stored: xr.Dataset) -> xr.Dataset:
    """Return a record from what its file held; ValueError if it is not a record."""
    variables = {name: stored[name].values for name in stored.data_vars}
    return build(stored["time"].values, variables, stored.attrs)


def save_csv(record: xr.Dataset, path: Path | str) -> None:
    """Write the record as a table: comment lines `# name: value` with the attributes, then one row per instant.

    Numbers are written so that reading them gives the same bits; flags as 0 and 1.
    """
    with saving.writing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in record.attrs.items())
        table(record).to_csv(file, index=False)


def table(record: xr.Dataset) -> pd.DataFrame:
    """Return the record as flat columns: `time`, `body_position_x`, ..., `foot_force_5_z`, ..., `battery_drain`."""
    columns, layout = {"time": record["time"].values}, _layout(record.attrs)
    for name in record.data_vars:
        values, labels = record[name].values, _columns(layout, name)
        values = values.astype(int) if name in BOOLEAN else values
        columns |= zip(labels, values.reshape(-1, len(labels)).T, strict=True)
    return pd.DataFrame(columns)


def load_csv(path: Path | str) -> xr.Dataset:
    """Read a record that `save_csv` wrote.

    Raises:
        ValueError: If it is not a record.
    """
    attrs = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("# "):
                break
            name, _, value = line[2:].rstrip("\n").partition(": ")
            attrs[name] = value
    flat = pd.read_csv(path, skiprows=len(attrs), dtype=str).astype(float)  # pandas' own parser may lose the last bit
    if "robot" not in attrs:
        raise ValueError(f"{path} does not say which robot ran: it is no record")
    layout = _layout(attrs)
    schema = _schema(layout, flat.columns)
    wanted = {name: _columns(layout, name) for name in schema}
    _same_names("columns", flat.columns, ["time", *itertools.chain(*wanted.values())])
    variables = {}
    for name, labels in wanted.items():
        shape = [len(layout.labels[dim]) for dim in schema[name][0][1:]]
        variables[name] = flat[labels].to_numpy().reshape(-1, *shape)
    return build(flat["time"].to_numpy(), variables, attrs)


def _columns(layout: RecordLayout, name: str) -> list[str]:
    """Return the label of every column of a variable, in the order of its memory."""
    dims, labels = (layout.schema | SOMETIMES)[name][0][1:], layout.labels
    return ["_".join([name, *map(str, entry)]) for entry in itertools.product(*(labels[dim] for dim in dims))]
