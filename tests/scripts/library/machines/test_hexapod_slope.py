"""RHex's slow walk up and down slopes: its slope law holds the speed, in both engines, known or felt."""

import argparse

import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Slope
from tarsus.controllers import clock_gaits
from tarsus.controllers.slope import SlopeLaw
from tarsus.scripts.library.machines import hexapod_exact, hexapod_mujoco
from tarsus.scripts.library.machines.hexapod import HEXAPOD, HexapodExperiment
from tarsus.scripts.library.records import summary

GAIT = clock_gaits.find("rhex-1")
LEVEL = 0.2555  # without the law [m/s]


def experiment(degrees, law=None, **change):
    slope = np.deg2rad(degrees)
    gait = GAIT if law is None else law.compensated(GAIT, slope)
    return HexapodExperiment(HexapodParams.rhex(), gait, Slope(0.0, np.tan(slope)), **change)


def speed(run, degrees):
    """Return the speed over the ground's plan [m/s]."""
    return summary.summarise(run.record, settle=2.0).speed * np.cos(np.deg2rad(degrees))


@pytest.mark.parametrize("degrees", [-10, -5, 0, 5, 10])
def test_a_known_slope_costs_less_than_a_twentieth_of_the_speed_and_without_the_law_more(degrees):
    run = hexapod_exact.simulate(experiment(degrees, SlopeLaw()), 5.2)
    assert speed(run, degrees) == pytest.approx(LEVEL, rel=0.05)
    if abs(degrees) == 10:
        without = speed(hexapod_exact.simulate(experiment(degrees), 5.2), degrees)
        assert abs(without / LEVEL - 1.0) > 0.1


def test_the_smaller_constant_of_the_authors_code_is_too_fast_downhill():
    assert speed(hexapod_exact.simulate(experiment(-10, SlopeLaw(iota=0.01)), 5.2), -10) > 1.06 * LEVEL


def test_mujoco_walks_a_known_slope_as_the_exact_engine_does():
    climbing = experiment(10, SlopeLaw())
    fast, exact = hexapod_mujoco.simulate(climbing, 3.6), hexapod_exact.simulate(climbing, 3.6)
    assert speed(fast, 10) == pytest.approx(speed(exact, 10), rel=0.01)


@pytest.mark.parametrize("degrees", [-10, 10])
def test_a_felt_slope_is_found_and_holds_the_speed_too(degrees, monkeypatch):
    followers = []
    make = hexapod_mujoco.SlopeFollower
    monkeypatch.setattr(hexapod_mujoco, "SlopeFollower", lambda *a: followers.append(make(*a)) or followers[-1])
    run = hexapod_mujoco.simulate(experiment(degrees, slope_law=SlopeLaw()), 6.4)
    assert np.rad2deg(followers[0].estimator.slope) == pytest.approx(degrees, abs=2.0)
    ways = summary.window(run.record, 3.2)
    found = np.mean(summary.travel(run.record, ways)) / GAIT.cycle_time * np.cos(np.deg2rad(degrees))
    assert found == pytest.approx(LEVEL, rel=0.06)


def asked_for(*words):
    parser = argparse.ArgumentParser()
    HEXAPOD.add_options(parser)
    for name, default in (("engine", "mujoco"), ("preset", "rl"), ("seconds", 1.0)):
        parser.add_argument(f"--{name}", default=default)
    return HEXAPOD.experiment(parser.parse_args(["--robot", "rhex", "--gait", "rhex-1", *words]))


def test_the_command_line_compensates_for_the_slope_of_the_ground():
    hill = "--terrain", "slope", "0", str(np.tan(0.2))
    known = asked_for("--compensate-slope", "known", "--iota", "0.01", *hill)
    assert known.gait == SlopeLaw(iota=0.01).compensated(GAIT, np.arctan(np.tan(0.2))) and known.slope_law is None
    felt = asked_for("--compensate-slope", "felt", *hill)
    assert felt.gait == GAIT == asked_for(*hill).gait and felt.slope_law == SlopeLaw()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("known", "--terrain", "step"), "only flat ground and a slope have one slope that can be known, not Step"),
        (("felt", "--engine", "exact"), "--compensate-slope felt needs the accelerometer of --engine mujoco"),
        (("felt", "--set", "g=0"), "a slope is felt by gravity, which must be positive"),
    ],
)
def test_a_slope_that_nothing_knows_is_refused(words, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked_for("--compensate-slope", *words)
