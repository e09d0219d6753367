"""Measured tosses: what they say of themselves, the two ways to read them, and the errors of simulated ones."""

import numpy as np
import pytest

from tarsus.scripts.laboratory.pages import reality
from tarsus.scripts.laboratory.reality import convert, rotations
from tarsus.scripts.library.reality import cube, data, scoring, tosses
from tarsus.scripts.library.reality.tosses import CORRECTED, HALF_WIDTH, PUBLISHED, RATE


@pytest.fixture(scope="module")
def published():
    return tosses.read(PUBLISHED)


@pytest.fixture(scope="module")
def corrected():
    return tosses.read(CORRECTED)


def test_half_of_the_tosses_is_held_out(published, corrected):
    assert len(published) == 570 and len(tosses.half(published, True)) == 285
    assert len(corrected) == 565 and {t.number for t in corrected} < {t.number for t in published}
    stored = data.read("cube_tosses")["held_out"]
    assert (convert.held_out(570) == stored).all()


def test_the_corrected_lengths_are_those_that_gravity_and_the_cube_ask_for(corrected, published):
    def gravity(toss, frames):
        t = toss.time[:frames]
        return -2 * np.polyfit(t, toss.position[:frames, 2], 2)[0]

    long = {t.number: t.flight + 1 for t in published if t.flight >= 20}
    read = np.mean([gravity(t, long[t.number]) for t in published if t.number in long])
    assert read == pytest.approx(9.603, abs=0.03)
    resting = np.median([t.position[-1, 2] for t in corrected])
    assert resting == pytest.approx(HALF_WIDTH, abs=2e-4)
    assert np.median([t.position[-1, 2] for t in published]) < HALF_WIDTH - 1e-3


def test_a_start_is_what_the_frames_after_it_go_on_from(published, corrected):
    for toss in published[::57]:
        assert toss.start[:3] == pytest.approx(toss.position[0]) and toss.flight > 0
        at = toss.time[5]
        spun = rotations.product(rotations.exponential(at * toss.spin_w), toss.start[3:7])
        still = rotations.angle_between(toss.quaternion[0], toss.quaternion[5])
        assert rotations.angle_between(spun, toss.quaternion[5]) < 0.2 * still
    for toss in corrected[::57]:
        assert np.linalg.norm(toss.start[:3] - toss.position[0]) < 5e-4 and toss.flight == 0
        assert rotations.angle_between(toss.start[3:7], toss.quaternion[0]) < 5e-3


def test_a_flight_is_fitted_exactly_where_there_is_no_noise():
    t = (np.arange(9) - 8) / RATE
    place, velocity, spin = np.array([0.1, 0.2, 0.3]), np.array([1.0, -2.0, 0.5]), np.array([5.0, -3.0, 2.0])
    end = rotations.exponential(np.array([0.3, 0.8, -0.4]))
    position = place + t[:, None] * velocity - np.outer(convert.GRAVITY * t**2 / 2, [0, 0, 1])
    quaternion = rotations.product(rotations.exponential(t[:, None] * spin), end)
    found = convert.last_of_flight(position, quaternion)
    body = rotations.matrix(end).T @ spin
    assert found == pytest.approx(np.concatenate([place, end, velocity, body]), abs=1e-9)


def test_errors_are_distance_over_width_and_angle(corrected):
    toss = corrected[3]
    place = toss.position + [2 * HALF_WIDTH, 0, 0]
    turn = rotations.exponential(np.deg2rad(15.0) * np.array([0.6, 0.0, 0.8]))
    found = tosses.errors(toss, place, -rotations.product(turn, toss.quaternion))
    assert found == pytest.approx([100.0, 15.0, 100.0, 100.0, 15.0])
    assert tosses.errors(toss, place, rotations.product(turn, turn))[2] == 0.0  # of another face
    late = place.copy()
    late[toss.flight + 1 + tosses.EARLY :] += 1.0
    assert tosses.errors(toss, late, toss.quaternion)[3] == pytest.approx(100.0)


def test_early_errors_begin_with_contact(published):
    toss = published[0]
    place = toss.position.copy()
    place[: toss.flight + 1] += 1.0  # frames of flight are off, those of contact are not
    assert tosses.errors(toss, place, toss.quaternion)[3] == 0.0
    place[toss.flight + 1] += 2 * HALF_WIDTH * np.array([1.0, 0, 0])
    assert tosses.errors(toss, place, toss.quaternion)[3] == pytest.approx(100.0 / tosses.EARLY)


def test_a_toss_without_contact_or_start_is_left_out():
    arrays = data.read("cube_tosses")
    frames = arrays["flight_frames"].copy()
    frames[0] = arrays["start"][1]  # never touches
    frames[1] = 0  # touches from the beginning
    assert {t.number for t in tosses.read(PUBLISHED, arrays | {"flight_frames": frames})} == set(range(2, 570))
    with pytest.raises(ValueError, match="none of the tosses"):
        tosses.read(PUBLISHED, arrays | {"flight_frames": np.zeros_like(frames)})


