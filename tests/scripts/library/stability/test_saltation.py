"""Where a map has a derivative by saltation matrices, multipliers are its eigenvalues, and differences check it."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tarsus.mjcf import own_robot
from tarsus.scripts.library.own_robot import strides
from tarsus.scripts.library.stability import gaits
from tarsus.scripts.library.stability.examining import examine
from tarsus.scripts.library.stability.gaits import newton
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.system import MapSystem
from tarsus.scripts.library.stability.verdict import Kind

MATRIX = np.array([[0.6, 0.4], [-0.1, 0.3]])
SCALE = (0.1, 2.0)


def system(derivative):
    """A map with a quadratic term, in coordinates of very different sizes."""
    return MapSystem(lambda z: MATRIX @ z + 0.01 * z**2, np.zeros(2), scale=SCALE, derivative=derivative)


def test_multipliers_are_those_of_the_derivative_and_the_prediction_is_in_the_same_coordinates():
    found = examine(system(lambda: MATRIX))
    np.testing.assert_allclose(np.sort(found.multipliers.values), np.sort(np.linalg.eigvals(MATRIX)), rtol=1e-14)
    np.testing.assert_allclose(found.multipliers.matrix, MATRIX * SCALE / np.array(SCALE)[:, None], rtol=1e-14)
    assert found.verdict.kind is Kind.STABLE and "by saltation" in found.lines[0]


@pytest.mark.parametrize("wrong", [MATRIX.T @ np.diag([1.05, 1.0]), -0.5 * MATRIX])
def test_a_derivative_that_differences_contradict_is_not_determined(wrong):
    found = examine(system(lambda: wrong))
    assert found.verdict.kind is Kind.NOT_DETERMINED and "two derivatives disagree" in found.verdict.reason


def test_without_a_derivative_there_are_differences_and_the_reason_is_said(tmp_path):
    def none():
        raise ValueError("two events come at once, at 0.1 s: the stride has no derivative")

    for _ in range(2):  # the second from the file
        found = examine(system(none), Store(tmp_path / "parts", "me"))
        assert found.verdict.kind is Kind.STABLE and "two events come at once" in found.lines[0]
    assert found.multipliers.largest == pytest.approx(np.abs(np.linalg.eigvals(MATRIX)).max(), abs=1e-6)


def test_a_search_for_a_fixed_point_says_how_far_it_is():
    said = []
    z = newton("mine", lambda z: 0.5 + 0.4 * z, np.zeros(1), said=said.append)
    assert (
        z == pytest.approx(0.5 / 0.6, abs=1e-8) and said[0] == "fixed point: stride 1 ends 5.0e-01 from its beginning"
    )


def test_a_gait_whose_distance_falls_unevenly_needs_no_newtons_method():
    """Of a complex pair whose directions are of different sizes the distance of every other stride is larger."""
    said, matrix = [], np.array([[0.0, 2.0], [-0.1, 0.0]])
    z = newton("mine", lambda z: 0.5 + matrix @ (z - 0.5), np.zeros(2), said=said.append)
    np.testing.assert_allclose(z, 0.5, atol=1e-9)
    distances = np.array([float(words.split()[5]) for words in said])
    assert (np.diff(distances) > 0.0).any() and "Newton" not in said[-1]


def test_newtons_method_starts_from_the_nearest_stride_and_says_each_of_its_own():
    said, asked = [], []
    z = newton("mine", lambda z: asked.append(z) or 0.5 + 1.5 * (z - 0.5), np.full(1, 0.4), said=said.append)
    np.testing.assert_allclose(z, 0.5, atol=1e-12)
    first = next(k for k, words in enumerate(said) if "Newton" in words)
    assert first <= 4 and asked[first] == asked[0]
    assert said[first:] == [f"fixed point: Newton's method, stride {k + 1}" for k in range(10)]


class Stride:
    """The stride map of a robot with a position and a speed, whose fixed point is not zero; it counts its strides."""

    size, positions, speeds, at = 2, np.zeros((3, 1)), np.zeros((3, 1)), np.array([0.02, -0.1])

    def __init__(self, base):
        self.base, self.n = SimpleNamespace(x=np.array([base])), 0

    def __call__(self, z):
        self.n += 1
        return self.at + MATRIX @ (z - self.at)

    def derivative(self, z):
        np.testing.assert_allclose(z, self.at, atol=1e-8)
        return MATRIX


def test_a_robots_fixed_point_is_kept_and_its_multipliers_are_by_saltation(monkeypatch, tmp_path):
    monkeypatch.setattr(own_robot, "OwnRobot", lambda path: None)
    monkeypatch.setattr(own_robot, "model", lambda robot: None)
    monkeypatch.setattr(strides, "names_of_speeds", lambda model: ["x", "hip", "knee"])
    monkeypatch.setattr(strides, "clock", lambda robot, period: SimpleNamespace(controls=None, period=0.4))
    asked = []
    for base in (1.0, 1.0, 2.0):  # the same robot twice, then another
        stride = Stride(base)
        monkeypatch.setattr(strides, "stride_map", lambda *_, stride=stride: stride)
        gait = gaits.of_robot(Path("mine.xml"), store=Store(tmp_path / "gait", "me"))
        asked.append(stride.n)
        np.testing.assert_allclose(gait.system.at, stride.at, atol=1e-8)
    assert asked[0] == asked[2] > 0 == asked[1]
    assert gait.period == 0.4 and gait.system.names == ("position 0, x", "speed 0, x")
    found = examine(gait.system)
    assert found.verdict.kind is Kind.STABLE and "by saltation" in found.lines[0]
    assert found.multipliers.largest == pytest.approx(np.abs(np.linalg.eigvals(MATRIX)).max(), rel=1e-12)
