"""What a file must hold to be a trained policy, and what is said of one that does not."""

import json
import zipfile

import numpy as np
import pytest

from tarsus.scripts.command.verbs import certify, evaluate, export
from tarsus.scripts.library.learning import policies, trained_policy

with np.load(policies.SHIPPED / "hexapod-gait-0" / "policy.npz") as found:
    ARRAYS = dict(found)
ABOUT = json.loads(str(ARRAYS["about"]))
DAMAGED = {  # what is changed, and what is said of it
    "it lacks mean, about": {"mean": None, "about": None},
    "it has 2 layers and lacks weight_1": {"weight_1": None},
    "it has 3 layers and lacks bias_0": {"bias_0": None},
    "it has 0 layers": {"weight_0": None, "weight_1": None, "weight_2": None},
    "weight_1 must be finite": {"weight_1": np.full((64, 64), np.nan)},
    "bias_2 must be finite and at most 3e+38": {"bias_2": np.full(6, 1e39)},
    "mean must be of real numbers, got <U1": {"mean": np.full(56, "a")},
    "mean must have the shape (56,), got (1,)": {"mean": np.zeros(1)},
    "scale must be positive, got 0": {"scale": np.zeros(56)},
    "weight_1 has the shape (64, 65), the layer before it 64 outputs": {"weight_1": np.zeros((64, 65))},
    "bias_1 must have the shape (64,), got (63,)": {"bias_1": np.zeros(63)},
    "weight_0 must have the shape (outputs, inputs), got (56,)": {"weight_0": np.zeros(56)},
    "clip must be a positive number, or infinity, got nan": {"clip": np.nan},
    "squash must be true or false, got 1": {"squash": 1},
    "activation must be one of tanh, relu, got 'gelu'": {"activation": "gelu"},
    "weight_0 is not an array of numbers or text": {"weight_0": np.array([None])},
    "what it was made with is not JSON": {"about": "{"},
    "what it was made with must be a table of names and values, got []": {"about": "[]"},
    "what it was made with lacks environment and options": {"about": "{}"},
    "options must be a table of names and values, got None": {"about": json.dumps(ABOUT | {"options": None})},
    "environment must be a name, got None": {"about": json.dumps(ABOUT | {"environment": None})},
}


def written(folder, **changes):
    kept = {name: value for name, value in (ARRAYS | changes).items() if value is not None}
    np.savez(folder / "policy.npz", **kept)
    return folder / "policy.npz"


@pytest.mark.parametrize("sentence", DAMAGED)
def test_damage_is_said_by_every_verb_and_nothing_is_written(sentence, tmp_path, capsys):
    path = written(tmp_path, **DAMAGED[sentence])
    for verb, more in ((evaluate, []), (certify, []), (export, ["--out", str(tmp_path / "exported")])):
        assert verb.main([str(path), *more]) == 2
        err = capsys.readouterr().err
        assert f"{path} is not a trained policy: {sentence}" in err and err.count("\n") == 1
    assert not (tmp_path / "exported").exists()


def test_a_file_that_unpacks_to_more_than_a_policy_has_is_not_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "policy.npz"
    np.savez_compressed(path, **ARRAYS | {"mean": np.zeros(10**6)})
    assert path.stat().st_size < 10**5
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    monkeypatch.setattr(trained_policy, "MOST_BYTES", 10**6)
    with pytest.raises(ValueError, match=r"policy: its arrays have 80\d+ bytes, and may have 1000000"):
        trained_policy.TrainedPolicy(path)


def test_a_policy_of_another_observation_or_action_is_refused_where_it_would_act(tmp_path, capsys):
    small = {"mean": ARRAYS["mean"][:55], "scale": ARRAYS["scale"][:55], "weight_0": ARRAYS["weight_0"][:, :55]}
    for changes, why in (
        (small, "observes 55 numbers, and Hexapod-v0 gives an array of shape (56,)"),
        ({"weight_2": ARRAYS["weight_2"][:5], "bias_2": ARRAYS["bias_2"][:5]}, "shape (5,), Hexapod-v0 takes (6,)"),
    ):
        path = written(tmp_path, **changes)
        for verb, more in ((evaluate, []), (certify, []), (export, ["--out", str(tmp_path / "exported")])):
            assert verb.main([str(path), *more]) == 2 and why in capsys.readouterr().err
    assert not (tmp_path / "exported").exists()
