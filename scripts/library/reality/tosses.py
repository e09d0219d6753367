"""Tosses of the cube as two conventions read them, and how far simulated ones are from them.

Published: from the first frame, in the stated units, with the stated inertia. Corrected: from a start fitted to the
flight, at its last frame, with the lengths that gravity asks for, and an inertia that the tosses ask for. Errors of
position and rotation are those of Acosta, Yang and Posa (RA-L 2022), over all frames after the start.
"""

from dataclasses import dataclass

import numpy as np

from . import data

HALF_WIDTH = 0.0524  # of the cube [m]
MASS = 0.37  # [kg]
GRAVITY = 9.81  # [m/s^2]
EARLY = 12  # frames after contact, before small differences have grown
RATE = 148.0  # of the frames [Hz]
UPRIGHT = np.deg2rad(20.0)  # a toss ends right if its last rotation is as near as that
METRICS = ("position", "rotation", "right", "early_position", "early_rotation")
UNITS = ("%", "deg", "%", "%", "deg")


@dataclass(frozen=True)
class Convention:
    """How the measurements are read."""

    name: str
    inertia: float  # of the cube about any axis [kg m^2]
    scale: float = 1.0  # stated metres over metres
    from_flight: bool = False  # start at the fitted last frame of flight, not at the first frame


PUBLISHED = Convention("published", inertia=8.1e-4)
# Gravity reads 9.603 m/s^2 in stated metres. Moment balance of first impacts asks for 1.06e-3 to 1.3e-3 kg m^2.
CORRECTED = Convention("corrected", inertia=1.1e-3, scale=9.603 / GRAVITY, from_flight=True)
CONVENTIONS = {one.name: one for one in (PUBLISHED, CORRECTED)}


@dataclass(frozen=True)
class Toss:
    """A measured toss from its start on; the board is at z = 0."""

    number: int
    time: np.ndarray  # since the start, shape (frames,) [s]
    position: np.ndarray  # of the centre, shape (frames, 3) [m]
    quaternion: np.ndarray  # from cube to board, shape (frames, 4), w first
    start: np.ndarray  # position [m], quaternion, velocity [m/s], angular velocity in the cube's frame [rad/s], (13,)
    flight: int  # frames before contact, the start not counted
    seen: int  # frames of flight that the start was made from
    held_out: bool  # no fit may see it

    @property
    def spin_w(self) -> np.ndarray:
        """Angular velocity at the start in the board's frame, shape (3,) [rad/s]."""
        return matrix(self.start[3:7]) @ self.start[10:13]


def read(convention: Convention, arrays: dict[str, np.ndarray] | None = None) -> list[Toss]:
    """Return the tosses, of these arrays or those shipped, that have a start and touch the board; or ValueError."""
    arrays = data.read("cube_tosses") if arrays is None else arrays
    found = []
    for number, (first, last) in enumerate(zip(arrays["start"][:-1], arrays["start"][1:], strict=True)):
        flight = int(arrays["flight_frames"][number])
        begin = first + flight - 1 if convention.from_flight else first
        start = _start(arrays, convention, number, first)
        if not (np.isfinite(start).all() and 0 < flight < last - first):
            continue
        found.append(
            Toss(
                number=number,
                time=np.arange(last - begin) / RATE,
                position=arrays["position"][begin:last].astype(float) / convention.scale,
                quaternion=_unit(arrays["quaternion"][begin:last].astype(float)),
                start=start,
                flight=int(flight - 1 - (begin - first)),
                seen=flight if convention.from_flight else 1,
                held_out=bool(arrays["held_out"][number]),
            )
        )
    if not found:
        raise ValueError("none of the tosses has a start and touches the board")
    return found


def _start(arrays: dict[str, np.ndarray], convention: Convention, number: int, first: int) -> np.ndarray:
    if convention.from_flight:
        start = arrays["contact_start"][number].astype(float)
    else:
        columns = ("position", "quaternion", "velocity", "angular_velocity")
        start = np.concatenate([arrays[name][first] for name in columns]).astype(float)
    start[3:7] = _unit(start[3:7])
    start[:3] /= convention.scale
    start[7:10] /= convention.scale
    return start


def _unit(quaternion: np.ndarray) -> np.ndarray:
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


def errors(toss: Toss, position: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Return the errors of a toss simulated at its times, (frames, 3) [m] and (frames, 4), by `METRICS` in `UNITS`.

    Mean distance of the centres over the cube's width, mean angle between the rotations; whether the last rotation is
    near (100 or 0); and the two means over the first frames of contact.
    """
    far, turned = curves(toss, position, quaternion)
    early = slice(toss.flight, toss.flight + EARLY)
    right = 100.0 * (turned[-1] < np.rad2deg(UPRIGHT))
    return np.array([far.mean(), turned.mean(), right, far[early].mean(), turned[early].mean()])


def curves(toss: Toss, position: np.ndarray, quaternion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distance over the cube's width [%] and angle [deg] at the frames after the start, shape (frames - 1,)."""
    far = 100.0 * np.linalg.norm(position - toss.position, axis=1)[1:] / (2.0 * HALF_WIDTH)
    return far, np.rad2deg(angle_between(quaternion, toss.quaternion))[1:]


def half(tosses: list[Toss], held_out: bool) -> list[Toss]:
    """Return the tosses that no fit may see, or the others."""
    return [toss for toss in tosses if toss.held_out == held_out]


def matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of unit quaternions (..., 4), w first, shape (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def angle_between(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the angle of the rotation from one quaternion to the other, shape (...) [rad]."""
    return 2.0 * np.arccos(np.clip(np.abs((p * q).sum(-1)), 0.0, 1.0))
