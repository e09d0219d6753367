"""Mutants of stored policies: each is refused by one sentence, by all verbs that load one, or acts; none runs code."""

import collections
import io
import json
import sys
import zipfile

import numpy as np
import pytest
from budget import tries

from tarsus.scripts.command import arguments
from tarsus.scripts.command.verbs import certify, evaluate, export
from tarsus.scripts.library.learning import policies, trained_policy

NAMES = ("hexapod-gait-0", "slip-leg-0", "hopping-leg-0", "bigant-0")
FILES = {name: path for name, path in policies.shipped().items() if name in NAMES}
VERBS = {
    "evaluate": lambda path, out: evaluate.main([str(path), "--seeds", "1"]),
    "certify": lambda path, out: certify.main([str(path), "--seeds", "1"]),
    "export": lambda path, out: export.main([str(path), "--out", str(out)]),
}
VALUES = (
    *(None, True, False, "", "moon", "Hexapod-v0", "stranger:Hexapod-v0", "\ud800", "a\nb", [], {}, [[]], {"a": 1}),
    *(0, 1, -1, 0.5, 1e-320, 1e9, 1e300, 10**400, float("nan"), float("inf"), [1, 2], [0.5, 1.5], {"x": [1, 2]}),
)
ARRAYS = (
    lambda a, rng: a[..., :-1] if a.ndim else a.reshape(1),
    lambda a, rng: np.concatenate([a, a]) if a.ndim else np.array([a, a]),
    lambda a, rng: a.T,
    lambda a, rng: a.ravel(),
    lambda a, rng: a[None],
    lambda a, rng: np.zeros((0, *a.shape[1:])),
    lambda a, rng: a.astype("U"),
    lambda a, rng: np.full(a.shape, rng.choice([np.nan, np.inf, -np.inf, 1e300, 1e39, -1.0, 0.0, 1e-60])),
    lambda a, rng: np.full(a.shape, 1j),
    lambda a, rng: np.full(a.shape, rng.integers(0, 3)),
    lambda a, rng: np.full(a.shape, "word"),
    lambda a, rng: np.array({"an": "object"}, object),
    lambda a, rng: np.zeros(a.shape, "M8[s]"),
    lambda a, rng: np.zeros(a.shape, [("a", float)]),
    lambda a, rng: np.asarray(a, "f2" if a.dtype.kind == "f" else a.dtype),
)


class Began(Exception):
    """The policy was accepted, and its work would begin."""


def other_about(arrays, rng):
    about = json.loads(str(arrays["about"]))
    known = ("preset", "engine", "action_mode", "task", "terrain", "ctrl_dt", "params", "randomise", "rewards", "a")
    value = VALUES[rng.integers(len(VALUES))]
    match rng.integers(4):
        case 0:
            about["environment"] = value
        case 1:
            about["options"] = value
        case 2:
            about["options"] = about["options"] | {str(rng.choice(known)): value}
        case _:
            about.pop(str(rng.choice(list(about))))
    arrays["about"] = np.array(json.dumps(about))


def other_array(arrays, rng):
    name = str(rng.choice(list(arrays)))
    arrays[name] = ARRAYS[rng.integers(len(ARRAYS))](arrays[name], rng)


def other_names(arrays, rng):
    name = str(rng.choice(list(arrays)))
    value = arrays.pop(name)
    if rng.random() < 0.5:
        arrays[str(rng.choice(["weight_7", "weight_x", "bias_-1", "weight_", "Weight_0", "about2"]))] = value


def packed(arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def other_bytes(data, rng):
    """Return a file with some bytes changed, cut off, or doubled; or with a head that promises an array of any size."""
    place = int(rng.integers(len(data)))
    match rng.integers(4):
        case 0:
            return data[:place]
        case 1:
            changed = bytearray(data)
            for at in rng.integers(len(data), size=rng.integers(1, 20)):
                changed[at] = rng.integers(256)
            return bytes(changed)
        case 2:
            return data[:place] + data[rng.integers(len(data)) :]
        case _:
            return with_head(data, rng)


def with_head(data, rng):
    heads = (
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 64)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "__import__('stranger')",
        "(" * 2000,
    )
    name, stream = str(rng.choice(["weight_0", "mean", "about", "clip"])), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for member in old.namelist():
            head = heads[rng.integers(len(heads))].encode("latin1") + b"\n"
            empty = b"\x93NUMPY\x02\x00" + len(head).to_bytes(4, "little") + head
            new.writestr(member, empty if member == f"{name}.npy" else old.read(member))
    return stream.getvalue()


def mutant(rng):
    """Return the bytes of a policy.npz that is not quite one."""
    with np.load(FILES[NAMES[rng.integers(len(NAMES))]] / "policy.npz") as stored:
        arrays = dict(stored)
    kind = rng.integers(4)
    if kind < 3:
        (other_about, other_array, other_names)[kind](arrays, rng)
    return other_bytes(packed(arrays), rng) if kind == 3 else packed(arrays)


@pytest.fixture
def loads(tmp_path, monkeypatch, capsys):
    """Return a function that gives a file to a verb: "" if that accepts it, else its sentence."""
    (tmp_path / "stranger.py").write_text("raise SystemExit('a policy had a module imported')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def begin():
        raise Began

    monkeypatch.setattr(arguments, "begin", begin)

    def load(data, verb):
        path, out = tmp_path / "policy.npz", tmp_path / "exported"
        path.write_bytes(data)
        try:
            status = VERBS[verb](path, out)
        except Began:
            return ""
        finally:
            assert "stranger" not in sys.modules and not out.exists()
        said, err = capsys.readouterr()
        last = err.splitlines()[-1]
        assert status == 2 and said == "" and last.startswith(f"tarsus {verb}: ") and "Traceback" not in err, err
        return last

    return load


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_a_mutant_is_refused_in_a_sentence_or_acts(loads):
    found = collections.Counter()
    for k, rng in enumerate(tries(0, 150)):
        verb = list(VERBS)[k % len(VERBS)]
        sentence = loads(mutant(rng), verb)
        found["accepted" if not sentence else "refused"] += 1
    print(f"policies: {dict(found)}")
    assert min(found["accepted"], found["refused"]) > 0.05 * found.total()


@pytest.mark.parametrize("name", FILES)
def test_what_is_stored_is_accepted(loads, name):
    for verb in VERBS:
        assert loads((FILES[name] / "policy.npz").read_bytes(), verb) == ""


def test_every_policy_that_is_read_gives_finite_actions_of_single_precision(tmp_path):
    read = 0
    for rng in tries(1, 200):
        (tmp_path / "policy.npz").write_bytes(mutant(rng))
        try:
            policy = trained_policy.TrainedPolicy(tmp_path)
        except ValueError as error:
            assert str(error).startswith(f"{tmp_path}/policy.npz is not a trained policy: ") and "\n" not in str(error)
            continue
        read += 1
        with np.errstate(over="ignore", invalid="ignore"):
            action = policy(np.zeros((2, policy.mean.size)))
        assert action.dtype == np.float32 and action.shape == (2, policy.layers[-1][1].size)
        assert np.isfinite(action).all() and np.abs(action).max() <= 1.0
    print(f"policies: {read} read")
    assert read > 10
