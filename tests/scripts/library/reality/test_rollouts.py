"""Tosses in engines of the suite: the case that stands for one, what is read of it, and engines that fail."""

import sys

import numpy as np
import pytest

from tarsus.scripts.laboratory.reality import rotations
from tarsus.scripts.library.reality import rollouts, tosses
from tarsus.scripts.library.reality.rollouts import CubeContact, Engine
from tarsus.scripts.library.reality.tosses import CORRECTED, HALF_WIDTH
from tarsus.scripts.suite import case as suite_case

FLYING = """
import numpy as np
NAME, CANNOT = "flying", {"force": "none"}
SETTINGS = {name: {"kind": name} for name in ("flies", "fails", "diverges", "cannot", "stands")}
def version():
    return "1"
class Simulation:
    def __init__(self, case, setting):
        self.kind = setting["kind"]
        if self.kind == "cannot":
            raise NotImplementedError("flying: a cube")
        self.body, self.gravity, self.t = case["bodies"][0], np.array(case["gravity"]), 0.0
    def step(self):
        if self.kind == "fails" and self.t > 0.05:
            raise FloatingPointError("it broke")
        if self.kind != "stands" or self.t < 0.02:
            self.t += 1.7e-3
    def read(self):
        t, body = self.t, self.body
        place = np.array(body["position"]) + t * np.array(body["velocity"]) + t**2 / 2 * self.gravity
        if self.kind == "diverges" and t > 0.1:
            place = place * np.nan
        w = np.array(body["angular_velocity"])
        angle = np.linalg.norm(w) * t
        turn = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * w / np.linalg.norm(w))])
        a, b, c, d = turn
        p, q, r, s = body["quaternion"]
        quaternion = np.array([a*p-b*q-c*r-d*s, a*q+b*p+c*s-d*r, a*r-b*s+c*p+d*q, a*s+b*r-c*q+d*p])
        if int(t * 100) % 2:
            quaternion = -quaternion
        poses = np.array([place, [0, 0, 0]]), np.array([quaternion, [1, 0, 0, 0]])
        return t, *poses, np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((1, 3))
"""


@pytest.fixture
def engine(tmp_path):
    path = tmp_path / "flying.py"
    path.write_text(FLYING)
    return lambda setting, python=sys.executable: Engine(path, setting, python)


@pytest.fixture(scope="module")
def chosen():
    return tosses.half(tosses.read(CORRECTED), True)[:2]


def test_a_toss_is_a_case_of_the_suite(chosen):
    case = suite_case.complete(rollouts.case_of(chosen[0], CORRECTED, CubeContact(0.2, 0.1)))
    body = case["bodies"][0]
    assert body["position"] == chosen[0].start[:3].tolist() and body["inertia"] == [1.1e-3] * 3
    assert body["angular_velocity"] == pytest.approx(rotations.matrix(chosen[0].start[3:7]) @ chosen[0].start[10:13])
    assert case["contacts"][0]["friction"] == 0.2 and case["contacts"][0]["restitution"] == 0.1
    assert case["duration"] == chosen[0].time[-1] and case["gravity"] == [0, 0, -9.81]


def test_round_corners_are_spheres_that_touch_the_faces(chosen):
    case = suite_case.complete(rollouts.case_of(chosen[0], CORRECTED, CubeContact(0.2, corner_radius=4e-3)))
    shapes = case["bodies"][0]["shapes"]
    assert len({tuple(shape["position"]) for shape in shapes}) == 8
    assert all(np.abs(shape["position"]) == pytest.approx(HALF_WIDTH - 4e-3) for shape in shapes)
    assert len(case["contacts"][0]["pairs"]) == 8


def parabola(toss):
    t = toss.time[:, None]
    return toss.start[:3] + t * toss.start[7:10] - t**2 / 2 * [0, 0, 9.81]


def test_poses_are_read_at_the_measured_times(engine, chosen):
    for toss, found in zip(chosen, rollouts.run(engine("flies"), chosen, CORRECTED, CubeContact(0.18)), strict=True):
        assert found.position == pytest.approx(parabola(toss), abs=9.81 * 1.7e-3**2 / 8 * 1.01)
        spun = rotations.product(rotations.exponential(toss.time[:, None] * toss.spin_w), toss.start[3:7])
        assert rotations.angle_between(found.quaternion, spun).max() < 1e-4
        assert found.cost > 0 and not found.why


def test_an_engine_that_fails_says_why_in_its_place(engine, chosen):
    words = {
        "fails": "failed: FloatingPointError: it broke",
        "diverges": "diverged",
        "cannot": "cannot: flying: a cube",
        "stands": "failed: RuntimeError: its time stands still",
    }
    for setting, why in words.items():
        for found in rollouts.run(engine(setting), chosen, CORRECTED, CubeContact(0.18)):
            assert found.why.startswith(why) and found.position is None


def test_an_engine_that_is_not_installed_says_so(tmp_path, chosen):
    path = tmp_path / "none.py"
    path.write_text("import package_that_nobody_has\n")
    found = rollouts.run(Engine(path, "defaults"), chosen, CORRECTED, CubeContact(0.18))
    assert [one.why for one in found] == ["not installed: No module named 'package_that_nobody_has'"] * 2


def test_a_slow_engine_is_ended(engine, chosen, monkeypatch):
    monkeypatch.setattr(rollouts, "LONGEST", -1.0)
    (found,) = rollouts.run(engine("flies"), chosen[:1], CORRECTED, CubeContact(0.18))
    assert found.why.startswith("slow: more than")


@pytest.mark.extra
def test_workers_in_another_python_give_the_same(engine, chosen, tmp_path):
    python = tmp_path / "python"
    python.symlink_to(sys.executable)  # another path: an environment of its own
    here = rollouts.run(engine("flies"), chosen, CORRECTED, CubeContact(0.18))
    there = rollouts.run(engine("flies", str(python)), chosen, CORRECTED, CubeContact(0.18))
    for one, other in zip(here, there, strict=True):
        assert not other.why, other.why
        assert other.position == pytest.approx(one.position, abs=1e-9)
    failed = rollouts.run(engine("diverges", str(python)), chosen, CORRECTED, CubeContact(0.18))
    assert all(one.why.startswith("diverged") for one in failed)


@pytest.mark.extra
def test_mujoco_tosses_a_cube_near_to_what_was_measured(chosen):
    from tarsus.scripts.suite import running

    found = rollouts.run(Engine(running.engine_file("mujoco"), "rl"), chosen, CORRECTED, CubeContact(0.18))
    for toss, one in zip(chosen, found, strict=True):
        far, turned = tosses.curves(toss, one.position, one.quaternion)
        assert far[: tosses.EARLY].mean() < 6.0 and turned[: tosses.EARLY].mean() < 10.0
