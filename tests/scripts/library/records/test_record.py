import numpy as np
import pytest
import xarray as xr

from tarsus.analytic import terrain
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, with_symbols
from tarsus.scripts.library.records import layouts, record, robots

PARAMS = with_symbols(HexapodParams(), {"body_mass": 7.0, "rho0_k": 600.0})
GAIT = TripodGait(cycle_time=0.8, slow_time=0.5, offset_difference=0.1)
GROUND = terrain.Rough(0.01, 0.5, 3)


def arrays(n=5, seed=0):
    """Random variables of the right shapes, all numbers different."""
    rng = np.random.default_rng(seed)
    sizes = {"time": n, "leg": 6, "axis": 3, "quat": 4}
    variables = {}
    for name, (dims, _, _) in record.layout_of("hexapod").schema.items():
        values = rng.normal(size=[sizes[dim] for dim in dims])
        variables[name] = values > 0 if name in record.BOOLEAN else values
    return np.arange(n) * 1e-3, variables


def attrs():
    return record.describe("mujoco", "reached the end", "rl", PARAMS, GAIT, GROUND)


def sample(n=5):
    time, variables = arrays(n)
    return record.build(time, variables, attrs())


@pytest.mark.parametrize(
    ("save", "load", "name"),
    [(record.save, record.load, "run.nc"), (record.save_csv, record.load_csv, "run.csv")],
    ids=["netcdf", "csv"],
)
def test_a_record_comes_back_equal(save, load, name, tmp_path):
    written = sample()
    save(written, tmp_path / name)
    read = load(tmp_path / name)
    xr.testing.assert_identical(read, written)
    assert {key: value.dtype for key, value in read.items()} == {key: value.dtype for key, value in written.items()}


def test_columns_carry_leg_and_axis():
    written = sample()
    table = record.table(written)
    np.testing.assert_array_equal(table["hip_angle_4"], written["hip_angle"].sel(leg=4))
    np.testing.assert_array_equal(table["body_position_y"], written["body_position"].sel(axis="y"))
    np.testing.assert_array_equal(table["foot_force_2_z"], written["foot_force"].sel(leg=2, axis="z"))
    assert len(table.columns) == 1 + sum(values[0].size for values in arrays()[1].values())


def test_every_variable_says_unit_and_meaning():
    for name, variable in sample().data_vars.items():
        assert variable.attrs["units"] and variable.attrs["long_name"], name


def test_the_attributes_give_back_what_ran():
    written = sample()
    params = record.params_of(written)
    for name, value in vars(PARAMS).items():
        np.testing.assert_array_equal(getattr(params, name), value, err_msg=name)
    assert record.gait_of(written) == GAIT
    assert record.terrain_of(written) == GROUND


def without(name):
    time, variables = arrays()
    del variables[name]
    return time, variables


def changed(name, values):
    time, variables = arrays()
    return time, {**variables, name: values}


@pytest.mark.parametrize(
    ("time_and_variables", "sentence"),
    [
        (without("splay"), "splay"),
        (changed("wing_angle", np.zeros(5)), "wing_angle"),
        (changed("hip_angle", np.zeros((5, 4))), "hip_angle must have the dimensions"),
        (changed("battery_drain", np.zeros(4)), "battery_drain must have"),
        ((np.array([0, 1e-3, 1e-3, 2e-3, 3e-3]), arrays()[1]), "increasing"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(time_and_variables, sentence):
    with pytest.raises(ValueError, match=sentence):
        record.build(*time_and_variables, attrs())


def test_a_record_without_its_circumstances_is_refused():
    with pytest.raises(ValueError, match="computer"):
        record.build(*arrays(), {name: "" for name in record.ATTRS if name != "computer"})


BUDGET = {name: np.arange(5.0) + k for k, name in enumerate(layouts.BUDGET)}


@pytest.mark.parametrize(
    ("save", "load", "name"),
    [(record.save, record.load, "run.nc"), (record.save_csv, record.load_csv, "run.csv")],
    ids=["netcdf", "csv"],
)
@pytest.mark.parametrize("robot", ["hexapod", "hopper"])
def test_a_record_of_any_robot_comes_back_with_its_budget(save, load, name, robot, tmp_path, monkeypatch):
    knee = {"knee_torque": (("time", "joint"), "N m", "torque at the knee")}
    hopper = layouts.RecordLayout(1, "the leg", knee, HexapodParams, TripodGait, {"joint": ["hip", "knee"]})
    monkeypatch.setitem(robots.LAYOUTS, "hopper", hopper)
    layout = record.layout_of(robot)
    sizes = {"time": 5} | {dim: len(labels) for dim, labels in layout.labels.items()}
    rng = np.random.default_rng(1)
    made = {variable: rng.normal(size=[sizes[dim] for dim in dims]) for variable, (dims, _, _) in layout.schema.items()}
    made["foot_contact"] = made["foot_contact"] > 0
    written = record.build(np.arange(5) * 1e-3, made | BUDGET, attrs() | {"robot": robot})
    save(written, tmp_path / name)
    xr.testing.assert_identical(load(tmp_path / name), written)
    assert written.sizes["leg"] == layout.legs


def test_a_record_of_an_unknown_robot_is_refused():
    with pytest.raises(ValueError, match="'spider'; there are .*hexapod"):
        record.build(*arrays(), attrs() | {"robot": "spider"})
