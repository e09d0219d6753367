"""The time-stepped cube: flight, falls and slides in closed form, impacts of one corner against the planar laws."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays

from tarsus.analytic.contact import impact
from tarsus.analytic.models.rigid_cube import RigidCube, corners, energy, simulate

CUBE = RigidCube()
A = CUBE.half_width
numbers = arrays(float, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 0.1)


def state(position=(0.0, 0.0, 1.0), quaternion=(1.0, 0.0, 0.0, 0.0), velocity=(0, 0, 0), spin=(0, 0, 0)):
    return np.concatenate([position, np.array(quaternion) / np.linalg.norm(quaternion), velocity, spin]).astype(float)


def turned(q, v):
    w, axis = q[0], q[1:]
    return v + 2 * w * np.cross(axis, v) + 2 * np.cross(axis, np.cross(axis, v))


@given(q=numbers, radius=st.floats(0.0, A))
@settings(max_examples=50)
def test_the_corners_are_the_four_lowest_of_all_eight(q, radius):
    params, x = RigidCube(corner_radius=radius), state(quaternion=q)
    inner = (A - radius) * (2.0 * np.array(list(np.ndindex(2, 2, 2))) - 1)
    heights = np.sort([1.0 + turned(x[3:7], corner)[2] - radius for corner in inner])
    gap, arms = corners(params, x)
    assert np.sort(gap) == pytest.approx(heights[:4], abs=1e-12)
    places = arms + [0.0, 0.0, radius]
    assert all(np.abs([turned(x[3:7], corner) for corner in inner] - place).sum(1).min() < 1e-12 for place in places)


def test_it_flies_along_a_parabola_and_turns_steadily():
    start = state(velocity=(0.3, -0.2, 1.0), spin=(2.0, -3.0, 5.0), quaternion=(1.0, 0.3, -0.2, 0.4))
    out = simulate(CUBE, start, 3, 0.1, 1000)
    h, t = 1e-4, 0.2
    falls = -9.81 * t * (t + h) / 2  # of the steps' own rule
    assert out[2, :3] == pytest.approx([0.3 * t, -0.2 * t, 1.0 + t + falls], rel=1e-10)
    turn = np.linalg.norm([2.0, -3.0, 5.0]) * t
    axis = np.array([2.0, -3.0, 5.0]) / np.linalg.norm([2.0, -3.0, 5.0])
    q = np.concatenate([[np.cos(turn / 2)], np.sin(turn / 2) * axis])
    for vector in np.eye(3):
        assert turned(out[2, 3:7], vector) == pytest.approx(turned(q, turned(start[3:7], vector)), abs=1e-10)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_one_that_falls_flat_stops_or_bounces(e):
    out = simulate(RigidCube(restitution=e), state(position=(0, 0, A + 0.05)), 11, 0.011, 20)
    speed = np.sqrt(2 * 9.81 * 0.05)
    assert out[-1, 9] == pytest.approx(e * speed - 9.81 * (0.11 - speed / 9.81) * (e > 0), abs=0.02)
    assert np.abs(out[-1, 10:]).max() < 1e-6
    if not e:
        assert out[-1, 2] == pytest.approx(A, abs=1e-5)


def test_friction_stops_one_that_slides_on_its_face():
    out = simulate(RigidCube(mu=0.2), state(position=(0, 0, A), velocity=(0.5, -0.3, 0)), 2, 0.5, 2000)
    v = np.array([0.5, -0.3])
    way = v * np.linalg.norm(v) / (2 * 0.2 * 9.81)
    assert out[1, :2] == pytest.approx(way, rel=2e-3)
    assert np.abs(out[1, 7:]).max() < 1e-6 and out[1, 2] == pytest.approx(A, abs=1e-6)


def balanced(tilt):
    """Return the quaternion of a cube with a corner below, in the plane y = 0, tilted by so much from its diagonal."""
    yaw, pitch = np.pi / 4, np.arctan(np.sqrt(2.0)) + tilt
    p, q = np.array([np.cos(pitch / 2), 0, np.sin(pitch / 2), 0]), np.array([np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)])
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate([[w], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


@pytest.mark.parametrize("mu", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("e", [0.0, 0.4])
@pytest.mark.parametrize("speed", [-1.5, 0.1, 1.5])
def test_an_impact_of_one_corner_is_the_planar_law(mu, e, speed):
    x = state(quaternion=balanced(0.2), velocity=(speed, 0.0, -1.0), spin=(0.0, 1.0, 0.0))
    gap, arms = corners(CUBE, x)
    x[2] -= gap[0]
    arm = arms[0]
    assert abs(arm[1]) < 1e-12 and gap[1] - gap[0] > 0.01
    h = 1e-7  # of one step, in which gravity does nothing
    (_, after) = simulate(RigidCube(mu=mu, restitution=e), x, 2, h, 1)
    J = np.array([[1.0, 0.0, arm[2]], [0.0, 1.0, -arm[0]]])  # of velocities (x, z, spin about y)
    M = np.diag([CUBE.mass, CUBE.mass, CUBE.inertia])
    before = np.array([speed, -1.0, 1.0])
    W = J @ np.linalg.inv(M) @ J.T
    impulse = impact.anitescu_potra_newton(W[None], (J @ before)[None], mu, e)[0]
    assert after[[7, 9, 11]] == pytest.approx(before + np.linalg.inv(M) @ J.T @ impulse, abs=2e-5)


@given(
    q=numbers, velocity=arrays(float, 3, elements=st.floats(-1, 1)), spin=arrays(float, 3, elements=st.floats(-9, 9))
)
@settings(max_examples=15)
def test_contact_takes_energy(q, velocity, spin):
    x = state(position=(0, 0, 0.12), quaternion=q, velocity=velocity, spin=spin)
    found = [energy(CUBE, one) for one in simulate(CUBE, x, 40, 0.01, 10)]
    h_gain = CUBE.mass * 9.81 * 1e-3 * 3.0  # height that the steps' rule of gravity is off by, of the first order
    assert np.diff(found).max() < h_gain
    assert found[-1] < found[0]


def test_the_world_may_be_turned_about_the_vertical():
    """By a quarter: x to y, y to -x; what spun about y then spins about -x."""
    x = state(quaternion=balanced(0.2), velocity=(1.0, 0.4, -1.0), spin=(0.5, 4.0, 1.0), position=(0.0, 0.0, 0.12))
    quarter = np.array([np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)])
    q = x[3:7]
    turn = np.concatenate([[quarter[0] * q[0] - quarter[3] * q[3]], quarter[0] * q[1:] + quarter[3] * np.array(
        [-q[2], q[1], q[0]])])  # fmt: skip
    other = np.concatenate([turned(quarter, x[:3]), turn, turned(quarter, x[7:10]), turned(quarter, x[10:])])
    cube = RigidCube(restitution=0.5)
    (*_, one), (*_, two) = simulate(cube, x, 45, 1e-3, 2), simulate(cube, other, 45, 1e-3, 2)
    assert one[9] > -0.5  # it has met the ground
    for part in (slice(0, 3), slice(7, 10), slice(10, 13)):
        assert two[part] == pytest.approx(turned(quarter, one[part]), abs=1e-6)


def test_what_meets_the_ground_slower_than_gravity_makes_it_does_not_bounce():
    h = 1e-3
    for speed, bounces in ((-1.5 * 9.81 * h, False), (-2.5 * 9.81 * h, True)):
        x = state(position=(0, 0, A), velocity=(0, 0, speed))
        (_, after) = simulate(RigidCube(restitution=0.8), x, 2, h, 1)
        assert after[9] == pytest.approx(-0.8 * speed if bounces else 0.0, abs=1e-6)


def test_energy_is_that_of_motion_and_height():
    x = state(position=(0, 0, 0.3), velocity=(1.0, 2.0, 2.0), spin=(0.0, 3.0, 4.0))
    assert energy(CUBE, x) == pytest.approx(0.37 * 9 / 2 + 1.1e-3 * 25 / 2 + 0.37 * 9.81 * 0.3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": 0.0}, "mass must be positive"),
        ({"corner_radius": 0.06}, "corner_radius must lie from 0 to half_width"),
        ({"mu": -1.0}, "mu must not be negative"),
        ({"restitution": 1.5}, "restitution must lie from 0 to 1"),
    ],
)
def test_impossible_cubes_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        RigidCube(**change)


def test_what_is_no_start_is_refused():
    with pytest.raises(ValueError, match="13 finite numbers"):
        simulate(CUBE, np.zeros(13), 2, 0.1, 10)
    with pytest.raises(ValueError, match="must be positive, got 2, 0 and 0.1"):
        simulate(CUBE, state(), 2, 0.1, 0)