def test_rotations_are_those_of_matrices():
    rng = np.random.default_rng(0)
    p, q = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in rng.standard_normal((2, 20, 4)))
    assert rotations.matrix(rotations.product(p, q)) == pytest.approx(rotations.matrix(p) @ rotations.matrix(q))
    assert rotations.matrix(rotations.inverse(p)) == pytest.approx(np.swapaxes(rotations.matrix(p), 1, 2))
    turn = rng.uniform(-1, 1, (20, 3))
    assert rotations.vector(rotations.exponential(turn)) == pytest.approx(turn)
    quarter = rotations.exponential(np.array([0.0, 0.0, np.pi / 2]))
    assert rotations.matrix(quarter) @ [1.0, 0, 0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert rotations.angle_between(p, -p) == pytest.approx(0.0, abs=1e-7)


def test_intervals_cover_the_mean_as_often_as_they_say():
    rng = np.random.default_rng(0)
    inside = 0
    for seed in range(200):
        one = scoring.estimate(rng.normal(3.0, 2.0, 60), seed=seed)
        inside += one.low <= 3.0 <= one.high
    assert 180 <= inside <= 198
    with pytest.raises(ValueError, match="two values, got 1"):
        scoring.estimate(np.array([1.0, np.nan]))


def test_paired_differences_are_surer_than_means():
    hard = np.random.default_rng(0).exponential(10.0, 100)
    one = reality.difference(hard + 1.0, hard)
    assert one.low == one.value == pytest.approx(1.0)
    with pytest.raises(ValueError, match="same tosses are compared, got 3 and 2"):
        reality.difference(np.zeros(3), np.zeros(2))


def still(tosses_, convention, contact, progress=lambda: None):
    """Simulate a cube that is as far off as its friction is from 0.2, and bounces nothing."""
    off = 1e-3 + abs(contact.friction - 0.2) + contact.restitution + contact.corner_radius
    return [cube.Rollout(toss.position + [off, 0, 0], toss.quaternion, 0.5) for toss in tosses_]


def test_a_fit_finds_the_best_of_the_grid_without_the_held_out_half(corrected):
    seen = []

    def simulate(chosen, convention, contact):
        seen.extend(chosen)
        return still(chosen, convention, contact)

    grid = cube.fit(simulate, tosses.half(corrected, False)[:4], CORRECTED)
    assert grid[-1].contact == cube.CubeContact(0.21) and not any(toss.held_out for toss in seen)
    assert len(grid) == len(cube.FRICTIONS) + len(cube.RESTITUTIONS) + len(cube.CORNER_RADII)
    assert grid[-1].loss == pytest.approx(100 * 0.011 / (2 * HALF_WIDTH) / 13)
    assert cube.fit(still, tosses.half(corrected, False)[:2], CORRECTED, cube.ALL)[-1].contact == cube.CubeContact(0.2)
    with pytest.raises(ValueError, match="must not see tosses that are held out"):
        cube.fit(still, tosses.half(corrected, True)[:4], CORRECTED)


def test_a_study_is_stored_and_read_back():
    made = cube.study(still, CORRECTED, limit=5)
    tuned, untuned = (cube.from_stored(made[name]) for name in ("tuned", "untuned"))
    assert untuned.contact == cube.UNTUNED and tuned.contact.friction == 0.21
    assert (tuned.errors[:, 0] < untuned.errors[:, 0]).all() and len(tuned.numbers) == 5
    assert tuned.curve.shape == (2, cube.FRAMES) and tuned.curve[0, 0] == pytest.approx(
        tuned.errors[:, 0].mean(), rel=0.01
    )
    assert tuned.cost == 0.5 and not tuned.why


def test_what_an_engine_cannot_do_is_said_and_the_others_go_on(corrected):
    def simulate(chosen, convention, contact):
        if contact.restitution:
            return [cube.Rollout(None, None, why="cannot: it does not bounce")] * len(chosen)
        return still(chosen, convention, contact)

    grid = cube.fit(simulate, tosses.half(corrected, False)[:3], CORRECTED)
    failed = [one for one in grid if one.why]
    assert len(failed) == 2 and not np.isfinite([one.loss for one in failed]).any() and not grid[-1].why
    assert failed[0].why == {"cannot: it does not bounce": 3}


def test_missing_altered_and_strange_data_are_refused(tmp_path):
    with pytest.raises(ValueError, match="there are no data 'dice'; there are cube_tosses"):
        data.read("dice")
    with pytest.raises(ValueError, match="only the cube's data come with the package"):
        data.read("ellipse_impacts", tmp_path)
    (tmp_path / "square_drops.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="cannot be read as arrays"):
        data.read("square_drops", tmp_path)
    arrays = data.read("cube_tosses")
    np.savez(tmp_path / "cube_tosses.npz", **arrays)  # packed in another way
    assert data.digest(data.read("cube_tosses", tmp_path)) == data.DIGESTS["cube_tosses"]
    arrays["position"] = arrays["position"].copy()
    arrays["position"][7, 1] += 1e-6
    np.savez(tmp_path / "cube_tosses.npz", **arrays)
    with pytest.raises(ValueError, match="does not hold the numbers that were measured"):
        data.read("cube_tosses", tmp_path)
    np.savez(tmp_path / "ellipse_impacts.npz", before=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="cannot be read as arrays"):
        data.read("ellipse_impacts", tmp_path)


def test_the_licence_lies_beside_the_data_and_in_the_wheel():
    import tomllib
    from pathlib import Path

    assert "Redistributions in binary form must reproduce" in (data.SHIPPED / "LICENSE.md").read_text()
    project = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["tarsus.scripts.library.reality"]
    listed = {path.name for pattern in patterns for path in data.SHIPPED.parent.glob(pattern)}
    assert listed == {"cube_tosses.npz", "LICENSE.md"}
