"""Friction that is read from poses: of a cube whose friction is known, and of the one that was measured."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.scripts.laboratory.reality import friction
from tarsus.scripts.library.reality import rigid, tosses
from tarsus.scripts.library.reality.rollouts import CubeContact


@pytest.fixture(scope="module")
def measured():
    return tosses.read(tosses.CORRECTED)


@pytest.mark.parametrize("mu", [0.15, 0.25])
def test_the_friction_of_a_rigid_cube_is_found(measured, mu):
    some = measured[::4]
    rollouts = rigid.run(some, tosses.CORRECTED, CubeContact(mu, 0.2, 4e-3), 2.5e-4)
    pairs = zip(some, rollouts, strict=True)
    simulated = [replace(toss, position=made.position, quaternion=made.quaternion) for toss, made in pairs]
    faces, corners = friction.of_faces(simulated), friction.of_corners(simulated)
    assert len(faces) > 50 and len(corners) > 20
    assert np.median(faces) == pytest.approx(mu, rel=0.02)
    assert np.median(corners) == pytest.approx(mu, rel=0.05)


def test_faces_of_the_measured_cube_slide_with_more_friction_than_its_corners(measured):
    low, middle, high = np.percentile(friction.of_faces(measured), [25, 50, 75])
    assert (low, middle, high) == pytest.approx((0.216, 0.226, 0.234), abs=0.003)
    low, middle, high = np.percentile(friction.of_corners(measured), [25, 50, 75])
    assert (low, middle, high) == pytest.approx((0.144, 0.160, 0.177), abs=0.003)
