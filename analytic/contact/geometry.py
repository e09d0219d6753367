r"""Geometry of locomotion by sliding: how shapes of two parameters move the body, and what a cycle gives.

With viscous friction the twist is linear in the rates of the shape, :math:`\xi = A(r)\,\dot r`: a connection. What a
small cycle displaces is its curvature :math:`\partial_1 A_2 - \partial_2 A_1 + [A_1, A_2]` times its area. Coulomb's
law is homogeneous but not additive, so that its twist is no connection and these functions refuse it; `displacement`,
which follows a cycle frame by frame, takes any law.

Source: Hatton and Choset, Int. J. Robotics Research 30 (2011) 988-1014, whose connection has the other sign; friction
and loads are those of `solve`.
"""

from typing import NamedTuple, Protocol

import numpy as np

from . import arrays, se2
from .connection import Feet, named_law, solve
from .laws import Viscous

STEP = 1e-5  # of the shape, over which the field is differentiated: round-off and truncation are both near 1e-10
RINGS = 64  # Gauss-Legendre nodes from the middle of an area to its edge


class Shapes(Protocol):
    """A family of shapes with two parameters r."""

    def place(self, r: np.ndarray) -> np.ndarray:
        """Return foot positions in the body frame, shape (..., n, 3) [m], of shapes r (..., 2)."""

    def move(self, r: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Return foot velocities relative to the body, (..., n, 2) or (..., n, 3) [m/s], at rates (..., 2) of r."""


class Curvature(NamedTuple):
    """What a small cycle displaces per area, counterclockwise: in x and y [m], and in heading [rad]."""

    exterior: np.ndarray  # (..., 3) d1 A2 - d2 A1: the height functions
    bracket: np.ndarray  # (..., 3) [A1, A2]: what turning adds

    @property
    def whole(self) -> np.ndarray:
        """Their sum, shape (..., 3)."""
        return self.exterior + self.bracket


def connection_field(shapes: Shapes, r, feet: Feet, law="viscous") -> np.ndarray:
    """Return the connection A of shapes, shape (..., 3, 2): the twist is A times the rates of r.

    Args:
        shapes: The family.
        r: Its parameters, shape (..., 2).
        feet: Of the robot.
        law: "viscous" or a `Viscous`.

    Raises:
        ValueError: If the law is another one, or r has another shape or is not finite.
    """
    if not isinstance(named_law(law), Viscous):
        raise ValueError(
            f"{law!r} has no connection: the twist is homogeneous in the rates of the shape but not additive; "
            "connection, curvature and area integrals are for the viscous law. displacement() takes any law"
        )
    at = _points(r)
    columns = [solve(shapes.place(at), _rates(shapes, at, one), feet, law).twist for one in np.eye(2)]
    return np.stack(columns, axis=-1)


def curvature(shapes: Shapes, r, feet: Feet, law="viscous") -> Curvature:
    """Return the curvature of the connection at shapes r (..., 2); arguments and errors as `connection_field`.

    It is differentiated over `STEP`; where a foot touches or leaves the ground it has a jump.
    """
    at = _points(r)
    here = connection_field(shapes, at, feet, law)
    ends = [[connection_field(shapes, at + sign * STEP * one, feet, law) for sign in (1, -1)] for one in np.eye(2)]
    by_1, by_2 = ((plus - minus) / (2.0 * STEP) for plus, minus in ends)
    return Curvature(by_1[..., 1] - by_2[..., 0], bracket(here[..., 0], here[..., 1]))


def bracket(first, second) -> np.ndarray:
    """Return the bracket of two twists (..., 3): what moving along one, the other, and both back adds up to."""
    a, b = np.moveaxis(np.asarray(first, float), -1, 0), np.moveaxis(np.asarray(second, float), -1, 0)
    return np.stack([a[1] * b[2] - b[1] * a[2], b[0] * a[2] - a[0] * b[2], 0.0 * a[2]], axis=-1)


def by_area(shapes: Shapes, loop, feet: Feet, law="viscous", turning: bool = False) -> np.ndarray:
    """Return the integral of the curvature over the area in a cycle, (3,) [m, m, rad].

    Args:
        shapes: The family.
        loop: Shapes around the cycle, evenly in some parameter, counterclockwise (m, 2); its area must be seen whole
            from the loop's mean.
        feet: Of the robot.
        law: "viscous" or a `Viscous`.
        turning: Whether to add the bracket; without, it is what `by_line` gives, by Stokes' theorem.

    Raises:
        ValueError: As `connection_field`, or if the loop has fewer than three shapes.
    """
    loop = _loop(loop)
    middle = loop.mean(axis=0)
    spoke, along = loop - middle, _slope(loop)
    nodes, weights = np.polynomial.legendre.leggauss(RINGS)
    share = 0.5 * (nodes + 1.0)
    found = curvature(shapes, middle + share[:, None, None] * spoke, feet, law)
    wedge = spoke[:, 0] * along[:, 1] - spoke[:, 1] * along[:, 0]  # twice the area per step of the loop, m of them
    values = found.whole if turning else found.exterior
    return np.einsum("k,k,m,kmi->i", 0.5 * weights, share, wedge, values)


def by_line(shapes: Shapes, loop, feet: Feet, law="viscous") -> np.ndarray:
    """Return the integral of the connection along a cycle, (3,) [m, m, rad]: of the twist, not of the motion.

    Arguments and errors as `by_area`.
    """
    loop = _loop(loop)
    return np.einsum("mij,mj->i", connection_field(shapes, loop, feet, law), _slope(loop))


def displacement(shapes: Shapes, loop, feet: Feet, law="viscous") -> np.ndarray:
    """Return the pose after a cycle that starts at its first shape, (3,) [m, m, rad], frame by frame, under any law.

    Raises:
        ValueError: If the loop is not as `by_area` takes it, or the law is unknown.
    """
    loop = _loop(loop)
    twist = solve(shapes.place(loop), _rates(shapes, loop, _slope(loop)), feet, law).twist
    return se2.integrate(twist, 1.0)[-1] if np.isfinite(twist).all() else np.full(3, np.nan)


def _points(r) -> np.ndarray:
    at = arrays.finite("r", r)
    if at.shape[-1:] != (2,):
        raise ValueError(f"r must have shape (2,) or (..., 2), got {at.shape}")
    return at


def _loop(loop) -> np.ndarray:
    at = arrays.finite("loop", loop)
    if at.ndim != 2 or at.shape[1] != 2 or len(at) < 3:
        raise ValueError(f"a loop has shape (m, 2) with m >= 3 shapes, the first not repeated, got {at.shape}")
    return at


def _rates(shapes: Shapes, at: np.ndarray, rate: np.ndarray) -> np.ndarray:
    return shapes.move(at, np.broadcast_to(rate, at.shape))[..., :2]


def _slope(loop: np.ndarray) -> np.ndarray:
    """Return the derivative along a periodic loop, per step, (m, 2), by its Fourier series."""
    n = len(loop)
    wave = 2j * np.pi * np.fft.fftfreq(n)
    wave[n // 2] *= n % 2  # the highest of an even number has no derivative on the grid
    return np.fft.ifft(wave[:, None] * np.fft.fft(loop, axis=0), axis=0).real
