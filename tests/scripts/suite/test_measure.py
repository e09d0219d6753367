"""What is measured of a recorded motion, on motions written down by hand."""

import numpy as np
import pytest

from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import measure, worker

CASE = {
    "id": "made_up",
    "bodies": [{"name": "ball"}, {"name": "ground"}],
    "contacts": [{"name": "contact"}],
}
TIME = np.linspace(0, 2, 201)


def recording(positions=None, velocities=None, turn=None, spin=None, forces=None):
    """Return a recording of a ball, and of a ground at rest."""
    zeros = np.zeros((len(TIME), 2, 3))
    quaternions = np.zeros((len(TIME), 2, 4))
    quaternions[..., 0] = 1
    made = [zeros.copy() for _ in range(3)]
    for field, given in zip(made, (positions, velocities, spin), strict=True):
        if given is not None:
            field[:, 0] = given
    if turn is not None:  # about y
        quaternions[:, 0, 0], quaternions[:, 0, 2] = np.cos(turn / 2), np.sin(turn / 2)
    return measure.Recording(
        TIME, made[0], quaternions, made[1], made[2], np.zeros((201, 1, 3)) if forces is None else forces
    )


def value(run, quantity="position", of="ball", **how):
    """Return a measurement of a recording."""
    if "crossing" in how:
        how["crossing"] = {"after": 0, "direction": "either", "count": 1, **how["crossing"]}
    row = {"name": "it", "of": of, "quantity": quantity, "point": [0, 0, 0], **how}
    return measure.value(CASE, run, row)


ALONG_X = np.outer(TIME**2, [1.0, 0, 0])
WAVE = np.outer(np.sin(2 * np.pi * TIME / 0.5), [0, 0, 1.0])
UP = [0, 0, 1]


def test_values_at_times_and_their_changes():
    run = recording(ALONG_X)
    assert value(run, along=[2, 0, 0], at=1.5) == pytest.approx(2.25)
    assert value(run, along=[-1, 0, 0], at=1.5) == pytest.approx(-2.25)
    assert value(run, along=[1, 0, 0], change=[0.5, 1.5]) == pytest.approx(2)
    assert value(run, along=[1, 0, 0], mean=[0, 1.5]) == pytest.approx(1.5**2 / 3, rel=1e-4)
    assert value(run, along=[1, 0, 0], at=0.005) == pytest.approx(0.5e-4), "between two instants it is linear"


def test_norms_and_what_is_across():
    run = recording(np.tile([3.0, 4.0, 12.0], (201, 1)))
    assert value(run, at=1.0) == pytest.approx(13)
    assert value(run, across=UP, at=1.0) == pytest.approx(5)


def test_extremes_crossings_and_periods():
    run = recording(WAVE)
    assert value(run, along=UP, greatest=[0, 2]) == pytest.approx(np.sin(2 * np.pi * 0.24))
    assert value(run, along=UP, least=[0, 0.2]) == pytest.approx(0, abs=1e-12)
    assert value(run, along=UP, crossing={"level": 0.5}) == pytest.approx(0.5 / 12, rel=1e-2)
    assert value(run, along=UP, crossing={"level": 0.0, "direction": "down"}) == pytest.approx(0.25)
    assert value(run, along=UP, crossing={"level": 0.0, "after": 0.6, "direction": "up"}) == pytest.approx(1.0)
    assert value(run, along=UP, crossing={"level": 0.5, "direction": "up", "count": 2}) == pytest.approx(
        0.5 + 0.5 / 12, rel=1e-3
    )
    assert np.isnan(value(run, along=UP, crossing={"level": 2.0}))
    assert value(run, along=UP, period=[0, 2]) == pytest.approx(0.5, rel=1e-3)


def test_points_of_a_body_turn_with_it():
    turn = 3 * TIME
    run = recording(turn=turn, spin=np.tile([0, 3.0, 0], (201, 1)))
    # a turn about y takes x to -z
    assert value(run, point=[1, 0, 0], along=UP, at=0.4) == pytest.approx(-np.sin(1.2), rel=1e-3)
    assert value(run, "velocity", point=[1, 0, 0], along=UP, at=0.0) == pytest.approx(-3)
    assert value(run, "angle", along=[0, 1, 0], at=2.0) == pytest.approx(6), "counted over turns"
    assert value(run, "angle", along=[0, -1, 0], at=2.0) == pytest.approx(-6)
    assert value(run, "angular_velocity", along=[0, 1, 0], at=1.0) == pytest.approx(3)


def test_relative_to_another_body():
    run = recording(ALONG_X, velocities=2 * ALONG_X)
    assert value(run, of="ground", relative_to="ball", along=[1, 0, 0], at=1.0) == pytest.approx(-1)
    assert value(run, "velocity", relative_to="ground", along=[1, 0, 0], at=1.0) == pytest.approx(2)


def test_forces_are_means_over_the_step_that_ends():
    forces = np.zeros((201, 1, 3))
    forces[101:151, 0, 2] = 4.0  # the steps from 1 to 1.5 s
    run = recording(forces=forces)
    assert value(run, "force", "contact", along=UP, mean=[0, 2]) == pytest.approx(1)
    assert value(run, "force", "contact", along=UP, at=1.005) == 4
    assert value(run, "force", "contact", along=UP, at=0.995) == 0
    assert value(run, "force", "contact", along=UP, greatest=[0, 2]) == 4


def test_scores_are_errors_over_scales_and_a_number_that_is_missing_fails():
    row = {"name": "x", "of": "ball", "quantity": "position", "point": [0, 0, 0], "along": [1, 0, 0], "at": 1.0}
    never = row | {"name": "never", "crossing": {"level": 99, "after": 0, "direction": "up", "count": 1}}
    del never["at"]
    numbers = {"unit": "m", "answer": 1.1, "bound": 0, "tolerance": 0.2, "scale": 2.0}
    made = worker.scored(CASE | {"measurements": [row | numbers, never | numbers]}, recording(ALONG_X))
    assert made["measurements"][0]["error"] == pytest.approx(0.05) and made["measurements"][0]["passed"]
    assert made["measurements"][1] == {"name": "never", "value": None, "error": None, "passed": False}
    assert not made["passed"]


@pytest.mark.parametrize("reduction", ["greatest", "least", "period"])
def test_a_window_between_two_steps_shows_nothing(reduction):
    assert np.isnan(value(recording(ALONG_X), along=[1, 0, 0], **{reduction: [1.002, 1.008]}))


def test_all_reductions_are_measured():
    assert set(measure._REDUCE) == set(cases.REDUCTIONS)
