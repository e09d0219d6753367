"""The laboratory and the prediction: frames and signs on made-up motion, and one short walk in MuJoCo."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic.contact import Feet, se2, solve
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.controllers import gaits
from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import sliding_test
from tarsus.scripts.laboratory.sliding import cases as sliding_cases
from tarsus.scripts.library.search.multipod import MultipodSearch, Problem
from tarsus.scripts.library.sliding import fitted as sliding_fitted
from tarsus.scripts.library.sliding import prediction as sliding_prediction
from tarsus.scripts.library.sliding import recording as sliding_recording
from tarsus.scripts.library.sliding.walks import Walk, record, rotated_back

DT = 0.01


def quaternion(yaw, pitch, roll):
    """Return R_z(yaw) R_y(pitch) R_x(roll) as (w, x, y, z), shape (n, 4)."""
    c, s = np.cos(0.5 * np.array([yaw, pitch, roll])), np.sin(0.5 * np.array([yaw, pitch, roll]))
    return np.stack(
        [
            c[0] * c[1] * c[2] + s[0] * s[1] * s[2],
            c[0] * c[1] * s[2] - s[0] * s[1] * c[2],
            c[0] * s[1] * c[2] + s[0] * c[1] * s[2],
            s[0] * c[1] * c[2] - c[0] * s[1] * s[2],
        ],
        axis=-1,
    )


def invented(n=120, forces=True):
    """Return the recording of a robot that obeys the viscous model exactly, and its feet and twist.

    Feet move as quadratics of time, which the paper's filter leaves as they are.
    """
    rng = np.random.default_rng(3)
    t = DT * np.arange(n)[:, None, None]
    place = np.array([[0.2, 0.15], [0.2, -0.15], [-0.2, 0.15], [-0.2, -0.15], [0.0, 0.2]])
    xy = place + 0.05 * rng.normal(size=(5, 2)) * t + 0.02 * rng.normal(size=(5, 2)) * t * t
    pos = np.concatenate([xy, -0.1 + 0 * t + 0.004 * rng.normal(size=(5, 1)) + 0 * xy[..., :1]], axis=-1)
    vel = np.gradient(xy, DT, axis=0, edge_order=2)
    feet = Feet(500.0, 0.7, 20.0)
    found = solve(pos, vel, feet, "viscous")
    pose = se2.integrate(0.5 * (found.twist[1:] + found.twist[:-1]), DT, (1.0, -2.0, 2.9))
    cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    rotation = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], axis=-2)
    force = found.force.copy()
    force[..., :2] = np.einsum("nij,nkj->nki", rotation, force[..., :2])
    variables = {
        "body_position": np.column_stack([pose[:, :2], found.height]),
        "body_orientation": quaternion(pose[:, 2], found.pitch, found.roll),
        "foot_position_b": pos,
    }
    variables |= {"foot_force": force} if forces else {}
    return sliding_recording.build(DT * np.arange(n), variables, 20.0, "invented"), feet, found


def test_a_robot_that_obeys_the_model_is_predicted_exactly():
    """Turning through pi, with tilt: every frame and sign of recording, filter and prediction must be right."""
    recording, feet, found = invented()
    measured = sliding_prediction.measure(recording)
    predicted = sliding_prediction.predict(measured, feet, "viscous")
    inner = slice(12, -12)
    np.testing.assert_allclose(predicted.twist, found.twist[inner], atol=2e-5)
    np.testing.assert_allclose(measured.twist, found.twist[inner], atol=5e-4)
    np.testing.assert_allclose(predicted.pose, measured.pose, atol=2e-4)
    np.testing.assert_allclose(measured.pitch, predicted.pitch, atol=1e-4)
    np.testing.assert_allclose(measured.roll, predicted.roll, atol=1e-4)
    np.testing.assert_allclose(predicted.force, measured.force, atol=0.03)
    assert np.abs(measured.force[..., :2]).max() > 1.0 and np.ptp(measured.pitch) > 1e-4
    assert all(np.isfinite(sliding_prediction.slips(measured)).ravel())


def test_fitted_parameters_recover_the_invented_robot():
    recording, feet, _ = invented()
    measured = sliding_prediction.measure(recording)
    fitted = sliding_fitted.fitted_feet(measured, regulariser=1e-6)
    np.testing.assert_allclose(fitted.stiffness, 500.0, rtol=0.05)
    errors = {
        name: sliding_cases.rms(
            sliding_cases.residuals(measured, sliding_prediction.predict(measured, parameters, "viscous"))["F_z"]
        )
        for name, parameters in (("fitted", fitted), ("naive", sliding_prediction.naive_feet(measured)))
    }
    assert errors["fitted"] < 0.2 * errors["naive"]


def test_rotated_back_undoes_the_body_rotation():
    quat = quaternion(np.array([0.5 * np.pi, 0.0, 0.0]), np.array([0.0, 0.1, 0.0]), np.array([0.0, 0.0, 0.2]))
    vectors = np.tile([1.0, 2.0, 3.0], (3, 1, 1))
    expected = [
        [2.0, -1.0, 3.0],
        [np.cos(0.1) - 3 * np.sin(0.1), 2.0, np.sin(0.1) + 3 * np.cos(0.1)],
        [1.0, 2 * np.cos(0.2) + 3 * np.sin(0.2), -2 * np.sin(0.2) + 3 * np.cos(0.2)],
    ]
    np.testing.assert_allclose(rotated_back(quat, vectors)[:, 0], expected, atol=1e-12)


def test_held_rows_take_the_last_good_one():
    values, ok = np.arange(10.0).reshape(5, 2), np.array([False, True, False, False, True])
    np.testing.assert_array_equal(sliding_prediction.held(values, ok), [[0, 0], [2, 3], [2, 3], [2, 3], [8, 9]])


def test_a_recording_too_short_for_the_filter_is_refused():
    recording, _, _ = invented(60)
    with pytest.raises(ValueError, match="75 frames or more to be filtered, got 60"):
        sliding_prediction.measure(recording)


def test_recordings_from_files_give_a_table(tmp_path, capsys):
    for forces, lines in ((True, 13), (False, 4)):  # errors; with forces, the parameters of five legs too
        path = tmp_path / f"mine_{forces}.csv"
        sliding_recording.save(invented(forces=forces)[0], path)
        assert frame.main(sliding_test, ["--recording", str(path)]) == 0
        out = capsys.readouterr().out
        assert len([line for line in out.splitlines() if line.startswith("|")]) == lines
        assert ("stiffness [N/m]" in out) == ("Coulomb mu [1]" in out) == forces


def test_fitted_friction_is_printed_with_its_axis():
    """Feet with w along (1, -1) have the axis -45 degrees, along which friction is 1 + w^2 times the least."""
    recording, feet, found = invented()
    measured = sliding_prediction.measure(recording)
    n, w = measured.foot_pos.shape[1], np.array([0.6, -0.6])
    slip = sliding_prediction.slips(measured)
    traction = -0.4 * measured.force[..., 2:] * (slip + (slip @ w)[..., None] * w)
    known = sliding_fitted.fit(replace(measured, force=np.concatenate([traction, measured.force[..., 2:]], axis=-1)))
    head, rows = sliding_fitted.head(known), sliding_fitted.rows(known, "abcdefgh"[:n])
    speed = known.reference_speed
    assert head[2] == f"viscous mu at {1e3 * speed:.1f} mm/s [1]" and len({len(row) for row in (head, *rows)}) == 1
    for leg, row in zip("abcdefgh", rows, strict=False):
        assert row[0] == leg and row[4] == "-45" and row[5] == "0.00"
        assert float(row[2]) == pytest.approx(0.4 * speed, abs=6e-4)
        assert float(row[3]) == pytest.approx(0.4 * speed * 1.72, abs=6e-4)
    lost = replace(known, stiffness=np.full(n, np.nan))
    assert sliding_fitted.rows(lost)[0][:2] == ("0", "-")


def test_forces_to_which_nothing_can_be_fitted_are_refused(tmp_path, capsys):
    recording = invented()[0]
    for forces, sentence in ((0.0, "holds no load"), (-1.0, "holds no load")):
        changed = recording.assign(foot_force=forces * abs(recording["foot_force"]))
        changed["foot_force"].attrs["units"] = "N"
        sliding_recording.save(changed, tmp_path / "unloaded.csv")
        assert frame.main(sliding_test, ["--recording", str(tmp_path / "unloaded.csv")]) == 2
        assert sentence in capsys.readouterr().err


@pytest.fixture(scope="module")
def walk():
    """An undulation in MuJoCo at the fast preset, and what is measured of it."""
    gait = gaits.make("undulation", 8, frequency=0.5)
    walk = Walk("short", MultipodParams(n_legs=8), gait, n_periods=2, preset="rl")
    return walk, record(walk)


def test_a_body_that_rocks_over_its_feet_moves_as_its_rotation_takes_it():
    """The origin is R_y(pitch) R_x(roll) (0, 0, h) above feet that stay where they are."""
    measured = sliding_prediction.measure(invented()[0])
    t = measured.time
    pitch, roll, h = 0.02 * np.sin(2 * t), 0.03 * np.cos(3 * t), 0.08
    rocks = replace(measured, pitch=pitch, roll=roll, height=np.full(t.shape, h))
    origin = h * np.column_stack([np.sin(pitch) * np.cos(roll), -np.sin(roll)])
    inner = slice(1, -1)
    expected = np.gradient(origin, measured.dt, axis=0)[inner]
    np.testing.assert_allclose(sliding_test.rocking(rocks)[inner], expected, atol=1e-5)


def test_what_the_model_drops_of_the_velocity_is_the_rocking(walk):
    walk, recording = walk
    measured = sliding_prediction.measure(recording)
    off = sliding_prediction.predict(measured, sliding_cases.own_feet(walk)).twist[:, :2] - measured.twist[:, :2]
    left = off + sliding_test.rocking(measured)
    assert sliding_cases.rms(left[:, 1]) < 0.6 * sliding_cases.rms(off[:, 1])


def test_recorded_forces_carry_the_weight_and_feet_are_where_the_springs_put_them(walk):
    walk, recording = walk
    assert recording.sizes["time"] == 401
    total = recording["foot_force"].values[..., 2].sum(axis=1)
    assert total.mean() == pytest.approx(walk.weight, rel=0.02)
    given = recording["unloaded_foot_position_b"].values - recording["foot_position_b"].values
    sag, force = -given[..., 2] * walk.stiffness, recording["foot_force"].values[..., 2]
    assert np.corrcoef(sag.ravel(), force.ravel())[0, 1] > 0.9
    leaves = 8 * walk.params.leg_mass * walk.params.g  # what the springs do not feel
    assert sag.mean(axis=0).sum() == pytest.approx(force.mean(axis=0).sum() - leaves, rel=0.12)  # friction bends, too


def test_mean_velocity_is_within_ten_per_cent_of_mujoco(walk):
    walk, recording = walk
    measured = sliding_prediction.measure(recording)
    found = {law: sliding_prediction.predict(measured, sliding_cases.own_feet(walk), law) for law in sliding_cases.LAWS}
    outcome = sliding_cases.Outcome(walk, measured, found)
    assert abs(outcome.error_of_speed("coulomb")) < 0.1 and abs(outcome.error_of_speed("viscous")) < 0.1
    assert outcome.mean_twist()[0] > 0.1
    lost = sliding_cases.residuals(measured, found["coulomb"])
    known = sliding_cases.scatter(measured)
    assert all(sliding_cases.rms(lost[name]) < sliding_cases.rms(known[name]) for name in ("F_z", "roll", "u"))


@pytest.mark.parametrize("goal", ["speed", "turning"])
def test_the_optimiser_starts_from_its_start_and_keeps_its_limits(goal):
    search = MultipodSearch(6, goal, generations=2, seed=1)
    problem = search.problem
    again = problem.coefficients(problem.parameters_of_start(search.phase_offset)[:, None])[0]
    np.testing.assert_allclose(again[..., :2], problem.start.coefficients, atol=1e-12)
    found = search.run(confirm=False, progress=False)
    start, optimised = found.made["sliding model"]
    assert found.score == pytest.approx(optimised, rel=1e-9) and optimised >= start
    gait = found.made["gait"]
    angle, rate = gait(gait.period * np.arange(48) / 48)
    for values, limit in zip((angle, rate), problem.limits, strict=True):
        assert np.all(np.abs(values).max(axis=(0, 1)) <= limit * (1 + 1e-9))


def test_unknown_goals_and_robots_of_other_legs_are_refused():
    with pytest.raises(ValueError, match="unknown goal 'height'; there are speed, turning"):
        Problem(MultipodParams(), gaits.make("undulation", 6), "height")
    with pytest.raises(ValueError, match="the gait is for 8 legs, the robot has 6"):
        Problem(MultipodParams(), gaits.make("undulation", 8), "speed")
