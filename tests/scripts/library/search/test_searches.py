"""What all searches share: the runner, what it keeps and says, and the one format of a result."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

import tarsus
from tarsus.scripts.command import cli, output
from tarsus.scripts.command.verbs import search as command
from tarsus.scripts.library.search import searches
from tarsus.scripts.library.search.found import Found, Parameter

SUMMIT = np.array([0.3, -1.0])


@dataclass(frozen=True)
class Hill(searches.Search):
    """A hill, to be climbed.

    Attributes:
        seed: Of the search.
        generations: Of the search.
        population: Of a generation.
    """

    seed: int = 0
    generations: int = 30
    population: int = 12

    parameters = (Parameter("x", 0.0, 1.0, "m"), Parameter("y", -2.0, 2.0))
    maximised = "height [m]"

    def score(self, points, generation):
        return 5.0 - ((points - SUMMIT) ** 2).sum(axis=1), [generation] * len(points)


def test_a_search_says_what_and_how_only():
    found = Hill().run(progress=False)
    np.testing.assert_allclose(found.point, SUMMIT, atol=0.02)
    assert found.best == dict(zip("xy", found.point, strict=True)) and found.score == max(
        row.score for row in found.tried
    )
    assert found.interval == (found.score, found.score)  # of one trial that always gives the same
    assert len(found.tried) == 12 * 31 == found.history["tried"][-1] and found.history["best"][-1] == found.score
    assert found.history["best"] == sorted(found.history["best"]) and found.history["median"][0] < found.score
    assert [row.about for row in found.tried[::12]] == list(range(31))
    again, other = Hill().run(progress=False), Hill(seed=1).run(progress=False)
    np.testing.assert_array_equal(again.point, found.point)
    assert not np.array_equal(other.point, found.point)


def test_a_search_that_is_asked_to_stop_keeps_what_there_is_and_confirms_nothing():
    @dataclass(frozen=True)
    class Confirmed(Hill):
        def finish(self, found, trials, confirm):
            return replace(found, made={"confirmed": confirm})

    asked = iter([False, False, True])
    found = Confirmed().run(stop=lambda: next(asked), progress=False)
    assert found.interrupted and not found.converged and not found.made["confirmed"]
    assert len(found.tried) == 12 * 4 and found.score == found.history["best"][-1]
    assert Confirmed().run(progress=False).made["confirmed"]
    assert not Confirmed().run(confirm=False, progress=False).made["confirmed"]


def test_what_has_no_score_is_the_worst():
    @dataclass(frozen=True)
    class Holed(Hill):
        def score(self, points, generation):
            heights, about = super().score(points, generation)
            return np.where(points[:, 1] < -1.2, np.nan, heights), about

    found = Holed().run(progress=False)
    np.testing.assert_allclose(found.point, SUMMIT, atol=0.05)
    assert np.isfinite(found.score) and -np.inf in [row.score for row in found.tried]


def test_a_score_with_noise_has_an_interval_that_holds_its_mean():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(400):
        found = replace(Hill(generations=1).run(progress=False), trials=rng.normal(3.0, 2.0, 8))
        low, high = found.interval
        inside += low < 3.0 < high
        assert low < found.score < high
    assert inside / 400 == pytest.approx(0.95, abs=0.03)
    assert "± " in str(found) and "(95 %, 8 trials)" in str(found)


def test_no_parameter_goes_beyond_its_bounds_and_a_flat_hill_converges():
    @dataclass(frozen=True)
    class Flat(Hill):
        evolution = {"tol": 0.1}

        def score(self, points, generation):
            assert np.all(points >= self.bounds[:, 0]) and np.all(points <= self.bounds[:, 1])
            return np.ones(len(points)), [None] * len(points)

    found = Flat().run(progress=False)
    assert found.converged and "; the search converged" in str(found) and len(found.tried) < 12 * 31


@pytest.fixture
def hill(monkeypatch):
    """The search of the command `search gait`."""
    monkeypatch.setattr(searches, "find", lambda name: Hill)


def test_the_command_writes_one_format(hill, tmp_path, capsys):
    assert command.main(["gait", "--generations", "3", "--population", "6", "--out", str(tmp_path / "it")]) == 0
    assert "| x [m] | 0." in capsys.readouterr().out
    told = json.loads((tmp_path / "it" / "result.json").read_text())["result"]
    assert set(told) == set(Found("", "", (), np.zeros(0), np.zeros(1), [], {}, True, False).numbers())
    assert told["maximised"] == "height [m]" and told["tried"] == 24 and len(told["history"]["best"]) == 4
    assert told["best"][0] | {"value": None} == {"name": "x", "low": 0.0, "high": 1.0, "unit": "m", "value": None}
    with np.load(tmp_path / "it" / "found.npz") as stored:
        assert stored["points"].shape == (24, 2) and list(stored["names"]) == ["x", "y"]
        assert (
            stored["scores"].max() == told["score"] == stored["scores"][(stored["points"] == stored["best"]).all(1)][0]
        )


def test_what_is_made_of_the_best_is_stored_as_arrays_by_the_names_of_its_parts():
    made = {"hill": Hill(seed=7), "table": np.eye(2), "proof": None, "speed": 2.0}
    found = replace(Hill(generations=1).run(progress=False), made=made)
    stored = found.arrays()
    assert stored["seed"] == 7 and stored["speed"] == 2.0 and "proof" not in stored
    np.testing.assert_array_equal(stored["table"], np.eye(2))
    assert output.plain(found.numbers())["made"]["table"] == [[1.0, 0.0], [0.0, 1.0]]


def test_every_search_has_a_name_options_and_bounds():
    assert list(cli.names("search")) == ["baseline", "gait", "hexapod", "multipod", "sweep"]
    for name in cli.names("search"):
        kind = searches.find(name)
        assert issubclass(kind, searches.Search) and searches.name_of(kind) == name
    for name in ("gait", "hexapod", "multipod", "sweep"):
        low, high = searches.find(name)().bounds.T
        assert np.all(low < high)
    with pytest.raises(ValueError, match="there is no search 'hill'"):
        tarsus.search("hill")
