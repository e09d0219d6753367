"""Mutants of the suite's cases: each is refused by one sentence with file and place, or can be run and scored."""

import collections
import copy
import json
import sys
import types
import warnings

import jsonschema
import numpy as np
from budget import tries

from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import worker

FILES = {path.stem: json.loads(path.read_text()) for path in sorted(cases.CASES.glob("*.json"))}
STANDARD = jsonschema.Draft202012Validator(cases.form())
VALUES = (
    *(
        None,
        True,
        False,
        "",
        "moon",
        "block",
        "\ud800",
        "a\nb",
        [],
        {},
        [[]],
        {"a": 1},
        [1, 2, 3],
        [0, 0, 0],
        [0, 0, 0, 0],
    ),
    *(0, 1, -1, 1.0, 0.5, 1e-320, 1e9, 1e12, -1e300, 1e308, 10**400, float("nan"), float("inf"), float("-inf")),
)


def places(value, path=()):
    """Yield the paths to all parts of a document."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def inside(document, path):
    for key in path:
        document = document[key]
    return document


def remove(document, path, rng):
    del inside(document, path[:-1])[path[-1]]


def replace(document, path, rng):
    inside(document, path[:-1])[path[-1]] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])


def scale(document, path, rng):
    old = inside(document, path)
    if not isinstance(old, int | float) or abs(old) > sys.float_info.max:  # an integer can be longer than any float
        old = rng.normal()
    inside(document, path[:-1])[path[-1]] = float(old * rng.choice([-1.0, 0.0, 1e-9, 0.5, 2.0, 1e9, 1e200]))


def repeat(document, path, rng):
    parent = inside(document, path[:-1])
    if isinstance(parent, list):
        parent.insert(path[-1], copy.deepcopy(parent[path[-1]]))
    else:
        parent[f"{path[-1]}_2"] = parent[path[-1]]


def exchange(document, path, rng):
    every = list(places(document))[1:]
    inside(document, path[:-1])[path[-1]] = copy.deepcopy(inside(document, every[rng.integers(len(every))]))


def nest(document, path, rng):
    """Put a part a few levels deeper."""
    part = inside(document, path)
    for _ in range(rng.integers(1, 50)):
        part = [part] if rng.random() < 0.5 else {"deeper": part}
    inside(document, path[:-1])[path[-1]] = part


CHANGES = (remove, replace, replace, scale, scale, repeat, exchange, nest)


def mutant(rng):
    """Return the id of a case and the bytes of a file that is no longer, or another."""
    name = list(FILES)[rng.integers(len(FILES))]
    document = copy.deepcopy(FILES[name])
    for _ in range(rng.choice([1, 1, 2, 5])):
        every = list(places(document))[1:]
        CHANGES[rng.integers(len(CHANGES))](document, every[rng.integers(len(every))], rng)
    data = json.dumps(document).encode()
    kind = rng.integers(12)
    if kind == 0:
        data = data[: rng.integers(len(data))]
    elif kind == 1:
        data = bytearray(data)
        for k in rng.integers(len(data), size=rng.integers(1, 5)):
            data[k] = rng.integers(256)
    elif kind == 2:
        at, deep = rng.integers(len(data)), 10 ** int(rng.integers(2, 6))
        data = data[:at] + rng.choice([b"[", b'{"a":', b"9"]) * deep + data[at:]
    elif kind == 3:
        data = rng.bytes(rng.integers(100))
    return name, bytes(data)


class Still:
    """An engine in which nothing moves, in ten steps."""

    def __init__(self, case, setting):
        self.case, self.steps = case, 0

    def step(self):
        self.steps += 1

    def read(self):
        bodies, contacts = self.case["bodies"], self.case["contacts"]
        still = np.zeros((len(bodies), 3))
        positions = np.array([body["position"] for body in bodies], float)
        turns = np.array([body["quaternion"] for body in bodies], float)
        time = self.case["duration"] * self.steps / 10
        return time, positions, turns, still, still, np.zeros((len(contacts), 3))


STILL = types.SimpleNamespace(SETTINGS={"only": {}}, Simulation=Still)


def said_of(path):
    """Return the sentence that refuses a file, or the status of its case in an engine that stands still."""
    try:
        case = cases.load(path.stem, path.parent)
    except ValueError as refused:
        return str(refused)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of numbers too large to be squared
        result, _ = worker.run(case, STILL, "only")
    json.dumps(result, allow_nan=False)
    return result["status"]


def is_standard(data):
    """Whether a file has the form of a case by another reader of schemas, which takes numbers that are not finite."""
    try:
        return STANDARD.is_valid(json.loads(data))
    except (ValueError, RecursionError):
        return False


def test_a_mutant_of_a_case_is_refused_by_a_sentence_with_file_and_place_or_runs(tmp_path):
    tried = collections.Counter()
    for rng in tries(seed=1, count=1000):
        name, data = mutant(rng)
        path = tmp_path / f"{name}.json"
        path.write_bytes(data)
        said = said_of(path)
        if said in ("ran", "diverged"):
            assert is_standard(data), "what is no case by the schema was read"
            tried[said] += 1
        else:
            place = said.removeprefix(f"{path}: ")
            assert place != said and "\n" not in said and len(said) < 1000, said
            first = place.split()[0].partition(".")[0].partition("[")[0]
            assert place.startswith("the document ") or first in cases.form()["properties"], said
            said.encode()
            tried["no JSON" if "no JSON" in said or "too deeply" in said else "refused"] += 1
    print(f"{tried.total()} mutants of case files: {dict(tried)}")
    assert min(tried[kind] for kind in ("ran", "refused", "no JSON")) > tried.total() // 50 - 2, "one side is not tried"
