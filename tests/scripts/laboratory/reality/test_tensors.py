"""Torch's files are read without torch, and nothing else that a pickle may hold."""

import io
import pickle
import zipfile

import numpy as np
import pytest

from tarsus.scripts.laboratory.reality import convert, tensors


class Harm:
    """Would run a command if it were unpickled."""

    def __reduce__(self):
        import os

        return os.system, ("echo harm",)


def zipped(pickled: bytes, numbers: bytes = b"") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("toss/data.pkl", pickled)
        archive.writestr("toss/data/0", numbers)
    return file.getvalue()


def test_whatever_is_no_tensor_is_refused():
    for pickled in (pickle.dumps(Harm()), pickle.dumps(np.zeros(3)), pickle.dumps(io.BytesIO)):
        for file in (pickled, zipped(pickled)):
            with pytest.raises(pickle.UnpicklingError, match="which is not allowed"):
                tensors.read(file)
    with pytest.raises(ValueError, match="holds 0 tensors, not one"):
        tensors.read(zipped(pickle.dumps({"a": 1})))


@pytest.mark.extra  # to import torch takes longer than all others here
@pytest.mark.parametrize("legacy", [True, False])
def test_tensors_are_read_as_torch_wrote_them(tmp_path, legacy):
    torch = pytest.importorskip("torch")
    whole = torch.arange(24, dtype=torch.float64).reshape(4, 6)
    for tensor in (whole, whole[1:3, ::2], whole.T):
        torch.save(tensor, tmp_path / "t.pt", _use_new_zipfile_serialization=not legacy)
        assert (tensors.read((tmp_path / "t.pt").read_bytes()) == tensor.numpy()).all()
    torch.save([whole, whole + 1], tmp_path / "two.pt", _use_new_zipfile_serialization=not legacy)
    with pytest.raises(ValueError):
        tensors.read((tmp_path / "two.pt").read_bytes())


def test_a_tensor_that_reaches_outside_its_numbers_is_refused():
    storage = ("0", "<f8", 4)
    assert tensors._numbers((storage, 1, (3,), (1,)), np.arange(4.0).tobytes()).tolist() == [1, 2, 3]
    for offset, size, stride in ((1, (4,), (1,)), (0, (2,), (-1,)), (0, (0,), (1,)), (5, (1,), (1,))):
        with pytest.raises(ValueError, match="reaches outside"):
            tensors._numbers((storage, offset, size, stride), np.arange(4.0).tobytes())


def test_a_clone_without_the_data_is_refused(tmp_path, capsys):
    assert convert.main([str(tmp_path), "--contact-nets", str(tmp_path)]) == 2
    assert "has no data/tosses_processed of c3dc21c" in capsys.readouterr().err
    assert convert.main([str(tmp_path)]) == 2
    assert "there is nothing to convert" in capsys.readouterr().err


def test_other_numbers_are_not_written(tmp_path):
    with pytest.raises(ValueError, match="differ from the measured ones"):
        convert.save(tmp_path, "square_drops", {"pose": np.zeros(3)})
    assert not list(tmp_path.iterdir())
