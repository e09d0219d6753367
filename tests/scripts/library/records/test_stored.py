"""What a command left in its folder, opened again; what is broken or foreign is refused by a sentence."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import tarsus
from tarsus.scripts.command import cli
from tarsus.scripts.library.records import stored


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("results") / "run"
    assert (
        cli.main(["run", "slip-leg", "--engine", "mujoco", "--seconds", ".1", "--no-video", "--csv", "--out", str(out)])
        == 0
    )
    return out


def test_a_folder_is_what_the_command_printed_and_wrote(folder, capsys):
    found = tarsus.load(folder)
    assert found.command == "tarsus run slip-leg" and found.inputs["seconds"] == 0.1
    assert found.result["status"] and str(found).startswith(found.text)
    assert found.text.strip() and set(found.files) >= {"run.nc", "run.csv"}
    assert isinstance(found["run.nc"], xr.Dataset) and isinstance(found["run.csv"], pd.DataFrame)
    np.testing.assert_array_equal(found["run.nc"]["time"], found["run.csv"]["time"])
    np.testing.assert_array_equal(tarsus.load(folder / "run.csv")["time"], tarsus.load(folder / "run.nc")["time"])
    assert found["run.png"] == folder / "run.png"
    assert tarsus.load(folder / "result.json") == found
    with pytest.raises(KeyError, match="no file 'walk.nc'; there are run.nc"):
        found["walk.nc"]


def test_a_dataset_that_is_no_record_is_opened(tmp_path):
    xr.Dataset({"a": ("k", [1.0, 2.0])}).to_netcdf(tmp_path / "both.nc", engine="scipy")
    assert tarsus.load(tmp_path / "both.nc")["a"].values.tolist() == [1.0, 2.0]


def test_what_is_broken_or_foreign_is_refused(tmp_path):
    def refused(path, sentence):
        with pytest.raises(ValueError, match=sentence):
            tarsus.load(path)

    refused(tmp_path / "nowhere", "there is no file or folder")
    refused(tmp_path, "holds no result of a command, for it has no result.json; there is nothing")
    (tmp_path / "notes.txt").write_text("mine")
    refused(tmp_path, "there is notes.txt")
    refused(tmp_path / "notes.txt", "is no record")
    (tmp_path / "run.nc").write_bytes(b"mine")
    refused(tmp_path / "run.nc", "is no NetCDF 3 file, or broken")
    (tmp_path / "run.csv").write_text("time,a\n0,1\n")
    refused(tmp_path / "run.csv", "does not say which robot ran")
    (tmp_path / "result.json").write_text("{")
    refused(tmp_path, "result.json is broken")
    for told in ([], {"text": "mine"}):
        (tmp_path / "result.json").write_text(json.dumps(told))
        refused(tmp_path, "is not of a command of tarsus: it has no command")
    told = dict.fromkeys(stored.KEYS, "") | {"files": ["gone.nc", "run.nc"]}
    (tmp_path / "result.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match="gone.nc is gone"):
        tarsus.load(tmp_path)["gone.nc"]
    with pytest.raises(ValueError, match="is no NetCDF 3 file, or broken"):
        tarsus.load(tmp_path)["run.nc"]


def test_the_folder_of_a_training_is_its_curve(tmp_path):
    returns, lengths = np.array([[1.0, 3.0], [2.0, 6.0]]), np.array([[10, 20], [20, 20]])
    np.savez(tmp_path / "evaluations.npz", timesteps=[8, 16], results=returns, ep_lengths=lengths)
    found = tarsus.load(tmp_path)
    assert list(found.index) == [8, 16] and found["return"].tolist() == [2.0, 4.0]
    assert found["least"].tolist() == [1.0, 2.0] and found["most"].tolist() == [3.0, 6.0]
    assert found["length"].tolist() == [15.0, 20.0]
    (tmp_path / "evaluations.npz").write_bytes(b"PK broken")
    with pytest.raises(ValueError, match="evaluations.npz is broken"):
        tarsus.load(tmp_path)
