"""Friction of the cube as the measurements show it without a simulator: of faces that slide, of corners that hit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from tarsus.scripts.laboratory.reality import rotations
from tarsus.scripts.library.reality.tosses import GRAVITY, HALF_WIDTH, RATE, Toss

CORNERS = HALF_WIDTH * np.array(list(product((-1.0, 1.0), repeat=3)))  # in the cube's frame [m]
# A face slides: nearly level, hardly turning or rising, faster than it creeps, for so many frames.
LEVEL = np.cos(np.deg2rad(1.0))
TURNING, RISING, SLIDING = 0.6, 0.03, 0.15  # [rad/s], [m/s], [m/s]
FRAMES = 6
AFTER = 4  # frames after the first contact, until a rounded corner has left the board
TOUCHES = -1.5e-3  # least height of a corner in flight, were it sharp [m]
FREE = 2e-4  # most that a flight is off a parabola [m]
SAME = 0.95  # least cosine between slip before and after: it went on in one direction
EDGE = 2e-3  # least height of the second corner over the first, or an edge hit [m]


def of_faces(tosses: Sequence[Toss]) -> np.ndarray:
    """Return the friction of every time that a face slides: its deceleration over gravity's, shape (n,)."""
    found = []
    for toss in tosses:
        first = None
        for k, slides in enumerate([*_slides(toss), False]):
            if slides and first is None:
                first = k
            elif not slides and first is not None:
                if k - first >= FRAMES:
                    found.append(_deceleration(toss, slice(first + 1, k + 1)) / GRAVITY)
                first = None
    return np.array(found)


def _slides(toss: Toss) -> np.ndarray:
    """Return whether the frames but the first and the last are of a face that slides."""
    speed = (toss.position[2:] - toss.position[:-2]) * RATE / 2.0
    spin = rotations.angle_between(toss.quaternion[2:], toss.quaternion[:-2]) * RATE / 2.0
    upright = np.abs(rotations.matrix(toss.quaternion[1:-1])[:, 2]).max(axis=1)
    still = (spin < TURNING) & (np.abs(speed[:, 2]) < RISING)
    return still & (upright > LEVEL) & (np.hypot(speed[:, 0], speed[:, 1]) > SLIDING)


def _deceleration(toss: Toss, frames: slice) -> float:
    time, place = toss.time[frames], toss.position[frames, :2]
    along = (place[-1] - place[0]) / np.linalg.norm(place[-1] - place[0])
    return float(-2.0 * np.polyfit(time - time.mean(), place @ along, 2)[0])


def of_corners(tosses: Sequence[Toss]) -> np.ndarray:
    """Return the friction of first impacts of one corner that slips all through them, shape (n,).

    It is the tangential impulse against the slip over the normal one, from the flights before and after.
    """
    found = (_of_corner(toss) for toss in tosses)
    return np.array([mu for mu in found if mu is not None])


def _of_corner(toss: Toss) -> float | None:
    frames = slice(toss.flight + AFTER, toss.flight + AFTER + FRAMES)
    if len(toss.time) < frames.stop:
        return None
    matrices = rotations.matrix(toss.quaternion[frames])
    if (toss.position[frames, 2, None] + (matrices @ CORNERS.T)[:, 2]).min() < TOUCHES:
        return None
    time = toss.time[frames]
    straight = toss.position[frames] + np.outer(time**2, [0.0, 0.0, GRAVITY / 2.0])
    velocity, offset = np.polyfit(time, straight, 1)
    if np.abs(straight - np.outer(time, velocity) - offset).max() > FREE:
        return None
    start, before = toss.start[:3], toss.start[7:10]
    moment = (start[2] - offset[2]) / (velocity[2] - before[2])  # where the parabolas meet
    if not 0.0 < moment < AFTER / RATE:
        return None
    attitude = rotations.matrix(rotations.product(rotations.exponential(toss.spin_w * moment), toss.start[3:7]))
    places = CORNERS @ attitude.T
    lowest, second = np.argsort(places[:, 2])[:2]
    if places[second, 2] - places[lowest, 2] < EDGE:
        return None
    last, first = toss.quaternion[frames.stop - 1], toss.quaternion[frames.start]
    spin = rotations.vector(rotations.product(last, rotations.inverse(first))) * RATE / (FRAMES - 1)
    slip = (before + np.cross(toss.spin_w, places[lowest]))[:2]
    slip_after = (velocity + np.cross(spin, places[lowest]))[:2]
    sizes = np.linalg.norm(slip), np.linalg.norm(slip_after)
    if sizes[1] < SLIDING or slip @ slip_after < SAME * sizes[0] * sizes[1]:
        return None
    change = velocity - before
    return float(-change[:2] @ slip / sizes[0] / change[2])
