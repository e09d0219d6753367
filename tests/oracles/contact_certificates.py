"""Proofs of a contact solver's answers, recomputed from answer and frame alone; frames in leading dimensions."""

import numpy as np


def metric(w):
    return np.eye(2) + w[..., :, None] * w[..., None, :]


def slips(pos, vel, twist):
    """Return the feet's velocities over the ground, body frame."""
    u, omega = twist[..., None, :2], twist[..., None, 2:]
    return vel + u + omega * np.stack([-pos[..., 1], pos[..., 0]], axis=-1)


def assert_carried(found, pos, k, weight):
    """Check that the loads are those of the springs at the pose, and balance the weight over the centre of mass."""
    x, y, z = np.moveaxis(pos, -1, 0)
    pose = (np.asarray(angle)[..., None] for angle in (found.height, found.pitch, found.roll))
    height, pitch, roll = pose
    spring = k * np.maximum(-(height - pitch * x + roll * y + z), 0.0)
    weight = np.asarray(weight)
    assert np.all(np.abs(found.load - spring) <= 1e-11 * weight[..., None])
    size = np.hypot(x, y).max(axis=-1)
    assert np.all(np.abs(found.load.sum(axis=-1) - weight) <= 1e-12 * weight)
    for lever in (x, y):
        assert np.all(np.abs(np.sum(found.load * lever, axis=-1)) <= 1e-12 * weight * size)


def assert_certified(found, pos, vel, mu, w, gap):
    """Check balance, cone and power: together they prove that the dissipation is within the gap of its minimum."""
    m, f = mu * found.load, found.force[..., :2]
    total = m.sum(axis=-1)
    lever = np.linalg.norm(pos[..., :2], axis=-1)
    size = lever.max(axis=-1)
    moment = np.sum(pos[..., 0] * f[..., 1] - pos[..., 1] * f[..., 0], axis=-1)
    assert np.all(np.abs(f.sum(axis=-2)).max(axis=-1) <= 1e-11 * total)
    assert np.all(np.abs(moment) <= 1e-11 * total * np.maximum(size, 1e-300))
    a = metric(w)
    pull = np.sqrt(np.einsum("...ni,...nij,...nj->...n", f, np.linalg.inv(a), f))
    assert np.all(pull <= m * (1 + 1e-12) + 1e-12 * total[..., None])
    slip = slips(pos, vel, found.twist)
    dissipation = np.sum(m * np.sqrt(np.einsum("...ni,...nij,...nj->...n", slip, a, slip)), axis=-1)
    held = np.sum(m * np.sqrt(np.einsum("...ni,...nij,...nj->...n", vel, a, vel)), axis=-1)
    power = np.sum(f * slip, axis=(-1, -2))
    # What a twist rounded to doubles can hold: its parts may be far larger than the slips they leave.
    parts = np.abs(found.twist[..., None, :2]).sum(axis=-1) + np.abs(found.twist[..., None, 2]) * lever
    rounding = 1e-13 * held + 1e-15 * np.sum(m * parts, axis=-1)
    assert np.all(dissipation + power <= gap * dissipation + rounding)
    assert np.all(np.abs(found.dissipation - dissipation) <= 1e-9 * dissipation + rounding)
