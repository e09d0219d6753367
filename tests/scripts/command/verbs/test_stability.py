"""`tarsus stability`: verdicts on real loops, what is refused, and runs that were stopped."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tarsus
from tarsus.scripts.command.verbs import stability
from tarsus.scripts.library.stability import asking, bound, shown
from tarsus.scripts.library.stability.examining import examine
from tarsus.scripts.library.stability.result import Stability, numbers
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.system import MapSystem


def falling(observation, info):
    """Turn the hips of the hexapod until it tumbles."""
    return np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0], np.float32)


def made(**changes) -> Stability:
    """Return the result on a map with multipliers 0.6 and 0.3."""
    system = MapSystem(lambda z: np.array([0.6 * z[0] + 0.1 * z[1], 0.3 * z[1]]), np.zeros(2))
    told = numbers(examine(system)) | {"period": 0.5, "speed": 1.0} | changes
    return Stability("mine", "Hexapod-v0", "mujoco", **told)


def test_a_result_is_the_same_after_json():
    found = made()
    assert Stability.from_json(found.as_json()) == found
    assert found.half_life == pytest.approx(0.5 * np.log(0.5) / np.log(0.6))
    apart = made(period=None, largest=None, parting=(-2.0, -2.1, -1.9))
    assert apart.half_life == pytest.approx(0.5 * np.log(2.0))
    assert made(period=None, parting=(2.0, 1.9, 2.1)).half_life is None
    with pytest.raises(ValueError, match="no result of `tarsus stability`"):
        Stability.from_json("[]")


def test_the_text_has_verdict_multiplier_and_observed_decay():
    text = shown.text(made())
    assert text.startswith("stable: ") and "largest multiplier 0.6" in text and "observed along it 0.6" in text


@pytest.mark.parametrize("changes", [{}, {"multipliers": (), "largest": None, "decays": ()}])
def test_the_picture_can_be_drawn_of_any_result(changes, tmp_path):
    shown.draw(made(**changes), lambda axes: axes.set(title="pushes survived")).savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 5000


def test_the_picture_of_what_does_not_repeat_says_all_of_it():
    """Its sections and rates stand where multipliers and decays would, and the verdict is not cut."""
    nothing = {"multipliers": (), "largest": None, "decays": (), "verdict": "falls", "reason": "it goes on, " * 40}
    found = made(**nothing, sections=(0.1, 0.2), parting=(1.0, 0.5, 2.0))
    figure = shown.draw(found)
    assert " ".join(text.get_text() for text in figure.texts).replace("\n", " ").endswith(found.said.strip())
    left, right = figure.axes
    assert left.lines[0].get_ydata().tolist() == [0.1, 0.2]
    assert right.lines[1].get_xdata().tolist() == [0.5, 2.0] and right.lines[2].get_xdata().tolist() == [1.0]
    assert all("no " in axes.texts[0].get_text() for axes in shown.draw(made(**nothing)).axes)


def test_results_stand_side_by_side(tmp_path, capsys):
    for name, speed in (("a", 1.0), ("b", 2.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "stability.json").write_text(made(speed=speed).as_json())
    assert stability.main(["--compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and "multiplier" in lines[0] and all("0.6" in line for line in lines[2:])


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ([], "say a POLICY, or --compare"),
        (["clock", "--compare", "x"], "and not both"),
        (["--compare", "nowhere"], "there is no result"),
        (["nobody"], "unknown policy 'nobody'"),
        (["walk", "--margins", "--trials", "12"], "trials must be a multiple of 8"),
        (["clock", "--env", "MultipodQuasistatic-v1"], "unknown policy|no simulation"),
    ],
)
def test_misuse_is_refused_in_a_sentence(words, match, capsys):
    assert stability.main(words) == 2
    assert re.search(match, capsys.readouterr().err)


def test_margins_begin_with_a_quick_look_and_where_trials_are_kept():
    args = stability.parser().parse_args(["walk", "--margins"])
    assert "64 trials of each size. A quick look: add --trials 8" in stability.begun(args)
    assert "quick" not in stability.begun(stability.parser().parse_args(["walk", "--trials", "8"]))


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [("stand", "stands"), ("random", "stochastic"), (f"{__name__.rpartition('.')[2]}:falling", "falls")],
)
def test_what_has_no_gait_is_said_to_have_none(policy, verdict, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setattr(bound, "SETTLE", ((20.0, 400),))
    options = {"action_mode": "velocity"} if ":" in policy else {}
    found = asking.stability(policy, options=options, seeds=1)
    assert found.verdict == verdict and found.reason.endswith(".") and not found.multipliers


def test_a_command_that_was_stopped_is_given_the_same_folder_again(tmp_path, monkeypatch, capsys):
    seen = []

    def stopped(subject, make, name, seeds, store, *_):
        seen.append(store)
        store.mkdir(parents=True, exist_ok=True)
        raise ValueError("stopped")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(asking, "asked", stopped)
    for _ in range(2):
        with pytest.raises(ValueError, match="stopped"):
            stability.main(["simplest-walker", "--engine", "exact"])
    assert seen[0] == seen[1] and f"kept in {seen[0]}" in capsys.readouterr().err


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    """Stopped in any part, the rest is found from there, and the result is the same bit for bit."""
    matrix, asked = np.array([[0.6, 0.1], [0.2, 0.3]]), []

    def system(most=np.inf):
        def stride(z):
            asked.append(0)
            if len(asked) > most:
                raise KeyboardInterrupt
            return matrix @ z + 0.1 * z**2

        return MapSystem(stride, np.zeros(2))

    whole = numbers(examine(system()))
    needed, path = len(asked), tmp_path / "parts"
    for share in (0.5, 0.2):
        asked.clear()
        with pytest.raises(KeyboardInterrupt):
            examine(system(share * needed), Store(path, "me"))
    asked.clear()
    found = examine(system(), Store(path, "me"))
    assert len(asked) < 0.5 * needed
    assert numbers(found) == whole
    with path.open("a") as file:
        file.write('["decays", [{"na')  # killed as it wrote
    assert numbers(examine(system(), Store(path, "me"))) == whole
    asked.clear()
    examine(system(), Store(path, "another"))
    assert len(asked) >= needed


@pytest.mark.parametrize(
    ("name", "verdict", "expected"),
    [
        ("simplest-walker", "stable", (-0.1900998 + 0.5575988j, -0.1900998 - 0.5575988j)),
        ("simplest-walker-short", "unstable", (4.00386, 0.45959)),
    ],
)
def test_published_multipliers_of_the_simplest_walker(name, verdict, expected):
    """Garcia and others (1998), to more digits Bhounsule (2014); see `analytic.models.simplest_walker`."""
    found = tarsus.stability(name)
    assert found.verdict == verdict
    values = np.array([complex(*pair) for pair in found.multipliers])
    np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(np.array(expected)), atol=5e-6)


@pytest.mark.extra
@pytest.mark.parametrize("policy", ["walk", "clock"])
def test_a_clock_is_stable_and_its_observed_decay_agrees(policy, tmp_path):
    found = tarsus.stability(policy, seeds=1, store=tmp_path / "parts")
    assert found.verdict == "stable" and found.period == pytest.approx(1.0)
    assert {"forward", "left", "yaw"} <= set(found.neutral)
    assert all(one["agrees"] for one in found.decays)
    assert found.observed == pytest.approx(found.largest[0], rel=0.02)
    assert json.loads(found.as_json())["verdict"] == "stable"
