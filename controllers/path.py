"""Paths on the ground for a robot to follow: where it should be, and how it should face, at every time.

A path is a smooth curve through points, gone along at one speed and faced along; beyond its ends it goes on straight.
Its frame is that of its points.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from ..analytic.contact import se2

FINE = 50  # samples between two points, from which the length along the curve is summed


@dataclass(frozen=True)
class Path:
    """A curve through points at a speed.

    Raises:
        ValueError: If there are fewer than two points, two in a row are one, or a number is not finite or positive.
    """

    points: np.ndarray  # (m, 2) x and y, in order [m]
    speed: float  # along the curve [m/s]

    def __post_init__(self) -> None:
        points = np.array(self.points, float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise ValueError(f"a path needs two points (x, y) or more, shape (m, 2), got {points.shape}")
        if not np.isfinite(points).all():
            raise ValueError("the points of a path must be finite; they hold NaN or infinity")
        chord = np.hypot(*np.diff(points, axis=0).T)
        if not chord.min() > 0:
            raise ValueError(f"point {int(chord.argmin()) + 1} of the path is the same as the one before it")
        if not 0 < self.speed < np.inf:
            raise ValueError(f"the speed along a path must be positive, got {self.speed} m/s")
        object.__setattr__(self, "points", points)
        curve = CubicSpline(np.r_[0.0, np.cumsum(chord)], points) if len(points) > 2 else None
        knots = np.linspace(0.0, chord.sum(), FINE * (len(points) - 1) + 1)
        places = curve(knots) if curve else points[0] + knots[:, None] / chord.sum() * (points[1] - points[0])
        length = np.r_[0.0, np.cumsum(np.hypot(*np.diff(places, axis=0).T))]
        object.__setattr__(self, "_by_length", CubicSpline(length, places))
        object.__setattr__(self, "length", float(length[-1]))

    @classmethod
    def sine(cls, amplitude: float, wavelength: float, length: float, speed: float) -> "Path":
        """Return the path y = amplitude sin(2 pi x / wavelength) for x from 0 to `length` [m]."""
        x = np.linspace(0.0, length, max(2, int(np.ceil(32 * length / wavelength)) + 1))
        return cls(np.stack([x, amplitude * np.sin(2 * np.pi * x / wavelength)], axis=-1), speed)

    @property
    def duration(self) -> float:
        """Time from the first point to the last [s]."""
        return self.length / self.speed

    def __call__(self, t) -> np.ndarray:
        """Return x, y and heading at times t [s], shape (..., 3) [m, m, rad]."""
        s = self.speed * np.asarray(t, float)
        on = np.clip(s, 0.0, self.length)
        tangent = self._by_length(on, 1)
        tangent = tangent / np.linalg.norm(tangent, axis=-1, keepdims=True)
        place = self._by_length(on) + (s - on)[..., None] * tangent
        return np.concatenate([place, np.arctan2(tangent[..., 1:], tangent[..., :1])], axis=-1)

    def curvature(self, s) -> np.ndarray:
        """Return the curvature at lengths s along the path [m], positive to the left [1/m]."""
        first, second = self._by_length(s, 1), self._by_length(s, 2)
        return (first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]) / np.sum(first**2, axis=-1) ** 1.5

    def distance(self, places) -> np.ndarray:
        """Return the distance of places (..., 2) from the path, at its nearest point [m]."""
        places = np.asarray(places, float)
        s = np.linspace(0.0, self.length, max(2, int(np.ceil(self.length / 0.002)) + 1))
        curve = self._by_length(s)
        flat = places.reshape(-1, 2)
        nearest = [np.min(np.hypot(*(curve - place).T)) for place in flat]
        return np.array(nearest).reshape(places.shape[:-1])


def relative(pose, origin) -> np.ndarray:
    """Return poses (..., 3) as seen from the pose `origin` (3,) of their frame, headings within half a turn."""
    d = np.asarray(pose, float) - origin
    cos, sin = np.cos(origin[2]), np.sin(origin[2])
    turn = (d[..., 2] + np.pi) % (2 * np.pi) - np.pi
    return np.stack([cos * d[..., 0] + sin * d[..., 1], cos * d[..., 1] - sin * d[..., 0], turn], axis=-1)


def rejoined(reference, pose, most) -> np.ndarray:
    """Return the poses after each stride (k, 3) of one who is off a reference and comes back a little every stride.

    Args:
        reference: Poses now and after each stride, (k + 1, 3).
        pose: Now (3,).
        most: Of the error along, across and of heading, what a stride takes off (3,) [m, m, rad].
    """
    error, found = relative(pose, reference[0]), []
    for before, after in zip(reference[:-1], reference[1:], strict=True):
        error = error - np.clip(error, -most, most)
        error[1] += np.hypot(*(after - before)[:2]) * error[2]  # while it faces elsewhere, that is where it goes
        found.append(se2.compose(after, error))
    return np.array(found)
