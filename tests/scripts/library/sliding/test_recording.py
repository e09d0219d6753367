"""Recordings: what comes back from a file is what went in, and what is wrong with a file is said."""

import numpy as np
import pytest
import xarray as xr

from tarsus.scripts.library.sliding import recording as sliding_recording

N, LEGS = 12, 4


@pytest.fixture
def variables():
    rng = np.random.default_rng(0)
    quat = rng.normal(size=(N, 4))
    return {
        "body_position": rng.normal(size=(N, 3)),
        "body_orientation": quat / np.linalg.norm(quat, axis=1, keepdims=True),
        "foot_position_b": rng.normal(size=(N, LEGS, 3)),
        "foot_force": rng.normal(size=(N, LEGS, 3)),
    }


TIME = 0.5 + 0.01 * np.arange(N)


@pytest.mark.parametrize("ending", ["nc", "csv"])
@pytest.mark.parametrize("forces", [True, False])
def test_round_trip_keeps_every_bit(variables, tmp_path, ending, forces):
    if not forces:
        variables.pop("foot_force")
    recording = sliding_recording.build(TIME, variables, 21.5, "my robot")
    path = tmp_path / f"walk.{ending}"
    sliding_recording.save(recording, path)
    back = sliding_recording.load(path)
    xr.testing.assert_identical(back, recording)
    assert set(back.data_vars) == set(variables)


def test_dimensions_may_stand_in_any_order(variables, tmp_path):
    recording = sliding_recording.build(TIME, variables, 1.0, "turned")
    recording.transpose("axis", "quat", "leg", "time").to_netcdf(tmp_path / "t.nc", engine="scipy")
    xr.testing.assert_identical(sliding_recording.load(tmp_path / "t.nc"), recording)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.pop("body_orientation"), r"lacks \['body_orientation'\]"),
        (lambda v: v.update(foot_speed=np.zeros(3)), r"unknown \['foot_speed'\]; there are \['body_position'"),
        (lambda v: v.update(body_position=np.zeros((N, 2))), r"body_position must have .* = \(12, 3\), got \(12, 2\)"),
        (
            lambda v: v["foot_force"].__setitem__((3, 0, 0), np.nan),
            "fill the gaps first; 1 of 12 rows have some, 3 first",
        ),
        (lambda v: v.update(body_orientation=v["body_orientation"] * 1.1), "unit quaternions .* 1.1 to 1.1"),
    ],
)
def test_impossible_variables_are_refused(variables, change, message):
    change(variables)
    with pytest.raises(ValueError, match=message):
        sliding_recording.build(TIME, variables, 1.0, "bad")


@pytest.mark.parametrize(
    ("time", "weight", "message"),
    [
        (TIME[::-1], 1.0, "must be three or more, and grow"),
        (np.where(np.arange(N) == 5, TIME + 0.004, TIME), 1.0, "evenly spaced; they are 0.006 to 0.014 s apart"),
        (TIME, -1.0, "weight must be positive"),
        (TIME * 1e-300, 1.0, "at least 1e-09 s apart"),
    ],
)
def test_impossible_times_and_weights_are_refused(variables, time, weight, message):
    with pytest.raises(ValueError, match=message):
        sliding_recording.build(time, variables, weight, "bad")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text.replace("# weight: 1.0\n", ""), "needs the attribute weight"),
        (
            lambda text: text.replace("body_orientation_w", "qw"),
            r"lacking: \['body_orientation_w'\], unknown: \['qw'\]",
        ),
        (lambda text: text.replace("foot_force_3_z", "f"), r"lacking: \['foot_force_3_z'\], unknown: \['f'\]"),
        (lambda text: text.replace("time,", "t,"), r"unknown: \['t'\]"),
    ],
)
def test_a_wrong_csv_is_refused_by_its_name(variables, tmp_path, edit, message):
    path = tmp_path / "mine.csv"
    sliding_recording.save(sliding_recording.build(TIME, variables, 1.0, "mine"), path)
    path.write_text(edit(path.read_text()))
    with pytest.raises(ValueError, match=f"mine.csv.*{message}"):
        sliding_recording.load(path)


def test_a_file_that_is_no_recording_is_refused_by_its_name(variables, tmp_path):
    for ending in ("csv", "nc"):
        sliding_recording.save(sliding_recording.build(TIME, variables, 1.0, "good"), tmp_path / f"good.{ending}")
    csv, nc = (tmp_path / f"good.{ending}" for ending in ("csv", "nc"))
    text, junk = csv.read_text(), bytes(range(256))
    row = text.splitlines()[-1]
    contents = {
        "empty.csv": (b"", "it is empty"),
        "empty.nc": (b"", "not a whole NetCDF 3 file"),
        "junk.csv": (junk, "not a table"),
        "junk.nc": (junk, "not a whole NetCDF 3 file"),
        "cut.nc": (nc.read_bytes()[:-700], "not a whole NetCDF 3 file"),
        "semicolons.csv": (text.replace(",", ";").encode(), "separated by commas, not semicolons"),
        "ragged.csv": (f"{text}{row},1\n".encode(), "not a table"),
        "words.csv": (
            text.replace(row, row.replace(row.split(",")[1], "gone")).encode(),
            "body_position_x must hold numbers",
        ),
        "gaps.csv": (text.replace(row, row.replace(row.split(",")[1], "")).encode(), "fill the gaps first"),
        "far.csv": (text.replace(row, row.replace(row.split(",")[1], "1e200")).encode(), "at most 1e\\+09 in size"),
        "weightless.csv": (text.replace("weight: 1.0", "weight: much").encode(), "weight must be a number"),
        "centipede.csv": (
            text.replace("foot_position_b_3_", "foot_position_b_99_").encode(),
            r"unknown: \['foot_position_b_99_x'",
        ),
    }
    for name, (content, message) in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name}: .*{message}"):
            sliding_recording.load(tmp_path / name)
    with pytest.raises(ValueError, match="missing.nc: it cannot be read: No such file"):
        sliding_recording.load(tmp_path / "missing.nc")


def test_units_that_differ_are_refused(variables, tmp_path):
    recording = sliding_recording.build(TIME, variables, 1.0, "mm")
    recording["body_position"].attrs["units"] = "mm"
    recording.to_netcdf(tmp_path / "mm.nc", engine="scipy")
    with pytest.raises(ValueError, match="body_position must be in m, its units are 'mm'"):
        sliding_recording.load(tmp_path / "mm.nc")
    recording["body_position"].attrs["units"] = "m"
    recording["time"].attrs["units"] = "seconds since 2026-01-01"
    recording.to_netcdf(tmp_path / "ms.nc", engine="scipy")
    with pytest.raises(ValueError, match="time must be in s, its units are 'seconds since 2026-01-01'"):
        sliding_recording.load(tmp_path / "ms.nc")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"a \.nc or a \.csv file, got 'x.mat'"):
        sliding_recording.load(tmp_path / "x.mat")
